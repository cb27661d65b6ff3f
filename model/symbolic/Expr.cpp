//===- Expr.cpp - exact symbolic expressions: the normal form -------------===//

#include "model/symbolic/Expr.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace ergon {

//===----------------------------------------------------------------------===//
// What symbols mean
//===----------------------------------------------------------------------===//

bool isUnknownSymbol(std::string_view Symbol) { return Symbol.find('@') != std::string_view::npos; }

bool isReal(std::string_view Symbol) { return Symbol.starts_with('~') && Symbol.size() > 1; }

bool hasReal(const Expr &Value) { return Value.hasSymbol(isReal); }

std::string realSymbol(std::string_view Name) { return "~" + std::string(Name); }

std::string_view symbolText(std::string_view Symbol) {
  return isReal(Symbol) ? Symbol.substr(1) : Symbol;
}

bool restsOnUnknown(const Expr &Value) { return Value.hasSymbol(isUnknownSymbol); }

bool isLaunchDimension(std::string_view Symbol) {
  if (Symbol == "omp.threads")
    return true;
  for (std::string_view Prefix : {"grid.", "block."})
    if (Symbol.size() == Prefix.size() + 1 && Symbol.starts_with(Prefix) && Symbol.back() >= 'x' &&
        Symbol.back() <= 'z')
      return true;
  return false;
}

bool isMean(std::string_view Symbol) {
  return Symbol.starts_with("taken@") || Symbol.starts_with("trips@") ||
         Symbol.starts_with("runs@") || Symbol.starts_with("endless@");
}

bool isNeverNegative(std::string_view Symbol) {
  for (std::string_view Prefix : {"threadIdx.", "blockIdx."})
    if (Symbol.starts_with(Prefix))
      return true;
  return isMean(Symbol) || Symbol.ends_with(".size()") || Symbol.ends_with(".capacity()");
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

int compareAtoms(const Atom &Left, const Atom &Right) {
  if (&Left == &Right)
    return 0;
  if (Left.What != Right.What)
    return Left.What < Right.What ? -1 : 1;
  if (int Order = Left.Name.compare(Right.Name))
    return Order < 0 ? -1 : 1;
  if (Left.Operands.size() != Right.Operands.size())
    return Left.Operands.size() < Right.Operands.size() ? -1 : 1;
  for (std::size_t I = 0; I != Left.Operands.size(); ++I)
    if (int Order = Expr::compare(Left.Operands[I], Right.Operands[I]))
      return Order;
  return 0;
}

static int compareMonomials(const Monomial &Left, const Monomial &Right) {
  for (std::size_t I = 0; I != Left.size() && I != Right.size(); ++I) {
    if (int Order = compareAtoms(*Left[I].first, *Right[I].first))
      return Order;
    if (Left[I].second != Right[I].second)
      return Left[I].second < Right[I].second ? -1 : 1;
  }
  if (Left.size() != Right.size())
    return Left.size() < Right.size() ? -1 : 1;
  return 0;
}

int Expr::compare(const Expr &Left, const Expr &Right) {
  return Left.Several && Left.Several == Right.Several ? 0
                                                       : compareTerms(Left.terms(), Right.terms());
}

int Expr::compareTerms(std::span<const Term> Left, std::span<const Term> Right) {
  for (std::size_t I = 0; I != Left.size() && I != Right.size(); ++I) {
    if (int Order = compareMonomials(Left[I].Factors, Right[I].Factors))
      return Order;
    if (auto Order = Left[I].Coefficient <=> Right[I].Coefficient; Order != 0)
      return Order < 0 ? -1 : 1;
  }
  if (Left.size() != Right.size())
    return Left.size() < Right.size() ? -1 : 1;
  return 0;
}

//===----------------------------------------------------------------------===//
// Construction and arithmetic
//===----------------------------------------------------------------------===//

std::size_t Expr::size() const {
  std::size_t Result = terms().size();
  for (const Term &T : terms())
    for (const auto &[Factor, Power] : T.Factors)
      Result += Factor->Size;
  return Result;
}

Expr::Expr(const Rational &Value) : Number{{}, Value} {}

Expr::Expr(AtomRef Factor)
    : Several(std::make_shared<std::vector<Term>>(1, Term{{{std::move(Factor), 1}}, Rational(1)})) {
}

Expr Expr::ofSorted(std::vector<Term> Terms) {
  Expr Result;
  if (Terms.size() > 1 || (Terms.size() == 1 && !Terms[0].Factors.empty()))
    Result.Several = std::make_shared<std::vector<Term>>(std::move(Terms));
  else if (Terms.size() == 1)
    Result.Number = std::move(Terms[0]);
  return Result;
}

Expr Expr::symbol(std::string Name) {
  return Expr(atomOf(Atom::Kind::Symbol, std::move(Name), {}));
}

Expr Expr::fromTerms(std::vector<Term> Summands) {
  auto IsBefore = [](const Term &Left, const Term &Right) {
    return compareMonomials(Left.Factors, Right.Factors) < 0;
  };
  auto IsZero = [](const Term &T) { return T.Coefficient == 0; };
  // Parts of an expression mostly are in normal form.
  const bool IsSorted =
      std::ranges::adjacent_find(Summands, std::not_fn(IsBefore)) == Summands.end();
  if (!IsSorted) {
    std::ranges::sort(Summands, IsBefore);
    auto Last = Summands.begin();
    for (auto Next = Last + 1; Next != Summands.end(); ++Next)
      if (compareMonomials(Last->Factors, Next->Factors) == 0)
        Last->Coefficient += Next->Coefficient;
      else if (++Last != Next)
        *Last = std::move(*Next);
    Summands.erase(Last + 1, Summands.end());
  }
  std::erase_if(Summands, IsZero);
  return ofSorted(std::move(Summands));
}

Rational constantTerm(const Expr &Value) {
  for (const Term &T : Value.terms())
    if (T.Factors.empty())
      return T.Coefficient;
  return 0;
}

std::span<const Term> varyingTerms(const Expr &Value) {
  const auto Terms = Value.terms();
  return Terms.subspan(!Terms.empty() && Terms.front().Factors.empty()); // it is sorted first
}

const Atom *Expr::asAtom() const {
  if (!Several || Several->size() != 1)
    return nullptr;
  const Term &Only = Several->front();
  if (Only.Coefficient != 1 || Only.Factors.size() != 1 || Only.Factors[0].second != 1)
    return nullptr;
  return Only.Factors[0].first.get();
}

/// Merges the sorted terms of two expressions, those of \p Right times \p Sign. Moves those of \p
/// Left, unless they are constant.
template <typename LeftTerm>
static std::vector<Term> mergeTerms(std::span<LeftTerm> Left, std::span<const Term> Right,
                                    int Sign) {
  std::vector<Term> Result;
  Result.reserve(Left.size() + Right.size());
  auto L = Left.begin();
  auto R = Right.begin();
  while (L != Left.end() || R != Right.end()) {
    int Order = L == Left.end()    ? 1
                : R == Right.end() ? -1
                                   : compareMonomials(L->Factors, R->Factors);
    if (Order > 0) {
      Result.push_back({R->Factors, Sign * R->Coefficient});
      ++R;
      continue;
    }
    if (Order < 0) {
      Result.push_back(std::move(*L++)); // a copy of a constant term
      continue;
    }
    Rational Sum = Sign * R->Coefficient;
    Sum += L->Coefficient;
    if (Sum != 0) {
      Result.push_back(std::move(*L));
      Result.back().Coefficient = std::move(Sum);
    }
    ++L;
    ++R;
  }
  return Result;
}

/// The terms of \p Left plus those of \p Right times \p Sign. Moves those of \p Held, which are the
/// left ones, where nothing else holds them.
static std::vector<Term> sumOfTerms(const std::shared_ptr<const std::vector<Term>> &Held,
                                    std::span<const Term> Left, std::span<const Term> Right,
                                    int Sign) {
  if (!Held || Held.use_count() != 1 || Left.data() == Right.data())
    return mergeTerms(Left, Right, Sign);
  // The vectors are made as such that may change, and shown as constant.
  auto &Own = const_cast<std::vector<Term> &>(*Held);
  return mergeTerms(std::span(Own), Right, Sign);
}

Expr &Expr::operator+=(const Expr &Other) {
  if (isNumber() && Other.isNumber())
    Number.Coefficient += Other.Number.Coefficient;
  else if (isZero())
    *this = Other;
  else if (!Other.isZero())
    *this = ofSorted(sumOfTerms(Several, terms(), Other.terms(), 1));
  return *this;
}

Expr &Expr::operator-=(const Expr &Other) {
  if (isNumber() && Other.isNumber())
    Number.Coefficient -= Other.Number.Coefficient;
  else if (!Other.isZero())
    *this = ofSorted(sumOfTerms(Several, terms(), Other.terms(), -1));
  return *this;
}

Expr Expr::operator-() const { return *this * Expr(-1); }

/// Whether \p Zero, which equals zero, is one atom and a factor of \p Product.
static bool isFactor(const Expr &Zero, const Monomial &Product) {
  if (Zero.terms().size() != 1 || Zero.terms()[0].Factors.size() != 1)
    return false;
  const Atom &Only = *Zero.terms()[0].Factors[0].first;
  return std::ranges::any_of(
      Product, [&](const auto &Factor) { return compareAtoms(*Factor.first, Only) == 0; });
}

/// Whether both have the same monomials apart from constants; otherwise neither their sum nor their
/// difference is a number.
static bool varyAlike(const Expr &Left, const Expr &Right) {
  return std::ranges::equal(varyingTerms(Left), varyingTerms(Right),
                            [](const Term &T, const Term &Other) {
                              return compareMonomials(T.Factors, Other.Factors) == 0;
                            });
}

/// \p Left + \p Sign * \p Right, which vary alike, where it is a number.
static std::optional<Rational> constantSum(const Expr &Left, const Expr &Right, int Sign) {
  if (!std::ranges::equal(
          varyingTerms(Left), varyingTerms(Right),
          [&](const Term &L, const Term &R) { return L.Coefficient == -Sign * R.Coefficient; }))
    return std::nullopt;
  return constantTerm(Left) + Sign * constantTerm(Right);
}

/// Drops indicators that another one of the product implies; \p IsSorted becomes false where what
/// is left has another order. False where two exclude each other, or imply that a factor is zero,
/// so that the product is zero.
static bool reduceIndicators(Monomial &Product, bool &IsSorted) {
  for (std::size_t I = 0; I < Product.size(); ++I) {
    if (Product[I].first->What != Atom::Kind::Indicator)
      continue;
    Product[I].second = 1;
    for (std::size_t J = I + 1; J < Product.size();) {
      if (Product[J].first->What != Atom::Kind::Indicator) {
        ++J;
        continue;
      }
      const Expr &Left = Product[I].first->Operands[0], &Right = Product[J].first->Operands[0];
      if (!varyAlike(Left, Right)) {
        ++J;
        continue;
      }
      if (auto Sum = constantSum(Left, Right, 1); Sum && *Sum <= 0)
        if (*Sum < 0 || isFactor(Left, Product))
          return false;
      const auto Difference = constantSum(Left, Right, -1);
      if (!Difference) {
        ++J;
        continue;
      }
      if (*Difference > 0) { // keep the stricter one
        Product[I].first = Product[J].first;
        IsSorted = false;
      }
      Product.erase(Product.begin() + std::ptrdiff_t(J));
    }
  }
  return true;
}

/// The product of two monomials; nothing where it is zero.
static std::optional<Monomial> multiply(const Monomial &Left, const Monomial &Right) {
  Monomial Result;
  Result.reserve(Left.size() + Right.size());
  unsigned Indicators = 0, Powers = 0;
  auto L = Left.begin(), R = Right.begin();
  while (L != Left.end() || R != Right.end()) {
    int Order = L == Left.end() ? 1 : R == Right.end() ? -1 : compareAtoms(*L->first, *R->first);
    Result.push_back(Order <= 0 ? *L : *R);
    if (Order == 0)
      Result.back().second += R->second;
    if (Order <= 0)
      ++L;
    if (Order >= 0)
      ++R;
    Indicators += Result.back().first->What == Atom::Kind::Indicator;
    if (Result.back().first->What == Atom::Kind::Power)
      Powers += Result.back().second;
  }
  bool IsSorted = true;
  if (Indicators != 0 && !reduceIndicators(Result, IsSorted))
    return std::nullopt;
  if (Powers > 1)
    mergePowers(Result);
  if (!IsSorted || Powers > 1)
    std::ranges::sort(
        Result, [](const auto &A, const auto &B) { return compareAtoms(*A.first, *B.first) < 0; });
  return Result;
}

Expr operator*(const Expr &Left, const Expr &Right) {
  if (Right.isNumber()) {
    const Rational &Factor = Right.Number.Coefficient;
    if (Left.isNumber())
      return Expr(Left.Number.Coefficient * Factor);
    if (Factor == 1)
      return Left;
    if (Factor == 0)
      return Expr();
    std::vector<Term> Scaled = *Left.Several;
    for (Term &T : Scaled)
      T.Coefficient *= Factor;
    return Expr::ofSorted(std::move(Scaled));
  }
  if (Left.isNumber())
    return Right * Left;
  std::vector<Term> Products;
  Products.reserve(Left.Several->size() * Right.Several->size());
  for (const Term &L : *Left.Several)
    for (const Term &R : *Right.Several)
      if (auto Factors = multiply(L.Factors, R.Factors))
        Products.push_back({std::move(*Factors), L.Coefficient * R.Coefficient});
  return Expr::fromTerms(std::move(Products));
}

Expr power(const Expr &Base, unsigned Exponent) {
  if (Exponent == 0)
    return Expr(1);
  Expr Result = Base;
  for (unsigned I = 1; I != Exponent; ++I)
    Result *= Base;
  return Result;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

bool Expr::hasSymbol(const std::function<bool(const std::string &)> &Matches) const {
  for (const Term &T : terms())
    for (const auto &[Factor, Power] : T.Factors) {
      if (Factor->What == Atom::Kind::Symbol && Matches(Factor->Name))
        return true;
      const std::string &Bound = Factor->Name;
      for (std::size_t I = 0; I != Factor->Operands.size(); ++I) {
        const bool IsSummand = Factor->What == Atom::Kind::Sum && I == 2;
        auto IsFree = [&](const std::string &Name) { return Name != Bound && Matches(Name); };
        if (IsSummand ? Factor->Operands[I].hasSymbol(IsFree)
                      : Factor->Operands[I].hasSymbol(Matches))
          return true;
      }
    }
  return false;
}

void Expr::collectSymbols(std::set<std::string> &Result) const {
  hasSymbol([&](const std::string &Name) {
    Result.insert(Name);
    return false;
  });
}

std::optional<std::vector<Expr>> Expr::coefficientsOf(std::string_view Symbol) const {
  std::vector<std::vector<Term>> Powers(1);
  for (const Term &T : terms()) {
    unsigned Degree = 0;
    Monomial Rest;
    Rest.reserve(T.Factors.size());
    for (const auto &[Factor, Power] : T.Factors) {
      if (Factor->What == Atom::Kind::Symbol && Factor->Name == Symbol)
        Degree = Power;
      else if (ergon::dependsOn(*Factor, Symbol))
        return std::nullopt;
      else
        Rest.emplace_back(Factor, Power);
    }
    if (Powers.size() <= Degree)
      Powers.resize(Degree + 1);
    Powers[Degree].push_back({std::move(Rest), T.Coefficient});
  }
  if (Powers.size() == 1) // the symbol is not there
    return std::vector{*this};
  std::vector<Expr> Result;
  Result.reserve(Powers.size());
  for (auto &Power : Powers)
    Result.push_back(fromTerms(std::move(Power)));
  return Result;
}

} // namespace ergon
