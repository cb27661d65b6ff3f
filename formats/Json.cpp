//===- Json.cpp - checked reading of JSON documents -----------------------===//

#include "formats/Json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace ergon {

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
  return nlohmann::json(Text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::expected<std::string, Error> readTextFile(const std::string &Path) {
  // Not an ifstream: reading a directory throws out of its buffer. No buffer here: a
  // folder's records are a thousand files.
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> File(std::fopen(Path.c_str(), "rb"),
                                                        std::fclose);
  std::string Text;
  if (File) {
    std::setvbuf(File.get(), nullptr, _IONBF, 0);
    std::error_code Unknown; // of a pipe the size is not known
    const std::uintmax_t Size = std::filesystem::file_size(Path, Unknown);
    std::size_t Room = Unknown ? 65536 : std::size_t(Size) + 1;
    while (!std::feof(File.get()) && !std::ferror(File.get())) {
      const std::size_t Have = Text.size();
      Text.resize_and_overwrite(Have + Room, [&](char *Data, std::size_t) {
        return Have + std::fread(Data + Have, 1, Room, File.get());
      });
      Room = 65536;
    }
  }
  if (!File || std::ferror(File.get()))
    return std::unexpected(Error{std::string("cannot be read: ") + std::strerror(errno), "",
                                 "give the path of a readable file", Path});
  return Text;
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
// JsonDocument
//===----------------------------------------------------------------------===//

std::string_view JsonDocument::unescaped(std::string_view Raw) {
  return Unescaped.emplace_back(
      nlohmann::json::parse("\"" + std::string(Raw) + "\"").get<std::string>());
}

/// The node behind \p Of and all that is inside of it.
static const JsonNode *after(const JsonNode *Of) { return Of + Of->Size; }

std::string JsonDocument::compact(const JsonNode &Of,
                                  std::initializer_list<std::string_view> Order) {
  std::string_view Raw = Text.substr(Of.Begin, Of.End - Of.Begin);
  if (Of.What == JsonNode::Kind::String)
    return "\"" + std::string(Raw) + "\"";
  if (Of.What != JsonNode::Kind::Array && Of.What != JsonNode::Kind::Object)
    return std::string(Raw);
  const bool IsObject = Of.What == JsonNode::Kind::Object;
  std::vector<std::pair<std::size_t, std::string>> Parts; // with their places
  for (const JsonNode *Each = &Of + 1; Each != after(&Of); Each = after(Each)) {
    std::size_t Place = Order.size();
    std::string Part;
    if (IsObject) {
      Place = std::size_t(std::ranges::find(Order, stringAt(*Each)) - Order.begin());
      Part = compact(*Each) + ":";
      ++Each;
    }
    Parts.emplace_back(Place, Part + compact(*Each));
  }
  if (IsObject)
    std::ranges::sort(Parts);
  std::string Result;
  for (const auto &[Place, Part] : Parts)
    Result += (Result.empty() ? "" : ",") + Part;
  return IsObject ? "{" + Result + "}" : "[" + Result + "]";
}

/// The JSON pointer from \p Root to \p Wanted: so cursors need not carry their path,
/// and only an error pays for it.
static std::string pointerTo(JsonDocument &In, const JsonNode *Wanted) {
  std::string Result;
  for (const JsonNode *At = In.Nodes.data(); At != Wanted;) {
    const bool IsObject = At->What == JsonNode::Kind::Object;
    std::size_t Number = 0;
    const JsonNode *Key = nullptr, *Child = At + 1;
    for (;; Child = after(Child), ++Number) {
      if (IsObject)
        Key = Child++;
      if (Wanted < after(Child))
        break;
    }
    nlohmann::json::json_pointer Step;
    Step.push_back(Key ? std::string(In.stringAt(*Key)) : std::to_string(Number));
    Result += Step.to_string();
    At = Child;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// JsonCursor
//===----------------------------------------------------------------------===//

void JsonCursor::fail(std::string What, std::string Mend) const {
  if (Value && !Doc->First)
    Doc->First = Error{std::move(What), pointerTo(*Doc, Value), std::move(Mend), ""};
}

void JsonCursor::wrongType(std::string_view Wanted) const {
  static constexpr const char *Kinds[] = {"null", "boolean", "number", "string", "array", "object"};
  if (Value)
    fail("found " + std::string(Kinds[unsigned(Value->What)]) + " where " + std::string(Wanted) +
             " is wanted",
         "write " + std::string(Wanted));
}

void JsonCursor::twice(std::string_view Key) const {
  fail("key " + inQuotes(Key) + " stands twice in one object", "correct the JSON text there");
}

std::string_view JsonCursor::source() const {
  return Doc->Text.substr(Value->Begin, Value->End - Value->Begin);
}

void JsonCursor::keys(std::initializer_list<std::string_view> Required,
                      std::initializer_list<std::string_view> Optional) const {
  if (!Value)
    return;
  if (Value->What != JsonNode::Kind::Object) {
    wrongType("an object");
    return;
  }
  // One bit for each key: those of either list are few.
  std::uint64_t Seen = 0;
  std::optional<std::string_view> Unknown, Twice;
  for (const JsonNode *Key = Value + 1; Key != after(Value); Key = after(Key + 1)) {
    std::string_view Name = Doc->stringAt(*Key);
    auto Place = std::size_t(std::ranges::find(Required, Name) - Required.begin());
    if (Place == Required.size())
      Place += std::size_t(std::ranges::find(Optional, Name) - Optional.begin());
    if (Place == Required.size() + Optional.size())
      Unknown = Unknown.value_or(Name);
    else if (Seen >> Place & 1)
      Twice = Twice.value_or(Name);
    else
      Seen |= std::uint64_t(1) << Place;
  }
  for (std::size_t Place = 0; Place != Required.size(); ++Place)
    if (!(Seen >> Place & 1))
      fail("key " + inQuotes(Required.begin()[Place]) + " is missing", "add it");
  if (Twice)
    twice(*Twice);
  if (!Unknown)
    return;
  std::string Known;
  for (auto List : {Required, Optional})
    for (std::string_view Key : List)
      Known += (Known.empty() ? "" : ", ") + std::string(Key);
  fail("key " + inQuotes(*Unknown) + " is unknown", "the keys here are: " + Known);
}

JsonCursor JsonCursor::operator[](std::string_view Key) const {
  if (!is(JsonNode::Kind::Object) || failed())
    return none();
  for (const JsonNode *Each = Value + 1; Each != after(Value); Each = after(Each + 1))
    if (Doc->stringAt(*Each) == Key)
      return {*Doc, Each + 1};
  return none();
}

std::vector<std::pair<std::string_view, JsonCursor>> JsonCursor::members() const {
  std::vector<std::pair<std::string_view, JsonCursor>> Result;
  if (!Value || failed())
    return Result;
  if (Value->What != JsonNode::Kind::Object) {
    wrongType("an object");
    return Result;
  }
  for (const JsonNode *Key = Value + 1; Key != after(Value); Key = after(Key + 1))
    Result.emplace_back(Doc->stringAt(*Key), JsonCursor(*Doc, Key + 1));
  std::vector<std::string_view> Keys;
  Keys.reserve(Result.size());
  for (const auto &[Key, At] : Result)
    Keys.push_back(Key);
  std::ranges::sort(Keys);
  if (auto Same = std::ranges::adjacent_find(Keys); Same != Keys.end())
    twice(*Same);
  return Result;
}

std::vector<JsonCursor> JsonCursor::elements() const {
  std::vector<JsonCursor> Result;
  if (!Value || failed())
    return Result;
  if (Value->What != JsonNode::Kind::Array) {
    wrongType("an array");
    return Result;
  }
  for (const JsonNode *Each = Value + 1; Each != after(Value); Each = after(Each))
    Result.emplace_back(*Doc, Each);
  return Result;
}

std::string_view JsonCursor::view(std::string_view Default) const {
  if (!Value)
    return Default;
  if (Value->What == JsonNode::Kind::String)
    return Doc->stringAt(*Value);
  wrongType("a string");
  return {};
}

std::string_view JsonCursor::view() const {
  std::string_view Result = view("");
  if (Result.empty())
    fail("is an empty string", "write a text");
  return Result;
}

double JsonCursor::number() const {
  if (!Value)
    return 0;
  if (Value->What != JsonNode::Kind::Number) {
    wrongType("a number");
    return 0;
  }
  std::string_view Digits = source();
  double Result = 0;
  std::from_chars(Digits.data(), Digits.data() + Digits.size(), Result);
  return Result;
}

double JsonCursor::positive() const {
  const double Result = number();
  if (Value && !(Result > 0))
    fail("is " + std::string(source()) + " where a number above 0 is wanted",
         "write a number above 0");
  return Result;
}

double JsonCursor::nonNegative() const {
  const double Result = number();
  if (Value && !(Result >= 0))
    fail("is " + std::string(source()) + " where a number of 0 or above is wanted",
         "write a number of 0 or above");
  return Result;
}

std::int64_t JsonCursor::integer(std::int64_t Default) const {
  if (!Value)
    return Default;
  std::string_view Digits = source();
  std::int64_t Result = 0;
  auto [End, Failure] = std::from_chars(Digits.data(), Digits.data() + Digits.size(), Result);
  if (Value->What == JsonNode::Kind::Number && Failure == std::errc() &&
      End == Digits.data() + Digits.size())
    return Result;
  wrongType("a 64-bit integer");
  return 0;
}

std::int64_t JsonCursor::integer() const { return integer(0); }

bool JsonCursor::boolean(bool Default) const {
  if (!Value)
    return Default;
  if (Value->What != JsonNode::Kind::Boolean)
    wrongType("true or false");
  return Value->What == JsonNode::Kind::Boolean && source() == "true";
}

bool JsonCursor::boolean() const { return boolean(false); }

} // namespace ergon
