//===- CarriedReuse.cpp - reuse between the items of a loop ---------------===//

#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>
#include <bit>

namespace ergon {

static bool isSame(const std::shared_ptr<const LineSet> &Left,
                   const std::shared_ptr<const LineSet> &Right) {
  return Left == Right || *Left == *Right;
}

/// The reuse carried by the loop for what iteration \p Number touches. It is one long function, as
/// each step takes the lines that it explains from the same sets: the rest, the lines in between,
/// the misses.
void TrafficAnalysis::follow(const LoopForm &Form, const Iteration &Around, std::int64_t Number,
                             const TouchedItems &Now, LevelMask ActiveLevels, Tally &Result) const {
  const unsigned First = Form.Items.front().FirstAccess, End = Form.Items.back().EndAccess;
  std::vector<std::optional<Touched>> Before(Form.Items.size());
  Iteration I = Around, Remote = Around;
  if (&Form != &Program.body()) {
    I.push_back(Number);
    Remote.push_back(Number - 1);
  }
  // The lines that the items before touch, and in long loops those of the iterations before, which
  // else are asked for where they are needed.
  const bool IsLong = IsThrifty && Form.Items.size() > ManyItems;
  const bool KnowsSooner = Number == 0 || IsLong;
  LineSet Sooner, SoonerStores;
  if (Number > 0 && IsLong) {
    Touched Past = touchedLines(First, End, {Around, Iterations{0, Number - 1}});
    Sooner = std::move(Past.Lines);
    SoonerStores = std::move(Past.Stores);
  }
  std::map<unsigned, std::vector<FollowedItem>> Followed; // by LikeItems::numberOf
  for (std::size_t B = 0; B != Form.Items.size(); ++B) {
    if (B != 0) {
      Sooner |= Now[B - 1]->Lines;
      SoonerStores |= Now[B - 1]->Stores;
    }
    if (Now[B]->Lines.empty())
      continue;
    const LoopForm::Item &Item = Form.Items[B];
    const Run Later = runOf(Item, I, *Now[B]);
    LineSet Rest = Now[B]->Lines, RestStores = Now[B]->Stores, Window;
    if (KnowsSooner) { // what is touched for the first time is not searched for
      Rest &= Sooner;
      RestStores &= SoonerStores;
    }
    const bool IsAll = KnowsSooner && Rest == Now[B]->Lines && RestStores == Now[B]->Stores;
    // The items before, the latest first; those of the iteration before follow.
    const std::size_t Most = B + (Number > 0 ? Form.Items.size() : 0);
    auto itemBefore = [&](std::size_t Back) {
      return (B + Form.Items.size() - 1 - Back) % Form.Items.size();
    };
    auto isFew = [&](std::size_t Back, std::int64_t &Left) {
      const LineSet &Lines = Now[itemBefore(Back)]->Lines;
      if (!IsLong || Back >= B || Lines.count() > std::min(FewLines, Left) ||
          !(Lines & Now[B]->Lines).empty())
        return false;
      Left -= Lines.count();
      return true;
    };
    const std::int64_t Few = std::int64_t(Caches.front().lines()) / ShareOfFew;
    std::vector<FollowedItem> &Alikes = Followed[Alike.numberOf(Item)];
    auto Same = std::ranges::find_if(Alikes, [&](const FollowedItem &F) {
      std::int64_t Left = Few;
      std::size_t Back = 0;
      for (auto Next = F.Before.begin(); IsAll && Next != F.Before.end(); ++Back) {
        if (Back == Most)
          return false;
        if (isFew(Back, Left))
          continue;
        if (*Next++ != std::pair(Alike.numberOf(Form.Items[itemBefore(Back)]), Back < B))
          return false;
      }
      return IsAll;
    });
    FollowedItem Own{{}, {}, {}, std::vector<LineDoubt>(Caches.size())};
    std::vector<LineSet> Missed(Caches.size()), Dirtied(Caches.size());
    LevelMask Open = ActiveLevels;
    // Earlier runs are compared, the latest first.
    auto CompareWith = [&](const Run &Last) {
      LineSet Found = Rest & Last.Accessed->Lines, FoundStores = RestStores & Last.Accessed->Stores;
      Rest -= Found;
      RestStores -= FoundStores;
      LineSet Wider = Window;
      Wider |= Last.Accessed->Lines;
      LineSet LS = Found;
      LS |= FoundStores;
      const std::int64_t Count = Wider.count();
      for (std::size_t L = 0; L != Caches.size(); ++L) {
        if (!(ActiveLevels >> L & 1))
          continue;
        Reuse R{Last, Later, L, /*InParts=*/!IsLong};
        if (Open >> L & 1)
          findEvicted(R, 1, 1, LS, Window);
        Own.Doubt[L].Fewer += R.Doubt.Fewer;
        Own.Doubt[L].More += R.Doubt.More;
        const LineSet &Gone = Open >> L & 1 ? R.Missed : LS;
        if (!Gone.empty()) {
          Missed[L] |= Gone & Found;
          Dirtied[L] |= Gone & FoundStores;
        }
        if (Open >> L & 1 && Count > std::int64_t(Caches[L].lines()) &&
            CrowdedSets(Wider, Caches[L].sets(), Caches[L].Ways).all())
          Open &= ~(1u << L);
      }
      Window = std::move(Wider);
    };
    auto Goes = [&] { return Open != 0 && (!Rest.empty() || !RestStores.empty()); };
    const bool IsNew = Same == Alikes.end();
    std::int64_t Left = Few;
    for (std::size_t Back = 0; IsNew && Goes() && Back != Most; ++Back) {
      const std::size_t E = itemBefore(Back);
      if (isFew(Back, Left))
        continue;
      Own.Before.emplace_back(Alike.numberOf(Form.Items[E]), Back < B);
      if (Back < B) {
        CompareWith(runOf(Form.Items[E], I, *Now[E]));
        continue;
      }
      if (!Before[E])
        Before[E] = touchedLines(Form.Items[E].FirstAccess, Form.Items[E].EndAccess, {Remote});
      CompareWith(runOf(Form.Items[E], Remote, *Before[E]));
    }
    const bool IsEnded = IsNew && IsAll && !Goes();
    // The enclosing loop carries the reuse of lines that this loop did not access before. The
    // others were accessed too long ago to be resident.
    LineSet Fresh = KnowsSooner ? Now[B]->Lines : Rest;
    if (KnowsSooner) {
      Fresh -= Sooner;
    } else if (!Rest.empty() || !RestStores.empty()) {
      LineSet Set = Rest;
      Set |= RestStores;
      Touched Earlier = touchedLines(First, End, {Around, Iterations{0, Number - 1}, Set.hull()});
      Earlier.Lines |= Sooner;
      Earlier.Stores |= SoonerStores;
      Fresh -= Earlier.Lines;
      Rest -= Fresh;
      RestStores &= Earlier.Stores;
    }
    for (std::int64_t Deadline = Number - 1; IsNew && Goes() && Deadline > 0;) {
      std::int64_t From = std::max<std::int64_t>(0, Deadline - 1 - (Number - Deadline) / 4);
      const Iterations Span{From, Deadline - 1};
      Touched Some = touchedLines(First, End, {Around, Span});
      CompareWith({First, End, &Around, Span, &Some});
      Deadline = From;
    }
    auto shared = [&](const LineSet &Some, const LineSet &All) {
      return Some == All ? std::shared_ptr<const LineSet>(Now[B], &All)
                         : std::make_shared<const LineSet>(Some);
    };
    for (std::size_t L = 0; IsNew && L != Caches.size(); ++L) {
      if (ActiveLevels >> L & 1) {
        Missed[L] |= Rest;
        Dirtied[L] |= RestStores;
      }
      Own.Missed.push_back(shared(Missed[L], Now[B]->Lines));
      Own.Dirtied.push_back(shared(Dirtied[L], Now[B]->Stores));
    }
    if (IsEnded && Alikes.size() < ManyItems)
      Same = Alikes.insert(Alikes.end(), Own);
    const FollowedItem &Found = Same == Alikes.end() ? Own : *Same;
    for (std::size_t L = 0; L != Caches.size(); ++L)
      if (ActiveLevels >> L & 1)
        Result.addDoubt(L, 1, Found.Doubt[L]);
    for (LevelMask Left = ActiveLevels; Left != 0;) {
      const auto Next = std::size_t(std::countr_zero(Left));
      LevelMask Same = 0; // levels that miss the same lines, as what is large misses all
      for (std::size_t L = Next; L != Caches.size(); ++L)
        if (Left >> L & 1 && isSame(Found.Missed[L], Found.Missed[Next]) &&
            isSame(Found.Dirtied[L], Found.Dirtied[Next]))
          Same |= 1u << L;
      attributeMisses(Item, *Now[B], I.size(), *Found.Missed[Next], *Found.Dirtied[Next], Same,
                      Result);
      Left &= ~Same;
    }
    if (&Form == &Program.body())
      RootMisses[B] = Found.Missed;
    LineSet Carried = Now[B]->Lines;
    addByObject(Item, *Now[B], Carried -= Fresh, Result.Carried);
  }
}

} // namespace ergon
