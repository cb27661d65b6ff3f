//===- WarpFormula.cpp - formulas over a warp and a box -------------------===//

#include "model/gpu/WarpFormula.h"

#include <algorithm>
#include <bit>

namespace ergon {

namespace {

__extension__ using Wide = __int128;

/// The minimum and maximum over the active lanes.
IndexRange ofLanes(const WarpValue &Value, LaneMask Active) {
  std::int64_t First = Value.Lane[unsigned(std::countr_zero(Active))];
  IndexRange Result{First, First};
  forLanes(Active, [&](unsigned L) {
    Result.First = std::min(Result.First, Value.Lane[L]);
    Result.Last = std::max(Result.Last, Value.Lane[L]);
  });
  return Result;
}

/// The variable with the largest effect on \p Value over the box.
unsigned widest(const WarpValue &Value, const WarpBox &Box) {
  unsigned Result = 0;
  Wide Most = -1;
  for (unsigned V = 0; V != Box.Variables; ++V) {
    if (Box.Ranges[V].isPoint() || Value.Steps[V] == 0)
      continue;
    Wide Change = Wide(Value.Steps[V]) * (Box.Ranges[V].size() - 1);
    Change = Change < 0 ? -Change : Change;
    if (Change > Most) {
      Most = Change;
      Result = V;
    }
  }
  return Result;
}

BoxCut inHalves(unsigned Variable, const WarpBox &Box) {
  const IndexRange &Range = Box.Ranges[Variable];
  return {Variable, Range.First + (Range.Last - Range.First) / 2 + 1};
}

/// Cuts where, along the widest variable, some lane first (or last) reaches \p Level. \p Lanes are
/// the extremes of the active lanes. Both sides of the crossing are then uniform; in between the
/// box is halved.
BoxCut atLevel(const WarpValue &Value, const WarpBox &Box, IndexRange Lanes, std::int64_t Level) {
  unsigned V = widest(Value, Box);
  const IndexRange &Range = Box.Ranges[V];
  WarpValue Others = Value;
  Others.Steps[V] = 0;
  IndexRange Rest = Others.span(Box);
  std::int64_t Step = Value.Steps[V];
  // From `All` on (upwards for a rising value) every lane has reached the level, before
  // `None` no lane has.
  auto Reaching = [&](std::int64_t Lane, std::int64_t Other) -> std::int64_t {
    Wide Missing = Wide(Level) - Lane - Other;
    Wide W = Step > 0 ? -floorQuotient<Wide>(-Missing, Step)      // ceil: the first v that has
                      : floorQuotient<Wide>(-Missing, -Step) + 1; // the first v that has not
    return std::int64_t(std::clamp<Wide>(W, Range.First, Wide(Range.Last) + 1));
  };
  for (std::int64_t Position : {Reaching(Lanes.First, Rest.First), Reaching(Lanes.Last, Rest.Last)})
    if (Position > Range.First && Position <= Range.Last)
      return {V, Position};
  return inHalves(V, Box);
}

WarpValue difference(const WarpValue &A, const WarpValue &B) {
  WarpValue Result;
  for (unsigned L = 0; L != LanesOfWarp; ++L)
    Result.Lane[L] = wordSum(A.Lane[L], wordProduct(B.Lane[L], -1));
  for (unsigned V = 0; V != WarpBox::MaxVariables; ++V)
    Result.Steps[V] = wordSum(A.Steps[V], wordProduct(B.Steps[V], -1));
  return Result;
}

using Evaluated = std::expected<WarpValue, BoxCut>;

template <class Compute>
WarpValue laneByLane(const WarpValue &A, const WarpValue &B, Compute Function) {
  WarpValue Result;
  for (unsigned L = 0; L != LanesOfWarp; ++L)
    Result.Lane[L] = Function(A.Lane[L], B.Lane[L]);
  return Result;
}

std::unexpected<BoxCut> halved(const WarpValue &Value, const WarpBox &Box) {
  return std::unexpected(inHalves(widest(Value, Box), Box));
}

Evaluated multiply(const WarpValue &A, const WarpValue &B, const WarpBox &Box) {
  bool Moves = A.hasSteps(Box), OtherMoves = B.hasSteps(Box);
  if (!Moves && !OtherMoves)
    return laneByLane(A, B, wordProduct);
  if (!Moves)
    return multiply(B, A, Box);
  IndexRange Factor = ofLanes(B, Box.Active);
  if (OtherMoves || !Factor.isPoint())
    return halved(A, Box); // a product of variables, or strides that differ between lanes
  WarpValue Result;
  for (unsigned L = 0; L != LanesOfWarp; ++L)
    Result.Lane[L] = wordProduct(A.Lane[L], Factor.First);
  for (unsigned V = 0; V != Box.Variables; ++V)
    Result.Steps[V] = wordProduct(A.Steps[V], Factor.First);
  return Result;
}

Evaluated divide(const WarpValue &A, const WarpValue &B, const WarpBox &Box) {
  if (B.hasSteps(Box))
    return halved(B, Box);
  if (!A.hasSteps(Box))
    return laneByLane(A, B, wordQuotient);
  IndexRange Divisor = ofLanes(B, Box.Active);
  std::int64_t Factor = Divisor.First;
  if (!Divisor.isPoint() || Factor <= 0)
    return Factor == 0 && Divisor.isPoint() ? Evaluated(WarpValue()) : halved(A, Box);
  WarpValue Result;
  bool Divides = true;
  for (unsigned V = 0; V != Box.Variables; ++V) {
    Divides &= Box.Ranges[V].isPoint() || A.Steps[V] % Factor == 0;
    Result.Steps[V] = A.Steps[V] / Factor;
  }
  if (Divides) {
    for (unsigned L = 0; L != LanesOfWarp; ++L)
      Result.Lane[L] = wordQuotient(A.Lane[L], Factor);
    return Result;
  }
  // Is the quotient constant over the box?
  Result.Steps = {};
  IndexRange Span = A.span(Box);
  bool IsConstant = true;
  forLanes(Box.Active, [&](unsigned L) {
    Result.Lane[L] = wordQuotient(wordSum(A.Lane[L], Span.First), Factor);
    IsConstant &= Result.Lane[L] == wordQuotient(wordSum(A.Lane[L], Span.Last), Factor);
  });
  if (IsConstant)
    return Result;
  // Start of the next quotient, if there are few of them.
  IndexRange Lanes = ofLanes(A, Box.Active);
  std::int64_t Least = wordQuotient(wordSum(Lanes.First, Span.First), Factor);
  if (wordQuotient(wordSum(Lanes.Last, Span.Last), Factor) - Least > 2)
    return halved(A, Box);
  return std::unexpected(atLevel(A, Box, Lanes, wordProduct(Least + 1, Factor)));
}

Evaluated greatest(const WarpValue &A, const WarpValue &B, const WarpBox &Box, bool Greatest) {
  WarpValue Gap = Greatest ? difference(A, B) : difference(B, A);
  std::expected<LaneMask, BoxCut> First = lanesNotNegative(Gap, Box);
  if (!First)
    return std::unexpected(First.error());
  if (*First == Box.Active)
    return A;
  if (*First == 0)
    return B;
  if (Gap.hasSteps(Box))
    return halved(Gap, Box); // strides would differ between lanes
  WarpValue Result = B;
  forLanes(*First, [&](unsigned L) { Result.Lane[L] = A.Lane[L]; });
  return Result;
}

} // namespace

double WarpBox::points() const {
  double Result = 1;
  for (unsigned V = 0; V != Variables; ++V)
    Result *= double(Ranges[V].size());
  return Result;
}

IndexRange WarpValue::span(const WarpBox &Box) const {
  IndexRange Result;
  for (unsigned V = 0; V != Box.Variables; ++V) {
    std::int64_t Single = wordProduct(Steps[V], Box.Ranges[V].First);
    std::int64_t Other = wordProduct(Steps[V], Box.Ranges[V].Last);
    Result.First = wordSum(Result.First, std::min(Single, Other));
    Result.Last = wordSum(Result.Last, std::max(Single, Other));
  }
  return Result;
}

bool WarpValue::hasSteps(const WarpBox &Box) const {
  for (unsigned V = 0; V != Box.Variables; ++V)
    if (Steps[V] != 0 && !Box.Ranges[V].isPoint())
      return true;
  return false;
}

std::expected<LaneMask, BoxCut> lanesNotNegative(const WarpValue &Value, const WarpBox &Box) {
  IndexRange Span = Value.span(Box);
  LaneMask Holds = 0, Fails = 0;
  forLanes(Box.Active, [&](unsigned L) {
    Holds |= LaneMask(wordSum(Value.Lane[L], Span.First) >= 0) << L;
    Fails |= LaneMask(wordSum(Value.Lane[L], Span.Last) < 0) << L;
  });
  if ((Holds | Fails) == Box.Active)
    return Holds;
  return std::unexpected(atLevel(Value, Box, ofLanes(Value, Box.Active), 0));
}

std::optional<WarpFormula> WarpFormula::compile(const Expr &E,
                                                const std::vector<std::string> &Iterations) {
  std::vector<std::string> Variables = {"threadIdx.x", "threadIdx.y", "threadIdx.z",
                                        "blockIdx.x",  "blockIdx.y",  "blockIdx.z"};
  if (3 + Iterations.size() > WarpBox::MaxVariables)
    return std::nullopt;
  Variables.insert(Variables.end(), Iterations.begin(), Iterations.end());
  auto Code = FormulaSteps::compile(E, Variables);
  if (!Code)
    return std::nullopt;
  WarpFormula Result;
  Result.Code = std::move(*Code);
  return Result;
}

/// The value of a variable: a thread index, or an induction variable.
static WarpValue variableIn(const WarpBox &Box, std::size_t Number) {
  WarpValue Value;
  if (Number < Box.Threads.size()) {
    Value.Lane = Box.Threads[Number];
    return Value;
  }
  const std::size_t Around = Number - Box.Threads.size();
  if (const IndexRange &Range = Box.Ranges[Around]; Range.isPoint())
    Value.Lane.fill(Range.First);
  else
    Value.Steps[Around] = 1;
  return Value;
}

Evaluated WarpFormula::over(const WarpBox &Box) const {
  std::vector<WarpValue> Stack;
  Stack.reserve(Code.Depth);
  using Op = FormulaSteps::Op;
  for (const FormulaSteps::Step &S : Code.Steps) {
    switch (S.What) {
    case Op::Number:
      Stack.emplace_back().Lane.fill(S.Operand);
      continue;
    case Op::Variable:
      Stack.push_back(variableIn(Box, std::size_t(S.Operand)));
      continue;
    case Op::Indicator: {
      std::expected<LaneMask, BoxCut> Holds = lanesNotNegative(Stack.back(), Box);
      if (!Holds)
        return std::unexpected(Holds.error());
      Stack.back() = {};
      forLanes(*Holds, [&](unsigned L) { Stack.back().Lane[L] = 1; });
      continue;
    }
    default:
      break;
    }
    WarpValue Right = Stack.back();
    Stack.pop_back();
    WarpValue &Left = Stack.back();
    Evaluated Result;
    switch (S.What) {
    case Op::Add:
      for (unsigned L = 0; L != LanesOfWarp; ++L)
        Left.Lane[L] = wordSum(Left.Lane[L], Right.Lane[L]);
      for (unsigned V = 0; V != WarpBox::MaxVariables; ++V)
        Left.Steps[V] = wordSum(Left.Steps[V], Right.Steps[V]);
      continue;
    case Op::Multiply:
      Result = multiply(Left, Right, Box);
      break;
    case Op::FloorDiv:
      Result = divide(Left, Right, Box);
      break;
    case Op::Max:
    case Op::Min:
      Result = greatest(Left, Right, Box, S.What == Op::Max);
      break;
    default: // powers and logarithms
      if (Left.hasSteps(Box) || Right.hasSteps(Box))
        return halved(Left.hasSteps(Box) ? Left : Right, Box);
      Result = laneByLane(Left, Right, S.What == Op::Power ? wordPower : wordLogarithm);
    }
    if (!Result)
      return Result;
    Left = *Result;
  }
  return Stack.back();
}

} // namespace ergon
