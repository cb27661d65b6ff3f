//===- TextFile.cpp - reads and writes a file -----------------------------===//

#include "formats/json/TextFile.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace ergon {

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

std::expected<void, Error> writeTextFile(const std::string &Path, const std::string &Text) {
  const std::string Temporary = Path + ".tmp";
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> File(std::fopen(Temporary.c_str(), "wb"),
                                                        &std::fclose);
  const bool Written = File && std::fwrite(Text.data(), 1, Text.size(), File.get()) == Text.size();
  std::error_code Bad(errno, std::generic_category());
  if (Written && std::fclose(File.release()) == 0) {
    std::filesystem::rename(Temporary, Path, Bad);
    if (!Bad)
      return {};
  }
  std::error_code Ignored;
  std::filesystem::remove(Temporary, Ignored);
  return std::unexpected(
      Error{"cannot be written: " + Bad.message(), "", "give a path in a folder you own", Path});
}

} // namespace ergon
