//===- TrafficAnalysis.cpp - traffic from footprints and reuse ------------===//

#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace ergon {

Touched TrafficAnalysis::touch(const LoopForm::Item &I, const Iteration &Around) const {
  Touched Result;
  Result.ByAccess.resize(I.EndAccess - I.FirstAccess);
  for (unsigned A = I.FirstAccess; A != I.EndAccess; ++A) {
    const AccessForm &Access = Form.accesses()[A];
    LineSet &Lines = Result.ByAccess[Access.Like - I.FirstAccess];
    if (Access.Like == A) {
      Lines = Domains.linesOf(A, {Around});
      Result.Lines |= Lines;
    }
    if (Access.Access->What != Access::Kind::Load)
      Result.Stores |= Lines;
  }
  return Result;
}

/// All lines that accesses from \p First to \p End touch.
Touched TrafficAnalysis::touchAll(unsigned First, unsigned End, const DomainQuery &Query) const {
  Touched Result;
  for (unsigned A = First; A != End; ++A) {
    const AccessForm &Access = Form.accesses()[A];
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
std::vector<unsigned> TrafficAnalysis::leadersFirst(const LoopForm::Item &Accessed,
                                                    std::size_t Depth) const {
  auto Leads = [&](unsigned Left, unsigned Right) {
    const AccessForm &AF = Form.accesses()[Left], &Other = Form.accesses()[Right];
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
  std::vector<unsigned> Order;
  for (unsigned A = Accessed.FirstAccess; A != Accessed.EndAccess; ++A) {
    auto Behind = std::ranges::find_if(Order, [&](unsigned Other) { return Leads(A, Other); });
    Order.insert(Behind, A);
  }
  return Order;
}

void TrafficAnalysis::attribute(const LoopForm::Item &To, const Touched &Runs, std::size_t Depth,
                                LineSet Missed, LineSet Dirtied, std::size_t Level,
                                Tally &Result) const {
  if (Missed.empty() && Dirtied.empty())
    return;
  for (unsigned A : leadersFirst(To, Depth)) {
    const LineSet &Lines = Runs.ByAccess[Form.accesses()[A].Like - To.FirstAccess];
    const double Share = lineShareOf(Form.accesses()[A], Caches.front().LineBytes);
    if (!Missed.empty())
      Result.Misses[indexOf(A, Level)] += Share * double(Missed.take(Lines));
    if (!Dirtied.empty() && Form.accesses()[A].Access->What != Access::Kind::Load)
      Result.Dirtied[indexOf(A, Level)] += Share * double(Dirtied.take(Lines));
  }
}

void TrafficAnalysis::addByObject(const LoopForm::Item &I, const Touched &Runs, LineSet Some,
                                  std::vector<double> &Result) const {
  for (unsigned A = I.FirstAccess; A != I.EndAccess && !Some.empty(); ++A) {
    if (Form.accesses()[A].Like != A)
      continue;
    const LineSet &Lines = Runs.ByAccess[A - I.FirstAccess];
    Result[Form.accesses()[A].Access->Object] += double(Some.take(Lines));
  }
}

Run TrafficAnalysis::runOf(const LoopForm::Item &I, const Iteration &Around,
                           const Touched &What) const {
  return {I.FirstAccess, I.EndAccess, &Around, {0, I.Inner ? lastOf(*I.Inner, Around) : 0}, &What};
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
    return R.What->Lines;
  std::vector<std::optional<LineSet>> &Parts = R.What->Parts;
  if (Parts.size() <= Number)
    Parts.resize(2 << MaxHalvings);
  std::optional<LineSet> &Part = Parts[Number];
  if (!Part)
    Part = touchAll(R.FirstAccess, R.EndAccess, {*R.Around, spanOf(R, Number)}).Lines;
  return *Part;
}

/// Finds the lines of \p Found that were evicted from their sets in between. The part \p Before of
/// the earlier run touched these last, the part \p After of the later run touches them first.
/// Halves the parts where the result depends on when the two touch a line.
void TrafficAnalysis::meet(Reuse &R, std::size_t Before, std::size_t After, LineSet Found,
                           const LineSet &Set) const {
  const std::uint64_t Sets = Caches[R.Level].sets();
  const unsigned Ways = Caches[R.Level].Ways;
  const LineSet &Earlier = partOf(R.Earlier, Before), &Later = partOf(R.Later, After);
  if (Found.empty())
    return;
  LineSet Wider = Set;
  Wider |= Earlier;
  Found = CrowdedSets(Wider, Later, Sets, Ways).linesOf(Found);
  if (Found.empty())
    return;
  const LineSet Missed = CrowdedSets(Set, Sets, Ways - 1).linesOf(Found);
  R.Missed |= Missed;
  Found -= Missed;
  if (Found.empty())
    return;
  const bool SplitBefore = hasHalves(R.Earlier, Before), SplitAfter = hasHalves(R.Later, After);
  const bool IsLast = std::max(Before, After) >> (MaxHalvings - 1) != 0;
  if (IsLast || (!SplitBefore && !SplitAfter)) {
    // A line that one part touches first and the next part last is between both.
    LineSet Window = Set;
    const bool IsMeeting = Before == After + 1;
    Window |= SplitBefore && !IsMeeting ? partOf(R.Earlier, 2 * Before + 1) : Earlier;
    if (IsMeeting)
      Window |= Later;
    else if (SplitAfter)
      Window |= partOf(R.Later, 2 * After);
    R.Missed |= CrowdedSets(Window, Sets, Ways).linesOf(Found);
    return;
  }
  LineSet Window = Set;
  for (std::size_t Half = 0; Half != 1 + std::size_t(SplitAfter) && !Found.empty(); ++Half) {
    const std::size_t Second = SplitAfter ? 2 * After + Half : After;
    const LineSet &Next = partOf(R.Later, Second);
    LineSet LS = Found & Next;
    Found -= LS;
    if (SplitBefore) {
      const LineSet &Tail = partOf(R.Earlier, 2 * Before + 1);
      const LineSet Last = LS & Tail;
      meet(R, 2 * Before + 1, Second, Last, Window);
      if (!(LS -= Last).empty()) {
        LineSet Wider = Window;
        Wider |= Tail;
        meet(R, 2 * Before, Second, std::move(LS), Wider);
      }
    } else {
      meet(R, Before, Second, std::move(LS), Window);
    }
    Window |= Next;
  }
}

/// The reuse carried by the loop for what iteration \p Number touches. It is one long function, as
/// each step takes the lines that it explains from the same sets: the rest, the lines in between,
/// the misses.
void TrafficAnalysis::follow(const LoopForm &LF, const Iteration &Around, std::int64_t Number,
                             const std::vector<Touched> &Now, LevelMask Active,
                             Tally &Result) const {
  const unsigned First = LF.Items.front().FirstAccess, End = LF.Items.back().EndAccess;
  std::vector<std::optional<Touched>> Before(LF.Items.size());
  Iteration I = Around, Remote = Around;
  if (&LF != &Form.body()) {
    I.push_back(Number);
    Remote.push_back(Number - 1);
  }
  for (std::size_t B = 0; B != LF.Items.size(); ++B) {
    if (Now[B].Lines.empty())
      continue;
    const LoopForm::Item &Item = LF.Items[B];
    const Run Later = runOf(Item, I, Now[B]);
    LineSet Rest = Now[B].Lines, RestStores = Now[B].Stores, Window;
    LevelMask Open = Active;
    std::vector<LineSet> Missed(Caches.size()), Dirtied(Caches.size());
    // Earlier runs are compared, the latest first.
    auto Meet = [&](const Run &Last) {
      LineSet Found = Rest & Last.What->Lines, FoundStores = RestStores & Last.What->Stores;
      Rest -= Found;
      RestStores -= FoundStores;
      LineSet Wider = Window;
      Wider |= Last.What->Lines;
      LineSet LS = Found;
      LS |= FoundStores;
      const std::int64_t Count = Wider.count();
      for (std::size_t L = 0; L != Caches.size(); ++L) {
        if (!(Active >> L & 1))
          continue;
        Reuse R{Last, Later, L};
        if (Open >> L & 1)
          meet(R, 1, 1, LS, Window);
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
    for (std::size_t E = B; Goes() && E != 0; --E)
      Meet(runOf(LF.Items[E - 1], I, Now[E - 1]));
    if (Number > 0)
      for (std::size_t E = LF.Items.size(); Goes() && E != 0; --E) {
        if (!Before[E - 1])
          Before[E - 1] =
              touchAll(LF.Items[E - 1].FirstAccess, LF.Items[E - 1].EndAccess, {Remote});
        Meet(runOf(LF.Items[E - 1], Remote, *Before[E - 1]));
      }
    // Lines that nothing in this loop touched before belong to the loop around. The others were
    // touched too long ago to be resident.
    LineSet Fresh = Rest;
    if (!Rest.empty() || !RestStores.empty()) {
      Touched Earlier;
      LineSet Set = Rest;
      Set |= RestStores;
      if (Number > 0)
        Earlier = touchAll(First, End, {Around, Iterations{0, Number - 1}, Set.hull()});
      for (std::size_t E = 0; E != B; ++E) {
        Earlier.Lines |= Now[E].Lines;
        Earlier.Stores |= Now[E].Stores;
      }
      Fresh -= Earlier.Lines;
      Rest -= Fresh;
      RestStores = RestStores & Earlier.Stores;
    }
    for (std::int64_t Deadline = Number - 1; Goes() && Deadline > 0;) {
      std::int64_t From = std::max<std::int64_t>(0, Deadline - 1 - (Number - Deadline) / 4);
      const Iterations Span{From, Deadline - 1};
      Touched Some = touchAll(First, End, {Around, Span});
      Meet({First, End, &Around, Span, &Some});
      Deadline = From;
    }
    for (std::size_t L = 0; L != Caches.size(); ++L)
      if (Active >> L & 1) {
        Missed[L] |= Rest;
        Dirtied[L] |= RestStores;
        if (&LF == &Form.body())
          RootMisses[B][L] = Missed[L];
        attribute(Item, Now[B], I.size(), std::move(Missed[L]), std::move(Dirtied[L]), L, Result);
      }
    LineSet Carried = Now[B].Lines;
    addByObject(Item, Now[B], Carried -= Fresh, Result.Carried);
  }
}

static constexpr unsigned Many = std::numeric_limits<unsigned>::max() / 2;

/// For an innermost loop whose accesses reuse only lines of the previous iteration: the most lines
/// that one iteration touches. Otherwise more than any cache has ways.
unsigned TrafficAnalysis::streamsOf(const LoopForm &LF, const Iteration &Around) const {
  if (LF.Items.size() != 1 || LF.Items.front().Inner)
    return Many;
  const std::int64_t Line = Caches.front().LineBytes, Trips = lastOf(LF, Around) + 1;
  std::vector<const AccessForm *> Leaders;
  for (unsigned A = LF.Items.front().FirstAccess; A != LF.Items.front().EndAccess; ++A) {
    const AccessForm &AF = Form.accesses()[A];
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

Tally TrafficAnalysis::sampleOf(const LoopForm &LF, const Iteration &Around, std::int64_t Number,
                                LevelMask Active) const {
  Tally Result = emptyTally();
  Iteration Position = Around;
  if (&LF != &Form.body())
    Position.push_back(Number);
  std::vector<Touched> Own;
  if (&LF != &Form.body())
    for (const LoopForm::Item &Item : LF.Items)
      Own.push_back(touch(Item, Position));
  const std::vector<Touched> &Now = &LF == &Form.body() ? Roots : Own;
  for (std::size_t B = 0; B != Now.size(); ++B) {
    const LoopForm::Item &Item = LF.Items[B];
    std::vector<double> Touches(Objects);
    addByObject(Item, Now[B], Now[B].Lines, Touches);
    for (std::size_t O = 0; O != Objects; ++O)
      Result.Touches[O] += Touches[O];
    if (!Item.Inner || !hold(Item.Conditions, Position))
      continue;
    const unsigned Streams = streamsOf(*Item.Inner, Position);
    LevelMask Inside = 0;
    for (std::size_t L = 0; L != Caches.size(); ++L)
      if (Active >> L & 1 && Streams > Caches[L].Ways && !fits(Now[B].Lines, L))
        Inside |= 1u << L;
    if (!Inside)
      continue;
    Tally Inner = sumOf(*Item.Inner, Position, Inside, Touches, Streams != Many);
    double Share = std::min(1.0, Item.Share);
    for (std::size_t I = 0; I != Inner.Misses.size(); ++I) {
      Result.InnerMisses[I] += Share * (Inner.Misses[I] + Inner.InnerMisses[I]);
      Result.InnerDirtied[I] += Share * (Inner.Dirtied[I] + Inner.InnerDirtied[I]);
    }
  }
  follow(LF, Around, Number, Now, Active, Result);
  return Result;
}

std::vector<double> TrafficAnalysis::knownLines() const {
  std::vector<LineSet> Lines(Objects);
  for (std::size_t B = 0; B != Roots.size(); ++B) {
    const LoopForm::Item &Item = Form.body().Items[B];
    for (unsigned A = Item.FirstAccess; A != Item.EndAccess; ++A)
      if (const AccessForm &Access = Form.accesses()[A]; Access.Offset && Access.Like == A)
        Lines[Access.Access->Object] |= Roots[B].ByAccess[A - Item.FirstAccess];
  }
  std::vector<double> Result;
  for (const LineSet &Line : Lines)
    Result.push_back(double(Line.count()));
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
