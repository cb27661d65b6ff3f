//===- FileText.cpp - the whole of a file ---------------------------------===//

#include "formats/json/FileText.h"

#include <cstddef>
#include <filesystem>
#include <tuple>

#ifdef __unix__
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace ergon {

/// The bytes of a regular file that is not empty, in memory; nothing where that cannot be.
static std::pair<std::shared_ptr<const void>, std::size_t> mapped(const std::string &Path) {
#ifdef __unix__
  const int Descriptor = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Descriptor < 0)
    return {};
  struct stat Found{};
  void *Data = MAP_FAILED;
  if (!fstat(Descriptor, &Found) && S_ISREG(Found.st_mode) && Found.st_size > 0)
    Data = mmap(nullptr, std::size_t(Found.st_size), PROT_READ, MAP_PRIVATE, Descriptor, 0);
  close(Descriptor);
  if (Data == MAP_FAILED)
    return {};
  const auto Size = std::size_t(Found.st_size);
  return {std::shared_ptr<const void>(
              Data, [Size](const void *Mapped) { munmap(const_cast<void *>(Mapped), Size); }),
          Size};
#else
  (void)Path;
  return {};
#endif
}

std::expected<FileText, Error> FileText::open(const std::string &Path) {
  FileText Result;
  std::size_t Size = 0;
  std::tie(Result.Held, Size) = mapped(Path);
  if (Result.Held) {
    Result.Whole = {static_cast<const char *>(Result.Held.get()), Size};
    return Result;
  }
  std::error_code Failed;
  if (std::filesystem::is_other(Path, Failed)) // of a pipe, one would wait for a text
    return std::unexpected(Error{"not a regular file", "", "give a regular file", Path});
  auto Text = readTextFile(Path); // which says what is wrong
  return Text ? std::expected<FileText, Error>(std::move(*Text)) : std::unexpected(Text.error());
}

} // namespace ergon
