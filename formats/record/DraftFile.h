//===- DraftFile.h - files that are whole or not there ----------*- C++ -*-===//
//
// A record is first written as a draft: a file with a random name in the same folder, which is then
// renamed. The writer of a draft holds a lock on it (flock), so a draft without a lock was left by
// a process that was killed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ergon {

/// The longest that a draft adds to the name of its file.
inline constexpr std::size_t DraftSuffixLength = 1 + 16 + 4;

/// Writes all of \p Text to \p Path, in the place of what is there. 0, or an errno value; then the
/// file is as it was.
int writeWholeFile(const std::string &Path, std::string_view Text);

/// Removes abandoned drafts of cost records and run records.
void removeLeftDrafts(const std::filesystem::path &Folder);

} // namespace ergon
