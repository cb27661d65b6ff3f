//===- RunFit.cpp - numbers of runs at a size that none had ---------------===//

#include "model/program/RunFit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace ergon {

using Polynomial = std::vector<Rational>; ///< coefficients, the constant one first
using FitPoints = std::vector<std::pair<Rational, Rational>>;

static Rational valueAt(const Polynomial &P, const Rational &X) {
  Rational Result = 0;
  for (std::size_t I = P.size(); I-- > 0;)
    Result = Result * X + P[I];
  return Result;
}

/// The polynomial through the last \p Count points (Newton's divided differences).
static Polynomial through(const FitPoints &Points, std::size_t Count) {
  const std::size_t First = Points.size() - Count;
  std::vector<Rational> Differences;
  for (std::size_t I = 0; I != Count; ++I)
    Differences.push_back(Points[First + I].second);
  for (std::size_t Order = 1; Order != Count; ++Order)
    for (std::size_t I = Count; I-- > Order;)
      Differences[I] = (Differences[I] - Differences[I - 1]) /
                       (Points[First + I].first - Points[First + I - Order].first);
  Polynomial Result;
  for (std::size_t I = Count; I-- > 0;) { // Result · (x - X_I) + Differences[I]
    Result.insert(Result.begin(), 0);
    for (std::size_t J = 0; J + 1 != Result.size(); ++J)
      Result[J] -= Result[J + 1] * Points[First + I].first;
    Result[0] += Differences[I];
  }
  return Result;
}

static bool reaches(const Polynomial &P, const FitPoints &Points) {
  static constexpr double MaxError = 0.01;
  return std::ranges::all_of(Points, [&](const auto &Point) {
    const double Value = Point.second.get_d();
    return std::abs(valueAt(P, Point.first).get_d() - Value) <= MaxError * std::abs(Value);
  });
}

/// `2·n^2 + 3`
static std::string textOf(const Polynomial &P, const std::string &Name) {
  std::string Result;
  for (std::size_t I = P.size(); I-- > 0;) {
    const double Value = P[I].get_d();
    if (Value == 0)
      continue;
    char Number[32];
    const auto Written =
        std::to_chars(Number, std::end(Number), Result.empty() ? Value : std::abs(Value),
                      std::chars_format::general, /*precision=*/4);
    if (!Result.empty())
      Result += Value < 0 ? " - " : " + ";
    Result.append(Number, Written.ptr);
    if (I != 0)
      Result += "·" + Name;
    if (I > 1)
      Result += "^" + std::to_string(I);
  }
  return "≈ " + (Result.empty() ? "0" : Result);
}

std::optional<RunFit> fittedAt(FitPoints Points, const Rational &At, const std::string &Name) {
  static constexpr std::size_t MaxDegree = 3;
  std::ranges::sort(Points, {}, [](const auto &Point) { return Point.first; });
  if (Points.size() < 2 || std::ranges::adjacent_find(Points, {}, [](const auto &Point) {
                             return Point.first;
                           }) != Points.end())
    return std::nullopt;
  auto Result = [&](const Polynomial &P, bool IsUnchecked) {
    return RunFit{std::max(valueAt(P, At), Rational(0)), textOf(P, Name), IsUnchecked};
  };
  for (std::size_t Degree = 0; Degree <= MaxDegree; ++Degree) {
    if (Degree != 0 && Points.back().first != Rational(0)) {
      Polynomial Power(Degree + 1);
      Power[Degree] = Points.back().second;
      for (std::size_t I = 0; I != Degree; ++I)
        Power[Degree] /= Points.back().first;
      if (reaches(Power, Points))
        return Result(Power, false);
    }
    if (Degree + 2 <= Points.size())
      if (Polynomial P = through(Points, Degree + 1); reaches(P, Points))
        return Result(P, false);
  }
  if (Points.size() <= MaxDegree) // two or three sizes alone
    return Result(through(Points, Points.size()), true);
  return std::nullopt;
}

} // namespace ergon
