//===- IterationPolynomial.cpp - polynomials in iteration numbers ---------===//

#include "model/symbolic/IterationPolynomial.h"

#include <algorithm>

namespace ergon {

using Powers = IterationPolynomial::Powers;

IterationPolynomial::IterationPolynomial(const Rational &Number) {
  if (Number != 0)
    Terms.emplace_back(Powers{}, Number);
}

IterationPolynomial IterationPolynomial::variable(unsigned Which) {
  IterationPolynomial Result;
  Powers First{};
  First[Which] = 1;
  Result.Terms.emplace_back(First, 1);
  return Result;
}

void IterationPolynomial::add(const Powers &Of, const Rational &Coefficient) {
  auto At = std::ranges::lower_bound(Terms, Of, {}, &std::pair<Powers, Rational>::first);
  if (At == Terms.end() || At->first != Of) {
    if (Coefficient != 0)
      Terms.emplace(At, Of, Coefficient);
    return;
  }
  At->second += Coefficient;
  if (At->second == 0)
    Terms.erase(At);
}

unsigned IterationPolynomial::depth() const {
  unsigned Result = 0;
  for (const auto &[Of, Coefficient] : Terms)
    for (unsigned Variable = Result; Variable != MaxVariables; ++Variable)
      if (Of[Variable] != 0)
        Result = Variable + 1;
  return Result;
}

Rational IterationPolynomial::atOrigin() const {
  return !Terms.empty() && Terms.front().first == Powers{} ? Terms.front().second : Rational(0);
}

std::vector<IterationPolynomial> IterationPolynomial::coefficientsOf(unsigned Variable) const {
  std::vector<IterationPolynomial> Result(1);
  for (const auto &[Of, Coefficient] : Terms) {
    Powers Rest = Of;
    Rest[Variable] = 0;
    if (Result.size() <= Of[Variable])
      Result.resize(Of[Variable] + 1);
    Result[Of[Variable]].add(Rest, Coefficient);
  }
  return Result;
}

mpz_class IterationPolynomial::commonDenominator() const {
  mpz_class Result = 1;
  for (const auto &[Of, Coefficient] : Terms)
    if (!Coefficient.isInteger())
      Result = lcm(Result, Coefficient.get_den());
  return Result;
}

bool IterationPolynomial::isTooLarge() const {
  static constexpr std::size_t MaxTerms = 400;
  static constexpr std::uint8_t MaxPower = 40;
  return Terms.size() > MaxTerms || std::ranges::any_of(Terms, [](const auto &Each) {
           return std::ranges::max(Each.first) > MaxPower;
         });
}

IterationPolynomial &IterationPolynomial::operator+=(const IterationPolynomial &Other) {
  for (const auto &[Of, Coefficient] : Other.Terms)
    add(Of, Coefficient);
  return *this;
}

IterationPolynomial &IterationPolynomial::operator-=(const IterationPolynomial &Other) {
  for (const auto &[Of, Coefficient] : Other.Terms)
    add(Of, -Coefficient);
  return *this;
}

IterationPolynomial &IterationPolynomial::operator*=(const Rational &Factor) {
  if (Factor == 0)
    Terms.clear();
  for (auto &[Of, Coefficient] : Terms)
    Coefficient *= Factor;
  return *this;
}

IterationPolynomial operator*(const IterationPolynomial &Left, const IterationPolynomial &Right) {
  IterationPolynomial Result;
  for (const auto &[One, Scale] : Left.Terms)
    for (const auto &[Other, Coefficient] : Right.Terms) {
      Powers Both = One;
      for (unsigned Variable = 0; Variable != IterationPolynomial::MaxVariables; ++Variable)
        Both[Variable] += Other[Variable];
      Result.add(Both, Scale * Coefficient);
    }
  return Result;
}

} // namespace ergon
