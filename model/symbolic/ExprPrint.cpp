//===- ExprPrint.cpp - expressions as text --------------------------------===//

#include "model/symbolic/Expr.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <ranges>

namespace ergon {

static void append(std::string_view Symbol, std::string &Result) {
  auto IsLetter = [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_';
  };
  auto IsInner = [&](char C) { return IsLetter(C) || (C >= '0' && C <= '9') || C == '.'; };
  const bool IsPlain =
      !Symbol.empty() && IsLetter(Symbol[0]) && std::ranges::all_of(Symbol, IsInner);
  if (!IsPlain)
    Result += '`';
  Result += Symbol;
  if (!IsPlain)
    Result += '`';
}

std::string quoteSymbol(std::string_view Symbol) {
  std::string Result;
  append(Symbol, Result);
  return Result;
}

//===----------------------------------------------------------------------===//
// The form that is read back
//===----------------------------------------------------------------------===//

static void append(const Expr &Value, std::string &Result);

static void append(const Atom &Factor, std::string &Result) {
  switch (Factor.What) {
  case Atom::Kind::Symbol:
    return append(Factor.Name, Result);
  case Atom::Kind::Indicator:
    Result += '[';
    append(Factor.Operands[0], Result);
    Result += ']';
    return;
  case Atom::Kind::FloorDiv:
    Result += "floor(";
    break;
  case Atom::Kind::Max:
    Result += "max(";
    break;
  case Atom::Kind::Min:
    Result += "min(";
    break;
  case Atom::Kind::Power:
    Result += "pow(";
    break;
  case Atom::Kind::Log:
    Result += "log(";
    break;
  case Atom::Kind::Sum:
    Result += "sum(";
    append(Factor.Name, Result);
    Result += ',';
    break;
  }
  for (std::size_t I = 0; I != Factor.Operands.size(); ++I) {
    if (I != 0)
      Result += ',';
    append(Factor.Operands[I], Result);
  }
  Result += ')';
}

static void append(const Expr &Value, std::string &Result) {
  if (Value.isZero()) {
    Result += '0';
    return;
  }
  bool IsFirst = true;
  for (const Term &T : Value.terms()) {
    const bool IsNegative = T.Coefficient < 0;
    if (IsNegative || !IsFirst)
      Result += IsNegative ? '-' : '+';
    IsFirst = false;
    bool Open = false;
    const Rational Size = abs(T.Coefficient);
    if (!(Size == 1) || T.Factors.empty()) {
      Result += Size.get_str();
      Open = true;
    }
    for (const auto &[Factor, Power] : T.Factors) {
      if (Open)
        Result += '*';
      append(*Factor, Result);
      if (Power != 1)
        Result += "^" + std::to_string(Power);
      Open = true;
    }
  }
}

std::string toText(const Expr &Value) {
  std::string Result;
  append(Value, Result);
  return Result;
}

//===----------------------------------------------------------------------===//
// The form for people
//===----------------------------------------------------------------------===//

static std::string inDigits(const std::string &Number, const char *const *Digits) {
  std::string Result;
  for (char Digit : Number)
    Result += Digits[Digit - '0'];
  return Result;
}

static std::string superscript(unsigned Power) {
  static constexpr const char *Digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  return inDigits(std::to_string(Power), Digits);
}

/// The base of a logarithm.
static std::string subscript(const Expr &Base) {
  static constexpr const char *Digits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  auto Number = Base.constant();
  return Number && Number->isInteger() && *Number >= 0 ? inDigits(Number->get_str(), Digits)
                                                       : "_(" + toPretty(Base) + ")";
}

static std::string joinPretty(const std::vector<Expr> &Operands) {
  return joined(Operands | std::views::transform(toPretty));
}

static std::string parenthesized(const Expr &Value) {
  std::string Text = toPretty(Value);
  bool Single = Value.terms().size() <= 1;
  return Single ? Text : "(" + Text + ")";
}

/// A base or an exponent: in parentheses unless it is a number or one atom.
static std::string atomInPower(const Expr &Value) {
  auto Number = Value.constant();
  bool Plain = Number ? Number->isInteger() && *Number >= 0
                      : Value.asAtom() && Value.asAtom()->What != Atom::Kind::Power;
  return Plain ? toPretty(Value) : "(" + toPretty(Value) + ")";
}

static std::string prettyAtom(const Atom &Factor) {
  switch (Factor.What) {
  case Atom::Kind::Symbol:
    return std::string(symbolText(Factor.Name));
  case Atom::Kind::FloorDiv:
    return "⌊" + parenthesized(Factor.Operands[0]) + "/" +
           (Factor.Operands[1].asAtom() || Factor.Operands[1].constant()
                ? toPretty(Factor.Operands[1])
                : "(" + toPretty(Factor.Operands[1]) + ")") +
           "⌋";
  case Atom::Kind::Max:
    return "max(" + joinPretty(Factor.Operands) + ")";
  case Atom::Kind::Min:
    return "min(" + joinPretty(Factor.Operands) + ")";
  case Atom::Kind::Indicator:
    return "[" + prettyCondition(Factor.Operands[0]) + "]";
  case Atom::Kind::Power:
    return atomInPower(Factor.Operands[0]) + "^" + atomInPower(Factor.Operands[1]);
  case Atom::Kind::Log:
    return "⌊log" + subscript(Factor.Operands[0]) + " " + parenthesized(Factor.Operands[1]) + "⌋";
  case Atom::Kind::Sum:
    return "Σ_{" + Factor.Name + "=" + toPretty(Factor.Operands[0]) + "}^{" +
           toPretty(Factor.Operands[1]) + "} " + parenthesized(Factor.Operands[2]);
  }
  return "";
}

static unsigned degree(const Term &T) {
  unsigned Result = 0;
  for (const auto &[Factor, Power] : T.Factors)
    if (Factor->What != Atom::Kind::Indicator)
      Result += Power;
  return Result;
}

/// Terms joined by signs, the highest degree first.
static std::string prettySum(const Expr &Value) {
  std::vector<const Term *> Order;
  for (const Term &T : Value.terms())
    Order.push_back(&T);
  // Among terms of one degree a positive one is first: `n - m`, not `-m + n`.
  std::ranges::sort(Order, [](const Term *Left, const Term *Right) {
    unsigned L = degree(*Left), R = degree(*Right);
    if (L != R)
      return L > R;
    bool LeftLeads = Left->Coefficient > 0, RightLeads = Right->Coefficient > 0;
    return LeftLeads != RightLeads ? LeftLeads : Left < Right;
  });
  std::string Result;
  for (const Term *Element : Order) {
    Rational Coefficient = abs(Element->Coefficient);
    if (Result.empty())
      Result += Element->Coefficient < 0 ? "-" : "";
    else
      Result += Element->Coefficient < 0 ? " - " : " + ";
    bool Open = false;
    if (Coefficient != 1 || Element->Factors.empty()) {
      Result += Coefficient.get_str();
      Open = true;
    }
    for (const auto &[Factor, Power] : Element->Factors) {
      if (Open)
        Result += "·";
      Result += prettyAtom(*Factor);
      if (Power != 1)
        Result += superscript(Power);
      Open = true;
    }
  }
  return Result;
}

std::string toPretty(const Expr &Value) {
  if (Value.isZero())
    return "0";
  // Fractions get one common denominator: (n² + n)/2.
  const Rational Denominator = commonDenominator(Value);
  Expr Scaled = Value * Expr(Denominator);
  std::string Text;
  if (auto Product = factor(Scaled)) {
    bool Unit = Product->Rest == Expr(1) || Product->Rest == Expr(-1);
    Text = !Unit ? prettySum(Product->Rest) : Product->Rest == Expr(1) ? "" : "-";
    for (const auto &[Base, Power] : Product->Factors) {
      Text += (Unit ? "(" : "·(") + prettySum(Base) + ")" + (Power == 1 ? "" : superscript(Power));
      Unit = false;
    }
  } else {
    Text = prettySum(Scaled);
    if (Denominator != 1 && Scaled.terms().size() > 1)
      Text = "(" + Text + ")";
  }
  return Denominator == 1 ? Text : Text + "/" + Denominator.get_str();
}

std::string prettyCondition(const Expr &NonNegative) {
  // Negative terms go to the right: n - 2 >= m, not n - m - 2 >= 0. A constant moves so that the
  // right side is a number where possible.
  std::vector<Term> Left, Right;
  Rational Constant = 0;
  for (const Term &T : NonNegative.terms()) {
    if (T.Factors.empty())
      Constant = T.Coefficient;
    else if (T.Coefficient > 0)
      Left.push_back(T);
    else
      Right.push_back({T.Factors, Rational(-T.Coefficient)});
  }
  Expr Larger = Expr::fromTerms(std::move(Left)), Smaller = Expr::fromTerms(std::move(Right));
  const char *Relation = " ≥ ";
  if (Larger.isZero())
    return toPretty(Smaller) + " ≤ " + toPretty(Expr(Constant));
  if (Constant == -1 && !Smaller.isZero() && !hasReal(NonNegative)) {
    Relation = " > ";
    Constant = 0;
  }
  return toPretty(Larger) + Relation + toPretty(Smaller - Expr(Constant));
}

std::string prettyZero(const Expr &Conditions) {
  std::vector<std::string> Result;
  for (const Term &T : Conditions.terms()) {
    if (T.Coefficient < 0 || T.Factors.size() != 1 ||
        T.Factors[0].first->What != Atom::Kind::Indicator)
      return toPretty(Conditions) + " = 0";
    Result.push_back(prettyCondition(-1 - T.Factors[0].first->Operands[0]));
  }
  return joined(Result);
}

/// The indicators of a monomial.
static std::vector<AtomRef> indicatorsOf(const Term &T) {
  std::vector<AtomRef> Result;
  for (const auto &[Factor, Power] : T.Factors)
    if (Factor->What == Atom::Kind::Indicator)
      Result.push_back(Factor);
  return Result;
}

ConditionalFormula splitConditions(const Expr &Value) {
  ConditionalFormula Result{Value, {}};
  if (Value.isZero())
    return Result;
  std::vector<AtomRef> Common = indicatorsOf(Value.terms()[0]);
  for (const Term &T : Value.terms())
    std::erase_if(Common, [&](const AtomRef &Candidate) {
      return std::ranges::none_of(indicatorsOf(T), [&](const AtomRef &Have) {
        return compareAtoms(*Candidate, *Have) == 0;
      });
    });
  if (Common.empty())
    return Result;
  std::vector<Term> Stripped;
  for (const Term &Element : Value.terms()) {
    Term Bare = Element;
    erase_if(Bare.Factors, [&](const auto &Factor) {
      return std::ranges::any_of(
          Common, [&](const AtomRef &Have) { return compareAtoms(*Factor.first, *Have) == 0; });
    });
    Stripped.push_back(std::move(Bare));
  }
  Result.Formula = Expr::fromTerms(std::move(Stripped));
  for (const AtomRef &Ref : Common)
    Result.Conditions.push_back(Ref->Operands[0]);
  return Result;
}

} // namespace ergon
