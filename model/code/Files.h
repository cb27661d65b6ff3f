//===- Files.h - files that interpreted code reads --------------*- C++ -*-===//
#pragma once

#include "model/code/Memory.h"
#include "model/code/ProgramValues.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ergon::code {

/// The files that a program may read. What each holds is an object, so that a place in a file is a
/// pointer. All others are unknown, as is whether they exist.
class Files {
public:
  /// Adds the objects of \p Known, which must outlive this.
  void add(const FileTexts &Known, Memory &Objects);
  /// The first byte of the file that \p Name leads to; unknown where it may not be read.
  Value open(const Value &Name, const Memory &Objects);
  /// All of the file that \p At leads into; nothing where it leads into none.
  std::optional<std::string_view> textOf(const Value &At) const;
  /// What is left of it from \p At on.
  std::optional<std::string_view> rest(const Value &At) const;
  /// The file of \p Name, any where it is not known, is written to: what files of its last part
  /// hold, in any folder, is no longer known.
  void change(const Value &Name, const Memory &Objects);
  /// From here on names may lead to other files, and files may hold something else.
  void changeAll() { Objects.clear(); }
  /// The names of those that were opened.
  const std::set<std::string> &opened() const { return Opened; }

private:
  std::map<std::string, std::uint32_t, std::less<>> Objects;
  std::map<std::uint32_t, std::string_view> Texts; ///< by object
  std::set<std::string> Opened;
};

} // namespace ergon::code
