//===- LoopTreeCalls.cpp - calls, launches and copies of blocks -----------===//

#include "passes/access/CallOrigins.h"
#include "passes/access/PointerCalls.h"
#include "passes/analysis/LoopTree.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/opcodes/PtxCounts.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace ergon {

/// memcpy, memmove, memset: the bytes are the length operand.
void LoopTreeBuilder::addMemoryCall(const llvm::AnyMemIntrinsic &Site, const Region &R,
                                    Block &Target) {
  addAt(Site, Context.F, CostClass::Calls, Expr(1), Target);
  auto Length = Context.Translate.translate(Site.getLength(), R.Loop);
  if (!Length || (Cycle && !Length->constant()))
    Length =
        Context.Names.unknown("value", nearestLocation(Site), "bytes that are copied or set here",
                              Probe{.Value = Site.getLength(), .Point = &Site});
  // A run counts bytes as runs of one byte.
  const bool IsCounted = Counted && !Cycle && !Length->constant();
  if (IsCounted)
    Copied.push_back({.Runs = Target.Runs * *Length,
                      .Counted = addPlace({.Value = Site.getLength(), .Point = &Site})});
  static constexpr unsigned PieceBytes = 16; // counts do not depend on it
  auto Add = [&](const llvm::Value &Pointer, Access::Kind What) {
    Pointee To = pointeeOf(Pointer, Context.F, Context.LI);
    addAt(Site, Context.F,
          of(What == Access::Kind::Load ? CostClass::LoadBytes : CostClass::StoreBytes, To.Where),
          IsCounted ? Expr(1) : *Length, IsCounted ? Copied.back() : Target);
    auto [Base, Offset, Row] = Targets.aimOf(Pointer, R.Loop);
    Target.Accesses.push_back({.What = What,
                               .Where = To.Where,
                               .Bytes = PieceBytes,
                               .Base = std::move(Base),
                               .Offset = std::move(Offset),
                               .Order = Order,
                               .Length = Length,
                               .Row = std::move(Row)});
    setPosition(Target.Accesses.back(), nearestLocation(Site), Context.F);
  };
  if (auto *Copy = dyn_cast<llvm::AnyMemTransferInst>(&Site))
    Add(*Copy->getRawSource(), Access::Kind::Load);
  Add(*Site.getRawDest(), Access::Kind::Store);
  ++Order; // one number for both, as they alternate
}

/// Instructions of inline assembly that run only where a predicate holds.
void LoopTreeBuilder::addPredicated(const CallBase &Site, Block &Target) {
  PtxCounts Counts = ptxCounts(Site);
  std::map<std::string, Expr> Shares;
  for (const auto &[Predicate, Counted] : Counts.Predicated) {
    bool Negated = Predicate.starts_with('!');
    std::string Name = Predicate.substr(Negated ? 1 : 0);
    auto [Share, New] = Shares.try_emplace(Name);
    if (auto Lanes = Counts.Lanes.find(Name); New && Lanes != Counts.Lanes.end())
      Share->second = isInLanes(Lanes->second);
    else if (New)
      Share->second = Context.Names.unknown("taken", nearestLocation(Site),
                                            "share of its runs in which the predicate " + Name +
                                                " of the inline assembly holds",
                                            Probe{});
    Expr Runs = Negated ? Expr(1) - Share->second : Share->second;
    for (const auto &[Class, Times] : Counted)
      addAt(Site, Context.F, Class, Runs * Expr(Times), Target);
  }
}

std::vector<std::optional<Expr>> LoopTreeBuilder::argumentsOf(const CallBase &Site,
                                                              const Region &R) {
  std::vector<std::optional<Expr>> Result;
  for (const llvm::Use &Argument : Site.args()) {
    llvm::Type *Type = Argument->getType();
    Result.push_back(Type->isIntegerTy()         ? valueOf(*Argument, Site, R)
                     : Type->isFloatingPointTy() ? Context.Translate.realNumber(Argument, R.Loop)
                                                 : std::nullopt);
  }
  return Result;
}

/// An integer argument of \p Site. An unknown one gets a symbol if the callee's counts may depend
/// on it: one for all of its calls.
std::optional<Expr> LoopTreeBuilder::valueOf(llvm::Value &Passed, const CallBase &Site,
                                             const Region &R) {
  llvm::LibFunc Which;
  const llvm::Function *Callee = Site.getCalledFunction();
  bool IsFree = !calledName(Site) ||
                (Callee && (Callee->isIntrinsic() || Context.TLI.getLibFunc(*Callee, Which)));
  if (Cycle && !isa<llvm::Constant>(Passed))
    return IsFree || Cycle->contains(Callee)
               ? std::nullopt
               : std::optional(Context.Names.unknown(
                     "value", nearestLocation(Site),
                     "mean of an argument, in all calls of a function that calls itself",
                     Probe{.Value = &Passed, .Point = &Site}));
  return IsFree || Passed.getType()->isIntegerTy(1)
             ? Context.Translate.translate(&Passed, R.Loop)
             : Context.Translate.translateOrName(&Passed, R.Loop);
}

/// The known contents of the target of \p Actual, an argument of \p Site. \p Value: the integer
/// there, or the name of a library's own object.
std::optional<PassedObject> LoopTreeBuilder::objectOf(const llvm::Value &Actual,
                                                      const CallBase &Site, unsigned Number,
                                                      const Region &R, std::optional<Expr> &Value) {
  PassedObject To{Number, {}, {}};
  StoredValues::Contents Held = Context.Memory.contentsOf(Actual, Site);
  for (const StoredValues::Contents::Item &Item : Held.Stored) {
    bool IsInteger = Item.Value && Item.Value->getType()->isIntegerTy();
    bool IsAddress = Item.Value && Item.Value->getType()->isPointerTy();
    bool IsReal = Item.Value && Item.Value->getType()->isFloatingPointTy();
    if (auto Where = IsInteger && Item.Bytes == 8
                         ? Context.Names.fieldsIn(*Item.Value, Context.Memory)
                         : std::nullopt)
      for (long Part : {0, 4}) {
        To.Stored.push_back({Item.Offset + Part, 4, Context.Names.cell(*Where, 4), false});
        Where->Path.back() += 4;
      }
    To.Stored.push_back({Item.Offset,
                         Item.Bytes,
                         IsInteger   ? valueOf(*Item.Value, Site, R)
                         : IsAddress ? Context.Translate.translateAddress(Item.Value, R.Loop)
                         : IsReal    ? Context.Translate.realNumber(Item.Value, R.Loop)
                                     : std::nullopt,
                         IsAddress,
                         {},
                         IsReal,
                         Item.After});
    if (Item.Offset == 0 && IsInteger && Item.After.empty())
      Value = To.Stored.back().Value;
  }
  if (Held.Entry) {
    if (To.Stored.empty())
      Value = Context.Names.integerAt(*Held.Entry);
    To.From = {std::nullopt, Held.Entry->Path, Context.Names.object(*Held.Entry), Held.After};
    if (auto *Own = dyn_cast<llvm::Argument>(Held.Entry->Base))
      To.From->Parameter = Own->getArgNo();
  }
  auto *Global = dyn_cast<llvm::GlobalVariable>(Actual.stripPointerCasts());
  if (!Value && Global && Global->isDeclaration())
    Value = Expr::symbol("&" + Global->getName().str());
  if (To.Stored.empty() && !To.From)
    return std::nullopt;
  return To;
}

/// What the callee of \p Site may read of objects that a call or another pointer filled: values
/// that are not among what the function itself has stored.
void LoopTreeBuilder::addFilled(const CallBase &Site, const Region &R,
                                std::vector<PassedObject> &Objects) {
  const llvm::Function *Callee = Site.getCalledFunction();
  if (!Context.Callees || !CalleeValues::hasBody(Callee))
    return;
  const llvm::MemoryAccess *Before = Context.Memory.before(Site);
  for (const Place &Read : Context.Callees->reads(*Callee)) {
    const unsigned Number = cast<llvm::Argument>(Read.Where.Base)->getArgNo();
    auto Where = Context.Translate.placeOf(*Site.getArgOperand(Number), Read, Before);
    // What nobody wrote is reached by its origin, in the pieces that the callee has names for.
    if (Where &&
        Context.Memory.originOf(*Where, Before).What == StoredValues::Origin::Kind::Entry &&
        llvm::any_of(Objects, [&](const PassedObject &Known) {
          return Known.Argument == Number && Known.From;
        }))
      continue;
    auto Value = Where ? Context.Translate.valueAt(*Where, Before, R.Loop) : std::nullopt;
    if (!Value || (!Read.IsPointer && Context.Names.hasAddress(*Value)))
      continue;
    auto To = std::ranges::find(Objects, Number, &PassedObject::Argument);
    if (To == Objects.end())
      To = Objects.insert(To, PassedObject{Number, {}, {}});
    const std::vector<std::int64_t> Through{Read.Where.Path.begin(), Read.Where.Path.end() - 1};
    auto Item = std::ranges::find_if(To->Stored, [&](const PassedObject::Item &Known) {
      return Known.Through == Through && Known.Offset == Read.Where.Path.back() &&
             Known.Bytes == Read.Bytes;
    });
    if (Item == To->Stored.end())
      Item = To->Stored.insert(
          Item, {Read.Where.Path.back(), Read.Bytes, std::nullopt, Read.IsPointer, Through});
    if (!Item->Value)
      *Item = {Item->Offset, Item->Bytes, std::move(Value), Read.IsPointer, Through};
  }
}

/// Values that the function stored in globals, for callees that read them.
void LoopTreeBuilder::addGlobals(const CallBase &Site, const Region &R,
                                 std::map<std::string, Expr> &Values) {
  llvm::LibFunc Which;
  const llvm::Function *Callee = Site.getCalledFunction();
  if (Callee && (Callee->isIntrinsic() || Context.TLI.getLibFunc(*Callee, Which)))
    return;
  for (const StoredValues::Global &Stored : Context.Memory.globalsAt(Site))
    if (auto Value = Context.Translate.translateOrName(Stored.Value, R.Loop))
      Values.insert_or_assign(Context.Names.nameOf(Stored.Where, Stored.Bytes), std::move(*Value));
}

/// The targets of pointer arguments.
void LoopTreeBuilder::addPointers(const CallBase &Site, const Region &R, Call &Result) {
  for (const llvm::Use &Argument : Site.args()) {
    if (!Argument->getType()->isPointerTy())
      continue;
    Pointee To = pointeeOf(*Argument, Context.F, Context.LI);
    bool IsParameter = To.Object && isa<llvm::Argument>(To.Object);
    for (auto &[Share, Target] : Targets.aimsOf(*Argument, R.Loop)) {
      if (Context.IsDevice && Target.Row)
        Target = {}; // the start of several rows is not one address
      if (To.Where == Space::Generic ? IsParameter : Context.IsDevice || !Target.Base.empty())
        Result.Pointers.push_back({.Argument = Site.getArgOperandNo(&Argument),
                                   .Where = To.Where,
                                   .Base = std::move(Target.Base),
                                   .Offset = std::move(Target.Offset),
                                   .Row = std::move(Target.Row),
                                   .When = Share == Expr(1) ? std::nullopt : std::optional(Share)});
    }
  }
}

/// The kernels that \p Site, a call of a launch function, launches.
void LoopTreeBuilder::addLaunches(const CallBase &Site, const Region &R, Block &Target) {
  for (Launch &Started : Launcher.launches(Site, R.Loop)) {
    for (unsigned I = 0; I != Started.Addresses.size(); ++I) {
      std::optional<Expr> &Value = Started.Site.Arguments.emplace_back();
      if (llvm::Value *Address = Started.Addresses[I])
        if (auto Object = objectOf(*Address, *Started.ArgumentsAt, I, R, Value))
          Started.Site.Objects.push_back(std::move(*Object));
    }
    Target.Calls.push_back(std::move(Started.Site));
  }
}

/// The member of a facet of std::locale whose code \p Site is, as std::endl has it: it calls a
/// virtual function of its own, which programs do not replace. Empty for any other code.
static StringRef facetOf(const CallBase &Site) {
  const llvm::DILocation *Where = Site.isIndirectCall() ? Site.getDebugLoc().get() : nullptr;
  const llvm::DISubprogram *Own = Where ? Where->getScope()->getSubprogram() : nullptr;
  const StringRef Name = Own ? Own->getLinkageName() : "";
  return Name.starts_with("_ZNKSt5ctypeI") ? Name : "";
}

void LoopTreeBuilder::addCall(const CallBase &Site, const Region &R, Block &Target) {
  ScevToExpr::Question Asks(Context.Translate, Site);
  if (Site.isInlineAsm() && Context.IsDevice)
    addPredicated(Site, Target);
  CallKind Kind = Opcodes.classify(Site);
  if (Kind == CallKind::None)
    return;
  if (Kind == CallKind::Memory)
    return addMemoryCall(cast<llvm::AnyMemIntrinsic>(Site), R, Target);
  if (Kind == CallKind::Launch)
    return addLaunches(Site, R, Target);
  Call Result;
  Result.Location = nearestLocation(Site);
  Result.Shape = Launcher.stubShape(Site, R.Loop);
  if (Site.isInlineAsm())
    Result.Callee = OperationCounts::openAssembly(Site);
  else if (const llvm::GlobalValue *Callee = calledName(Site))
    Result.Callee = Callee->getName().str();
  else
    Result.Callee = facetOf(Site).str();
  Result.Arguments = argumentsOf(Site, R);
  Result.Wrapping = Context.Translate.wrappingArguments(Site, Result.Arguments, R.Loop);
  if (Site.isIndirectCall() && Result.Callee.empty()) {
    Result.Symbol = Context.Names.nameCall(Site);
    if (Counted)
      Counted->Calls.push_back(
          {Result.Symbol, &Site, argumentsInMean(Site, Result.Arguments, R.Loop, Context.Names)});
  }
  // What a library does with its arguments is seldom linear in them.
  if (const llvm::Function *Callee = Site.getCalledFunction();
      Counted && Callee && Callee->isDeclaration())
    if (auto Varying = varyingArguments(Site); !Varying.empty()) {
      Result.Symbol = Context.Names.fresh("args", Result.Location);
      Counted->Calls.push_back({Result.Symbol, &Site, std::move(Varying)});
    }
  for (unsigned I = 0; I != Site.arg_size(); ++I)
    if (const CallBase *Maker = originOf(*Site.getArgOperand(I), Site, Context.DT, Context.TLI))
      Result.Origins.push_back(
          {I, Maker->getCalledFunction()->getName().str(), argumentsOf(*Maker, R)});
  for (unsigned I = 0; I != Site.arg_size(); ++I)
    if (Site.getArgOperand(I)->getType()->isPointerTy())
      if (auto Object = objectOf(*Site.getArgOperand(I), Site, I, R, Result.Arguments[I]))
        Result.Objects.push_back(std::move(*Object));
  addFilled(Site, R, Result.Objects);
  addPointers(Site, R, Result);
  Result.Result = Targets.resultOf(Site);
  if (!Context.IsDevice)
    addGlobals(Site, R, Result.Globals);
  Result.Value = Context.Names.callValueName(Site);
  Result.Order = Order++;
  Target.Calls.push_back(std::move(Result));
}

} // namespace ergon
