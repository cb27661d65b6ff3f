//===- Launches.h - kernel launches in host code ----------------*- C++ -*-===//
//
// Clang's code for `kernel<<<grid, block, shared, stream>>>(arguments)`, and runtime calls that
// launch: the kernel's name, the launch dimensions and the kernel's arguments, as expressions of
// the launching function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "passes/ir/Probe.h"
#include "passes/symbolic/StoredValues.h"

#include <string>

namespace ergon {

struct AnalysisContext;

/// A launch and the location of its arguments.
struct Launch {
  Call Site;
  /// Of the kernel's arguments; null where unknown.
  std::vector<llvm::Value *> Addresses;
  /// The call that reads them.
  const CallBase *ArgumentsAt = nullptr;
};

class Launches {
public:
  explicit Launches(AnalysisContext &Context) : Context(Context) {}

  /// The launches of \p Site, a call of a launch function, in \p Scope: one, or those of a graph's
  /// nodes. A launch that cannot be followed has no shape.
  std::vector<Launch> launches(const CallBase &Site, const llvm::Loop *Scope);

  /// The kernel that \p Site, a call of a launch function, launches, without its shape; nothing
  /// where the kernel or an argument is unknown.
  std::optional<Launch> kernelAt(const CallBase &Site) const;

  /// The shape that `<<<…>>>` passes to a call of clang's stub for a kernel; nothing where \p Site
  /// is no such call.
  std::optional<LaunchShape> stubShape(const CallBase &Site, const llvm::Loop *Scope);

private:
  AnalysisContext &Context;

  const CallBase *pushFor(const CallBase &Site) const;
  bool isPopped(const llvm::Value &Dimension) const;
  bool isWideNumber(const llvm::Value &Leaf) const;
  LaunchShape shape(const CallBase &Site, unsigned FirstOperand, unsigned SharedOperand,
                    const llvm::Loop *Scope);
  std::array<Expr, 3> extent(const CallBase &Site, unsigned FirstOperand, const char *Name,
                             const llvm::Loop *Scope);
  std::optional<Expr> number(llvm::Value &V, const llvm::Loop *Scope);
  std::optional<Expr> half(llvm::Value &Packed, bool High, const llvm::Loop *Scope);
  std::optional<Expr> otherHalf(llvm::Value &Packed, bool High, const llvm::Loop *Scope);
  std::array<Expr, 3> named(const std::array<std::optional<Expr>, 3> &Found,
                            const std::array<Probe, 3> &Counted, const CallBase &Site,
                            const char *Name);
  Expr sharedBytes(const std::optional<Expr> &Found, const CallBase &Site);
  std::optional<Expr> field(const StoredValues::Contents &Object, long Offset,
                            const llvm::Loop *Scope);
  LaunchShape shapeIn(const StoredValues::Contents &Object, long Grid, long Block, long Shared,
                      const CallBase &Site, const llvm::Loop *Scope);
  Launch kernelLaunch(const CallBase &Site, const llvm::Loop *Scope);
  std::optional<std::vector<Launch>> graphLaunch(const CallBase &Site);
};

} // namespace ergon
