//===- Footprint.cpp - footprints of loops, as formulas -------------------===//

#include "model/traffic/Footprint.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <cmath>

namespace ergon {

namespace {
/// One access with the loops around it.
struct Site {
  const MemoryAccess *Access;
  std::vector<const AccessNest *> Path;
};

/// The footprint of references with the same strides: rows of equal length.
struct Rows {
  Expr First, Last; ///< offsets of the first and the last byte
  Expr Count = Expr(1), Bytes;
  bool isDense() const { return Count == Expr(1); }
};

/// Decisions that depend on parameters assume large ones.
double atLargeSizes(const Expr &Value) {
  auto Number =
      Value.evaluate([](const std::string &) { return std::optional(Rational(1009)); }, 100000);
  return Number ? Number->get_d() : std::nan("");
}

const Expr &larger(const Expr &E, const Expr &Other) {
  return atLargeSizes(Other) > atLargeSizes(E) ? Other : E;
}

/// One dimension of a group of references: a loop's stride in bytes and its trip count.
struct Dimension {
  Expr Step, Trips;
  double Size;                      ///< of the stride, at large sizes
  std::int64_t Least = 0, Most = 0; ///< strides between references
};

class FootprintBuilder {
public:
  FootprintBuilder(const AccessProgram &Program, unsigned LineBytes)
      : Program(Program), LineBytes(LineBytes) {}

  std::vector<LoopFootprint> run() {
    visit(Program.Body);
    return std::move(Result);
  }

private:
  const AccessProgram &Program;
  unsigned LineBytes;
  std::vector<const AccessNest *> Path;
  std::vector<Site> Sites;
  std::vector<LoopFootprint> Result;

  void visit(const AccessNest &Nest);
  std::vector<std::pair<unsigned, Expr>> bytesOf(std::size_t FirstSite, std::size_t Fixed,
                                                 bool &IsComplete) const;
  std::optional<std::vector<Dimension>> dimensionsOf(const Site &S, std::size_t Fixed) const;
  std::optional<Rows> rowsOf(const std::vector<const Site *> &Group, std::size_t Fixed) const;
};
} // namespace

/// The maximum of a formula over the loops of \p Path, the innermost first.
static Expr atMost(Expr Value, const std::vector<const AccessNest *> &Path) {
  for (std::size_t I = Path.size(); I-- != 0;)
    if (Value.dependsOn(Path[I]->Variable))
      Value = larger(Value.substitute({{Path[I]->Variable, Expr(0)}}),
                     Value.substitute({{Path[I]->Variable, Path[I]->Last}}));
  return Value;
}

/// The loops around an access, the shortest stride first; the outer \p Fixed ones do not iterate.
std::optional<std::vector<Dimension>> FootprintBuilder::dimensionsOf(const Site &S,
                                                                     std::size_t Fixed) const {
  std::vector<Dimension> Result;
  for (std::size_t I = 0; I != S.Path.size(); ++I) {
    const auto Stride = stride(*S.Access->Offset, S.Path[I]->Variable);
    if (!Stride)
      return std::nullopt;
    if (Stride->isZero())
      continue;
    Expr Step = atMost(*Stride, S.Path);
    if (atLargeSizes(Step) < 0)
      Step = -Step;
    std::vector<const AccessNest *> Around(S.Path.begin(), S.Path.begin() + std::ptrdiff_t(I));
    Expr Trips = I < Fixed ? Expr(1) : atMost(S.Path[I]->Last, Around) + 1;
    Result.push_back({Step, Trips, atLargeSizes(Step)});
  }
  std::ranges::sort(Result, {}, &Dimension::Size);
  return Result;
}

/// The bounding box of several references: it has more rows, or longer ones.
std::optional<Rows> FootprintBuilder::rowsOf(const std::vector<const Site *> &Group,
                                             std::size_t Fixed) const {
  auto Dimensions = dimensionsOf(*Group.front(), Fixed);
  if (!Dimensions)
    return std::nullopt;
  auto Start = [&](const Site &S) {
    Expr Offset = *S.Access->Offset;
    for (const AccessNest *Nest : S.Path)
      Offset = Offset.substitute({{Nest->Variable, Expr(0)}});
    return Offset;
  };
  const Expr Origin = Start(*Group.front());
  Expr Least, Most;
  for (const Site *Element : Group) {
    Expr Way = Start(*Element) - Origin;
    for (auto D = Dimensions->rbegin(); D != Dimensions->rend(); ++D) {
      const std::int64_t Steps = D->Size > 0 ? std::llround(atLargeSizes(Way) / D->Size) : 0;
      // Strides within a line extend the row.
      if (Steps == 0 || D->Size < LineBytes)
        continue;
      Way -= Expr(Steps) * D->Step;
      D->Least = std::min(D->Least, Steps);
      D->Most = std::max(D->Most, Steps);
    }
    Least = atLargeSizes(Way) < atLargeSizes(Least) ? Way : Least;
    Most = larger(Most, Way);
  }
  Rows Result{Origin + Least, Expr(), 1,
              Most - Least + Expr(std::int64_t(Group.front()->Access->Bytes))};
  Expr Reach = Result.Bytes;
  for (const Dimension &Entry : *Dimensions) {
    const Expr More = Entry.Trips - 1 + Expr(Entry.Most - Entry.Least);
    Result.First += Expr(Entry.Least) * Entry.Step;
    Reach += More * Entry.Step;
    if (More.isZero())
      continue;
    if (Result.isDense() && Entry.Size - atLargeSizes(Result.Bytes) < LineBytes) {
      Result.Bytes += More * Entry.Step;
    } else {
      if (atLargeSizes(Result.Bytes) < LineBytes)
        Result.Bytes = Expr(std::int64_t(LineBytes));
      Result.Count *= More + 1;
    }
  }
  Result.Last = Result.First + Reach - 1;
  return Result;
}

/// Bytes by object of all sites from \p FirstSite on; the outer \p Fixed loops do not iterate.
std::vector<std::pair<unsigned, Expr>>
FootprintBuilder::bytesOf(std::size_t FirstSite, std::size_t Fixed, bool &IsComplete) const {
  struct Moving {
    std::vector<const Site *> Sites;
    Expr Moves; ///< the part of the offset that varies
  };
  std::map<unsigned, std::vector<Moving>> Groups;
  for (std::size_t I = FirstSite; I != Sites.size(); ++I) {
    const Site &S = Sites[I];
    if (S.Access->NonTemporal)
      continue;
    if (!S.Access->Offset) {
      IsComplete = false;
      continue;
    }
    Expr Moves = *S.Access->Offset;
    Expr Still = Moves;
    for (const AccessNest *Nest : S.Path)
      Still = Still.substitute({{Nest->Variable, Expr(0)}});
    Moves -= Still;
    auto &Known = Groups[S.Access->Object];
    auto Found = std::ranges::find_if(Known, [&](const Moving &M) {
      return M.Moves == Moves && M.Sites.front()->Path == S.Path;
    });
    if (Found == Known.end())
      Found = Known.insert(Known.end(), Moving{{}, Moves});
    Found->Sites.push_back(&S);
  }
  std::vector<std::pair<unsigned, Expr>> Result;
  for (const auto &[ObjectIndex, Known] : Groups) {
    std::vector<Rows> AllRows;
    for (const Moving &Element : Known) {
      if (auto R = rowsOf(Element.Sites, Fixed))
        AllRows.push_back(*R);
      else
        IsComplete = false;
    }
    // Skips rows within a range that is counted already.
    std::ranges::sort(AllRows, std::greater<>(), [](const Rows &Entry) {
      return std::pair(atLargeSizes(Entry.Count * Entry.Bytes), -atLargeSizes(Entry.First));
    });
    std::vector<const Rows *> Kept;
    Expr Sum;
    for (const Rows &Current : AllRows) {
      bool IsInside = std::ranges::any_of(Kept, [&](const Rows *Other) {
        return Other->isDense() && atLargeSizes(Other->First) <= atLargeSizes(Current.First) &&
               atLargeSizes(Current.Last) <= atLargeSizes(Other->Last);
      });
      if (IsInside)
        continue;
      Kept.push_back(&Current);
      Sum += atMost(Current.Count * Current.Bytes, Known.front().Sites.front()->Path);
    }
    Result.emplace_back(ObjectIndex, Sum);
  }
  return Result;
}

void FootprintBuilder::visit(const AccessNest &Nest) {
  const bool IsLoop = &Nest != &Program.Body;
  const std::size_t FirstSite = Sites.size(), Number = Result.size(), Depth = Path.size();
  if (IsLoop) {
    Result.push_back({Nest.Variable, Nest.Location, unsigned(Depth), {}, {}, {}, true});
    Path.push_back(&Nest);
  }
  for (const AccessItem &Item : Nest.Items) {
    if (auto *Inner = std::get_if<AccessNest>(&Item.What))
      visit(*Inner);
    else
      Sites.push_back({&std::get<MemoryAccess>(Item.What), Path});
  }
  if (!IsLoop)
    return;
  Path.pop_back();
  LoopFootprint &Loop = Result[Number];
  auto LoopBytes = bytesOf(FirstSite, Depth, Loop.IsComplete);
  auto IterationBytes = bytesOf(FirstSite, Depth + 1, Loop.IsComplete);
  for (std::size_t I = 0; I != LoopBytes.size(); ++I) {
    Loop.Objects.push_back({LoopBytes[I].first, IterationBytes[I].second, LoopBytes[I].second});
    Loop.IterationBytes += IterationBytes[I].second;
    Loop.LoopBytes += LoopBytes[I].second;
  }
}

std::vector<LoopFootprint> footprintsOf(const AccessProgram &Program, unsigned LineBytes) {
  return FootprintBuilder(Program, LineBytes).run();
}

std::optional<std::int64_t> largestFittingValue(const Expr &Bytes, const std::string &Parameter,
                                                std::uint64_t Limit, const Substitution &Bound) {
  const Expr Formula = Bytes.substitute(Bound);
  constexpr std::int64_t Most = std::int64_t(1) << 40;
  auto Fits = [&](std::int64_t Value) {
    auto Number = Formula.evaluate(
        [&](const std::string &Symbol) {
          return Symbol == Parameter ? std::optional(Rational(std::int64_t(Value))) : std::nullopt;
        },
        100000);
    return Number && *Number <= Rational(std::int64_t(Limit));
  };
  if (!Fits(1))
    return std::nullopt;
  std::int64_t Low = 1, High = Most;
  while (Low < High) {
    const std::int64_t Middle = Low + (High - Low + 1) / 2;
    if (Fits(Middle))
      Low = Middle;
    else
      High = Middle - 1;
  }
  return Low;
}

} // namespace ergon
