//===- JsonParse.cpp - JSON text to a list of its values ------------------===//
//
// A record is megabytes of JSON of which a prediction wants a part. So a document
// is not built: its values are found, and stay where they are. What is rare (bytes
// beyond ASCII, escapes, exponents) and what is wrong is left to nlohmann's parser,
// which checks the former and explains the latter.
//
//===----------------------------------------------------------------------===//

#include "formats/Json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>

using nlohmann::json;

namespace ergon {

static constexpr std::size_t MaxDepth = 200;

namespace {
class Parser {
public:
  Parser(std::string_view Text, std::string_view Closed) : Text(Text), Closed(Closed) {}

  std::vector<JsonNode> Nodes;
  bool IsTooDeep = false;
  bool IsUnusual = false; ///< what it accepts is to be checked

  bool document() {
    if (Text.size() > std::numeric_limits<std::uint32_t>::max())
      return false;
    Nodes.reserve(Text.size() / 12);
    if (!value())
      return false;
    skipSpace();
    return At == Text.size();
  }

private:
  std::string_view Text, Closed;
  std::size_t At = 0, Depth = 0;

  char peek() const { return At < Text.size() ? Text[At] : '\0'; }
  void skipSpace() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r')
      ++At;
  }
  bool accept(char C) {
    skipSpace();
    if (peek() != C)
      return false;
    ++At;
    return true;
  }

  bool value() {
    skipSpace();
    switch (peek()) {
    case '{':
      return container(JsonNode::Kind::Object, '}');
    case '[':
      return container(JsonNode::Kind::Array, ']');
    case '"':
      return string();
    case 't':
      return word("true", JsonNode::Kind::Boolean);
    case 'f':
      return word("false", JsonNode::Kind::Boolean);
    case 'n':
      return word("null", JsonNode::Kind::Null);
    default:
      return number();
    }
  }

  bool add(JsonNode::Kind What, std::size_t Begin, std::size_t End, bool IsEscaped = false) {
    Nodes.push_back({What, IsEscaped, std::uint32_t(Begin), std::uint32_t(End), 1});
    return true;
  }

  bool container(JsonNode::Kind What, char Close) {
    std::size_t Number = Nodes.size();
    add(What, At++, 0);
    IsTooDeep |= ++Depth > MaxDepth;
    if (IsTooDeep)
      return false;
    if (!accept(Close)) {
      do {
        if (What == JsonNode::Kind::Object ? !member() : !value())
          return false;
      } while (accept(','));
      if (!accept(Close))
        return false;
    }
    --Depth;
    Nodes[Number].End = std::uint32_t(At);
    Nodes[Number].Size = std::uint32_t(Nodes.size() - Number);
    return true;
  }

  bool member() {
    skipSpace();
    if (!string() || !accept(':'))
      return false;
    const JsonNode Key = Nodes.back();
    skipSpace();
    return peek() == '[' && !Closed.empty() && Text.substr(Key.Begin, Key.End - Key.Begin) == Closed
               ? closedArray()
               : value();
  }

  /// Finds the end of an array.
  bool closedArray() {
    const std::size_t Begin = At, Before = Nodes.size();
    std::size_t Open = 0;
    do {
      char C = peek();
      if (C == '"') {
        if (!string())
          return false;
        Nodes.resize(Before);
        continue;
      }
      if (At == Text.size())
        return false;
      Open += C == '[' || C == '{';
      Open -= C == ']' || C == '}';
      ++At;
    } while (Open != 0);
    return add(JsonNode::Kind::Array, Begin, At);
  }

  bool string() {
    // The bytes that a string does not simply go on with.
    static constexpr auto Special = [] {
      std::array<bool, 256> Result{};
      for (unsigned Byte = 0; Byte != Result.size(); ++Byte)
        Result[Byte] = Byte < 0x20 || Byte == '"' || Byte == '\\' || Byte >= 0x80;
      return Result;
    }();
    if (peek() != '"')
      return false;
    std::size_t Begin = ++At;
    bool IsEscaped = false;
    for (; At < Text.size(); ++At) {
      auto Byte = static_cast<unsigned char>(Text[At]);
      if (!Special[Byte])
        continue;
      if (Byte == '"')
        return add(JsonNode::Kind::String, Begin, At++, IsEscaped);
      if (Byte < 0x20)
        return false;
      IsUnusual = true;
      if (Byte == '\\') {
        IsEscaped = true;
        ++At;
      }
    }
    return false;
  }

  bool word(std::string_view Word, JsonNode::Kind What) {
    if (!Text.substr(At).starts_with(Word))
      return false;
    At += Word.size();
    return add(What, At - Word.size(), At);
  }

  bool digits() {
    std::size_t Begin = At;
    while (peek() >= '0' && peek() <= '9')
      ++At;
    return At != Begin;
  }

  bool number() {
    std::size_t Begin = At;
    At += peek() == '-';
    bool Zero = peek() == '0';
    std::size_t First = At;
    if (!digits() || (Zero && At != First + 1))
      return false;
    if (peek() == '.' && (++At, !digits()))
      return false;
    if (peek() == 'e' || peek() == 'E') {
      IsUnusual = true; // it may be too large
      ++At;
      At += peek() == '+' || peek() == '-';
      if (!digits())
        return false;
    }
    return add(JsonNode::Kind::Number, Begin, At);
  }
};

/// Asks nlohmann's parser what is wrong: SAX, because its document builder drops the
/// place of an error.
class Explainer final : public nlohmann::json_sax<json> {
public:
  std::size_t ErrorByte = 0; ///< how much was read when the error was seen
  std::string Wrong;         ///< empty while all is well

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
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
  std::string_view Before = Text.substr(0, Byte ? Byte - 1 : 0);
  std::size_t LineStart = Before.rfind('\n') + 1; // npos + 1 is 0
  return "line " + std::to_string(1 + std::ranges::count(Before, '\n')) + ", column " +
         std::to_string(1 + Before.size() - LineStart);
}

std::expected<JsonDocument, Error> parseJson(std::string_view Text, std::string_view Closed) {
  Parser P(Text, Closed);
  const bool IsGood = P.document();
  if (IsGood && !P.IsUnusual)
    return JsonDocument{Text, std::move(P.Nodes)};
  Error Bad{"nested deeper than " + std::to_string(MaxDepth) + " levels, or larger than 4 GB", "",
            "correct the JSON text there", ""};
  if (P.IsTooDeep)
    return std::unexpected(std::move(Bad));
  Explainer Says;
  json::sax_parse(Text, &Says);
  if (IsGood && Says.Wrong.empty())
    return JsonDocument{Text, std::move(P.Nodes)};
  if (!Says.Wrong.empty()) {
    Bad.What = Says.Wrong;
    Bad.Where = lineAndColumn(Text, Says.ErrorByte);
    if (Says.ErrorByte > Text.size())
      Bad.Mend = "the file is cut short: write it again";
  }
  return std::unexpected(std::move(Bad));
}

} // namespace ergon
