//===- ApproximateValue.cpp - long sums from some of their terms ----------===//

#include "model/symbolic/ApproximateValue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ergon {

namespace {
/// Numbers between 0 and 1 that are the same on all machines: SplitMix64 (Steele, Lea and Flood
/// 2014).
class Shares {
public:
  explicit Shares(std::uint64_t Seed) : State(Seed) {}

  double next() {
    State += 0x9E3779B97F4A7C15;
    std::uint64_t Bits = State;
    Bits = (Bits ^ (Bits >> 30)) * 0xBF58476D1CE4E5B9;
    Bits = (Bits ^ (Bits >> 27)) * 0x94D049BB133111EB;
    return double((Bits ^ (Bits >> 31)) >> 11) * 0x1p-53;
  }

private:
  std::uint64_t State;
};

/// One sample of a formula.
class Sampler {
public:
  /// \p MaxFactors are evaluated, if possible; ten times as many at most.
  Sampler(const SymbolValues &Values, unsigned Seed, double MaxFactors, double Size)
      : Values(Values), Random(Seed), Terms(MaxFactors / Size), FactorsLeft(10 * MaxFactors) {}

  /// NaN where there is no value.
  double operator()(const Expr &Value);

private:
  static constexpr double None = std::numeric_limits<double>::quiet_NaN();
  /// The first, the last, and one between: fewer terms say nothing of a sum.
  static constexpr double MinTerms = 3;

  const SymbolValues &Values;
  Shares Random;
  double Terms; ///< that may be evaluated in the sums inside
  double FactorsLeft;
  std::vector<std::pair<const std::string *, double>> Variables;
  std::map<std::string, double> Known;
  std::map<const Atom *, unsigned> Depths;

  double atom(const Atom &A);
  double symbol(const std::string &Name);
  double sum(const Atom &A);
  double strata(const Atom &A, double First, double Trips, double Parts);
  unsigned depthOf(const Expr &Value);
  unsigned depthOf(const Atom &A);
};
} // namespace

double Sampler::operator()(const Expr &Value) {
  double Sum = 0;
  for (const Term &T : Value.terms()) {
    double Product = T.Coefficient.get_d();
    // Indicators first, as they guard divisions and sums.
    for (const bool Indicators : {true, false})
      for (const auto &[Factor, Power] : T.Factors) {
        if (Product == 0 || (Factor->What == Atom::Kind::Indicator) != Indicators)
          continue;
        const double Base = atom(*Factor);
        for (unsigned I = 0; I != Power; ++I)
          Product *= Base;
      }
    Sum += Product;
  }
  return Sum;
}

double Sampler::atom(const Atom &A) {
  if (--FactorsLeft < 0)
    return None;
  auto Operand = [&](std::size_t Number) { return (*this)(A.Operands[Number]); };
  switch (A.What) {
  case Atom::Kind::Symbol:
    return symbol(A.Name);
  case Atom::Kind::FloorDiv: {
    const double Divisor = Operand(1);
    return Divisor == 0 ? None : std::floor(Operand(0) / Divisor);
  }
  case Atom::Kind::Indicator: {
    const double Value = Operand(0);
    return std::isnan(Value) ? None : double(Value >= 0);
  }
  case Atom::Kind::Max:
  case Atom::Kind::Min: {
    double Best = Operand(0);
    for (std::size_t I = 1; I != A.Operands.size(); ++I) {
      const double Next = Operand(I);
      if (std::isnan(Next))
        return None;
      Best = A.What == Atom::Kind::Max ? std::max(Best, Next) : std::min(Best, Next);
    }
    return Best;
  }
  case Atom::Kind::Sum:
    return sum(A);
  case Atom::Kind::Power:
    return std::pow(Operand(0), Operand(1));
  case Atom::Kind::Log: {
    const double Base = Operand(0), Value = Operand(1);
    if (!(Base > 1) || std::isnan(Value))
      return None;
    // A loop that is not entered, as its count would have no value, has a number for it all the same.
    return Value < 1 ? -1 : std::floor(std::log(Value) / std::log(Base) + 1e-12);
  }
  }
  return None;
}

double Sampler::symbol(const std::string &Name) {
  for (const auto &[Variable, Value] : Variables)
    if (*Variable == Name)
      return Value;
  auto [Slot, New] = Known.try_emplace(Name, None);
  if (New)
    if (const auto Value = Values(Name))
      Slot->second = Value->get_d();
  return Slot->second;
}

/// How deep sums are nested in \p Value.
unsigned Sampler::depthOf(const Expr &Value) {
  unsigned Result = 0;
  for (const Term &T : Value.terms())
    for (const auto &[Factor, Power] : T.Factors)
      Result = std::max(Result, depthOf(*Factor));
  return Result;
}

unsigned Sampler::depthOf(const Atom &A) {
  auto [Slot, New] = Depths.try_emplace(&A, 0);
  if (!New)
    return Slot->second;
  unsigned Result = 0;
  for (const Expr &Operand : A.Operands)
    Result = std::max(Result, depthOf(Operand));
  return Depths[&A] = Result + (A.What == Atom::Kind::Sum);
}

/// A sum takes its part of the terms that may be evaluated, the sums inside share the rest.
double Sampler::sum(const Atom &A) {
  const double First = (*this)(A.Operands[0]), Last = (*this)(A.Operands[1]);
  if (std::isnan(First) || std::isnan(Last))
    return None;
  const double Trips = std::floor(Last - First) + 1;
  if (Trips <= 0)
    return 0;
  const double Before = Terms;
  const double Parts =
      std::min(Trips, std::max(MinTerms, std::floor(std::pow(Terms, 1.0 / depthOf(A)))));
  Terms = std::max(1.0, Terms / Parts);
  const double Result = strata(A, First, Trips, Parts);
  Terms = Before;
  return Result;
}

/// The first and the last term, and one of each of \p Parts - 2 equal parts of the others.
double Sampler::strata(const Atom &A, double First, double Trips, double Parts) {
  double Sum = 0;
  Variables.insert(Variables.begin(), {&A.Name, 0});
  auto Add = [&](double Number, double Weight) {
    Variables.front().second = First + Number;
    Sum += Weight * (*this)(A.Operands[2]);
  };
  if (Trips <= Parts) {
    for (double I = 0; I < Trips && FactorsLeft >= 0; ++I)
      Add(I, 1);
  } else {
    Add(0, 1);
    Add(Trips - 1, 1);
    double Begin = 1;
    for (double Part = 1; Part <= Parts - 2 && FactorsLeft >= 0; ++Part) {
      const double End = 1 + std::floor((Trips - 2) * Part / (Parts - 2));
      if (const double Width = End - Begin; Width > 0)
        Add(Begin + std::floor(Width * Random.next()), Width);
      Begin = End;
    }
  }
  Variables.erase(Variables.begin());
  return Sum;
}

std::optional<ApproximateValue> approximateValue(const Expr &Formula, const SymbolValues &Values) {
  static constexpr unsigned NumSamples = 6;
  static constexpr double MaxFactors = 200'000, MaxSize = 100'000; // of one sample
  const double Size = double(Formula.size());
  if (Size > MaxSize)
    return std::nullopt;
  std::array<double, NumSamples> Found{};
  double Mean = 0;
  for (unsigned I = 0; I != NumSamples; ++I) {
    Found[I] = Sampler(Values, I + 1, MaxFactors, std::max(1.0, Size))(Formula);
    if (!std::isfinite(Found[I]))
      return std::nullopt;
    Mean += Found[I] / NumSamples;
  }
  double Squares = 0;
  for (const double Value : Found)
    Squares += (Value - Mean) * (Value - Mean);
  return ApproximateValue{Mean, 2 * std::sqrt(Squares / (NumSamples * (NumSamples - 1)))};
}

} // namespace ergon
