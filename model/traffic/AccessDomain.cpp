//===- AccessDomain.cpp - iteration domain and addresses of an access -----===//

#include "model/traffic/AccessDomain.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

namespace ergon {

/// Keeps the tightest of the limits that differ only in the constant, and drops those that always
/// hold.
void AccessDomain::add(const Limit &L, std::vector<Limit> &To) {
  if (L.Terms[0] >= 0 && std::all_of(L.Terms.begin() + 1, L.Terms.end(),
                                     [](std::int64_t Value) { return Value == 0; }))
    return;
  auto Position = std::ranges::find_if(To, [&](const Limit &Other) {
    return std::equal(L.Terms.begin() + 1, L.Terms.end(), Other.Terms.begin() + 1);
  });
  if (Position != To.end())
    Position->Terms[0] = std::min(Position->Terms[0], L.Terms[0]);
  else if (To.size() < MaxLimits)
    To.push_back(L);
}

/// Renumbers \p From to the variables of all formulas: the loops and every formula's quotients.
AffineForm AccessDomain::numbered(const QuasiAffineForm &From) {
  const std::size_t Own = From.Sum.Steps.size() - From.Quotients.size();
  std::vector<std::size_t> Numbers;
  auto renumber = [&](const AffineForm &AF) {
    AffineForm Result{AF.Constant, std::vector<std::int64_t>(loops())};
    for (std::size_t I = 0; I != AF.Steps.size(); ++I)
      if (AF.Steps[I] != 0)
        Result.Steps[I < Own ? I : Numbers[I - Own]] += AF.Steps[I];
    return Result;
  };
  for (const QuotientForm &Quotient : From.Quotients) {
    QuotientForm Made{renumber(Quotient.Numerator), Quotient.Divisor};
    while (Made.Numerator.Steps.size() > Form.Path.size() && Made.Numerator.Steps.back() == 0)
      Made.Numerator.Steps.pop_back();
    const auto Position = std::ranges::find(Quotients, Made);
    Numbers.push_back(Form.Path.size() + std::size_t(Position - Quotients.begin()));
    if (Position == Quotients.end())
      Quotients.push_back(std::move(Made));
  }
  return renumber(From.Sum);
}

/// Collects the quotients of all formulas, where bounding every variable needs them.
void AccessDomain::collectQuotients() {
  std::vector<const IntegerFormula *> All{&*Form.Offset};
  for (const Condition &C : Form.Conditions)
    All.push_back(&C);
  for (const LoopForm *Loop : Form.Path)
    for (const Condition &Bound : Loop->Bounds)
      All.push_back(&Bound);
  for (const IntegerFormula *Formula : All)
    OperationsEach += Formula->size() / 4; // conditions often fail early
  if (Form.IsLoose)
    std::erase_if(All, [](const IntegerFormula *IF) { return !IF->quasiAffine(); });
  IsLinear = Form.IsAffine || std::ranges::all_of(All, [](const IntegerFormula *F) {
               return F->quasiAffine().has_value();
             });
  if (IsLinear && !Form.IsAffine)
    for (const IntegerFormula *Element : All)
      numbered(*Element->quasiAffine());
}

void AccessDomain::addLimit(const Condition &From, std::vector<Limit> &To) {
  if (From.affine()) // otherwise the caller enumerates all loops
    add(limitOf(*From.affine()), To);
  else if (IsLinear && From.quasiAffine())
    add(limitOf(numbered(*From.quasiAffine())), To);
}

AccessDomain::Limit AccessDomain::limitOf(const AffineForm &Form) const {
  Limit L = emptyLimit();
  L.Terms[0] = Form.Constant;
  for (std::size_t I = 0; I != Form.Steps.size(); ++I)
    L.Terms[I < Fixed ? I + 1 : parameters() + I] = Form.Steps[I];
  return L;
}

/// Limits addresses to the requested lines: low - First·LineBytes + bytes - 1 >= 0 and
/// End·LineBytes - 1 - low >= 0.
void AccessDomain::addLineLimits(std::vector<Limit> &To) const {
  if (!IsLinear)
    return;
  Limit Above = Offset, Below = Above;
  for (std::int64_t &Term : Below.Terms)
    Term = -Term;
  Above.Terms[0] += Form.Base + Form.Access->Bytes - 1;
  Above.Terms[Fixed + 3] = -LineBytes;
  Below.Terms[0] -= Form.Base + 1;
  Below.Terms[Fixed + 4] = LineBytes;
  add(Above, To);
  add(Below, To);
}

std::vector<AccessDomain::Limit> AccessDomain::limitsOfLoops() {
  std::vector<Limit> All;
  for (std::size_t I = Fixed; I != Form.Path.size(); ++I) {
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
    if (Form.IsLoose) {
      Limit NotLater = emptyLimit();
      NotLater.Terms[0] = *Form.Path[I]->Highest;
      NotLater.Terms[parameters() + I] = -1;
      add(NotLater, All);
    }
    for (const Condition &Bound : Form.Path[I]->Bounds)
      addLimit(Bound, All);
  }
  for (const Condition &C : Form.Conditions)
    addLimit(C, All);
  if (HasWithin)
    addLineLimits(All);
  return All;
}

std::vector<AccessDomain::Limit> AccessDomain::remainders() const {
  std::vector<Limit> All;
  for (std::size_t Q = 0; Q != Quotients.size(); ++Q) {
    All.push_back(limitOf(Quotients[Q].Numerator));
    All.back().Terms[parameters() + Form.Path.size() + Q] = -Quotients[Q].Divisor;
  }
  return All;
}

/// Adds the limits 0 <= r < d of each quotient's remainder r. Where r is ±i plus other terms, r
/// replaces the induction variable i: in i = d·q + r, both q and r are integers whenever i is.
void AccessDomain::replaceLoops(std::vector<Limit> &All) {
  std::vector<Limit> Rests = remainders();
  for (std::size_t Q = 0; Q != Rests.size(); ++Q) {
    const Limit Rest = Rests[Q];
    std::size_t Loop = Form.Path.size();
    while (Loop != Fixed && std::abs(Rest.Terms[parameters() + Loop - 1]) != 1)
      --Loop;
    if (Loop == Fixed)
      continue;
    const std::size_t Position = parameters() + Loop - 1;
    auto replace = [&](Limit &L) {
      const std::int64_t Times = L.Terms[Position] * Rest.Terms[Position];
      for (std::size_t I = 0; Times != 0 && I != L.Terms.size(); ++I)
        L.Terms[I] -= Times * Rest.Terms[I];
      L.Terms[Position] += Times;
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
  for (const Limit &Element : Known)
    add(Element, All);
}

/// Eliminates one variable (Fourier-Motzkin): each of its lower bounds is at most each upper bound.
std::vector<AccessDomain::Limit> AccessDomain::eliminate(const std::vector<Limit> &From,
                                                         std::size_t Loop) const {
  std::vector<Limit> Left;
  const std::size_t Position = parameters() + Loop;
  Limit L;
  for (const Limit &Lower : From) {
    if (Lower.Terms[Position] == 0)
      add(Lower, Left);
    if (Lower.Terms[Position] <= 0)
      continue;
    for (const Limit &Upper : From) {
      if (Upper.Terms[Position] >= 0)
        continue;
      std::int64_t Common = std::gcd(Lower.Terms[Position], Upper.Terms[Position]);
      std::int64_t A = -Upper.Terms[Position] / Common, B = Lower.Terms[Position] / Common;
      L.Terms.resize(Lower.Terms.size());
      for (std::size_t I = 0; I != L.Terms.size(); ++I)
        L.Terms[I] = A * Lower.Terms[I] + B * Upper.Terms[I];
      add(L, Left);
    }
  }
  return Left;
}

/// Skews a loop whose stride is a multiple of other strides, or nearly so, so that its stride
/// shrinks: with i' = i + k, a[i + k][k] is row i', column k.
void AccessDomain::turn(std::vector<std::int64_t> &Steps, std::vector<Limit> &Limits) const {
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
      // At most once: a larger multiple would leave gaps between the iterations.
      Times[B] = std::clamp<std::int64_t>(Rest / Steps[B], -1, 1);
      Rest -= Times[B] * Steps[B];
    }
    auto isUsed = [&](std::size_t B) {
      return Times[B] != 0 && std::abs(Rest) < std::abs(Steps[B]);
    };
    if (!std::ranges::any_of(Others, isUsed))
      continue;
    Steps[A] = Rest;
    for (Limit &L : Limits)
      for (std::size_t B : Others)
        L.Terms[parameters() + A] -= Times[B] * L.Terms[parameters() + B];
  }
}

AccessDomain::AccessDomain(const AccessForm &Form, std::size_t Fixed, bool HasWithin,
                           unsigned LineBytes)
    : Form(Form), Fixed(Fixed), LineBytes(LineBytes), LineShift(std::countr_zero(LineBytes)),
      HasWithin(HasWithin) {
  collectQuotients();
  if (IsLinear)
    Offset = limitOf(numbered(*Form.Offset->quasiAffine()));
  std::vector<Limit> All = limitsOfLoops();
  std::vector<std::int64_t> Steps(loops());
  if (IsLinear) {
    replaceLoops(All);
    std::copy(Offset.Terms.begin() + std::ptrdiff_t(parameters() + Fixed), Offset.Terms.end(),
              Steps.begin() + std::ptrdiff_t(Fixed));
    turn(Steps, All);
  }
  std::vector<std::pair<std::int64_t, std::size_t>> Order;
  // Quotients stay: elimination would lose the relation between remainder and iteration.
  for (std::size_t I = Fixed; I != loops(); ++I)
    Order.push_back({Steps[I] == 0 && I >= Form.Path.size() ? -Far : -std::abs(Steps[I]), I});
  std::ranges::sort(Order);
  for (std::size_t P = Order.size(); P-- != 0;) {
    const std::size_t Loop = Order[P].second;
    std::vector<Limit> Fewer = eliminate(All, Loop);
    if (!IsLinear || Steps[Loop] != 0 || Loop >= Form.Path.size())
      Dimensions.push_back({Loop, Steps[Loop], std::move(All), IsLinear});
    All = std::move(Fewer);
  }
  Guards = std::move(All);
  std::ranges::reverse(Dimensions);
  const std::size_t ByLoop = parameters();
  for (std::size_t P = 0; P != Dimensions.size(); ++P) {
    std::erase_if(Dimensions[P].Limits,
                  [&](const Limit &L) { return L.Terms[ByLoop + Dimensions[P].Loop] == 0; });
    for (Limit &Element : Dimensions[P].Limits) {
      for (std::size_t Q = 0; Q <= P; ++Q) {
        Element.Steps.push_back(Element.Terms[ByLoop + Dimensions[Q].Loop]);
        if (Q != P && Element.Steps.back() != 0)
          Dimensions[Q].IsAlone = false;
      }
      Element.Terms.resize(ByLoop);
    }
  }
  Indices.resize(loops());
  Given.resize(parameters(), 1);
  Numbers.resize(Dimensions.size());
}

/// False where the query's values leave no iteration.
bool AccessDomain::prepare(const DomainQuery &Query) {
  std::ranges::copy(Query.Around, Given.begin() + 1);
  Iterations Some = Query.Some.value_or(Iterations());
  Some.Last = std::min(Some.Last, Far);
  const LineRange LR = Query.Range.value_or(LineRange{0, 0});
  std::ranges::copy(std::array{Some.First, Some.Last, LR.First, LR.End},
                    Given.begin() + std::ptrdiff_t(Fixed) + 1);
  auto sumOf = [&](const Limit &L) {
    return std::inner_product(Given.begin(), Given.end(), L.Terms.begin(), std::int64_t(0));
  };
  if (std::ranges::any_of(Guards, [&](const Limit &Element) { return sumOf(Element) < 0; }))
    return false;
  auto put = [&](std::int64_t &Result, std::int64_t Value) {
    IsKnown &= Result == Value;
    Result = Value;
  };
  std::ranges::copy(Query.Around, Indices.begin());
  if (IsLinear)
    put(Start, Form.Base + sumOf(Offset));
  for (Dimension &P : Dimensions)
    for (Limit &Single : P.Limits)
      put(Single.Rest, sumOf(Single));
  return true;
}

Iterations AccessDomain::rangeAt(std::size_t P) const {
  const Dimension &Current = Dimensions[P];
  Iterations Range{-Far, Far};
  if (!IsLinear && !Form.Path[Current.Loop]->IsAffine)
    Range.Last = (*Form.Path[Current.Loop]->Last)(Indices);
  for (const Limit &L : Current.Limits) {
    std::int64_t Rest = L.Rest;
    for (std::size_t Q = 0; Q != P; ++Q)
      Rest += L.Steps[Q] * Numbers[Q];
    cutRange(Range, L.Steps[P], Rest);
  }
  return Range;
}

std::optional<AccessDomain::Span> AccessDomain::spanAt(std::size_t P, std::int64_t Number) {
  Numbers[P] = Indices[Dimensions[P].Loop] = Number;
  return joined(P + 1);
}

std::int64_t AccessDomain::Rows::narrowest() const {
  std::int64_t Width = First.High - First.Low;
  return std::min(Width, Width + (HighStep - LowStep) * (Count - 1));
}

/// Largest number of bytes between a range and the next one.
std::int64_t AccessDomain::Rows::gap() const {
  return Count == 1 ? 0 : std::max(std::abs(LowStep), std::abs(HighStep)) - narrowest();
}

AccessDomain::Span AccessDomain::Rows::hull() const {
  return {First.Low + std::min<std::int64_t>(0, LowStep * (Count - 1)),
          First.High + std::max<std::int64_t>(0, HighStep * (Count - 1))};
}

std::optional<AccessDomain::Rows> AccessDomain::rowsAt(std::size_t P, const Iterations &Range) {
  auto First = spanAt(P, Range.First);
  std::int64_t Steps = Range.Last - Range.First;
  if (!First || Steps == 0)
    return First ? std::optional(Rows{*First, 1, 0, 0}) : std::nullopt;
  if (Dimensions[P].IsAlone)
    return Rows{*First, Steps + 1, Dimensions[P].Move, Dimensions[P].Move};
  auto Last = spanAt(P, Range.Last),
       Middle = Steps < 2 ? First : spanAt(P, Range.First + Steps / 2);
  if (!Last || !Middle || First->empty() || Last->empty() || Middle->empty())
    return std::nullopt;
  Rows Result{*First, Steps + 1, (Last->Low - First->Low) / Steps,
              (Last->High - First->High) / Steps};
  auto isAt = [&](const Span &S, std::int64_t I) {
    return S.Low == First->Low + I * Result.LowStep && S.High == First->High + I * Result.HighStep;
  };
  return isAt(*Last, Steps) && isAt(*Middle, Steps / 2) ? std::optional(Result) : std::nullopt;
}

/// The one range that variables from \p P on cover without a gap of a line; nothing where there may
/// be several.
std::optional<AccessDomain::Span> AccessDomain::joined(std::size_t P) {
  if (!IsLinear)
    spend();
  if (P == Dimensions.size()) {
    if (!IsLinear && !hold(Form.Conditions, Indices))
      return Span{};
    std::int64_t Low = IsLinear ? Start : Form.Base + (*Form.Offset)(Indices);
    for (std::size_t Q = 0; IsLinear && Q != Dimensions.size(); ++Q)
      Low += Dimensions[Q].Move * Numbers[Q];
    return Span{Low, Low + Form.Access->Bytes};
  }
  Iterations Range = rangeAt(P);
  if (Range.First > Range.Last)
    return Span{};
  auto All = rowsAt(P, Range);
  if (!All || All->gap() >= LineBytes)
    return std::nullopt;
  return All->First.empty() ? All->First : All->hull();
}

void AccessDomain::emit(const Span &S) {
  if (!S.empty())
    Target->push_back({S.Low >> LineShift, ((S.High - 1) >> LineShift) + 1});
}

void AccessDomain::walk(std::size_t P) {
  if (P == Dimensions.size())
    emit(joined(P).value());
  else
    walkRows(P, rangeAt(P));
}

void AccessDomain::walkRows(std::size_t P, const Iterations &Range) {
  if (Range.First > Range.Last)
    return;
  if (auto All = rowsAt(P, Range)) {
    if (All->gap() < LineBytes)
      return emit(All->First.empty() ? All->First : All->hull());
    Span S = All->First;
    for (std::int64_t I = 0; I != All->Count && Budget != 0; ++I, spend()) {
      emit(S);
      S = {S.Low + All->LowStep, S.High + All->HighStep};
    }
    return;
  }
  const std::int64_t Middle = Range.First + (Range.Last - Range.First) / 2;
  if (IsLinear && Range.First != Range.Last && spanAt(P, Middle)) {
    // The bounds are only piecewise linear.
    walkRows(P, {Range.First, Middle});
    return walkRows(P, {Middle + 1, Range.Last});
  }
  for (std::int64_t I = Range.First; I <= Range.Last && Budget != 0; ++I, spend()) {
    Numbers[P] = Indices[Dimensions[P].Loop] = I;
    walk(P + 1);
  }
}

const LineSet &AccessDomain::linesOf(const DomainQuery &Query, std::vector<LineRange> &Memory,
                                     DomainEffort &Left) {
  static const LineSet None;
  if (!prepare(Query) || (IsLinear && (IsCut || Left.Runs == 0)))
    return None;
  if (!IsKnown) {
    Memory.clear();
    Target = &Memory;
    const std::size_t Most =
        IsLinear ? MaxRanges : std::min(MaxRanges, Left.Operations / OperationsEach);
    Budget = Most;
    walk(0);
    IsCut |= Budget == 0;
    Left.Operations -= IsLinear ? 0 : (Most - Budget) * OperationsEach;
    Lines.assign(Memory);
    IsCut |= IsLinear && Lines.runs().size() > MaxRuns;
    if (IsLinear && IsCut)
      return None;
    if (IsLinear) {
      Runs += Lines.runs().size();
      Left.Runs -= std::min(Left.Runs, Lines.runs().size());
    }
    IsKnown = IsLinear;
  }
  return Lines;
}

} // namespace ergon
