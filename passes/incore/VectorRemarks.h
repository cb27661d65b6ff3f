//===- VectorRemarks.h - why loops were not vectorized ----------*- C++ -*-===//
//
// The loop vectorizer gives its reasons in optimization remarks, which it makes only where a
// handler asks for them. Installs a diagnostic handler in front of the context's own while a module
// goes through the pipeline, and passes on every remark that was asked for without it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/ir/LLVM.h"

#include <map>
#include <string>
#include <tuple>

namespace ergon {

class VectorRemarks {
public:
  /// Starts listening; at most once.
  void begin(llvm::LLVMContext &C);
  /// Restores the context's handler.
  void end(llvm::LLVMContext &C);

  /// Adds a hint `not_vectorized`, with LLVM's message, to each loop in \p L, of \p F, that
  /// stayed scalar for a reason that the programmer can remove.
  void apply(const llvm::Function &F, Loop &L) const;

private:
  struct Listener;
  Listener *Heard = nullptr; ///< the context owns it
  /// By function, line and column of the loop.
  using LoopPosition = std::tuple<std::string, unsigned, unsigned>;
  std::map<LoopPosition, std::string> Reasons;
};

} // namespace ergon
