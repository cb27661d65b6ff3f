//===- CountAnalysis.cpp - what a function costs ---------------------------===//

#include "passes/analysis/CountAnalysis.h"
#include "model/program/Program.h"
#include "passes/access/AccessTargets.h"
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
#include "passes/opcodes/OperationCounts.h"
#include "passes/opcodes/PtxCounts.h"
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
                  const llvm::TargetLibraryInfo &TLI, const OperationCounts &Opcodes,
                  const InstructionMixer &Mixer, const HintFinder &Hints, StoredValues &Memory,
                  ScevToExpr &Translate, SourceNames &Names, AccessTargets &Targets,
                  Launches &Launcher, llvm::StringRef Snapshot, ToCount *Counted)
      : F(F), LI(LI), DT(DT), TLI(TLI), Opcodes(Opcodes), Mixer(Mixer), Hints(Hints),
        Memory(Memory), Translate(Translate), Names(Names), Targets(Targets), Launcher(Launcher),
        Snapshot(Snapshot), Counted(Counted), Cycle(Counted ? Counted->Cycle : nullptr) {}

  Loop build(const Region &R);

private:
  llvm::Function &F;
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  const llvm::TargetLibraryInfo &TLI;
  const OperationCounts &Opcodes;
  const InstructionMixer &Mixer;
  const HintFinder &Hints;
  StoredValues &Memory;
  ScevToExpr &Translate;
  SourceNames &Names;
  AccessTargets &Targets;
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

  void addBlock(const llvm::BasicBlock &B, const Region &R, Block &Target, Tallies &Sum);
  void addCall(const llvm::CallBase &Site, const Region &R, Block &Target);
  void addPromoted(const PromotedAccess &Promoted, Block &Target, Tallies &Sum);
  void addPredicated(const llvm::CallBase &Site, Block &Target);
  std::vector<std::optional<Expr>> argumentsOf(const llvm::CallBase &Site, const Region &R);
  void addGlobals(const llvm::CallBase &Site, const Region &R, std::map<std::string, Expr> &Values);
  std::optional<Expr> valueOf(llvm::Value &Passed, const llvm::CallBase &Site, const Region &R);
  std::optional<PassedObject> objectOf(const llvm::Value &Actual, const llvm::CallBase &Site,
                                       unsigned Number, const Region &R,
                                       std::optional<Expr> &Value);
  void addMemoryCall(const llvm::AnyMemIntrinsic &Site, const Region &R, Block &Target);
  void addPointers(const llvm::CallBase &Site, const Region &R, Call &Result);
};
} // namespace

/// memcpy, memmove, memset: the bytes are the length operand.
void LoopTreeBuilder::addMemoryCall(const llvm::AnyMemIntrinsic &Site, const Region &R,
                                    Block &Target) {
  addAt(Site, F, CostClass::Calls, Expr(1), Target);
  auto Length = Translate.translate(Site.getLength(), R.Loop);
  if (!Length || (Cycle && !Length->constant()))
    Length = Names.unknown("value", nearestLocation(Site), "bytes that are copied or set here",
                           Probe{.Value = Site.getLength(), .Point = &Site});
  static constexpr unsigned PieceBytes = 16; // no count rests on it
  auto Add = [&](const llvm::Value &Pointer, Access::Kind What) {
    Pointee To = pointeeOf(Pointer, F, LI);
    addAt(Site, F,
          of(What == Access::Kind::Load ? CostClass::LoadBytes : CostClass::StoreBytes, To.Where),
          *Length, Target);
    auto [Base, Offset, Row] = Targets.aimOf(Pointer, R.Loop);
    Target.Accesses.push_back({.What = What,
                               .Where = To.Where,
                               .Bytes = PieceBytes,
                               .Base = std::move(Base),
                               .Offset = std::move(Offset),
                               .Order = Order,
                               .Length = Length,
                               .Row = std::move(Row)});
    setPosition(Target.Accesses.back(), nearestLocation(Site), F);
  };
  if (auto *Copy = dyn_cast<llvm::AnyMemTransferInst>(&Site))
    Add(*Copy->getRawSource(), Access::Kind::Load);
  Add(*Site.getRawDest(), Access::Kind::Store);
  ++Order; // one place for both, as they take turns
}

/// Instructions of inline assembly that run only where a predicate holds.
void LoopTreeBuilder::addPredicated(const llvm::CallBase &Site, Block &Target) {
  PtxCounts Counts = ptxCounts(Site);
  std::map<std::string, Expr> Shares;
  for (const auto &[Predicate, Counted] : Counts.Under) {
    bool Negated = Predicate.starts_with('!');
    std::string Name = Predicate.substr(Negated ? 1 : 0);
    auto [Share, New] = Shares.try_emplace(Name);
    if (auto Lanes = Counts.Lanes.find(Name); New && Lanes != Counts.Lanes.end())
      Share->second = isInLanes(Lanes->second);
    else if (New)
      Share->second = Names.unknown("taken", nearestLocation(Site),
                                    "share of its runs in which the predicate " + Name +
                                        " of the inline assembly holds",
                                    Probe{});
    Expr Runs = Negated ? Expr(1) - Share->second : Share->second;
    for (const auto &[Class, Times] : Counted)
      addAt(Site, F, Class, Runs * Expr(Times), Target);
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
                     Probe{.Value = &Passed, .Point = &Site}));
  return IsFree || Passed.getType()->isIntegerTy(1) ? Translate.translate(&Passed, R.Loop)
                                                    : Translate.translateOrName(&Passed, R.Loop);
}

/// What is known of the object that \p Actual, an argument of \p Site, points into.
/// \p Value: the integer there, or the name of a library's own object.
std::optional<PassedObject> LoopTreeBuilder::objectOf(const llvm::Value &Actual,
                                                      const llvm::CallBase &Site, unsigned Number,
                                                      const Region &R, std::optional<Expr> &Value) {
  PassedObject To{Number, {}, {}};
  StoredValues::Contents Held = Memory.contentsOf(Actual, Site);
  for (const StoredValues::Contents::Item &Item : Held.Stored) {
    bool IsInteger = Item.Value && Item.Value->getType()->isIntegerTy();
    bool IsAddress = Item.Value && Item.Value->getType()->isPointerTy();
    if (auto Where =
            IsInteger && Item.Bytes == 8 ? Names.fieldsIn(*Item.Value, Memory) : std::nullopt)
      for (long Part : {0, 4}) {
        To.Stored.push_back({Item.Offset + Part, 4, Names.cell(*Where, 4), false});
        Where->Path.back() += 4;
      }
    To.Stored.push_back({Item.Offset, Item.Bytes,
                         IsInteger   ? valueOf(*Item.Value, Site, R)
                         : IsAddress ? Translate.translateAddress(Item.Value, R.Loop)
                                     : std::nullopt,
                         IsAddress});
    if (Item.Offset == 0 && IsInteger)
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
                                 std::map<std::string, Expr> &Values) {
  llvm::LibFunc Which;
  const llvm::Function *Callee = Site.getCalledFunction();
  if (Callee && (Callee->isIntrinsic() || TLI.getLibFunc(*Callee, Which)))
    return;
  for (const StoredValues::Global &Stored : Memory.globalsAt(Site))
    if (auto Value = Translate.translateOrName(Stored.Value, R.Loop))
      Values.insert_or_assign(Names.nameOf(Stored.Where, Stored.Bytes), std::move(*Value));
}

/// Where the pointers that a function is given point.
void LoopTreeBuilder::addPointers(const llvm::CallBase &Site, const Region &R, Call &Result) {
  for (const llvm::Use &Argument : Site.args()) {
    if (!Argument->getType()->isPointerTy())
      continue;
    Pointee To = pointeeOf(*Argument, F, LI);
    bool IsParameter = To.Object && llvm::isa<llvm::Argument>(To.Object);
    for (auto &[Share, Target] : Targets.aimsOf(*Argument, R.Loop)) {
      if (isDevice(*F.getParent()) && Target.Row)
        Target = {}; // where each of several rows starts is no one place
      if (To.Where == Space::Generic ? IsParameter
                                     : isDevice(*F.getParent()) || !Target.Base.empty())
        Result.Pointers.push_back({.Argument = Site.getArgOperandNo(&Argument),
                                   .Where = To.Where,
                                   .Base = std::move(Target.Base),
                                   .Offset = std::move(Target.Offset),
                                   .Row = std::move(Target.Row),
                                   .When = Share == Expr(1) ? std::nullopt : std::optional(Share)});
    }
  }
}

void LoopTreeBuilder::addCall(const llvm::CallBase &Site, const Region &R, Block &Target) {
  ScevToExpr::Question Asks(Translate, Site);
  if (Site.isInlineAsm() && isDevice(*F.getParent()))
    addPredicated(Site, Target);
  CallKind Kind = Opcodes.classify(Site);
  if (Kind == CallKind::None)
    return;
  if (Kind == CallKind::Memory)
    return addMemoryCall(llvm::cast<llvm::AnyMemIntrinsic>(Site), R, Target);
  if (Kind == CallKind::Launch) {
    for (Launch &Started : Launcher.launches(Site, R.Loop)) {
      for (unsigned I = 0; I != Started.Addresses.size(); ++I) {
        std::optional<Expr> &Value = Started.Site.Arguments.emplace_back();
        if (llvm::Value *Address = Started.Addresses[I])
          if (auto Object = objectOf(*Address, *Started.ArgumentsAt, I, R, Value))
            Started.Site.Objects.push_back(std::move(*Object));
      }
      Target.Calls.push_back(std::move(Started.Site));
    }
    return;
  }
  Call Result;
  Result.At = nearestLocation(Site);
  Result.Shape = Launcher.stubShape(Site, R.Loop);
  if (Site.isInlineAsm())
    Result.Callee = OperationCounts::openAssembly(Site);
  else if (const llvm::GlobalValue *Callee = calledName(Site))
    Result.Callee = Callee->getName().str();
  Result.Arguments = argumentsOf(Site, R);
  Result.Wrapping = Translate.wrappingArguments(Site, Result.Arguments, R.Loop);
  if (Site.isIndirectCall()) {
    Result.Symbol = Names.fresh("call", Result.At);
    if (Counted)
      Counted->Calls.push_back(
          {Result.Symbol, &Site, argumentsInMean(Site, Result.Arguments, R.Loop, Names)});
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
  Result.Result = Targets.resultOf(Site);
  if (!isDevice(*F.getParent()))
    addGlobals(Site, R, Result.Globals);
  Result.Order = Order++;
  Target.Calls.push_back(std::move(Result));
}

/// A variable of unoptimized code is accessed again and again, and its line stays near: of each
/// block's accesses to it one is enough.
void LoopTreeBuilder::addPromoted(const PromotedAccess &Promoted, Block &Target, Tallies &Sum) {
  auto What = Promoted.BytesWritten ? Access::Kind::Store : Access::Kind::Load;
  auto [Same, IsNew] = Sum.Promoted.try_emplace(Promoted.FrameOffset, Target.Accesses.size());
  if (IsNew)
    Target.Accesses.push_back({.What = What,
                               .Where = Space::Stack,
                               .Bytes = unsigned(Promoted.BytesRead + Promoted.BytesWritten),
                               .Base = std::string(FrameObject),
                               .Offset = Expr(Promoted.FrameOffset),
                               .Order = Order++});
  else if (What == Access::Kind::Store)
    Target.Accesses[Same->second].What = What;
}

void LoopTreeBuilder::addBlock(const llvm::BasicBlock &B, const Region &R, Block &Target,
                               Tallies &Sum) {
  llvm::DenseMap<const llvm::Instruction *, unsigned> Neighbours;
  if (isDevice(*F.getParent()) && Snapshot != "source")
    Neighbours = neighboursIn(B);
  ScevToExpr::Question Asks(Translate, *B.getTerminator(), /*OfAddress=*/true);
  for (const llvm::Instruction &I : B) {
    if (isScaffold(I))
      continue;
    auto Masked = maskedAccess(I);
    (Masked && Masked->IsBound ? Sum.AtMost : Sum.Counted).add(I, Opcodes);
    if (Snapshot == "algorithm" && !isDevice(*F.getParent()))
      Mixer.add(I, Target.Instructions);
    if (Snapshot == "algorithm")
      Hints.add(I, Target.Hints);
    auto Joined = Neighbours.find(&I);
    if (Joined != Neighbours.end() && Joined->second == 0)
      continue; // a part of another access
    if (auto Found = Targets.accessOf(I, R.Loop)) {
      for (auto &[Share, Element] : *Found) {
        Element.Order = Order;
        if (Joined != Neighbours.end())
          Element.Bytes = Joined->second;
        if (Share == Expr(1))
          Target.Accesses.push_back(std::move(Element));
        else
          Sometimes.emplace_back(Share * Target.Runs, std::move(Element));
      }
      if (auto Pointer = Targets.pointerLoadOf(I, R.Loop)) {
        Pointer->Order = Order;
        Target.PointerLoads.push_back(std::move(*Pointer));
      }
      if (auto Pointer = Targets.pointerStoreOf(I, R.Loop)) {
        Pointer->Order = Order;
        Target.PointerStores.push_back(std::move(*Pointer));
      }
      ++Order;
    }
    auto *Site = dyn_cast<llvm::CallBase>(&I);
    if (auto Promoted = Site ? promotedAccess(*Site) : std::nullopt;
        Promoted && !isDevice(*F.getParent()))
      addPromoted(*Promoted, Target, Sum);
    else if (Site)
      addCall(*Site, R, Target);
  }
}

Loop LoopTreeBuilder::build(const Region &R) {
  Loop Result;
  Result.Entries = R.Entries;
  Result.Last = R.Last;
  Result.TripsKnown = R.TripsKnown;
  if (R.Loop) {
    Result.Variable = Names.loop(*R.Loop);
    Result.At = locationOf(positionOf(*R.Loop));
    if (Snapshot == "machine")
      Result.Shape = shapeOf(*R.Loop);
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
  for (Block &Code : Result.Blocks)
    if (std::ranges::all_of(Code.Accesses,
                            [](const Access &One) { return One.Base == FrameObject; }))
      Code.Accesses.clear();
  for (std::size_t I = 0; I != Sums.size(); ++I) {
    Block AtMost{.Runs = Result.Blocks[I].Runs, .How = Known::Bound};
    Sums[I].Counted.addTo(Result.Blocks[I], F);
    Sums[I].AtMost.addTo(AtMost, F);
    if (!AtMost.PerRun.empty())
      Result.Blocks.push_back(std::move(AtMost));
  }
  std::erase_if(Result.Blocks,
                [](const Block &Code) { return Code.PerRun.empty() && Code.Calls.empty(); });
  for (auto &[Runs, Element] : Sometimes) {
    auto Same = std::ranges::find(Result.Blocks, Runs, &Block::Runs);
    if (Same == Result.Blocks.end())
      Same = Result.Blocks.insert(Same, Block{.Runs = Runs});
    Same->Accesses.push_back(std::move(Element));
  }
  Sometimes.clear();
  return Result;
}

static std::string typeName(const llvm::Type *T) {
  std::string Result;
  llvm::raw_string_ostream(Result) << *T;
  return Result;
}

Function analyzeCounts(llvm::Function &F, llvm::FunctionAnalysisManager &AM,
                       llvm::StringRef Snapshot, ToCount *Counted) {
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
  OperationCounts Opcodes(TLI, TTI, LI);
  InstructionMixer Mixer(TTI, TLI, F.getDataLayout());
  Launches Launcher(DT, LI, SE, Memory, Translate, Names);
  if (Snapshot != "source" &&
      llvm::any_of(LI.getLoopsInPreorder(), [](const llvm::Loop *L) { return isThreadLoop(*L); }))
    Names.assume({}, "the optimizer has moved nothing out of the loops that threads share: what it "
                     "has is counted for one thread, and each runs it");

  Function Result;
  AccessTargets Targets(F, SE, LI, Memory, Translate, Names);
  TransferHints Transfers(DT, LI, TLI, Memory, Launcher, Translate);
  HintFinder Hints(LI, TLI, Opcodes, Names, Transfers);
  LoopTreeBuilder Builder(F, LI, DT, TLI, Opcodes, Mixer, Hints, Memory, Translate, Names, Targets,
                          Launcher, Snapshot, Counted);
  Result.Body = Builder.build(Runs);
  Result.Returns = Targets.returned();
  Result.Objects = Targets.sizedObjects();
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
  for (const llvm::Argument &Argument : F.args())
    Result.Parameters.push_back({.Name = Names.argument(Argument),
                                 .Type = typeName(Argument.getType()),
                                 .IsSigned = Names.isSigned(Argument)});
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

llvm::AnalysisKey CountAnalysis::Key;

Function CountAnalysis::run(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
  return analyzeCounts(F, AM, "algorithm");
}

} // namespace ergon
