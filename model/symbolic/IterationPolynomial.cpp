//===- IterationPolynomial.cpp - polynomials in induction variables -------===//

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

void IterationPolynomial::add(const Powers &P, const Rational &Coefficient) {
  auto Found = std::ranges::lower_bound(Terms, P, {}, &std::pair<Powers, Rational>::first);
  if (Found == Terms.end() || Found->first != P) {
    if (Coefficient != 0)
      Terms.emplace(Found, P, Coefficient);
    return;
  }
  Found->second += Coefficient;
  if (Found->second == 0)
    Terms.erase(Found);
}

unsigned IterationPolynomial::depth() const {
  unsigned Result = 0;
  for (const auto &[Term, Coefficient] : Terms)
    for (unsigned Variable = Result; Variable != MaxVariables; ++Variable)
      if (Term[Variable] != 0)
        Result = Variable + 1;
  return Result;
}

Rational IterationPolynomial::atOrigin() const {
  return !Terms.empty() && Terms.front().first == Powers{} ? Terms.front().second : Rational(0);
}

std::vector<IterationPolynomial> IterationPolynomial::coefficientsOf(unsigned Variable) const {
  std::vector<IterationPolynomial> Result(1);
  for (const auto &[Term, Coefficient] : Terms) {
    Powers Rest = Term;
    Rest[Variable] = 0;
    if (Result.size() <= Term[Variable])
      Result.resize(Term[Variable] + 1);
    Result[Term[Variable]].add(Rest, Coefficient);
  }
  return Result;
}

Rational IterationPolynomial::commonDenominator() const {
  Rational Result = 1;
  for (const auto &[Term, Coefficient] : Terms)
    if (!Coefficient.isInteger())
      Result = lcm(Result, Coefficient.get_den());
  return Result;
}

bool IterationPolynomial::isTooLarge() const {
  static constexpr std::size_t MaxTerms = 400;
  static constexpr std::uint8_t MaxPower = 40;
  return Terms.size() > MaxTerms || std::ranges::any_of(Terms, [](const auto &Item) {
           return std::ranges::max(Item.first) > MaxPower;
         });
}

IterationPolynomial &IterationPolynomial::operator+=(const IterationPolynomial &Other) {
  for (const auto &[Term, Coefficient] : Other.Terms)
    add(Term, Coefficient);
  return *this;
}

IterationPolynomial &IterationPolynomial::operator-=(const IterationPolynomial &Other) {
  for (const auto &[Term, Coefficient] : Other.Terms)
    add(Term, -Coefficient);
  return *this;
}

IterationPolynomial &IterationPolynomial::operator*=(const Rational &Factor) {
  if (Factor == 0)
    Terms.clear();
  for (auto &[Term, Coefficient] : Terms)
    Coefficient *= Factor;
  return *this;
}

IterationPolynomial operator*(const IterationPolynomial &Left, const IterationPolynomial &Right) {
  IterationPolynomial Result;
  for (const auto &[Term, Scale] : Left.Terms)
    for (const auto &[Other, Coefficient] : Right.Terms) {
      Powers P = Term;
      for (unsigned Variable = 0; Variable != IterationPolynomial::MaxVariables; ++Variable)
        P[Variable] += Other[Variable];
      Result.add(P, Scale * Coefficient);
    }
  return Result;
}

} // namespace ergon
