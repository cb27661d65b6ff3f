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
std::vector<unsigned> TrafficAnalysis::leadersFirst(const LoopForm::Item &Accessed,
                                                    std::size_t Depth) const {
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
  std::vector<unsigned> Order;
  for (unsigned A = Accessed.FirstAccess; A != Accessed.EndAccess; ++A) {
    auto Behind = std::ranges::find_if(Order, [&](unsigned Other) { return Leads(A, Other); });
    Order.insert(Behind, A);
  }
  return Order;
}

void TrafficAnalysis::attributeMisses(const LoopForm::Item &To, const Touched &Runs,
                                      std::size_t Depth, LineSet Missed, LineSet Dirtied,
                                      std::size_t Level, Tally &Result) const {
  if (Missed.empty() && Dirtied.empty())
    return;
  for (unsigned A : leadersFirst(To, Depth)) {
    const LineSet &Lines = Runs.LinesByAccess[Program.accesses()[A].Like - To.FirstAccess];
    const double Share = lineShareOf(Program.accesses()[A], Caches.front().LineBytes);
    if (!Missed.empty())
      Result.Misses[indexOf(A, Level)] += Share * double(Missed.take(Lines));
    if (!Dirtied.empty() && Program.accesses()[A].Access->What != Access::Kind::Load)
      Result.Dirtied[indexOf(A, Level)] += Share * double(Dirtied.take(Lines));
  }
}

void TrafficAnalysis::addByObject(const LoopForm::Item &I, const Touched &Runs, LineSet Some,
                                  std::vector<double> &Result) const {
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
  const bool IsLast = std::max(Before, After) >> (MaxHalvings - 1) != 0;
  if (IsLast || (!SplitBefore && !SplitAfter)) {
    // A line that one part touches first and the next part last is between both.
    LineSet Window = Between;
    const bool IsMeeting = Before == After + 1;
    Window |= SplitBefore && !IsMeeting ? partOf(R.Earlier, 2 * Before + 1) : Earlier;
    if (IsMeeting)
      Window |= Later;
    else if (SplitAfter)
      Window |= partOf(R.Later, 2 * After);
    R.Missed |= CrowdedSets(Window, Sets, Ways).linesOf(Found);
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

/// The reuse carried by the loop for what iteration \p Number touches. It is one long function, as
/// each step takes the lines that it explains from the same sets: the rest, the lines in between,
/// the misses.
void TrafficAnalysis::follow(const LoopForm &Form, const Iteration &Around, std::int64_t Number,
                             const std::vector<Touched> &Now, LevelMask ActiveLevels,
                             Tally &Result) const {
  const unsigned First = Form.Items.front().FirstAccess, End = Form.Items.back().EndAccess;
  std::vector<std::optional<Touched>> Before(Form.Items.size());
  Iteration I = Around, Remote = Around;
  if (&Form != &Program.body()) {
    I.push_back(Number);
    Remote.push_back(Number - 1);
  }
  for (std::size_t B = 0; B != Form.Items.size(); ++B) {
    if (Now[B].Lines.empty())
      continue;
    const LoopForm::Item &Item = Form.Items[B];
    const Run Later = runOf(Item, I, Now[B]);
    LineSet Rest = Now[B].Lines, RestStores = Now[B].Stores, Window;
    LevelMask Open = ActiveLevels;
    std::vector<LineSet> Missed(Caches.size()), Dirtied(Caches.size());
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
        Reuse R{Last, Later, L};
        if (Open >> L & 1)
          findEvicted(R, 1, 1, LS, Window);
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
      CompareWith(runOf(Form.Items[E - 1], I, Now[E - 1]));
    if (Number > 0)
      for (std::size_t E = Form.Items.size(); Goes() && E != 0; --E) {
        if (!Before[E - 1])
          Before[E - 1] =
              touchedLines(Form.Items[E - 1].FirstAccess, Form.Items[E - 1].EndAccess, {Remote});
        CompareWith(runOf(Form.Items[E - 1], Remote, *Before[E - 1]));
      }
    // The enclosing loop carries the reuse of lines that this loop did not access before. The
    // others were accessed too long ago to be resident.
    LineSet Fresh = Rest;
    if (!Rest.empty() || !RestStores.empty()) {
      Touched Earlier;
      LineSet Set = Rest;
      Set |= RestStores;
      if (Number > 0)
        Earlier = touchedLines(First, End, {Around, Iterations{0, Number - 1}, Set.hull()});
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
      Touched Some = touchedLines(First, End, {Around, Span});
      CompareWith({First, End, &Around, Span, &Some});
      Deadline = From;
    }
    for (std::size_t L = 0; L != Caches.size(); ++L)
      if (ActiveLevels >> L & 1) {
        Missed[L] |= Rest;
        Dirtied[L] |= RestStores;
        if (&Form == &Program.body())
          RootMisses[B][L] = Missed[L];
        attributeMisses(Item, Now[B], I.size(), std::move(Missed[L]), std::move(Dirtied[L]), L,
                        Result);
      }
    LineSet Carried = Now[B].Lines;
    addByObject(Item, Now[B], Carried -= Fresh, Result.Carried);
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
  Tally Result = emptyTally();
  Iteration Position = Around;
  if (&Form != &Program.body())
    Position.push_back(Number);
  std::vector<Touched> Own;
  if (&Form != &Program.body())
    for (const LoopForm::Item &Item : Form.Items)
      Own.push_back(touchedBy(Item, Position));
  const std::vector<Touched> &Now = &Form == &Program.body() ? Roots : Own;
  for (std::size_t B = 0; B != Now.size(); ++B) {
    const LoopForm::Item &Item = Form.Items[B];
    std::vector<double> Touches(Objects);
    addByObject(Item, Now[B], Now[B].Lines, Touches);
    for (std::size_t O = 0; O != Objects; ++O)
      Result.Touches[O] += Touches[O];
    if (!Item.Inner || !hold(Item.Conditions, Position))
      continue;
    const unsigned Streams = streamsOf(*Item.Inner, Position);
    LevelMask Inside = 0;
    for (std::size_t L = 0; L != Caches.size(); ++L)
      if (ActiveLevels >> L & 1 && Streams > Caches[L].Ways && !fits(Now[B].Lines, L))
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
  follow(Form, Around, Number, Now, ActiveLevels, Result);
  return Result;
}

std::vector<double> TrafficAnalysis::knownLines() const {
  std::vector<LineSet> Lines(Objects);
  for (std::size_t B = 0; B != Roots.size(); ++B) {
    const LoopForm::Item &Item = Program.body().Items[B];
    for (unsigned A = Item.FirstAccess; A != Item.EndAccess; ++A)
      if (const AccessForm &Access = Program.accesses()[A]; Access.Offset && Access.Like == A)
        Lines[Access.Access->Object] |= Roots[B].LinesByAccess[A - Item.FirstAccess];
  }
  std::vector<double> Result;
  for (const LineSet &Line : Lines)
    Result.push_back(double(Line.count()));
  return Result;
}

Tally TrafficAnalysis::run() {
  for (const LoopForm::Item &Item : Program.body().Items)
    Roots.push_back(touchedBy(Item, {}));
  RootMisses.assign(Roots.size(), std::vector<LineSet>(Caches.size()));
  LevelMask All = (1u << Caches.size()) - 1;
  Tally Result = sampleOf(Program.body(), {}, 0, All);
  LineSet Known, KnownStores;
  for (std::size_t B = 0; B != Roots.size(); ++B) {
    const LoopForm::Item &Item = Program.body().Items[B];
    const Touched &Accessed = Roots[B];
    LineSet Fresh = Accessed.Lines, FreshStores = Accessed.Stores;
    Fresh -= Known;
    FreshStores -= KnownStores;
    for (std::size_t L = 0; L != Caches.size(); ++L)
      attributeMisses(Item, Accessed, 0, Fresh, FreshStores, L, Result);
    Known |= Accessed.Lines;
    KnownStores |= Accessed.Stores;
  }
  for (std::size_t I = 0; I != Result.Misses.size(); ++I) {
    Result.Misses[I] += Result.InnerMisses[I];
    Result.Dirtied[I] += Result.InnerDirtied[I];
  }
  for (std::size_t L = 0; L != Caches.size(); ++L)
    subtractStillDirty(L, Result.Dirtied);
  return Result;
}

} // namespace ergon
