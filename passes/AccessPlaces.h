//===- AccessPlaces.h - which object an access goes to ----------*- C++ -*-===//
//
// The object that a pointer leads into and how far, as formulas: objects are
// parameters, globals, local variables, and what pointers in memory lead to.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_ACCESSPLACES_H
#define ERGON_PASSES_ACCESSPLACES_H

#include "passes/AddressSpaces.h"
#include "passes/ScevToExpr.h"

namespace llvm {
class Loop;
class LoopInfo;
} // namespace llvm

namespace ergon {

class AccessPlaces {
public:
  AccessPlaces(llvm::Function &F, llvm::ScalarEvolution &SE, const llvm::LoopInfo &LI,
               StoredValues &Memory, ScevToExpr &Translate, SourceNames &Names)
      : F(F), SE(SE), LI(LI), Memory(Memory), Translate(Translate), Names(Names) {}

  /// Where a pointer leads, as Access has it. What is not known is left out.
  struct Aim {
    std::string Base{};
    std::optional<Expr> Offset{}, Row{};

    void putInto(Access &Of) && {
      Of.Base = std::move(Base);
      Of.Offset = std::move(Offset);
      Of.Row = std::move(Row);
    }
  };
  Aim aimOf(const llvm::Value &Pointer, const llvm::Loop *Scope);

  /// What \p I accesses, and the share of its runs that go there: of pointers that take
  /// turns an access for each turn. Nothing where it accesses no memory by itself.
  std::optional<std::vector<std::pair<Expr, Access>>> accessOf(const llvm::Instruction &I,
                                                               const llvm::Loop *Scope);

  /// Of the objects so far, those of known size.
  const std::vector<SizedObject> &sizedObjects() const { return Sized; }

private:
  llvm::Function &F;
  llvm::ScalarEvolution &SE;
  const llvm::LoopInfo &LI;
  StoredValues &Memory;
  ScevToExpr &Translate;
  SourceNames &Names;
  std::vector<SizedObject> Sized;
  llvm::StringSet<> SizedNames;                           ///< of those
  llvm::DenseMap<const llvm::Value *, std::string> Named; ///< objects that nameOf() was asked for
  llvm::DenseMap<const llvm::Value *, unsigned> Unnamed;  ///< objects, numbered
  llvm::DenseMap<const llvm::SCEV *, unsigned> Starts;    ///< places, numbered

  bool isFixed(const llvm::Value &Pointer) const;
  Aim pointedTo(const llvm::LoadInst &Pointer, const llvm::Loop *Scope);
  Aim newlyPointedTo(const llvm::LoadInst &Pointer, const llvm::Loop *Scope);
  /// What pointedTo() was asked for: each pointer of a list hangs on the one before.
  llvm::DenseMap<std::pair<const llvm::LoadInst *, const llvm::Loop *>, Aim> Pointed;
  std::string nameOf(const llvm::Value &Object);
  std::string newNameOf(const llvm::Value &Object);
  bool goesOn(const llvm::SCEVAddRecExpr &Run);
  std::optional<UnknownStart> startOf(const llvm::SCEV *Address, const llvm::Loop *Scope);
  std::optional<Expr> offsetOf(const llvm::SCEV *Address, const llvm::Loop *Scope);
};

} // namespace ergon

#endif
