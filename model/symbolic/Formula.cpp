//===- Formula.cpp - real-valued formulas ---------------------------------===//

#include "model/symbolic/Formula.h"
#include "model/symbolic/FormulaCursor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace ergon {

namespace {
/// The functions of a formula, and the operators, whose names no symbol can have.
struct FunctionOfReals {
  std::string_view Name;
  unsigned Operands;
  double (*Value)(double, double);
};
constexpr std::array<FunctionOfReals, 14> Functions = {{
    {"+", 2, [](double A, double B) { return A + B; }},
    {"-", 2, [](double A, double B) { return A - B; }},
    {"*", 2, [](double A, double B) { return A * B; }},
    {"/", 2, [](double A, double B) { return A / B; }},
    {"^", 2, [](double A, double B) { return std::pow(A, B); }},
    {"negative", 1, [](double A, double) { return -A; }},
    {"log2", 1, [](double A, double) { return std::log2(A); }},
    {"ln", 1, [](double A, double) { return std::log(A); }},
    {"exp", 1, [](double A, double) { return std::exp(A); }},
    {"sqrt", 1, [](double A, double) { return std::sqrt(A); }},
    {"floor", 1, [](double A, double) { return std::floor(A); }},
    {"ceil", 1, [](double A, double) { return std::ceil(A); }},
    {"min", 2, [](double A, double B) { return std::min(A, B); }},
    {"max", 2, [](double A, double B) { return std::max(A, B); }},
}};
constexpr std::size_t NumOperators = 6;

constexpr std::size_t functionNamed(std::string_view Name) {
  return std::ranges::find(Functions, Name, &FunctionOfReals::Name) - Functions.begin();
}
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

class FormulaParser {
public:
  explicit FormulaParser(std::string_view Text) : Cursor(Text) { Result.Text = Text; }

  std::expected<Formula, Error> parse() {
    Result.Nodes.clear();
    Cursor.skipSpaces();
    sum();
    if (auto Bad = Cursor.finish())
      return std::unexpected(std::move(*Bad));
    return std::move(Result);
  }

private:
  FormulaCursor Cursor;
  Formula Result;

  void fail(std::string What) { Cursor.fail(std::move(What)); }
  bool accept(char C) { return Cursor.accept(C); }

  void add(std::size_t Function) {
    Result.Nodes.push_back({.What = Formula::Node::Kind::Function, .Function = Function});
  }
  void add(std::string_view Function) { add(functionNamed(Function)); }

  void sum() {
    product();
    while (!Cursor.failed())
      if (accept('+')) {
        product();
        add("+");
      } else if (accept('-')) {
        product();
        add("-");
      } else {
        break;
      }
  }

  void product() {
    factor();
    while (!Cursor.failed())
      if (accept('*')) {
        factor();
        add("*");
      } else if (accept('/')) {
        factor();
        add("/");
      } else {
        break;
      }
  }

  /// -2^2 is -(2^2), 2^3^2 is 2^(3^2).
  void factor() {
    if (!Cursor.enter())
      return;
    if (accept('-')) {
      factor();
      add("negative");
    } else if (accept('+')) {
      factor();
    } else {
      atom();
      if (accept('^')) {
        factor();
        add("^");
      }
    }
    Cursor.leave();
  }

  void atom() {
    const char Next = Cursor.peek();
    if (FormulaCursor::isDigit(Next) || Next == '.')
      number();
    else if (FormulaCursor::isLetter(Next))
      symbolOrCall();
    else if (!accept('('))
      fail("expected a number, a symbol or '('");
    else {
      sum();
      if (!accept(')'))
        fail("expected ')'");
    }
  }

  void symbolOrCall() {
    std::string Name(Cursor.takeWhile(FormulaCursor::isInner));
    Cursor.skipSpaces();
    if (accept('(')) {
      call(Name);
      return;
    }
    Result.Symbols.insert(Name);
    Result.Nodes.push_back({.What = Formula::Node::Kind::Symbol, .Name = std::move(Name)});
  }

  void number() {
    double Value = 0;
    const std::string_view Text = Cursor.rest();
    const auto [Rest, Failed] = std::from_chars(Text.data(), Text.data() + Text.size(), Value);
    if (Failed != std::errc()) {
      fail("no number, or one out of range");
      return;
    }
    Cursor.skip(std::size_t(Rest - Text.data()));
    Cursor.skipSpaces();
    Result.Nodes.push_back({.What = Formula::Node::Kind::Number, .Number = Value});
  }

  void call(const std::string &Name) {
    unsigned Operands = 0;
    do {
      sum();
      ++Operands;
    } while (!Cursor.failed() && accept(','));
    const std::size_t Function = functionNamed(Name);
    if (!accept(')'))
      fail("expected ')'");
    else if (Function < NumOperators || Function == Functions.size() ||
             Functions[Function].Operands != Operands)
      fail("no function '" + Name + "' of " + std::to_string(Operands) +
           " operands (there are log2 ln exp sqrt floor ceil of one, min max of two)");
    else
      add(Function);
  }
};

Formula::Formula(double Number) : Nodes{{.What = Node::Kind::Number, .Number = Number}} {
  char Digits[32];
  Text.assign(Digits, std::to_chars(std::begin(Digits), std::end(Digits), Number).ptr);
}

std::expected<Formula, Error> Formula::parse(std::string_view Text) {
  return FormulaParser(Text).parse();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Formula::hasSteps() const {
  return std::ranges::any_of(Nodes, [](const Node &N) {
    return N.What == Node::Kind::Function &&
           (Functions[N.Function].Name == "floor" || Functions[N.Function].Name == "ceil");
  });
}

static std::string shortest(double Value) { return Formula(Value).text(); }

std::expected<double, EvaluationError> Formula::evaluate(const Values &V) const {
  std::vector<double> Stack;
  for (const Node &N : Nodes) {
    if (N.What == Node::Kind::Number) {
      Stack.push_back(N.Number);
      continue;
    }
    if (N.What == Node::Kind::Symbol) {
      auto Found = V.find(N.Name);
      if (Found == V.end())
        return std::unexpected(EvaluationError{EvaluationError::Kind::Unbound, N.Name});
      Stack.push_back(Found->second);
      continue;
    }
    const FunctionOfReals &Function = Functions[N.Function];
    const double Second = Function.Operands == 2 ? Stack.back() : 0;
    if (Function.Operands == 2)
      Stack.pop_back();
    const double First = Stack.back();
    Stack.back() = Function.Value(First, Second);
    if (!std::isfinite(Stack.back())) {
      const bool IsOperator = N.Function < NumOperators;
      const std::string Name(Function.Name);
      return std::unexpected(EvaluationError{
          Name == "/" ? EvaluationError::Kind::DivisionByZero : EvaluationError::Kind::Undefined,
          IsOperator ? shortest(First) + " " + Name + " " + shortest(Second)
                     : Name + "(" + shortest(First) + ")"});
    }
  }
  return Stack.back();
}

} // namespace ergon
