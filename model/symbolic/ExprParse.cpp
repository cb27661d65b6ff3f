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

#include "model/symbolic/Expr.h"

namespace ergon {

namespace {
class Parser {
public:
  explicit Parser(std::string_view Text) : Text(Text) {}

  std::expected<Expr, ParseError> parse() {
    Expr Result = sumOfProducts();
    if (Error.empty() && At != Text.size())
      fail("unexpected character");
    if (!Error.empty())
      return std::unexpected(ParseError{ErrorAt, Error});
    return Result;
  }

private:
  std::string_view Text;
  std::size_t At = 0, ErrorAt = 0;
  std::string Error;
  unsigned Depth = 0;
  static constexpr unsigned MaxDepth = 200, MaxPower = 64;

  Expr fail(std::string What) {
    if (Error.empty()) {
      Error = std::move(What);
      ErrorAt = At;
    }
    At = Text.size();
    return {};
  }

  char peek() const { return At < Text.size() ? Text[At] : '\0'; }
  bool accept(char C) {
    while (peek() == ' ')
      ++At;
    if (peek() != C)
      return false;
    ++At;
    while (peek() == ' ')
      ++At;
    return true;
  }

  Expr sumOfProducts() {
    if (++Depth > MaxDepth)
      return fail("nested too deeply");
    bool Minus = accept('-');
    Expr Result = product();
    if (Minus)
      Result = -Result;
    while (Error.empty()) {
      if (accept('+'))
        Result += product();
      else if (accept('-'))
        Result -= product();
      else
        break;
    }
    --Depth;
    return Result;
  }

  Expr product() {
    Expr Result = factor();
    while (Error.empty() && accept('*'))
      Result *= factor();
    return Result;
  }

  Expr factor() {
    Expr Base = atom();
    if (!accept('^'))
      return Base;
    if (Base.terms().size() > 1)
      return fail("a power of a sum: multiply it out");
    std::string Digits = digits();
    if (Digits.empty() || Digits.size() > 2 || unsigned(std::stoi(Digits)) > MaxPower)
      return fail("expected a power of at most 64");
    return power(Base, unsigned(std::stoi(Digits)));
  }

  std::string digits() {
    std::size_t Start = At;
    while (peek() >= '0' && peek() <= '9')
      ++At;
    return std::string(Text.substr(Start, At - Start));
  }

  Expr number() {
    std::string Numerator = digits(), Denominator = "1";
    if (accept('/')) {
      Denominator = digits();
      if (Denominator.empty() || mpz_class(Denominator, 10) == 0)
        return fail("expected a denominator");
    }
    Rational Value{mpz_class(Numerator, 10), mpz_class(Denominator, 10)};
    return Expr(Value);
  }

  std::string name() {
    std::size_t Start = At;
    if (peek() == '`') {
      std::size_t End = Text.find('`', At + 1);
      if (End == std::string_view::npos) {
        fail("a backquote is not closed");
        return {};
      }
      At = End + 1;
      return std::string(Text.substr(Start + 1, End - Start - 1));
    }
    auto IsInner = [](char C) {
      return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || (C >= '0' && C <= '9') ||
             C == '_' || C == '.';
    };
    while (IsInner(peek()))
      ++At;
    return std::string(Text.substr(Start, At - Start));
  }

  Expr atom() {
    char C = peek();
    if (C >= '0' && C <= '9')
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
    if (!Quoted && peek() == '(')
      return call(Name);
    return Expr::symbol(std::move(Name));
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
    while (Error.empty() && accept(','));
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

std::expected<Expr, ParseError> parseExpr(std::string_view Text) { return Parser(Text).parse(); }

} // namespace ergon
