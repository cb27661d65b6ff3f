//===- Slopes.cpp - values of formulas and their slopes -------------------===//

#include "model/symbolic/Slopes.h"

#include <cmath>

namespace ergon {

namespace {
/// Evaluates a formula, then adds the slopes of its parts from the outside to the inside.
class SlopeFinder {
public:
  SlopeFinder(const std::function<double(const std::string &)> &Values, Slopes &Result)
      : Values(Values), Result(Result) {}

  double value(const Expr &Formula) const;
  void add(const Expr &Formula, double Scale);

private:
  const std::function<double(const std::string &)> &Values;
  Slopes &Result;

  double value(const Atom &Factor) const;
  void add(const Atom &Factor, double Scale);
};
} // namespace

double SlopeFinder::value(const Expr &Formula) const {
  double Sum = 0;
  for (const Term &T : Formula.terms()) {
    double Product = T.Coefficient.get_d();
    for (const auto &[Factor, Power] : T.Factors) {
      const double Base = value(*Factor);
      for (unsigned I = 0; I != Power; ++I)
        Product *= Base;
    }
    Sum += Product;
  }
  return Sum;
}

/// Which of the operands is the largest, or with \p Sign -1 the smallest.
static std::size_t indexOfMost(const Atom &Factor, double Sign,
                               const std::function<double(const Expr &)> &Value) {
  std::size_t Most = 0;
  for (std::size_t I = 1; I != Factor.Operands.size(); ++I)
    if (Sign * Value(Factor.Operands[I]) > Sign * Value(Factor.Operands[Most]))
      Most = I;
  return Most;
}

static double signOf(Atom::Kind What) { return What == Atom::Kind::Max ? 1 : -1; }

double SlopeFinder::value(const Atom &Factor) const {
  auto Value = [&](const Expr &E) { return value(E); };
  switch (Factor.What) {
  case Atom::Kind::Symbol:
    return Values(Factor.Name);
  case Atom::Kind::FloorDiv: {
    const double Divisor = value(Factor.Operands[1]);
    return Divisor == 0 ? 0 : std::floor(value(Factor.Operands[0]) / Divisor);
  }
  case Atom::Kind::Max:
  case Atom::Kind::Min:
    return value(Factor.Operands[indexOfMost(Factor, signOf(Factor.What), Value)]);
  case Atom::Kind::Indicator:
    return value(Factor.Operands[0]) >= 0;
  case Atom::Kind::Power:
    return std::pow(value(Factor.Operands[0]), value(Factor.Operands[1]));
  case Atom::Kind::Log:
    return std::floor(std::log(value(Factor.Operands[1])) / std::log(value(Factor.Operands[0])));
  case Atom::Kind::Sum:
    break;
  }
  // Its summand has a symbol more: the iteration.
  const Expr Whole = Expr(std::make_shared<const Atom>(Factor));
  auto Sum = Whole.evaluate([&](const std::string &Name) -> std::optional<Rational> {
    return Rational::wholePartOf(Values(Name));
  });
  return Sum ? Sum->get_d() : 0;
}

void SlopeFinder::add(const Expr &Formula, double Scale) {
  for (const Term &T : Formula.terms()) {
    std::vector<double> Bases;
    for (const auto &[Factor, Power] : T.Factors)
      Bases.push_back(value(*Factor));
    for (std::size_t I = 0; I != T.Factors.size(); ++I) {
      double Others = Scale * T.Coefficient.get_d();
      for (std::size_t J = 0; J != T.Factors.size(); ++J) {
        const unsigned Power = T.Factors[J].second;
        Others *= J == I ? Power * std::pow(Bases[J], Power - 1) : std::pow(Bases[J], Power);
      }
      if (Others != 0)
        add(*T.Factors[I].first, Others);
    }
  }
}

void SlopeFinder::add(const Atom &Factor, double Scale) {
  auto Value = [&](const Expr &E) { return value(E); };
  switch (Factor.What) {
  case Atom::Kind::Symbol:
    Result.emplace_back(&Factor.Name, Scale);
    return;
  case Atom::Kind::FloorDiv: {
    const double Divisor = value(Factor.Operands[1]);
    if (Divisor == 0)
      return;
    add(Factor.Operands[0], Scale / Divisor);
    add(Factor.Operands[1], -Scale * value(Factor.Operands[0]) / (Divisor * Divisor));
    return;
  }
  case Atom::Kind::Max:
  case Atom::Kind::Min:
    return add(Factor.Operands[indexOfMost(Factor, signOf(Factor.What), Value)], Scale);
  case Atom::Kind::Indicator:
  case Atom::Kind::Power:
  case Atom::Kind::Log:
  case Atom::Kind::Sum:
    return;
  }
}

double valueWithSlopes(const Expr &Formula,
                       const std::function<double(const std::string &)> &Values, double Scale,
                       Slopes &Result) {
  SlopeFinder Finder(Values, Result);
  Finder.add(Formula, Scale);
  return Finder.value(Formula);
}

} // namespace ergon
