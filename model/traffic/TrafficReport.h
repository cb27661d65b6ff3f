//===- TrafficReport.h - where traffic comes from ---------------*- C++ -*-===//
//
// A prediction of traffic with the names of what causes it.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_TRAFFIC_TRAFFICREPORT_H
#define ERGON_MODEL_TRAFFIC_TRAFFICREPORT_H

#include "model/program/Prediction.h"
#include "model/traffic/CacheHierarchy.h"

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// How traffic is predicted.
enum class TrafficMethod { Analytic, Simulate };
inline constexpr std::array<std::string_view, 2> TrafficMethodNames = {"analytic", "simulate"};
/// The method's word in options and documents.
inline std::string_view name(TrafficMethod M) { return TrafficMethodNames[std::size_t(M)]; }

/// An object, or what one line of code does to it.
struct TrafficCause {
  std::string Object;
  std::vector<LevelTraffic> Levels;
  // Of a line.
  Access::Kind What{};
  SourceLocation Location{};
  std::string Function{}; ///< demangled
  // Of an object.
  std::uint64_t Start = 0; ///< its address
};

/// Traffic of one run.
struct TrafficReport {
  TrafficMethod How;
  CacheHierarchy Through;
  /// By level, nearest the core first; as in each cause.
  std::vector<LevelTraffic> Levels;
  /// By level, what moves beyond it if no access to an unknown place misses, and if each does
  /// at every level.
  std::vector<std::pair<double, double>> Range;
  std::vector<TrafficCause> Objects; ///< in the program's order
  std::vector<TrafficCause> Lines;   ///< in the order of the text
  /// By access, as in Traffic.
  std::vector<std::vector<LevelTraffic>> Accesses{};
  bool IsComplete = true; ///< as in Traffic
  bool IsWarm = false;    ///< of a run after one that did the same
  std::vector<std::string> Assumptions;

  /// Bytes that \p Levels moves between level \p Level and the next one outward.
  double bytesBeyond(const std::vector<LevelTraffic> &Levels, std::size_t Level) const {
    return Levels[Level].bytes(Through[Level]);
  }
  /// The class of those bytes: `bytes_` and the name of the next level outward.
  std::string classBeyond(std::size_t Level) const;
  /// The \p Most lines that move the most bytes beyond \p Level, those that move none left
  /// out.
  std::vector<const TrafficCause *> topLines(std::size_t Level, std::size_t Most) const;
};

/// Predicts the traffic of \p Program, whose objects start at \p P; with \p IsWarm that of a run
/// after one that did the same. With \p Others, where they may start as well, it has an interval
/// that these are in. Error: something has no value or is not known, or the predictor's own.
std::expected<TrafficReport, Error> reportTraffic(const AccessProgram &Program,
                                                  const CorePath &Path, const Placement &P,
                                                  TrafficMethod How, bool IsWarm = false,
                                                  const std::vector<Placement> &Others = {});

/// Exact but for what is less than a thousandth of a byte.
Rational rationalOf(double Bytes);
/// Puts the requested bytes of some spaces into \p Result as \p Class, where there are any.
void putRequested(const std::string &Class, std::initializer_list<Space> Spaces,
                  CountValues &Result);

/// Puts `bytes_l1`, what is requested, and what moves beyond each level into \p Result, in the
/// place of requested bytes as a bound of `bytes_dram`; but for a `bytes_dram` that was given.
void addTraffic(const TrafficReport &Report, CountValues &Result);

/// The share of accesses that a level has the data of, 1 where none reaches it. Of loads alone
/// where stores that miss fetch nothing, as they are not told from those that hit.
double hitShare(const LevelTraffic &Traffic, const CacheLevel &Level);

} // namespace ergon

#endif
