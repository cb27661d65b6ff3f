//===- Program.cpp - totals over loops, calls and threads -----------------===//

#include "model/program/Program.h"
#include "model/program/CallBinding.h"
#include "model/program/PointerSpaces.h"

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
    : Find(Find), Bound(std::move(Bound)), UseMeasured(UseMeasured),
      Frames(std::move(Find), this->Bound) {}

/// Worth putting in before the callee is summed up: a number, or an address.
static bool isFixed(const Expr &Value) {
  const Atom *Only = Value.asAtom();
  return Value.constant() ||
         (Only && Only->What == Atom::Kind::Symbol && Only->Name.starts_with('&'));
}

void Totals::collectSymbols(std::set<std::string> &Into) const {
  for (const auto &[Class, Amount] : Values)
    Amount.collectSymbols(Into);
  for (const auto &[Name, Kernel] : Kernels)
    for (const auto &[Class, Amount] : Kernel.Values)
      Amount.collectSymbols(Into);
  for (const auto &[Name, Times] : OpenCalls)
    Times.collectSymbols(Into);
  for (const auto &[Class, Symbols] : InLarge)
    Into.insert(Symbols.begin(), Symbols.end());
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
    if (auto Large = Of.InLarge.find(Class); Large != Of.InLarge.end())
      for (const std::string &Symbol : Large->second) { // in the caller's words
        if (auto Value = Actual.find(Symbol); Value != Actual.end())
          Value->second.collectSymbols(Next.InLarge);
        else
          Next.InLarge.insert(Symbol);
      }
    // Numbers that are known in the same way go together through the loops around.
    if (Cost.constant()) {
      auto Same = std::ranges::find_if(Fixed, [&](const Item &Each) {
        return Each.How == Next.How && Each.Rests == Next.Rests && Each.InLarge == Next.InLarge;
      });
      if (Same == Fixed.end())
        Same = Fixed.insert(Same, std::move(Next));
      Same->Each.add(Class, Cost);
      continue;
    }
    Next.Times *= Cost.size() > MaxItemSize ? asFactor(Cost) : Cost;
    Next.Each.add(Class, Expr(1));
    Into.push_back(std::move(Next));
  }
  std::ranges::move(Fixed, std::back_inserter(Into));
}

/// True where argument \p Number of \p Site comes of arithmetic that may wrap around.
static bool mayWrap(const Call &Site, std::ptrdiff_t Number) {
  return std::ranges::find(Site.Wrapping, unsigned(Number)) != Site.Wrapping.end();
}

/// The cost of a call or launch of something that has a record or a description,
/// `Runs.Times` times. It is longer than others: arguments, the callee's totals and what they
/// add share the tables of values that are put in before and after the callee's loops are summed.
void TotalsBuilder::addCallee(const Function &Callee, const Call &Site, const Function &Owner,
                              Item Runs, const Substitution &Frame, std::vector<Item> &Into) {
  // Arguments that are numbers are put in before the callee's loops are summed,
  // the others afterwards, so that one sum serves all such calls.
  Substitution Inside = Frames.global(), Actual;
  CallFrames::Passed Passed = Frames.at(Site, Callee, Owner, Frame);
  std::set<std::string> IsPassed(Passed.NotKnown.begin(), Passed.NotKnown.end());
  std::vector<std::pair<std::string, Expr>> Unfit; // arguments that a parameter's type cannot hold
  for (auto &[Formal, Argument] : Passed.Values) {
    std::set<std::string> Unknowns;
    collectUnknowns(Argument, Unknowns);
    for (const std::string &Each : Unknowns) // those that somebody gave a value for a reason
      if (Bound.contains(Each))
        Runs.Rests.insert(Each);
    Expr Value = Argument.substitute(Frame);
    if (auto Found = std::ranges::find(Callee.Parameters, Formal, &Parameter::Name);
        Found != Callee.Parameters.end())
      if (Expr Wraps = fitInto(*Found, Argument, mayWrap(Site, Found - Callee.Parameters.begin()),
                               Owner, Value);
          !Wraps.isZero())
        Unfit.emplace_back(Formal, std::move(Wraps));
    if (IsPassed.insert(Formal).second)
      Inside.erase(Formal);
    (isFixed(Value) ? Inside : Actual).emplace(Formal, std::move(Value));
  }
  passSpaces(Site, Callee, Frame, Inside);
  if (!Callee.Library.empty()) {
    Into.push_back(Runs);
    Into.back().What = Item::Kind::LibraryCall;
    Into.back().Name = Site.Callee;
  }
  const Totals &Whole = Site.IsLaunch ? totalsOfLaunch(Callee, Inside) : totalsOf(Callee, Inside);
  for (const std::string &Each : Passed.NotKnown)
    if (dependsOn(Whole, Each))
      Actual.emplace(Each, Frames.unknownAt(Site, Owner, Each));
  // What the callee passes on has become a cell of its own by now.
  for (const Cell &Each : Frames.cells(Callee))
    if (!IsPassed.contains(Each.Symbol))
      Actual.emplace(Each.Symbol, Frames.cellValue(Each, Callee, Site, Owner).substitute(Frame));
  const std::optional<Totals> Bounded = boundSize(Whole, Callee);
  const Totals &Inner = Bounded ? *Bounded : Whole;
  for (auto &[Formal, Wraps] : Unfit) {
    if (!dependsOn(Inner, Formal))
      continue;
    Into.push_back(Runs);
    Into.back().What = Item::Kind::Wrap;
    Into.back().Name = Site.At.isValid() ? Site.At.text() : Owner.Demangled;
    Into.back().Times *= Wraps;
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
  auto AddNamed = [&](const std::map<std::string, Expr> &Happens, Item::Kind What) {
    for (const auto &[Name, Times] : Happens) {
      Item Next = Runs;
      Next.Times *= Times.substitute(Actual);
      Next.What = What;
      Next.Name = Name;
      Into.push_back(std::move(Next));
    }
  };
  AddNamed(Inner.OpenCalls, Item::Kind::OpenCall);
  AddNamed(Inner.LibraryCalls, Item::Kind::LibraryCall);
  AddNamed(Inner.Wraps, Item::Kind::Wrap);
}

void TotalsBuilder::addCall(const Call &Site, Item Runs, const Function &Owner,
                            const Substitution &Frame, std::vector<Item> &Into) {
  const Function *Callee = calleeOf(Site, Owner, Find);
  if (Callee && !Active.contains(Callee))
    return addCallee(*Callee, Site, Owner, Runs, Frame, Into);
  Runs.What = Item::Kind::OpenCall;
  if (!Site.Symbol.empty() && Site.Callee.empty())
    Runs.Name = Site.Symbol;
  else if (Site.Callee.empty())
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
      Expr Times = Each.Times * Entries;
      if (Times.size() > MaxItemSize) // what is not multiplied out is evaluated all the same
        Times = asFactor(Each.Times) * asFactor(Entries);
      Each.Times = std::move(Times);
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
    boundSize(Each, Owner);
    Each.InLarge.erase(Region.Variable);
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

/// True where \p Which costs the same whatever it is given: a run counted each block of it.
static bool isMeanOfAllCalls(const Loop &Body) {
  auto IsFree = [](const Expr &Of) {
    std::set<std::string> Symbols;
    Of.collectSymbols(Symbols);
    return std::ranges::all_of(Symbols, isUnknownSymbol);
  };
  return Body.Loops.empty() && std::ranges::all_of(Body.Blocks, [&](const Block &Each) {
           return IsFree(Each.Runs) &&
                  std::ranges::all_of(Each.PerRun, [&](const Counts::Entry &Class) {
                    return IsFree(Class.second);
                  });
         });
}

/// Of a function that calls itself m < 1 times in the mean, one call from outside makes
/// 1 + m + m² + … = 1 / (1 - m) calls.
void TotalsBuilder::closeRecursion(const Function &Which, Totals &Of) {
  auto Own = Of.OpenCalls.find("recursion:" + Which.Name);
  auto Times = Own == Of.OpenCalls.end() ? std::nullopt : Own->second.constant();
  if (!Times || *Times < 0 || *Times >= 1 || !isMeanOfAllCalls(Which.Body))
    return;
  Of.OpenCalls.erase(Own);
  const bool IsMeasured = std::ranges::any_of(
      Which.Unknowns, [](const Unknown &Each) { return Each.Measured.has_value(); });
  for (const auto &[Class, Amount] : Of.Values) {
    Known &How = Of.KnownAs[Class];
    How = std::max(How, IsMeasured ? Known::Measured : Known::Assumed);
  }
  const Expr Calls(Rational(1) / (Rational(1) - *Times));
  Of.Values = Of.Values * Calls;
  for (auto &[Name, Kernel] : Of.Kernels) {
    Kernel.Launches *= Calls;
    Kernel.Values = Kernel.Values * Calls;
  }
  for (auto *Open : {&Of.OpenCalls, &Of.LibraryCalls})
    for (auto &[Name, Each] : *Open)
      Each *= Calls;
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
    if (Each.What == Item::Kind::Wrap) {
      Result.Wraps[Each.Name] += Each.Times;
      continue;
    }
    KernelTotals *Kernel = Each.What == Item::Kind::Kernel ? &Result.Kernels[Each.Name] : nullptr;
    if (Kernel && Each.Each.empty())
      Kernel->Launches += Each.Times;
    for (const auto &[Class, Amount] : Each.Each) {
      (Kernel ? Kernel->Values : Result.Values).add(Class, Amount * Each.Times);
      Result.Rests[Class].insert(Each.Rests.begin(), Each.Rests.end());
      if (!Each.InLarge.empty())
        Result.InLarge[Class].insert(Each.InLarge.begin(), Each.InLarge.end());
      Known &How = Result.KnownAs[Class];
      How = std::max(How, Each.How);
    }
  }
  for (const WrapCheck &Each : Which.WrapChecks)
    if (Expr Wraps = Each.Wraps.substitute(Whole).substitute(Fractions); !Wraps.isZero())
      Result.Wraps[Each.At.isValid() ? Each.At.text() : Which.Demangled] += Wraps;
  Active.erase(&Which);
  closeRecursion(Which, Result);
  return Slot->second = withNumbers(std::move(Result));
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

/// The totals of one thread, summed over those of a launch.
static Totals overThreads(Totals Of, const Substitution &Bound) {
  auto Whole = [&](const Expr &PerThread) {
    return simplifyConditions(sumOverThreads(PerThread, Bound));
  };
  Of.Values = mapped(Of.Values, Whole);
  for (auto *Calls : {&Of.OpenCalls, &Of.LibraryCalls, &Of.Wraps})
    for (auto &[Name, Times] : *Calls)
      Times = Whole(Times);
  for (auto &[Class, Symbols] : Of.InLarge) // a thread's index has all values
    std::erase_if(Symbols, [](const std::string &Name) {
      return Name.starts_with("threadIdx.") || Name.starts_with("blockIdx.");
    });
  return Of;
}

const Totals &TotalsBuilder::totalsOfLaunch(const Function &Kernel, const Substitution &Frame) {
  auto [Slot, New] = Launched.try_emplace(keyOf(Kernel, Frame));
  if (New)
    Slot->second = withNumbers(overThreads(totalsOf(Kernel, Frame), Frame));
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
  for (auto *Calls : {&Result.OpenCalls, &Result.LibraryCalls, &Result.Wraps})
    for (auto &[Name, Times] : *Calls)
      Times = Whole(Times);
  return Result;
}

} // namespace ergon
