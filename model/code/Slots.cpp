//===- Slots.cpp - what an object of interpreted code holds ---------------===//

#include "model/code/Slots.h"

namespace ergon::code {

Slots::Page &Slots::change(std::shared_ptr<Page> &Shared) {
  if (!Shared)
    Shared = std::make_shared<Page>();
  else if (Shared.use_count() > 1)
    Shared = std::make_shared<Page>(*Shared);
  return *Shared;
}

const Slots::Slot *Slots::find(std::int64_t Offset) const {
  const auto In = Pages.find(Offset >> BitsOfPage);
  if (In == Pages.end())
    return nullptr;
  const auto Found = In->second->find(Offset);
  return Found == In->second->end() ? nullptr : &Found->second;
}

std::optional<Slots::Entry> Slots::lastUpTo(std::int64_t Offset) const {
  for (auto In = Pages.upper_bound(Offset >> BitsOfPage); In != Pages.begin();) {
    --In;
    if (auto Next = In->second->upper_bound(Offset); Next != In->second->begin())
      return *std::prev(Next);
  }
  return std::nullopt;
}

std::optional<Slots::Entry> Slots::firstFrom(std::int64_t Offset) const {
  for (auto In = Pages.lower_bound(Offset >> BitsOfPage); In != Pages.end(); ++In)
    if (auto Found = In->second->lower_bound(Offset); Found != In->second->end())
      return *Found;
  return std::nullopt;
}

void Slots::set(std::int64_t Offset, const Slot &What) {
  change(Pages[Offset >> BitsOfPage]).insert_or_assign(Offset, What);
}

void Slots::erase(std::int64_t Offset) {
  const auto In = Pages.find(Offset >> BitsOfPage);
  if (In == Pages.end() || !In->second->contains(Offset))
    return;
  Page &Own = change(In->second);
  Own.erase(Offset);
  if (Own.empty())
    Pages.erase(In);
}

void Slots::forEach(const std::function<void(std::int64_t, const Slot &)> &Use) const {
  forEachNotSharedWith({}, Use);
}

void Slots::forEachNotSharedWith(const Slots &Other,
                                 const std::function<void(std::int64_t, const Slot &)> &Use) const {
  for (const auto &[Number, Own] : Pages) {
    const auto Theirs = Other.Pages.find(Number);
    if (Theirs != Other.Pages.end() && Theirs->second == Own)
      continue;
    for (const auto &[Offset, What] : *Own)
      Use(Offset, What);
  }
}

} // namespace ergon::code
