//===- GrowingFile.h - a text that grows ------------------------*- C++ -*-===//
//
// Reads the lines of a file that another program may still be writing. It allocates no memory, so a
// signal handler may call it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ergon::runtime {

class GrowingFile {
public:
  /// Opens nothing yet: the file may come later.
  explicit GrowingFile(std::string Path) : Path(std::move(Path)) {}

  /// The next line, without passing over it. Empty where it is not there yet, or cannot be read:
  /// then what() says why.
  std::optional<std::string_view> peek();
  /// Passes over the line that peek() showed.
  void advance() {
    Offset += Length + 1;
    ++Line;
  }
  /// What is wrong with the file, for Meter::end(); null: nothing.
  const char *what() const { return What; }
  int error() const { return Error; }        ///< its errno value; 0: what() says it all
  std::int64_t line() const { return Line; } ///< the number of the next one, from 1

private:
  std::string Path;
  std::int64_t Offset = 0, Line = 1, BufferAt = 0, BufferSize = 0;
  std::size_t Length = 0;
  const char *What = nullptr;
  int Error = 0;
  char Buffer[1024];

  void fail(int Errno) {
    What = "its file";
    Error = Errno;
  }
  bool fill();
};

/// A decimal number times 10^\p Digits; further digits are cut. Empty where it is none.
std::optional<std::int64_t> readDecimal(std::string_view Text, int Digits);

} // namespace ergon::runtime
