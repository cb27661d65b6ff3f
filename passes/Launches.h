//===- Launches.h - kernel launches in host code ----------------*- C++ -*-===//
//
// What clang makes of `kernel<<<grid, block, shared, stream>>>(arguments)`, and of
// calls of the runtime that launch: the kernel's name, the launch's dimensions and
// the kernel's arguments, as expressions of the function that launches.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_LAUNCHES_H
#define ERGON_PASSES_LAUNCHES_H

#include "model/Function.h"

#include <string>

namespace llvm {
class CallBase;
class DominatorTree;
class Function;
class Loop;
class ScalarEvolution;
class StringRef;
class Value;
} // namespace llvm

namespace ergon {

class ScevToExpr;
class SourceNames;

/// True for a function that launches a kernel that it is given.
bool isLaunchFunction(llvm::StringRef Name);

/// True where a call of \p Name returns 0 and nothing else unless the runtime
/// failed: counts are of runs in which it does not (docs/counting-rules.md).
bool returnsStatus(llvm::StringRef Name);

/// True for a function of the CUDA headers that only wraps a launch's parts or the
/// runtime's function of its name: dim3's constructors, cudaMalloc<T>.
bool isLaunchHelper(const llvm::Function &F);

class Launches {
public:
  Launches(const llvm::DominatorTree &DT, llvm::ScalarEvolution &SE, ScevToExpr &Translate,
           SourceNames &Names)
      : DT(DT), SE(SE), Translate(Translate), Names(Names) {}

  /// The launch that \p Site, a call of a launch function, is; in \p Scope.
  Call launch(const llvm::CallBase &Site, const llvm::Loop *Scope);

  /// The shape that `<<<…>>>` gives to a call of clang's stub for a kernel;
  /// nothing where \p Site is no such call.
  std::optional<LaunchShape> stubShape(const llvm::CallBase &Site, const llvm::Loop *Scope);

private:
  const llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  ScevToExpr &Translate;
  SourceNames &Names;

  const llvm::CallBase *pushFor(const llvm::CallBase &Site) const;
  bool isPopped(const llvm::Value &Dimension) const;
  LaunchShape shape(const llvm::CallBase &Site, unsigned FirstOperand, unsigned SharedOperand,
                    const llvm::Loop *Scope);
  std::array<Expr, 3> extent(const llvm::CallBase &Site, unsigned FirstOperand, const char *Name,
                             const llvm::Loop *Scope);
  std::optional<Expr> number(llvm::Value &Of, const llvm::Loop *Scope);
  std::optional<Expr> half(llvm::Value &Packed, bool High, const llvm::Loop *Scope);
  std::optional<Expr> otherHalf(llvm::Value &Packed, bool High, const llvm::Loop *Scope);
  std::vector<std::optional<Expr>> arguments(const llvm::CallBase &Site,
                                             const llvm::Value &Pointers, const llvm::Loop *Scope);
};

} // namespace ergon

#endif
