//===- ExprParse.cpp - expressions from text ------------------------------===//
//
// Reads what toText writes:
//   sum     := ['-'] product (('+' | '-') product)*
//   product := factor ('*' factor)*
//   factor  := atom ['^' digits], where the atom is one term
//   atom    := number ['/' number] | symbol | '(' sum ')' | '[' sum ']'
//            | ('floor' | 'max' | 'min' | 'sum' | 'pow' | 'log') '(' sum (',' sum)* ')'
//
//===----------------------------------------------------------------------===//

#include "model/symbolic/ExprParse.h"
#include "model/symbolic/FormulaCursor.h"

#include <utility>

namespace ergon {

namespace {
class Parser {
public:
  Parser(std::string_view Text, const SymbolSource &Symbols) : Cursor(Text), Symbols(Symbols) {}

  std::expected<Expr, Error> parse() {
    Expr Result = sumOfProducts();
    if (auto Bad = Cursor.finish())
      return std::unexpected(std::move(*Bad));
    return Result;
  }

private:
  FormulaCursor Cursor;
  const SymbolSource &Symbols;
  static constexpr unsigned MaxPower = 64;

  Expr fail(std::string Message) {
    Cursor.fail(std::move(Message));
    return {};
  }
  bool accept(char C) { return Cursor.accept(C); }

  Expr sumOfProducts() {
    if (!Cursor.enter())
      return {};
    bool Minus = accept('-');
    Expr Result = product();
    if (Minus)
      Result = -Result;
    while (!Cursor.failed()) {
      if (accept('+'))
        Result += product();
      else if (accept('-'))
        Result -= product();
      else
        break;
    }
    Cursor.leave();
    return Result;
  }

  Expr product() {
    Expr Result = factor();
    while (!Cursor.failed() && accept('*'))
      Result *= factor();
    return Result;
  }

  Expr factor() {
    Expr Base = atom();
    if (!accept('^'))
      return Base;
    if (Base.terms().size() > 1)
      return fail("power of a sum is not supported: expand it");
    std::string Digits = digits();
    if (Digits.empty() || Digits.size() > 2 || unsigned(std::stoi(Digits)) > MaxPower)
      return fail("expected a power of at most 64");
    return power(Base, unsigned(std::stoi(Digits)));
  }

  std::string digits() { return std::string(Cursor.takeWhile(FormulaCursor::isDigit)); }

  Expr number() {
    const Rational Numerator = Rational::ofDigits(digits());
    if (!accept('/'))
      return Expr(Numerator);
    const Rational Denominator = Rational::ofDigits(digits());
    return Denominator == 0 ? fail("expected a denominator") : Expr(Numerator / Denominator);
  }

  std::string name() {
    if (Cursor.peek() != '`')
      return std::string(Cursor.takeWhile(FormulaCursor::isInner));
    const std::string_view Rest = Cursor.rest();
    const std::size_t End = Rest.find('`', 1);
    if (End == Rest.npos) {
      Cursor.fail("unterminated backquote");
      return {};
    }
    Cursor.skip(End + 1);
    return std::string(Rest.substr(1, End - 1));
  }

  Expr atom() {
    char C = Cursor.peek();
    if (FormulaCursor::isDigit(C))
      return number();
    if (accept('(')) {
      Expr Inner = sumOfProducts();
      return accept(')') ? Inner : fail("expected ')'");
    }
    if (accept('[')) {
      Expr Inner = sumOfProducts();
      return accept(']') ? isNonNegative(Inner) : fail("expected ']'");
    }
    bool Quoted = C == '`';
    std::string Name = name();
    if (Name.empty())
      return fail("expected a number, a symbol or '('");
    if (!Quoted && Cursor.peek() == '(')
      return call(Name);
    return Symbols(std::move(Name));
  }

  Expr call(const std::string &Function) {
    accept('(');
    std::string Variable;
    if (Function == "sum") {
      Variable = name();
      if (Variable.empty() || !accept(','))
        return fail("expected a variable and ','");
    }
    std::vector<Expr> Operands;
    do
      Operands.push_back(sumOfProducts());
    while (!Cursor.failed() && accept(','));
    if (!accept(')'))
      return fail("expected ')'");
    if (Function == "floor" && Operands.size() == 2)
      return floorDiv(Operands[0], Operands[1]);
    if (Function == "pow" && Operands.size() == 2)
      return power(Operands[0], Operands[1]);
    if (Function == "log" && Operands.size() == 2)
      return floorLog(Operands[0], Operands[1]);
    if (Function == "sum" && Operands.size() == 3) {
      if (Operands[0].dependsOn(Variable) || Operands[1].dependsOn(Variable))
        return fail("a sum's range depends on its own variable");
      return sum(Variable, Operands[0], Operands[1], Operands[2]);
    }
    if ((Function == "max" || Function == "min") && Operands.size() >= 2) {
      Expr Result = Operands[0];
      for (std::size_t I = 1; I != Operands.size(); ++I)
        Result = Function == "max" ? max(Result, Operands[I]) : min(Result, Operands[I]);
      return Result;
    }
    return fail("no function '" + Function + "' of " + std::to_string(Operands.size()) +
                " operands");
  }
};
} // namespace

std::expected<Expr, Error> parseExpr(std::string_view Text, const SymbolSource &Symbols) {
  return Parser(Text, Symbols).parse();
}

std::expected<Expr, Error> parseExpr(std::string_view Text) {
  return parseExpr(Text, Expr::symbol);
}

} // namespace ergon
