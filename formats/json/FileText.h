//===- FileText.h - the whole of a file -------------------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace ergon {

/// The text of a file. Copies share it, and it stays where it is.
class FileText {
public:
  FileText() = default;
  FileText(std::string Text) {
    auto Own = std::make_shared<const std::string>(std::move(Text));
    Whole = *Own;
    Held = std::move(Own);
  }
  /// Maps the file where the system can, so that what nobody looks at is not copied; else reads it.
  /// Whoever writes such files must replace them and not change them. Error: it is no
  /// regular file, or as readTextFile().
  static std::expected<FileText, Error> open(const std::string &Path);

  std::string_view view() const { return Whole; }

private:
  std::shared_ptr<const void> Held;
  std::string_view Whole;
};

} // namespace ergon
