//===- Output.h - JSON without memory of its own ----------------*- C++ -*-===//
//
// Writes a JSON document to a file descriptor from a fixed buffer. It calls only what a signal
// handler may call, so the same writer serves every way in which a process ends.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace ergon::runtime {

class Output {
public:
  /// Writes to the open descriptor \p File, which stays the caller's.
  explicit Output(int File) : File(File) {}

  // Begin and end an object or an array; \p Key where it is a member.
  void open(char Bracket, std::string_view Key = {});
  void close(char Bracket);
  /// A value; \p Key is the member's key, empty for an element of an array. Text is escaped.
  void text(std::string_view Value, std::string_view Key = {});
  void number(std::int64_t Value, std::string_view Key = {});
  /// \p Value billionths: `1.000000001`.
  void billionths(std::int64_t Value, std::string_view Key = {});
  /// Writes what is left. 0, or the first errno that a write gave.
  int finish();

private:
  int File, Error = 0;
  std::uint32_t Used = 0;
  bool IsFirst = true; ///< of its object or array
  char Buffer[4096];

  void put(char Character);
  void put(std::string_view Text);
  void quoted(std::string_view Text);
  void begin(std::string_view Key);
  void flush();
};

} // namespace ergon::runtime
