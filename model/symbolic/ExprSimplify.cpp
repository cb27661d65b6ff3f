//===- ExprSimplify.cpp - simplifies formulas -----------------------------===//

#include "model/symbolic/Expr.h"

#include <algorithm>

namespace ergon {

/// The value of a symbol for which \p Value is zero, where a symbol is a term of its own and occurs
/// once.
static std::optional<std::pair<std::string, Expr>> solve(const Expr &Value) {
  for (const Term &T : Value.terms()) {
    if (T.Factors.size() != 1 || T.Factors[0].second != 1 || abs(T.Coefficient) != 1 ||
        T.Factors[0].first->What != Atom::Kind::Symbol)
      continue;
    Expr Rest = Value - Expr::fromTerms({T});
    const std::string &Name = T.Factors[0].first->Name;
    if (!Rest.dependsOn(Name))
      return std::pair(Name, Rest * Expr(Rational(-T.Coefficient)));
  }
  return std::nullopt;
}

namespace {
/// Terms with the factor [Base + Constant >= 0], without that factor.
struct Part {
  Rational Constant;
  Expr Rest;
};
} // namespace

/// Whether \p Rest is zero for every Base in -Upper, …, -Lower - 1, so that either condition may
/// guard it.
static bool vanishesBetween(const Expr &Rest, const Expr &Base, const Rational &Lower,
                            const Rational &Upper) {
  static const Rational MaxSteps = 4;
  if (Upper - Lower > MaxSteps || hasReal(Base)) // a real number has values between these
    return false;
  for (Rational C = Lower + 1; C <= Upper; C += 1) {
    auto Solved = solve(Base + Expr(C));
    if (!Solved || !Rest.substitute({{Solved->first, Solved->second}}).isZero())
      return false;
  }
  return true;
}

/// Merges two parts whose conditions differ only where one of them is zero.
static bool mergeOnce(std::vector<Part> &Parts, const Expr &Base) {
  for (std::size_t I = 0; I < Parts.size(); ++I)
    for (std::size_t J = 0; J < Parts.size(); ++J) {
      const Part &Strong = Parts[I], &Weak = Parts[J];
      if (Strong.Constant >= Weak.Constant)
        continue;
      bool Relax = vanishesBetween(Strong.Rest, Base, Strong.Constant, Weak.Constant);
      if (!Relax && !vanishesBetween(Weak.Rest, Base, Strong.Constant, Weak.Constant))
        continue;
      Parts[I] = {Relax ? Weak.Constant : Strong.Constant, Strong.Rest + Weak.Rest};
      Parts.erase(Parts.begin() + std::ptrdiff_t(J));
      return true;
    }
  return false;
}

/// The operand of \p Factor where that is a condition on \p Base plus a number; else null.
static const Expr *conditionOn(const Expr &Base, const Atom &Factor) {
  if (Factor.What != Atom::Kind::Indicator)
    return nullptr;
  const Expr &Operand = Factor.Operands[0];
  return Expr::compareTerms(varyingTerms(Operand), Base.terms()) == 0 ? &Operand : nullptr;
}

/// Whether \p Value contains conditions on \p Base plus different numbers.
static bool hasSeveralConditions(const Expr &Value, const Expr &Base) {
  const Expr *First = nullptr;
  for (const Term &T : Value.terms())
    for (const auto &[Factor, Power] : T.Factors)
      if (const Expr *Condition = conditionOn(Base, *Factor)) {
        if (First && !(constantTerm(*First) == constantTerm(*Condition)))
          return true;
        First = Condition;
      }
  return false;
}

/// One round for the conditions on \p Base plus a number.
static std::optional<Expr> simplifyFamily(const Expr &Value, const Expr &Base) {
  if (!hasSeveralConditions(Value, Base))
    return std::nullopt;
  std::vector<Part> Parts;
  std::vector<Term> Others;
  for (const Term &T : Value.terms()) {
    const Expr *Condition = nullptr;
    Term Bare = T;
    erase_if(Bare.Factors, [&](const auto &Factor) {
      if (Condition)
        return false;
      Condition = conditionOn(Base, *Factor.first);
      return Condition != nullptr;
    });
    if (!Condition) {
      Others.push_back(T);
      continue;
    }
    Rational Constant = constantTerm(*Condition);
    auto Found = std::ranges::find(Parts, Constant, &Part::Constant);
    if (Found == Parts.end())
      Found = Parts.insert(Parts.end(), {Constant, {}});
    Found->Rest += Expr::fromTerms({std::move(Bare)});
  }
  if (!mergeOnce(Parts, Base))
    return std::nullopt;
  while (mergeOnce(Parts, Base))
    ;
  Expr Result = Expr::fromTerms(std::move(Others));
  for (const Part &P : Parts)
    Result += P.Rest * isNonNegative(Base + Expr(P.Constant));
  return Result;
}

/// Whether \p Other is -T where \p Product is T times its factor number \p Left.
static bool isOppositeWithout(const Term &Product, std::size_t Left, const Term &Other) {
  if (Other.Factors.size() + 1 != Product.Factors.size() ||
      !(Other.Coefficient == -Product.Coefficient))
    return false;
  for (std::size_t I = 0; I != Other.Factors.size(); ++I) {
    const auto &[Factor, Power] = Product.Factors[I < Left ? I : I + 1];
    if (Power != Other.Factors[I].second || compareAtoms(*Factor, *Other.Factors[I].first) != 0)
      return false;
  }
  return true;
}

/// T - T·[c] is T·[not c].
static std::optional<Expr> joinOpposites(const Expr &Value) {
  for (const Term &T : Value.terms())
    for (std::size_t I = 0; I != T.Factors.size(); ++I) {
      if (T.Factors[I].first->What != Atom::Kind::Indicator ||
          !std::ranges::any_of(Value.terms(),
                               [&](const Term &Other) { return isOppositeWithout(T, I, Other); }))
        continue;
      Expr Opposite = negated(Expr(T.Factors[I].first));
      if (!Opposite.asAtom())
        continue;
      Term Bare{T.Factors, -T.Coefficient};
      Bare.Factors.erase(Bare.Factors.begin() + std::ptrdiff_t(I));
      Expr Other = Expr::fromTerms({std::move(Bare)});
      Expr E = Value - Other;
      if (E.terms().size() < Value.terms().size())
        return E - Expr::fromTerms({T}) + Other * Opposite;
    }
  return std::nullopt;
}

Expr simplifyConditions(const Expr &Value) {
  static constexpr std::size_t MaxSize = 500; // longer ones are unreadable
  Expr Result = Value;
  if (Value.size() > MaxSize || Value.terms().size() < 2)
    return Result;
  for (unsigned Round = 0; Round != 4; ++Round) {
    bool Changed = false;
    std::vector<Expr> Bases;
    for (const Term &T : Result.terms())
      for (const auto &[Factor, Power] : T.Factors)
        if (Factor->What == Atom::Kind::Indicator &&
            std::ranges::none_of(Bases, [&A = *Factor](const Expr &Base) {
              return conditionOn(Base, A) != nullptr;
            }))
          Bases.push_back(Factor->Operands[0] - Expr(constantTerm(Factor->Operands[0])));
    for (const Expr &Base : Bases)
      if (auto Shorter = simplifyFamily(Result, Base)) {
        Result = std::move(*Shorter);
        Changed = true;
      }
    if (auto Shorter = joinOpposites(Result)) {
      Result = std::move(*Shorter);
      Changed = true;
    }
    if (!Changed)
      break;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Under a condition
//===----------------------------------------------------------------------===//

static bool implies(const Expr &Condition, const Expr &NonNegative) {
  return Condition * isNonNegative(NonNegative) == Condition;
}

/// Solves \p Value = floor(x / \p Divisor) for some x.
static std::optional<Expr> multiplied(const Expr &Value, const Rational &Divisor) {
  for (const Term &T : Value.terms()) {
    const Atom *Floor = T.Factors.size() == 1 ? T.Factors[0].first.get() : nullptr;
    if (!Floor || Floor->What != Atom::Kind::FloorDiv || T.Coefficient != 1 ||
        T.Factors[0].second != 1)
      continue;
    auto Number = Floor->Operands[1].constant();
    if (!Number || !Rational(*Number / Divisor).isInteger())
      continue;
    Expr Rest = Value - Expr::fromTerms({T});
    return floorDiv(Floor->Operands[0] + Rest * Expr(*Number), Expr(Rational(*Number / Divisor)));
  }
  return std::nullopt;
}

static Expr assumingInAtom(const AtomRef &Factor, const Expr &Condition) {
  if (Factor->What == Atom::Kind::Symbol || Factor->What == Atom::Kind::Sum)
    return Expr(Factor);
  if (Factor->What == Atom::Kind::Indicator) {
    Expr E = Condition * Expr(Factor);
    return E.isZero() || E == Condition ? Expr(E.isZero() ? 0 : 1) : Expr(Factor);
  }
  std::vector<Expr> Operands;
  for (const Expr &Operand : Factor->Operands)
    Operands.push_back(assuming(Operand, Condition));
  switch (Factor->What) {
  case Atom::Kind::FloorDiv:
    return floorDiv(Operands[0], Operands[1]);
  case Atom::Kind::Power:
    return power(Operands[0], Operands[1]);
  case Atom::Kind::Log:
    // log(c, floor(x/c)) is log(c, x) - 1 where x is at least 1.
    if (auto Base = Operands[0].constant())
      if (auto Above = multiplied(Operands[1], *Base); Above && implies(Condition, *Above - 1))
        return assuming(floorLog(Operands[0], *Above), Condition) - 1;
    return floorLog(Operands[0], Operands[1]);
  default:
    break;
  }
  Expr Result = Operands[0];
  for (std::size_t I = 1; I != Operands.size(); ++I) {
    bool IsMax = Factor->What == Atom::Kind::Max;
    const Expr &Next = Operands[I];
    if (implies(Condition, IsMax ? Result - Next : Next - Result))
      continue;
    if (implies(Condition, IsMax ? Next - Result : Result - Next))
      Result = Next;
    else
      Result = IsMax ? max(Result, Next) : min(Result, Next);
  }
  return Result;
}

Expr assuming(const Expr &Value, const Expr &Condition) {
  static constexpr std::size_t MaxSize = 200;
  if (Condition.constant() || Value.size() > MaxSize)
    return Value;
  Expr Result;
  for (const Term &T : Value.terms()) {
    Expr Product(T.Coefficient);
    for (const auto &[Factor, Power] : T.Factors)
      Product *= power(assumingInAtom(Factor, Condition), Power);
    Result += Product;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// \p Value / (symbol - \p Root), if there is no remainder.
static std::optional<Expr> divideByRoot(const Expr &Value, const std::string &Symbol,
                                        std::int64_t Root) {
  auto Coefficients = Value.coefficientsOf(Symbol);
  if (!Coefficients || Coefficients->size() < 2)
    return std::nullopt;
  Expr Carry, Quotient; // Horner's scheme
  for (std::size_t K = Coefficients->size(); K-- > 0;) {
    Carry = Carry * Root + (*Coefficients)[K];
    if (K != 0)
      Quotient += Carry * power(Expr::symbol(Symbol), unsigned(K - 1));
  }
  if (!Carry.isZero())
    return std::nullopt;
  return Quotient;
}

/// False where \p Value is no product of one term and differences of symbols and numbers: then the
/// powers of each symbol have multiples of one polynomial.
static bool mayBeProduct(const Expr &Value, const std::string &Symbol) {
  const auto Coefficients = Value.coefficientsOf(Symbol);
  if (!Coefficients)
    return true;
  return std::ranges::all_of(*Coefficients, [&](const Expr &E) {
    return E.isZero() || E.terms().size() == Coefficients->back().terms().size();
  });
}

std::optional<Factored> factor(const Expr &Value) {
  if (Value.terms().size() < 3)
    return std::nullopt;
  std::set<std::string> Symbols;
  Value.collectSymbols(Symbols);
  for (const std::string &Symbol : Symbols)
    if (!mayBeProduct(Value, Symbol))
      return std::nullopt;
  Factored Result{Value, {}};
  for (const std::string &Symbol : Symbols)
    for (std::int64_t Root : {1, -1, 2, -2, 3, -3, 4, -4}) {
      unsigned Power = 0;
      while (auto Quotient = divideByRoot(Result.Rest, Symbol, Root)) {
        Result.Rest = std::move(*Quotient);
        ++Power;
      }
      if (Power != 0)
        Result.Factors.emplace_back(Expr::symbol(Symbol) - Root, Power);
    }
  if (Result.Rest.terms().size() != 1)
    return std::nullopt;
  return Result;
}

} // namespace ergon
