//===- SampledRuns.cpp - loops at sampled sizes ---------------------------===//

#include "model/lint/SampledRuns.h"

#include <algorithm>
#include <limits>

namespace ergon {

static constexpr unsigned Cases = 96;

/// Mixes the bits (S. Vigna: splitmix64, 2015).
static std::uint64_t mixed(std::uint64_t Value) {
  Value = (Value ^ (Value >> 30)) * 0xbf58476d1ce4e5b9;
  Value = (Value ^ (Value >> 27)) * 0x94d049bb133111eb;
  return Value ^ (Value >> 31);
}

namespace {
/// One case: a value for each symbol, and the loop ends at which the induction variables are.
class Case {
public:
  using Bounds = std::map<std::string, std::uint64_t, std::less<>>;

  Case(const Bounds &Most, unsigned Number, unsigned Ends)
      : Most(Most), Number(Number), Ends(Ends) {}

  /// Enters \p Next; false where it does not run.
  bool enter(const Loop &Next) {
    const auto Entered = valueOf(Next.Entries), Last = valueOf(Next.Last);
    if (!Entered || !Last || Entered->sign() <= 0 || Last->sign() < 0)
      return false;
    Latest = Last->get_d();
    Iterations[Next.Variable] = Ends & 1 ? *Last : Rational(0);
    Ends >>= 1;
    return true;
  }
  double last() const { return Latest; }
  std::optional<Rational> valueOf(const Expr &E) const {
    auto Value = E.evaluate([this](const std::string &Name) { return drawn(Name); }, MaxSteps);
    return Value ? std::optional(*Value) : std::nullopt;
  }

private:
  const Bounds &Most;
  unsigned Number, Ends;
  double Latest = 0;
  std::map<std::string, Rational, std::less<>> Iterations;
  static constexpr std::uint64_t MaxSteps = 10'000;

  /// Every other number is a size; many are values that branches test.
  std::optional<Rational> drawn(const std::string &Name) const {
    if (const auto Found = Iterations.find(Name); Found != Iterations.end())
      return Found->second;
    if (Name.starts_with("taken@"))
      return Rational(1, 2);
    std::uint64_t Hash = 1469598103934665603; // FNV-1a
    for (const char Character : Name)
      Hash = (Hash ^ static_cast<unsigned char>(Character)) * 1099511628211;
    const std::uint64_t Bits = mixed(Hash + Number * 0x9e3779b97f4a7c15);
    static constexpr std::uint64_t Ranges[] = {8, 64, 8192, 8192};
    std::uint64_t Range = Ranges[Bits & 3];
    if (const auto Bound = Most.find(Name); Bound != Most.end())
      Range = std::min(Range, Bound->second + 1);
    return Rational(std::int64_t((Bits >> 2) % Range));
  }
};
} // namespace

/// Calls \p Visit for each case in which all loops \p Around run, with their induction variables at
/// that many of their ends.
template <typename Visitor>
void SampledRuns::visitCases(std::span<const Loop *const> Around, bool AllEnds,
                             Visitor Visit) const {
  static constexpr std::size_t MaxLoops = 4;
  const unsigned Ends = AllEnds ? 1U << std::min(Around.size(), MaxLoops) : 1;
  for (unsigned Number = 0; Number != Cases; ++Number)
    for (unsigned End = 0; End != Ends; ++End) {
      Case C(Most, Number, AllEnds ? End : unsigned(mixed(Number)));
      if (std::ranges::all_of(Around,
                              [&](const Loop *L) { return L->Variable.empty() || C.enter(*L); }))
        if (!Visit(Number, C))
          return;
    }
}

SampledRuns::SampledRuns(const Function &F) {
  for (const Unknown &U : F.Unknowns)
    if (U.Most)
      Most.emplace(U.Symbol, U.Most);
}

bool SampledRuns::mayBeLong(std::span<const Loop *const> Around, double Iterations) const {
  bool IsLong = false;
  unsigned Runs = 0;
  visitCases(Around, /*AllEnds=*/false, [&](unsigned, const Case &C) {
    ++Runs;
    IsLong = C.last() + 1 >= Iterations;
    return !IsLong;
  });
  static constexpr unsigned Few = 4; // too few cases for a statement
  return IsLong || Runs < Few;
}

double SampledRuns::farthest(const Expr &Offset, std::span<const Loop *const> Around) const {
  static constexpr double Unknown = std::numeric_limits<double>::infinity();
  double Result = -Unknown, First = 0, Last = 0;
  unsigned Current = Cases;
  visitCases(Around, /*AllEnds=*/true, [&](unsigned Number, const Case &C) {
    const auto Value = C.valueOf(Offset);
    if (!Value) {
      Result = Unknown;
      return false;
    }
    const double Place = Value->get_d();
    First = Number == Current ? std::min(First, Place) : Place;
    Last = Number == Current ? std::max(Last, Place) : Place;
    Current = Number;
    Result = std::max(Result, Last - First);
    return true;
  });
  return Result < 0 ? Unknown : Result;
}

} // namespace ergon
