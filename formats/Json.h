//===- Json.h - checked reading of JSON documents ---------------*- C++ -*-===//
//
// The one way Ergon reads JSON. A document is parsed once, to a list of places in
// its text, without memory for each of them; a reader function then walks it with
// cursors. A cursor never throws and never aborts: the first
// thing that is wrong is kept, every read after it yields an empty value, and
// readJson() hands the error back. So a reader is written straight through:
//
//   std::expected<Point, Error> parsePoint(std::string_view Text) {
//     return readJson(Text, "example-point/1", [](JsonCursor Root) {
//       Root.keys({"schema", "x"}, {"label"});
//       return Point{Root["x"].positive(), Root["label"].text("")};
//     });
//   }
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_FORMATS_JSON_H
#define ERGON_FORMATS_JSON_H

#include <cstdint>
#include <deque>
#include <expected>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ergon {

/// Bad input, said so that whoever made it can mend it.
struct Error {
  std::string What;  ///< what is wrong
  std::string Where; ///< JSON pointer, or "line 3, column 7"; empty for the whole file
  std::string Mend;  ///< how to put it right
  std::string File;  ///< path, filled in by whoever opened the file

  /// One line without a line break: "file: where: what; mend".
  std::string line() const;
};

/// \p Text as a JSON string literal: quoted, control characters escaped, so that
/// it fits on one line whatever is in it.
std::string inQuotes(std::string_view Text);

/// The whole of a file. Error: it is not there or cannot be read.
std::expected<std::string, Error> readTextFile(const std::string &Path);

/// One value of a document; those inside of it follow it, an object's as key and value.
struct JsonNode {
  enum class Kind : std::uint8_t { Null, Boolean, Number, String, Array, Object };
  Kind What;
  bool IsEscaped; ///< a string with a backslash
  /// Where it stands in the text; a string without its quotes.
  std::uint32_t Begin, End;
  std::uint32_t Size; ///< nodes, itself and those inside
};

struct JsonDocument {
  std::string_view Text; ///< whoever parsed it keeps it
  std::vector<JsonNode> Nodes;
  std::optional<Error> First{}; ///< the first thing found wrong
  std::deque<std::string> Unescaped{};

  /// What a string says.
  std::string_view stringAt(const JsonNode &Of) {
    std::string_view Raw = Text.substr(Of.Begin, Of.End - Of.Begin);
    return Of.IsEscaped ? unescaped(Raw) : Raw;
  }
  /// The text of \p Of, on one line, with the members of an object in \p Order first.
  std::string compact(const JsonNode &Of, std::initializer_list<std::string_view> Order = {});

private:
  std::string_view unescaped(std::string_view Raw);
};

/// A place in a document being read. Two pointers wide: pass it by value.
class JsonCursor {
public:
  JsonCursor(JsonDocument &D, const JsonNode *Value) : Doc(&D), Value(Value) {}
  explicit JsonCursor(JsonDocument &D) : JsonCursor(D, D.Nodes.data()) {}

  /// False where an optional member is absent, or after an error.
  explicit operator bool() const { return Value; }

  /// Requires an object that has every key of \p Required, no key that is in neither
  /// list, and none twice.
  void keys(std::initializer_list<std::string_view> Required,
            std::initializer_list<std::string_view> Optional = {}) const;
  /// A member of an object; a false cursor where it is absent. Call keys() first:
  /// it is what refuses absent and unknown ones.
  JsonCursor operator[](std::string_view Key) const;
  /// The members of an object, in its order; refuses two equal keys.
  std::vector<std::pair<std::string_view, JsonCursor>> members() const;
  /// The elements of an array.
  std::vector<JsonCursor> elements() const;

  // A value of that type, or an error and the type's empty value. With a
  // default, a false cursor yields the default without an error.
  std::string text() const { return std::string(view()); } ///< not empty
  std::string text(std::string_view Default) const { return std::string(view(Default)); }
  std::string_view view() const; ///< as text(), for as long as the document and its text
  std::string_view view(std::string_view Default) const;
  double number() const;
  double positive() const;    ///< a number above 0
  double nonNegative() const; ///< a number of 0 or above
  std::int64_t integer() const;
  std::int64_t integer(std::int64_t Default) const;
  bool boolean() const;
  bool boolean(bool Default) const;
  bool isText() const { return is(JsonNode::Kind::String); }
  bool isNull() const { return is(JsonNode::Kind::Null); }
  bool isNumber() const { return is(JsonNode::Kind::Number); }
  const JsonNode *node() const { return Value; }
  std::string_view source() const; ///< as it stands in the text

  /// Records that what stands here is wrong. Only the first error of a document
  /// is kept; on a false cursor this does nothing.
  void fail(std::string What, std::string Mend) const;
  /// True once anything in the document was found wrong.
  bool failed() const { return Doc->First.has_value(); }

private:
  bool is(JsonNode::Kind What) const { return Value && Value->What == What; }
  JsonCursor none() const { return {*Doc, nullptr}; }
  void wrongType(std::string_view Wanted) const;
  void twice(std::string_view Key) const;

  JsonDocument *Doc;
  const JsonNode *Value; ///< null: absent, or an error came before
};

/// Parses \p Text, which the document points into; the error says line and column.
/// Refuses nesting deeper than 200 levels. Arrays with the key \p Closed are not looked
/// into: they have no elements.
std::expected<JsonDocument, Error> parseJson(std::string_view Text, std::string_view Closed = {});

/// Refuses a document whose `schema` is not \p Schema.
void checkSchema(JsonCursor Root, std::string_view Schema);

/// Parses \p Text, requires an object whose `schema` is \p Schema and returns what
/// \p Read makes of its root, or the first error.
template <typename Reader>
std::expected<std::invoke_result_t<Reader, JsonCursor>, Error>
readJson(std::string_view Text, std::string_view Schema, Reader &&Read) {
  std::expected<JsonDocument, Error> Doc = parseJson(Text);
  if (!Doc)
    return std::unexpected(std::move(Doc.error()));
  JsonCursor Root(*Doc);
  checkSchema(Root, Schema);
  if (!Doc->First) {
    auto Result = Read(Root);
    if (!Doc->First)
      return Result;
  }
  return std::unexpected(std::move(*Doc->First));
}

} // namespace ergon

#endif
