//===- JsonTree.cpp - JSON documents where there is no simdjson -----------===//

#include "report/wasm/adapters/simdjson.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

using nlohmann::ordered_json;

namespace simdjson {

const char *error_message(error_code Code) {
  switch (Code) {
  case SUCCESS:
    return "no error";
  case CAPACITY:
    return "the document is too large";
  case DEPTH_ERROR:
    return "the document is nested too deeply";
  case INCORRECT_TYPE:
    return "the value has another type";
  case NO_SUCH_FIELD:
    return "the object has no such member";
  case TAPE_ERROR:
    break;
  }
  return "the text is not JSON";
}

bool validate_utf8(const char *Text, std::size_t Size) {
  // dump() with error_handler_t::ignore drops invalid UTF-8: the text is valid if nothing is
  // dropped.
  const nlohmann::json Original(std::string_view(Text, Size));
  const std::string WithoutInvalid =
      Original.dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore);
  return nlohmann::json::parse(WithoutInvalid, nullptr, false) == Original;
}

namespace {
using dom::Member;
using dom::Node;

/// Makes the tree of a document.
class TreeBuilder final : public nlohmann::json_sax<ordered_json> {
public:
  TreeBuilder(Node &Root, std::size_t Deepest) : Root(Root), Deepest(Deepest) {}
  error_code Failure = SUCCESS;

  bool null() override { return add(nullptr); }
  bool boolean(bool Value) override { return add(Value); }
  bool number_integer(number_integer_t Value) override { return add(std::int64_t(Value)); }
  bool number_unsigned(number_unsigned_t Value) override {
    if (Value <= std::uint64_t(std::numeric_limits<std::int64_t>::max()))
      return add(std::int64_t(Value));
    return add(std::uint64_t(Value));
  }
  bool number_float(number_float_t Value, const string_t &Text) override {
    return Text.find_first_of(".eE") == std::string::npos ? fail(TAPE_ERROR) : add(Value);
  }
  bool string(string_t &Value) override { return add(std::move(Value)); }
  bool binary(binary_t &) override { return fail(TAPE_ERROR); } // JSON text has none
  bool start_object(std::size_t) override { return open(std::vector<Member>()); }
  bool start_array(std::size_t) override { return open(std::vector<Node>()); }
  bool end_object() override { return Open.pop_back(), true; }
  bool end_array() override { return Open.pop_back(), true; }
  bool key(string_t &Value) override {
    std::get<std::vector<Member>>(*Open.back()).emplace_back(std::move(Value), nullptr);
    return true;
  }
  bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &) override {
    return fail(TAPE_ERROR);
  }

private:
  Node &Root;
  std::size_t Deepest;
  /// Stack of open arrays and objects; their addresses are stable while a nested one is open.
  std::vector<Node *> Open;

  bool fail(error_code Code) { return Failure = Code, false; }
  Node &place() {
    if (Open.empty())
      return Root;
    if (auto *Members = std::get_if<std::vector<Member>>(Open.back()))
      return Members->back().second;
    return std::get<std::vector<Node>>(*Open.back()).emplace_back();
  }
  template <typename T> bool add(T Value) { return place() = Node(std::move(Value)), true; }
  template <typename T> bool open(T Empty) {
    if (Open.size() + 1 >= Deepest)
      return fail(DEPTH_ERROR);
    Node &Slot = place();
    Slot = Node(std::move(Empty));
    Open.push_back(&Slot);
    return true;
  }
};

ordered_json toJson(const Node &Source) {
  if (const auto *Members = std::get_if<std::vector<Member>>(&Source)) {
    ordered_json Result = ordered_json::object();
    for (const auto &[Key, Value] : *Members)
      Result[Key] = toJson(Value);
    return Result;
  }
  if (const auto *Elements = std::get_if<std::vector<Node>>(&Source)) {
    ordered_json Result = ordered_json::array();
    for (const Node &Element : *Elements)
      Result.push_back(toJson(Element));
    return Result;
  }
  if (const auto *Value = std::get_if<bool>(&Source))
    return *Value;
  if (const auto *Value = std::get_if<std::int64_t>(&Source))
    return *Value;
  if (const auto *Value = std::get_if<std::uint64_t>(&Source))
    return *Value;
  if (const auto *Value = std::get_if<double>(&Source))
    return *Value;
  if (const auto *Value = std::get_if<std::string>(&Source))
    return *Value;
  return nullptr;
}
} // namespace

std::string minify(dom::element Source) {
  return toJson(Source.node()).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

namespace dom {

template <typename T> error_code element::get(T &Target) const {
  const auto Take = [&](const auto *Found) {
    if (!Found)
      return INCORRECT_TYPE;
    Target = T(*Found);
    return SUCCESS;
  };
  if constexpr (std::is_same_v<T, array>)
    return Take(std::get_if<std::vector<Node>>(Source));
  else if constexpr (std::is_same_v<T, object>)
    return Take(std::get_if<std::vector<Member>>(Source));
  else if constexpr (std::is_same_v<T, std::string_view>)
    return Take(std::get_if<std::string>(Source));
  else if constexpr (std::is_same_v<T, double>) {
    if (const auto *Integer = std::get_if<std::int64_t>(Source))
      return Take(Integer);
    if (const auto *Integer = std::get_if<std::uint64_t>(Source))
      return Take(Integer);
    return Take(std::get_if<double>(Source));
  } else
    return Take(std::get_if<T>(Source));
}
template error_code element::get(array &) const;
template error_code element::get(object &) const;
template error_code element::get(std::string_view &) const;
template error_code element::get(double &) const;
template error_code element::get(std::int64_t &) const;
template error_code element::get(bool &) const;

result<element> element::at_key(std::string_view Key) const {
  if (const auto *Members = std::get_if<std::vector<Member>>(Source))
    if (auto Found = std::ranges::find(*Members, Key, &Member::first); Found != Members->end())
      return {element(&Found->second), SUCCESS};
  return {element(), NO_SUCH_FIELD};
}

result<element> parser::parse_into_document(document &Target, const char *Text, std::size_t Size,
                                            bool) {
  Target.Root = std::make_unique<Node>();
  TreeBuilder Builder(*Target.Root, Deepest);
  ordered_json::sax_parse(std::string_view(Text, Size), &Builder);
  return {Target.root(), Builder.Failure};
}

} // namespace dom
} // namespace simdjson
