//===- LoopWalk.cpp - an innermost loop, run from line to line ------------===//

#include "model/traffic/LoopWalk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace ergon {

static constexpr std::int64_t Never = std::numeric_limits<std::int64_t>::max();

LoopWalk::LoopWalk(const ProgramForm &Program, const CacheHierarchy &Through)
    : Program(Program), Caches(Through), LineBytes(Through.front().LineBytes),
      Levels(Through.size()) {}

/// Collects the loop's accesses and the iterations in which each runs.
void LoopWalk::prepare(const LoopForm &Form, const Iteration &Around, std::int64_t Trips) {
  Accesses.clear();
  Indices = Around;
  Indices.push_back(0);
  auto valueAt0 = [&](const AffineForm &Element) {
    return std::inner_product(Element.Steps.begin(),
                              Element.Steps.begin() +
                                  std::ptrdiff_t(std::min(Element.Steps.size(), Around.size())),
                              Around.begin(), Element.Constant);
  };
  auto stepOf = [&](const AffineForm &AF) {
    return AF.Steps.size() > Around.size() ? AF.Steps[Around.size()] : 0;
  };
  FirstAccess = Form.Items.front().FirstAccess;
  for (unsigned A = FirstAccess; A != Form.Items.front().EndAccess; ++A) {
    const AccessForm &F = Program.accesses()[A];
    if (!F.Offset)
      continue;
    Moving Made{.Number = A,
                .Form = &F,
                .Share = lineShareOf(F, unsigned(LineBytes)),
                .First = 0,
                .End = 0};
    Iterations Range{0, Trips - 1};
    for (const Condition &C : F.Conditions) {
      if (!C.affine())
        Made.IsConditional = true;
      else if (const std::int64_t Step = stepOf(*C.affine()); Step != 0)
        cutRange(Range, Step, valueAt0(*C.affine()));
      else if (valueAt0(*C.affine()) < 0)
        Range.Last = -1;
    }
    Made.First = Range.First;
    Made.End = Range.Last + 1;
    if (Made.First >= Made.End)
      continue;
    Made.Next = Made.First;
    Made.IsAffine = F.Offset->affine().has_value();
    if (Made.IsAffine) {
      Made.Start = F.Base + valueAt0(*F.Offset->affine());
      Made.Step = stepOf(*F.Offset->affine());
    }
    Accesses.push_back(Made);
  }
}

/// For how many iterations from \p Number on an access stays on the same lines.
std::int64_t LoopWalk::stay(const Moving &M, std::int64_t Number) const {
  if (!M.IsAffine || M.IsConditional)
    return 1;
  if (M.Step == 0)
    return Never;
  std::int64_t Least = Never;
  for (std::int64_t Byte : {std::int64_t(0), std::int64_t(M.Form->Access->Bytes) - 1}) {
    const std::int64_t Place = M.Start + M.Step * Number + Byte,
                       Limit = Place - floorQuotient(Place, LineBytes) * LineBytes;
    Least = std::min(Least,
                     M.Step > 0 ? (LineBytes - Limit + M.Step - 1) / M.Step : Limit / -M.Step + 1);
  }
  return Least;
}

void LoopWalk::place(Moving &M, std::int64_t Number) {
  Indices.back() = Number;
  M.Lines = {0, 0};
  if (Number < M.End && (!M.IsConditional || hold(M.Form->Conditions, Indices))) {
    const std::int64_t Low =
        M.IsAffine ? M.Start + M.Step * Number : M.Form->Base + (*M.Form->Offset)(Indices);
    M.Lines = {floorQuotient(Low, LineBytes),
               floorQuotient(Low + M.Form->Access->Bytes - 1, LineBytes) + 1};
  }
  const std::int64_t Stay = Number < M.End ? stay(M, Number) : Never;
  M.Next = Stay == Never ? (Number < M.End ? M.End : Never) : std::min(Number + Stay, M.End);
}

LoopWalk::TouchedLine &LoopWalk::known(std::int64_t Line) {
  std::size_t Place = (std::uint64_t(Line) * 0x9E3779B97F4A7C15) >>
                      (65 - std::bit_width(std::uint64_t(TouchedLines.size())));
  while (TouchedLines[Place].Run == Run && TouchedLines[Place].Line != Line)
    Place = (Place + 1) & (TouchedLines.size() - 1);
  return TouchedLines[Place];
}

void LoopWalk::touch(const Moving &M, std::int64_t Line, unsigned ActiveLevels, double Times,
                     LoopMisses &Result) {
  const bool IsStore = M.Form->Access->What != Access::Kind::Load;
  TouchedLine *Mine = nullptr;
  auto mine = [&]() -> TouchedLine & { return Mine ? *Mine : *(Mine = &known(Line)); };
  bool TurnsDirty = false;
  for (std::size_t L = 0; L != Levels.size(); ++L) {
    if (!(ActiveLevels >> L & 1))
      continue;
    Level &Current = Levels[L];
    const std::size_t Set = std::uint64_t(Line) % Current.Sets;
    if (Current.Runs[Set] != Run) {
      Current.Runs[Set] = Run;
      Current.Used[Set] = 0;
    }
    CacheLine *First = &Current.Lines[Set * Current.Ways], *End = First + Current.Used[Set];
    CacheLine *Found = std::find_if(First, End, [&](const CacheLine &W) { return W.Line == Line; });
    const std::size_t Index = (M.Number - FirstAccess) * Levels.size() + L;
    if (Found == End) {
      if (mine().Run == Run)
        Result.Misses[Index] += Times * M.Share;
      if (Current.Used[Set] != Current.Ways)
        ++Current.Used[Set];
      else
        --Found;
      *Found = {Line, false};
    }
    std::rotate(First, Found, Found + 1);
    if (IsStore && !First->IsDirty) {
      if (mine().Run == Run && mine().IsStored)
        Result.Dirtied[Index] += Times * M.Share;
      First->IsDirty = TurnsDirty = true;
    }
  }
  if (Mine)
    *Mine = {Line, Run, (Mine->Run == Run && Mine->IsStored) || TurnsDirty};
}

void LoopWalk::runIteration(std::int64_t Number, unsigned ActiveLevels, double Times,
                            LoopMisses &Result) {
  for (Moving &Access : Accesses) {
    if (Access.Next <= Number)
      place(Access, Number);
    for (std::int64_t Line = Access.Lines.First; Line != Access.Lines.End; ++Line)
      touch(Access, Line, ActiveLevels, Times, Result);
  }
}

std::optional<LoopMisses> LoopWalk::run(const LoopForm &Form, const Iteration &Around,
                                        unsigned ActiveLevels, double Budget, bool IsEven) {
  const std::int64_t Trips = lastOf(Form, Around) + 1;
  prepare(Form, Around, Trips);
  // At least this many iterations touch other lines than the one before.
  double Moves = 0, Lines = 0;
  for (const Moving &Access : Accesses) {
    const auto Runs = double(Access.End - Access.First);
    const bool IsPlain = Access.IsAffine && !Access.IsConditional;
    const double Ways = IsPlain ? double(std::abs(Access.Step)) / double(LineBytes) : 1;
    const double Own = std::min(Runs, 1 + Runs * Ways);
    Moves = std::max(Moves, Own);
    Lines += 2 * Own;
  }
  if (Moves * double(Accesses.size()) > Budget && !IsEven)
    return std::nullopt;
  begin(ActiveLevels, std::min(Lines, Budget + double(Accesses.size())));
  const std::size_t Counts =
      (Form.Items.back().EndAccess - Form.Items.front().FirstAccess) * Levels.size();
  LoopMisses Found{std::vector<double>(Counts), std::vector<double>(Counts)};
  std::int64_t I = 0;
  for (double Work = 0; I < Trips; Work += double(Accesses.size())) {
    if (Work > Budget) {
      if (!IsEven)
        return std::nullopt;
      break;
    }
    runIteration(I, ActiveLevels, 1, Found);
    std::int64_t Next = Trips;
    for (const Moving &M : Accesses)
      Next = std::min(Next, M.Next);
    // Repeated accesses to the same lines leave the caches unchanged.
    if (++I < Next) {
      runIteration(I, ActiveLevels, double(Next - I), Found);
      Work += double(Accesses.size());
      I = Next;
    }
  }
  for (auto Part : {&LoopMisses::Misses, &LoopMisses::Dirtied})
    for (double &Value : Found.*Part)
      Value *= double(Trips) / double(I);
  return Found;
}

/// Clears the state; about \p Lines lines will be touched.
void LoopWalk::begin(unsigned ActiveLevels, double Lines) {
  ++Run;
  TouchedLines.resize(std::max(TouchedLines.size(), std::bit_ceil(std::size_t(2 * Lines) + 16)));
  for (std::size_t L = 0; L != Levels.size(); ++L)
    if ((ActiveLevels >> L & 1) && Levels[L].Lines.empty())
      Levels[L] = {Caches[L].sets(), Caches[L].Ways, std::vector<CacheLine>(Caches[L].lines()),
                   std::vector<unsigned>(Caches[L].sets()),
                   std::vector<unsigned>(Caches[L].sets())};
}

} // namespace ergon
