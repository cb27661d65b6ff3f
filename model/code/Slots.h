//===- Slots.h - what an object of interpreted code holds -------*- C++ -*-===//
#pragma once

#include "model/code/Value.h"

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ergon::code {

/// Values by offset, without overlaps. Copies share pages until one of them writes, so that a copy
/// of a large array costs what it has pages, and pages that are the same need no comparison.
class Slots {
public:
  struct Slot {
    unsigned Bytes;
    Value What;
    bool operator==(const Slot &) const = default;
  };
  using Entry = std::pair<std::int64_t, Slot>;

  /// Whether no slot is set, and the way back to that.
  bool isEmpty() const { return Pages.empty(); }
  void clear() {
    Pages.clear();
    MayHavePointers = false;
  }
  /// False where no slot has held a pointer, or one to a function, since all were cleared.
  bool mayHavePointers() const { return MayHavePointers; }
  /// The slot that begins at \p Offset.
  const Slot *find(std::int64_t Offset) const;
  /// The last slot that begins at or before \p Offset.
  std::optional<Entry> lastUpTo(std::int64_t Offset) const;
  /// The first slot that begins at or behind \p Offset.
  std::optional<Entry> firstFrom(std::int64_t Offset) const;
  void set(std::int64_t Offset, const Slot &What);
  void erase(std::int64_t Offset);
  /// Applies \p Use to each slot, by offset.
  void forEach(const std::function<void(std::int64_t, const Slot &)> &Use) const;
  /// The same for slots that are not, as they are, in a page that \p Other shares.
  void forEachNotSharedWith(const Slots &Other,
                            const std::function<void(std::int64_t, const Slot &)> &Use) const;

private:
  static constexpr int BitsOfPage = 9; ///< a page has the slots that begin in 512 bytes
  using Page = std::vector<Entry>;     ///< by offset
  using Numbered = std::pair<std::int64_t, std::shared_ptr<Page>>;
  std::vector<Numbered> Pages; ///< by offset / 512; none is empty
  bool MayHavePointers = false;

  Page &change(std::shared_ptr<Page> &Shared);
};

} // namespace ergon::code
