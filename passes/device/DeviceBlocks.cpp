//===- DeviceBlocks.cpp - machine instructions of device blocks -----------===//

#include "passes/device/DeviceBlocks.h"
#include "passes/device/MachineRegions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace ergon {

unsigned DeviceBlocks::addLoop(unsigned Parent) {
  Loops.push_back({.Parent = Parent});
  return unsigned(Loops.size() - 1);
}

unsigned DeviceBlocks::addBlock(unsigned Loop) {
  LoopOf.push_back(Loop);
  const auto Number = unsigned(LoopOf.size() - 1);
  if (!Loops[Loop].First)
    Loops[Loop].First = Number;
  return Number;
}

static double flopsOf(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
    return I.getType()->isFloatTy() || I.getType()->isDoubleTy() ? 1 : 0;
  default:
    break;
  }
  auto *Site = dyn_cast<llvm::IntrinsicInst>(&I);
  return Site && (Site->getIntrinsicID() == llvm::Intrinsic::fma ||
                  Site->getIntrinsicID() == llvm::Intrinsic::fmuladd)
             ? 2
             : 0;
}

static double bytesOf(const Instruction &I) {
  const llvm::DataLayout &Layout = I.getDataLayout();
  auto *Load = dyn_cast<llvm::LoadInst>(&I);
  auto *Store = dyn_cast<llvm::StoreInst>(&I);
  if (!Load && !Store)
    return isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(I) ? 4 : 0;
  return double(
      Layout.getTypeStoreSize(Load ? Load->getType() : Store->getValueOperand()->getType())
          .getKnownMinValue());
}

/// Instructions of the unit for functions in a division or a root.
static double functionsOf(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FDiv:
    return 1;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem: // by way of floating point, to which and from which it is converted
    return I.getType()->isIntegerTy() && I.getType()->getIntegerBitWidth() <= 32 &&
                   !isa<llvm::Constant>(I.getOperand(1))
               ? 3
               : 0;
  default:
    break;
  }
  auto *Site = dyn_cast<llvm::IntrinsicInst>(&I);
  const llvm::Function *Called = Site ? Site->getCalledFunction() : nullptr;
  return Called && (Site->getIntrinsicID() == llvm::Intrinsic::sqrt ||
                    Called->getName().starts_with("llvm.nvvm.sqrt") ||
                    Called->getName().starts_with("llvm.nvvm.div") ||
                    Called->getName().starts_with("llvm.nvvm.rcp"))
             ? 1
             : 0;
}

/// Whether \p I becomes a sequence with sums and products of its own.
static bool hasSteps(const Instruction &I) {
  if (I.getOpcode() == Instruction::FDiv || I.getOpcode() == Instruction::FRem)
    return true;
  auto *Site = dyn_cast<CallBase>(&I);
  return Site && I.getType()->isFPOrFPVectorTy() && flopsOf(I) == 0;
}

void DeviceBlocks::add(const Instruction &I, unsigned Block) {
  const llvm::DILocation *Where = I.getDebugLoc().get();
  LoopNote &Around = Loops[LoopOf[Block]];
  Around.Flops += flopsOf(I);
  ++Around.Instructions;
  Around.Functions += functionsOf(I);
  Around.HasSteps |= hasSteps(I);
  if (!Where || Where->getLine() == 0)
    return;
  auto &Here = Parts[DevicePositions::keyOf(*Where)];
  auto Found = llvm::find_if(Here, [&](const Part &P) { return P.Block == Block; });
  if (Found == Here.end())
    Found = Here.insert(Here.end(), Part{Block});
  Found->Bytes += bytesOf(I);
}

//===----------------------------------------------------------------------===//
// Which machine loop a loop is, and how many of its iterations one of that
//===----------------------------------------------------------------------===//

class DeviceAttribution {
public:
  DeviceAttribution(const DeviceBlocks &Blocks, const MachineFunction &Code,
                    const DevicePositions &Positions)
      : Blocks(Blocks), Code(Code), Regions(Code), PartsOf(Positions.size() + 1) {
    for (unsigned P = 1; P <= Positions.size(); ++P)
      if (auto Found = Blocks.Parts.find(DevicePositions::keyOf(Positions.at(P)));
          Found != Blocks.Parts.end())
        PartsOf[P] = &Found->second;
    chooseRegions();
    collect();
    for (unsigned Loop = 0; Loop != Blocks.Loops.size(); ++Loop)
      Copies.push_back(Loop == 0 ? 1 : copiesOf(Loop));
  }

  /// The classes `issue_<pipe>` and `stall_<reason>`, in their order.
  static constexpr unsigned NumClasses =
      unsigned(CostClass::StallShortScoreboard) - unsigned(CostClass::Issue) + 1;
  using Slots = std::array<double, NumClasses>;
  /// By block: the machine instructions of one run.
  std::vector<Slots> slots() const;

private:
  const DeviceBlocks &Blocks;
  const MachineFunction &Code;
  MachineRegions Regions;
  std::vector<const SmallVector<DeviceBlocks::Part, 1> *> PartsOf; ///< by position
  std::vector<unsigned> RegionOf;                                  ///< by loop
  std::vector<double> Copies;                                      ///< by loop
  /// Of a loop's own code in its region.
  struct Own {
    std::map<unsigned, double> Bytes; ///< by position
    double Flops = 0, Instructions = 0, Functions = 0;
  };
  std::vector<Own> Found; ///< by loop

  bool counts(std::size_t I) const {
    return Regions.Of[I] != MachineRegions::Unreachable && !Code[I].IsWait;
  }
  const SmallVector<DeviceBlocks::Part, 1> *partsOf(std::size_t I) const {
    const unsigned Position = Code[I].Position; // of the assembler: any number
    return Position < PartsOf.size() ? PartsOf[Position] : nullptr;
  }
  /// The only loop with the instruction's position.
  std::optional<unsigned> loopOf(std::size_t I) const {
    const auto *Parts = partsOf(I);
    if (!Parts)
      return std::nullopt;
    const unsigned Loop = Blocks.LoopOf[Parts->front().Block];
    for (const auto &Part : *Parts)
      if (Blocks.LoopOf[Part.Block] != Loop)
        return std::nullopt;
    return Loop;
  }
  void chooseRegions();
  void collect();
  double copiesOf(unsigned Loop) const;
};

/// The region with most of the loop's code, of those inside of the outer loop's; a deep one rather
/// than one around it, where invariant code has been moved to.
void DeviceAttribution::chooseRegions() {
  static constexpr double Enough = 0.25; // of the most
  std::vector<std::map<unsigned, double>> Votes(Blocks.Loops.size());
  for (std::size_t I = 0; I != Code.size(); ++I)
    if (auto Loop = counts(I) ? loopOf(I) : std::nullopt)
      ++Votes[*Loop][Regions.Of[I]];
  RegionOf.assign(Blocks.Loops.size(), 0);
  for (unsigned Loop = 1; Loop != Blocks.Loops.size(); ++Loop) {
    const unsigned Around = RegionOf[Blocks.Loops[Loop].Parent];
    double Most = 0;
    for (const auto &[Region, Number] : Votes[Loop])
      if (Regions.isInside(Region, Around))
        Most = std::max(Most, Number);
    unsigned Best = Around;
    double BestNumber = 0;
    for (const auto &[Region, Number] : Votes[Loop]) {
      if (!Regions.isInside(Region, Around) || Number < Enough * Most)
        continue;
      const bool IsDeeper = Regions.Depths[Region] > Regions.Depths[Best];
      if (BestNumber == 0 || IsDeeper ||
          (Regions.Depths[Region] == Regions.Depths[Best] && Number > BestNumber))
        Best = Region, BestNumber = Number;
    }
    RegionOf[Loop] = Best;
  }
}

void DeviceAttribution::collect() {
  Found.resize(Blocks.Loops.size());
  for (std::size_t I = 0; I != Code.size(); ++I) {
    const auto Loop = counts(I) ? loopOf(I) : std::nullopt;
    if (!Loop || Regions.Of[I] != RegionOf[*Loop])
      continue;
    Own &To = Found[*Loop];
    To.Bytes[Code[I].Position] += Code[I].MemoryBytes;
    To.Flops += Code[I].Flops;
    ++To.Instructions;
    To.Functions += Code[I].Pipe == IssuePipe::Sfu;
  }
}

/// How many iterations of \p Loop its region has side by side. Each access has that many; common
/// parts of several iterations are made once.
double DeviceAttribution::copiesOf(unsigned Loop) const {
  const auto &[Bytes, Flops, Instructions, Functions] = Found[Loop];
  std::vector<double> Ratios;
  for (const auto &[Position, Moved] : Bytes) {
    double Before = 0;
    for (const auto &Part : *PartsOf[Position])
      Before += Part.Bytes;
    if (Before > 0 && Moved > 0)
      Ratios.push_back(Moved / Before);
  }
  const DeviceBlocks::LoopNote &Note = Blocks.Loops[Loop];
  double Result = 0;
  if (!Ratios.empty()) {
    std::ranges::sort(Ratios);
    Result = Ratios[Ratios.size() / 2];
  }
  if (Note.Flops > 0 && !Note.HasSteps)
    Result = std::max(Result, Flops / Note.Flops);
  if (Result == 0 && Note.Functions > 0)
    Result = Functions / Note.Functions;
  if (Result == 0 && Note.Instructions > 0) // neither accesses nor flops
    Result = Instructions / Note.Instructions / 1.5;
  return std::max(1.0, std::round(Result));
}

namespace {
/// What an instruction waits for: parts of the delays of results, 1 where nothing else passed
/// since.
struct Wait {
  double Long = 0, Short = 0;
};
/// A flag that is set and not yet seen: when its result is there.
struct Pending {
  double Until = 0;
  MachineInstruction::Delay Of = MachineInstruction::Delay::None;
};
using Flags = std::array<Pending, 6>;
} // namespace

/// Of a result, in cycles, to tell how much of it is over when it is waited for: of L2, of shared
/// memory.
static double usual(MachineInstruction::Delay Of) {
  return Of == MachineInstruction::Delay::Long ? 250 : 25;
}

/// By instruction, one warp alone and in order. Loads that are issued one behind the other are
/// waited for once. At the start of a loop the flags are those of its end, too.
static std::vector<Wait> waitsOf(const MachineFunction &Code) {
  using Delay = MachineInstruction::Delay;
  std::vector<Wait> Result(Code.size());
  std::map<std::size_t, Flags> AtTarget; // with times from there on
  for (int Pass = 0; Pass != 2; ++Pass) {
    Flags Set{};
    double Now = 0;
    for (std::size_t I = 0; I != Code.size(); ++I) {
      const MachineInstruction &Next = Code[I];
      if (auto Found = AtTarget.find(I); Found != AtTarget.end())
        for (unsigned Flag = 0; Flag != Set.size(); ++Flag)
          if (const Pending &Of = Found->second[Flag]; Now + Of.Until > Set[Flag].Until)
            Set[Flag] = {.Until = Now + Of.Until, .Of = Of.Of};
      Pending Latest{.Until = Now};
      for (unsigned Flag = 0; Flag != Set.size(); ++Flag)
        if (Next.Awaits >> Flag & 1)
          if (const Pending Of = std::exchange(Set[Flag], {}); Of.Until > Latest.Until)
            Latest = Of;
      Result[I] = {};
      if (Latest.Of != Delay::None)
        (Latest.Of == Delay::Long ? Result[I].Long : Result[I].Short) =
            (Latest.Until - Now) / usual(Latest.Of);
      Now = Latest.Until;
      auto put = [&](std::optional<unsigned> Flag, Delay Of) {
        if (Flag && *Flag < Set.size() && Now + usual(Of) > Set[*Flag].Until)
          Set[*Flag] = {.Until = Now + usual(Of), .Of = Of};
      };
      put(Next.Sets, Next.Takes);
      put(Next.Frees, Delay::Short);
      Now += Next.StallCycles;
      if (Next.Target && *Next.Target <= I) { // a loop
        Flags &Ends = AtTarget[*Next.Target];
        for (unsigned Flag = 0; Flag != Set.size(); ++Flag)
          Ends[Flag] = {.Until = std::max(0.0, Set[Flag].Until - Now), .Of = Set[Flag].Of};
      }
      if (!Next.Falls)
        Set = {};
    }
  }
  return Result;
}

std::vector<DeviceAttribution::Slots> DeviceAttribution::slots() const {
  std::vector<Slots> Result(Blocks.LoopOf.size(), Slots{});
  const std::vector<Wait> Waits = waitsOf(Code);
  auto slot = [](CostClass Class) { return unsigned(Class) - unsigned(CostClass::Issue); };
  std::map<unsigned, unsigned> OuterOf; // by region: the outermost loop that it is
  for (unsigned Loop = unsigned(Blocks.Loops.size()); Loop-- != 0;)
    OuterOf[RegionOf[Loop]] = Loop;
  std::map<unsigned, unsigned> Last; // by region: the block of the instruction before
  for (std::size_t I = 0; I != Code.size(); ++I) {
    if (!counts(I))
      continue;
    const unsigned Region = Regions.Of[I];
    auto Outer = OuterOf.find(Region);
    if (Outer == OuterOf.end())
      continue; // the rest of an unrolled loop, another version
    SmallVector<unsigned, 4> Here;
    const auto *Parts = partsOf(I);
    if (Parts)
      for (const auto &Part : *Parts)
        if (RegionOf[Blocks.LoopOf[Part.Block]] == Region)
          Here.push_back(Part.Block);
    if (Here.empty()) {
      const unsigned First = Blocks.Loops[Outer->second].First;
      const unsigned Before = Last.contains(Region) ? Last[Region] : First;
      Here.push_back(Parts ? First : Before);
    }
    for (const unsigned Block : Here) {
      const double Share = 1 / (double(Here.size()) * Copies[Blocks.LoopOf[Block]]);
      Slots &To = Result[Block];
      To[unsigned(Code[I].Pipe)] += Share;
      To[slot(CostClass::StallWait)] += Share * Code[I].StallCycles;
      To[slot(CostClass::StallLongScoreboard)] += Share * Waits[I].Long;
      To[slot(CostClass::StallShortScoreboard)] += Share * Waits[I].Short;
    }
    Last[Region] = Here.front();
  }
  return Result;
}

static void addSlots(const std::vector<DeviceAttribution::Slots> &Found, Loop &To) {
  static constexpr int Parts = 5040; // of an instruction: it has all small factors
  for (Block &Code : To.Blocks)
    if (Code.Number != 0 && Code.Number < Found.size())
      for (unsigned Slot = 0; Slot != DeviceAttribution::NumClasses; ++Slot)
        if (const auto Number = std::llround(Found[Code.Number][Slot] * Parts))
          Code.PerRun.add(CostClass(unsigned(CostClass::Issue) + Slot),
                          Expr(Rational(Number, Parts)));
  for (Loop &Inner : To.Loops)
    addSlots(Found, Inner);
}

void DeviceBlocks::apply(const MachineFunction &Code, const DevicePositions &Positions,
                         Function &Summary) const {
  if (llvm::none_of(Code, [](const MachineInstruction &I) { return I.Position != 0; }))
    return;
  addSlots(DeviceAttribution(*this, Code, Positions).slots(), Summary.Body);
}

} // namespace ergon
