//===- LoopChains.cpp - loop-carried dependence chains --------------------===//

#include "passes/incore/LoopChains.h"
#include "passes/incore/InstructionMixes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <optional>

namespace ergon {

namespace {
struct Chain {
  double Cycles = 0; ///< approximate, for selection
  InstructionMix Mix{};
  /// Whether it is a product with a constant plus a constant: the back end folds those of several
  /// iterations that were unrolled into one.
  bool IsAffine = true;
  /// Whether it only compares integers and chooses between them.
  bool IsChoice = true;

  Chain &operator+=(const Chain &More) {
    Cycles += More.Cycles;
    Mix += More.Mix;
    IsChoice = IsChoice && More.IsChoice;
    return *this;
  }
};

/// Longest chains through one iteration of a loop.
class ChainFinder {
public:
  ChainFinder(const llvm::Loop &L, const llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
              const InstructionMixer &Mixer);
  std::vector<InstructionMix> find();

private:
  using Reached = llvm::DenseMap<const Instruction *, Chain>;
  const llvm::Loop &L;
  llvm::ScalarEvolution &SE;
  std::vector<const Instruction *> Body; // in a topological order
  llvm::DenseMap<const Instruction *, Chain> OwnLatency;
  /// For a multiplication and an addition that are fused in the IR: the chain from the addend
  /// only.
  llvm::DenseMap<const Instruction *, Chain> LatencyFromAddend;
  /// For loads, the value that the same iteration has stored there.
  llvm::DenseMap<const Instruction *, const llvm::Value *> Forwarded;
  /// A loop-carried value.
  struct Source {
    const Instruction *Start; ///< a header phi, or a load of a stored value
    const llvm::Value *From;
    unsigned Distance = 1; ///< in iterations
    bool InMemory = false;
    bool DecidesEnd = false; ///< whether the exit condition depends on it
    Reached To{};
  };
  std::vector<Source> Sources;
  std::vector<const Source *> Path;
  unsigned Steps = 0;
  std::vector<Chain> Found;

  const Chain &latencyFrom(const Instruction &I, const llvm::Use &Use) const;
  Reached reachedFrom(const Instruction &Start) const;
  bool becomesBranches(const Chain &Around) const;
  std::optional<Chain> between(const Reached &From, const llvm::Value &To) const;
  void noteForwarded();
  void addVariables();
  void addLoads();
  bool decidesEnd(const Reached &From) const;
  void follow(const Chain &SoFar, unsigned Distance);
};
} // namespace

/// Whether \p I adds a constant or multiplies by a constant.
static bool isAffine(const Instruction &I) {
  using llvm::Instruction;
  return llvm::is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul},
                            I.getOpcode()) &&
         isa<llvm::ConstantInt>(I.getOperand(1));
}

/// Whether \p I compares integers or chooses between them.
static bool isChoice(const Instruction &I) {
  if (!I.getType()->isIntegerTy())
    return false;
  if (isa<llvm::ICmpInst>(I) || isa<llvm::SelectInst>(I))
    return true;
  return isa<llvm::MinMaxIntrinsic>(I);
}

/// Typical latency in cycles; all chains of similar length are kept.
static double typicalCycles(const InstructionKind &Kind) {
  static const std::map<std::string, double, std::less<>> Known = {
      {"add", 4},    {"mul", 4},     {"fma", 4},   {"div", 14},    {"sqrt", 20},
      {"max", 3},    {"convert", 4}, {"logic", 1}, {"shuffle", 2}, {"load", 5},
      {"branch", 0}, {"store", 0},   {"call", 10}, {"gather", 10}, {"atomic", 20}};
  if (Kind.Type.starts_with('i') && Kind.Operation == "add")
    return 1;
  auto Found = Known.find(Kind.Operation);
  return Found == Known.end() ? 40 : Found->second;
}

ChainFinder::ChainFinder(const llvm::Loop &L, const llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
                         const InstructionMixer &Mixer)
    : L(L), SE(SE) {
  llvm::LoopBlocksRPO Order(const_cast<llvm::Loop *>(&L));
  Order.perform(const_cast<llvm::LoopInfo *>(&LI));
  for (const BasicBlock *B : Order)
    for (const Instruction &I : *B) {
      Body.push_back(&I);
      Chain &C = OwnLatency[&I];
      Mixer.add(I, C.Mix);
      C.Mix.Slots = 0;
      C.IsChoice = isChoice(I);
      // If a vector operation is split into several instructions, only one is on the dependence
      // chain.
      for (auto &[Kind, Times] : C.Mix.Counts) {
        if (I.getType()->isVectorTy())
          Times = std::min(Times, 1.0);
        C.Cycles += Times * typicalCycles(Kind);
      }
      auto *Inst = dyn_cast<llvm::IntrinsicInst>(&I);
      if (!Inst || Inst->getIntrinsicID() != llvm::Intrinsic::fmuladd || C.Mix.Counts.size() != 2)
        continue;
      Chain &Addition = LatencyFromAddend[&I];
      Addition.IsChoice = false;
      for (const auto &[Kind, Times] : C.Mix.Counts)
        if (Kind.Operation == "add") {
          Addition.Mix.Counts[Kind] = Times;
          Addition.Cycles = Times * typicalCycles(Kind);
        }
    }
}

/// The latency of \p I from its operand \p Use.
const Chain &ChainFinder::latencyFrom(const Instruction &I, const llvm::Use &Use) const {
  auto Addition = LatencyFromAddend.find(&I);
  constexpr unsigned Addend = 2;
  return Addition != LatencyFromAddend.end() && Use.getOperandNo() == Addend
             ? Addition->second
             : OwnLatency.find(&I)->second;
}

/// Store forwarding of a value.
static const Chain ThroughStore{
    .Cycles = 8, .Mix = {0, {{{"store_forward", "f64", 64}, 1}}}, .IsChoice = false};
/// Limits the effort in long loops.
static constexpr unsigned MaxPairs = 256;

void ChainFinder::noteForwarded() {
  unsigned Pairs = 0;
  for (auto Read = Body.begin(); Read != Body.end(); ++Read) {
    auto *Load = dyn_cast<llvm::LoadInst>(*Read);
    if (!Load)
      continue;
    auto AddressOf = [&](const Instruction &I) {
      return SE.getSCEV(const_cast<llvm::Value *>(llvm::getLoadStorePointerOperand(&I)));
    };
    for (auto Write = Body.begin(); Write != Read; ++Write)
      if (auto *Store = dyn_cast<llvm::StoreInst>(*Write);
          Store && Store->getValueOperand()->getType() == Load->getType()) {
        if (++Pairs > MaxPairs)
          return;
        if (SE.getMinusSCEV(AddressOf(*Store), AddressOf(*Load))->isZero())
          Forwarded[Load] = Store->getValueOperand();
      }
  }
}

/// The longest chain from \p Start to each instruction of the iteration, including that instruction
/// but not Start.
ChainFinder::Reached ChainFinder::reachedFrom(const Instruction &Start) const {
  Reached Result;
  Result[&Start] = {};
  for (const Instruction *I : Body) {
    if (I == &Start || (isa<llvm::PHINode>(I) && I->getParent() == L.getHeader()))
      continue;
    const Chain *Longest = nullptr, *OwnChain = nullptr;
    for (const llvm::Use &Use : I->operands()) {
      auto *Operand = dyn_cast<Instruction>(Use.get());
      auto Entry = Operand ? Result.find(Operand) : Result.end();
      if (Entry == Result.end())
        continue;
      const Chain &OperandLatency = latencyFrom(*I, Use);
      if (!Longest ||
          Entry->second.Cycles + OperandLatency.Cycles > Longest->Cycles + OwnChain->Cycles) {
        Longest = &Entry->second;
        OwnChain = &OperandLatency;
      }
    }
    if (auto Stored = Forwarded.find(I); Stored != Forwarded.end())
      if (auto Entry = Result.find(dyn_cast<Instruction>(Stored->second)); Entry != Result.end()) {
        Longest = &Entry->second;
        OwnChain = &ThroughStore;
      }
    if (!Longest)
      continue;
    Chain Next = *Longest;
    Next.IsAffine = Next.IsAffine && isAffine(*I);
    Next.IsChoice = Next.IsChoice && OwnChain->IsChoice;
    if (!Next.IsAffine)
      Next += *OwnChain;
    else
      for (const auto &[Kind, Times] : OwnChain->Mix.Counts) // folded with what is before it
        if (double &Before = Next.Mix.Counts[Kind]; Before < Times) {
          Next.Cycles += (Times - Before) * typicalCycles(Kind);
          Before = Times;
        }
    Result[I] = std::move(Next);
  }
  return Result;
}

std::optional<Chain> ChainFinder::between(const Reached &From, const llvm::Value &To) const {
  auto *Last = dyn_cast<Instruction>(&To);
  auto Entry = Last ? From.find(Last) : From.end();
  return Entry == From.end() ? std::nullopt : std::optional(Entry->second);
}

void ChainFinder::addVariables() {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch)
    return;
  static constexpr unsigned MaxVariables = 32;
  for (const llvm::PHINode &Phi : L.getHeader()->phis())
    if (Sources.size() != MaxVariables)
      Sources.push_back({&Phi, Phi.getIncomingValueForBlock(Latch)});
}

/// The number of iterations after which \p Read loads what \p Write stored; nullopt if never or
/// unknown.
static std::optional<std::int64_t> dependenceDistance(const llvm::StoreInst &Write,
                                                      const llvm::LoadInst &Read,
                                                      const llvm::Loop &L,
                                                      llvm::ScalarEvolution &SE) {
  const llvm::SCEV *To = SE.getSCEV(const_cast<llvm::Value *>(Write.getPointerOperand()));
  const llvm::SCEV *From = SE.getSCEV(const_cast<llvm::Value *>(Read.getPointerOperand()));
  if (To == From && SE.isLoopInvariant(To, &L))
    return 1;
  auto *Moves = dyn_cast<llvm::SCEVAddRecExpr>(To);
  if (!Moves || Moves->getLoop() != &L || !Moves->isAffine())
    return std::nullopt;
  auto *Step = dyn_cast<llvm::SCEVConstant>(Moves->getStepRecurrence(SE));
  auto *Apart = dyn_cast<llvm::SCEVConstant>(SE.getMinusSCEV(To, From));
  if (!Step || !Apart || Step->isZero())
    return std::nullopt;
  std::int64_t Bytes = Apart->getAPInt().getSExtValue(),
               StepBytes = Step->getAPInt().getSExtValue();
  if (Bytes % StepBytes != 0 || Bytes / StepBytes <= 0)
    return std::nullopt;
  return Bytes / StepBytes;
}

void ChainFinder::addLoads() {
  unsigned Pairs = 0;
  for (const Instruction *First : Body) {
    auto *Read = dyn_cast<llvm::LoadInst>(First);
    if (!Read || Forwarded.contains(Read))
      continue;
    std::optional<Source> Last; // of several stores the last one
    for (const Instruction *Second : Body) {
      auto *Write = dyn_cast<llvm::StoreInst>(Second);
      if (!Write || Write->getValueOperand()->getType() != Read->getType())
        continue;
      if (++Pairs > MaxPairs)
        return;
      if (auto Distance = dependenceDistance(*Write, *Read, L, SE);
          Distance && (!Last || *Distance <= Last->Distance))
        Last = {Read, Write->getValueOperand(), unsigned(*Distance), true};
    }
    if (Last)
      Sources.push_back(std::move(*Last));
  }
}

/// Whether the condition of an exit without a computable exit count depends on a value in \p From.
bool ChainFinder::decidesEnd(const Reached &From) const {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return llvm::any_of(Exiting, [&](BasicBlock *Block) {
    auto *Branch = dyn_cast<llvm::BranchInst>(Block->getTerminator());
    return Branch && Branch->isConditional() && between(From, *Branch->getCondition()) &&
           isa<llvm::SCEVCouldNotCompute>(SE.getExitCount(&L, Block));
  });
}

/// Whether x86's back end makes branches of the conditional moves of a chain: where it is as long
/// in an iteration as the gain that X86CmovConversion.cpp asks for. A predicted branch waits for
/// nothing.
bool ChainFinder::becomesBranches(const Chain &Around) const {
  static constexpr double GainCycles = 4;
  return Around.IsChoice && Around.Cycles >= GainCycles &&
         L.getHeader()->getModule()->getTargetTriple().isX86();
}

/// All simple paths in the graph of loop-carried values that return to the first one: \p SoFar up
/// to the last one, \p Distance iterations after the first.
void ChainFinder::follow(const Chain &SoFar, unsigned Distance) {
  static constexpr unsigned MaxSteps = 1024, MaxPathLength = 8;
  const Source &First = *Path.front(), &Last = *Path.back();
  for (const Source &Next : Sources) {
    if (++Steps > MaxSteps)
      return;
    if (&Next < &First || (&Next != &First && llvm::is_contained(Path, &Next)))
      continue;
    auto C = between(Last.To, *Next.From);
    if (!C)
      continue;
    *C += SoFar;
    if (Next.InMemory)
      *C += ThroughStore;
    const unsigned After = Distance + Next.Distance;
    if (&Next != &First) {
      if (Path.size() == MaxPathLength)
        continue;
      Path.push_back(&Next);
      follow(*C, After);
      Path.pop_back();
      continue;
    }
    Chain Around{
        .Cycles = C->Cycles / After, .Mix = C->Mix * (1.0 / After), .IsChoice = C->IsChoice};
    if (becomesBranches(Around))
      continue;
    if (!Around.Mix.Counts.empty() &&
        llvm::any_of(Path, [](const Source *Carried) { return Carried->DecidesEnd; }))
      Around.Mix.Counts[{"branch", "i64", 64}] = 1;
    Found.push_back(std::move(Around));
  }
}

std::vector<InstructionMix> ChainFinder::find() {
  noteForwarded();
  addVariables();
  addLoads();
  for (Source &Carried : Sources) {
    Carried.To = reachedFrom(*Carried.Start);
    Carried.DecidesEnd = decidesEnd(Carried.To);
  }
  for (const Source &Carried : Sources) {
    Steps = 0;
    Path = {&Carried};
    follow({}, 0);
  }
  std::ranges::sort(Found, std::greater(), &Chain::Cycles);
  static constexpr std::size_t MaxChains = 3;
  std::vector<InstructionMix> Result;
  for (Chain &Candidate : Found)
    if (Result.size() != MaxChains && !Candidate.Mix.Counts.empty() &&
        !llvm::is_contained(Result, Candidate.Mix) && Candidate.Cycles * 3 > Found.front().Cycles)
      Result.push_back(std::move(Candidate.Mix));
  return Result;
}

std::vector<InstructionMix> chainsOf(const llvm::Loop &L, const llvm::LoopInfo &LI,
                                     llvm::ScalarEvolution &SE, const InstructionMixer &Mixer) {
  return ChainFinder(L, LI, SE, Mixer).find();
}

} // namespace ergon
