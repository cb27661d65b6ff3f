//===- Suggest.h - names nearest to a mistyped one --------------*- C++ -*-===//
//
// Suggestions for unknown names in errors.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ergon {

/// The candidate with the fewest insertions, deletions, substitutions and swaps
/// of neighbours away from \p Wanted, without regard to case; the first of equals.
/// Nothing where that is more than a third of its letters (but one always may be).
std::optional<std::string> nearestName(std::string_view Wanted,
                                       std::span<const std::string> Candidates);

/// `did you mean "gtx580"? there are: fermi, gtx580`: for Error::Fix. Without
/// the question where no candidate is near; a long list ends in `and 12 more`.
std::string suggestName(std::string_view Wanted, std::span<const std::string> Candidates);

} // namespace ergon
