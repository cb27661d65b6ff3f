//===- EstimateRanges.cpp - intervals of estimated counts -----------------===//

#include "predict/answer/EstimateRanges.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ergon {

Rational amountOf(const CountValues &Counts, const std::string &Class) {
  auto Found = Counts.Values.find(Class);
  return Found == Counts.Values.end() ? Rational(0) : Found->second;
}

/// The amount with the error of sums of which some terms stand for all.
static Bounds withError(const CountValues &Counts, const std::string &Class) {
  auto Found = Counts.Ranges.find(Class);
  const Rational Amount = amountOf(Counts, Class);
  return Found == Counts.Ranges.end() ? Bounds{Amount, Amount} : Found->second;
}

void addRange(EstimatedCounts &Result, const std::string &Class, const CountValues &Least,
              const CountValues &Most, const CountValues &Near) {
  const Rational AtMost = amountOf(Most, Class);
  auto [Low, High] = withError(Result.Counted.Counts, Class);
  for (const CountValues *Each : {&Least, &Most}) {
    const Bounds Next = withError(*Each, Class);
    Low = std::min(Low, Next.Low);
    High = std::max(High, Next.High);
  }
  if (auto Found = Result.Ranges.find(Class); Found != Result.Ranges.end()) {
    Low = std::min(Low, Found->second.Low);
    High = std::max(High, Found->second.High);
  }
  auto Open = Result.AtLeast.find(Class);
  if (Open == Result.AtLeast.end() && amountOf(Near, Class) != AtMost) {
    Open = Result.AtLeast.emplace(Class, Low).first;
    Result.Ranges.erase(Class);
  }
  if (Open != Result.AtLeast.end())
    Open->second = std::min(Open->second, Low);
  else if (Low != High)
    Result.Ranges.insert_or_assign(Class, Bounds{Low, High});
}

void openHighEnds(EstimatedCounts &Result) {
  Result.IsUnbounded = true;
  for (const auto &[Class, Value] : Result.Counted.Counts.Values) {
    auto Found = Result.Ranges.find(Class);
    Result.AtLeast.emplace(Class, Found == Result.Ranges.end() ? Value : Found->second.Low);
  }
  Result.Ranges.clear();
}

bool roundOff(Rational &Value) {
  const Rational Nearest = floorOf(Value + Rational(1) / Rational(2));
  return std::exchange(Value, Nearest) != Nearest;
}

void setShares(std::vector<SymbolEstimate> &Estimates) {
  double All = 0;
  for (const SymbolEstimate &E : Estimates)
    All += E.Spread;
  for (SymbolEstimate &E : Estimates)
    E.Spread = All > 0 ? E.Spread / All : 1.0 / double(Estimates.size());
  std::ranges::sort(Estimates, {}, [](const SymbolEstimate &E) {
    return std::pair(-E.Spread, std::string_view(E.What.Symbol));
  });
}

} // namespace ergon
