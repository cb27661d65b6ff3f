//===- Output.cpp - JSON without memory of its own ------------------------===//

#include "runtime/lib/Output.h"
#include "formats/json/FileName.h"

#include <cerrno>
#include <charconv>
#include <unistd.h>

namespace ergon::runtime {

void Output::flush() {
  for (std::uint32_t Done = 0; Done != Used && !Error;) {
    ssize_t Written = write(File, Buffer + Done, Used - Done);
    if (Written >= 0)
      Done += std::uint32_t(Written);
    else if (errno != EINTR)
      Error = errno;
  }
  Used = 0;
}

void Output::put(char Character) {
  if (Used == sizeof Buffer)
    flush();
  Buffer[Used++] = Character;
}

void Output::put(std::string_view Text) {
  for (char Character : Text)
    put(Character);
}

void Output::quoted(std::string_view Text) {
  put('"');
  while (!Text.empty()) {
    const std::size_t Length = utf8Length(Text);
    const auto Code = static_cast<unsigned char>(Text[0]);
    if (Length == 0 || Code < 0x20) { // a byte that is not UTF-8 as validText() has it
      static constexpr char Digits[] = "0123456789abcdef";
      put(Length == 0 ? "\\\\x" : "\\u00");
      put(Digits[Code >> 4]);
      put(Digits[Code & 15]);
    } else {
      if (Code == '"' || Code == '\\')
        put('\\');
      put(Text.substr(0, Length));
    }
    Text.remove_prefix(Length == 0 ? 1 : Length);
  }
  put('"');
}

void Output::begin(std::string_view Key) {
  if (!IsFirst)
    put(',');
  IsFirst = false;
  if (Key.empty())
    return;
  put('\n');
  quoted(Key);
  put(':');
}

void Output::open(char Bracket, std::string_view Key) {
  begin(Key);
  put(Bracket);
  IsFirst = true;
}

void Output::close(char Bracket) {
  put(Bracket);
  IsFirst = false;
}

void Output::text(std::string_view Value, std::string_view Key) {
  begin(Key);
  quoted(Value);
}

void Output::number(std::int64_t Value, std::string_view Key) {
  begin(Key);
  char Digits[24];
  put(std::string_view(Digits, std::to_chars(Digits, Digits + sizeof Digits, Value).ptr));
}

void Output::billionths(std::int64_t Value, std::string_view Key) {
  begin(Key);
  const std::uint64_t Size = Value < 0 ? -std::uint64_t(Value) : std::uint64_t(Value);
  static constexpr std::uint64_t Billion = 1'000'000'000;
  if (Value < 0)
    put('-');
  char Digits[24];
  put(std::string_view(Digits, std::to_chars(Digits, Digits + sizeof Digits, Size / Billion).ptr));
  // A leading 1 keeps the zeros.
  char *End = std::to_chars(Digits, Digits + sizeof Digits, Billion + Size % Billion).ptr;
  Digits[0] = '.';
  put(std::string_view(Digits, End));
}

int Output::finish() {
  put('\n');
  flush();
  return Error;
}

} // namespace ergon::runtime
