//===- LoopWalk.cpp - an innermost loop, run from line to line ------------===//

#include "model/traffic/LoopWalk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace ergon {

static constexpr std::int64_t Never = std::numeric_limits<std::int64_t>::max();

LoopWalk::LoopWalk(const ProgramForm &Of, const CacheHierarchy &Through)
    : Form(Of), Caches(Through), LineBytes(Through.front().LineBytes), Levels(Through.size()) {}

/// The loop's accesses, and in which iterations each runs.
void LoopWalk::prepare(const LoopForm &Of, const Iteration &Around, std::int64_t Trips) {
  Accesses.clear();
  At = Around;
  At.push_back(0);
  auto valueAt0 = [&](const AffineForm &Each) {
    return std::inner_product(Each.Steps.begin(),
                              Each.Steps.begin() +
                                  std::ptrdiff_t(std::min(Each.Steps.size(), Around.size())),
                              Around.begin(), Each.Constant);
  };
  auto stepOf = [&](const AffineForm &Each) {
    return Each.Steps.size() > Around.size() ? Each.Steps[Around.size()] : 0;
  };
  for (unsigned A = Of.Items.front().FirstAccess; A != Of.Items.front().EndAccess; ++A) {
    const AccessForm &One = Form.accesses()[A];
    if (!One.Offset)
      continue;
    Moving Made{.Number = A,
                .Of = &One,
                .Share = lineShareOf(One, unsigned(LineBytes)),
                .First = 0,
                .End = 0};
    Iterations Range{0, Trips - 1};
    for (const Condition &Each : One.Conditions) {
      if (!Each.affine())
        Made.IsConditional = true;
      else if (const std::int64_t Step = stepOf(*Each.affine()); Step != 0)
        cutRange(Range, Step, valueAt0(*Each.affine()));
      else if (valueAt0(*Each.affine()) < 0)
        Range.Last = -1;
    }
    Made.First = Range.First;
    Made.End = Range.Last + 1;
    if (Made.First >= Made.End)
      continue;
    Made.Next = Made.First;
    Made.IsAffine = One.Offset->affine().has_value();
    if (Made.IsAffine) {
      Made.Start = One.Base + valueAt0(*One.Offset->affine());
      Made.Step = stepOf(*One.Offset->affine());
    }
    Accesses.push_back(Made);
  }
}

/// How many iterations on from \p Number an access is on the same lines.
std::int64_t LoopWalk::stay(const Moving &Of, std::int64_t Number) const {
  if (!Of.IsAffine || Of.IsConditional)
    return 1;
  if (Of.Step == 0)
    return Never;
  std::int64_t Least = Never;
  for (std::int64_t Byte : {std::int64_t(0), std::int64_t(Of.Of->Of->Bytes) - 1}) {
    const std::int64_t Place = Of.Start + Of.Step * Number + Byte,
                       Within = Place - floorQuotient(Place, LineBytes) * LineBytes;
    Least = std::min(Least, Of.Step > 0 ? (LineBytes - Within + Of.Step - 1) / Of.Step
                                        : Within / -Of.Step + 1);
  }
  return Least;
}

void LoopWalk::place(Moving &Of, std::int64_t Number) {
  At.back() = Number;
  Of.Lines = {0, 0};
  if (Number < Of.End && (!Of.IsConditional || hold(Of.Of->Conditions, At))) {
    const std::int64_t Low =
        Of.IsAffine ? Of.Start + Of.Step * Number : Of.Of->Base + (*Of.Of->Offset)(At);
    Of.Lines = {floorQuotient(Low, LineBytes),
                floorQuotient(Low + Of.Of->Of->Bytes - 1, LineBytes) + 1};
  }
  const std::int64_t Stay = Number < Of.End ? stay(Of, Number) : Never;
  Of.Next = Stay == Never ? (Number < Of.End ? Of.End : Never) : std::min(Number + Stay, Of.End);
}

LoopWalk::Seen &LoopWalk::known(std::int64_t Line) {
  std::size_t Place = (std::uint64_t(Line) * 0x9E3779B97F4A7C15) >>
                      (65 - std::bit_width(std::uint64_t(Known.size())));
  while (Known[Place].Run == Run && Known[Place].Line != Line)
    Place = (Place + 1) & (Known.size() - 1);
  return Known[Place];
}

void LoopWalk::touch(const Moving &Of, std::int64_t Line, unsigned Active, double Times,
                     LoopMisses &Into) {
  const bool IsStore = Of.Of->Of->What != Access::Kind::Load;
  Seen *Mine = nullptr;
  auto mine = [&]() -> Seen & { return Mine ? *Mine : *(Mine = &known(Line)); };
  bool TurnsDirty = false;
  for (std::size_t L = 0; L != Levels.size(); ++L) {
    if (!(Active >> L & 1))
      continue;
    Level &Here = Levels[L];
    const std::size_t Set = std::uint64_t(Line) % Here.Sets;
    if (Here.Runs[Set] != Run) {
      Here.Runs[Set] = Run;
      Here.Used[Set] = 0;
    }
    Way *First = &Here.Lines[Set * Here.Ways], *End = First + Here.Used[Set];
    Way *Found = std::find_if(First, End, [&](const Way &Each) { return Each.Line == Line; });
    const std::size_t Index = Of.Number * Levels.size() + L;
    if (Found == End) {
      if (mine().Run == Run)
        Into.Misses[Index] += Times * Of.Share;
      if (Here.Used[Set] != Here.Ways)
        ++Here.Used[Set];
      else
        --Found;
      *Found = {Line, false};
    }
    std::rotate(First, Found, Found + 1);
    if (IsStore && !First->IsDirty) {
      if (mine().Run == Run && mine().IsStored)
        Into.Dirtied[Index] += Times * Of.Share;
      First->IsDirty = TurnsDirty = true;
    }
  }
  if (Mine)
    *Mine = {Line, Run, (Mine->Run == Run && Mine->IsStored) || TurnsDirty};
}

void LoopWalk::runIteration(std::int64_t Number, unsigned Active, double Times, LoopMisses &Into) {
  for (Moving &Each : Accesses) {
    if (Each.Next <= Number)
      place(Each, Number);
    for (std::int64_t Line = Each.Lines.First; Line != Each.Lines.End; ++Line)
      touch(Each, Line, Active, Times, Into);
  }
}

std::optional<LoopMisses> LoopWalk::run(const LoopForm &Of, const Iteration &Around,
                                        unsigned Active, double Budget, bool IsEven) {
  const std::int64_t Trips = lastOf(Of, Around) + 1;
  prepare(Of, Around, Trips);
  // At least so many iterations have something on other lines than the one before.
  double Moves = 0, Lines = 0;
  for (const Moving &Each : Accesses) {
    const auto Runs = double(Each.End - Each.First);
    const bool IsPlain = Each.IsAffine && !Each.IsConditional;
    const double Ways = IsPlain ? double(std::abs(Each.Step)) / double(LineBytes) : 1;
    const double Own = std::min(Runs, 1 + Runs * Ways);
    Moves = std::max(Moves, Own);
    Lines += 2 * Own;
  }
  if (Moves * double(Accesses.size()) > Budget && !IsEven)
    return std::nullopt;
  begin(Active, std::min(Lines, Budget + double(Accesses.size())));
  LoopMisses Found{std::vector<double>(Form.accesses().size() * Levels.size()),
                   std::vector<double>(Form.accesses().size() * Levels.size())};
  std::int64_t I = 0;
  for (double Work = 0; I < Trips; Work += double(Accesses.size())) {
    if (Work > Budget) {
      if (!IsEven)
        return std::nullopt;
      break;
    }
    runIteration(I, Active, 1, Found);
    std::int64_t Next = Trips;
    for (const Moving &Each : Accesses)
      Next = std::min(Next, Each.Next);
    // The same lines again leave the caches as they are.
    if (++I < Next) {
      runIteration(I, Active, double(Next - I), Found);
      Work += double(Accesses.size());
      I = Next;
    }
  }
  for (auto Part : {&LoopMisses::Misses, &LoopMisses::Dirtied})
    for (double &Each : Found.*Part)
      Each *= double(Trips) / double(I);
  return Found;
}

/// Nothing has been touched yet; so many lines will be.
void LoopWalk::begin(unsigned Active, double Lines) {
  ++Run;
  Known.resize(std::max(Known.size(), std::bit_ceil(std::size_t(2 * Lines) + 16)));
  for (std::size_t L = 0; L != Levels.size(); ++L)
    if ((Active >> L & 1) && Levels[L].Lines.empty())
      Levels[L] = {Caches[L].sets(), Caches[L].Ways, std::vector<Way>(Caches[L].lines()),
                   std::vector<unsigned>(Caches[L].sets()),
                   std::vector<unsigned>(Caches[L].sets())};
}

} // namespace ergon
