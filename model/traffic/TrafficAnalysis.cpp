//===- TrafficAnalysis.cpp - traffic from footprints and reuse ------------===//

#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace ergon {

Touched TrafficAnalysis::touch(const LoopForm::Item &Of, const Iteration &Around) const {
  Touched Result;
  Result.ByAccess.resize(Of.EndAccess - Of.FirstAccess);
  for (unsigned A = Of.FirstAccess; A != Of.EndAccess; ++A) {
    const AccessForm &Access = Form.accesses()[A];
    LineSet &Lines = Result.ByAccess[Access.Like - Of.FirstAccess];
    if (Access.Like == A) {
      Lines = Places.linesOf(A, {Around});
      Result.Lines |= Lines;
    }
    if (Access.Of->What != Access::Kind::Load)
      Result.Stores |= Lines;
  }
  return Result;
}

/// All that accesses from \p First to \p End touch.
Touched TrafficAnalysis::touchAll(unsigned First, unsigned End, const PlaceQuery &Query) const {
  Touched Result;
  for (unsigned A = First; A != End; ++A) {
    const AccessForm &Access = Form.accesses()[A];
    const bool IsStore = Access.Of->What != Access::Kind::Load;
    if (const unsigned Cover = Places.coverOf(A);
        (Cover != A && Cover >= First && Cover < End) || (Access.Like != A && !IsStore))
      continue;
    (IsStore ? Result.Stores : Result.Lines) |= Places.linesOf(A, Query);
  }
  Result.Lines |= Result.Stores;
  return Result;
}

bool TrafficAnalysis::fits(const LineSet &Of, std::size_t Level) const {
  const CacheLevel &Cache = Caches[Level];
  return plainlyFits(Of, Cache.sets(), Cache.Ways) ||
         (Of.count() <= std::int64_t(Cache.lines()) &&
          CrowdedSets(Of, Cache.sets(), Cache.Ways).none());
}

/// Accesses of an item, the first of them that touches a place first: of accesses that
/// move alike it is the one that is ahead on the loop that makes the difference.
std::vector<unsigned> TrafficAnalysis::leadersFirst(const LoopForm::Item &Of,
                                                    std::size_t Depth) const {
  auto Leads = [&](unsigned Left, unsigned Right) {
    const AccessForm &One = Form.accesses()[Left], &Other = Form.accesses()[Right];
    if (One.Of->Object != Other.Of->Object || One.Path != Other.Path || !One.Offset ||
        !Other.Offset || !One.Offset->affine() || !Other.Offset->affine())
      return false;
    std::int64_t Ahead = One.Offset->affine()->Constant - Other.Offset->affine()->Constant;
    std::int64_t Chosen = 0;
    for (std::size_t I = Depth; I < One.Path.size(); ++I) {
      std::int64_t Step = One.Offset->affine()->Steps[I];
      if (2 * std::abs(Ahead) >= std::abs(Step) && std::abs(Step) > std::abs(Chosen))
        Chosen = Step;
    }
    return Chosen > 0 ? Ahead > 0 : Chosen < 0 && Ahead < 0;
  };
  std::vector<unsigned> Order;
  for (unsigned A = Of.FirstAccess; A != Of.EndAccess; ++A) {
    auto Behind = std::ranges::find_if(Order, [&](unsigned Other) { return Leads(A, Other); });
    Order.insert(Behind, A);
  }
  return Order;
}

void TrafficAnalysis::attribute(const LoopForm::Item &To, const Touched &Runs, std::size_t Depth,
                                LineSet Missed, LineSet Dirtied, std::size_t Level,
                                Tally &Into) const {
  if (Missed.empty() && Dirtied.empty())
    return;
  for (unsigned A : leadersFirst(To, Depth)) {
    const LineSet &Lines = Runs.ByAccess[Form.accesses()[A].Like - To.FirstAccess];
    const double Share = lineShareOf(Form.accesses()[A], Caches.front().LineBytes);
    if (!Missed.empty())
      Into.Misses[indexOf(A, Level)] += Share * double(Missed.take(Lines));
    if (!Dirtied.empty() && Form.accesses()[A].Of->What != Access::Kind::Load)
      Into.Dirtied[indexOf(A, Level)] += Share * double(Dirtied.take(Lines));
  }
}

void TrafficAnalysis::addByObject(const LoopForm::Item &Of, const Touched &Runs, LineSet Some,
                                  std::vector<double> &Into) const {
  for (unsigned A = Of.FirstAccess; A != Of.EndAccess && !Some.empty(); ++A) {
    if (Form.accesses()[A].Like != A)
      continue;
    const LineSet &Lines = Runs.ByAccess[A - Of.FirstAccess];
    Into[Form.accesses()[A].Of->Object] += double(Some.take(Lines));
  }
}

Run TrafficAnalysis::runOf(const LoopForm::Item &Of, const Iteration &Around,
                           const Touched &What) const {
  return {
      Of.FirstAccess, Of.EndAccess, &Around, {0, Of.Inner ? lastOf(*Of.Inner, Around) : 0}, &What};
}

/// The iterations of a part of a run, and whether it has halves.
static Iterations spanOf(const Run &Of, std::size_t Part) {
  const int Halvings = std::bit_width(Part) - 1;
  const std::int64_t Count = Of.Span.Last - Of.Span.First + 1,
                     Number = std::int64_t(Part) - (std::int64_t(1) << Halvings);
  return {Of.Span.First + (Count * Number >> Halvings),
          Of.Span.First + (Count * (Number + 1) >> Halvings) - 1};
}

static bool hasHalves(const Run &Of, std::size_t Part) {
  const Iterations Span = spanOf(Of, Part);
  return Span.Last > Span.First;
}

const LineSet &TrafficAnalysis::partOf(const Run &Of, std::size_t Number) const {
  if (Number == 1)
    return Of.What->Lines;
  std::vector<std::optional<LineSet>> &Parts = Of.What->Parts;
  if (Parts.size() <= Number)
    Parts.resize(2 << MaxHalvings);
  std::optional<LineSet> &Part = Parts[Number];
  if (!Part)
    Part = touchAll(Of.FirstAccess, Of.EndAccess, {*Of.Around, spanOf(Of, Number)}).Lines;
  return *Part;
}

/// Of \p Found, that the part \p Before of the earlier run touched last and the part \p After of
/// the later one touches first, the lines that had to leave their sets. Where it depends on when
/// the two touch a line, they are looked at by halves.
void TrafficAnalysis::meet(Reuse &Of, std::size_t Before, std::size_t After, LineSet Found,
                           const LineSet &Between) const {
  const std::uint64_t Sets = Caches[Of.Level].sets();
  const unsigned Ways = Caches[Of.Level].Ways;
  const LineSet &Earlier = partOf(Of.Earlier, Before), &Later = partOf(Of.Later, After);
  if (Found.empty())
    return;
  LineSet Wider = Between;
  Wider |= Earlier;
  Found = CrowdedSets(Wider, Later, Sets, Ways).linesOf(Found);
  if (Found.empty())
    return;
  const LineSet Missed = CrowdedSets(Between, Sets, Ways - 1).linesOf(Found);
  Of.Missed |= Missed;
  Found -= Missed;
  if (Found.empty())
    return;
  const bool SplitBefore = hasHalves(Of.Earlier, Before), SplitAfter = hasHalves(Of.Later, After);
  const bool IsLast = std::max(Before, After) >> (MaxHalvings - 1) != 0;
  if (IsLast || (!SplitBefore && !SplitAfter)) {
    // A line that one part touches first and the next part last is where they meet.
    LineSet Window = Between;
    const bool IsMeeting = Before == After + 1;
    Window |= SplitBefore && !IsMeeting ? partOf(Of.Earlier, 2 * Before + 1) : Earlier;
    if (IsMeeting)
      Window |= Later;
    else if (SplitAfter)
      Window |= partOf(Of.Later, 2 * After);
    Of.Missed |= CrowdedSets(Window, Sets, Ways).linesOf(Found);
    return;
  }
  LineSet Window = Between;
  for (std::size_t Half = 0; Half != 1 + std::size_t(SplitAfter) && !Found.empty(); ++Half) {
    const std::size_t Second = SplitAfter ? 2 * After + Half : After;
    const LineSet &Next = partOf(Of.Later, Second);
    LineSet Here = Found & Next;
    Found -= Here;
    if (SplitBefore) {
      const LineSet &Tail = partOf(Of.Earlier, 2 * Before + 1);
      const LineSet Last = Here & Tail;
      meet(Of, 2 * Before + 1, Second, Last, Window);
      if (!(Here -= Last).empty()) {
        LineSet Wider = Window;
        Wider |= Tail;
        meet(Of, 2 * Before, Second, std::move(Here), Wider);
      }
    } else {
      meet(Of, Before, Second, std::move(Here), Window);
    }
    Window |= Next;
  }
}

/// The reuse of what iteration \p Number touches that the loop carries. It is one long function, as
/// each step takes from the same sets what it explains: what is left, what lies between, what
/// missed.
void TrafficAnalysis::follow(const LoopForm &Of, const Iteration &Around, std::int64_t Number,
                             const std::vector<Touched> &Now, LevelMask Active, Tally &Into) const {
  const unsigned First = Of.Items.front().FirstAccess, End = Of.Items.back().EndAccess;
  std::vector<std::optional<Touched>> Before(Of.Items.size());
  Iteration Here = Around, There = Around;
  if (&Of != &Form.body()) {
    Here.push_back(Number);
    There.push_back(Number - 1);
  }
  for (std::size_t B = 0; B != Of.Items.size(); ++B) {
    if (Now[B].Lines.empty())
      continue;
    const LoopForm::Item &Item = Of.Items[B];
    const Run Later = runOf(Item, Here, Now[B]);
    LineSet Rest = Now[B].Lines, RestStores = Now[B].Stores, Window;
    LevelMask Open = Active;
    std::vector<LineSet> Missed(Caches.size()), Dirtied(Caches.size());
    // Runs before this one are met, the latest first.
    auto Meet = [&](const Run &Last) {
      LineSet Found = Rest & Last.What->Lines, FoundStores = RestStores & Last.What->Stores;
      Rest -= Found;
      RestStores -= FoundStores;
      LineSet Wider = Window;
      Wider |= Last.What->Lines;
      LineSet Both = Found;
      Both |= FoundStores;
      const std::int64_t Count = Wider.count();
      for (std::size_t L = 0; L != Caches.size(); ++L) {
        if (!(Active >> L & 1))
          continue;
        Reuse Here{Last, Later, L};
        if (Open >> L & 1)
          meet(Here, 1, 1, Both, Window);
        const LineSet &Gone = Open >> L & 1 ? Here.Missed : Both;
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
    for (std::size_t E = B; Goes() && E != 0; --E)
      Meet(runOf(Of.Items[E - 1], Here, Now[E - 1]));
    if (Number > 0)
      for (std::size_t E = Of.Items.size(); Goes() && E != 0; --E) {
        if (!Before[E - 1])
          Before[E - 1] = touchAll(Of.Items[E - 1].FirstAccess, Of.Items[E - 1].EndAccess, {There});
        Meet(runOf(Of.Items[E - 1], There, *Before[E - 1]));
      }
    // What nothing touched before, in this iteration or in another one, is the business of the loop
    // around. The rest was touched too long ago to be met.
    LineSet Fresh = Rest;
    if (!Rest.empty() || !RestStores.empty()) {
      Touched Earlier;
      LineSet Both = Rest;
      Both |= RestStores;
      if (Number > 0)
        Earlier = touchAll(First, End, {Around, Iterations{0, Number - 1}, Both.hull()});
      for (std::size_t E = 0; E != B; ++E) {
        Earlier.Lines |= Now[E].Lines;
        Earlier.Stores |= Now[E].Stores;
      }
      Fresh -= Earlier.Lines;
      Rest -= Fresh;
      RestStores = RestStores & Earlier.Stores;
    }
    for (std::int64_t Until = Number - 1; Goes() && Until > 0;) {
      std::int64_t From = std::max<std::int64_t>(0, Until - 1 - (Number - Until) / 4);
      const Iterations Span{From, Until - 1};
      Touched Some = touchAll(First, End, {Around, Span});
      Meet({First, End, &Around, Span, &Some});
      Until = From;
    }
    for (std::size_t L = 0; L != Caches.size(); ++L)
      if (Active >> L & 1) {
        Missed[L] |= Rest;
        Dirtied[L] |= RestStores;
        if (&Of == &Form.body())
          RootMisses[B][L] = Missed[L];
        attribute(Item, Now[B], Here.size(), std::move(Missed[L]), std::move(Dirtied[L]), L, Into);
      }
    LineSet Carried = Now[B].Lines;
    addByObject(Item, Now[B], Carried -= Fresh, Into.Carried);
  }
}

static constexpr unsigned Many = std::numeric_limits<unsigned>::max() / 2;

/// Of an innermost loop whose accesses reuse only what the iteration before touched: how many
/// lines one iteration touches at most. Else more than any cache has ways.
unsigned TrafficAnalysis::streamsOf(const LoopForm &Of, const Iteration &Around) const {
  if (Of.Items.size() != 1 || Of.Items.front().Inner)
    return Many;
  const std::int64_t Line = Caches.front().LineBytes, Trips = lastOf(Of, Around) + 1;
  std::vector<const AccessForm *> Leaders;
  for (unsigned A = Of.Items.front().FirstAccess; A != Of.Items.front().EndAccess; ++A) {
    const AccessForm &One = Form.accesses()[A];
    if (!One.Offset || !One.Offset->affine())
      return Many;
    const AffineForm &Mine = *One.Offset->affine();
    bool IsNew = true;
    for (const AccessForm *Other : Leaders) {
      const AffineForm &Its = *Other->Offset->affine();
      if (Other->Of->Object != One.Of->Object)
        continue;
      const std::int64_t Step = std::abs(Mine.Steps.back()),
                         Way = std::abs(Mine.Constant - Its.Constant);
      if (Mine.Steps != Its.Steps) {
        // A row crosses a column, or a place that stays, once.
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
      Leaders.push_back(&One);
  }
  return 2 * unsigned(Leaders.size()); // an access may touch two lines
}

Tally TrafficAnalysis::sampleOf(const LoopForm &Of, const Iteration &Around, std::int64_t Number,
                                LevelMask Active) const {
  Tally Result = emptyTally();
  Iteration At = Around;
  if (&Of != &Form.body())
    At.push_back(Number);
  std::vector<Touched> Own;
  if (&Of != &Form.body())
    for (const LoopForm::Item &Item : Of.Items)
      Own.push_back(touch(Item, At));
  const std::vector<Touched> &Now = &Of == &Form.body() ? Roots : Own;
  for (std::size_t B = 0; B != Now.size(); ++B) {
    const LoopForm::Item &Item = Of.Items[B];
    std::vector<double> Touches(Objects);
    addByObject(Item, Now[B], Now[B].Lines, Touches);
    for (std::size_t O = 0; O != Objects; ++O)
      Result.Touches[O] += Touches[O];
    if (!Item.Inner || !hold(Item.Conditions, At))
      continue;
    const unsigned Streams = streamsOf(*Item.Inner, At);
    LevelMask Inside = 0;
    for (std::size_t L = 0; L != Caches.size(); ++L)
      if (Active >> L & 1 && Streams > Caches[L].Ways && !fits(Now[B].Lines, L))
        Inside |= 1u << L;
    if (!Inside)
      continue;
    Tally Inner = sumOf(*Item.Inner, At, Inside, Touches, Streams != Many);
    double Share = std::min(1.0, Item.Share);
    for (std::size_t I = 0; I != Inner.Misses.size(); ++I) {
      Result.InnerMisses[I] += Share * (Inner.Misses[I] + Inner.InnerMisses[I]);
      Result.InnerDirtied[I] += Share * (Inner.Dirtied[I] + Inner.InnerDirtied[I]);
    }
  }
  follow(Of, Around, Number, Now, Active, Result);
  return Result;
}

std::vector<double> TrafficAnalysis::knownLines() const {
  std::vector<LineSet> Lines(Objects);
  for (std::size_t B = 0; B != Roots.size(); ++B) {
    const LoopForm::Item &Item = Form.body().Items[B];
    for (unsigned A = Item.FirstAccess; A != Item.EndAccess; ++A)
      if (const AccessForm &Access = Form.accesses()[A]; Access.Offset && Access.Like == A)
        Lines[Access.Of->Object] |= Roots[B].ByAccess[A - Item.FirstAccess];
  }
  std::vector<double> Result;
  for (const LineSet &Each : Lines)
    Result.push_back(double(Each.count()));
  return Result;
}

Tally TrafficAnalysis::run() {
  for (const LoopForm::Item &Item : Form.body().Items)
    Roots.push_back(touch(Item, {}));
  RootMisses.assign(Roots.size(), std::vector<LineSet>(Caches.size()));
  LevelMask All = (1u << Caches.size()) - 1;
  Tally Result = sampleOf(Form.body(), {}, 0, All);
  LineSet Known, KnownStores;
  for (std::size_t B = 0; B != Roots.size(); ++B) {
    const LoopForm::Item &Item = Form.body().Items[B];
    const Touched &What = Roots[B];
    LineSet Fresh = What.Lines, FreshStores = What.Stores;
    Fresh -= Known;
    FreshStores -= KnownStores;
    for (std::size_t L = 0; L != Caches.size(); ++L)
      attribute(Item, What, 0, Fresh, FreshStores, L, Result);
    Known |= What.Lines;
    KnownStores |= What.Stores;
  }
  for (std::size_t I = 0; I != Result.Misses.size(); ++I) {
    Result.Misses[I] += Result.InnerMisses[I];
    Result.Dirtied[I] += Result.InnerDirtied[I];
  }
  for (std::size_t L = 0; L != Caches.size(); ++L)
    takeRemains(L, Result.Dirtied);
  return Result;
}

} // namespace ergon
