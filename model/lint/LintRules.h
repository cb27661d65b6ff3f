//===- LintRules.h - shared by the files of lint rules ----------*- C++ -*-===//
#pragma once

#include "model/lint/BlockShapes.h"
#include "model/lint/Finding.h"
#include "model/program/CallFrames.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ergon {

/// A rule's remark on one position.
struct Remark {
  std::string_view Rule;
  std::string Message;
};

/// How many of the \p Stride bytes between two accesses of \p A are used by the accesses of \p L to
/// the same object, \p A among them.
double usedOf(double Stride, const Access &A, const Loop &L);

/// The total of something that happens \p E times per iteration of the innermost of the loops \p
/// Around, outermost first: in one call of \p F, for a kernel in all threads of a launch.
Expr timesInCall(Expr E, const Function &F, std::span<const Loop *const> Around);

/// Sectors and passes of a kernel's access in the first warp of a block. \p Around are the loops
/// around its block, outermost first, including the function's own code. \p Launched are the
/// kernel's launches: the worst one counts. Without any, blocks have 256 threads along x.
std::optional<Remark> remarkOnWarps(const Access &A, const Block &B,
                                    std::span<const Loop *const> Around,
                                    const std::set<BlockShape> &Launched);

/// Work of a kernel's block in a loop that part of the threads of a warp do in turns with others,
/// so that each waits for the other; nothing where they are neighbours. \p Around and \p Launched
/// as above; the first bit of \p Lanes is the first thread.
std::optional<Remark> remarkOnDivergence(const Block &B, std::span<const Loop *const> Around,
                                         const std::set<BlockShape> &Launched,
                                         std::uint32_t &Lanes);

/// A hint of passes/lint/TransferHints.h, if the kernels that it depends on only read; nothing for
/// other hints, or where that is unknown. \p Around as above.
std::optional<Remark> remarkOnTransfer(const Hint &Shown, const Function &F,
                                       const FunctionLookup &Find,
                                       std::span<const Loop *const> Around);

} // namespace ergon
