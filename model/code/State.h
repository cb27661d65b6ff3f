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
    std::uint64_t Latest = 0;          ///< of the numerator, since the denominator was last counted
    std::optional<std::uint64_t> Each; ///< what Latest was each time before
    bool IsSame = true;                ///< it was the same
    bool IsKnown = true;
    bool operator==(const Share &) const = default;
    void count(std::uint64_t Of, std::uint64_t In);
    /// The share, where it was the same each time: nothing is known of a mean's parts. That of a
    /// branch (\p IsPart) is none or all.
    std::optional<std::int64_t> sameEachTime(bool IsPart) const;
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
  Value Tokens{};                ///< where strtok goes on

  void note(std::pair<std::uint32_t, std::uint32_t> Where, const Value &What);
  void callThrough(std::pair<std::uint32_t, std::uint32_t> Where, const Value &Callee);
  void launch(const std::string &Kernel, const LaunchValues &Values);
  /// Makes what differs from \p Other unknown; returns whether anything changed.
  bool merge(const State &Other);
};

} // namespace ergon::code
