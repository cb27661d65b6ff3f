//===- MachineLoops.cpp - machine loops of source loops -------------------===//

#include "passes/incore/MachineLoops.h"
#include "passes/incore/InstructionMixes.h"
#include "passes/incore/LoopChains.h"
#include "passes/incore/OverlapChecks.h"
#include "passes/ir/OpenMPScaffold.h"
#include "passes/opcodes/Operations.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace ergon {

/// The absolute steps of the header's integer induction variables.
static std::vector<std::uint64_t> stepsOf(const llvm::Loop &L) {
  using namespace llvm::PatternMatch;
  std::vector<std::uint64_t> Result;
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch)
    return Result;
  for (const llvm::PHINode &Phi : L.getHeader()->phis()) {
    const llvm::APInt *Step;
    if (Phi.getType()->isIntegerTy() && Phi.getBasicBlockIndex(Latch) >= 0 &&
        match(Phi.getIncomingValueForBlock(Latch), m_c_Add(m_Specific(&Phi), m_APInt(Step))) &&
        !Step->isZero())
      Result.push_back(Step->abs().getLimitedValue());
  }
  return Result;
}

static bool isVectorized(const llvm::Loop &L) {
  return llvm::getBooleanLoopAttribute(&L, "llvm.loop.isvectorized");
}

llvm::DebugLoc positionOf(const llvm::Loop &L) {
  if (const BasicBlock *Latch = L.getLoopLatch(); Latch && isVectorized(L))
    if (llvm::DebugLoc Position = Latch->getTerminator()->getDebugLoc();
        Position && Position.getLine() != 0)
      return Position;
  return L.getStartLoc();
}

namespace {
/// Lanes of vector operations, and how often they occur in some code.
struct Lanes {
  std::map<long, unsigned> Arithmetic;
  long NarrowestAccess = 0;

  void add(const Instruction &I);
  unsigned width() const;
};
} // namespace

static bool isArithmetic(const Instruction &I) {
  return isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst,
             llvm::SelectInst, CallBase>(I);
}

void Lanes::add(const Instruction &I) {
  if (llvm::getLoadStorePointerOperand(&I)) {
    long Wide = lanesOf(llvm::getLoadStoreType(&I));
    if (Wide > 1)
      NarrowestAccess = NarrowestAccess ? std::min(NarrowestAccess, Wide) : Wide;
  } else if (isArithmetic(I) && lanesOf(I.getType()) > 1) {
    ++Arithmetic[lanesOf(I.getType())];
  }
}

/// The lanes of most of the arithmetic, or, without any, of the narrowest access. Wide loads of
/// several fields, and their shuffles, are ignored.
unsigned Lanes::width() const {
  auto Most = std::ranges::max_element(
      Arithmetic, {}, [](const auto &Entry) { return std::pair(Entry.second, Entry.first); });
  return unsigned(Most != Arithmetic.end() ? Most->first : std::max(1L, NarrowestAccess));
}

LoopShape shapeOf(const llvm::Loop &L) {
  LoopShape Result;
  if (!L.isInnermost())
    return Result;
  Lanes Found;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      Found.add(I);
  Result.VectorWidth = Found.width();
  std::vector<std::uint64_t> Steps = stepsOf(L);
  if (Result.VectorWidth == 1 || !isVectorized(L) || Steps.empty())
    return Result;
  // The vectorizer's own counter counts source iterations; operations on several vectors of a
  // statement are wider.
  std::uint64_t Step = *std::ranges::min_element(Steps);
  Result.VectorWidth = unsigned(std::min<std::uint64_t>(Step, Result.VectorWidth));
  if (Step % Result.VectorWidth == 0)
    Result.Interleave = unsigned(Step / Result.VectorWidth);
  return Result;
}

/// Whether a vector loop continues after another one.
static bool isRest(const llvm::Loop &L) {
  const BasicBlock *Before = L.getLoopPredecessor();
  return Before && llvm::none_of(L.getHeader()->phis(), [&](const llvm::PHINode &Phi) {
           auto *Start = dyn_cast<llvm::ConstantInt>(Phi.getIncomingValueForBlock(Before));
           return Start && Start->isZero();
         });
}

LoopPosition positionKey(const llvm::DebugLoc &Position) {
  return {Position.getLine(), Position.getCol(), Position->getFile(), Position->getInlinedAt()};
}

void MachineLoops::note(const llvm::LoopInfo &Before) {
  for (const llvm::Loop *L : Before.getLoopsInPreorder())
    if (llvm::DebugLoc Position = L->getStartLoc()) {
      std::vector<std::uint64_t> Found = stepsOf(*L);
      Steps[positionKey(Position)] = Found.empty() ? 0 : *std::ranges::max_element(Found);
      const BasicBlock *Latch = L->getLoopLatch();
      if (llvm::DebugLoc End = Latch ? Latch->getTerminator()->getDebugLoc() : llvm::DebugLoc();
          End && End.getLine() != 0)
        Ends.try_emplace(positionKey(End), positionKey(Position));
    }
  Unrolled.note(Before);
}

namespace {
/// Vector operations outside loops: a vector loop of few iterations that was unrolled. They have
/// the positions of the remaining loop.
class StraightLine {
public:
  explicit StraightLine(const llvm::LoopInfo &LI) : LI(LI) {}
  unsigned widthBeside(const llvm::Loop &Left);

private:
  using LineColumn = std::pair<unsigned, unsigned>;
  const llvm::LoopInfo &LI;
  std::optional<std::map<LineColumn, Lanes>> Vectors; // collected once

  static LineColumn positionOfArithmetic(const Instruction &I) {
    const llvm::DebugLoc &Position = I.getDebugLoc();
    return Position && isArithmetic(I) ? LineColumn(Position.getLine(), Position.getCol())
                                       : LineColumn(0, 0);
  }
};
} // namespace

unsigned StraightLine::widthBeside(const llvm::Loop &Left) {
  if (!Vectors) {
    Vectors.emplace();
    for (const BasicBlock &B : *Left.getHeader()->getParent())
      if (const llvm::Loop *Around = LI.getLoopFor(&B); !Around || !isVectorized(*Around))
        for (const Instruction &I : B)
          if (lanesOf(I.getType()) > 1 && positionOfArithmetic(I).first != 0)
            (*Vectors)[positionOfArithmetic(I)].add(I);
  }
  unsigned Result = 1;
  for (const BasicBlock *B : Left.blocks())
    for (const Instruction &I : *B)
      if (auto Found = Vectors->find(positionOfArithmetic(I)); Found != Vectors->end())
        Result = std::max(Result, Found->second.width());
  return Result;
}

/// The shape of a source loop, from all loops at its position.
static LoopShape join(ArrayRef<const llvm::Loop *> Copies, StraightLine &Beside,
                      std::uint64_t StepBefore) {
  LoopShape Result;
  unsigned RestWidth = 0, Unroll = 0;
  bool IsRestOnly = false;
  for (const llvm::Loop *L : Copies) {
    LoopShape Next = shapeOf(*L);
    bool Vector = isVectorized(*L) && Next.VectorWidth > 1;
    IsRestOnly |= isVectorized(*L) && (!Vector || isRest(*L));
    if (Vector && isRest(*L))
      RestWidth = std::max(RestWidth, Next.VectorWidth);
    else if (std::pair(Next.Interleave, Next.VectorWidth) >
             std::pair(Result.Interleave, Result.VectorWidth))
      Result = Next;
    std::vector<std::uint64_t> Steps = stepsOf(*L);
    if (Next.VectorWidth == 1 && StepBefore && !Steps.empty())
      if (std::uint64_t Step = *std::ranges::max_element(Steps); Step % StepBefore == 0)
        Unroll = std::max(Unroll, unsigned(Step / StepBefore));
  }
  if (Result.VectorWidth <= 1) {
    unsigned Width = 1;
    for (const llvm::Loop *L : Copies)
      Width = std::max(Width, Beside.widthBeside(*L));
    if (Width > 1)
      Result = {.VectorWidth = Width};
    else if (IsRestOnly)
      Result = {};
    else
      Result.Unroll = Unroll;
  }
  Result.RestWidth = RestWidth;
  return Result;
}

/// Source iterations per iteration of \p L, where the source's had steps of \p StepBefore.
static unsigned stepOf(const llvm::Loop &L, std::uint64_t StepBefore) {
  std::vector<std::uint64_t> Steps = stepsOf(L);
  // The remainder goes on as the source does, whatever has become of its body.
  const bool IsRemainder = StepBefore > 1 && isRest(L) && !Steps.empty() &&
                           *std::ranges::min_element(Steps) == StepBefore;
  if (LoopShape Shape = shapeOf(L); isVectorized(L) && Shape.Interleave && !IsRemainder)
    return Shape.VectorWidth * Shape.Interleave;
  if (Steps.empty() || StepBefore == 0)
    return 1;
  std::uint64_t Step = *std::ranges::max_element(Steps);
  return Step % StepBefore == 0 ? unsigned(Step / StepBefore) : 1;
}

/// The instructions of every iteration of \p L; nothing where that depends on data.
static std::optional<InstructionMix> iterationOf(const llvm::Loop &L,
                                                 const InstructionMixer &Mixer) {
  // One path from the header to the latch, whatever the exits on it.
  const BasicBlock *Latch = L.getLoopLatch();
  InstructionMix Result;
  unsigned Blocks = 0;
  for (const BasicBlock *B = L.getHeader(); B; ++Blocks) {
    Result += Mixer.mixOf(*B);
    if (B == Latch)
      return Blocks + 1 == L.getNumBlocks() ? std::optional(std::move(Result)) : std::nullopt;
    const BasicBlock *Next = nullptr;
    for (const BasicBlock *Successor : llvm::successors(B))
      if (L.contains(Successor)) {
        if (Next)
          return std::nullopt;
        Next = Successor;
      }
    B = Next;
  }
  return std::nullopt;
}

namespace {
/// What machine loops are described with.
struct Describer {
  const FunctionAnalyses &Analyses;
  llvm::ScalarEvolution &SE;
  InstructionMixer Mixer{Analyses};

  MachineLoop describe(const llvm::Loop &L, unsigned Step) const;
  std::vector<MachineLoop> describe(ArrayRef<const llvm::Loop *> Copies,
                                    std::uint64_t StepBefore) const;
  std::optional<OverlapCheck> checkOf(const BasicBlock &Code) const {
    return overlapCheckOf(Code, Analyses.DT, Analyses.LI);
  }
};
} // namespace

static bool gathers(const std::optional<InstructionMix> &Mix) {
  return Mix && std::ranges::any_of(Mix->Counts, [](const auto &Entry) {
           return Entry.first.Operation == "gather" || Entry.first.Operation == "scatter";
         });
}

MachineLoop Describer::describe(const llvm::Loop &L, unsigned Step) const {
  MachineLoop Result{Step, iterationOf(L, Mixer), chainsOf(L, Analyses.LI, SE, Mixer), {}};
  // The unroller takes the vectorizer's metadata off the loops that it changes.
  const bool HasVectors = Step > 1 && shapeOf(L).VectorWidth > 1;
  if (!isVectorized(L) && !HasVectors)
    return Result;
  // It fills vectors before it, and reduces their lanes after it.
  for (const BasicBlock *B : {L.getLoopPreheader(), L.getUniqueExitBlock()})
    if (B)
      Result.Entry += Mixer.mixOf(*B);
  if (const BasicBlock *Before = L.getLoopPreheader(); Before && HasVectors)
    Result.Check = checkOf(*Before);
  else if (HasVectors) // the check itself is before the header
    if ((Result.Check = checkOf(*L.getHeader())) && Result.Check->Loops > 1)
      --Result.Check->Loops;
  // Gathers go by any stride.
  if (Result.Check && gathers(Result.Iteration))
    Result.Check->UnitStride = false;
  return Result;
}

/// One machine loop per step, in the order in which they run. The scalar loop for overlapping
/// objects is also the remainder's.
std::vector<MachineLoop> Describer::describe(ArrayRef<const llvm::Loop *> Copies,
                                             std::uint64_t StepBefore) const {
  std::vector<MachineLoop> Result, Scalar;
  for (const llvm::Loop *L : Copies) {
    const unsigned Step = stepOf(*L, StepBefore);
    std::vector<MachineLoop> &Of = Step > 1 && shapeOf(*L).VectorWidth > 1 ? Result : Scalar;
    if (std::ranges::find(Of, Step, &MachineLoop::Step) == Of.end())
      Of.push_back(describe(*L, Step));
  }
  for (std::vector<MachineLoop> *Of : {&Result, &Scalar})
    std::ranges::sort(*Of, std::greater(), &MachineLoop::Step);
  Result.insert(Result.end(), Scalar.begin(), Scalar.end());
  return Result;
}

/// With the unrolled code, where it is most of \p Source.
std::vector<MachineLoop> LoopVersions::madeFor(const Loop &Source) const {
  std::vector<MachineLoop> Result = Made;
  const auto Last = Source.Last.constant();
  if (!Unrolled || !Last || !Last->isInteger() || *Last < Rational(1))
    return Result;
  const double Trips = Last->get_d() + 1;
  MachineLoop Whole = *Unrolled;
  // Several versions of it, of which one runs.
  if (const double Versions = Whole.Step / Trips;
      Versions > 1 && Versions == std::floor(Versions)) {
    *Whole.Iteration = *Whole.Iteration * (1 / Versions);
    Whole.Step = unsigned(Trips);
  }
  if (Whole.Step > Trips || 2 * Whole.Step <= Trips)
    return Result;
  std::erase_if(Result, [&](const MachineLoop &Loop) { return Loop.Step >= Whole.Step; });
  Result.insert(Result.begin(), std::move(Whole));
  return Result;
}

static bool isOverThreads(const Loop &L) { return L.Variable == ThreadSymbol; }

static void applyTo(Loop &Around, const VersionsByPosition &ByPosition) {
  for (Loop &Inner : Around.Loops) {
    // The loop over the threads of a region has the place of a loop in it.
    if (auto Match = ByPosition.find(Inner.Location.text());
        Match != ByPosition.end() && !isOverThreads(Inner)) {
      Inner.Made = Match->second.madeFor(Inner);
      if (Inner.Loops.empty())
        Inner.Shape = Match->second.Shape;
    }
    applyTo(Inner, ByPosition);
  }
}

/// The noted loop with a start or an end at \p Position; null where there is none.
const LoopPosition *MachineLoops::noted(const llvm::DebugLoc &Position) const {
  if (!Position || Position.getLine() == 0)
    return nullptr;
  const LoopPosition Key = positionKey(Position);
  if (auto Start = Steps.find(Key); Start != Steps.end())
    return &Start->first;
  auto End = Ends.find(Key);
  return End == Ends.end() ? nullptr : &End->second;
}

void MachineLoops::describe(const FunctionAnalyses &After, llvm::ScalarEvolution &SE,
                            VersionsByPosition &ByPosition) const {
  std::map<LoopPosition, SmallVector<const llvm::Loop *, 4>> Copies;
  for (const llvm::Loop *L : After.LI.getLoopsInPreorder())
    if (L->isInnermost())
      for (const llvm::DebugLoc &Position : {L->getStartLoc(), positionOf(*L)})
        if (const LoopPosition *Found = noted(Position)) {
          Copies[*Found].push_back(L);
          break;
        }
  Describer Describe{After, SE};
  std::map<LoopPosition, UnrolledLoop> Straight = Unrolled.find(After.F, After.LI, Describe.Mixer);
  for (const auto &Entry : Straight)
    Copies.try_emplace(Entry.first);
  StraightLine Beside(After.LI);
  for (const auto &[Position, Loops] : Copies) {
    LoopVersions Next{join(Loops, Beside, Steps.at(Position)),
                      Describe.describe(Loops, Steps.at(Position)), std::nullopt};
    auto IsVector = [](const llvm::Loop *L) {
      return isVectorized(*L) && shapeOf(*L).VectorWidth > 1;
    };
    // What is beside a vector loop enters and leaves it.
    if (auto Left = Straight.find(Position);
        Left != Straight.end() && llvm::none_of(Loops, IsVector)) {
      Next.Unrolled = std::move(Left->second.Made);
      Next.Unrolled->Check = Describe.checkOf(*Left->second.Start);
    }
    // Two inlined copies with different results: unknown.
    SourceLocation Where{std::get<const llvm::DIFile *>(Position)->getFilename().str(),
                         std::get<0>(Position), std::get<1>(Position)};
    auto [Known, New] = ByPosition.try_emplace(Where.text(), Next);
    if (!New && !(Known->second == Next))
      Known->second = {};
  }
}

void MachineLoops::apply(const VersionsByPosition &ByPosition, Function &Summary) {
  applyTo(Summary.Body, ByPosition);
}

} // namespace ergon
