//===- NumberList.cpp - lists of numbers on the command line --------------===//

#include "tools/base/NumberList.h"
#include "formats/json/NumberText.h"

#include <cmath>

namespace ergon {

static constexpr std::size_t MaxNumbers = 10'000;

namespace {
struct ListParser {
  const std::string &Option;
  bool Whole;
  std::optional<Error> Wrong = {};
  std::vector<double> Result = {};

  void fail(std::string What, std::string Fix) {
    if (!Wrong)
      Wrong = Error{std::move(What), "", std::move(Fix), Option};
  }

  double number(std::string_view Text) {
    const auto Value = parseNumber(Text);
    const double AsDouble = Value ? Value->get_d() : 0;
    if (!Value || !(AsDouble > 0) || (Whole && (!Value->isInteger() || AsDouble > 0x1p53)))
      fail(inQuotes(Text) +
               (Whole ? " is no whole number of 1 and above" : " is no number above 0"),
           "write for example " + std::string(Whole ? "1,2,4..128" : "2000,2800"));
    return AsDouble;
  }

  void add(double Value) {
    if (Result.size() == MaxNumbers)
      fail("more than 10000 numbers", "give fewer");
    else
      Result.push_back(Value);
  }

  /// LOW..HIGH, and how to go from one to the next.
  void range(std::string_view Low, std::string_view High) {
    const std::size_t Sign = High.find_first_of("x+");
    const bool Adds = Sign != std::string_view::npos && High[Sign] == '+';
    double Step = 2;
    if (Sign != std::string_view::npos) {
      Step = number(High.substr(Sign + 1));
      High = High.substr(0, Sign);
    }
    const double First = number(Low), Last = number(High);
    if (!Adds && Step <= 1)
      fail("a factor of 1 or below", "write LOW..HIGHxF with F above 1, or LOW..HIGH+STEP");
    if (Last < First)
      fail("a range that ends below its start", "write LOW..HIGH");
    for (double Value = First; !Wrong && Value <= Last; Value = Adds ? Value + Step : Value * Step)
      add(Value);
  }
};
} // namespace

std::expected<std::vector<double>, Error> parseNumberList(const std::string &Option,
                                                          const std::string &Text, bool Whole) {
  ListParser Parser{Option, Whole};
  for (std::size_t Position = 0; Position <= Text.size() && !Parser.Wrong;) {
    const std::size_t End = std::min(Text.find(',', Position), Text.size());
    const std::string_view Item = std::string_view(Text).substr(Position, End - Position);
    if (const std::size_t Dots = Item.find(".."); Dots != std::string_view::npos)
      Parser.range(Item.substr(0, Dots), Item.substr(Dots + 2));
    else
      Parser.add(Parser.number(Item));
    Position = End + 1;
  }
  if (Parser.Wrong)
    return std::unexpected(std::move(*Parser.Wrong));
  return std::move(Parser.Result);
}

} // namespace ergon
