//===- Json.cpp - checked reading of JSON documents -----------------------===//

#include "formats/Json.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

using nlohmann::json;

namespace ergon {

static constexpr std::size_t MaxDepth = 200;

std::string Error::line() const {
  std::string Line;
  for (const std::string &Part : {File, Where})
    if (!Part.empty())
      Line += Part + ": ";
  Line += What;
  if (!Mend.empty())
    Line += "; " + Mend;
  std::ranges::replace_if(Line, [](char C) { return C == '\n' || C == '\r'; }, ' ');
  return Line;
}

std::string inQuotes(std::string_view Text) {
  return json(Text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::expected<std::string, Error> readTextFile(const std::string &Path) {
  // Not an ifstream: reading a directory throws out of its buffer.
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> File(std::fopen(Path.c_str(), "rb"),
                                                        std::fclose);
  std::string Text;
  if (File) {
    std::array<char, 65536> Buffer;
    while (!std::feof(File.get()) && !std::ferror(File.get()))
      Text.append(Buffer.data(), std::fread(Buffer.data(), 1, Buffer.size(), File.get()));
  }
  if (!File || std::ferror(File.get()))
    return std::unexpected(Error{std::string("cannot be read: ") + std::strerror(errno), "",
                                 "give the path of a readable file", Path});
  return Text;
}

//===----------------------------------------------------------------------===//
// Parsing: a document builder on nlohmann's public SAX interface, because its
// own one keeps the last of two equal keys and drops the place of an error.
//===----------------------------------------------------------------------===//

namespace {
class Builder final : public nlohmann::json_sax<json> {
public:
  json Root;
  std::size_t ErrorByte = 0; ///< how much was read when the error was seen
  std::string Wrong;         ///< empty while all is well

  bool null() override { return add(nullptr); }
  bool boolean(bool Value) override { return add(Value); }
  bool number_integer(number_integer_t Value) override { return add(Value); }
  bool number_unsigned(number_unsigned_t Value) override { return add(Value); }
  bool number_float(number_float_t Value, const string_t &) override { return add(Value); }
  bool string(string_t &Value) override { return add(std::move(Value)); }
  bool binary(binary_t &) override { return false; } // JSON text has none
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t &Key) override {
    auto [Place, IsNew] = Open.back()->emplace(std::move(Key), nullptr);
    Slot = &*Place;
    if (!IsNew)
      Wrong = "key " + inQuotes(Place.key()) + " stands twice in one object";
    return IsNew;
  }

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

  /// The innermost container around the place being read.
  const json *innermost() const { return Open.empty() ? nullptr : Open.back(); }

private:
  json *place(json Value) {
    if (Open.empty())
      return &(Root = std::move(Value));
    if (Open.back()->is_array())
      return &Open.back()->emplace_back(std::move(Value));
    return &(*Slot = std::move(Value));
  }
  bool add(json Value) {
    place(std::move(Value));
    return true;
  }
  bool open(json Value) {
    if (Open.size() == MaxDepth) {
      Wrong = "nested deeper than " + std::to_string(MaxDepth) + " levels";
      return false;
    }
    Open.push_back(place(std::move(Value)));
    return true;
  }
  bool close() {
    Open.pop_back();
    return true;
  }

  std::vector<json *> Open; ///< the containers around the place being read
  json *Slot = nullptr;     ///< the value of the key just read
};
} // namespace

/// The JSON pointer from \p Root to \p Wanted, which is found by its address: so
/// cursors need not carry their path, and only an error pays for it.
static std::optional<std::string> pointerTo(const json &Root, const json *Wanted) {
  if (&Root == Wanted)
    return "";
  if (!Root.is_structured())
    return std::nullopt;
  for (auto Child = Root.begin(); Child != Root.end(); ++Child)
    if (std::optional<std::string> Rest = pointerTo(*Child, Wanted)) {
      std::string Step = Root.is_array() ? std::to_string(Child - Root.begin()) : Child.key();
      json::json_pointer Pointer;
      Pointer.push_back(std::move(Step));
      return Pointer.to_string() + *Rest;
    }
  return std::nullopt;
}

static std::string lineAndColumn(std::string_view Text, std::size_t Byte) {
  std::string_view Before = Text.substr(0, Byte ? Byte - 1 : 0);
  std::size_t LineStart = Before.rfind('\n') + 1; // npos + 1 is 0
  return "line " + std::to_string(1 + std::ranges::count(Before, '\n')) + ", column " +
         std::to_string(1 + Before.size() - LineStart);
}

std::expected<json, Error> parseJson(std::string_view Text) {
  Builder B;
  if (json::sax_parse(Text, &B))
    return std::move(B.Root);
  Error E{B.Wrong, "", "correct the JSON text there", ""};
  if (B.ErrorByte)
    E.Where = lineAndColumn(Text, B.ErrorByte);
  else if (B.innermost())
    E.Where = pointerTo(B.Root, B.innermost()).value_or("");
  if (B.ErrorByte > Text.size())
    E.Mend = "the file is cut short: write it again";
  return std::unexpected(std::move(E));
}

void checkSchema(JsonCursor Root, std::string_view Schema) {
  const std::string Mend = "this version of ergon reads " + inQuotes(Schema);
  for (auto &[Key, Value] : Root.members())
    if (Key == "schema") {
      if (std::string Found = Value.text(); Value && !Value.failed() && Found != Schema)
        Value.fail("schema is " + inQuotes(Found), Mend);
      return;
    }
  Root.fail("key \"schema\" is missing", Mend);
}

//===----------------------------------------------------------------------===//
// JsonCursor
//===----------------------------------------------------------------------===//

void JsonCursor::fail(std::string What, std::string Mend) const {
  if (Value && !Doc->First)
    Doc->First =
        Error{std::move(What), pointerTo(Doc->Root, Value).value_or(""), std::move(Mend), ""};
}

void JsonCursor::wrongType(std::string_view Wanted) const {
  if (Value)
    fail("found " + std::string(Value->type_name()) + " where " + std::string(Wanted) +
             " is wanted",
         "write " + std::string(Wanted));
}

void JsonCursor::keys(std::initializer_list<std::string_view> Required,
                      std::initializer_list<std::string_view> Optional) const {
  if (!Value)
    return;
  if (!Value->is_object()) {
    wrongType("an object");
    return;
  }
  for (std::string_view Key : Required)
    if (!Value->contains(Key))
      fail("key " + inQuotes(Key) + " is missing", "add it");
  auto IsIn = [](std::initializer_list<std::string_view> List, std::string_view Key) {
    return std::ranges::find(List, Key) != List.end();
  };
  for (auto Member = Value->begin(); Member != Value->end(); ++Member) {
    if (IsIn(Required, Member.key()) || IsIn(Optional, Member.key()))
      continue;
    std::string Known;
    for (auto List : {Required, Optional})
      for (std::string_view Key : List)
        Known += (Known.empty() ? "" : ", ") + std::string(Key);
    fail("key " + inQuotes(Member.key()) + " is unknown", "the keys here are: " + Known);
  }
}

JsonCursor JsonCursor::operator[](std::string_view Key) const {
  if (!Value || !Value->is_object() || failed())
    return none();
  auto Found = Value->find(Key);
  return Found == Value->end() ? none() : JsonCursor(*Doc, &*Found);
}

std::vector<std::pair<std::string_view, JsonCursor>> JsonCursor::members() const {
  std::vector<std::pair<std::string_view, JsonCursor>> Result;
  if (!Value || failed())
    return Result;
  if (!Value->is_object())
    wrongType("an object");
  else
    for (auto Member = Value->begin(); Member != Value->end(); ++Member)
      Result.emplace_back(Member.key(), JsonCursor(*Doc, &*Member));
  return Result;
}

std::vector<JsonCursor> JsonCursor::elements() const {
  std::vector<JsonCursor> Result;
  if (!Value || failed())
    return Result;
  if (!Value->is_array())
    wrongType("an array");
  else
    for (const json &Element : *Value)
      Result.emplace_back(*Doc, &Element);
  return Result;
}

std::string JsonCursor::text(std::string_view Default) const {
  if (!Value)
    return std::string(Default);
  if (const auto *Text = Value->get_ptr<const std::string *>())
    return *Text;
  wrongType("a string");
  return {};
}

std::string JsonCursor::text() const {
  std::string Result = text("");
  if (Result.empty())
    fail("is an empty string", "write a text");
  return Result;
}

double JsonCursor::number() const {
  if (!Value)
    return 0;
  if (!Value->is_number())
    wrongType("a number");
  return Value->is_number() ? Value->get<double>() : 0;
}

double JsonCursor::positive() const {
  const double Result = number();
  if (Value && !(Result > 0))
    fail("is " + Value->dump() + " where a number above 0 is wanted", "write a number above 0");
  return Result;
}

double JsonCursor::nonNegative() const {
  const double Result = number();
  if (Value && !(Result >= 0))
    fail("is " + Value->dump() + " where a number of 0 or above is wanted",
         "write a number of 0 or above");
  return Result;
}

std::int64_t JsonCursor::integer(std::int64_t Default) const {
  if (!Value)
    return Default;
  const bool Fits =
      Value->is_number_integer() &&
      (!Value->is_number_unsigned() || Value->get<std::uint64_t>() <= std::uint64_t(INT64_MAX));
  if (!Fits)
    wrongType("a 64-bit integer");
  return Fits ? Value->get<std::int64_t>() : 0;
}

std::int64_t JsonCursor::integer() const { return integer(0); }

bool JsonCursor::boolean(bool Default) const {
  if (!Value)
    return Default;
  if (!Value->is_boolean())
    wrongType("true or false");
  return Value->is_boolean() && Value->get<bool>();
}

bool JsonCursor::boolean() const { return boolean(false); }

} // namespace ergon
