//===- Program.cpp - totals over loops, calls and threads -----------------===//

#include "model/program/Program.h"
#include "model/program/CallBinding.h"
#include "model/program/MeanCalls.h"
#include "model/program/ParallelRegions.h"
#include "model/program/PointerSpaces.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace ergon {

static void collectUnknowns(const Expr &Formula, std::set<std::string> &Result) {
  for (const Term &T : Formula.terms())
    for (const auto &[Factor, Power] : T.Factors) {
      if (Factor->What == Atom::Kind::Symbol && isUnknownSymbol(Factor->Name))
        Result.insert(Factor->Name);
      for (const Expr &Operand : Factor->Operands)
        collectUnknowns(Operand, Result);
    }
}

/// Adds \p More to \p Names. What counts add up to rests mostly on the same.
static void addNames(const std::set<std::string> &More, std::set<std::string> &Names) {
  if (More.empty())
    return;
  if (Names.empty())
    Names = More;
  else if (Names != More)
    Names.insert(More.begin(), More.end());
}

TotalsBuilder::TotalsBuilder(FunctionLookup Find, Substitution Bound, bool UseMeasured,
                             std::shared_ptr<ClosedSums> Sums)
    : Find(Find), Bound(std::move(Bound)), UseMeasured(UseMeasured), Closed(std::move(Sums)),
      Frames(std::move(Find), this->Bound) {
  std::erase_if(this->Bound, [](const auto &Value) { return isPassedToAll(Value.first); });
}

/// Worth substituting before the callee is summed: a number, or an address.
bool TotalsBuilder::isFixed(const Expr &Value) {
  const Atom *Only = Value.asAtom();
  return Value.constant() ||
         (Only && Only->What == Atom::Kind::Symbol && Only->Name.starts_with('&'));
}

const std::set<std::string> &Totals::unknownsOf(CostClass Class) const {
  static const std::set<std::string> None;
  const auto Found = Rests.find(Class);
  return Found == Rests.end() ? None : Found->second;
}

void Totals::collectSymbols(std::set<std::string> &Result) const {
  for (const auto &[Class, Amount] : Values)
    Amount.collectSymbols(Result);
  for (const auto &[Name, Kernel] : Kernels)
    for (const auto &[Class, Amount] : Kernel.Values)
      Amount.collectSymbols(Result);
  for (const auto &[Name, Times] : OpenCalls)
    Times.collectSymbols(Result);
  for (const auto &[Class, Symbols] : InLarge)
    Result.insert(Symbols.begin(), Symbols.end());
}

static bool dependsOn(const Counts &Values, const std::string &Symbol) {
  return std::ranges::any_of(Values,
                             [&](const Counts::Entry &E) { return E.second.dependsOn(Symbol); });
}

/// True where anything that a caller substitutes values into contains \p Symbol.
static bool dependsOn(const Totals &T, const std::string &Symbol) {
  auto InTimes = [&](const auto &Item) { return Item.second.dependsOn(Symbol); };
  return dependsOn(T.Values, Symbol) || std::ranges::any_of(T.OpenCalls, InTimes) ||
         std::ranges::any_of(T.LibraryCalls, InTimes) ||
         std::ranges::any_of(T.Kernels, [&](const auto &I) {
           return I.second.Launches.dependsOn(Symbol) || dependsOn(I.second.Values, Symbol);
         });
}

/// True where \p T depends on an argument that the caller does not know.
static bool needsArguments(const Totals &T, const Substitution &Actual) {
  return std::ranges::any_of(Actual, [&](const auto &Argument) {
    std::set<std::string> Unknowns;
    collectUnknowns(Argument.second, Unknowns);
    return std::ranges::any_of(
               Unknowns,
               [](const std::string &Name) { return symbolText(Name).starts_with("value@"); }) &&
           dependsOn(T, Argument.first);
  });
}

bool usesDeviceMemory(const Counts &Values) {
  return std::ranges::any_of(Values, [](const Counts::Entry &E) {
    return E.first == of(CostClass::LoadBytes, Space::Global) ||
           E.first == of(CostClass::StoreBytes, Space::Global);
  });
}

/// \p Values of a callee's totals, `Runs.Times` times, with arguments substituted.
void TotalsBuilder::addValues(const Counts &Values, const Totals &T, const Item &Runs,
                              const Substitution &Actual) {
  std::vector<Item> Fixed;
  for (const auto &[Class, Amount] : Values) {
    Expr Cost = Amount.substitute(Actual);
    std::set<std::string> Rests = Runs.Rests, InLarge = Runs.InLarge;
    collectUnknowns(Cost, Rests);
    addNames(T.unknownsOf(Class), Rests);
    const Known How = std::max(Runs.How, T.KnownAs.at(Class));
    if (auto Large = T.InLarge.find(Class); Large != T.InLarge.end())
      for (const std::string &Symbol : Large->second) { // in the caller's terms
        if (auto Value = Actual.find(Symbol); Value != Actual.end())
          Value->second.collectSymbols(InLarge);
        else
          InLarge.insert(Symbol);
      }
    // Numbers known in the same way are combined before the sums of outer loops.
    const bool IsNumber = Cost.constant().has_value();
    auto Position = !IsNumber ? Fixed.end() : std::ranges::find_if(Fixed, [&](const Item &I) {
      return I.How == How && I.Rests == Rests && I.InLarge == InLarge;
    });
    if (Position == Fixed.end()) {
      Item Next = Runs;
      Next.Rests = std::move(Rests);
      Next.InLarge = std::move(InLarge);
      Next.How = How;
      if (!IsNumber) {
        Next.Times *= Cost.size() > MaxItemSize ? asFactor(Cost) : Cost;
        Next.CostPerTime.add(Class, Expr(1));
        Items.push_back(std::move(Next));
        continue;
      }
      Position = Fixed.insert(Position, std::move(Next));
      Position->CostPerTime.reserve(std::size_t(Values.end() - Values.begin()));
    }
    Position->CostPerTime.add(Class, std::move(Cost));
  }
  std::ranges::move(Fixed, std::back_inserter(Items));
}

/// True where argument \p Number of \p Site comes from arithmetic that may wrap around.
static bool mayWrap(const Call &Site, std::ptrdiff_t Number) {
  return std::ranges::find(Site.Wrapping, unsigned(Number)) != Site.Wrapping.end();
}

/// The counts of a call or launch of something with a record or a description, `Runs.Times` times.
/// It is long, as arguments, the callee's totals and the result share the substituted values.
void TotalsBuilder::addCallee(const Function &Callee, const Call &Site, const Function &Owner,
                              Item Runs, const Substitution &Frame) {
  // Numeric arguments are substituted before the callee's loops are summed, the others afterwards,
  // so that one sum serves all such calls.
  Substitution Inside = Frames.global(), Actual;
  CallFrames::Passed Passed = Frames.at(Site, Callee, Owner, Frame);
  std::vector<std::string_view> AllPassed(Passed.NotKnown.begin(), Passed.NotKnown.end());
  auto IsPassed = [&](std::string_view Formal) {
    return std::ranges::find(AllPassed, Formal) != AllPassed.end();
  };
  std::vector<std::pair<std::string, Expr>> Unfit; // arguments that a parameter's type cannot hold
  for (auto &[Formal, Argument] : Passed.Values) {
    std::set<std::string> Unknowns;
    collectUnknowns(Argument, Unknowns);
    for (const std::string &Unknown : Unknowns) // those that the user gave a value for a reason
      if (Bound.contains(Unknown))
        Runs.Rests.insert(Unknown);
    Expr Value = Argument.substitute(Frame);
    if (auto Found = std::ranges::find(Callee.Parameters, Formal, &Parameter::Name);
        Found != Callee.Parameters.end())
      if (Expr Wraps = fitInto(*Found, Argument, mayWrap(Site, Found - Callee.Parameters.begin()),
                               Owner, Value);
          !Wraps.isZero())
        Unfit.emplace_back(Formal, std::move(Wraps));
    if (!IsPassed(Formal)) {
      AllPassed.push_back(Formal);
      Inside.erase(Formal);
    }
    (isFixed(Value) ? Inside : Actual).emplace(Formal, std::move(Value));
  }
  passSpaces(Site, Callee, Frame, Inside, /*OfHost=*/false);
  if (!Callee.Library.empty()) {
    Items.push_back(Runs);
    Items.back().What = Item::Kind::LibraryCall;
    Items.back().Name = Site.Callee;
  }
  const Totals &Whole = Site.IsLaunch ? totalsOfLaunch(Callee, Inside) : totalsOf(Callee, Inside);
  for (const std::string &Text : Passed.NotKnown)
    if (dependsOn(Whole, Text))
      Actual.emplace(Text, Frames.unknownAt(Site, Callee, Owner, Text).substitute(Frame));
  // Cells that the callee passes on are known by now.
  for (const Cell &C : Frames.cells(Callee))
    if (!IsPassed(C.Symbol))
      Actual.emplace(C.Symbol, Frames.cellValue(C, Callee, Site, Owner).substitute(Frame));
  if (UseMeasured && !Site.IsLaunch && Callee.AsRun && needsArguments(Whole, Actual))
    return addCallee(*Callee.AsRun, Site, Owner, std::move(Runs), Frame);
  const std::optional<Totals> Bounded = boundSize(Whole, Callee);
  const Totals &Inner = Bounded ? *Bounded : Whole;
  for (auto &[Formal, Wraps] : Unfit) {
    if (!dependsOn(Inner, Formal))
      continue;
    Items.push_back(Runs);
    Items.back().What = Item::Kind::Wrap;
    Items.back().Name = Site.Location.isValid() ? Site.Location.text() : Owner.Demangled;
    Items.back().Times *= Wraps;
  }
  bool OnDevice = Site.IsLaunch || (!Callee.Library.empty() && usesDeviceMemory(Inner.Values));
  if (OnDevice) {
    Runs.What = Item::Kind::Kernel;
    Runs.Name = Site.IsLaunch ? Callee.Demangled : Site.Callee;
  }
  addValues(Inner.Values, Inner, Runs, Actual);
  if (OnDevice)
    Items.push_back(Runs); // an item without a cost: the launch
  for (const auto &[Name, Kernel] : Inner.Kernels) {
    Item Next = Runs;
    Next.What = Item::Kind::Kernel;
    Next.Name = Name;
    addValues(Kernel.Values, Inner, Next, Actual);
    Next.Times *= Kernel.Launches.substitute(Actual);
    Items.push_back(std::move(Next));
  }
  auto AddNamed = [&](const std::map<std::string, Expr> &Happens, Item::Kind What) {
    for (const auto &[Name, Times] : Happens) {
      Item Next = Runs;
      Next.Times *= Times.substitute(Actual);
      Next.What = What;
      Next.Name = Name;
      Items.push_back(std::move(Next));
    }
  };
  AddNamed(Inner.OpenCalls, Item::Kind::OpenCall);
  AddNamed(Inner.LibraryCalls, Item::Kind::LibraryCall);
  AddNamed(Inner.Wraps, Item::Kind::Wrap);
}

void TotalsBuilder::addCall(const Call &Site, Item Runs, const Function &Owner,
                            const Substitution &Frame) {
  const Function *Callee = calleeOf(Site, Owner, Find);
  if (Callee && !Active.contains(Callee))
    return addCallee(*Callee, Site, Owner, std::move(Runs), Frame);
  Runs.What = Item::Kind::OpenCall;
  Runs.Name = openCallName(Site, Owner, Callee != nullptr);
  Items.push_back(std::move(Runs));
}

static bool dividesByZero(const Expr &Value) {
  for (const Term &T : Value.terms())
    for (const auto &[Factor, Power] : T.Factors)
      if ((Factor->What == Atom::Kind::FloorDiv && Factor->Operands[1].isZero()) ||
          std::ranges::any_of(Factor->Operands, dividesByZero))
        return true;
  return false;
}

/// The formula at \p Location with a frame's values. Records one that divides by zero: a total no
/// longer shows its origin.
Expr TotalsBuilder::put(const Substitution &Frame, const Expr &Target, const Function &Owner,
                        const SourceLocation &Location) {
  Expr Result = Target.substitute(Frame);
  if (!Division && dividesByZero(Result))
    Division = Owner.Demangled + (Location.isValid() ? " at " + Location.text() : "");
  return Result;
}

/// Adds the items of \p Region, for one entry of it.
void TotalsBuilder::addItems(const Loop &Region, const Function &Owner, const Substitution &Frame) {
  const std::size_t First = Items.size();
  for (const Block &B : Region.Blocks) {
    Item Runs{.Times = put(Frame, B.Runs, Owner, Region.Location)};
    collectUnknowns(B.Runs, Runs.Rests);
    Item Constant = Runs;
    Constant.How = B.How;
    const std::optional<Counts> InSpaces = countsIn(B, Frame);
    if (!InSpaces && std::ranges::all_of(B.PerRun, [](const Counts::Entry &E) {
          return E.second.constant().has_value();
        }))
      Constant.OfBlock = &B.PerRun;
    else
      for (const auto &[Class, Amount] : InSpaces ? *InSpaces : B.PerRun) {
        if (Amount.constant()) {
          Constant.CostPerTime.add(Class, Amount);
          continue;
        }
        Item Varying{.Times = Runs.Times * put(Frame, Amount, Owner, Region.Location),
                     .Rests = Runs.Rests,
                     .How = B.How};
        Varying.CostPerTime.add(Class, Expr(1));
        collectUnknowns(Amount, Varying.Rests);
        Items.push_back(std::move(Varying));
      }
    if (!Constant.cost().empty())
      Items.push_back(std::move(Constant));
    Runs.How = B.How;
    for (const Call &Site : B.Calls)
      addCall(Site, Runs, Owner, Frame);
  }
  for (const Loop &Inner : Region.Loops) {
    const Expr Entries = put(Frame, Inner.Entries, Owner, Inner.Location);
    const std::size_t FirstInside = Items.size();
    addItems(Inner, Owner, Frame);
    for (Item &I : std::span(Items).subspan(FirstInside)) {
      Expr Times = I.Times * Entries;
      if (Times.size() > MaxItemSize) // factors that are not expanded are still evaluated
        Times = asFactor(I.Times) * asFactor(Entries);
      I.Times = std::move(Times);
      collectUnknowns(Inner.Entries, I.Rests);
    }
  }
  const Expr Last = put(Frame, Region.Last, Owner, Region.Location);
  for (Item &Entry : std::span(Items).subspan(First)) {
    if (!Region.Variable.empty()) {
      Entry.Times = Closed->overIterations(Region.Variable, Last, Entry.Times);
      collectUnknowns(Region.Last, Entry.Rests);
    } else if (!Owner.Assumptions.empty()) {
      Entry.How = std::max(Entry.How, Known::Assumed);
    }
    Entry.How = std::max(Entry.How, Region.TripsKnown);
    boundSize(Entry, Owner);
    Entry.InLarge.erase(Region.Variable);
  }
}

/// Depends on measured values, not on values set by the user.
static bool eraseMeasured(std::set<std::string> &Rests, const Function &Which,
                          const Substitution &Said) {
  return std::erase_if(Rests, [&](const std::string &Symbol) {
           auto Found = std::ranges::find(Which.Unknowns, Symbol, &Unknown::Symbol);
           return Found != Which.Unknowns.end() && Found->Measured && !Said.contains(Symbol);
         }) != 0;
}

/// Removes fractional means from \p Frame. Conditions on iterations are for integers, so such a
/// mean is substituted after the sums.
static Substitution takeFractions(Substitution &Frame) {
  Substitution Result;
  for (const auto &[Symbol, Value] : Frame)
    if (auto Number = Value.constant(); Number && !Number->isInteger() && !isReal(Symbol))
      Result.emplace(Symbol, Value);
  for (const auto &[Symbol, Value] : Result)
    Frame.erase(Symbol);
  return Result;
}

/// For a function that calls itself m < 1 times on average, one external call makes 1 + m + m² + …
/// = 1 / (1 - m) calls.
void TotalsBuilder::closeRecursion(const Function &Which, Totals &T) {
  auto Own = T.OpenCalls.find("recursion:" + Which.Name);
  auto Times = Own == T.OpenCalls.end() ? std::nullopt : Own->second.constant();
  if (!Times || *Times < 0 || *Times >= 1 || !isMeanOfAllCalls(Which.Body))
    return;
  T.OpenCalls.erase(Own);
  const bool IsMeasured =
      std::ranges::any_of(Which.Unknowns, [](const Unknown &U) { return U.Measured.has_value(); });
  for (const auto &[Class, Amount] : T.Values) {
    Known &How = T.KnownAs[Class];
    How = std::max(How, IsMeasured ? Known::Measured : Known::Assumed);
  }
  const Expr Calls(Rational(1) / (Rational(1) - *Times));
  T.Values = T.Values * Calls;
  for (auto &[Name, Kernel] : T.Kernels) {
    Kernel.Launches *= Calls;
    Kernel.Values = Kernel.Values * Calls;
  }
  for (auto *Open : {&T.OpenCalls, &T.LibraryCalls})
    for (auto &[Name, E] : *Open)
      E *= Calls;
}

const Totals &TotalsBuilder::totalsOf(const Function &Which, const Substitution &Frame) {
  auto [Slot, New] = Done.try_emplace(keyOf(Which, Frame));
  if (!New)
    return Slot->second;
  Substitution Whole = withMeasured(Which, Frame);
  const Substitution Fractions = takeFractions(Whole);
  Active.insert(&Which);
  for (const Unknown &U : Which.Unknowns) {
    Explained.emplace(U.Symbol, &U);
    if (U.Limit)
      Limits.add(U.Symbol, U.Limit->substitute(Whole).constant());
  }
  Totals Result;
  struct Sum {
    CostClass Class;
    Rational Number;
    std::vector<Term> Terms; // one sort of all is faster than thousands of sums
    std::set<std::string> Rests;
    Known How = Known::Exact;
  };
  std::vector<Sum> Sums;
  Sums.reserve(16);                                  // as many as most functions need
  std::array<std::size_t, NumCostClasses> PlaceOf{}; // one more than that in Sums; 0: none yet
  const std::size_t FirstItem = Items.size();
  addItems(Which.Body, Which, Whole);
  for (Item &I : std::span(Items).subspan(FirstItem)) {
    if (!Fractions.empty())
      I.Times = I.Times.substitute(Fractions);
    if (UseMeasured && eraseMeasured(I.Rests, Which, Frame))
      I.How = std::max(I.How, Known::Measured);
    if (I.What == Item::Kind::OpenCall) {
      Result.OpenCalls[I.Name] += I.Times;
      continue;
    }
    if (I.What == Item::Kind::LibraryCall) {
      Result.LibraryCalls[I.Name] += I.Times;
      continue;
    }
    if (I.What == Item::Kind::Wrap) {
      Result.Wraps[I.Name] += I.Times;
      continue;
    }
    KernelTotals *Kernel = I.What == Item::Kind::Kernel ? &Result.Kernels[I.Name] : nullptr;
    if (Kernel && I.cost().empty())
      Kernel->Launches += I.Times;
    const auto Times = I.Times.constant();
    for (const auto &[Class, Amount] : I.cost()) {
      std::size_t &Place = PlaceOf[std::size_t(Class)];
      if (Place == 0) {
        Sums.push_back({Class, {}, {}, {}});
        Place = Sums.size();
      }
      Sum &All = Sums[Place - 1];
      if (const auto Number = Times ? Amount.constant() : std::nullopt; Number && !Kernel)
        All.Number += *Number * *Times;
      else if (const Expr Amounts = Amount * I.Times; Kernel)
        Kernel->Values.add(Class, Amounts);
      else
        All.Terms.insert(All.Terms.end(), Amounts.terms().begin(), Amounts.terms().end());
      addNames(I.Rests, All.Rests);
      if (!I.InLarge.empty())
        Result.InLarge[Class].insert(I.InLarge.begin(), I.InLarge.end());
      All.How = std::max(All.How, I.How);
    }
  }
  Items.erase(Items.begin() + std::ptrdiff_t(FirstItem), Items.end());
  Result.Values.reserve(Sums.size());
  Result.KnownAs.reserve(Sums.size());
  for (const std::size_t Place : PlaceOf) {
    if (Place == 0)
      continue;
    Sum &All = Sums[Place - 1];
    Expr Whole(All.Number);
    if (!All.Terms.empty())
      Whole += Expr::fromTerms(std::move(All.Terms));
    Result.Values.add(All.Class, std::move(Whole));
    if (!All.Rests.empty())
      Result.Rests.emplace(All.Class, std::move(All.Rests));
    Result.KnownAs.append(All.Class, All.How);
  }
  for (const WrapCheck &Check : Which.WrapChecks)
    if (Expr Wraps = Check.Wraps.substitute(Whole).substitute(Fractions); !Wraps.isZero())
      Result.Wraps[Check.Location.isValid() ? Check.Location.text() : Which.Demangled] += Wraps;
  Active.erase(&Which);
  closeRecursion(Which, Result);
  return Slot->second = withNumbers(std::move(Result));
}

/// The totals of one thread, summed over those of a launch.
static Totals overThreads(Totals T, const Substitution &Bound) {
  auto Whole = [&](const Expr &PerThread) {
    return simplifyConditions(sumOverThreads(PerThread, Bound));
  };
  T.Values = mapped(T.Values, Whole);
  for (auto *Calls : {&T.OpenCalls, &T.LibraryCalls, &T.Wraps})
    for (auto &[Name, Times] : *Calls)
      Times = Whole(Times);
  for (auto &[Class, Symbols] : T.InLarge) // a thread's index takes all values
    std::erase_if(Symbols, [](const std::string &Name) {
      return Name.starts_with("threadIdx.") || Name.starts_with("blockIdx.");
    });
  return T;
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
  // Outside parallel regions there is one OpenMP thread; recursive functions' symbols lack values.
  Substitution Values = Bound;
  Values.insert_or_assign(OmpThread, 0);
  auto Whole = [&](const Expr &E) { return simplifyConditions(E.substitute(Values)); };
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
