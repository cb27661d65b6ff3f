//===- ExprPowers.cpp - powers and logarithms -----------------------------===//
//
// Used to count loops that multiply or divide their induction variable: c^k is its value in
// iteration k, and the logarithm gives the iteration that passes the bound. Powers of one base in a
// product are merged, and constants in an exponent move outside: 4^(k+1)·2^k is 4·2^(3·k).
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/Expr.h"

#include <algorithm>

namespace ergon {

/// Larger powers are not expanded.
static constexpr std::uint64_t MaxExponent = 4096;

static bool isWhole(const Expr &Value) {
  for (const Term &T : Value.terms())
    if (!T.Coefficient.isInteger())
      return false;
  return true;
}

/// Between whole exponents, which only means have, the mean of the powers with these.
static std::optional<Rational> meanPowerOf(const Rational &Base, const Rational &Exponent) {
  const Rational Whole = floorOf(Exponent);
  const auto Power = Base > 0 ? powerOf(Base, Whole) : std::nullopt;
  return Power ? std::optional(*Power * (1 + (Exponent - Whole) * (Base - 1))) : std::nullopt;
}

std::optional<Rational> powerOf(const Rational &Base, const Rational &Exponent) {
  if (!Exponent.isInteger())
    return meanPowerOf(Base, Exponent);
  if (abs(Exponent) > MaxExponent || (Base == 0 && Exponent < 0))
    return std::nullopt;
  Rational Result = 1, Square = Exponent < 0 ? 1 / Base : Base;
  for (std::uint64_t Times = abs(Exponent).get_ui(); Times != 0; Times /= 2) {
    if (Times % 2 != 0)
      Result *= Square;
    if (Times > 1)
      Square *= Square;
  }
  return Result;
}

std::optional<Rational> logarithmOf(const Rational &Base, const Rational &Value) {
  if (Base < 2)
    return std::nullopt;
  std::int64_t Result = -1;
  for (Rational Power = 1; Power <= Value; Power *= Base)
    ++Result;
  return Rational(Result);
}

/// The smallest base that \p Base, at least 2, is a power of, and the exponent.
static std::pair<Rational, unsigned> rootOf(const Rational &Base) {
  unsigned Bits = 1;
  while (twoTo(Bits) <= Base)
    ++Bits;
  for (unsigned Degree = std::min<unsigned>(Bits, MaxExponent); Degree > 1; --Degree) {
    Rational Root; // the largest whose power is not above, from its highest bit
    for (unsigned Bit = Bits / Degree + 1; Bit-- > 0;)
      if (Rational Next = Root + twoTo(Bit); *powerOf(Next, Degree) <= Base)
        Root = std::move(Next);
    if (*powerOf(Root, Degree) == Base)
      return {Root, Degree};
  }
  return {Base, 1};
}

static Expr makePower(const Expr &Base, const Expr &Exponent) {
  return Expr(atomOf(Atom::Kind::Power, "", {Base, Exponent}));
}

/// Whether \p Exponent without its constant may be negative: (x + 1) mod 8 minus 1 is x -
/// 8·floor((x + 1)/8), and a power of it would be a fraction.
static bool needsNumber(const Expr &Exponent) {
  return std::ranges::any_of(varyingTerms(Exponent),
                             [](const Term &T) { return T.Coefficient < 0; });
}

Expr power(const Expr &Base, const Expr &Exponent) {
  auto BaseNumber = Base.constant(), Number = Exponent.constant();
  if (BaseNumber && *BaseNumber == 1)
    return Expr(1);
  if (BaseNumber && Number)
    if (auto Value = powerOf(*BaseNumber, *Number))
      return Expr(*Value);
  static constexpr unsigned MaxFactors = 64;
  if (Number && Number->isInteger() && *Number >= 0 && *Number <= MaxFactors)
    return power(Base, unsigned(Number->get_ui()));
  if (BaseNumber && BaseNumber->isInteger() && *BaseNumber >= 2)
    if (auto [Root, Degree] = rootOf(*BaseNumber); Degree != 1)
      return power(Expr(Root), Exponent * std::int64_t(Degree));
  if (!isWhole(Exponent))
    return makePower(Base, Exponent);
  for (const Term &T : Exponent.terms()) {
    // A base that may be zero has no inverse to move outside.
    if (!T.Factors.empty() || Number || (!BaseNumber && T.Coefficient < 0) ||
        (T.Coefficient > 0 && needsNumber(Exponent)))
      continue;
    Expr Outside = power(Base, Expr(T.Coefficient));
    if (const Atom *Left = Outside.asAtom(); !Left || Left->What != Atom::Kind::Power)
      return Outside * makePower(Base, Exponent - Expr(T.Coefficient));
  }
  return makePower(Base, Exponent);
}

void mergePowers(Monomial &Product) {
  for (std::size_t I = 0; I < Product.size(); ++I) {
    if (Product[I].first->What != Atom::Kind::Power || !isWhole(Product[I].first->Operands[1]))
      continue;
    const Expr Base = Product[I].first->Operands[0];
    Expr Exponent = Product[I].first->Operands[1] * std::int64_t(Product[I].second);
    bool Changed = Product[I].second != 1;
    for (std::size_t J = I + 1; J < Product.size();) {
      const Atom &Other = *Product[J].first;
      if (Other.What != Atom::Kind::Power || !(Other.Operands[0] == Base) ||
          !isWhole(Other.Operands[1])) {
        ++J;
        continue;
      }
      Exponent += Other.Operands[1] * std::int64_t(Product[J].second);
      Product.erase(Product.begin() + std::ptrdiff_t(J));
      Changed = true;
    }
    if (Exponent.isZero())
      Product.erase(Product.begin() + std::ptrdiff_t(I--));
    else if (Changed)
      Product[I] = {makePower(Base, Exponent).terms()[0].Factors[0].first, 1};
  }
}

Expr floorLog(const Expr &Base, const Expr &Value) {
  auto BaseNumber = Base.constant(), Number = Value.constant();
  if (BaseNumber && Number)
    if (auto Result = logarithmOf(*BaseNumber, *Number))
      return Expr(*Result);
  return Expr(atomOf(Atom::Kind::Log, "", {Base, Value}));
}

std::optional<PowerTerm> powerIn(const Expr &Value, std::string_view Variable) {
  PowerTerm Result;
  const Atom *Found = nullptr;
  for (const Term &T : Value.terms()) {
    Term Rest{{}, T.Coefficient};
    bool HasPower = false;
    for (const auto &Factor : T.Factors) {
      if (!dependsOn(*Factor.first, Variable)) {
        Rest.Factors.push_back(Factor);
        continue;
      }
      if (Factor.first->What != Atom::Kind::Power || Factor.second != 1 ||
          (Found && compareAtoms(*Found, *Factor.first) != 0))
        return std::nullopt;
      Found = Factor.first.get();
      HasPower = true;
    }
    (HasPower ? Result.Scale : Result.Rest) += Expr::fromTerms({std::move(Rest)});
  }
  if (!Found || Found->Operands[0].dependsOn(Variable))
    return std::nullopt;
  auto Exponent = Found->Operands[1].coefficientsOf(Variable);
  if (!Exponent || Exponent->size() != 2 || !(*Exponent)[1].constant())
    return std::nullopt;
  Result.Ratio = power(Found->Operands[0], (*Exponent)[1]);
  Result.Scale *= power(Found->Operands[0], (*Exponent)[0]);
  return Result;
}

} // namespace ergon
