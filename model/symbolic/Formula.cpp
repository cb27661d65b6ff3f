//===- Formula.cpp - real-valued formulas ---------------------------------===//

#include "model/symbolic/Formula.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ergon {

namespace {
/// What a formula can do, operators too: those have a name that no symbol has.
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
  explicit FormulaParser(std::string_view Text) : Text(Text) { Result.Text = Text; }

  std::expected<Formula, ParseError> parse() {
    Result.Nodes.clear();
    skipSpace();
    sum();
    if (Error.empty() && At != Text.size())
      fail("unexpected character");
    if (!Error.empty())
      return std::unexpected(ParseError{ErrorAt, Error});
    return std::move(Result);
  }

private:
  std::string_view Text;
  Formula Result;
  std::size_t At = 0, ErrorAt = 0;
  std::string Error;
  unsigned Depth = 0;
  static constexpr unsigned MaxDepth = 200;

  void fail(std::string What) {
    if (Error.empty()) {
      Error = std::move(What);
      ErrorAt = At;
    }
    At = Text.size();
  }

  char peek() const { return At < Text.size() ? Text[At] : '\0'; }
  void skipSpace() {
    while (peek() == ' ')
      ++At;
  }
  bool accept(char C) {
    if (peek() != C)
      return false;
    ++At;
    skipSpace();
    return true;
  }

  void add(std::size_t Function) {
    Result.Nodes.push_back({.What = Formula::Node::Kind::Function, .Function = Function});
  }
  void add(std::string_view Function) { add(functionNamed(Function)); }

  void sum() {
    product();
    while (Error.empty())
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
    while (Error.empty())
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
    if (++Depth > MaxDepth) {
      fail("nested too deeply");
      return;
    }
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
    --Depth;
  }

  static bool isDigit(char C) { return C >= '0' && C <= '9'; }
  static bool isLetter(char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_';
  }

  void atom() {
    if (isDigit(peek()) || peek() == '.')
      number();
    else if (isLetter(peek()))
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
    const std::size_t Start = At;
    while (isLetter(peek()) || isDigit(peek()) || peek() == '.')
      ++At;
    std::string Name(Text.substr(Start, At - Start));
    skipSpace();
    if (accept('(')) {
      call(Name);
      return;
    }
    Result.Symbols.insert(Name);
    Result.Nodes.push_back({.What = Formula::Node::Kind::Symbol, .Name = std::move(Name)});
  }

  void number() {
    double Value = 0;
    const char *const First = Text.data() + At, *const End = Text.data() + Text.size();
    const auto [Rest, Failed] = std::from_chars(First, End, Value);
    if (Failed != std::errc()) {
      fail("no number, or one out of range");
      return;
    }
    At += Rest - First;
    skipSpace();
    Result.Nodes.push_back({.What = Formula::Node::Kind::Number, .Number = Value});
  }

  void call(const std::string &Name) {
    unsigned Operands = 0;
    do {
      sum();
      ++Operands;
    } while (Error.empty() && accept(','));
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

std::expected<Formula, ParseError> Formula::parse(std::string_view Text) {
  return FormulaParser(Text).parse();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Formula::hasSteps() const {
  return std::ranges::any_of(Nodes, [](const Node &Each) {
    return Each.What == Node::Kind::Function &&
           (Functions[Each.Function].Name == "floor" || Functions[Each.Function].Name == "ceil");
  });
}

static std::string shortest(double Value) { return Formula(Value).text(); }

std::expected<double, EvaluationError> Formula::evaluate(const Values &With) const {
  std::vector<double> Stack;
  for (const Node &Each : Nodes) {
    if (Each.What == Node::Kind::Number) {
      Stack.push_back(Each.Number);
      continue;
    }
    if (Each.What == Node::Kind::Symbol) {
      auto Found = With.find(Each.Name);
      if (Found == With.end())
        return std::unexpected(EvaluationError{EvaluationError::Kind::Unbound, Each.Name});
      Stack.push_back(Found->second);
      continue;
    }
    const FunctionOfReals &Function = Functions[Each.Function];
    const double Second = Function.Operands == 2 ? Stack.back() : 0;
    if (Function.Operands == 2)
      Stack.pop_back();
    const double First = Stack.back();
    Stack.back() = Function.Value(First, Second);
    if (!std::isfinite(Stack.back())) {
      const bool IsOperator = Each.Function < NumOperators;
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
