//===- EdgeFrequencies.cpp - LLVM's estimates of control flow -------------===//

#include "passes/symbolic/EdgeFrequencies.h"

#include <cmath>

namespace ergon {

double EdgeFrequencies::along(const Edges &Of) const {
  double Result = 0;
  for (const auto &[From, To] : Of) {
    const auto Runs = double(Frequencies->getBlockFreq(From ? From : To).getFrequency());
    const auto Share =
        From ? Probabilities->getEdgeProbability(From, To) : llvm::BranchProbability::getOne();
    Result += Runs * Share.getNumerator() / llvm::BranchProbability::getDenominator();
  }
  return Result;
}

/// \p Value to two digits.
static Rational rounded(double Value) {
  if (Value == 0)
    return 0;
  const int Digits = 1 - int(std::floor(std::log10(Value)));
  Rational Scale = 1;
  for (int I = 0; I != std::abs(Digits); ++I)
    Scale *= Rational(10);
  const Rational Result(std::llround(Value * std::pow(10.0, Digits)));
  return Digits > 0 ? Result / Scale : Result * Scale;
}

std::optional<Rational> EdgeFrequencies::ratio(const Probe &Counted) {
  if (Counted.Numerator.empty() || Counted.Denominator.empty())
    return std::nullopt;
  if (!Frequencies) {
    Probabilities.emplace(Analyses.F, Analyses.LI, &Analyses.TLI, &Analyses.DT);
    Frequencies.emplace(Analyses.F, *Probabilities, Analyses.LI);
  }
  const double Around = along(Counted.Denominator), Ratio = along(Counted.Numerator) / Around;
  return Around > 0 && std::isfinite(Ratio) ? std::optional(rounded(Ratio)) : std::nullopt;
}

} // namespace ergon
