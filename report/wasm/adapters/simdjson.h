//===- simdjson.h - stands for simdjson where there is none -----*- C++ -*-===//
//
// What formats/json/Json.cpp uses of simdjson, over nlohmann's parser: simdjson has no package for
// WebAssembly. Only JsonTree.cpp sees nlohmann.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace simdjson {

/// How many bytes simdjson reads behind a text; here none are.
inline constexpr std::size_t SIMDJSON_PADDING = 0;

enum error_code { SUCCESS, CAPACITY, DEPTH_ERROR, INCORRECT_TYPE, NO_SUCH_FIELD, TAPE_ERROR };
/// What went wrong, in simdjson's words.
const char *error_message(error_code Code);
/// Whether \p Size bytes from \p Text on are UTF-8.
bool validate_utf8(const char *Text, std::size_t Size);

namespace dom {

struct Node;
using Member = std::pair<std::string, Node>;
/// A value of a document.
struct Node : std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
                           std::vector<Node>, std::vector<Member>> {
  using variant::variant;
};

class element;

/// The values of an array, or the members of an object.
template <typename Held, typename Shown> class sequence {
public:
  class iterator {
  public:
    using difference_type = std::ptrdiff_t;
    using value_type = Shown;
    /// Current the element \p Current of the vector.
    explicit iterator(const Held *Current = nullptr) : Current(Current) {}
    /// The element as simdjson shows it.
    Shown operator*() const;
    /// On to the next element.
    iterator &operator++() { return ++Current, *this; }
    iterator operator++(int) { return iterator(Current++); }
    bool operator==(const iterator &) const = default;

  private:
    const Held *Current;
  };
  sequence() = default;
  /// The elements of \p Source, which must outlive it.
  explicit sequence(const std::vector<Held> &Source) : Source(&Source) {}
  /// The elements, in the document's order.
  iterator begin() const { return iterator(Source->data()); }
  iterator end() const { return iterator(Source->data() + Source->size()); }
  /// How many they are.
  std::size_t size() const { return Source->size(); }

private:
  const std::vector<Held> *Source = nullptr;
};

struct key_value_pair;
using array = sequence<Node, element>;
using object = sequence<Member, key_value_pair>;

/// A value, or why there is none.
template <typename T> struct result {
  T Value;
  error_code Failure;
  /// Sets \p Target where there is a value; returns the failure, SUCCESS where there is none.
  error_code get(T &Target) const {
    if (!Failure)
      Target = Value;
    return Failure;
  }
  /// SUCCESS where there is a value.
  error_code error() const { return Failure; }
};

class element {
public:
  /// \p Source must outlive it; an element of none must not be asked.
  explicit element(const Node *Source = nullptr) : Source(Source) {}

  /// Sets \p Target. INCORRECT_TYPE where the value has another type or does not fit.
  template <typename T> error_code get(T &Target) const;
  /// The member \p Key. INCORRECT_TYPE where it is no object, NO_SUCH_FIELD without such a member.
  result<element> at_key(std::string_view Key) const;
  /// What type of JSON the value has.
  bool is_string() const { return holds<std::string>(); }
  bool is_null() const { return holds<std::nullptr_t>(); }
  bool is_array() const { return holds<std::vector<Node>>(); }
  bool is_object() const { return holds<std::vector<Member>>(); }
  bool is_number() const {
    return holds<std::int64_t>() || holds<std::uint64_t>() || holds<double>();
  }
  /// The value as nlohmann's parser left it.
  const Node &node() const { return *Source; }

private:
  const Node *Source;
  template <typename T> bool holds() const { return std::holds_alternative<T>(*Source); }
};

struct key_value_pair {
  std::string_view key;
  element value;
};

/// An array's element, and an object's member with its key.
template <> inline element array::iterator::operator*() const { return element(Current); }
template <> inline key_value_pair object::iterator::operator*() const {
  return {Current->first, element(&Current->second)};
}

class document {
public:
  /// The whole document's value; of a document that was parsed.
  element root() const { return element(Root.get()); }

private:
  friend class parser;
  std::unique_ptr<Node> Root;
};

class parser {
public:
  /// 0: simdjson keeps memory of this size for its next document, and nothing here does.
  std::size_t capacity() const { return 0; }
  /// Sets how deeply values may be nested. It cannot fail.
  error_code allocate(std::size_t, std::size_t MaxDepth) {
    Deepest = MaxDepth;
    return SUCCESS;
  }
  /// Refuses what is nested too deeply, and whole numbers beyond 64 bits. simdjson copies the text
  /// where asked to.
  result<element> parse_into_document(document &Target, const char *Text, std::size_t Size,
                                      bool IsCopied = true);

private:
  std::size_t Deepest = 0;
};

} // namespace dom

/// As JSON, on one line.
std::string minify(dom::element Source);

} // namespace simdjson
