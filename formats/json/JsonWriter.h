//===- JsonWriter.h - JSON written piece by piece ---------------*- C++ -*-===//
//
// Records are many and long: they are written without a document in memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <charconv>
#include <concepts>
#include <iterator>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ergon {

/// \p Document as text in one line. Texts that are not UTF-8 are as validText() has them.
std::string dumpValid(nlohmann::ordered_json Document);

/// Writes JSON as dump() would, without a document in memory: records are many and long.
class JsonWriter {
public:
  /// Appends to \p Out, which must outlive the writer.
  explicit JsonWriter(std::string &Out) : Out(Out) {}

  /// Begins and ends an object or an array; ends must match. Commas are written where they are due.
  void beginObject() { open('{'); }
  void beginArray() { open('['); }
  void endObject() { close('}'); }
  void endArray() { close(']'); }
  /// The key of the member whose value comes next.
  void key(std::string_view Name) {
    value(Name);
    Out += ':';
    Begins = true;
  }
  /// A key and its value.
  template <typename T> void member(std::string_view Name, const T &Value) {
    key(Name);
    value(Value);
  }

  /// A value: of a member after key(), else an array's element. Doubles are in the shortest form
  /// that reads back equal, null where not finite; texts as validText() has them.
  void null() { put("null"); }
  void value(bool Value) { put(Value ? "true" : "false"); }
  template <std::integral T> void value(T Value) {
    char Digits[24];
    put({Digits, std::to_chars(Digits, std::end(Digits), Value).ptr});
  }
  void value(double Value);
  void value(std::string_view Text);
  void value(const std::string &Text) { value(std::string_view(Text)); }
  void value(const char *Text) { value(std::string_view(Text)); }

private:
  std::string &Out;
  bool Begins = true; ///< the next value is the first one, so it needs no comma

  void put(std::string_view Text) {
    if (!Begins)
      Out += ',';
    Begins = false;
    Out += Text;
  }
  void open(char Bracket) {
    put({&Bracket, 1});
    Begins = true;
  }
  void close(char Bracket) {
    Out += Bracket;
    Begins = false;
  }
};

} // namespace ergon
