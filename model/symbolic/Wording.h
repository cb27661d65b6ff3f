//===- Wording.h - numbers and names in messages ----------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// \p Value with four significant digits.
std::string shortNumber(double Value);

/// Joins texts: `a, b, c`. Tools that link fmt use fmt::join.
template <typename Range = std::vector<std::string>>
std::string joined(Range &&Texts, std::string_view Gap = ", ") {
  std::string Result;
  bool IsFirst = true;
  for (const auto &Text : Texts) {
    if (!IsFirst)
      Result += Gap;
    Result += Text;
    IsFirst = false;
  }
  return Result;
}

/// Adds those of \p Names that \p All lacks.
void unite(std::vector<std::string> &All, const std::vector<std::string> &Names);

/// `a`, `a and b`, `a, b and c`; of more than six, the first five and the number of others.
std::string listed(const std::vector<std::string> &Names);

/// `line 3`, `lines 3, 4 and 7`.
std::string inLines(const std::vector<std::size_t> &Lines);

} // namespace ergon
