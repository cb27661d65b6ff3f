//===- Json.h - checked reading of JSON documents ---------------*- C++ -*-===//
//
// The one way Ergon reads JSON. simdjson parses a document; a reader function then
// walks it with cursors. A cursor never throws and never aborts: the first
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
#pragma once

#include "formats/json/Error.h"

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ergon {

/// Whether \p Text is well-formed UTF-8, as JSON must be (RFC 8259, section 8.1).
bool isUtf8(std::string_view Text);

/// A parsed document. It may be moved, but not while a cursor is in it.
struct JsonDocument {
  simdjson::dom::document Values;
  std::optional<Error> First{}; ///< the first thing found wrong
};

/// A place in a document being read. Four pointers wide: pass it by value.
class JsonCursor {
public:
  /// The root of the document.
  explicit JsonCursor(JsonDocument &D) : JsonCursor(D, D.Values.root()) {}

  /// False where an optional member is absent, or after an error.
  explicit operator bool() const { return Value.has_value(); }

  /// Requires an object that has every key of \p Required, no key that is in neither
  /// list, and none twice.
  void keys(std::initializer_list<std::string_view> Required,
            std::initializer_list<std::string_view> Optional = {}) const;
  /// The members with the keys \p All, in their order, in one pass; requires an object as keys()
  /// does, with those keys of which \p Required has the bit. A false cursor stands for an absent
  /// one, and for all of them after an error.
  template <std::size_t Size>
  std::array<JsonCursor, Size> fields(const std::array<std::string_view, Size> &All,
                                      std::uint64_t Required) const {
    auto Found = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array{((void)I, JsonCursor(*Doc, std::nullopt))...};
    }(std::make_index_sequence<Size>());
    find(All, Required, Found);
    return Found;
  }
  /// A member of an object; a false cursor where it is absent. Call keys() first:
  /// it is what refuses absent and unknown ones.
  JsonCursor operator[](std::string_view Key) const;
  /// The members of an object, in its order; refuses two equal keys.
  std::vector<std::pair<std::string_view, JsonCursor>> members() const;
  /// The elements of an array.
  std::vector<JsonCursor> elements() const;
  /// Passes each element of an array to \p Use.
  template <typename Function> void forEachElement(Function &&Use) const {
    simdjson::dom::array Array;
    if (!Value || failed())
      return;
    if (Value->get(Array))
      return wrongType("an array");
    for (simdjson::dom::element Element : Array)
      Use(JsonCursor(*Doc, Element));
  }
  /// Passes each key and member of an object to \p Use, which must call twice() where it knows the
  /// key already.
  template <typename Function> void forEachMember(Function &&Use) const {
    simdjson::dom::object Object;
    if (!Value || failed())
      return;
    if (Value->get(Object))
      return wrongType("an object");
    for (auto [Key, Member] : Object)
      Use(std::string_view(Key), JsonCursor(*Doc, Member));
  }
  /// How many elements an array or members an object has, up to 2^24 - 1; 0 for what is neither.
  std::size_t size() const;

  // A value of that type, or an error and the type's empty value. With a
  // default, a false cursor yields the default without an error.
  std::string text() const { return std::string(view()); } ///< not empty
  std::string text(std::string_view Default) const { return std::string(view(Default)); }
  std::string_view view() const; ///< as text(), for as long as the document
  std::string_view view(std::string_view Default) const;
  /// Any finite number.
  double number() const;
  double positive() const;    ///< a number above 0
  double nonNegative() const; ///< a number of 0 or above
  /// A whole number of 64 bits with a sign.
  std::int64_t integer() const;
  std::int64_t integer(std::int64_t Default) const;
  /// `true` or `false`.
  bool boolean() const;
  bool boolean(bool Default) const;
  /// The type of the value; false on a false cursor. These are no errors.
  bool isText() const { return Value && Value->is_string(); }
  bool isNull() const { return Value && Value->is_null(); }
  bool isNumber() const { return Value && Value->is_number(); }
  bool isArray() const { return Value && Value->is_array(); }
  bool isObject() const { return Value && Value->is_object(); }
  std::string source() const { return simdjson::minify(*Value); } ///< as JSON, on one line

  /// Records that what stands here is wrong. Only the first error of a document
  /// is kept; on a false cursor this does nothing.
  void fail(std::string What, std::string Fix) const;
  /// The same for a second member \p Key of this object.
  void twice(std::string_view Key) const;
  /// True once anything in the document was found wrong.
  bool failed() const { return Doc->First.has_value(); }

private:
  JsonCursor(JsonDocument &D, std::optional<simdjson::dom::element> Value)
      : Doc(&D), Value(Value) {}
  /// The value as a T; an error where it is none, \p Default where it is absent.
  template <typename T> T valueOr(T Default, std::string_view Wanted) const;
  void wrongType(std::string_view Wanted) const;
  /// Checks the keys as fields() does and puts the members into \p Found: false cursors, as many
  /// as \p All.
  void find(std::span<const std::string_view> All, std::uint64_t Required,
            std::span<JsonCursor> Found) const;

  JsonDocument *Doc;
  std::optional<simdjson::dom::element> Value; ///< none: absent, or an error came before
};

/// Parses \p Text, which the document does not keep; the error says line and column.
/// Refuses nesting deeper than 200 levels and whole numbers beyond 64 bits.
std::expected<JsonDocument, Error> parseJson(std::string_view Text);
/// The same, in the memory that \p Into has: another document replaces it. Returns the error.
/// With \p Behind, JsonPadding bytes or more that may be read behind \p Text, it is not copied.
std::optional<Error> parseJson(std::string_view Text, JsonDocument &Into, std::size_t Behind = 0);
inline constexpr std::size_t JsonPadding = simdjson::SIMDJSON_PADDING;

/// Refuses a document whose `schema` is not \p Schema.
void checkSchema(JsonCursor Root, std::string_view Schema);

/// Parses \p Text, requires an object whose `schema` is \p Schema and returns what
/// \p Read makes of its root, or the first error. Uses the memory that \p Doc has.
template <typename Reader>
std::expected<std::invoke_result_t<Reader, JsonCursor>, Error>
readJson(std::string_view Text, std::string_view Schema, JsonDocument &Doc, Reader &&Read) {
  if (auto Bad = parseJson(Text, Doc))
    return std::unexpected(std::move(*Bad));
  JsonCursor Root(Doc);
  checkSchema(Root, Schema);
  if (!Doc.First) {
    auto Result = Read(Root);
    if (!Doc.First)
      return Result;
  }
  return std::unexpected(std::move(*Doc.First));
}
template <typename Reader>
std::expected<std::invoke_result_t<Reader, JsonCursor>, Error>
readJson(std::string_view Text, std::string_view Schema, Reader &&Read) {
  JsonDocument Doc;
  return readJson(Text, Schema, Doc, std::forward<Reader>(Read));
}

} // namespace ergon
