//===- Slots.cpp - what an object of interpreted code holds ---------------===//

#include "model/code/Slots.h"

#include <algorithm>

namespace ergon::code {

Slots::Page &Slots::change(std::shared_ptr<Page> &Shared) {
  if (!Shared)
    Shared = std::make_shared<Page>();
  else if (Shared.use_count() > 1)
    Shared = std::make_shared<Page>(*Shared);
  return *Shared;
}

/// The first element at or behind \p Key, in a vector of pairs.
template <typename Pairs> static auto lowerBound(Pairs &In, std::int64_t Key) {
  if (In.empty() || In.back().first < Key) // arrays are filled from their beginnings
    return In.end();
  return std::ranges::lower_bound(In, Key, {}, [](const auto &Each) { return Each.first; });
}

template <typename Pairs> static auto found(Pairs &In, std::int64_t Key) {
  const auto At = lowerBound(In, Key);
  return At != In.end() && At->first == Key ? At : In.end();
}

const Slots::Slot *Slots::find(std::int64_t Offset) const {
  const auto In = found(Pages, Offset >> BitsOfPage);
  if (In == Pages.end())
    return nullptr;
  const Page &Own = *In->second;
  const auto At = found(Own, Offset);
  return At == Own.end() ? nullptr : &At->second;
}

std::optional<Slots::Entry> Slots::lastUpTo(std::int64_t Offset) const {
  for (auto In = lowerBound(Pages, (Offset >> BitsOfPage) + 1); In != Pages.begin();) {
    --In;
    const Page &Own = *In->second;
    if (auto Next = lowerBound(Own, Offset + 1); Next != Own.begin())
      return *std::prev(Next);
  }
  return std::nullopt;
}

std::optional<Slots::Entry> Slots::firstFrom(std::int64_t Offset) const {
  for (auto In = lowerBound(Pages, Offset >> BitsOfPage); In != Pages.end(); ++In) {
    const Page &Own = *In->second;
    if (auto At = lowerBound(Own, Offset); At != Own.end())
      return *At;
  }
  return std::nullopt;
}

void Slots::set(std::int64_t Offset, const Slot &What) {
  MayHavePointers |= What.What.isPointer() || What.What.isFunction();
  const std::int64_t Number = Offset >> BitsOfPage;
  auto In = lowerBound(Pages, Number);
  if (In == Pages.end() || In->first != Number)
    In = Pages.insert(In, {Number, nullptr});
  Page &Own = change(In->second);
  const auto At = lowerBound(Own, Offset);
  if (At != Own.end() && At->first == Offset)
    At->second = What;
  else
    Own.insert(At, {Offset, What});
}

void Slots::erase(std::int64_t Offset) {
  const auto In = found(Pages, Offset >> BitsOfPage);
  if (In == Pages.end())
    return;
  if (const Page &Shared = *In->second; found(Shared, Offset) == Shared.end())
    return;
  Page &Own = change(In->second);
  Own.erase(found(Own, Offset));
  if (Own.empty())
    Pages.erase(In);
}

void Slots::forEach(const std::function<void(std::int64_t, const Slot &)> &Use) const {
  forEachNotSharedWith({}, Use);
}

void Slots::forEachNotSharedWith(const Slots &Other,
                                 const std::function<void(std::int64_t, const Slot &)> &Use) const {
  auto Theirs = Other.Pages.begin();
  for (const auto &[Number, Own] : Pages) {
    while (Theirs != Other.Pages.end() && Theirs->first < Number)
      ++Theirs;
    if (Theirs != Other.Pages.end() && Theirs->second == Own) // of the same number
      continue;
    for (const auto &[Offset, What] : *Own)
      Use(Offset, What);
  }
}

} // namespace ergon::code
