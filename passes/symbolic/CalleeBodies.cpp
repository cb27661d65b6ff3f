//===- CalleeBodies.cpp - what calls leave in memory ----------------------===//

#include "passes/ir/AnalysisManagers.h"
#include "passes/symbolic/AnalysisContext.h"
#include "passes/symbolic/CalleeValues.h"

#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <set>

namespace ergon {

/// Bodies under inspection. Their analyses are apart from the pipeline's, which must not depend on
/// Ergon's questions.
struct CalleeValues::Bodies : AnalysisManagers {
  std::map<const llvm::Function *, std::unique_ptr<AnalysisContext>> Contexts;
};

CalleeValues::CalleeValues() = default;
CalleeValues::~CalleeValues() = default;

void CalleeValues::forget(llvm::Function &F) {
  if (!Open)
    return;
  Open->Contexts.erase(&F);
  Open->FAM.clear(F, F.getName());
  if (Open->Contexts.size() > MaxBodies)
    Open.reset();
}

bool CalleeValues::hasBody(const llvm::Function *F) {
  return F && !F->isDeclaration() && !F->isInterposable();
}

AnalysisContext *CalleeValues::open(const llvm::Function &F) {
  if (!Open)
    Open = std::make_unique<Bodies>();
  auto [Found, IsNew] = Open->Contexts.try_emplace(&F);
  const unsigned Size = IsNew ? F.getInstructionCount() : 0;
  if (IsNew && Size <= MaxInstructions && Size <= InstructionsLeft) {
    InstructionsLeft -= Size;
    Found->second = std::make_unique<AnalysisContext>(const_cast<llvm::Function &>(F), Open->FAM,
                                                      "algorithm", this);
  }
  return Found->second.get();
}

/// \p Value with the meanings of its symbols; nothing where one has none for a caller.
std::optional<CalleeValues::Effect> CalleeValues::explained(Expr Value, AnalysisContext &Context) {
  std::set<std::string> Symbols;
  Value.collectSymbols(Symbols);
  Effect Result{false, std::move(Value), {}};
  for (const std::string &Symbol : Symbols) {
    Meaning Means;
    auto Formal = llvm::find_if(Context.F.args(), [&](const llvm::Argument &A) {
      return Context.Names.parameter(A) == Expr::symbol(Symbol);
    });
    if (auto Cell = Context.Names.memoryNamed(Symbol))
      Means = {Cell->Where.Base, Cell->Where.Path, Cell->Bytes, Cell->Behind, {}, Cell->IsReal};
    else if (Formal != Context.F.arg_end())
      Means = {&*Formal, {}, 0, 0, {}};
    else if (auto Address = Context.Names.addressNamed(Symbol))
      Means.Object = *Address;
    else
      return std::nullopt;
    Result.Symbols.emplace(Symbol, std::move(Means));
  }
  return Result;
}

/// What is the same wherever \p F returns.
std::optional<CalleeValues::Effect> CalleeValues::atReturns(
    const llvm::Function &F,
    function_ref<std::optional<Effect>(AnalysisContext &, const BasicBlock &)> Ask) {
  AnalysisContext *Context = Depth == MaxDepth ? nullptr : open(F);
  if (!Context)
    return std::nullopt;
  llvm::SaveAndRestore<unsigned> Deeper(Depth, Depth + 1);
  std::optional<Effect> Result;
  for (const BasicBlock &B : F)
    if (isa<llvm::ReturnInst>(B.getTerminator())) {
      auto Here = Ask(*Context, B);
      if (!Here ||
          (Result && (Result->IsUnchanged != Here->IsUnchanged || Result->Value != Here->Value)))
        return std::nullopt;
      Result = std::move(Here);
    }
  return Result;
}

const std::optional<CalleeValues::Effect> &CalleeValues::after(const llvm::Function &F,
                                                               const Place &Where) {
  auto [Found, IsNew] = Known.try_emplace(Key{&F, Where.Where.Base, Where.Where.Path, Where.Bytes,
                                              Where.IsReal}); // unknown where it calls itself
  if (IsNew)
    Found->second =
        atReturns(F, [&](AnalysisContext &In, const BasicBlock &Last) -> std::optional<Effect> {
          const llvm::MemoryAccess *End = In.Memory.atEnd(Last);
          if (!End)
            return std::nullopt;
          if (In.Memory.originOf(Where, End).What == StoredValues::Origin::Kind::Entry)
            return Effect{.IsUnchanged = true};
          auto Value = In.Translate.valueAt(Where, End, nullptr);
          return Value ? explained(std::move(*Value), In) : std::nullopt;
        });
  return Found->second;
}

const std::optional<CalleeValues::Effect> &CalleeValues::returned(const llvm::Function &F,
                                                                  ArrayRef<unsigned> Index) {
  auto [Found, IsNew] =
      Known.try_emplace(Key{&F, nullptr, std::vector<long>(Index.begin(), Index.end()), 0, false});
  if (IsNew)
    Found->second =
        atReturns(F, [&](AnalysisContext &In, const BasicBlock &Last) -> std::optional<Effect> {
          llvm::Value *Part = llvm::FindInsertedValue(
              cast<llvm::ReturnInst>(Last.getTerminator())->getReturnValue(), Index);
          auto Value = !Part ? std::nullopt
                       : Part->getType()->isFloatingPointTy()
                           ? In.Translate.realNumber(Part, nullptr)
                           : In.Translate.translateAddress(Part, nullptr);
          return Value ? explained(std::move(*Value), In) : std::nullopt;
        });
  return Found->second;
}

/// The path of \p Pointer from a parameter, whatever has been stored on the way.
static std::optional<AccessPath> formalPath(const llvm::Value &Pointer, unsigned Depth = 0) {
  const llvm::DataLayout *Layout = nullptr;
  if (auto *I = dyn_cast<Instruction>(&Pointer))
    Layout = &I->getDataLayout();
  else if (!isa<llvm::Argument>(Pointer))
    return std::nullopt;
  llvm::APInt Offset(64, 0);
  const llvm::Value *Base =
      Layout ? Pointer.stripAndAccumulateConstantOffsets(*Layout, Offset, true) : &Pointer;
  if (Offset.getSignificantBits() > 48)
    return std::nullopt;
  const long Bytes = long(Offset.getSExtValue());
  if (isa<llvm::Argument>(Base))
    return AccessPath{Base, {Bytes}};
  if (auto *Phi = dyn_cast<llvm::PHINode>(Base); Phi && Depth < 3) { // one way is enough to ask
    auto First = formalPath(*Phi->getIncomingValue(0), Depth + 1);
    if (First)
      First->Path.back() += Bytes;
    return First;
  }
  auto *Load = dyn_cast<llvm::LoadInst>(Base);
  auto Through =
      Load && Depth < 3 ? formalPath(*Load->getPointerOperand(), Depth + 1) : std::nullopt;
  if (Through)
    Through->Path.push_back(Bytes);
  return Through;
}

const std::vector<Place> &CalleeValues::reads(const llvm::Function &F) {
  auto [Found, IsNew] = Read.try_emplace(&F);
  if (!IsNew || !hasBody(&F))
    return Found->second;
  std::vector<Place> All;
  auto Add = [&](Place New) {
    if (All.size() < MaxReads && std::ranges::none_of(All, [&](const Place &P) {
          return P.Where == New.Where && P.Bytes == New.Bytes && P.IsPointer == New.IsPointer;
        }))
      All.push_back(std::move(New));
  };
  for (const Instruction &I : llvm::instructions(F)) {
    if (auto *Load = dyn_cast<llvm::LoadInst>(&I)) {
      llvm::Type *Type = Load->getType();
      auto Where = Type->isIntOrPtrTy() ? formalPath(*Load->getPointerOperand()) : std::nullopt;
      if (Where)
        Add({.Where = *Where,
             .Bytes = unsigned(Load->getDataLayout().getTypeStoreSize(Type)),
             .IsPointer = Type->isPointerTy(),
             .Tags = Load->getAAMetadata()});
    } else if (auto *Site = dyn_cast<CallBase>(&I); Site && hasBody(Site->getCalledFunction())) {
      const std::vector<Place> Inner = reads(*Site->getCalledFunction());
      for (Place P : Inner) {
        auto *Formal = cast<llvm::Argument>(P.Where.Base);
        auto Actual = formalPath(*Site->getArgOperand(Formal->getArgNo()));
        if (!Actual || Actual->Path.size() + P.Where.Path.size() > 5)
          continue;
        Actual->Path.back() += P.Where.Path.front();
        Actual->Path.insert(Actual->Path.end(), P.Where.Path.begin() + 1, P.Where.Path.end());
        P.Where = std::move(*Actual);
        Add(std::move(P));
      }
    }
  }
  return Read[&F] = std::move(All);
}

} // namespace ergon
