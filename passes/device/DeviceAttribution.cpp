//===- DeviceAttribution.cpp - blocks of machine instructions -------------===//

#include "passes/device/DeviceAttribution.h"
#include "passes/device/MachineWaits.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace ergon {

DeviceAttribution::DeviceAttribution(const DeviceBlocks &Blocks, const MachineFunction &Code,
                                     const llvm::Function &F, const DevicePositions &Positions,
                                     const Loop &Body)
    : Blocks(Blocks), Code(Code), Regions(Code) {
  for (const BasicBlock &B : F)
    findBlocks(B, Positions);
  Unrolled.resize(Blocks.Loops.size());
  findUnrolled(Body);
  findStarts();
  findRare();
  chooseRegions();
  collect();
  findRemainders();
  compare();
  for (unsigned Loop = 0; Loop != Blocks.Loops.size(); ++Loop)
    Copies.push_back(Loop == 0 ? 1 : copiesOf(Loop));
}

/// Which blocks the positions in \p B are of: of those that have the position the ones with most of
/// \p B's operations, of all blocks where none has it. What is inlined from a library has the
/// position of its call, in whatever block of it.
void DeviceAttribution::findBlocks(const BasicBlock &B, const DevicePositions &Positions) {
  std::map<unsigned, double> Votes; // by block
  for (const Instruction &I : B)
    if (auto Same =
            Blocks.Operations.find({DevicePositions::keyOf(I), DeviceBlocks::operationOf(I)});
        Same != Blocks.Operations.end())
      for (const unsigned Block : Same->second)
        Votes[Block] += 1 / double(Same->second.size());
  for (const Instruction &I : B) {
    const unsigned Number = Positions.lookup(I);
    const DevicePositions::Key Position = DevicePositions::keyOf(I);
    if (!KeyOf.try_emplace(Number, Position).second)
      continue;
    SmallVector<unsigned, 4> Candidates;
    if (auto Parts = Blocks.Parts.find(Position); Parts != Blocks.Parts.end())
      for (const auto &Part : Parts->second)
        Candidates.push_back(Part.Block);
    if (Candidates.empty())
      for (const auto &[Block, _] : Votes)
        Candidates.push_back(Block);
    if (Candidates.empty())
      continue;
    double Most = 0;
    for (const unsigned Block : Candidates)
      Most = std::max(Most, Votes[Block]);
    SmallVector<unsigned, 1> &Best = BlocksAt[Number];
    for (const unsigned Block : Candidates)
      if (Votes[Block] >= Most)
        Best.push_back(Block);
    if (Best.size() > 1)
      llvm::erase(Best, 0U);
  }
}

void DeviceAttribution::findUnrolled(const Loop &Body) {
  for (const Block &Code : Body.Blocks)
    if (Code.Number != 0)
      Unrolled[Blocks.LoopOf[Code.Number]] = Body.Shape.Unroll;
  for (const Loop &Inner : Body.Loops)
    findUnrolled(Inner);
}

void DeviceAttribution::findStarts() {
  std::vector<bool> IsTarget(Code.size());
  for (const MachineInstruction &I : Code)
    if (I.Target)
      IsTarget[*I.Target] = true;
  for (std::size_t I = 0; I != Code.size(); ++I)
    Starts.push_back(
        I == 0 || IsTarget[I] || Code[I - 1].Target || !Code[I - 1].Falls ? I : Starts.back());
}

/// A quotient or a root calls a subroutine for numbers that are not ordinary: what leads to the
/// call.
void DeviceAttribution::findRare() {
  IsRare.resize(Code.size());
  for (std::size_t Call = 0; Call != Code.size(); ++Call) {
    if (!Code[Call].IsCall)
      continue;
    auto Position = KeyOf.find(Code[Call].Position);
    auto Parts = Position == KeyOf.end() ? Blocks.Parts.end() : Blocks.Parts.find(Position->second);
    if (Parts == Blocks.Parts.end() ||
        llvm::none_of(Parts->second, [](const auto &Part) { return Part.HasSteps; }))
      continue;
    const std::size_t First = Starts[Call];
    if (First != 0 && Code[First - 1].Target) // there is a way around it
      std::fill(IsRare.begin() + long(First), IsRare.begin() + long(Call) + 1, true);
  }
}

/// The region with most of the loop's code, of those inside of the outer loop's; a deep one rather
/// than one around it, where invariant code has been moved to.
void DeviceAttribution::chooseRegions() {
  static constexpr double Enough = 0.25; // of the most
  std::vector<std::map<unsigned, double>> Votes(Blocks.Loops.size());
  for (std::size_t I = 0; I != Code.size(); ++I)
    if (auto Loop = counts(I) ? loopOf(Code[I].Position) : std::nullopt)
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

/// Whether it is an access that the code has, by way of a data cache.
static bool isAccess(const MachineInstruction &I) {
  return I.MemoryBytes != 0 && I.Pipe == IssuePipe::Lsu;
}

void DeviceAttribution::collect() {
  Found.resize(Blocks.Loops.size());
  for (std::size_t I = 0; I != Code.size(); ++I) {
    const auto Loop = counts(I) ? loopOf(Code[I].Position) : std::nullopt;
    if (!Loop || Regions.Of[I] != RegionOf[*Loop])
      continue;
    Own &To = Found[*Loop];
    const DevicePositions::Key Position = KeyOf.at(Code[I].Position);
    (isAccess(Code[I]) ? To.Bytes : To.Constants)[Position] += Code[I].MemoryBytes;
    To.Flops[Position] += Code[I].Flops;
    ++To.Instructions;
    To.Functions += Code[I].Pipe == IssuePipe::Sfu;
  }
}

/// Straight code outside of a loop's region with accesses or flops that its region has, too.
void DeviceAttribution::findRemainders() {
  for (std::size_t I = 0; I != Code.size(); ++I) {
    const auto Loop = counts(I) ? loopOf(Code[I].Position) : std::nullopt;
    if (!Loop || Regions.Of[I] == RegionOf[*Loop])
      continue;
    const DevicePositions::Key Position = KeyOf.at(Code[I].Position);
    if ((isAccess(Code[I]) && Found[*Loop].Bytes.lookup(Position) > 0) ||
        (Code[I].Flops != 0 && Found[*Loop].Flops.lookup(Position) > 0))
      Remainders.emplace(Starts[I], *Loop);
  }
}

/// What the positions of each loop say of its copies.
void DeviceAttribution::compare() {
  for (const auto &[Position, Parts] : Blocks.Parts) {
    std::map<unsigned, DeviceBlocks::Part> Written; // by loop
    for (const auto &Part : Parts)
      if (Part.Block != 0) {
        auto &Here = Written[Blocks.LoopOf[Part.Block]];
        Here.Bytes += Part.Bytes;
        Here.Flops += Part.Flops;
        Here.HasSteps |= Part.HasSteps;
      }
    for (const auto &[Loop, Here] : Written) {
      Own &Made = Found[Loop];
      double Moved = Made.Bytes.lookup(Position);
      if (Moved == 0) // else it is a parameter that the address needs
        Moved = Made.Constants.lookup(Position);
      if (Moved > 0 && Here.Bytes > 0)
        Made.Ratios.push_back(Moved / Here.Bytes);
      if (!Here.HasSteps) {
        Made.FlopsMade += Made.Flops.lookup(Position);
        Made.FlopsWritten += Here.Flops;
      }
    }
  }
}

/// How many iterations of \p Loop its region has side by side. Each access has that many; common
/// parts of several iterations are made once.
double DeviceAttribution::copiesOf(unsigned Loop) {
  Own &Made = Found[Loop];
  const DeviceBlocks::LoopNote &Note = Blocks.Loops[Loop];
  double Result = 0;
  if (std::vector<double> &Ratios = Made.Ratios; !Ratios.empty()) {
    std::ranges::sort(Ratios);
    Result = Ratios[Ratios.size() / 2];
  }
  if (Made.FlopsWritten > 0)
    Result = std::max(Result, Made.FlopsMade / Made.FlopsWritten);
  if (Result > 0)
    return std::max(1.0, std::round(Result));
  // Neither accesses nor flops: the assembler may have unrolled what LLVM had, once more.
  if (Note.Functions > 0)
    Result = Made.Functions / Note.Functions;
  if (Result == 0 && Note.Instructions > 0)
    Result = Made.Instructions / Note.Instructions / 1.5;
  Result = std::max(Result, double(Unrolled[Loop]));
  return std::max(1.0, std::round(Result));
}

std::vector<DeviceAttribution::Slots> DeviceAttribution::slots() const {
  std::vector<Slots> Result(Blocks.LoopOf.size(), Slots{});
  const std::vector<MachineWait> Waits = waitsOf(Code);
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
    const auto *Known = blocksAt(Code[I].Position);
    if (Known && Known->front() == 0)
      continue; // never runs
    if (Known)
      for (const unsigned Block : *Known)
        if (RegionOf[Blocks.LoopOf[Block]] == Region)
          Here.push_back(Block);
    if (Here.empty() && Known && Remainders.contains({Starts[I], Blocks.LoopOf[Known->front()]}))
      continue;
    if (Here.empty()) {
      const unsigned First = Blocks.Loops[Outer->second].First;
      const unsigned Before = Last.contains(Region) ? Last[Region] : First;
      Here.push_back(Known ? First : Before);
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

void DeviceAttribution::addTo(Function &Summary) const {
  if (llvm::any_of(Code, [](const MachineInstruction &I) { return I.Position != 0; }))
    addSlots(slots(), Summary.Body);
}

} // namespace ergon
