//===- Operations.cpp - arithmetic of interpreted code --------------------===//
//
// Of one instruction; and of loops that do nothing but arithmetic, of all their passes at once.
//
//===----------------------------------------------------------------------===//

#include "model/interpreter/Operations.h"
#include "model/interpreter/Machine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

namespace ergon::code {

/// Values of `float` are kept as doubles that a float can hold.
static Value asReal(Type Of, double Number) {
  return Value::real(Of.Bits == 32 ? double(float(Number)) : Number);
}

static Value realBinary(std::string_view Name, Type Of, double Left, double Right) {
  if (Name == "add")
    return asReal(Of, Left + Right);
  if (Name == "sub")
    return asReal(Of, Left - Right);
  if (Name == "mul")
    return asReal(Of, Left * Right);
  if (Name == "sdiv")
    return asReal(Of, Left / Right);
  if (Name == "srem")
    return asReal(Of, std::fmod(Left, Right));
  return Value::unknown();
}

/// Division; nothing where it has no value.
static std::optional<std::uint64_t> divided(std::string_view Name, unsigned Bits,
                                            std::uint64_t Left, std::uint64_t Right) {
  if (Right == 0)
    return std::nullopt;
  if (Name == "udiv")
    return Left / Right;
  if (Name == "urem")
    return Left % Right;
  const std::int64_t Above = withSign(Left, Bits), Below = withSign(Right, Bits);
  if (Below == -1 && Above == std::numeric_limits<std::int64_t>::min())
    return std::nullopt;
  return std::uint64_t(Name == "sdiv" ? Above / Below : Above % Below);
}

static std::optional<std::uint64_t> integerBinary(std::string_view Name, unsigned Bits,
                                                  std::uint64_t Left, std::uint64_t Right) {
  if (Name == "add")
    return Left + Right;
  if (Name == "sub")
    return Left - Right;
  if (Name == "mul")
    return Left * Right;
  if (Name == "and")
    return Left & Right;
  if (Name == "or")
    return Left | Right;
  if (Name == "xor")
    return Left ^ Right;
  if (Name.ends_with("div") || Name.ends_with("rem"))
    return divided(Name, Bits, Left, Right);
  if (Right >= Bits)
    return std::nullopt;
  if (Name == "shl")
    return Left << Right;
  if (Name == "lshr")
    return Left >> Right;
  return std::uint64_t(withSign(Left, Bits) >> Right);
}

/// Differences and sums of pointers, which integers of 64 bits can be.
static Value pointerBinary(std::string_view Name, const Value &Left, const Value &Right) {
  if (Name == "sub" && Left.isPointer() && Right.isPointer() && Left.Object == Right.Object &&
      Left.HasOffset && Right.HasOffset)
    return Value::integer(Left.Bits - Right.Bits);
  Value Result = Left.isPointer() ? Left : Right;
  const Value &Distance = Left.isPointer() ? Right : Left;
  if (Distance.isPointer() || (Name != "add" && (Name != "sub" || !Left.isPointer())))
    return Value::unknown();
  Result.HasOffset &= Distance.isInteger();
  Result.Bits = !Result.HasOffset ? 0
                : Name == "add"   ? Result.Bits + Distance.Bits
                                  : Result.Bits - Distance.Bits;
  return Result;
}

/// Bytes of a result that are known though not all of the operands are: nothing where none is.
static Value partlyKnown(std::string_view Name, unsigned Bytes, const Value &Left,
                         const Value &Right) {
  if (Name == "shl" || Name == "lshr") {
    if (!Right.isInteger() || Right.Bits % 8 != 0 || Right.Bits >= 8 * Bytes)
      return Value::unknown();
    const auto Shifted = std::uint32_t(Right.Bits / 8), All = (1U << Bytes) - 1;
    return Name == "shl"
               ? Value::partly(Left.Bits << Right.Bits,
                               Left.knownBytes() << Shifted | ((1U << Shifted) - 1), Bytes)
               : Value::partly(Left.Bits >> Right.Bits,
                               Left.knownBytes() >> Shifted | ~(All >> Shifted), Bytes);
  }
  if (Name != "and" && Name != "or" && Name != "xor")
    return Value::unknown();
  const auto Bits = integerBinary(Name, 8 * Bytes, Left.Bits, Right.Bits);
  std::uint32_t Known = Left.knownBytes() & Right.knownBytes();
  for (unsigned I = 0; I != Bytes && Name != "xor"; ++I)
    for (const Value &Each : {Left, Right}) // which decides alone
      if (Each.knownBytes() >> I & 1 && (Each.Bits >> (8 * I) & 0xff) == (Name == "and" ? 0 : 0xff))
        Known |= 1U << I;
  return Value::partly(*Bits, Known, Bytes);
}

/// Operations in the order of their table.
static constexpr std::string_view BinaryNames[] = {
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"};

Value binary(std::size_t Operation, Type Of, const Value &Left, const Value &Right) {
  if (Operation >= std::size(BinaryNames))
    return Value::unknown();
  const std::string_view Name = BinaryNames[Operation];
  if (Of.isReal())
    return Left.isReal() && Right.isReal() ? realBinary(Name, Of, Left.number(), Right.number())
                                           : Value::unknown();
  if (Left.isPointer() || Right.isPointer())
    return pointerBinary(Name, Left, Right);
  if (!Left.isInteger() || !Right.isInteger()) {
    // What is known whatever the other is.
    const bool IsZero =
        (Left.isInteger() && Left.Bits == 0) || (Right.isInteger() && Right.Bits == 0);
    // Functions have even addresses: the Itanium C++ ABI tells virtual ones from them so.
    const bool IsEven = Name == "and" && (Left.isFunction() || Right.isFunction()) &&
                        (Left == Value::integer(1) || Right == Value::integer(1));
    if ((IsZero && (Name == "mul" || Name == "and")) || IsEven)
      return Value::integer(0);
    return Of.Bits % 8 == 0 && Of.Bits <= 64 && Left.knownBytes() && Right.knownBytes()
               ? partlyKnown(Name, Of.Bits / 8, Left, Right)
               : Value::unknown();
  }
  auto Result = integerBinary(Name, Of.Bits, Left.Bits, Right.Bits);
  return Result ? Value::integer(lowBits(*Result, Of.Bits)) : Value::unknown();
}

static constexpr std::string_view CompareNames[] = {"eq",  "ne",  "ugt", "uge", "ult", "ule", "sgt",
                                                    "sge", "slt", "sle", "oeq", "ogt", "oge", "olt",
                                                    "ole", "one", "ord", "uno", "ueq", "une"};

static bool compareReals(std::string_view Name, double A, double B) {
  const bool Unordered = std::isnan(A) || std::isnan(B);
  if (Name == "ord" || Name == "uno")
    return Unordered == (Name == "uno");
  if (Unordered)
    return Name.starts_with('u');
  const std::string_view How = Name.substr(1);
  return How == "eq"   ? A == B
         : How == "ne" ? A != B
         : How == "gt" ? A > B
         : How == "ge" ? A >= B
         : How == "lt" ? A < B
                       : A <= B;
}

static bool compareIntegers(std::string_view Name, unsigned Bits, std::uint64_t A,
                            std::uint64_t B) {
  if (Name == "eq" || Name == "ne")
    return (A == B) == (Name == "eq");
  const std::string_view How = Name.substr(1);
  auto Ordered = [&](auto Left, auto Right) {
    return How == "gt"   ? Left > Right
           : How == "ge" ? Left >= Right
           : How == "lt" ? Left < Right
                         : Left <= Right;
  };
  return Name.starts_with('u') ? Ordered(A, B) : Ordered(withSign(A, Bits), withSign(B, Bits));
}

/// Two pointers, or a pointer and null.
static Value comparePointers(std::string_view Name, const Value &Left, const Value &Right) {
  const bool IsEqual = Name == "eq";
  if (Left.isPointer() != Right.isPointer()) {
    const Value &Other = Left.isPointer() ? Right : Left;
    const bool CanTell = Other.isInteger() && Other.Bits == 0 && !Name.starts_with('s');
    return CanTell ? Value::integer(compareIntegers(Name, 1, Left.isPointer(), Right.isPointer()))
                   : Value::unknown();
  }
  if (!Left.HasOffset || !Right.HasOffset)
    return Value::unknown();
  if (Left.Object != Right.Object)
    return IsEqual || Name == "ne" ? Value::integer(!IsEqual) : Value::unknown();
  const std::int64_t A = Left.offset(), B = Right.offset();
  const std::string_view How = Name.size() == 3 ? Name.substr(1) : Name;
  return Value::integer(How == "eq"   ? A == B
                        : How == "ne" ? A != B
                        : How == "gt" ? A > B
                        : How == "ge" ? A >= B
                        : How == "lt" ? A < B
                                      : A <= B);
}

/// A function and null, or itself: a function may have two names.
static Value compareFunctions(std::string_view Name, const Value &Left, const Value &Right) {
  const Value &Other = Left.isFunction() ? Right : Left;
  const bool AreSame = Other.isFunction() && Left.Object == Right.Object;
  if ((Name != "eq" && Name != "ne") || !(AreSame || (Other.isInteger() && Other.Bits == 0)))
    return Value::unknown();
  return Value::integer(AreSame == (Name == "eq"));
}

Value compare(std::size_t Operation, Type Of, const Value &Left, const Value &Right) {
  const std::size_t Index = Operation - std::size(BinaryNames);
  if (Index >= std::size(CompareNames) || !Left.isKnown() || !Right.isKnown())
    return Value::unknown();
  const std::string_view Name = CompareNames[Index];
  if (Of.isReal())
    return Left.isReal() && Right.isReal()
               ? Value::integer(compareReals(Name, Left.number(), Right.number()))
               : Value::unknown();
  if (Left.isPointer() || Right.isPointer())
    return comparePointers(Name, Left, Right);
  if (Left.isFunction() || Right.isFunction())
    return compareFunctions(Name, Left, Right);
  if (!Left.isInteger() || !Right.isInteger())
    return Value::unknown();
  return Value::integer(compareIntegers(Name, Of.Bits, Left.Bits, Right.Bits));
}

/// A real number's whole part, in an integer of \p Bits bits.
static Value wholePart(double Number, unsigned Bits, bool IsSigned) {
  const double Limit = std::ldexp(1.0, int(Bits) - (IsSigned ? 1 : 0));
  const double Whole = std::trunc(Number);
  if (!(Whole < Limit) || !(Whole >= (IsSigned ? -Limit : 0.0)))
    return Value::unknown();
  return Value::integer(
      lowBits(IsSigned ? std::uint64_t(std::int64_t(Whole)) : std::uint64_t(Whole), Bits));
}

Value cast(std::size_t Operation, Type From, Type To, const Value &What) {
  static const std::size_t First = operationOf("zext");
  static constexpr std::string_view Names[] = {"zext",   "sext",   "trunc",   "fptosi", "fptoui",
                                               "sitofp", "uitofp", "fptrunc", "fpext"};
  if (Operation - First >= std::size(Names))
    return Value::unknown();
  const std::string_view Name = Names[Operation - First];
  if (Name.starts_with("fp")) {
    if (!What.isReal())
      return Value::unknown();
    return To.isReal() ? asReal(To, What.number())
                       : wholePart(What.number(), To.Bits, Name == "fptosi");
  }
  if (const std::uint32_t Known = What.isInteger() ? 0 : What.knownBytes()) {
    const unsigned Bytes = (To.Bits + 7) / 8, Had = From.Bits / 8;
    if (Name == "trunc" && (Known & ((1U << Bytes) - 1)) == (1U << Bytes) - 1)
      return Value::integer(lowBits(What.Bits, To.Bits));
    return Name == "zext" && 8 * Had == From.Bits && 8 * Bytes == To.Bits
               ? Value::partly(What.Bits, Known | ~((1U << Had) - 1), Bytes)
               : Value::unknown();
  }
  if (!What.isInteger())
    return (What.isPointer() || What.isFunction()) && From.Bits == 64 && To.Bits == 64
               ? What
               : Value::unknown();
  if (Name == "sitofp")
    return asReal(To, To.Bits == 32 ? float(withSign(What.Bits, From.Bits))
                                    : double(withSign(What.Bits, From.Bits)));
  if (Name == "uitofp")
    return asReal(To, To.Bits == 32 ? float(What.Bits) : double(What.Bits));
  return Value::integer(
      lowBits(Name == "sext" ? std::uint64_t(withSign(What.Bits, From.Bits)) : What.Bits, To.Bits));
}

//===----------------------------------------------------------------------===//
// Loops of one block that need not be run: what they count is known at their ends, and what they
// store is not.
//===----------------------------------------------------------------------===//

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
