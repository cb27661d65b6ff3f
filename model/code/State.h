//===- State.h - what interpreted code has reached --------------*- C++ -*-===//
#pragma once

#include "model/code/Memory.h"
#include "model/code/ProgramValues.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace ergon::code {

/// A launch on its way from `<<<…>>>` to the runtime: grid, block and shared memory, as the calls
/// that clang generates pass them.
using LaunchConfiguration = std::array<Value, 5>;

/// All that the ways through a program can leave different.
struct State {
  Memory Objects;
  /// By function and symbol: the value on each visit so far, unknown where it differed.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Value> Notes;
  struct Share {
    std::uint64_t Numerator = 0, Denominator = 0;
    bool IsKnown = true;
    bool operator==(const Share &) const = default;
    /// The share, where it was the same each time: nothing is known of a mean's parts unless it is
    /// of one time, is none, or is of a branch (\p IsPart) that always goes that way.
    std::optional<std::int64_t> sameEachTime(bool IsPart) const {
      if (!IsKnown || Denominator == 0)
        return std::nullopt;
      const bool IsSame =
          Numerator == 0 || Denominator == 1 || (IsPart && Numerator == Denominator);
      return IsSame ? std::optional(std::int64_t(Numerator / Denominator)) : std::nullopt;
    }
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Share> Shares;
  /// How often a call through a pointer was of a function: by caller, symbol and callee, which is
  /// nothing where it is unknown. Numerator alone.
  std::map<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::optional<std::uint32_t>>, Share>
      Called;
  struct First {
    bool IsSure = true; ///< false: launched on some of the ways only
    LaunchValues Values;
    bool operator==(const First &) const = default;
  };
  std::map<std::string, First> Launches;
  LaunchConfiguration Configuration{};
  std::uint64_t LettersRead = 0; ///< of getopt's current word

  void note(std::pair<std::uint32_t, std::uint32_t> Where, const Value &What);
  void callThrough(std::pair<std::uint32_t, std::uint32_t> Where, const Value &Callee);
  void launch(const std::string &Kernel, const LaunchValues &Values);
  /// Makes what differs from \p Other unknown; returns whether anything changed.
  bool merge(const State &Other);
};

} // namespace ergon::code
