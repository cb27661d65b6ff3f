//===- CostAnalysis.cpp - what a function costs ---------------------------===//

#include "passes/analysis/CostAnalysis.h"
#include "model/program/Program.h"
#include "passes/access/AccessPlaces.h"
#include "passes/access/CallOrigins.h"
#include "passes/access/ConstantPool.h"
#include "passes/access/NeighbourAccesses.h"
#include "passes/access/PointerCalls.h"
#include "passes/analysis/BlockTally.h"
#include "passes/analysis/WrapChecks.h"
#include "passes/incore/InstructionMixes.h"
#include "passes/incore/MachineLoops.h"
#include "passes/ir/AddressSpaces.h"
#include "passes/ir/DeviceValues.h"
#include "passes/ir/FortranNames.h"
#include "passes/ir/OpenMPScaffold.h"
#include "passes/ir/PromotedAccesses.h"
#include "passes/lint/Hints.h"
#include "passes/lint/TransferHints.h"
#include "passes/opcodes/MaskedAccesses.h"
#include "passes/opcodes/OperationCosts.h"
#include "passes/opcodes/PtxCosts.h"
#include "passes/symbolic/Launches.h"
#include "passes/tripcount/ExecutionCounts.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace ergon {

using llvm::dyn_cast;

namespace {
/// Makes the model's loop tree from regions of basic blocks.
class LoopTreeBuilder {
public:
  LoopTreeBuilder(llvm::Function &F, const llvm::LoopInfo &LI, const llvm::DominatorTree &DT,
                  const llvm::TargetLibraryInfo &TLI, const OperationCosts &Costs,
                  const InstructionMixer &Mixer, const HintFinder &Hints, StoredValues &Memory,
                  ScevToExpr &Translate, SourceNames &Names, AccessPlaces &Places,
                  Launches &Launcher, llvm::StringRef Snapshot, ToCount *Counted)
      : F(F), LI(LI), DT(DT), TLI(TLI), Costs(Costs), Mixer(Mixer), Hints(Hints), Memory(Memory),
        Translate(Translate), Names(Names), Places(Places), Launcher(Launcher), Snapshot(Snapshot),
        Counted(Counted), Cycle(Counted ? Counted->Cycle : nullptr) {}

  Loop build(const Region &R);

private:
  llvm::Function &F;
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  const llvm::TargetLibraryInfo &TLI;
  const OperationCosts &Costs;
  const InstructionMixer &Mixer;
  const HintFinder &Hints;
  StoredValues &Memory;
  ScevToExpr &Translate;
  SourceNames &Names;
  AccessPlaces &Places;
  Launches &Launcher;
  llvm::StringRef Snapshot;
  ToCount *Counted;
  const llvm::DenseSet<const llvm::Function *> *Cycle; ///< as `ToCount` has it

  /// Operations of code that runs equally often, and those that it does at most.
  struct Tallies {
    BlockTally Counted, AtMost;
    /// Which accesses go to variables of unoptimized code, by their place in the frame.
    llvm::DenseMap<long, std::size_t> Promoted{};
  };
  /// Of the loop that is being built: how many accesses, calls and loops there were.
  unsigned Order = 0;
  /// Accesses that go to one object only some of the times that their block runs.
  std::vector<std::pair<Expr, Access>> Sometimes;

  void addBlock(const llvm::BasicBlock &B, const Region &R, Block &Into, Tallies &Sum);
  void addCall(const llvm::CallBase &Site, const Region &R, Block &Into);
  void addPromoted(const PromotedAccess &Of, Block &Into, Tallies &Sum);
  void addPredicated(const llvm::CallBase &Site, Block &Into);
  std::vector<std::optional<Expr>> argumentsOf(const llvm::CallBase &Site, const Region &R);
  void addGlobals(const llvm::CallBase &Site, const Region &R, std::map<std::string, Expr> &Into);
  std::optional<Expr> valueOf(llvm::Value &Passed, const llvm::CallBase &Site, const Region &R);
  std::optional<PassedObject> objectOf(const llvm::Value &Actual, const llvm::CallBase &Site,
                                       unsigned Number, const Region &R,
                                       std::optional<Expr> &Value);
  void addMemoryCall(const llvm::AnyMemIntrinsic &Site, const Region &R, Block &Into);
  void addPointers(const llvm::CallBase &Site, const Region &R, Call &Into);
};
} // namespace

/// memcpy, memmove, memset: the bytes are the length operand.
void LoopTreeBuilder::addMemoryCall(const llvm::AnyMemIntrinsic &Site, const Region &R,
                                    Block &Into) {
  addAt(Site, F, CostClass::Calls, Expr(1), Into);
  auto Length = Translate.translate(Site.getLength(), R.Of);
  if (!Length || (Cycle && !Length->constant()))
    Length = Names.unknown("value", nearestLocation(Site), "bytes that are copied or set here",
                           Probe{.Of = Site.getLength(), .At = &Site});
  static constexpr unsigned PieceBytes = 16; // no count rests on it
  auto Add = [&](const llvm::Value &Pointer, Access::Kind What) {
    Pointee To = pointeeOf(Pointer, F, LI);
    addAt(Site, F,
          of(What == Access::Kind::Load ? CostClass::LoadBytes : CostClass::StoreBytes, To.Where),
          *Length, Into);
    auto [Base, Offset, Row] = Places.aimOf(Pointer, R.Of);
    Into.Accesses.push_back({.What = What,
                             .Where = To.Where,
                             .Bytes = PieceBytes,
                             .Base = std::move(Base),
                             .Offset = std::move(Offset),
                             .Order = Order,
                             .Length = Length,
                             .Row = std::move(Row)});
    setPlace(Into.Accesses.back(), nearestLocation(Site), F);
  };
  if (auto *Copy = dyn_cast<llvm::AnyMemTransferInst>(&Site))
    Add(*Copy->getRawSource(), Access::Kind::Load);
  Add(*Site.getRawDest(), Access::Kind::Store);
  ++Order; // one place for both, as they take turns
}

/// Instructions of inline assembly that run only where a predicate holds.
void LoopTreeBuilder::addPredicated(const llvm::CallBase &Site, Block &Into) {
  PtxCost Cost = ptxCost(Site);
  std::map<std::string, Expr> Shares;
  for (const auto &[Predicate, Counted] : Cost.Under) {
    bool Negated = Predicate.starts_with('!');
    std::string Name = Predicate.substr(Negated ? 1 : 0);
    auto [Share, New] = Shares.try_emplace(Name);
    if (auto Lanes = Cost.Lanes.find(Name); New && Lanes != Cost.Lanes.end())
      Share->second = isInLanes(Lanes->second);
    else if (New)
      Share->second = Names.unknown("taken", nearestLocation(Site),
                                    "share of its runs in which the predicate " + Name +
                                        " of the inline assembly holds",
                                    Probe{});
    Expr Runs = Negated ? Expr(1) - Share->second : Share->second;
    for (const auto &[Class, Times] : Counted)
      addAt(Site, F, Class, Runs * Expr(Times), Into);
  }
}

std::vector<std::optional<Expr>> LoopTreeBuilder::argumentsOf(const llvm::CallBase &Site,
                                                              const Region &R) {
  std::vector<std::optional<Expr>> Result;
  for (const llvm::Use &Argument : Site.args())
    Result.push_back(Argument->getType()->isIntegerTy() ? valueOf(*Argument, Site, R)
                                                        : std::nullopt);
  return Result;
}

/// An integer that \p Site passes on. What is not known has a symbol where the callee may
/// have a cost that depends on it: one size for all calls that it goes to.
std::optional<Expr> LoopTreeBuilder::valueOf(llvm::Value &Passed, const llvm::CallBase &Site,
                                             const Region &R) {
  llvm::LibFunc Which;
  const llvm::Function *Callee = Site.getCalledFunction();
  bool IsFree =
      !calledName(Site) || (Callee && (Callee->isIntrinsic() || TLI.getLibFunc(*Callee, Which)));
  if (Cycle && !llvm::isa<llvm::Constant>(Passed))
    return IsFree || Cycle->contains(Callee)
               ? std::nullopt
               : std::optional(Names.unknown(
                     "value", nearestLocation(Site),
                     "mean of an argument, in all calls of a function that calls itself",
                     Probe{.Of = &Passed, .At = &Site}));
  return IsFree || Passed.getType()->isIntegerTy(1) ? Translate.translate(&Passed, R.Of)
                                                    : Translate.translateOrName(&Passed, R.Of);
}

/// What is known of the object that \p Actual, an argument of \p Site, points into.
/// \p Value: the integer there, or the name of a library's own object.
std::optional<PassedObject> LoopTreeBuilder::objectOf(const llvm::Value &Actual,
                                                      const llvm::CallBase &Site, unsigned Number,
                                                      const Region &R, std::optional<Expr> &Value) {
  PassedObject To{Number, {}, {}};
  StoredValues::Contents Held = Memory.contentsOf(Actual, Site);
  for (const StoredValues::Contents::Item &Each : Held.Stored) {
    bool IsInteger = Each.Value && Each.Value->getType()->isIntegerTy();
    bool IsAddress = Each.Value && Each.Value->getType()->isPointerTy();
    if (auto Where =
            IsInteger && Each.Bytes == 8 ? Names.fieldsIn(*Each.Value, Memory) : std::nullopt)
      for (long Part : {0, 4}) {
        To.Stored.push_back({Each.Offset + Part, 4, Names.cell(*Where, 4), false});
        Where->Path.back() += 4;
      }
    To.Stored.push_back({Each.Offset, Each.Bytes,
                         IsInteger   ? valueOf(*Each.Value, Site, R)
                         : IsAddress ? Translate.translateAddress(Each.Value, R.Of)
                                     : std::nullopt,
                         IsAddress});
    if (Each.Offset == 0 && IsInteger)
      Value = To.Stored.back().Value;
  }
  if (Held.Entry) {
    if (To.Stored.empty())
      Value = Names.integerAt(*Held.Entry);
    To.From = {std::nullopt, Held.Entry->Path, Names.object(*Held.Entry)};
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

/// What the function put into globals, for callees that read them.
void LoopTreeBuilder::addGlobals(const llvm::CallBase &Site, const Region &R,
                                 std::map<std::string, Expr> &Into) {
  llvm::LibFunc Which;
  const llvm::Function *Callee = Site.getCalledFunction();
  if (Callee && (Callee->isIntrinsic() || TLI.getLibFunc(*Callee, Which)))
    return;
  for (const StoredValues::Global &Each : Memory.globalsAt(Site))
    if (auto Value = Translate.translateOrName(Each.Value, R.Of))
      Into.insert_or_assign(Names.nameOf(Each.Where, Each.Bytes), std::move(*Value));
}

/// Where the pointers that a function is given point.
void LoopTreeBuilder::addPointers(const llvm::CallBase &Site, const Region &R, Call &Into) {
  for (const llvm::Use &Argument : Site.args()) {
    if (!Argument->getType()->isPointerTy())
      continue;
    Pointee To = pointeeOf(*Argument, F, LI);
    bool IsParameter = To.Object && llvm::isa<llvm::Argument>(To.Object);
    for (auto &[Share, Each] : Places.aimsOf(*Argument, R.Of)) {
      if (isDevice(*F.getParent()) && Each.Row)
        Each = {}; // where each of several rows starts is no one place
      if (To.Where == Space::Generic ? IsParameter : isDevice(*F.getParent()) || !Each.Base.empty())
        Into.Pointers.push_back({.Argument = Site.getArgOperandNo(&Argument),
                                 .Where = To.Where,
                                 .Base = std::move(Each.Base),
                                 .Offset = std::move(Each.Offset),
                                 .Row = std::move(Each.Row),
                                 .When = Share == Expr(1) ? std::nullopt : std::optional(Share)});
    }
  }
}

void LoopTreeBuilder::addCall(const llvm::CallBase &Site, const Region &R, Block &Into) {
  ScevToExpr::Question Asks(Translate, Site);
  if (Site.isInlineAsm() && isDevice(*F.getParent()))
    addPredicated(Site, Into);
  CallKind Kind = Costs.classify(Site);
  if (Kind == CallKind::None)
    return;
  if (Kind == CallKind::Memory)
    return addMemoryCall(llvm::cast<llvm::AnyMemIntrinsic>(Site), R, Into);
  if (Kind == CallKind::Launch) {
    for (Launch &Each : Launcher.launches(Site, R.Of)) {
      for (unsigned I = 0; I != Each.Addresses.size(); ++I) {
        std::optional<Expr> &Value = Each.Site.Arguments.emplace_back();
        if (llvm::Value *Address = Each.Addresses[I])
          if (auto Object = objectOf(*Address, *Each.ArgumentsAt, I, R, Value))
            Each.Site.Objects.push_back(std::move(*Object));
      }
      Into.Calls.push_back(std::move(Each.Site));
    }
    return;
  }
  Call Result;
  Result.At = nearestLocation(Site);
  Result.Shape = Launcher.stubShape(Site, R.Of);
  if (Site.isInlineAsm())
    Result.Callee = OperationCosts::openAssembly(Site);
  else if (const llvm::GlobalValue *Callee = calledName(Site))
    Result.Callee = Callee->getName().str();
  Result.Arguments = argumentsOf(Site, R);
  Result.Wrapping = Translate.wrappingArguments(Site, Result.Arguments, R.Of);
  if (Site.isIndirectCall()) {
    Result.Symbol = Names.fresh("call", Result.At);
    if (Counted)
      Counted->Calls.push_back(
          {Result.Symbol, &Site, argumentsInMean(Site, Result.Arguments, R.Of, Names)});
  }
  for (unsigned I = 0; I != Site.arg_size(); ++I)
    if (const llvm::CallBase *Maker = originOf(*Site.getArgOperand(I), Site, DT, TLI))
      Result.Origins.push_back(
          {I, Maker->getCalledFunction()->getName().str(), argumentsOf(*Maker, R)});
  for (unsigned I = 0; I != Site.arg_size(); ++I)
    if (Site.getArgOperand(I)->getType()->isPointerTy())
      if (auto Object = objectOf(*Site.getArgOperand(I), Site, I, R, Result.Arguments[I]))
        Result.Objects.push_back(std::move(*Object));
  addPointers(Site, R, Result);
  Result.Result = Places.resultOf(Site);
  if (!isDevice(*F.getParent()))
    addGlobals(Site, R, Result.Globals);
  Result.Order = Order++;
  Into.Calls.push_back(std::move(Result));
}

/// A variable of unoptimized code is accessed again and again, and its line stays near: of each
/// block's accesses to it one is enough.
void LoopTreeBuilder::addPromoted(const PromotedAccess &Of, Block &Into, Tallies &Sum) {
  auto What = Of.BytesWritten ? Access::Kind::Store : Access::Kind::Load;
  auto [Same, IsNew] = Sum.Promoted.try_emplace(Of.FrameOffset, Into.Accesses.size());
  if (IsNew)
    Into.Accesses.push_back({.What = What,
                             .Where = Space::Stack,
                             .Bytes = unsigned(Of.BytesRead + Of.BytesWritten),
                             .Base = std::string(FrameObject),
                             .Offset = Expr(Of.FrameOffset),
                             .Order = Order++});
  else if (What == Access::Kind::Store)
    Into.Accesses[Same->second].What = What;
}

void LoopTreeBuilder::addBlock(const llvm::BasicBlock &B, const Region &R, Block &Into,
                               Tallies &Sum) {
  llvm::DenseMap<const llvm::Instruction *, unsigned> Neighbours;
  if (isDevice(*F.getParent()) && Snapshot != "source")
    Neighbours = neighboursIn(B);
  ScevToExpr::Question Asks(Translate, *B.getTerminator(), /*OfAddress=*/true);
  for (const llvm::Instruction &I : B) {
    if (isScaffold(I))
      continue;
    auto Masked = maskedAccess(I);
    (Masked && Masked->IsBound ? Sum.AtMost : Sum.Counted).add(I, Costs);
    if (Snapshot == "algorithm" && !isDevice(*F.getParent()))
      Mixer.add(I, Into.Instructions);
    if (Snapshot == "algorithm")
      Hints.add(I, Into.Hints);
    auto Joined = Neighbours.find(&I);
    if (Joined != Neighbours.end() && Joined->second == 0)
      continue; // a part of another access
    if (auto Found = Places.accessOf(I, R.Of)) {
      for (auto &[Share, Each] : *Found) {
        Each.Order = Order;
        if (Joined != Neighbours.end())
          Each.Bytes = Joined->second;
        if (Share == Expr(1))
          Into.Accesses.push_back(std::move(Each));
        else
          Sometimes.emplace_back(Share * Into.Runs, std::move(Each));
      }
      if (auto Pointer = Places.pointerLoadOf(I, R.Of)) {
        Pointer->Order = Order;
        Into.PointerLoads.push_back(std::move(*Pointer));
      }
      if (auto Pointer = Places.pointerStoreOf(I, R.Of)) {
        Pointer->Order = Order;
        Into.PointerStores.push_back(std::move(*Pointer));
      }
      ++Order;
    }
    auto *Site = dyn_cast<llvm::CallBase>(&I);
    if (auto Promoted = Site ? promotedAccess(*Site) : std::nullopt;
        Promoted && !isDevice(*F.getParent()))
      addPromoted(*Promoted, Into, Sum);
    else if (Site)
      addCall(*Site, R, Into);
  }
}

Loop LoopTreeBuilder::build(const Region &R) {
  Loop Result;
  Result.Entries = R.Entries;
  Result.Last = R.Last;
  Result.TripsKnown = R.TripsKnown;
  if (R.Of) {
    Result.Variable = Names.loop(*R.Of);
    Result.At = locationOf(positionOf(*R.Of));
    if (Snapshot == "machine")
      Result.Shape = shapeOf(*R.Of);
  }
  std::vector<Tallies> Sums;
  std::map<Expr, std::size_t, decltype([](const Expr &Left, const Expr &Right) {
             return Expr::compare(Left, Right) < 0;
           })>
      WithRuns; // the blocks so far
  auto Inner = R.Loops.begin();
  auto AddLoops = [&](std::size_t Before) {
    for (; Inner != R.Loops.end() && Inner->After <= Before; ++Inner) {
      unsigned Here = std::exchange(Order, 0);
      auto Kept = std::exchange(Sometimes, {});
      Result.Loops.push_back(build(*Inner));
      Result.Loops.back().Order = Here;
      Order = Here + 1;
      Sometimes = std::move(Kept);
    }
  };
  std::size_t Passed = 0;
  for (const auto &[B, Runs] : R.Blocks) {
    AddLoops(Passed++);
    auto [Same, IsNew] = WithRuns.try_emplace(Runs, Sums.size());
    if (IsNew) {
      Sums.emplace_back();
      Result.Blocks.push_back(Block{.Runs = Runs});
    }
    addBlock(*B, R, Result.Blocks[Same->second], Sums[Same->second]);
  }
  AddLoops(R.Blocks.size());
  // Where nothing else is accessed, as in a loop's condition, the frame stays near without.
  for (Block &Each : Result.Blocks)
    if (std::ranges::all_of(Each.Accesses,
                            [](const Access &One) { return One.Base == FrameObject; }))
      Each.Accesses.clear();
  for (std::size_t I = 0; I != Sums.size(); ++I) {
    Block AtMost{.Runs = Result.Blocks[I].Runs, .How = Known::Bound};
    Sums[I].Counted.addTo(Result.Blocks[I], F);
    Sums[I].AtMost.addTo(AtMost, F);
    if (!AtMost.PerRun.empty())
      Result.Blocks.push_back(std::move(AtMost));
  }
  std::erase_if(Result.Blocks,
                [](const Block &Each) { return Each.PerRun.empty() && Each.Calls.empty(); });
  for (auto &[Runs, Each] : Sometimes) {
    auto Same = std::ranges::find(Result.Blocks, Runs, &Block::Runs);
    if (Same == Result.Blocks.end())
      Same = Result.Blocks.insert(Same, Block{.Runs = Runs});
    Same->Accesses.push_back(std::move(Each));
  }
  Sometimes.clear();
  return Result;
}

static std::string typeName(const llvm::Type *T) {
  std::string Result;
  llvm::raw_string_ostream(Result) << *T;
  return Result;
}

Function analyzeCost(llvm::Function &F, llvm::FunctionAnalysisManager &AM, llvm::StringRef Snapshot,
                     ToCount *Counted) {
  auto &LI = AM.getResult<llvm::LoopAnalysis>(F);
  auto &TLI = AM.getResult<llvm::TargetLibraryAnalysis>(F);
  auto &TTI = AM.getResult<llvm::TargetIRAnalysis>(F);
  auto &DT = AM.getResult<llvm::DominatorTreeAnalysis>(F);
  auto &AC = AM.getResult<llvm::AssumptionAnalysis>(F);
  llvm::ScalarEvolution SE(F, TLI, AC, DT, LI);

  SourceNames Names(F);
  StoredValues Memory(F, AM, Snapshot == "source");
  ScevToExpr Translate(SE, LI, DT, Memory, Names);
  Region Runs = ExecutionCounts(F, SE, LI, DT, Translate, Names)
                    .compute(/*ByBlock=*/Counted && Counted->Cycle);
  OperationCosts Costs(TLI, TTI, LI);
  InstructionMixer Mixer(TTI, TLI, F.getDataLayout());
  Launches Launcher(DT, LI, SE, Memory, Translate, Names);
  if (Snapshot != "source" &&
      llvm::any_of(LI.getLoopsInPreorder(), [](const llvm::Loop *L) { return isThreadLoop(*L); }))
    Names.assume({}, "the optimizer has moved nothing out of the loops that threads share: what it "
                     "has is counted for one thread, and each runs it");

  Function Result;
  AccessPlaces Places(F, SE, LI, Memory, Translate, Names);
  TransferHints Transfers(DT, LI, TLI, Memory, Launcher, Translate);
  HintFinder Hints(LI, TLI, Costs, Names, Transfers);
  LoopTreeBuilder Builder(F, LI, DT, TLI, Costs, Mixer, Hints, Memory, Translate, Names, Places,
                          Launcher, Snapshot, Counted);
  Result.Body = Builder.build(Runs);
  Result.Returns = Places.returned();
  Result.Objects = Places.sizedObjects();
  addConstantLoads(F, Result.Body);
  Result.Name = F.getName().str();
  Result.Demangled = sourceName(F.getName(), *F.getParent());
  Result.Snapshot = Snapshot.str();
  Result.IsKernel = isKernel(F);
  Result.IsLocal = F.hasLocalLinkage();
  Result.IsWeak = F.isWeakForLinker();
  Result.Aliases = aliasesOf(F);
  if (const llvm::DISubprogram *Program = F.getSubprogram())
    Result.At = {Program->getFilename().str(), Program->getLine(), 1};
  for (const llvm::Argument &Each : F.args())
    Result.Parameters.push_back({.Name = Names.argument(Each),
                                 .Type = typeName(Each.getType()),
                                 .IsSigned = Names.isSigned(Each)});
  Result.Cells = Names.cells();
  Result.Declared = Names.declared();
  Result.Unknowns = Names.unknowns();
  Result.WrapChecks = wrapChecks(Translate, Runs, Names);
  Result.Assumptions = Names.assumptions();
  Result.Annotations = annotationsOf(F);
  if (Counted)
    Counted->Probes = Names.probes();
  return Result;
}

llvm::AnalysisKey CostAnalysis::Key;

Function CostAnalysis::run(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
  return analyzeCost(F, AM, "algorithm");
}

} // namespace ergon
