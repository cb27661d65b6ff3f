//===- GrowingFile.cpp - a text that grows --------------------------------===//

#include "runtime/meters/GrowingFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ergon::runtime {

bool GrowingFile::fill() {
  // Opening a pipe would wait for its writer, and it cannot be read again.
  const int File = open(Path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (File < 0) {
    fail(errno);
    return false;
  }
  struct stat Status{};
  if (fstat(File, &Status) != 0 || !S_ISREG(Status.st_mode)) {
    close(File);
    What = "its file is a pipe, a folder or a device";
    return false;
  }
  const ssize_t Read = pread(File, Buffer, sizeof Buffer, Offset);
  if (Read < 0)
    fail(errno);
  close(File);
  BufferAt = Offset;
  BufferSize = Read < 0 ? 0 : Read;
  return !What;
}

std::optional<std::string_view> GrowingFile::peek() {
  for (bool IsFresh = false;; IsFresh = true) {
    if (Offset < BufferAt + BufferSize) {
      const std::string_view Rest(Buffer + (Offset - BufferAt),
                                  std::size_t(BufferAt + BufferSize - Offset));
      if (Length = Rest.find('\n'); Length != std::string_view::npos)
        return Rest.substr(0, Length);
      if (Rest.size() == sizeof Buffer)
        fail(EMSGSIZE);
    }
    if (IsFresh || What || !fill())
      return std::nullopt;
  }
}

std::optional<std::int64_t> readDecimal(std::string_view Text, int Digits) {
  std::int64_t Result = 0;
  bool IsFraction = false, HasDigit = false;
  while (!Text.empty() && (Text.front() == ' ' || Text.front() == '\t'))
    Text.remove_prefix(1);
  while (!Text.empty() && (Text.back() == ' ' || Text.back() == '\t' || Text.back() == '\r'))
    Text.remove_suffix(1);
  for (char Character : Text) {
    if (Character == '.' && !IsFraction) {
      IsFraction = true;
      continue;
    }
    if (Character < '0' || Character > '9')
      return std::nullopt;
    HasDigit = true;
    if (IsFraction && Digits == 0)
      continue;
    Digits -= IsFraction;
    if (__builtin_mul_overflow(Result, 10, &Result) ||
        __builtin_add_overflow(Result, Character - '0', &Result))
      return std::nullopt;
  }
  for (; Digits > 0; --Digits)
    if (__builtin_mul_overflow(Result, 10, &Result))
      return std::nullopt;
  return HasDigit ? std::optional(Result) : std::nullopt;
}

} // namespace ergon::runtime
