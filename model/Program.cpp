//===- Program.cpp - totals over loops, calls and threads -----------------===//

#include "model/Program.h"
#include "model/CallBinding.h"
#include "model/PointerSpaces.h"

#include <algorithm>

namespace ergon {

static void collectUnknowns(const Expr &Formula, std::set<std::string> &Into) {
  for (const Term &Each : Formula.terms())
    for (const auto &[Factor, Power] : Each.Factors) {
      if (Factor->What == Atom::Kind::Symbol && isUnknownSymbol(Factor->Name))
        Into.insert(Factor->Name);
      for (const Expr &Operand : Factor->Operands)
        collectUnknowns(Operand, Into);
    }
}

TotalsBuilder::TotalsBuilder(FunctionLookup Find, Substitution Bound, bool UseMeasured)
    : Find(std::move(Find)), Bound(std::move(Bound)), UseMeasured(UseMeasured) {
  for (const auto &[Name, Value] : this->Bound)
    if (isUnknownSymbol(Name) || isLaunchDimension(Name) || isGlobalSymbol(Name) ||
        Name == ProcessCount)
      Global.emplace(Name, Value);
}

static std::size_t sizeOf(const Totals &Of) {
  std::size_t Result = 0;
  for (const auto &[Class, Amount] : Of.Values)
    Result += Amount.size();
  for (const auto &[Name, Kernel] : Of.Kernels)
    for (const auto &[Class, Amount] : Kernel.Values)
      Result += Amount.size();
  return Result;
}

static void nameSites(const Loop &Of, const std::string &Owner,
                      std::map<std::string, unsigned> &Seen,
                      std::map<const Call *, std::string> &Into) {
  for (const Block &Each : Of.Blocks)
    for (const Call &Site : Each.Calls) {
      std::string Name = Site.At.isValid() ? Site.At.text() : Owner + ":" + Site.Callee;
      unsigned Number = ++Seen[Name];
      Into[&Site] = Number == 1 ? Name : Name + "#" + std::to_string(Number);
    }
  for (const Loop &Inner : Of.Loops)
    nameSites(Inner, Owner, Seen, Into);
}

/// The call's position, or the function and its callee; `#2` where several have it.
const std::string &TotalsBuilder::siteName(const Call &Site, const Function &Owner) {
  auto [At, New] = SiteNames.try_emplace(&Owner);
  if (New) {
    std::map<std::string, unsigned> Seen;
    nameSites(Owner.Body, Owner.Name, Seen, At->second);
  }
  return At->second.at(&Site);
}

/// What is put for a formal parameter, in the caller's symbols; nothing where the
/// argument is no formula, or none of the values that have a meaning. Of a pointer the
/// argument says what it points to: a library's formulas mean that, those of code mean
/// the address, and have cells for what is there.
static std::optional<Expr> argument(const Parameter &Formal, bool OfCode,
                                    const std::vector<std::optional<Expr>> &Arguments,
                                    std::size_t Number, const Substitution &Frame) {
  bool IsAddress = OfCode && Formal.Type == "ptr";
  if (IsAddress || Number >= Arguments.size() || !Arguments[Number])
    return std::nullopt;
  if (!Formal.Means)
    return Arguments[Number];
  auto Found = Formal.Means->find(toText(Arguments[Number]->substitute(Frame)));
  return Found == Formal.Means->end() ? std::nullopt : std::optional(Found->second);
}

/// The unknown that stands for what a call passes.
static Expr passedValue(const std::string &SiteName, const std::string &Formal) {
  return Expr::symbol("value@" + SiteName + ":" + Formal);
}

/// What the call that made the handle that argument \p Number is says of it.
Expr TotalsBuilder::member(const Parameter &Formal, const std::string &Name, std::size_t Number,
                           const Call &Site, const Function &Owner, const Substitution &Frame) {
  const std::string &SiteName = siteName(Site, Owner);
  auto Origin = std::ranges::find(Site.Origins, Number, &MadeBy::Number);
  const Function *Maker = Origin == Site.Origins.end() ? nullptr : Find(Origin->Callee, Owner);
  if (!Maker || !Maker->Makes.contains(Name))
    return passedValue(SiteName, Formal.Name + "." + Name);
  Substitution Values;
  for (std::size_t I = 0; I != Maker->Parameters.size(); ++I) {
    const Parameter &Each = Maker->Parameters[I];
    auto Value = argument(Each, false, Origin->Arguments, I, Frame);
    Values.emplace(Each.Name,
                   Value ? *Value : passedValue(SiteName + ":" + Maker->Name, Each.Name));
  }
  return Maker->Makes.at(Name).substitute(Values);
}

/// Worth putting in before the callee is summed up: a number, or an address.
static bool isFixed(const Expr &Value) {
  const Atom *Only = Value.asAtom();
  return Value.constant() ||
         (Only && Only->What == Atom::Kind::Symbol && Only->Name.starts_with('&'));
}

/// What is put for an integer in memory that the callee uses.
Expr TotalsBuilder::cellValue(const Cell &Of, const Function &Callee, const Call &Site,
                              const Function &Owner) {
  auto Value = valueOfCell(Of, Callee, Site, Owner, Cells[&Owner]);
  return Value ? *Value : passedValue(siteName(Site, Owner), Of.Symbol);
}

void Totals::collectSymbols(std::set<std::string> &Into) const {
  for (const auto &[Class, Amount] : Values)
    Amount.collectSymbols(Into);
  for (const auto &[Name, Kernel] : Kernels)
    for (const auto &[Class, Amount] : Kernel.Values)
      Amount.collectSymbols(Into);
  for (const auto &[Name, Times] : OpenCalls)
    Times.collectSymbols(Into);
}

static bool dependsOn(const Counts &Values, const std::string &Symbol) {
  return std::ranges::any_of(
      Values, [&](const Counts::Entry &Each) { return Each.second.dependsOn(Symbol); });
}

/// True where anything that a caller puts values into has \p Symbol in it.
static bool dependsOn(const Totals &Of, const std::string &Symbol) {
  auto InTimes = [&](const auto &Each) { return Each.second.dependsOn(Symbol); };
  return dependsOn(Of.Values, Symbol) || std::ranges::any_of(Of.OpenCalls, InTimes) ||
         std::ranges::any_of(Of.LibraryCalls, InTimes) ||
         std::ranges::any_of(Of.Kernels, [&](const auto &Each) {
           return Each.second.Launches.dependsOn(Symbol) || dependsOn(Each.second.Values, Symbol);
         });
}

/// True for what a library does on the device: cuBLAS, cudaMemset.
static bool usesDeviceMemory(const Counts &Values) {
  return std::ranges::any_of(Values, [](const Counts::Entry &Each) {
    return Each.first == of(CostClass::LoadBytes, Space::Global) ||
           Each.first == of(CostClass::StoreBytes, Space::Global);
  });
}

/// \p Values out of a callee's totals, `Runs.Times` times, with the arguments put in.
void TotalsBuilder::addValues(const Counts &Values, const Totals &Of, const Item &Runs,
                              const Substitution &Actual, std::vector<Item> &Into) {
  std::vector<Item> Fixed;
  for (const auto &[Class, Amount] : Values) {
    Item Next = Runs;
    Expr Cost = Amount.substitute(Actual);
    collectUnknowns(Cost, Next.Rests);
    const std::set<std::string> &Rests = Of.Rests.at(Class);
    Next.Rests.insert(Rests.begin(), Rests.end());
    Next.How = std::max(Next.How, Of.KnownAs.at(Class));
    // Numbers that are known in the same way go together through the loops around.
    if (Cost.constant()) {
      auto Same = std::ranges::find_if(Fixed, [&](const Item &Each) {
        return Each.How == Next.How && Each.Rests == Next.Rests;
      });
      if (Same == Fixed.end())
        Same = Fixed.insert(Same, std::move(Next));
      Same->Each.add(Class, Cost);
      continue;
    }
    Next.Times *= Cost;
    Next.Each.add(Class, Expr(1));
    Into.push_back(std::move(Next));
  }
  std::ranges::move(Fixed, std::back_inserter(Into));
}

/// The cost of a call or launch of something that has a record or a description,
/// `Runs.Times` times.
void TotalsBuilder::addCallee(const Function &Callee, const Call &Site, const Function &Owner,
                              Item Runs, const Substitution &Frame, std::vector<Item> &Into) {
  // Arguments that are numbers are put in before the callee's loops are summed,
  // the others afterwards, so that one sum serves all such calls.
  Substitution Inside = Global, Actual;
  auto Pass = [&](std::string Formal, const Expr &Argument) {
    std::set<std::string> Unknowns;
    collectUnknowns(Argument, Unknowns);
    for (const std::string &Each : Unknowns) // those that somebody gave a value for a reason
      if (Bound.contains(Each))
        Runs.Rests.insert(Each);
    Expr Value = Argument.substitute(Frame);
    Inside.erase(Formal);
    (isFixed(Value) ? Inside : Actual).emplace(std::move(Formal), std::move(Value));
  };
  // Passed too, but no formulas, nor given values: few of them matter, pointers hardly ever.
  std::vector<std::string> NotKnown;
  auto IsPassed = [&](const std::string &Formal) {
    return Actual.contains(Formal) || (Inside.contains(Formal) && !Global.contains(Formal)) ||
           std::ranges::find(NotKnown, Formal) != NotKnown.end();
  };
  for (const Cell &Each : Callee.Cells)
    Pass(Each.Symbol, cellValue(Each, Callee, Site, Owner));
  for (std::size_t I = 0; I != Callee.Parameters.size(); ++I) {
    const Parameter &Formal = Callee.Parameters[I];
    auto Value = argument(Formal, Callee.Library.empty(), Site.Arguments, I, Frame);
    if (!IsPassed(Formal.Name) && !Value && Global.empty())
      NotKnown.push_back(Formal.Name);
    else if (!IsPassed(Formal.Name))
      Pass(Formal.Name, Value ? *Value : passedValue(siteName(Site, Owner), Formal.Name));
    for (const std::string &Name : Formal.Members)
      Pass(Formal.Name + "." + Name, member(Formal, Name, I, Site, Owner, Frame));
  }
  for (const auto &[Symbol, Value] : Site.Globals)
    if (!Global.contains(Symbol)) // what somebody says of a global holds everywhere
      Pass(Symbol, Value);
  if (Site.Shape)
    for (unsigned Axis = 0; Axis != 3; ++Axis) {
      Pass(std::string("grid.") + "xyz"[Axis], Site.Shape->Grid[Axis]);
      Pass(std::string("block.") + "xyz"[Axis], Site.Shape->Block[Axis]);
    }
  passSpaces(Site, Callee, Frame, Inside);
  if (!Callee.Library.empty()) {
    Into.push_back(Runs);
    Into.back().What = Item::Kind::LibraryCall;
    Into.back().Name = Site.Callee;
  }
  const Totals &Inner = Site.IsLaunch ? totalsOfLaunch(Callee, Inside) : totalsOf(Callee, Inside);
  for (const std::string &Each : NotKnown)
    if (dependsOn(Inner, Each))
      Actual.emplace(Each, passedValue(siteName(Site, Owner), Each));
  // What the callee passes on has become a cell of its own by now.
  for (const Cell &Each : Cells[&Callee])
    if (!IsPassed(Each.Symbol))
      Actual.emplace(Each.Symbol, cellValue(Each, Callee, Site, Owner).substitute(Frame));
  if (sizeOf(Inner) > MaxCalleeSize) {
    Into.push_back(Runs);
    Into.back().What = Item::Kind::OpenCall;
    Into.back().Name = (Site.IsLaunch ? "launch:" : "call:") + Callee.Name;
    return;
  }
  bool OnDevice = Site.IsLaunch || (!Callee.Library.empty() && usesDeviceMemory(Inner.Values));
  if (OnDevice) {
    Runs.What = Item::Kind::Kernel;
    Runs.Name = Site.IsLaunch ? Callee.Demangled : Site.Callee;
  }
  addValues(Inner.Values, Inner, Runs, Actual, Into);
  if (OnDevice)
    Into.push_back(Runs); // an item without a cost: the launch
  for (const auto &[Name, Kernel] : Inner.Kernels) {
    Item Next = Runs;
    Next.What = Item::Kind::Kernel;
    Next.Name = Name;
    addValues(Kernel.Values, Inner, Next, Actual, Into);
    Next.Times *= Kernel.Launches.substitute(Actual);
    Into.push_back(std::move(Next));
  }
  for (const auto &[Name, Times] : Inner.OpenCalls) {
    Item Next = Runs;
    Next.Times *= Times.substitute(Actual);
    Next.What = Item::Kind::OpenCall;
    Next.Name = Name;
    Into.push_back(std::move(Next));
  }
  for (const auto &[Name, Times] : Inner.LibraryCalls) {
    Item Next = Runs;
    Next.Times *= Times.substitute(Actual);
    Next.What = Item::Kind::LibraryCall;
    Next.Name = Name;
    Into.push_back(std::move(Next));
  }
}

void TotalsBuilder::addCall(const Call &Site, Item Runs, const Function &Owner,
                            const Substitution &Frame, std::vector<Item> &Into) {
  const Function *Callee = Site.Callee.empty() ? nullptr : Find(Site.Callee, Owner);
  if (Callee && (Callee->IsKernel != Site.IsLaunch || (Site.IsLaunch && !Site.Shape)))
    Callee = nullptr;
  if (Callee && !Active.contains(Callee))
    return addCallee(*Callee, Site, Owner, Runs, Frame, Into);
  Runs.What = Item::Kind::OpenCall;
  if (Site.Callee.empty())
    Runs.Name =
        (Site.IsLaunch ? "launch@" : "call@") + (Site.At.isValid() ? Site.At.text() : Owner.Name);
  else
    Runs.Name = (Site.IsLaunch ? "launch:" : Callee ? "recursion:" : "call:") + Site.Callee;
  Into.push_back(std::move(Runs));
}

static bool dividesByZero(const Expr &Value) {
  for (const Term &Each : Value.terms())
    for (const auto &[Factor, Power] : Each.Factors)
      if ((Factor->What == Atom::Kind::FloorDiv && Factor->Operands[1].isZero()) ||
          std::ranges::any_of(Factor->Operands, dividesByZero))
        return true;
  return false;
}

/// The formula at \p At with a frame's values. One that then divides by zero is kept
/// in mind: in a total nobody can tell any more where it came from.
Expr TotalsBuilder::put(const Substitution &Frame, const Expr &Into, const Function &Owner,
                        const SourceLocation &At) {
  Expr Result = Into.substitute(Frame);
  if (!Division && dividesByZero(Result))
    Division = Owner.Demangled + (At.isValid() ? " at " + At.text() : "");
  return Result;
}

std::vector<TotalsBuilder::Item> TotalsBuilder::itemsOf(const Loop &Region, const Function &Owner,
                                                        const Substitution &Frame) {
  std::vector<Item> Items;
  for (const Block &Each : Region.Blocks) {
    Item Runs{.Times = put(Frame, Each.Runs, Owner, Region.At)};
    collectUnknowns(Each.Runs, Runs.Rests);
    Item Constant = Runs;
    Constant.How = Each.How;
    for (const auto &[Class, Amount] : countsIn(Each, Frame)) {
      if (Amount.constant()) {
        Constant.Each.add(Class, Amount);
        continue;
      }
      Item Varying{.Times = Runs.Times * put(Frame, Amount, Owner, Region.At),
                   .Rests = Runs.Rests,
                   .How = Each.How};
      Varying.Each.add(Class, Expr(1));
      collectUnknowns(Amount, Varying.Rests);
      Items.push_back(std::move(Varying));
    }
    if (!Constant.Each.empty())
      Items.push_back(std::move(Constant));
    for (const Call &Site : Each.Calls)
      addCall(Site, Runs, Owner, Frame, Items);
  }
  for (const Loop &Inner : Region.Loops) {
    Expr Entries = put(Frame, Inner.Entries, Owner, Inner.At);
    for (Item &Each : itemsOf(Inner, Owner, Frame)) {
      Each.Times *= Entries;
      collectUnknowns(Inner.Entries, Each.Rests);
      Items.push_back(std::move(Each));
    }
  }
  Expr Last = put(Frame, Region.Last, Owner, Region.At);
  for (Item &Each : Items) {
    if (!Region.Variable.empty()) {
      Each.Times = sum(Region.Variable, 0, Last, Each.Times);
      collectUnknowns(Region.Last, Each.Rests);
    } else if (!Owner.Assumptions.empty()) {
      Each.How = std::max(Each.How, Known::Assumed);
    }
    Each.How = std::max(Each.How, Region.TripsKnown);
    if (Each.Times.size() > MaxItemSize)
      Each = Item{.Times = 1, .What = Item::Kind::OpenCall, .Name = "formula:" + Owner.Name};
  }
  return Items;
}

TotalsBuilder::Key TotalsBuilder::keyOf(const Function &Which, const Substitution &Frame) {
  std::string Values;
  for (const auto &[Name, Value] : Frame)
    Values += Name + "=" + toText(Value) + ";";
  return {&Which, std::move(Values)};
}

/// \p Frame and what a profile has measured of the function's unknowns.
Substitution TotalsBuilder::withMeasured(const Function &Which, const Substitution &Frame) const {
  Substitution Result = Frame;
  for (const Unknown &Each : Which.Unknowns)
    if (UseMeasured && Each.Measured)
      Result.emplace(Each.Symbol, Expr(*Each.Measured));
  return Result;
}

/// Rests on what a profile has measured, rather than on what somebody has said.
static bool eraseMeasured(std::set<std::string> &Rests, const Function &Which,
                          const Substitution &Said) {
  return std::erase_if(Rests, [&](const std::string &Symbol) {
           auto Found = std::ranges::find(Which.Unknowns, Symbol, &Unknown::Symbol);
           return Found != Which.Unknowns.end() && Found->Measured && !Said.contains(Symbol);
         }) != 0;
}

/// Takes the means that are no whole numbers out of \p Frame. Conditions on iterations
/// are of whole numbers, so such a mean goes in after the sums.
static Substitution takeFractions(Substitution &Frame) {
  Substitution Result;
  for (const auto &[Symbol, Value] : Frame)
    if (auto Number = Value.constant(); Number && !Number->isInteger())
      Result.emplace(Symbol, Value);
  for (const auto &[Symbol, Value] : Result)
    Frame.erase(Symbol);
  return Result;
}

const Totals &TotalsBuilder::totalsOf(const Function &Which, const Substitution &Frame) {
  auto [Slot, New] = Done.try_emplace(keyOf(Which, Frame));
  if (!New)
    return Slot->second;
  Substitution Whole = withMeasured(Which, Frame);
  const Substitution Fractions = takeFractions(Whole);
  Active.insert(&Which);
  for (const Unknown &Each : Which.Unknowns)
    Explained.emplace(Each.Symbol, &Each);
  Cells.try_emplace(&Which, Which.Cells);
  Totals Result;
  for (Item &Each : itemsOf(Which.Body, Which, Whole)) {
    if (!Fractions.empty())
      Each.Times = Each.Times.substitute(Fractions);
    if (UseMeasured && eraseMeasured(Each.Rests, Which, Frame))
      Each.How = std::max(Each.How, Known::Measured);
    if (Each.What == Item::Kind::OpenCall) {
      Result.OpenCalls[Each.Name] += Each.Times;
      continue;
    }
    if (Each.What == Item::Kind::LibraryCall) {
      Result.LibraryCalls[Each.Name] += Each.Times;
      continue;
    }
    KernelTotals *Kernel = Each.What == Item::Kind::Kernel ? &Result.Kernels[Each.Name] : nullptr;
    if (Kernel && Each.Each.empty())
      Kernel->Launches += Each.Times;
    for (const auto &[Class, Amount] : Each.Each) {
      (Kernel ? Kernel->Values : Result.Values).add(Class, Amount * Each.Times);
      Result.Rests[Class].insert(Each.Rests.begin(), Each.Rests.end());
      Known &How = Result.KnownAs[Class];
      How = std::max(How, Each.How);
    }
  }
  Active.erase(&Which);
  return Slot->second = std::move(Result);
}

Unknown TotalsBuilder::explain(const std::string &Symbol) const {
  if (auto Found = Explained.find(Symbol); Found != Explained.end())
    return *Found->second;
  static constexpr std::pair<std::string_view, const char *> ByPrefix[] = {
      {"call:", "a call of code without a record; =0 where its cost does not matter"},
      {"call@", "a call through a pointer; =0 where its cost does not matter"},
      {"launch:", "a launch of a kernel without a record; =0 leaves its cost out"},
      {"launch@", "a launch through a pointer; =0 leaves the kernel's cost out"},
      {"recursion:", "a recursive call; =0 leaves it out"},
      {"formula:", "a formula that is too large to be worked out, or a sum of too many terms"},
      {"value@", "an argument that is no formula of the parameters, or a handle of unknown "
                 "meaning"}};
  for (const auto &[Prefix, Why] : ByPrefix)
    if (Symbol.starts_with(Prefix))
      return {Symbol, {}, Why};
  return {Symbol,
          {},
          Symbol == "omp.threads"     ? "how many threads run a parallel region"
          : isLaunchDimension(Symbol) ? "a dimension of the launch"
          : isGlobalSymbol(Symbol)    ? "a global's value when the entry is called"
          : Symbol == ProcessCount    ? "how many processes the program has"
                                      : "a parameter"};
}

static Counts mapped(const Counts &Of, const std::function<Expr(const Expr &)> &Each) {
  Counts Result;
  for (const auto &[Class, Amount] : Of)
    Result.add(Class, Each(Amount));
  return Result;
}

/// The totals of one thread, summed over those of a launch.
static Totals overThreads(Totals Of, const Substitution &Bound) {
  auto Whole = [&](const Expr &PerThread) {
    return simplifyConditions(sumOverThreads(PerThread, Bound));
  };
  Of.Values = mapped(Of.Values, Whole);
  for (auto *Calls : {&Of.OpenCalls, &Of.LibraryCalls})
    for (auto &[Name, Times] : *Calls)
      Times = Whole(Times);
  return Of;
}

const Totals &TotalsBuilder::totalsOfLaunch(const Function &Kernel, const Substitution &Frame) {
  auto [Slot, New] = Launched.try_emplace(keyOf(Kernel, Frame));
  if (New)
    Slot->second = overThreads(totalsOf(Kernel, Frame), Frame);
  return Slot->second;
}

Totals TotalsBuilder::of(const Function &Entry) {
  Totals Result = ofOneThread(Entry);
  if (Entry.IsKernel)
    return overThreads(std::move(Result), Bound);
  // Outside of parallel regions there is one thread of OpenMP.
  auto Whole = [](const Expr &Each) {
    return simplifyConditions(Each.substitute({{"omp.thread", 0}}));
  };
  for (auto &[Name, Kernel] : Result.Kernels) {
    Kernel.Launches = Whole(Kernel.Launches);
    Kernel.Values = mapped(Kernel.Values, Whole);
    Result.Values += Kernel.Values;
  }
  Result.Values = mapped(Result.Values, Whole);
  for (auto *Calls : {&Result.OpenCalls, &Result.LibraryCalls})
    for (auto &[Name, Times] : *Calls)
      Times = Whole(Times);
  return Result;
}

} // namespace ergon
