//===- TrafficReport.h - where traffic comes from ---------------*- C++ -*-===//
//
// A traffic prediction with the names of its causes.
//
//===----------------------------------------------------------------------===//
#pragma once

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

/// An object, or what one source line does to it.
struct TrafficCause {
  std::string Object;
  std::vector<LevelTraffic> Levels;
  // For a source line.
  Access::Kind What{};
  SourceLocation Location{};
  std::string Function{}; ///< demangled
  // For an object.
  std::uint64_t Start = 0; ///< its address
};

/// Traffic of one run.
struct TrafficReport {
  TrafficMethod How;
  CacheHierarchy Through;
  /// By level, nearest the core first; as in each cause.
  std::vector<LevelTraffic> Levels;
  /// By level, bytes beyond it if no access to an unknown address misses, and if each misses at
  /// every level.
  std::vector<std::pair<double, double>> Range;
  std::vector<TrafficCause> Objects; ///< in the program's order
  std::vector<TrafficCause> Lines;   ///< in the order of the text
  std::vector<TrafficCause> Sites{}; ///< the same to the column, where that is known
  /// By access, as in Traffic.
  std::vector<std::vector<LevelTraffic>> Accesses{};
  bool IsComplete = true; ///< as in Traffic
  bool IsWarm = false;    ///< for a run after an equal one
  std::vector<std::string> Assumptions;

  /// Bytes that \p Levels moves between level \p Level and the next one outward.
  double bytesBeyond(const std::vector<LevelTraffic> &Levels, std::size_t Level) const {
    return Levels[Level].bytes(Through[Level]);
  }
  /// The class of those bytes: `bytes_` and the name of the next level outward.
  std::string classBeyond(std::size_t Level) const;
  /// The \p Most source lines that move the most bytes beyond \p Level, without those that move
  /// none.
  std::vector<const TrafficCause *> topLines(std::size_t Level, std::size_t Most) const;
};

/// Predicts the traffic of \p Program, whose objects start at \p P; with \p IsWarm for a run after
/// an equal one. \p Others are alternative start addresses: the result has an interval that
/// contains their traffic. Error: something has no value or is unknown, or the predictor's own
/// error.
std::expected<TrafficReport, Error> reportTraffic(const AccessProgram &Program,
                                                  const CorePath &Path, const Placement &P,
                                                  TrafficMethod How, bool IsWarm = false,
                                                  const std::vector<Placement> &Others = {});

/// Rounded to within a thousandth of a byte.
Rational rationalOf(double Bytes);
/// Puts the requested bytes of some address spaces into \p Result as \p Class, if there are any.
void putRequested(const std::string &Class, std::initializer_list<Space> Spaces,
                  CountValues &Result);

/// Puts the requested `bytes_l1` and the bytes beyond each level into \p Result. Replaces requested
/// bytes as a bound of `bytes_dram`, but not a given `bytes_dram`.
void addTraffic(const TrafficReport &Report, CountValues &Result);

/// The hit rate of a level; 1 where no access reaches it. Of loads only where stores do not
/// allocate, as store hits and misses are not distinguished then.
double hitShare(const LevelTraffic &Traffic, const CacheLevel &Level);

} // namespace ergon
