//===- SkippedPasses.cpp - loops of one block that need not be run --------===//
//
// What such a loop counts is known at its end, and what it stores is not.
//
//===----------------------------------------------------------------------===//

#include "model/interpreter/Machine.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace ergon::code {

/// To see whether a loop needs not be run; as measured.
static constexpr unsigned StepsOfTry = 40, MaxBlockToTry = 50, LeastPasses = 16;

namespace {
/// A number or a place that a loop moves by the same step in each pass.
struct Counter {
  std::uint32_t Here, Next; ///< registers: in a pass, and for the next one
  std::int64_t Step;
  unsigned Bits;
};

/// A loop of one block, in which a pass has just ended.
class LoopOfOne {
public:
  using Instructions = std::vector<Instruction>;
  LoopOfOne(const Instructions &Block, std::int64_t Number,
            std::function<Value(const Operand &)> Read, const LibraryCall &Like);

  /// How many passes follow, but for the last ones.
  std::uint64_t passes() const;

  /// Whether all that a pass does is what is described below.
  bool IsUnderstood = true;
  std::vector<Counter> Counters;
  /// Other registers that are handed from pass to pass, with what was there in none.
  std::vector<std::uint32_t> Lost;
  /// Objects in which something is stored that may be known, or was.
  std::vector<std::uint32_t> Changed;

private:
  const Instructions &Block;
  std::function<Value(const Operand &)> ValueOf;
  std::vector<std::uint32_t> Unknown; ///< registers that are not known in any pass

  const Instruction *definition(const Operand &What) const {
    auto Found = std::ranges::find_if(
        Block, [&](const Instruction &I) { return I.HasResult && I.Result == What.Number; });
    const bool IsHere = What.What == Operand::Kind::Register && Found != Block.end();
    return IsHere ? &*Found : nullptr;
  }
  bool isUnknown(const Operand &What) const {
    return definition(What) ? std::ranges::find(Unknown, What.Number) != Unknown.end()
                            : !ValueOf(What).isKnown();
  }
  std::optional<Counter> counterOf(const Instruction &Phi, const Operand &Next) const;
  void addPhi(const Instruction &Phi, const Operand &Next);
  void add(const Instruction &I, const LibraryCall &Like);
  bool makesUnknown(const Instruction &I, const LibraryCall &Like);
  bool isInOneObject(const Operand &Pointer) const;
};
} // namespace

LoopOfOne::LoopOfOne(const Instructions &Block, std::int64_t Number,
                     std::function<Value(const Operand &)> Read, const LibraryCall &Like)
    : Block(Block), ValueOf(std::move(Read)) {
  std::vector<const Operand *> Assumed; ///< not to be known at the end of a pass
  for (const Instruction &I : Block)
    if (I.What == Opcode::Phi) {
      const auto At = std::size_t(std::ranges::find(I.Numbers, Number) - I.Numbers.begin());
      IsUnderstood &= At < I.Operands.size();
      if (!IsUnderstood)
        return;
      addPhi(I, I.Operands[At]);
      if (!ValueOf(I.Operands[At]).isKnown())
        Assumed.push_back(&I.Operands[At]);
    } else if (&I != &Block.back()) {
      add(I, Like);
    }
  IsUnderstood &= std::ranges::all_of(Assumed, [this](const Operand *O) { return isUnknown(*O); });
}

std::optional<Counter> LoopOfOne::counterOf(const Instruction &Phi, const Operand &Next) const {
  static const std::size_t Add = operationOf("add"), Subtract = operationOf("sub");
  const Instruction *Step = definition(Next);
  if (!Step)
    return std::nullopt;
  auto IsPhi = [&](std::size_t Which) {
    const Operand &What = Step->Operands[Which];
    return What.What == Operand::Kind::Register && What.Number == Phi.Result;
  };
  if (Step->What == Opcode::Address && Step->Operands.size() == 1 && IsPhi(0))
    return Counter{Phi.Result, Step->Result, Step->Numbers[0], 64};
  if (Step->What != Opcode::Binary || Step->Of.isReal() || !IsPhi(0) ||
      (Step->Operation != Add && Step->Operation != Subtract) ||
      Step->Operands[1].What != Operand::Kind::Constant || !Step->Operands[1].Constant.isInteger())
    return std::nullopt;
  const std::int64_t By = withSign(Step->Operands[1].Constant.Bits, Step->Of.Bits);
  return Counter{Phi.Result, Step->Result, Step->Operation == Add ? By : -By, Step->Of.Bits};
}

void LoopOfOne::addPhi(const Instruction &Phi, const Operand &Next) {
  const Value Now = ValueOf(Next);
  const auto Found = counterOf(Phi, Next);
  if (!Now.isKnown())
    Unknown.push_back(Phi.Result);
  else if (Found && Now.HasOffset)
    Counters.push_back(*Found);
  else if (Now.isPointer())
    IsUnderstood = false;
  else if (definition(Next))
    Lost.insert(Lost.end(), {Phi.Result, Next.Number});
}

/// Whether \p Pointer is in the same object in each pass.
bool LoopOfOne::isInOneObject(const Operand &Pointer) const {
  const Value Now = ValueOf(Pointer);
  const Instruction *From = definition(Pointer);
  if (!Now.isPointer() || !From)
    return Now.isPointer();
  if (From->What == Opcode::Address)
    return isInOneObject(From->Operands[0]);
  return std::ranges::find(Counters, Pointer.Number, &Counter::Here) != Counters.end();
}

/// Whether the result of \p I is not known in any pass.
bool LoopOfOne::makesUnknown(const Instruction &I, const LibraryCall &Like) {
  static const std::size_t Multiply = operationOf("mul"), And = operationOf("and");
  const auto Any = [&] {
    return std::ranges::any_of(I.Operands, [this](const Operand &O) { return isUnknown(O); });
  };
  switch (I.What) {
  case Opcode::Binary: // by zero, what is not known is zero
    return Any() && (I.Of.isReal() || (I.Operation != Multiply && I.Operation != And));
  case Opcode::Cast:
  case Opcode::Compare:
    return Any();
  case Opcode::Select:
    return isUnknown(I.Operands[1]) && isUnknown(I.Operands[2]);
  case Opcode::Address:
    return isUnknown(I.Operands[0]);
  case Opcode::Load:
    return isUnknown(I.Operands[0]) ||
           Like.Now.Objects.object(ValueOf(I.Operands[0]).Object).isUnknown();
  case Opcode::Call:
    return isRandom(Like.Whole.Names[I.Operands[0].Number]) || (I.Of.isReal() && Any());
  default:
    return false;
  }
}

void LoopOfOne::add(const Instruction &I, const LibraryCall &Like) {
  const auto HasPointer = [&](std::size_t From) {
    return std::any_of(I.Operands.begin() + std::ptrdiff_t(From), I.Operands.end(),
                       [this](const Operand &O) { return ValueOf(O).isPointer(); });
  };
  const Memory &Objects = Like.Now.Objects;
  switch (I.What) {
  case Opcode::Binary: // where a pointer is lost, its object is exposed
  case Opcode::Cast:
  case Opcode::Select:
    IsUnderstood &= !HasPointer(0);
    break;
  case Opcode::Compare:
  case Opcode::Address:
    break;
  case Opcode::Load: {
    const Value From = ValueOf(I.Operands[0]);
    const bool HasNoPointers = isInOneObject(I.Operands[0]) && Objects.has(From.Object) &&
                               !Objects.object(From.Object).slots().mayHavePointers();
    IsUnderstood &= isUnknown(I.Operands[0]) || HasNoPointers;
    break;
  }
  case Opcode::Store: {
    const Value What = ValueOf(I.Operands[0]), To = ValueOf(I.Operands[1]);
    IsUnderstood = IsUnderstood && !What.isPointer() && isInOneObject(I.Operands[1]) &&
                   Objects.has(To.Object) && !Objects.object(To.Object).MayOverlap;
    if (IsUnderstood && !Objects.object(To.Object).IsShared &&
        !(Objects.object(To.Object).isUnknown() && isUnknown(I.Operands[0])))
      Changed.push_back(To.Object);
    break;
  }
  case Opcode::Call: {
    const bool IsNamed = I.Operands[0].What == Operand::Kind::Function && !HasPointer(1);
    const std::uint32_t Callee = I.Operands[0].Number;
    std::vector<Value> Arguments;
    for (std::size_t Number = 1; Number < I.Operands.size(); ++Number)
      Arguments.push_back(ValueOf(I.Operands[Number]));
    IsUnderstood = IsUnderstood && IsNamed && !Like.Whole.FunctionOf.contains(Callee) &&
                   (isRandom(Like.Whole.Names[Callee]) ||
                    callNumbers({Like.Whole.Names[Callee], I.Of, std::move(Arguments), Like.Now,
                                 Like.Whole, Like.Disk, Like.Asked, Like.Library}));
    break;
  }
  case Opcode::Count:
    IsUnderstood &= I.Numbers[1] == 0;
    break;
  default:
    IsUnderstood = false;
  }
  if (IsUnderstood && I.HasResult && makesUnknown(I, Like))
    Unknown.push_back(I.Result);
}

std::uint64_t LoopOfOne::passes() const {
  static const std::size_t Equal = operationOf("eq"), NotEqual = operationOf("ne"),
                           Above = operationOf("ugt"), NotAbove = operationOf("ule");
  const Instruction *Test = definition(Block.back().Operands[0]);
  if (!Test || Test->What != Opcode::Compare || Test->Of.isReal())
    return 0;
  for (const std::size_t Side : {0, 1}) {
    const Operand &Mine = Test->Operands[Side], &Other = Test->Operands[1 - Side];
    const auto Found = std::ranges::find_if(Counters, [&](const Counter &Each) {
      return Mine.What == Operand::Kind::Register &&
             (Mine.Number == Each.Here || Mine.Number == Each.Next);
    });
    const Value At = ValueOf(Mine), End = ValueOf(Other);
    if (Found == Counters.end() || definition(Other) || Found->Step == 0 ||
        !((At.isInteger() && End.isInteger()) || bytesBetween(At, End)))
      continue;
    const unsigned Bits = At.isPointer() ? 64 : Test->Of.Bits;
    const bool IsUp = Found->Step > 0;
    const std::uint64_t Way = lowBits(IsUp ? End.Bits - At.Bits : At.Bits - End.Bits, Bits);
    const bool IsEqual = Test->Operation == Equal || Test->Operation == NotEqual,
               IsUnsigned = Test->Operation >= Above && Test->Operation <= NotAbove;
    // In the order that is compared, all numbers on the way are on one side of the end.
    const bool IsAhead =
        IsEqual || (IsUnsigned && !At.isPointer()
                        ? (At.Bits < End.Bits) == IsUp
                        : (withSign(At.Bits, Bits) < withSign(End.Bits, Bits)) == IsUp);
    const std::uint64_t Step = IsUp ? std::uint64_t(Found->Step) : -std::uint64_t(Found->Step);
    return !IsAhead || Way == 0 ? 0 : (Way - 1) / Step;
  }
  return 0;
}

/// Where a loop of one block, \p Block, goes on: all passes but the last ones need not be run if
/// nothing but counters would be known of what they do. So it is too in a loop that is too long.
void Machine::skipPasses(Frame &F, State &Now, std::int64_t Block) {
  const std::vector<Instruction> &Code = F.Code->Blocks[std::size_t(Block)];
  if (Code.size() > MaxBlockToTry || !F.Branches.trySkip(std::size_t(Block)))
    return;
  Run.Taken += StepsOfTry;
  const LoopOfOne Loop(Code, Block, [&](const Operand &What) { return valueOf(What, F); },
                       {{}, {}, {}, Now, Whole, Disk, Asked, Library});
  const std::uint64_t Passes = Loop.IsUnderstood ? Loop.passes() : 0;
  const std::uint64_t Most = (Run.Most - std::min(Run.Taken, Run.Most)) / PartOfSteps / Code.size();
  if (Passes < LeastPasses || (Passes <= Most && !(Loop.Lost.empty() && Loop.Changed.empty())))
    return;
  F.Branches.skipped(std::size_t(Block));
  for (const std::uint32_t Object : Loop.Changed)
    Now.Objects.forget(Value::pointer(Object, 0));
  for (const std::uint32_t Register : Loop.Lost)
    F.Registers[Register] = Value::unknown();
  for (const Counter &Each : Loop.Counters)
    for (const std::uint32_t Register : {Each.Here, Each.Next}) {
      Value &Number = F.Registers[Register];
      Number.Bits += Passes * std::uint64_t(Each.Step);
      if (Number.isInteger())
        Number.Bits = lowBits(Number.Bits, Each.Bits);
    }
  for (const Instruction &I : Code)
    if (I.What == Opcode::Count) {
      State::Share &Counted = Now.Shares.changePageOf(F.Number)[{F.Number, I.Symbol}];
      Counted.count(Passes * std::uint64_t(I.Numbers[0]), 0);
      Counted.IsKnown &= !F.IsNested;
    }
}

} // namespace ergon::code
