//===- AddressNames.cpp - symbols of addresses ----------------------------===//

#include "passes/symbolic/SourceNames.h"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"

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

} // namespace ergon
