//===- EdgeCounters.h - shares that code counts -----------------*- C++ -*-===//
#pragma once

#include "passes/code/CodeSlice.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <vector>

namespace ergon {

/// The blocks of a function's code, with their numbers.
using CodeBlocks = llvm::MapVector<const BasicBlock *, unsigned>;

/// Where a function's code counts the edges of its shares. An edge between blocks has a block of
/// its own there.
class EdgeCounters {
public:
  struct Counted {
    StringRef Symbol; ///< of the slice
    unsigned Numerator, Denominator;
  };

  /// Places the shares of \p Slice whose edges are all seen: control goes along them in the code as
  /// often as in the function. New blocks are numbered after \p Blocks.
  void place(const CodeSlice &Slice, const CodeBlocks &Blocks);

  /// What is counted along an edge, in order.
  ArrayRef<Counted> at(const Edge &Along) const;
  /// The number of the edge's block; nothing where it has none.
  std::optional<unsigned> blockOf(const Edge &Along) const;
  /// Edges with a block, in the order of their numbers.
  const llvm::MapVector<Edge, unsigned> &blocks() const { return Own; }

private:
  llvm::MapVector<Edge, std::vector<Counted>> Places;
  llvm::MapVector<Edge, unsigned> Own;
};

} // namespace ergon
