//===- OrdinaryNumbers.cpp - branches on unknown numbers ------------------===//
//
// Programs test numbers for what seldom happens: a pivot that is zero, a column that is, a number
// that is none. A run of code in which unknown numbers are ordinary goes on behind these tests.
// What it finds is an estimate.
//
//===----------------------------------------------------------------------===//

#include "model/interpreter/Machine.h"
#include "model/interpreter/Operations.h"

#include <cmath>
#include <vector>

namespace ergon::code {

/// Stands for a number of ordinary size.
static constexpr double Usual = 1;
static constexpr int MostExponent = 100;

/// The result of comparing real numbers of which one is not known: it is equal to no other, unless
/// the two \p AreSame, and none that a type can hardly hold. Where the other is zero, it is
/// guessed that the number is positive. Else unknown.
static Value compareOrdinary(std::size_t Operation, const Value &Left, const Value &Right,
                             bool AreSame) {
  const Type Number{Type::Kind::Real, 64};
  const auto Told = [](const Value &Result) {
    return Value::truth(Result.Bits != 0, Value::Ordinary);
  };
  if (AreSame)
    return Told(compare(Operation, Number, Value::real(Usual), Value::real(Usual)));
  // Two numbers of which none is equal to the other: what their order does not decide.
  const Value Less = compare(Operation, Number, Value::real(0), Value::real(Usual)),
              Greater = compare(Operation, Number, Value::real(Usual), Value::real(0));
  if (Less == Greater)
    return Told(Less);
  if (Left.isKnown() == Right.isKnown())
    return Value::unknown();
  const double Limit = Left.isKnown() ? Left.number() : Right.number();
  const Value Result = Left.isKnown() ? compare(Operation, Number, Left, Value::real(Usual))
                                      : compare(Operation, Number, Value::real(Usual), Right);
  if (Limit == 0)
    return Value::truth(Result.Bits != 0, Value::Positive);
  const bool IsUnusual = std::isinf(Limit) || std::abs(std::ilogb(Limit)) > MostExponent;
  return IsUnusual ? Told(Result) : Value::unknown();
}

/// The result of comparing an unknown integer with about zero: it is guessed that it is a size.
static Value comparePositive(const Instruction &I, const Value &Left, const Value &Right) {
  const Value &Limit = Left.isKnown() ? Left : Right;
  if (Left.isKnown() == Right.isKnown() || !Limit.isInteger() || I.Of.Bits < 16 ||
      std::abs(withSign(Limit.Bits, I.Of.Bits)) > 1)
    return Value::unknown();
  const Value Size = Value::integer(2);
  auto With = [&](const Value &Unknown) {
    return Left.isKnown() ? compare(I.Operation, I.Of, Left, Unknown)
                          : compare(I.Operation, I.Of, Unknown, Right);
  };
  // An order with a sign tells it from its negative; equality does not.
  const Value Negative = Value::integer(lowBits(-Size.Bits, I.Of.Bits));
  return With(Negative) == With(Size) ? Value::unknown()
                                      : Value::truth(With(Size).Bits != 0, Value::Positive);
}

/// Where control goes at the end of \p Block.
static std::vector<std::int64_t> next(const Function &Code, std::int64_t Block) {
  const Instruction &Last = Code.Blocks[std::size_t(Block)].back();
  switch (Last.What) {
  case Opcode::Jump:
    return {Last.Numbers[0]};
  case Opcode::Branch:
    return {Last.Numbers[0], Last.Numbers[1]};
  case Opcode::Switch:
    return {Last.Numbers.begin() + 1, Last.Numbers.end()};
  default:
    return {};
  }
}

static bool reaches(const Function &Code, std::int64_t From, std::int64_t To) {
  std::vector<bool> Seen(Code.Blocks.size());
  std::vector<std::int64_t> Open{From};
  while (!Open.empty()) {
    const std::int64_t Block = Open.back();
    Open.pop_back();
    if (Block == To)
      return true;
    if (Block == AtEnd || Seen[std::size_t(Block)])
      continue;
    Seen[std::size_t(Block)] = true;
    for (const std::int64_t Next : next(Code, Block))
      Open.push_back(Next);
  }
  return false;
}

/// Whether the function returns from \p Block on without a branch.
static bool onlyReturns(const Function &Code, std::int64_t Block) {
  static constexpr unsigned MaxBlocks = 8;
  for (unsigned I = 0; I != MaxBlocks; ++I) {
    if (Block == AtEnd || Code.Blocks[std::size_t(Block)].back().What == Opcode::Return)
      return true;
    const auto Next = next(Code, Block);
    if (Next.size() != 1)
      return false;
    Block = Next[0];
  }
  return false;
}

/// Whether one way of the branch at the end of \p Block leaves a loop, or only returns, and the
/// other does not: as ways do that unusual numbers take.
bool Machine::leavesEarly(const Function &Code, std::int64_t Block) {
  auto [Found, New] = EarlyLeaves.try_emplace({&Code, Block});
  if (New) {
    const Instruction &Last = Code.Blocks[std::size_t(Block)].back();
    const std::int64_t One = Last.Numbers[0], Other = Last.Numbers[1];
    Found->second = reaches(Code, One, Block) != reaches(Code, Other, Block) ||
                    onlyReturns(Code, One) != onlyReturns(Code, Other);
  }
  return Found->second;
}

/// Whether \p Compare compares a number with itself, or what is loaded from one place.
bool Machine::areSame(const Instruction &Compare, const Frame &F) const {
  const Operand &Left = Compare.Operands[0], &Right = Compare.Operands[1];
  if (Left.What != Operand::Kind::Register || Right.What != Operand::Kind::Register)
    return false;
  if (Left.Number == Right.Number)
    return true;
  auto PlaceOf = [&](const Operand &What) {
    for (const std::vector<Instruction> &Block : F.Code->Blocks)
      for (const Instruction &I : Block)
        if (I.HasResult && I.Result == What.Number)
          return I.What == Opcode::Load ? valueOf(I.Operands[0], F) : Value::unknown();
    return Value::unknown();
  };
  const Value From = PlaceOf(Left);
  return From.isPointer() && From.HasOffset && From == PlaceOf(Right);
}

/// Compares numbers of which one is not known. Where these may be anything, it only finds out
/// whether it matters.
Value Machine::compareUnknown(const Instruction &I, const Frame &F) {
  const bool AreAny = Numbers == UnknownNumbers::Any;
  if (AreAny && (OrdinaryMatters || !I.Of.isReal())) // tests of integers are for no rare cases
    return Value::unknown();
  const Value Left = valueOf(I.Operands[0], F), Right = valueOf(I.Operands[1], F);
  const Value Result = I.Of.isReal() ? compareOrdinary(I.Operation, Left, Right, areSame(I, F))
                       : I.Of.What == Type::Kind::Integer ? comparePositive(I, Left, Right)
                                                          : Value::unknown();
  OrdinaryMatters |= Result.isKnown();
  return AreAny ? Value::unknown() : Result;
}

/// A guess tells where a run goes, and not how often others go there.
void Machine::forgetShares(const Frame &F, const std::vector<std::int64_t> &Ways,
                           State &Now) const {
  for (const std::int64_t Way : Ways) {
    if (Way == AtEnd)
      continue;
    for (const Instruction &I : F.Code->Blocks[std::size_t(Way)]) {
      if (I.What == Opcode::Count)
        Now.Shares.changePageOf(F.Number)[{F.Number, I.Symbol}].IsKnown = false;
      else if (I.What != Opcode::Phi)
        break;
    }
  }
}

} // namespace ergon::code
