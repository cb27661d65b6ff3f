//===- PiecewiseSum.cpp - piecewise summation -----------------------------===//
//
// Each open sum has an induction variable t >= 0 and an extent: the last t of the current piece, a
// polynomial in the variables of the outer sums. The summand is evaluated to a polynomial in the
// induction variables that is valid in the whole piece. Where a condition or an extremum changes
// within the piece, the piece is split: the extent of this sum or of an outer one is reduced so
// that everything stays as it is at the piece's origin, where all t are 0. A floor division by a
// number makes the sum step through residues: for t = m·t' + r the quotient has integer
// coefficients. Each piece is summed by Faulhaber's formula, and the next one follows it.
// All arithmetic is exact. Decisions hold at each integer point of the piece.
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/PiecewiseSum.h"
#include "model/symbolic/IterationPolynomial.h"

#include <algorithm>

namespace ergon {

using Poly = IterationPolynomial;

namespace {
class PieceSummer {
public:
  PieceSummer(const SymbolValues &Values, std::uint64_t &Left) : Values(Values), Left(Left) {}

  std::optional<Rational> operator()(const Atom &Sum, const Rational &First, const Rational &Last) {
    auto Value = addPieces(Sum, First, 1, floorOf(Last - First));
    return Value ? std::optional(Value->atOrigin()) : std::nullopt;
  }

private:
  const SymbolValues &Values;
  std::uint64_t &Left;
  std::vector<std::pair<std::string, Poly>> Bound;
  std::vector<Poly> Extents; ///< of each open sum's piece
  std::vector<std::vector<Rational>> PowerSums;

  /// Why an evaluation ended without a value: the sum that must be split by residues, if any.
  struct Request {
    unsigned Variable;
    Rational Steps;
  };
  std::optional<Request> Wanted;

  //===--------------------------------------------------------------------===//
  // The polynomial that an expression is in the present piece
  //===--------------------------------------------------------------------===//

  std::optional<Poly> value(const Expr &E) {
    Poly Result;
    for (const Term &T : E.terms()) {
      auto Next = product(T);
      if (!Next)
        return std::nullopt;
      Result += *Next;
    }
    return Result;
  }

  std::optional<Poly> product(const Term &T) {
    Poly Result(T.Coefficient);
    // Indicators first: factors that a zero indicator guards may be undefined.
    for (bool Indicators : {true, false})
      for (const auto &[Factor, Power] : T.Factors) {
        if ((Factor->What == Atom::Kind::Indicator) != Indicators)
          continue;
        auto Value = atom(*Factor);
        if (!Value)
          return std::nullopt;
        if (Value->terms().empty())
          return Poly();
        for (unsigned I = 0; I != (Indicators ? 1 : Power); ++I) {
          Result = Result * *Value;
          if (Result.isTooLarge())
            return std::nullopt;
        }
      }
    return Result;
  }

  std::optional<Poly> atom(const Atom &A) {
    if (A.What == Atom::Kind::Symbol)
      return symbol(A.Name);
    if (A.What == Atom::Kind::Sum)
      return innerSum(A);
    std::vector<Poly> Operands;
    for (const Expr &Operand : A.Operands) {
      auto Next = value(Operand);
      if (!Next)
        return std::nullopt;
      Operands.push_back(std::move(*Next));
    }
    switch (A.What) {
    case Atom::Kind::FloorDiv:
      return quotient(Operands[0], Operands[1]);
    case Atom::Kind::Indicator: {
      auto Holds = isNotNegative(Operands[0]);
      return Holds ? std::optional(Poly(*Holds ? 1 : 0)) : std::nullopt;
    }
    case Atom::Kind::Max:
    case Atom::Kind::Min:
      return extremum(A.What == Atom::Kind::Max, Operands);
    case Atom::Kind::Power:
      if (Operands[0].depth() == 0 && Operands[1].depth() == 0)
        if (auto Value = powerOf(Operands[0].atOrigin(), Operands[1].atOrigin()))
          return *Value;
      return std::nullopt;
    case Atom::Kind::Log:
      return logarithm(Operands[0], Operands[1]);
    default:
      return std::nullopt;
    }
  }

  std::optional<Poly> symbol(const std::string &Name) {
    for (auto It = Bound.rbegin(); It != Bound.rend(); ++It)
      if (It->first == Name)
        return It->second;
    auto Value = Values(Name);
    return Value ? std::optional(Poly(*Value)) : std::nullopt;
  }

  std::optional<Poly> extremum(bool Greatest, const std::vector<Poly> &Operands) {
    Poly Best = Operands[0];
    for (const Poly &Next : std::span(Operands).subspan(1)) {
      auto Ahead = isNotNegative(Next - Best);
      if (!Ahead)
        return std::nullopt;
      if (*Ahead == Greatest)
        Best = Next;
    }
    return Best;
  }

  /// It is constant between two powers of the base.
  std::optional<Poly> logarithm(const Poly &Base, const Poly &P) {
    if (Base.depth() != 0)
      return std::nullopt;
    auto Exponent = logarithmOf(Base.atOrigin(), P.atOrigin());
    if (!Exponent)
      return std::nullopt;
    if (*Exponent >= 0) {
      auto Low = powerOf(Base.atOrigin(), *Exponent);
      if (!Low || !staysNotNegative(P - *Low))
        return std::nullopt;
    }
    auto High = powerOf(Base.atOrigin(), *Exponent + 1);
    return High && staysPositive(Poly(*High) - P) ? std::optional(Poly(*Exponent)) : std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Floor divisions
  //===--------------------------------------------------------------------===//

  std::optional<Poly> quotient(const Poly &Numerator, const Poly &Divisor) {
    if (Divisor.depth() != 0)
      return quotientOfPolynomials(Numerator, Divisor);
    const Rational R = Divisor.atOrigin();
    if (R == 0)
      return std::nullopt;
    Poly Quotient = Numerator;
    Quotient *= Rational(1) / R;
    return roundedDown(Quotient);
  }

  /// The quotient, limited to where it stays the same integer.
  std::optional<Poly> quotientOfPolynomials(const Poly &Numerator, const Poly &Divisor) {
    const Rational R = Divisor.atOrigin();
    if (R == 0 || !staysPositive(R > 0 ? Divisor : Poly() - Divisor))
      return std::nullopt;
    const Rational Current = floorOf(Numerator.atOrigin() / R);
    Poly P = Numerator, Upper = Divisor; // Numerator - Current·Divisor, Divisor - P
    Upper *= Current;
    P -= Upper;
    Upper = Divisor - P;
    if (R < 0) {
      P *= Rational(-1);
      Upper *= Rational(-1);
    }
    return staysNotNegative(P) && staysPositive(Upper) ? std::optional(Poly(Current))
                                                       : std::nullopt;
  }

  /// The largest integer at most \p P: its integer coefficients, if the rest is below 1.
  std::optional<Poly> roundedDown(const Poly &P) {
    Poly Whole, Part;
    for (const auto &[Powers, Coefficient] : P.terms()) {
      const Rational Down = floorOf(Coefficient);
      Whole.add(Powers, Down);
      Part.add(Powers, Coefficient - Down);
    }
    const unsigned Depth = Part.depth();
    if (Depth == 0)
      return Whole;
    if (auto Most = leastValue(Poly(1) - Part); Most && *Most > 0)
      return Whole;
    // All coefficients of the innermost variable become integers in steps of this.
    const unsigned Variable = Depth - 1;
    Rational Steps = 1, Slope = 0;
    for (const auto &[Powers, Coefficient] : P.terms())
      if (Powers[Variable] != 0 && !Coefficient.isInteger()) {
        Steps = lcm(Steps, Coefficient.get_den());
        Slope += abs(Coefficient);
      }
    const Poly &Extent = Extents[Variable];
    const bool IsLong = Steps > MaxSteps;
    if (IsLong ||
        (Extent.depth() == 0 && Slope * Extent.atOrigin() < Steps && Slope < Rational(1, 2)))
      return quotientOfPolynomials(P, Poly(1));
    Wanted = {Variable, Steps};
    return std::nullopt;
  }

  /// The largest number of residues.
  static constexpr unsigned MaxSteps = 1 << 14;

  //===--------------------------------------------------------------------===//
  // Conditions
  //===--------------------------------------------------------------------===//

  /// A lower bound of \p P in the piece, where one is easily found: the minimum of a polynomial
  /// that is linear in each variable with constant slopes.
  std::optional<Rational> leastValue(const Poly &P) const {
    const unsigned Depth = P.depth();
    if (Depth == 0)
      return P.atOrigin();
    const std::vector<Poly> Coefficients = P.coefficientsOf(Depth - 1);
    if (Coefficients.size() == 2 && Coefficients[1].depth() == 0)
      return leastValue(Coefficients[1].atOrigin() >= 0
                            ? Coefficients[0]
                            : Coefficients[0] + Coefficients[1] * Extents[Depth - 1]);
    for (const Poly &Element : std::span(Coefficients).subspan(1))
      if (auto Slope = leastValue(Element); !Slope || *Slope < 0)
        return std::nullopt;
    return leastValue(Coefficients[0]);
  }

  /// Ends the piece at \p Last, a polynomial in the outer variables that is not negative.
  bool endAt(unsigned Variable, const Poly &Last) {
    auto IsLess = isNotNegative(Extents[Variable] - Last);
    if (!IsLess)
      return false;
    if (*IsLess)
      Extents[Variable] = Last;
    return true;
  }

  bool staysNotNegative(const Poly &P) { return isNotNegative(P).value_or(false); }
  bool staysPositive(const Poly &P) {
    return staysNotNegative(P - Poly(1 / P.commonDenominator()));
  }

  /// Whether \p P >= 0 at the origin; limits the piece so that this holds at all its points.
  std::optional<bool> isNotNegative(const Poly &P) {
    const unsigned Depth = P.depth();
    if (Depth == 0)
      return P.atOrigin() >= 0;
    const unsigned Variable = Depth - 1;
    const std::vector<Poly> Coefficients = P.coefficientsOf(Variable);
    if (Coefficients.size() > 2)
      return isNotNegative(Coefficients, P);
    // a + b·t has the sign of a until b·t outweighs a.
    const Poly &A = Coefficients[0], &B = Coefficients[1], Falling = Poly() - B;
    auto Holds = isNotNegative(A), Grows = isNotNegative(B), Falls = isNotNegative(Falling);
    if (!Holds || !Grows || !Falls)
      return std::nullopt;
    if (*Holds ? *Grows : *Falls)
      return *Holds;
    // The last t with a + b·t >= 0 is ⌊a/-b⌋, the last one with a + b·t < 0 is -⌊a/b⌋ - 1.
    auto Down = quotient(A, *Holds ? Falling : B);
    if (!Down || !endAt(Variable, *Holds ? *Down : Poly(-1) - *Down))
      return std::nullopt;
    return Holds;
  }

  /// The same for a polynomial of degree 2 or more.
  std::optional<bool> isNotNegative(const std::vector<Poly> &Coefficients, const Poly &Whole) {
    if (auto Least = leastValue(Whole); Least && *Least >= 0)
      return true;
    if (auto Least = leastValue(Poly() - Whole); Least && *Least > 0)
      return false;
    std::vector<Rational> Numbers;
    for (const Poly &Coefficient : Coefficients) {
      if (Coefficient.depth() != 0)
        return std::nullopt;
      Numbers.push_back(Coefficient.atOrigin());
    }
    const unsigned Variable = Whole.depth() - 1;
    // No root exceeds this (Cauchy's bound).
    Rational Largest = 0;
    for (const Rational &Number : Numbers)
      Largest = std::max(Largest, abs(Number / Numbers.back()));
    const Rational Behind = floorOf(Largest + 2);
    const Rational Last = lastOfSign(Numbers, Behind);
    if (Last < Behind && !endAt(Variable, Last))
      return std::nullopt;
    return Numbers[0] >= 0;
  }

  static Rational at(const std::vector<Rational> &Polynomial, const Rational &T) {
    Rational Result = 0;
    for (std::size_t K = Polynomial.size(); K-- > 0;)
      Result = Result * T + Polynomial[K];
    return Result;
  }

  /// The last integer t <= \p Last up to which [p(t) >= 0] is what it is at 0. p is monotone while
  /// p(t+1) - p(t) keeps its sign.
  static Rational lastOfSign(const std::vector<Rational> &P, const Rational &Last) {
    if (P.size() == 1)
      return Last;
    std::vector<Rational> Step(P.size() - 1); // p(t + 1) - p(t)
    for (std::size_t K = 1; K != P.size(); ++K) {
      Rational Binomial = 1; // binomial(K, J)
      for (std::size_t J = 0; J != K; ++J) {
        Step[J] += P[K] * Binomial;
        Binomial = Binomial * Rational(K - J) / Rational(J + 1);
      }
    }
    const bool Sign = P[0] >= 0;
    Rational From = 0;
    while (From < Last) {
      // The step's polynomial from here on.
      std::vector<Rational> Shifted = Step;
      for (std::size_t Round = 0; Round + 1 < Shifted.size(); ++Round)
        for (std::size_t K = Shifted.size() - 1; K-- > Round;)
          Shifted[K] += From * Shifted[K + 1];
      const Rational To = std::min(Last, From + lastOfSign(Shifted, Last - From) + 1);
      if ((at(P, To) >= 0) == Sign) {
        From = To; // monotone in between: the same sign throughout
        continue;
      }
      Rational Low = From, High = To;
      while (High - Low > 1) {
        const Rational Middle = floorOf((Low + High) / 2);
        ((at(P, Middle) >= 0) == Sign ? Low : High) = Middle;
      }
      return Low;
    }
    return Last;
  }

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  std::optional<Poly> innerSum(const Atom &A) {
    auto First = value(A.Operands[0]);
    auto Last = First ? value(A.Operands[1]) : First;
    auto Extent = Last ? roundedDown(*Last - *First) : Last;
    return Extent ? addPieces(A, *First, 1, *Extent) : std::nullopt;
  }

  /// The sum of the summand at First, First + Stride, …, First + Extent·Stride.
  std::optional<Poly> addPieces(const Atom &A, Poly First, const Rational &Stride, Poly Extent) {
    Poly Total;
    const unsigned Variable = Extents.size();
    if (Variable == Poly::MaxVariables)
      return std::nullopt;
    for (;;) {
      auto More = isNotNegative(Extent);
      if (!More || !*More)
        return More ? std::optional(Total) : std::nullopt;
      if (Left == 0)
        return std::nullopt;
      --Left;
      Poly Place = Poly::variable(Variable);
      Place *= Stride;
      Extents.push_back(Extent);
      Bound.emplace_back(A.Name, First + Place);
      auto Summand = value(A.Operands[2]);
      Bound.pop_back();
      const Poly Last = Extents.back();
      Extents.pop_back();
      if (!Summand) {
        if (!Wanted || Wanted->Variable != Variable)
          return std::nullopt;
        const Rational Steps = Wanted->Steps;
        Wanted.reset();
        auto Rest = addResidues(A, First, Stride, Extent, Steps);
        return Rest ? std::optional(Total + *Rest) : Rest;
      }
      Total += sumOf(*Summand, Variable, Last + Poly(1));
      if (Total.isTooLarge())
        return std::nullopt;
      Poly Behind = Last + Poly(1);
      Extent -= Behind;
      Behind *= Stride;
      First += Behind;
    }
  }

  /// The same, by residue of the induction variable.
  std::optional<Poly> addResidues(const Atom &A, const Poly &First, const Rational &Stride,
                                  const Poly &Extent, const Rational &Steps) {
    Poly Total;
    for (Rational Residue = 0; Residue < Steps; Residue += 1) {
      if (Extent.depth() == 0 && Extent.atOrigin() < Residue)
        break;
      auto Last = quotient(Extent - Poly(Residue), Poly(Steps));
      auto Next = Last ? addPieces(A, First + Poly(Stride * Residue), Stride * Steps, *Last) : Last;
      if (!Next)
        return std::nullopt;
      Total += *Next;
    }
    return Total;
  }

  /// The sum of \p P over 0 <= t < \p End of one variable.
  Poly sumOf(const Poly &P, unsigned Variable, const Poly &End) {
    Poly Result;
    std::vector<Poly> Ends{Poly(1)}; // powers
    const std::vector<Poly> Coefficients = P.coefficientsOf(Variable);
    for (unsigned K = 0; K != Coefficients.size(); ++K) {
      if (PowerSums.size() <= K)
        PowerSums.push_back(powerSum(K));
      Poly Inner;
      for (unsigned J = 0; J != PowerSums[K].size(); ++J) {
        if (Ends.size() <= J)
          Ends.push_back(Ends.back() * End);
        Poly Next = Ends[J];
        Inner += Next *= PowerSums[K][J];
      }
      Result += Coefficients[K] * Inner;
    }
    return Result;
  }
};
} // namespace

std::optional<Rational> piecewiseSum(const Atom &Sum, const Rational &First, const Rational &Last,
                                     const SymbolValues &Values, std::uint64_t &Left) {
  return PieceSummer(Values, Left)(Sum, First, Last);
}

} // namespace ergon
