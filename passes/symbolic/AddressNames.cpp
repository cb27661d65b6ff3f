//===- AddressNames.cpp - symbols of addresses ----------------------------===//

#include "passes/symbolic/SourceNames.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <set>

namespace ergon {

Expr SourceNames::freshAddress(const Address &What) {
  std::string Name = unique("&");
  AddressSymbols[Name] = What;
  return Expr::symbol(std::move(Name));
}

/// Of memory that `malloc` and `new` give: by the ABIs of hosts, that of two pointers.
static unsigned allocationAlignment(const llvm::DataLayout &Layout) {
  return 2 * Layout.getPointerSize();
}

unsigned SourceNames::alignmentOf(const llvm::Value &Pointer) const {
  const llvm::DataLayout &Layout = F.getDataLayout();
  const unsigned Known = unsigned(Pointer.getPointerAlignment(Layout).value());
  if (llvm::isAllocationFn(&Pointer, &TLI))
    return std::max(Known, allocationAlignment(Layout));
  const bool IsOrigin = isa<llvm::Argument, llvm::LoadInst, CallBase>(Pointer);
  return IsOrigin && Known < allocationAlignment(Layout) ? 0 : Known;
}

Expr SourceNames::address(const llvm::Value &Value) {
  auto [Found, New] = ValueAddresses.try_emplace(&Value);
  if (New)
    Found->second = freshAddress(
        {llvm::isKnownNonZero(&Value, llvm::SimplifyQuery(F.getDataLayout())), alignmentOf(Value)});
  return Found->second;
}

Expr SourceNames::withAlignedAddresses(const Expr &Value, bool &IsAssumed) {
  Substitution Multiples;
  auto Add = [&](const std::string &Symbol, unsigned Align) {
    IsAssumed |= Align == 0;
    const unsigned Factor = Align == 0 ? allocationAlignment(F.getDataLayout()) : Align;
    Multiples.emplace(Symbol, Expr(long(Factor)) * Expr::symbol(Symbol));
  };
  std::set<std::string> Symbols;
  Value.collectSymbols(Symbols);
  for (const std::string &Symbol : Symbols)
    if (auto Found = addressNamed(Symbol))
      Add(Symbol, Found->Align);
  for (const llvm::Argument &A : F.args())
    if (A.getType()->isPointerTy())
      if (const Atom *Name = parameter(A).asAtom(); Name && Symbols.contains(Name->Name))
        Add(Name->Name, alignmentOf(A));
  return Value.substitute(Multiples);
}

bool SourceNames::hasAddress(const Expr &Value) const {
  return !AddressSymbols.empty() && Value.hasSymbol([&](const std::string &Symbol) {
    return AddressSymbols.contains(Symbol);
  });
}

std::optional<std::string> SourceNames::objectAddress(const Expr &Value) const {
  std::set<std::string> Symbols;
  Value.collectSymbols(Symbols);
  std::erase_if(Symbols,
                [&](const std::string &Symbol) { return !AddressSymbols.contains(Symbol); });
  if (Symbols.size() != 1 || !addressNamed(*Symbols.begin())->IsNeverNull)
    return std::nullopt;
  return *Symbols.begin();
}

/// A load of the pointer \p Behind bytes before that of \p Last, in the same block with no write
/// between them: both are of one array.
static const llvm::LoadInst *loadOfStart(const llvm::LoadInst &Last, long Behind) {
  auto PlaceOf = [](const llvm::LoadInst &Load) {
    const llvm::DataLayout &Layout = Load.getDataLayout();
    llvm::APInt Offset(Layout.getIndexTypeSizeInBits(Load.getPointerOperandType()), 0);
    const llvm::Value *Base = Load.getPointerOperand()->stripAndAccumulateConstantOffsets(
        Layout, Offset, /*AllowNonInbounds=*/true);
    return std::pair(Base, Offset.getSExtValue());
  };
  const auto [Base, Offset] = PlaceOf(Last);
  const std::pair Wanted(Base, Offset - Behind);
  const llvm::LoadInst *Start = nullptr; // since the last write
  bool IsAfter = false;
  for (const Instruction &I : *Last.getParent()) {
    IsAfter |= &I == &Last;
    if (auto *Load = dyn_cast<llvm::LoadInst>(&I);
        Load && Load->getType()->isPointerTy() && PlaceOf(*Load) == Wanted)
      Start = Load;
    else if (I.mayWriteToMemory() && !I.isLifetimeStartOrEnd() && !IsAfter)
      Start = nullptr;
    if (IsAfter && (Start || (I.mayWriteToMemory() && !I.isLifetimeStartOrEnd())))
      return Start;
  }
  return nullptr;
}

Probe distanceProbe(const llvm::LoadInst *Last, long Behind, unsigned Bytes) {
  const llvm::LoadInst *Start = Last ? loadOfStart(*Last, Behind) : nullptr;
  if (!Start)
    return {};
  return {.Value = Last,
          .Point = Start->comesBefore(Last) ? Last : Start,
          .Start = Start,
          .ElementBytes = Bytes};
}

} // namespace ergon
