//===- LineRegions.cpp - lines that a part of a program touches -----------===//

#include "model/LineRegions.h"

#include <algorithm>
#include <array>

namespace ergon {

static std::int64_t floorQuotient(std::int64_t Value, std::int64_t By) {
  return Value / By - (Value % By != 0 && (Value < 0) != (By < 0));
}

static std::int64_t lineOf(std::int64_t Address, std::int64_t LineBytes) {
  return floorQuotient(Address, LineBytes);
}

std::int64_t lastOf(const LoopForm &Of, const Iteration &Around) {
  std::int64_t Last = (*Of.Last)(Around);
  for (const Condition &Each : Of.Bounds) {
    if (!Each.affine())
      continue;
    const AffineForm &Form = *Each.affine();
    if (Form.Steps.size() != Of.Depth + 1 || Form.Steps.back() >= 0)
      continue;
    std::int64_t Rest = Form.Constant;
    for (std::size_t I = 0; I != Of.Depth; ++I)
      Rest += Form.Steps[I] * Around[I];
    Last = std::min(Last, floorQuotient(Rest, -Form.Steps.back()));
  }
  return Last;
}

bool hold(const std::vector<Condition> &All, const Iteration &Around) {
  return std::ranges::all_of(All, [&](const Condition &Each) { return Each(Around) >= 0; });
}

namespace {
/// Enumerates the places of one access as ranges of bytes. Loops are ordered by how far
/// one iteration moves, the farthest first, so that ranges that join are found without
/// walking through them.
class PlaceWalker {
public:
  PlaceWalker(const AccessForm &Of, const Iteration &Around, Iterations Some, unsigned LineBytes,
              LineRange Within)
      : Of(Of), Fixed(Around.size()), LineBytes(LineBytes), At(Around), Some(Some), Within(Within) {
    At.resize(Of.Path.size());
  }

  void run(LineSet &Into);

private:
  /// Bytes Low <= address < High; empty where High <= Low.
  struct Span {
    std::int64_t Low = 0, High = 0;
    bool empty() const { return High <= Low; }
  };
  /// Constant + Σ Steps[i]·loop i >= 0, over the loops that run.
  struct Limit {
    std::int64_t Constant;
    std::vector<std::int64_t> Steps; ///< by loop, from `Fixed` on
  };

  const AccessForm &Of;
  std::size_t Fixed;
  std::int64_t LineBytes;
  Iteration At;
  Iterations Some;
  LineRange Within;
  std::vector<std::size_t> Order; ///< loops, outermost first
  std::vector<std::int64_t> Move; ///< bytes that one iteration moves, by loop; 0: not known
  std::vector<Limit> Limits;
  std::vector<Iterations> Hull; ///< of each loop from `Fixed` on, wherever the others are
  std::vector<bool> IsAlone;    ///< no limit is of this place of the order and a later one
  LineSet *Into = nullptr;
  std::size_t Budget = 1 << 15;

  std::size_t loops() const { return Of.Path.size() - Fixed; }
  bool addLimits();
  bool addLimit(const Condition &From);
  void findHull();
  void findOrder();
  bool addPlaceLimits();
  Iterations rangeAt(std::size_t Place);
  std::optional<Span> spanAt(std::size_t Place, std::int64_t Number) {
    At[Fixed + Order[Place]] = Number;
    return joined(Place + 1);
  }
  struct Rows {
    Span First;
    std::int64_t Count, LowStep, HighStep;
    std::int64_t narrowest() const {
      std::int64_t Width = First.High - First.Low;
      return std::min(Width, Width + (HighStep - LowStep) * (Count - 1));
    }
  };
  std::optional<Rows> rowsAt(std::size_t Place, const Iterations &Range);
  std::optional<Span> joined(std::size_t Place);
  void walk(std::size_t Place);
  void emit(Span One) {
    if (!One.empty())
      Into->add({lineOf(One.Low, LineBytes), lineOf(One.High - 1, LineBytes) + 1});
  }
};
} // namespace

/// Nothing more to do where it does not hold for the loops that stand still.
bool PlaceWalker::addLimit(const Condition &From) {
  if (!From.affine())
    return true; // asked where all loops have numbers
  const AffineForm &Form = *From.affine();
  Limit One{Form.Constant, std::vector<std::int64_t>(loops())};
  bool IsFree = false;
  for (std::size_t I = 0; I != Form.Steps.size(); ++I) {
    if (I < Fixed) {
      One.Constant += Form.Steps[I] * At[I];
    } else if (Form.Steps[I] != 0) {
      One.Steps[I - Fixed] = Form.Steps[I];
      IsFree = true;
    }
  }
  if (IsFree)
    Limits.push_back(std::move(One));
  return IsFree || One.Constant >= 0;
}

bool PlaceWalker::addLimits() {
  for (std::size_t I = Fixed; I != Of.Path.size(); ++I)
    for (const Condition &Each : Of.Path[I]->Bounds)
      if (!addLimit(Each))
        return false;
  return std::ranges::all_of(Of.Conditions, [&](const Condition &Each) { return addLimit(Each); });
}

void cutRange(Iterations &Range, std::int64_t Step, std::int64_t Rest) {
  if (Step > 0)
    Range.First = std::max(Range.First, -floorQuotient(Rest, Step));
  else
    Range.Last = std::min(Range.Last, floorQuotient(Rest, -Step));
}

constexpr std::int64_t Unlimited = std::int64_t(1) << 40;

void PlaceWalker::findHull() {
  Hull.assign(loops(), {0, Unlimited});
  if (!Hull.empty())
    Hull[0] = {std::max<std::int64_t>(0, Some.First), std::min(Unlimited, Some.Last)};
  // Bounds depend on loops around alone: one round from the outermost to the innermost, and
  // one more for conditions.
  for (int Round = 0; Round != 2; ++Round)
    for (const Limit &Each : Limits)
      for (std::size_t I = 0; I != loops(); ++I) {
        if (Each.Steps[I] == 0)
          continue;
        std::int64_t Rest = Each.Constant;
        bool IsLimited = true;
        for (std::size_t J = 0; J != loops(); ++J) {
          std::int64_t Best = Each.Steps[J] > 0 ? Hull[J].Last : Hull[J].First;
          IsLimited &= J == I || Each.Steps[J] == 0 || Best < Unlimited;
          Rest += J == I ? 0 : Each.Steps[J] * Best;
        }
        if (IsLimited)
          cutRange(Hull[I], Each.Steps[I], Rest);
      }
}

void PlaceWalker::findOrder() {
  Order.resize(loops());
  Move.assign(loops(), 0);
  for (std::size_t I = 0; I != loops(); ++I) {
    Order[I] = I;
    if (Of.IsAffine)
      Move[I] = Of.Offset->affine()->Steps[Fixed + I];
  }
  if (Of.IsAffine)
    std::ranges::sort(Order, {}, [&](std::size_t I) { return std::pair(-std::abs(Move[I]), I); });
  IsAlone.assign(loops(), Of.IsAffine);
  for (const Limit &Each : Limits)
    for (std::size_t P = 0; P != Order.size(); ++P)
      if (Each.Steps[Order[P]] != 0)
        for (std::size_t Q = P + 1; Q != Order.size(); ++Q)
          if (Each.Steps[Order[Q]] != 0)
            IsAlone[P] = false;
}

/// The range of the loop at \p Place of the order, those before it having numbers.
Iterations PlaceWalker::rangeAt(std::size_t Place) {
  std::size_t Loop = Order[Place];
  Iterations Range = Hull[Loop];
  if (!Of.Path[Fixed + Loop]->IsAffine)
    Range.Last = std::min(Range.Last, (*Of.Path[Fixed + Loop]->Last)(At));
  for (const Limit &Each : Limits) {
    if (Each.Steps[Loop] == 0)
      continue;
    std::int64_t Rest = Each.Constant;
    for (std::size_t P = 0; P != Order.size(); ++P) {
      std::size_t Other = Order[P];
      if (std::int64_t Step = Each.Steps[Other]; Step != 0 && P != Place)
        Rest += Step * (P < Place  ? At[Fixed + Other]
                        : Step > 0 ? Hull[Other].Last
                                   : Hull[Other].First);
    }
    cutRange(Range, Each.Steps[Loop], Rest);
  }
  return Range;
}

/// The ranges that the numbers \p Range of the loop at \p Place make up, one each, where their
/// ends move evenly.
std::optional<PlaceWalker::Rows> PlaceWalker::rowsAt(std::size_t Place, const Iterations &Range) {
  auto First = spanAt(Place, Range.First);
  std::int64_t Steps = Range.Last - Range.First;
  if (!First || Steps == 0)
    return First ? std::optional(Rows{*First, 1, 0, 0}) : std::nullopt;
  if (IsAlone[Place]) {
    std::int64_t By = Move[Order[Place]];
    return Rows{*First, Steps + 1, By, By};
  }
  auto Last = spanAt(Place, Range.Last), Middle = spanAt(Place, Range.First + Steps / 2);
  if (!Last || !Middle || First->empty() || Last->empty() || Middle->empty())
    return std::nullopt;
  Rows Result{*First, Steps + 1, (Last->Low - First->Low) / Steps,
              (Last->High - First->High) / Steps};
  auto IsAt = [&](const Span &One, std::int64_t I) {
    return One.Low == First->Low + I * Result.LowStep &&
           One.High == First->High + I * Result.HighStep;
  };
  return IsAt(*Last, Steps) && IsAt(*Middle, Steps / 2) ? std::optional(Result) : std::nullopt;
}

/// The one range that all places from \p Place of the order on make up without a gap as
/// long as a line; nothing where there may be several.
std::optional<PlaceWalker::Span> PlaceWalker::joined(std::size_t Place) {
  if (Place == Order.size()) {
    if (!Of.IsAffine && !hold(Of.Conditions, At))
      return Span{};
    std::int64_t Low = Of.Base + (*Of.Offset)(At);
    return Span{Low, Low + Of.Of->Bytes};
  }
  Iterations Range = rangeAt(Place);
  if (Range.First > Range.Last)
    return Span{};
  auto All = rowsAt(Place, Range);
  if (!All)
    return std::nullopt;
  if (All->First.empty() || All->Count == 1)
    return All->First;
  if (std::max(std::abs(All->LowStep), std::abs(All->HighStep)) - All->narrowest() >= LineBytes)
    return std::nullopt;
  std::int64_t Steps = All->Count - 1;
  return Span{All->First.Low + std::min<std::int64_t>(0, All->LowStep * Steps),
              All->First.High + std::max<std::int64_t>(0, All->HighStep * Steps)};
}

void PlaceWalker::walk(std::size_t Place) {
  if (Place == Order.size())
    return emit(joined(Place).value());
  Iterations Range = rangeAt(Place);
  if (Range.First > Range.Last)
    return;
  if (auto All = rowsAt(Place, Range)) {
    Span One = All->First;
    std::int64_t Farthest = std::max(std::abs(All->LowStep), std::abs(All->HighStep));
    if (Farthest - All->narrowest() < LineBytes) {
      std::int64_t Steps = All->Count - 1;
      return emit({One.Low + std::min<std::int64_t>(0, All->LowStep * Steps),
                   One.High + std::max<std::int64_t>(0, All->HighStep * Steps)});
    }
    for (std::int64_t I = 0; I != All->Count && Budget != 0; ++I, --Budget) {
      emit(One);
      One = {One.Low + All->LowStep, One.High + All->HighStep};
    }
    return;
  }
  for (std::int64_t I = Range.First; I <= Range.Last && Budget != 0; ++I, --Budget) {
    At[Fixed + Order[Place]] = I;
    walk(Place + 1);
  }
}

/// Places within the lines that are asked for: limits as any other.
bool PlaceWalker::addPlaceLimits() {
  if (!Of.IsAffine || Within.First == LineRange::all().First)
    return true;
  Limit Above{Of.Base + Of.Offset->affine()->Constant + Of.Of->Bytes - 1 - Within.First * LineBytes,
              std::vector<std::int64_t>(loops())};
  for (std::size_t I = 0; I != Of.Offset->affine()->Steps.size(); ++I) {
    std::int64_t Step = Of.Offset->affine()->Steps[I];
    if (I < Fixed)
      Above.Constant += Step * At[I];
    else
      Above.Steps[I - Fixed] = Step;
  }
  Limit Below = Above;
  Below.Constant =
      Within.End * LineBytes - 1 + Of.Of->Bytes - 1 - Below.Constant - Within.First * LineBytes;
  for (std::int64_t &Each : Below.Steps)
    Each = -Each;
  if (std::ranges::all_of(Above.Steps, [](std::int64_t Each) { return Each == 0; }))
    return Above.Constant >= 0 && Below.Constant >= 0;
  Limits.push_back(std::move(Above));
  Limits.push_back(std::move(Below));
  return true;
}

void PlaceWalker::run(LineSet &To) {
  if (!Of.Offset || !addLimits() || !addPlaceLimits())
    return;
  findHull();
  findOrder();
  Into = &To;
  walk(0);
}

void addLines(const AccessForm &Of, const Iteration &Around, Iterations Some, unsigned LineBytes,
              LineSet &Into, LineRange Within) {
  PlaceWalker(Of, Around, Some, LineBytes, Within).run(Into);
}

} // namespace ergon
