//===- SmallPrograms.h - functions of a few blocks, for tests ---*- C++ -*-===//
//
// Functions f(int n) whose blocks do some flops or call each other. Loops begin at 0.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "model/program/Program.h"

#include <string>
#include <utility>
#include <vector>

namespace ergon::small_programs {

inline const CostClass Flops = of(CostClass::Flops, FloatType::F64);
inline const Expr N = Expr::symbol("n"), I = Expr::symbol("i"), J = Expr::symbol("j");

/// \p Amount flops, \p Runs times.
inline Block work(const Expr &Amount, const Expr &Runs = 1) {
  Block Result{.Runs = Runs};
  Result.PerRun.add(Flops, Amount);
  return Result;
}

/// \p Runs calls of \p Callee with n = \p Argument.
inline Block calls(const std::string &Callee, const Expr &Argument, const Expr &Runs = 1) {
  return {.Runs = Runs, .Calls = {{Callee, false, {Argument}, {"a.c", 3, 4}}}};
}

/// \p Variable from 0 to \p Trips - 1; a negative number of trips is none.
inline Loop loop(const std::string &Variable, const Expr &Trips, std::vector<Block> Blocks,
                 std::vector<Loop> Loops = {}) {
  return {Variable,     {"a.c", 2, 3},     isNonNegative(Trips - 1), Trips - 1,
          Known::Exact, std::move(Blocks), std::move(Loops)};
}

/// \p Name (int n)
inline Function function(const std::string &Name, std::vector<Block> Blocks,
                         std::vector<Loop> Loops = {}) {
  Function Result;
  Result.Name = Result.Demangled = Name;
  Result.Snapshot = "algorithm";
  Result.Location = {"a.c", 1, 1};
  Result.Parameters = {{"n", "i32"}};
  Result.Body = {"", {}, 1, 0, Known::Exact, std::move(Blocks), std::move(Loops)};
  return Result;
}

} // namespace ergon::small_programs
