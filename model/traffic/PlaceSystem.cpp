//===- PlaceSystem.cpp - where an access goes while loops run -------------===//

#include "model/traffic/PlaceSystem.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

namespace ergon {

/// Of limits that differ in the constant alone, the narrowest; none that always holds.
void PlaceSystem::add(const Limit &One, std::vector<Limit> &To) {
  if (One.Terms[0] >= 0 && std::all_of(One.Terms.begin() + 1, One.Terms.end(),
                                       [](std::int64_t Each) { return Each == 0; }))
    return;
  auto Same = std::ranges::find_if(To, [&](const Limit &Other) {
    return std::equal(One.Terms.begin() + 1, One.Terms.end(), Other.Terms.begin() + 1);
  });
  if (Same != To.end())
    Same->Terms[0] = std::min(Same->Terms[0], One.Terms[0]);
  else if (To.size() < MaxLimits)
    To.push_back(One);
}

/// \p From in the numbers of loops and of all formulas' quotients, to which its own are added.
AffineForm PlaceSystem::numbered(const QuasiAffineForm &From) {
  const std::size_t Own = From.Sum.Steps.size() - From.Quotients.size();
  std::vector<std::size_t> Places;
  auto renumber = [&](const AffineForm &Each) {
    AffineForm Result{Each.Constant, std::vector<std::int64_t>(loops())};
    for (std::size_t I = 0; I != Each.Steps.size(); ++I)
      if (Each.Steps[I] != 0)
        Result.Steps[I < Own ? I : Places[I - Own]] += Each.Steps[I];
    return Result;
  };
  for (const QuotientForm &Each : From.Quotients) {
    QuotientForm Made{renumber(Each.Numerator), Each.Divisor};
    while (Made.Numerator.Steps.size() > Of.Path.size() && Made.Numerator.Steps.back() == 0)
      Made.Numerator.Steps.pop_back();
    const auto Same = std::ranges::find(Quotients, Made);
    Places.push_back(Of.Path.size() + std::size_t(Same - Quotients.begin()));
    if (Same == Quotients.end())
      Quotients.push_back(std::move(Made));
  }
  return renumber(From.Sum);
}

/// Those of all formulas, where they are what is needed to have limits for everything.
void PlaceSystem::collectQuotients() {
  std::vector<const IntegerFormula *> All{&*Of.Offset};
  for (const Condition &Each : Of.Conditions)
    All.push_back(&Each);
  for (const LoopForm *Loop : Of.Path)
    for (const Condition &Each : Loop->Bounds)
      All.push_back(&Each);
  for (const IntegerFormula *Each : All)
    OperationsEach += Each->size() / 4; // conditions often fail early
  if (Of.IsLoose)
    std::erase_if(All, [](const IntegerFormula *Each) { return !Each->quasiAffine(); });
  IsLinear = Of.IsAffine || std::ranges::all_of(All, [](const IntegerFormula *Each) {
               return Each->quasiAffine().has_value();
             });
  if (IsLinear && !Of.IsAffine)
    for (const IntegerFormula *Each : All)
      numbered(*Each->quasiAffine());
}

void PlaceSystem::addLimit(const Condition &From, std::vector<Limit> &To) {
  if (From.affine()) // else asked where all loops have numbers
    add(limitOf(*From.affine()), To);
  else if (IsLinear && From.quasiAffine())
    add(limitOf(numbered(*From.quasiAffine())), To);
}

PlaceSystem::Limit PlaceSystem::limitOf(const AffineForm &From) const {
  Limit One = emptyLimit();
  One.Terms[0] = From.Constant;
  for (std::size_t I = 0; I != From.Steps.size(); ++I)
    One.Terms[I < Fixed ? I + 1 : parameters() + I] = From.Steps[I];
  return One;
}

/// Places within the lines that are asked for: low - First·LineBytes + bytes - 1 >= 0 and
/// End·LineBytes - 1 - low >= 0.
void PlaceSystem::addPlaceLimits(std::vector<Limit> &To) const {
  if (!IsLinear)
    return;
  Limit Above = Offset, Below = Above;
  for (std::int64_t &Each : Below.Terms)
    Each = -Each;
  Above.Terms[0] += Of.Base + Of.Of->Bytes - 1;
  Above.Terms[Fixed + 3] = -LineBytes;
  Below.Terms[0] -= Of.Base + 1;
  Below.Terms[Fixed + 4] = LineBytes;
  add(Above, To);
  add(Below, To);
}

std::vector<PlaceSystem::Limit> PlaceSystem::limitsOfLoops() {
  std::vector<Limit> All;
  for (std::size_t I = Fixed; I != Of.Path.size(); ++I) {
    Limit NotEarlier = emptyLimit();
    NotEarlier.Terms[parameters() + I] = 1;
    if (I == Fixed) {
      Limit NotLater = NotEarlier;
      NotEarlier.Terms[Fixed + 1] = -1;
      NotLater.Terms[parameters() + I] = -1;
      NotLater.Terms[Fixed + 2] = 1;
      add(NotLater, All);
    }
    add(NotEarlier, All);
    if (Of.IsLoose) {
      Limit NotLater = emptyLimit();
      NotLater.Terms[0] = *Of.Path[I]->Highest;
      NotLater.Terms[parameters() + I] = -1;
      add(NotLater, All);
    }
    for (const Condition &Each : Of.Path[I]->Bounds)
      addLimit(Each, All);
  }
  for (const Condition &Each : Of.Conditions)
    addLimit(Each, All);
  if (HasWithin)
    addPlaceLimits(All);
  return All;
}

std::vector<PlaceSystem::Limit> PlaceSystem::remainders() const {
  std::vector<Limit> All;
  for (std::size_t Q = 0; Q != Quotients.size(); ++Q) {
    All.push_back(limitOf(Quotients[Q].Numerator));
    All.back().Terms[parameters() + Of.Path.size() + Q] = -Quotients[Q].Divisor;
  }
  return All;
}

/// Adds the limits of quotients: 0 <= r < d for the remainder r. Where r is ±i and other terms, it
/// is put for the loop's number i: of i = d·q + r both q and r are whole whenever i is.
void PlaceSystem::replaceLoops(std::vector<Limit> &All) {
  std::vector<Limit> Rests = remainders();
  for (std::size_t Q = 0; Q != Rests.size(); ++Q) {
    const Limit Rest = Rests[Q];
    std::size_t Loop = Of.Path.size();
    while (Loop != Fixed && std::abs(Rest.Terms[parameters() + Loop - 1]) != 1)
      --Loop;
    if (Loop == Fixed)
      continue;
    const std::size_t At = parameters() + Loop - 1;
    auto replace = [&](Limit &Each) {
      const std::int64_t Times = Each.Terms[At] * Rest.Terms[At];
      for (std::size_t I = 0; Times != 0 && I != Each.Terms.size(); ++I)
        Each.Terms[I] -= Times * Rest.Terms[I];
      Each.Terms[At] += Times;
    };
    std::ranges::for_each(All, replace);
    std::ranges::for_each(Rests, replace);
    replace(Offset);
  }
  const std::vector<Limit> Known = std::exchange(All, {});
  for (std::size_t Q = 0; Q != Rests.size(); ++Q) {
    Limit Most = Rests[Q];
    std::ranges::transform(Most.Terms, Most.Terms.begin(), std::negate());
    Most.Terms[0] += Quotients[Q].Divisor - 1;
    add(Rests[Q], All);
    add(Most, All);
  }
  for (const Limit &Each : Known)
    add(Each, All);
}

/// What the limits say of the other loops: each lower bound of this one is not above each
/// upper bound.
std::vector<PlaceSystem::Limit> PlaceSystem::eliminate(const std::vector<Limit> &From,
                                                       std::size_t Loop) const {
  std::vector<Limit> Left;
  const std::size_t At = parameters() + Loop;
  Limit Both;
  for (const Limit &Lower : From) {
    if (Lower.Terms[At] == 0)
      add(Lower, Left);
    if (Lower.Terms[At] <= 0)
      continue;
    for (const Limit &Upper : From) {
      if (Upper.Terms[At] >= 0)
        continue;
      std::int64_t Common = std::gcd(Lower.Terms[At], Upper.Terms[At]);
      std::int64_t A = -Upper.Terms[At] / Common, B = Lower.Terms[At] / Common;
      Both.Terms.resize(Lower.Terms.size());
      for (std::size_t I = 0; I != Both.Terms.size(); ++I)
        Both.Terms[I] = A * Lower.Terms[I] + B * Upper.Terms[I];
      add(Both, Left);
    }
  }
  return Left;
}

/// A loop that moves as far as an iteration of others does, or nearly so, moves less beside loops
/// that count its iterations too: with i' = i + k, a[i + k][k] is in row i', column k.
void PlaceSystem::turn(std::vector<std::int64_t> &Steps, std::vector<Limit> &Limits) const {
  for (std::size_t A = Fixed; A != Steps.size(); ++A) {
    std::vector<std::size_t> Others;
    for (std::size_t B = Fixed; B != Steps.size(); ++B)
      if (B != A && Steps[B] != 0 && std::abs(Steps[B]) <= std::abs(Steps[A]))
        Others.push_back(B);
    std::ranges::sort(Others, std::greater<>(),
                      [&](std::size_t B) { return std::pair(std::abs(Steps[B]), B); });
    std::int64_t Rest = Steps[A];
    std::vector<std::int64_t> Times(Steps.size());
    for (std::size_t B : Others) {
      // Once only: what is stepped over by a greater number must not be filled.
      Times[B] = std::clamp<std::int64_t>(Rest / Steps[B], -1, 1);
      Rest -= Times[B] * Steps[B];
    }
    auto isUsed = [&](std::size_t B) {
      return Times[B] != 0 && std::abs(Rest) < std::abs(Steps[B]);
    };
    if (!std::ranges::any_of(Others, isUsed))
      continue;
    Steps[A] = Rest;
    for (Limit &Each : Limits)
      for (std::size_t B : Others)
        Each.Terms[parameters() + A] -= Times[B] * Each.Terms[parameters() + B];
  }
}

PlaceSystem::PlaceSystem(const AccessForm &Of, std::size_t Fixed, bool HasWithin,
                         unsigned LineBytes)
    : Of(Of), Fixed(Fixed), LineBytes(LineBytes), LineShift(std::countr_zero(LineBytes)),
      HasWithin(HasWithin) {
  collectQuotients();
  if (IsLinear)
    Offset = limitOf(numbered(*Of.Offset->quasiAffine()));
  std::vector<Limit> All = limitsOfLoops();
  std::vector<std::int64_t> Steps(loops());
  if (IsLinear) {
    replaceLoops(All);
    std::copy(Offset.Terms.begin() + std::ptrdiff_t(parameters() + Fixed), Offset.Terms.end(),
              Steps.begin() + std::ptrdiff_t(Fixed));
    turn(Steps, All);
  }
  std::vector<std::pair<std::int64_t, std::size_t>> Order;
  // Eliminated, a quotient would leave all remainders to any part of the iterations.
  for (std::size_t I = Fixed; I != loops(); ++I)
    Order.push_back({Steps[I] == 0 && I >= Of.Path.size() ? -Far : -std::abs(Steps[I]), I});
  std::ranges::sort(Order);
  for (std::size_t P = Order.size(); P-- != 0;) {
    const std::size_t Loop = Order[P].second;
    std::vector<Limit> Fewer = eliminate(All, Loop);
    if (!IsLinear || Steps[Loop] != 0 || Loop >= Of.Path.size())
      Places.push_back({Loop, Steps[Loop], std::move(All), IsLinear});
    All = std::move(Fewer);
  }
  Guards = std::move(All);
  std::ranges::reverse(Places);
  const std::size_t ByLoop = parameters();
  for (std::size_t P = 0; P != Places.size(); ++P) {
    std::erase_if(Places[P].Limits,
                  [&](const Limit &Each) { return Each.Terms[ByLoop + Places[P].Loop] == 0; });
    for (Limit &Each : Places[P].Limits) {
      for (std::size_t Q = 0; Q <= P; ++Q) {
        Each.Steps.push_back(Each.Terms[ByLoop + Places[Q].Loop]);
        if (Q != P && Each.Steps.back() != 0)
          Places[Q].IsAlone = false;
      }
      Each.Terms.resize(ByLoop);
    }
  }
  At.resize(loops());
  Given.resize(parameters(), 1);
  Numbers.resize(Places.size());
}

/// False where the query's numbers leave no iteration.
bool PlaceSystem::prepare(const PlaceQuery &Query) {
  std::ranges::copy(Query.Around, Given.begin() + 1);
  Iterations Some = Query.Some.value_or(Iterations());
  Some.Last = std::min(Some.Last, Far);
  const LineRange Within = Query.Within.value_or(LineRange{0, 0});
  std::ranges::copy(std::array{Some.First, Some.Last, Within.First, Within.End},
                    Given.begin() + std::ptrdiff_t(Fixed) + 1);
  auto sumOf = [&](const Limit &One) {
    return std::inner_product(Given.begin(), Given.end(), One.Terms.begin(), std::int64_t(0));
  };
  if (std::ranges::any_of(Guards, [&](const Limit &Each) { return sumOf(Each) < 0; }))
    return false;
  auto put = [&](std::int64_t &Into, std::int64_t Value) {
    IsKnown &= Into == Value;
    Into = Value;
  };
  std::ranges::copy(Query.Around, At.begin());
  if (IsLinear)
    put(Start, Of.Base + sumOf(Offset));
  for (Place &Each : Places)
    for (Limit &One : Each.Limits)
      put(One.Rest, sumOf(One));
  return true;
}

Iterations PlaceSystem::rangeAt(std::size_t P) const {
  const Place &Here = Places[P];
  Iterations Range{-Far, Far};
  if (!IsLinear && !Of.Path[Here.Loop]->IsAffine)
    Range.Last = (*Of.Path[Here.Loop]->Last)(At);
  for (const Limit &Each : Here.Limits) {
    std::int64_t Rest = Each.Rest;
    for (std::size_t Q = 0; Q != P; ++Q)
      Rest += Each.Steps[Q] * Numbers[Q];
    cutRange(Range, Each.Steps[P], Rest);
  }
  return Range;
}

std::optional<PlaceSystem::Span> PlaceSystem::spanAt(std::size_t P, std::int64_t Number) {
  Numbers[P] = At[Places[P].Loop] = Number;
  return joined(P + 1);
}

std::int64_t PlaceSystem::Rows::narrowest() const {
  std::int64_t Width = First.High - First.Low;
  return std::min(Width, Width + (HighStep - LowStep) * (Count - 1));
}

/// Bytes between a range and the next one, at most.
std::int64_t PlaceSystem::Rows::gap() const {
  return Count == 1 ? 0 : std::max(std::abs(LowStep), std::abs(HighStep)) - narrowest();
}

PlaceSystem::Span PlaceSystem::Rows::hull() const {
  return {First.Low + std::min<std::int64_t>(0, LowStep * (Count - 1)),
          First.High + std::max<std::int64_t>(0, HighStep * (Count - 1))};
}

std::optional<PlaceSystem::Rows> PlaceSystem::rowsAt(std::size_t P, const Iterations &Range) {
  auto First = spanAt(P, Range.First);
  std::int64_t Steps = Range.Last - Range.First;
  if (!First || Steps == 0)
    return First ? std::optional(Rows{*First, 1, 0, 0}) : std::nullopt;
  if (Places[P].IsAlone)
    return Rows{*First, Steps + 1, Places[P].Move, Places[P].Move};
  auto Last = spanAt(P, Range.Last),
       Middle = Steps < 2 ? First : spanAt(P, Range.First + Steps / 2);
  if (!Last || !Middle || First->empty() || Last->empty() || Middle->empty())
    return std::nullopt;
  Rows Result{*First, Steps + 1, (Last->Low - First->Low) / Steps,
              (Last->High - First->High) / Steps};
  auto isAt = [&](const Span &One, std::int64_t I) {
    return One.Low == First->Low + I * Result.LowStep &&
           One.High == First->High + I * Result.HighStep;
  };
  return isAt(*Last, Steps) && isAt(*Middle, Steps / 2) ? std::optional(Result) : std::nullopt;
}

/// The one range that all places from \p P on make up without a gap as long as a line;
/// nothing where there may be several.
std::optional<PlaceSystem::Span> PlaceSystem::joined(std::size_t P) {
  if (!IsLinear)
    spend();
  if (P == Places.size()) {
    if (!IsLinear && !hold(Of.Conditions, At))
      return Span{};
    std::int64_t Low = IsLinear ? Start : Of.Base + (*Of.Offset)(At);
    for (std::size_t Q = 0; IsLinear && Q != Places.size(); ++Q)
      Low += Places[Q].Move * Numbers[Q];
    return Span{Low, Low + Of.Of->Bytes};
  }
  Iterations Range = rangeAt(P);
  if (Range.First > Range.Last)
    return Span{};
  auto All = rowsAt(P, Range);
  if (!All || All->gap() >= LineBytes)
    return std::nullopt;
  return All->First.empty() ? All->First : All->hull();
}

void PlaceSystem::emit(const Span &One) {
  if (!One.empty())
    Into->push_back({One.Low >> LineShift, ((One.High - 1) >> LineShift) + 1});
}

void PlaceSystem::walk(std::size_t P) {
  if (P == Places.size())
    emit(joined(P).value());
  else
    walkRows(P, rangeAt(P));
}

void PlaceSystem::walkRows(std::size_t P, const Iterations &Range) {
  if (Range.First > Range.Last)
    return;
  if (auto All = rowsAt(P, Range)) {
    if (All->gap() < LineBytes)
      return emit(All->First.empty() ? All->First : All->hull());
    Span One = All->First;
    for (std::int64_t I = 0; I != All->Count && Budget != 0; ++I, spend()) {
      emit(One);
      One = {One.Low + All->LowStep, One.High + All->HighStep};
    }
    return;
  }
  const std::int64_t Middle = Range.First + (Range.Last - Range.First) / 2;
  if (IsLinear && Range.First != Range.Last && spanAt(P, Middle)) {
    // The ends bend somewhere.
    walkRows(P, {Range.First, Middle});
    return walkRows(P, {Middle + 1, Range.Last});
  }
  for (std::int64_t I = Range.First; I <= Range.Last && Budget != 0; ++I, spend()) {
    Numbers[P] = At[Places[P].Loop] = I;
    walk(P + 1);
  }
}

const LineSet &PlaceSystem::linesOf(const PlaceQuery &Query, std::vector<LineRange> &Memory,
                                    std::size_t &Effort) {
  static const LineSet None;
  if (!prepare(Query))
    return None;
  if (!IsKnown) {
    Memory.clear();
    Into = &Memory;
    const std::size_t Most = IsLinear ? MaxRanges : std::min(MaxRanges, Effort / OperationsEach);
    Budget = Most;
    walk(0);
    IsCut |= Budget == 0;
    Effort -= IsLinear ? 0 : (Most - Budget) * OperationsEach;
    Lines.assign(Memory);
    IsKnown = IsLinear;
  }
  return Lines;
}

} // namespace ergon
