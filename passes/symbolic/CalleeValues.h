//===- CalleeValues.h - what calls leave in memory --------------*- C++ -*-===//
//
// C++ keeps sizes in objects that constructors and `resize` fill. Where these are not inlined, a
// caller loads what a call has stored. This class tells what a function of the module leaves at a
// place that its caller knows: a formula in the function's arguments and in what it found in
// memory, which the caller has to put its own values in for. Answers are computed on demand,
// through calls of any depth, on the function's own body.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/symbolic/Expr.h"
#include "passes/ir/LLVM.h"
#include "passes/symbolic/SourceNames.h"
#include "passes/symbolic/StoredValues.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ergon {

struct AnalysisContext;

/// Answers for the functions of one module, while passes change them one after the other.
class CalleeValues {
public:
  /// Opens no body yet.
  CalleeValues();
  ~CalleeValues();
  CalleeValues(const CalleeValues &) = delete;

  /// What a symbol of a callee's formula stands for.
  struct Meaning {
    /// A parameter, with its path empty, or the base of a cell; null: an object that is the
    /// callee's own, known by its address alone.
    const llvm::Value *Base = nullptr;
    std::vector<long> Path{};
    unsigned Bytes = 0;            ///< 0: the pointer there
    long Behind = 0;               ///< as for a cell
    SourceNames::Address Object{}; ///< without a base
    bool IsReal = false;           ///< of a cell: a floating-point number
  };
  /// What a function leaves somewhere.
  struct Effect {
    bool IsUnchanged = false; ///< what was there
    Expr Value{};             ///< else this
    std::map<std::string, Meaning> Symbols{};
  };
  /// What \p F leaves at \p Where, which begins with a parameter or a global. Nothing where that is
  /// not known.
  const std::optional<Effect> &after(const llvm::Function &F, const Place &Where);
  /// The scalar \p Index of the structure that \p F returns.
  const std::optional<Effect> &returned(const llvm::Function &F, ArrayRef<unsigned> Index);

  /// The places that \p F, or what it calls, may read of what its parameters lead to.
  const std::vector<Place> &reads(const llvm::Function &F);

  /// Forgets the body of \p F, which changes; answers stay.
  void forget(llvm::Function &F);
  /// Whether what \p F does is known here: null is not.
  static bool hasBody(const llvm::Function *F);

private:
  struct Bodies;
  std::unique_ptr<Bodies> Open;
  using Key =
      std::tuple<const llvm::Function *, const llvm::Value *, std::vector<long>, unsigned, bool>;
  std::map<Key, std::optional<Effect>> Known;
  llvm::DenseMap<const llvm::Function *, std::vector<Place>> Read;
  unsigned Depth = 0;

  /// Limits: bodies in memory; calls within calls; instructions of all inspected bodies; places of
  /// one function.
  static constexpr unsigned MaxBodies = 200, MaxDepth = 12, MaxInstructions = 5'000, MaxReads = 48;
  unsigned InstructionsLeft = 400'000;

  AnalysisContext *open(const llvm::Function &F);
  std::optional<Effect>
  atReturns(const llvm::Function &F,
            function_ref<std::optional<Effect>(AnalysisContext &, const BasicBlock &)> Ask);
  static std::optional<Effect> explained(Expr Value, AnalysisContext &Context);
};

} // namespace ergon
