//===- State.h - what interpreted code has reached --------------*- C++ -*-===//
#pragma once

#include "model/code/Memory.h"
#include "model/code/ProgramValues.h"

#include <boost/container/flat_map.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ergon::code {

/// A launch on its way from `<<<…>>>` to the runtime: grid, block and shared memory, as the calls
/// that clang generates pass them.
using LaunchConfiguration = std::array<Value, 5>;

/// Values by function and symbol. Copies share pages until one of them writes, so that what two
/// ways have in common is neither copied nor compared.
template <typename T> class ByFunction {
public:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  using Page = boost::container::flat_map<Key, T>; // small, and copied often

  /// The page of \p Function, to be changed.
  Page &changePageOf(std::uint32_t Function) { return change(Function / FunctionsOfPage); }
  /// Applies \p Use to each key and value, in order.
  template <typename Function> void forEach(Function &&Use) const {
    for (const auto &Shared : Pages)
      if (Shared)
        for (const auto &[Where, What] : *Shared)
          Use(Where, What);
  }
  /// Calls \p MergePage with each page that differs and that of \p Other; returns whether one of
  /// these calls does.
  template <typename Merge> bool merge(const ByFunction &Other, Merge &&MergePage) {
    static const Page Empty;
    bool Changed = false;
    Pages.resize(std::max(Pages.size(), Other.Pages.size()));
    for (std::size_t Number = 0; Number != Pages.size(); ++Number) {
      const Page *Theirs = Number < Other.Pages.size() ? Other.Pages[Number].get() : nullptr;
      if (Pages[Number].get() != Theirs)
        Changed |= MergePage(change(Number), Theirs ? *Theirs : Empty);
    }
    return Changed;
  }

private:
  static constexpr std::uint32_t FunctionsOfPage = 16; ///< by their numbers, which symbols have too
  std::vector<std::shared_ptr<Page>> Pages;

  Page &change(std::size_t Number) {
    if (Number >= Pages.size())
      Pages.resize(Number + 1);
    std::shared_ptr<Page> &Shared = Pages[Number];
    if (!Shared)
      Shared = std::make_shared<Page>();
    else if (Shared.use_count() > 1)
      Shared = std::make_shared<Page>(*Shared);
    return *Shared;
  }
};

/// Numbers that a function is called with, by their symbols.
using Inputs = std::vector<std::pair<std::uint32_t, std::int64_t>>;

/// What is known of the code that has run.
struct Observations {
  struct Noted {
    Value What;                ///< on each visit so far, unknown where it differed
    ProgramValues::Mean All{}; ///< over all visits, where each had a number
    bool IsSum = true;
    /// Numbers that the function was called with, and by how much this was more each time.
    Inputs Above{};
    bool operator==(const Noted &) const = default;
    /// Of one more visit.
    void add(const Value &Visit);
  };
  /// By function and symbol.
  ByFunction<Noted> Notes;
  struct Share {
    std::uint64_t Numerator = 0, Denominator = 0;
    std::uint64_t Latest = 0;          ///< of the numerator, since the denominator was last counted
    std::optional<std::uint64_t> Each; ///< what Latest was each time before
    bool IsSame = true;                ///< it was the same
    bool IsKnown = true;
    std::pair<std::int64_t, std::int64_t> Before{}; ///< the range of what Latest was before
    bool operator==(const Share &) const = default;
    /// Adds to the numerator and the denominator. Where both are added, what is in the numerator
    /// belongs to the new count.
    void count(std::uint64_t Of, std::uint64_t In);
    /// The share, where it was the same each time: nothing is known of a mean's parts. That of a
    /// branch (\p IsPart) is none or all.
    std::optional<std::int64_t> sameEachTime(bool IsPart) const;
    /// The range of what the numerator was each time that the denominator was counted.
    std::pair<std::int64_t, std::int64_t> range() const;
  };
  ByFunction<Share> Shares;
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
};

/// All that the ways through a program can leave different.
struct State : Observations {
  Memory Objects;
  LaunchConfiguration Configuration{};
  std::uint64_t LettersRead = 0; ///< of getopt's current word
  Value Tokens{};                ///< where strtok goes on
  std::optional<Value> Threads;  ///< how many omp_set_num_threads was given, the same each time

  /// What code that is passed says of itself: a symbol's value, a call through a pointer, a launch.
  /// \p With: what its function was called with, where that may explain it.
  void note(std::pair<std::uint32_t, std::uint32_t> Where, const Value &What,
            const Inputs &With = {});
  void callThrough(std::pair<std::uint32_t, std::uint32_t> Where, const Value &Callee);
  void launch(const std::string &Kernel, const LaunchValues &Values);
  /// Makes what differs from \p Other unknown; returns whether anything changed, of objects in the
  /// first \p NumOld (Memory::merge).
  bool merge(const State &Other, std::size_t NumOld = ~std::size_t(0));
};

} // namespace ergon::code
