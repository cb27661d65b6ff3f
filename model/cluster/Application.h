//===- Application.h - work of a parallel program by n and p ----*- C++ -*-===//
//
// The application vector of the iso-energy-efficiency model (see IsoEnergy.h) as
// formulas in n, p and further symbols: V_app(p, n) = (α, W_c, W_m, W_co, W_mo, M, B).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/cluster/Collectives.h"
#include "model/cluster/IsoEnergy.h"
#include "model/symbolic/Formula.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ergon {

/// A formula and the key of its source in Application::Sources.
struct SourcedFormula {
  Formula Amount;
  std::string Source;
};

/// Runs of a collective operation by all p processes: Hockney's cost, with Calls for the start-ups
/// and Bytes for the bytes of all calls.
struct CollectiveUse {
  const CollectiveAlgorithm *Which = nullptr;
  Formula Starts, Shares; ///< those of Which
  SourcedFormula Calls, Bytes;
};

/// The formulas of an application, in the order of its vector.
enum class ApplicationTerm {
  Computation,
  Memory,
  ComputationOverhead,
  MemoryOverhead,
  Messages,
  MessageBytes,
  Io
};
inline constexpr std::array<std::string_view, 7> ApplicationTermNames = {
    "computation",   "memory", "computation_overhead", "memory_overhead", "messages",
    "message_bytes", "io_s"};
inline constexpr std::array<std::string_view, 7> ApplicationTermSymbols = {
    "W_c", "W_m", "W_co", "W_mo", "M", "B", "T_IO"};
/// The key in an application's document, and the paper's symbol.
inline std::string_view name(ApplicationTerm T) { return ApplicationTermNames[std::size_t(T)]; }
inline std::string_view symbol(ApplicationTerm T) { return ApplicationTermSymbols[std::size_t(T)]; }

struct Application {
  std::string Name, Description;
  std::map<std::string, Source> Sources;
  Quantity Overlap; ///< α
  /// Summed over all processes. Absent terms are 0.
  std::map<ApplicationTerm, SourcedFormula> Terms;
  std::vector<CollectiveUse> Collectives; ///< beside M and B
  /// By machine: terms of its vector as measured with this application.
  std::map<std::string, ClusterTerms> Machines;
  std::vector<std::string> Notes; ///< notes for users of the numbers

  /// Parameters of the formulas beside n and p.
  std::set<std::string> parameters() const;
  bool hasSteps() const;
  /// \p Given are values of the parameters.
  std::expected<Workload, NoEfficiency> at(double N, double P, Formula::Values Given) const;
};

} // namespace ergon
