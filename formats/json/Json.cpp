//===- Json.cpp - checked reading of JSON documents -----------------------===//

#include "formats/json/Json.h"
#include "model/symbolic/Wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

using nlohmann::json;
using simdjson::dom::element;

namespace ergon {

bool isUtf8(std::string_view Text) { return simdjson::validate_utf8(Text.data(), Text.size()); }

static constexpr std::size_t MaxDepth = 200;

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Asks nlohmann's parser what is wrong: SAX, because its document builder drops the
/// place of an error.
class Explainer final : public nlohmann::json_sax<json> {
public:
  std::size_t ErrorByte = 0; ///< how much was read when the error was seen; 0: not known
  std::string Wrong;         ///< empty while all is well

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &Digits) override {
    // The parser calls this for a whole number beyond 64 bits too, which simdjson refuses.
    if (Digits.find_first_of(".eE") == std::string::npos)
      Wrong = "a whole number needs more than 64 bits: " + Digits;
    return Wrong.empty();
  }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return false; } // JSON text has none
  bool start_object(std::size_t) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_object() override { return true; }
  bool end_array() override { return true; }
  bool key(string_t &) override { return true; }

  bool parse_error(std::size_t Byte, const std::string &,
                   const nlohmann::detail::exception &Cause) override {
    ErrorByte = Byte;
    // "[json.exception…] parse error at line 1, column 2: what is wrong" (or no place);
    // Error::Where says the place.
    std::string_view Text = Cause.what();
    Text.remove_prefix(std::min(Text.find("] "), Text.size() - 2) + 2);
    if (Text.starts_with("parse error"))
      Text.remove_prefix(std::min(Text.find(": "), Text.size() - 2) + 2);
    Wrong = "not valid JSON: " + std::string(Text);
    return false;
  }
};
} // namespace

static std::string lineAndColumn(std::string_view Text, std::size_t Byte) {
  std::string_view Before = Text.substr(0, Byte - 1);
  std::size_t LineStart = Before.rfind('\n') + 1; // npos + 1 is 0
  return "line " + std::to_string(1 + std::ranges::count(Before, '\n')) + ", column " +
         std::to_string(1 + Before.size() - LineStart);
}

std::expected<JsonDocument, Error> parseJson(std::string_view Text) {
  JsonDocument Result;
  if (auto Bad = parseJson(Text, Result))
    return std::unexpected(std::move(*Bad));
  return Result;
}

std::optional<Error> parseJson(std::string_view Text, JsonDocument &Into, std::size_t Behind) {
  Into.First.reset();
  // One parser for all: its buffers cost more than a line's parsing.
  static thread_local simdjson::dom::parser Parser;
  simdjson::error_code Failure =
      Parser.allocate(std::max(Parser.capacity(), Text.size()), MaxDepth);
  if (!Failure)
    Failure = Parser
                  .parse_into_document(Into.Values, Text.data(), Text.size(),
                                       /*realloc_if_needed=*/Behind < JsonPadding)
                  .error();
  if (!Failure)
    return std::nullopt;
  Error Bad{"not valid JSON: " + std::string(simdjson::error_message(Failure)), "",
            "correct the JSON text there", ""};
  if (Failure == simdjson::DEPTH_ERROR || Failure == simdjson::CAPACITY) {
    Bad.What = "nested deeper than " + std::to_string(MaxDepth) + " levels, or larger than 4 GB";
    return Bad;
  }
  Explainer Says;
  json::sax_parse(Text, &Says);
  if (!Says.Wrong.empty()) {
    Bad.What = Says.Wrong;
    if (Says.ErrorByte)
      Bad.Where = lineAndColumn(Text, Says.ErrorByte);
    if (Says.ErrorByte > Text.size())
      Bad.Fix = "the file is cut short: write it again";
  }
  return Bad;
}

void checkSchema(JsonCursor Root, std::string_view Schema) {
  const std::string Fix = "this version of ergon reads " + inQuotes(Schema);
  bool IsThere = false;
  Root.forEachMember([&](std::string_view Key, JsonCursor Value) {
    if (Key != "schema" || std::exchange(IsThere, true))
      return;
    if (const std::string_view Found = Value.view(); !Value.failed() && Found != Schema)
      Value.fail("schema is " + inQuotes(Found), Fix);
  });
  if (!IsThere)
    Root.fail("key \"schema\" is missing", Fix);
}

//===----------------------------------------------------------------------===//
// JsonCursor
//===----------------------------------------------------------------------===//

/// Extends \p Path, which leads to \p Element, to \p Wanted; false where that is not inside.
/// So cursors need not carry their path, and only an error pays for it.
static bool extendPath(json::json_pointer &Path, element Element, element Wanted) {
  // Two elements are the same value where they point to the same place.
  static_assert(std::has_unique_object_representations_v<element>);
  if (std::memcmp(&Element, &Wanted, sizeof Element) == 0)
    return true;
  auto IsBehind = [&](std::string Step, element Inside) {
    Path.push_back(std::move(Step));
    if (extendPath(Path, Inside, Wanted))
      return true;
    Path.pop_back();
    return false;
  };
  if (simdjson::dom::object Object; !Element.get(Object))
    return std::ranges::any_of(
        Object, [&](auto Member) { return IsBehind(std::string(Member.key), Member.value); });
  std::size_t Number = 0;
  simdjson::dom::array Array;
  return !Element.get(Array) && std::ranges::any_of(Array, [&](element E) {
    return IsBehind(std::to_string(Number++), E);
  });
}

void JsonCursor::fail(std::string What, std::string Fix) const {
  if (!Value || Doc->First)
    return;
  json::json_pointer Path;
  extendPath(Path, Doc->Values.root(), *Value);
  Doc->First = Error{std::move(What), Path.to_string(), std::move(Fix), ""};
}

void JsonCursor::wrongType(std::string_view Wanted) const {
  if (!Value)
    return;
  const char *Found = isArray()    ? "array"
                      : isObject() ? "object"
                      : isText()   ? "string"
                      : isNumber() ? "number"
                      : isNull()   ? "null"
                                   : "boolean";
  fail("found " + std::string(Found) + " where " + std::string(Wanted) + " is wanted",
       "write " + std::string(Wanted));
}

void JsonCursor::twice(std::string_view Key) const {
  fail("key " + inQuotes(Key) + " stands twice in one object", "correct the JSON text there");
}

void JsonCursor::keys(std::initializer_list<std::string_view> Required,
                      std::initializer_list<std::string_view> Optional) const {
  std::vector<std::string_view> All(Required);
  All.insert(All.end(), Optional.begin(), Optional.end());
  std::vector<JsonCursor> Found(All.size(), {*Doc, std::nullopt});
  find(All, (std::uint64_t(1) << Required.size()) - 1, Found);
}

/// The place of \p Name in \p All, from \p First on and then before it; the size where it is none.
static std::size_t placeOf(std::string_view Name, std::span<const std::string_view> All,
                           std::size_t First) {
  auto FindIn = [&](std::size_t Begin, std::size_t End) {
    // Most others have another length, which is faster to see than that texts differ.
    while (Begin != End && (All[Begin].size() != Name.size() || All[Begin] != Name))
      ++Begin;
    return Begin;
  };
  const std::size_t Found = FindIn(First, All.size());
  if (Found != All.size())
    return Found;
  const std::size_t Before = FindIn(0, First);
  return Before == First ? All.size() : Before;
}

void JsonCursor::find(std::span<const std::string_view> All, std::uint64_t Required,
                      std::span<JsonCursor> Found) const {
  if (!Value || failed())
    return;
  simdjson::dom::object Object;
  if (Value->get(Object)) {
    wrongType("an object");
    return;
  }
  // One bit for each key: they are few.
  std::uint64_t Seen = 0;
  std::optional<std::string_view> Unknown, Twice;
  std::size_t Next = 0; // mostly the keys stand in this order
  for (auto [Name, Member] : Object) {
    const std::size_t Which = placeOf(Name, All, Next);
    if (Which == All.size()) {
      Unknown = Unknown.value_or(Name);
      continue;
    }
    if (Seen >> Which & 1)
      Twice = Twice.value_or(Name);
    Seen |= std::uint64_t(1) << Which;
    Found[Which].Value = Member;
    Next = Which + 1;
  }
  for (std::uint64_t Missing = Required & ~Seen; Missing; Missing &= Missing - 1)
    fail("key " + inQuotes(All[std::size_t(std::countr_zero(Missing))]) + " is missing", "add it");
  if (Twice)
    twice(*Twice);
  if (Unknown)
    fail("key " + inQuotes(*Unknown) + " is unknown", "the keys here are: " + joined(All));
  if (failed())
    std::ranges::fill(Found, JsonCursor(*Doc, std::nullopt));
}

JsonCursor JsonCursor::operator[](std::string_view Key) const {
  element Member;
  if (!isObject() || failed() || Value->at_key(Key).get(Member))
    return {*Doc, std::nullopt};
  return {*Doc, Member};
}

std::vector<std::pair<std::string_view, JsonCursor>> JsonCursor::members() const {
  std::vector<std::pair<std::string_view, JsonCursor>> Result;
  std::vector<std::string_view> Keys;
  forEachMember([&](std::string_view Key, JsonCursor Member) {
    Keys.push_back(Key);
    Result.emplace_back(Key, Member);
  });
  std::ranges::sort(Keys);
  if (auto Found = std::ranges::adjacent_find(Keys); Found != Keys.end())
    twice(*Found);
  return Result;
}

std::vector<JsonCursor> JsonCursor::elements() const {
  std::vector<JsonCursor> Result;
  forEachElement([&](JsonCursor Element) { Result.push_back(Element); });
  return Result;
}

std::size_t JsonCursor::size() const {
  simdjson::dom::array Array;
  simdjson::dom::object Object;
  if (!Value)
    return 0;
  if (!Value->get(Array))
    return Array.size();
  return Value->get(Object) ? 0 : Object.size();
}

template <typename T> T JsonCursor::valueOr(T Default, std::string_view Wanted) const {
  if (!Value)
    return Default;
  T Result{};
  if (Value->get(Result))
    wrongType(Wanted);
  return Result;
}

std::string_view JsonCursor::view(std::string_view Default) const {
  return valueOr(Default, "a string");
}

std::string_view JsonCursor::view() const {
  std::string_view Result = view("");
  if (Result.empty())
    fail("is an empty string", "write a text");
  return Result;
}

double JsonCursor::number() const { return valueOr(0.0, "a number"); }

double JsonCursor::positive() const {
  const double Result = number();
  if (Value && !(Result > 0))
    fail("is " + source() + " where a number above 0 is wanted", "write a number above 0");
  return Result;
}

double JsonCursor::nonNegative() const {
  const double Result = number();
  if (Value && !(Result >= 0))
    fail("is " + source() + " where a number of 0 or above is wanted",
         "write a number of 0 or above");
  return Result;
}

std::int64_t JsonCursor::integer(std::int64_t Default) const {
  return valueOr(Default, "a 64-bit integer");
}

std::int64_t JsonCursor::integer() const { return integer(0); }

bool JsonCursor::boolean(bool Default) const { return valueOr(Default, "true or false"); }

bool JsonCursor::boolean() const { return boolean(false); }

} // namespace ergon
