//===- TrafficAnalysis.cpp - traffic from footprints and reuse ------------===//

#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace ergon {

Touched TrafficAnalysis::touchedBy(const LoopForm::Item &I, const Iteration &Around) const {
  Touched Result;
  Result.LinesByAccess.resize(I.EndAccess - I.FirstAccess);
  for (unsigned A = I.FirstAccess; A != I.EndAccess; ++A) {
    const AccessForm &Access = Program.accesses()[A];
    LineSet &Lines = Result.LinesByAccess[Access.Like - I.FirstAccess];
    if (Access.Like == A) {
      Lines = Domains.linesOf(A, {Around});
      Result.Lines |= Lines;
    }
    if (Access.Access->What != Access::Kind::Load)
      Result.Stores |= Lines;
  }
  return Result;
}

TouchedItems TrafficAnalysis::touchedByItems(const LoopForm &Form,
                                             const Iteration &Position) const {
  TouchedItems Result;
  std::map<unsigned, std::shared_ptr<const Touched>> Known;
  for (const LoopForm::Item &Item : Form.Items) {
    auto &Found = Known[Alike.numberOf(Item)];
    if (!Found)
      Found = std::make_shared<const Touched>(touchedBy(Item, Position));
    Result.push_back(Found);
  }
  return Result;
}

/// All lines that accesses from \p First to \p End touch.
Touched TrafficAnalysis::touchedLines(unsigned First, unsigned End,
                                      const DomainQuery &Query) const {
  Touched Result;
  for (unsigned A = First; A != End; ++A) {
    const AccessForm &Access = Program.accesses()[A];
    const bool IsStore = Access.Access->What != Access::Kind::Load;
    if (const unsigned Cover = Domains.coverOf(A);
        (Cover != A && Cover >= First && Cover < End) || (Access.Like != A && !IsStore))
      continue;
    (IsStore ? Result.Stores : Result.Lines) |= Domains.linesOf(A, Query);
  }
  Result.Lines |= Result.Stores;
  return Result;
}

bool TrafficAnalysis::fits(const LineSet &Set, std::size_t Level) const {
  const CacheLevel &Cache = Caches[Level];
  return plainlyFits(Set, Cache.sets(), Cache.Ways) ||
         (Set.count() <= std::int64_t(Cache.lines()) &&
          CrowdedSets(Set, Cache.sets(), Cache.Ways).none());
}

/// The accesses of an item, those that touch an address first in front: of accesses with equal
/// strides, the leading one on the loop where their offsets differ.
const std::vector<unsigned> &TrafficAnalysis::leadersFirst(const LoopForm::Item &Accessed,
                                                           std::size_t Depth) const {
  auto [Known, New] = Leaders.try_emplace({Accessed.FirstAccess, Accessed.EndAccess, Depth});
  std::vector<unsigned> &Order = Known->second;
  if (!New)
    return Order;
  auto Leads = [&](unsigned Left, unsigned Right) {
    const AccessForm &AF = Program.accesses()[Left], &Other = Program.accesses()[Right];
    if (AF.Access->Object != Other.Access->Object || AF.Path != Other.Path || !AF.Offset ||
        !Other.Offset || !AF.Offset->affine() || !Other.Offset->affine())
      return false;
    std::int64_t Ahead = AF.Offset->affine()->Constant - Other.Offset->affine()->Constant;
    std::int64_t Chosen = 0;
    for (std::size_t I = Depth; I < AF.Path.size(); ++I) {
      std::int64_t Step = AF.Offset->affine()->Steps[I];
      if (2 * std::abs(Ahead) >= std::abs(Step) && std::abs(Step) > std::abs(Chosen))
        Chosen = Step;
    }
    return Chosen > 0 ? Ahead > 0 : Chosen < 0 && Ahead < 0;
  };
  for (unsigned A = Accessed.FirstAccess; A != Accessed.EndAccess; ++A) {
    auto Behind = std::ranges::find_if(Order, [&](unsigned Other) { return Leads(A, Other); });
    Order.insert(Behind, A);
  }
  return Order;
}

void TrafficAnalysis::attributeMisses(const LoopForm::Item &To, const Touched &Runs,
                                      std::size_t Depth, LineSet Missed, LineSet Dirtied,
                                      LevelMask Levels, Tally &Result) const {
  if (Missed.empty() && Dirtied.empty())
    return;
  auto AddTo = [&](std::vector<double> &Sums, unsigned Access, double Lines) {
    for (std::size_t L = 0; L != Caches.size(); ++L)
      if (Levels >> L & 1)
        Sums[Result.indexOf(Access, L)] += Lines;
  };
  for (unsigned A : leadersFirst(To, Depth)) {
    const LineSet &Lines = Runs.LinesByAccess[Program.accesses()[A].Like - To.FirstAccess];
    const double Share = lineShareOf(Program.accesses()[A], Caches.front().LineBytes);
    if (!Missed.empty())
      AddTo(Result.Misses, A, Share * double(Missed.take(Lines)));
    if (!Dirtied.empty() && Program.accesses()[A].Access->What != Access::Kind::Load)
      AddTo(Result.Dirtied, A, Share * double(Dirtied.take(Lines)));
  }
}

void TrafficAnalysis::addByObject(const LoopForm::Item &I, const Touched &Runs, LineSet Some,
                                  std::map<unsigned, double> &Result) const {
  for (unsigned A = I.FirstAccess; A != I.EndAccess && !Some.empty(); ++A) {
    if (Program.accesses()[A].Like != A)
      continue;
    const LineSet &Lines = Runs.LinesByAccess[A - I.FirstAccess];
    Result[Program.accesses()[A].Access->Object] += double(Some.take(Lines));
  }
}

Run TrafficAnalysis::runOf(const LoopForm::Item &I, const Iteration &Around,
                           const Touched &Accessed) const {
  return {
      I.FirstAccess, I.EndAccess, &Around, {0, I.Inner ? lastOf(*I.Inner, Around) : 0}, &Accessed};
}

/// The iterations of a part of a run, and whether it can be halved.
static Iterations spanOf(const Run &R, std::size_t Part) {
  const int Halvings = std::bit_width(Part) - 1;
  const std::int64_t Count = R.Span.Last - R.Span.First + 1,
                     Number = std::int64_t(Part) - (std::int64_t(1) << Halvings);
  return {R.Span.First + (Count * Number >> Halvings),
          R.Span.First + (Count * (Number + 1) >> Halvings) - 1};
}

static bool hasHalves(const Run &R, std::size_t Part) {
  const Iterations Span = spanOf(R, Part);
  return Span.Last > Span.First;
}

const LineSet &TrafficAnalysis::partOf(const Run &R, std::size_t Number) const {
  if (Number == 1)
    return R.Accessed->Lines;
  std::vector<std::optional<LineSet>> &Parts = R.Accessed->Parts;
  if (Parts.size() <= Number)
    Parts.resize(2 << MaxHalvings);
  std::optional<LineSet> &Part = Parts[Number];
  if (!Part)
    Part = touchedLines(R.FirstAccess, R.EndAccess, {*R.Around, spanOf(R, Number)}).Lines;
  return *Part;
}

/// Finds the lines of \p Found that were evicted from their sets in between. The part \p Before of
/// the earlier run touched these last, the part \p After of the later run touches them first;
/// \p Between are the lines that other parts touch between the two.
/// Halves the parts where the result depends on when the two touch a line.
void TrafficAnalysis::findEvicted(Reuse &R, std::size_t Before, std::size_t After, LineSet Found,
                                  const LineSet &Between) const {
  const std::uint64_t Sets = Caches[R.Level].sets();
  const unsigned Ways = Caches[R.Level].Ways;
  const LineSet &Earlier = partOf(R.Earlier, Before), &Later = partOf(R.Later, After);
  if (Found.empty())
    return;
  LineSet Wider = Between;
  Wider |= Earlier;
  Found = CrowdedSets(Wider, Later, Sets, Ways).linesOf(Found);
  if (Found.empty())
    return;
  const LineSet Missed = CrowdedSets(Between, Sets, Ways - 1).linesOf(Found);
  R.Missed |= Missed;
  Found -= Missed;
  if (Found.empty())
    return;
  const bool SplitBefore = hasHalves(R.Earlier, Before), SplitAfter = hasHalves(R.Later, After);
  const bool IsLast = !R.InParts || std::max(Before, After) >> (MaxHalvings - 1) != 0;
  if (IsLast || (!SplitBefore && !SplitAfter)) {
    // A line that one part touches first and the next part last is between both.
    LineSet Window = Between;
    const bool IsMeeting = Before == After + 1;
    Window |= SplitBefore && !IsMeeting ? partOf(R.Earlier, 2 * Before + 1) : Earlier;
    if (IsMeeting)
      Window |= Later;
    else if (SplitAfter)
      Window |= partOf(R.Later, 2 * After);
    const LineSet Gone = CrowdedSets(Window, Sets, Ways).linesOf(Found);
    R.Missed |= Gone;
    if (!R.InParts && (SplitBefore || SplitAfter)) {
      R.Doubt.Fewer += double(Gone.count());
      R.Doubt.More += double(Found.count() - Gone.count());
    }
    return;
  }
  LineSet Window = Between;
  for (std::size_t Half = 0; Half != 1 + std::size_t(SplitAfter) && !Found.empty(); ++Half) {
    const std::size_t Second = SplitAfter ? 2 * After + Half : After;
    const LineSet &Next = partOf(R.Later, Second);
    LineSet LS = Found & Next;
    Found -= LS;
    if (SplitBefore) {
      const LineSet &Tail = partOf(R.Earlier, 2 * Before + 1);
      const LineSet Last = LS & Tail;
      findEvicted(R, 2 * Before + 1, Second, Last, Window);
      if (!(LS -= Last).empty()) {
        LineSet Wider = Window;
        Wider |= Tail;
        findEvicted(R, 2 * Before, Second, std::move(LS), Wider);
      }
    } else {
      findEvicted(R, Before, Second, std::move(LS), Window);
    }
    Window |= Next;
  }
}

static constexpr unsigned Many = std::numeric_limits<unsigned>::max() / 2;

/// For an innermost loop whose accesses reuse only lines of the previous iteration: the most lines
/// that one iteration touches. Otherwise more than any cache has ways.
unsigned TrafficAnalysis::streamsOf(const LoopForm &Form, const Iteration &Around) const {
  if (Form.Items.size() != 1 || Form.Items.front().Inner)
    return Many;
  const std::int64_t Line = Caches.front().LineBytes, Trips = lastOf(Form, Around) + 1;
  std::vector<const AccessForm *> Leaders;
  for (unsigned A = Form.Items.front().FirstAccess; A != Form.Items.front().EndAccess; ++A) {
    const AccessForm &AF = Program.accesses()[A];
    if (!AF.Offset || !AF.Offset->affine())
      return Many;
    const AffineForm &Mine = *AF.Offset->affine();
    bool IsNew = true;
    for (const AccessForm *Other : Leaders) {
      const AffineForm &Its = *Other->Offset->affine();
      if (Other->Access->Object != AF.Access->Object)
        continue;
      const std::int64_t Step = std::abs(Mine.Steps.back()),
                         Way = std::abs(Mine.Constant - Its.Constant);
      if (Mine.Steps != Its.Steps) {
        // A row meets a column, or a fixed address, once.
        const std::int64_t ItsStep = std::abs(Its.Steps.back());
        if ((Step < Line) == (ItsStep < Line) && (Step == 0) == (ItsStep == 0))
          return Many;
      } else if (Way < Line) {
        IsNew = false;
      } else if (Way < Step * Trips + Line) {
        return Many;
      }
    }
    if (IsNew)
      Leaders.push_back(&AF);
  }
  return 2 * unsigned(Leaders.size()); // an access may touch two lines
}

Tally TrafficAnalysis::sampleOf(const LoopForm &Form, const Iteration &Around, std::int64_t Number,
                                LevelMask ActiveLevels) const {
  Tally Result = emptyTally(Form);
  if (Domains.isSpent())
    return Result;
  Iteration Position = Around;
  if (&Form != &Program.body())
    Position.push_back(Number);
  TouchedItems Own;
  if (&Form != &Program.body())
    Own = touchedByItems(Form, Position);
  const TouchedItems &Now = &Form == &Program.body() ? Roots : Own;
  std::map<std::pair<unsigned, LevelMask>, Tally> Known; // of like items
  std::map<const Touched *, std::map<unsigned, double>> TouchedOf;
  for (std::size_t B = 0; B != Now.size(); ++B) {
    const LoopForm::Item &Item = Form.Items[B];
    const auto [Slot, New] = TouchedOf.try_emplace(Now[B].get());
    std::map<unsigned, double> &Touches = Slot->second;
    if (New)
      addByObject(Item, *Now[B], Now[B]->Lines, Touches);
    for (const auto &[Object, Lines] : Touches)
      Result.Touches[Object] += Lines;
    if (!Item.Inner || !hold(Item.Conditions, Position))
      continue;
    const unsigned Streams = streamsOf(*Item.Inner, Position);
    LevelMask Inside = 0;
    for (std::size_t L = 0; L != Caches.size(); ++L)
      if (ActiveLevels >> L & 1 && Streams > Caches[L].Ways && !fits(Now[B]->Lines, L))
        Inside |= 1u << L;
    if (!Inside)
      continue;
    auto Found = Known.find({Alike.numberOf(Item), Inside});
    if (Found == Known.end())
      Found = Known
                  .emplace(std::pair(Alike.numberOf(Item), Inside),
                           sumOf(*Item.Inner, Position, Inside, Touches, Streams != Many))
                  .first;
    const Tally &Inner = Found->second;
    double Share = std::min(1.0, Item.Share);
    const std::size_t Start = Result.indexOf(Item.FirstAccess, 0);
    for (std::size_t I = 0; I != Inner.Misses.size(); ++I) {
      Result.InnerMisses[Start + I] += Share * (Inner.Misses[I] + Inner.InnerMisses[I]);
      Result.InnerDirtied[Start + I] += Share * (Inner.Dirtied[I] + Inner.InnerDirtied[I]);
    }
    for (std::size_t L = 0; L != Caches.size(); ++L)
      Result.addDoubt(L, Share, Inner.Doubt[L]);
  }
  follow(Form, Around, Number, Now, ActiveLevels, Result);
  return Result;
}

std::vector<double> TrafficAnalysis::knownLines() const {
  std::vector<LineSet> Lines(Objects);
  for (std::size_t B = 0; B != Roots.size(); ++B) {
    const LoopForm::Item &Item = Program.body().Items[B];
    for (unsigned A = Item.FirstAccess; A != Item.EndAccess; ++A)
      if (const AccessForm &Access = Program.accesses()[A]; Access.Offset && Access.Like == A)
        Lines[Access.Access->Object] |= Roots[B]->LinesByAccess[A - Item.FirstAccess];
  }
  std::vector<double> Result;
  for (const LineSet &Line : Lines)
    Result.push_back(double(Line.count()));
  return Result;
}

Tally TrafficAnalysis::run() {
  Roots = touchedByItems(Program.body(), {});
  if (!Domains.scattered().empty())
    return emptyTally(Program.body());
  Domains.allow(9 * Runs);
  RootMisses.assign(Roots.size(), {});
  LevelMask All = (1u << Caches.size()) - 1;
  Tally Result = sampleOf(Program.body(), {}, 0, All);
  if (Domains.isSpent())
    return Result;
  LineSet Known, KnownStores;
  for (std::size_t B = 0; B != Roots.size(); ++B) {
    const LoopForm::Item &Item = Program.body().Items[B];
    const Touched &Accessed = *Roots[B];
    LineSet Fresh = Accessed.Lines, FreshStores = Accessed.Stores;
    Fresh -= Known;
    FreshStores -= KnownStores;
    attributeMisses(Item, Accessed, 0, std::move(Fresh), std::move(FreshStores), All, Result);
    Known |= Accessed.Lines;
    KnownStores |= Accessed.Stores;
  }
  for (std::size_t I = 0; I != Result.Misses.size(); ++I) {
    Result.Misses[I] += Result.InnerMisses[I];
    Result.Dirtied[I] += Result.InnerDirtied[I];
  }
  for (std::size_t L = 0; L != Caches.size(); ++L)
    subtractStillDirty(L, Result);
  return Result;
}

} // namespace ergon
