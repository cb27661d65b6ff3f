//===- RecordName.cpp - cost records: names of files ----------------------===//

#include "formats/record/DraftFile.h"
#include "formats/record/RecordFormat.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>

namespace ergon {

/// FNV-1a, 64 bits: of few files, and the same everywhere.
static std::uint64_t hashOf(std::string_view Text) {
  std::uint64_t Result = 0xcbf29ce484222325;
  for (unsigned char C : Text)
    Result = (Result ^ C) * 0x100000001b3;
  return Result;
}

/// A file's name has at most 255 bytes, on encrypted file systems 143 (eCryptfs); the hash tells
/// apart what is the same up to here.
static constexpr std::size_t LongestStem = 143 - 1 - 16 - RecordSuffix.size() - DraftSuffixLength;

std::string recordFileName(const Unit &U) {
  const std::filesystem::path From = U.Directory;
  const auto Absolute = [&](const std::string &Name) {
    return Name.empty() ? Name : (From / Name).lexically_normal().native();
  };
  std::string Key = Absolute(U.Source);
  for (const std::string &Part : {U.Target, Absolute(U.Object)})
    (Key += '\0') += Part;
  std::string Stem = std::filesystem::path(U.Source).filename();
  for (char &C : Stem) // `<stdin>`, `-`
    if (!std::isalnum(static_cast<unsigned char>(C)) && C != '.' && C != '_' && C != '-')
      C = '_';
  Stem.resize(std::min(Stem.size(), LongestStem));
  char Hash[17];
  std::snprintf(Hash, sizeof Hash, "%016llx", static_cast<unsigned long long>(hashOf(Key)));
  return Stem + "-" + Hash + std::string(RecordSuffix);
}

} // namespace ergon
