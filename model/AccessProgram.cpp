//===- AccessProgram.cpp - what code accesses, in order -------------------===//

#include "model/AccessProgram.h"
#include "model/CallFrames.h"
#include "model/PointerSpaces.h"

#include <algorithm>

namespace ergon {

namespace {
/// Where a function's pointer leads: an object of the program, and how far into it.
struct Target {
  unsigned Object;
  std::optional<Expr> Offset;
};

/// Writes out a function and what it calls.
class AccessWriter {
public:
  AccessWriter(const FunctionLookup &Find, const Substitution &Bound)
      : Find(Find), Frames(Find, Bound) {}

  AccessProgram write(const Function &Entry, const Substitution &Bound);

private:
  /// A function that is being written out.
  struct Activation {
    const Function &Of;
    Substitution Frame;
    /// Of its pointer parameters, those of which the caller knows where they lead.
    std::map<std::string, Target> Pointers;
    std::string Prefix;    ///< of the names of its own objects
    std::size_t Depth = 0; ///< loops around the call
    /// Unknown places by base and number in the record; 0: where the caller lets the base point to.
    std::map<std::pair<std::string, unsigned>, unsigned> Starts{};
  };
  struct OpenLoop {
    std::string Variable;
    Expr Last, Entries;
  };
  /// By their place in the code.
  using Ordered = std::multimap<unsigned, std::vector<AccessItem>>;

  const FunctionLookup &Find;
  CallFrames Frames;
  AccessProgram Result;
  std::map<std::string, unsigned> ObjectNumbers;
  std::set<std::string> Variables;
  std::vector<const Function *> Active;
  std::set<const Function *> Seen;
  std::vector<OpenLoop> Around; ///< the outermost first
  unsigned Starts = 0;
  /// By the symbol of a row's bytes in an object of rows: how far into a row accesses go.
  std::map<std::string, Expr> RowBytes;

  /// Puts what one iteration of \p Of does into \p Into.
  void fill(AccessNest &Into, const Loop &Of, Activation &In);
  AccessNest nestOf(const Loop &Of, const Expr &Entries, Activation &In);
  std::optional<Expr> offsetOfRuns(const UnknownStart &Of) const;
  void startAt(UnknownStart Of, const std::string &Base, Activation &In, MemoryAccess &One);
  Expr lastByte(Expr Offset) const;
  Expr inRows(const Expr &Row, const Expr &Offset, const Expr &Bytes, unsigned Object);
  void putRowBytes(AccessNest &Into, const Substitution &Pitches);
  void addAccess(const Access &Of, const Expr &Runs, Activation &In, std::vector<AccessItem> &Into);
  std::vector<AccessItem> itemsOf(const Call &Site, const Expr &Runs, Activation &In,
                                  AccessNest &Around);
  Target targetOf(const std::string &Base, Space Where, Activation &In);
  unsigned object(MemoryObject Of);
  std::string fresh(std::string Variable);
  void collectUnbound(const AccessNest &Of);
  void noteFrames(std::size_t Calls);
  void noteCode(const Function &Of);
};
} // namespace

/// What is on the stack beside variables, of each active function its return address and the six
/// registers that it must leave as they were, and behind the last one 128 bytes that it may use
/// as they are: System V ABI, AMD64 supplement, 3.2.1 and 3.2.2.
static constexpr unsigned SavedBytes = 7 * 8, RedZoneBytes = 128;
/// An SSE instruction with a displacement and without an index: a prefix, two of opcode, ModR/M and
/// the displacement's four. Intel, "Software Developer's Manual", vol. 2, 2.1.
static constexpr unsigned InstructionBytes = 8;

void AccessWriter::noteFrames(std::size_t Calls) {
  Result.Hidden.StackBytes = std::max<std::uint64_t>(Result.Hidden.StackBytes, Calls * SavedBytes);
}

static std::uint64_t operationsIn(const Loop &Of) {
  std::uint64_t Sum = 0;
  for (const Block &Each : Of.Blocks)
    for (const auto &[Class, Times] : Each.PerRun)
      if (auto Constant = Times.constant(); Constant && Class < CostClass::LoadBytes)
        Sum += floorOf(*Constant).get_ui();
  for (const Loop &Each : Of.Loops)
    Sum += operationsIn(Each);
  return Sum;
}

/// Once for each function, wherever it is called from.
void AccessWriter::noteCode(const Function &Of) {
  noteFrames(Active.size());
  if (Seen.insert(&Of).second)
    Result.Hidden.CodeBytes += operationsIn(Of.Body) * InstructionBytes;
}

std::string AccessWriter::fresh(std::string Variable) {
  while (!Variables.insert(Variable).second)
    Variable += "'";
  return Variable;
}

unsigned AccessWriter::object(MemoryObject Of) {
  auto [Found, New] = ObjectNumbers.try_emplace(Of.Name, unsigned(Result.Objects.size()));
  if (New)
    Result.Objects.push_back(std::move(Of));
  return Found->second;
}

Target AccessWriter::targetOf(const std::string &Base, Space Where, Activation &In) {
  if (auto Found = In.Pointers.find(Base); Found != In.Pointers.end())
    return Found->second;
  auto Sized = std::ranges::find(In.Of.Objects, Base, &SizedObject::Name);
  bool IsSized = Sized != In.Of.Objects.end();
  bool IsGlobal = IsSized && Where != Space::Stack && Where != Space::Local;
  MemoryObject Of{(IsGlobal || Base.empty() ? "" : In.Prefix) + Base, Where};
  Of.IsWarm = Base == FrameObject && In.Prefix.empty();
  if (IsSized)
    Of.Bytes = Expr(Sized->Bytes);
  return {object(std::move(Of)), Expr()};
}

/// The largest value of \p Offset over the loops around: each iteration number that has a
/// positive factor at its end, others at their start.
Expr AccessWriter::lastByte(Expr Offset) const {
  for (auto Each = Around.rbegin(); Each != Around.rend(); ++Each) {
    auto Factors = Offset.coefficientsOf(Each->Variable);
    bool Falls = Factors && Factors->size() == 2 && lowerBound(-(*Factors)[1]).value_or(-1) >= 0;
    Offset = Offset.substitute({{Each->Variable, Falls ? Expr() : Each->Last}});
  }
  return Offset;
}

/// \p Offset in the row whose pointer lies at \p Row of a table of pointers, as one in an
/// object of all rows, one after another.
Expr AccessWriter::inRows(const Expr &Row, const Expr &Offset, const Expr &Bytes, unsigned Object) {
  static constexpr std::int64_t PointerBytes = 8;
  std::string Pitch = "row@" + std::to_string(Object);
  Expr Last = lastByte(Offset + Bytes);
  Result.Assumptions.insert("the rows that " + Result.Objects[Object].Name.substr(1) +
                            " leads to lie one after another");
  auto [Found, New] = RowBytes.try_emplace(Pitch, Last);
  if (!New)
    Found->second = max(Found->second, Last);
  return floorDiv(Row, Expr(PointerBytes)) * Expr::symbol(Pitch) + Offset;
}

void AccessWriter::putRowBytes(AccessNest &Into, const Substitution &Pitches) {
  for (AccessItem &Each : Into.Items)
    if (auto *Inner = std::get_if<AccessNest>(&Each.What))
      putRowBytes(*Inner, Pitches);
    else if (auto &Offset = std::get<MemoryAccess>(Each.What).Offset)
      Offset = Offset->substitute(Pitches);
}

/// The first condition that \p Offset hangs on; null where it hangs on none.
static AtomRef conditionIn(const Expr &Offset) {
  for (const Term &Each : Offset.terms())
    for (const auto &[Factor, Power] : Each.Factors)
      if (Factor->What == Atom::Kind::Indicator)
        return Factor;
  return nullptr;
}

/// An access that goes to one place where a condition holds and to another where it does not
/// is two: each is then plain.
static void addByCase(const Expr &Runs, MemoryAccess Of, std::vector<AccessItem> &Into,
                      unsigned Cases = 0) {
  static constexpr unsigned MaxDepth = 3;
  AtomRef Condition = Of.Offset && Cases < MaxDepth ? conditionIn(*Of.Offset) : nullptr;
  if (!Condition) {
    Into.push_back({Runs, std::move(Of)});
    return;
  }
  for (const Expr &Case : {Expr(Condition), negated(Expr(Condition))}) {
    Expr Here = simplifyConditions(Runs * Case);
    if (Here.isZero())
      continue;
    MemoryAccess One = Of;
    One.Offset = assuming(*Of.Offset, Case);
    addByCase(Here, std::move(One), Into, Cases + 1);
  }
}

/// Of runs that each begin where the one before ended: as far as all before this one went, with the
/// mean of their lengths. Nothing where that is no whole number of bytes, to within a twentieth.
std::optional<Expr> AccessWriter::offsetOfRuns(const UnknownStart &Of) const {
  if (!Of.GoesOn || Of.Loops != 1 || Around.size() < 2)
    return std::nullopt;
  const OpenLoop &Run = Around.back(), &Outer = Around[Around.size() - 2];
  const auto Factors = Of.Further.coefficientsOf(Run.Variable);
  if (!Factors || Factors->size() != 2)
    return std::nullopt;
  Expr Bytes = (*Factors)[1] * Run.Entries * (Run.Last + 1);
  if (auto Mean = Bytes.constant()) {
    const Rational Whole(floorOf(*Mean + Rational(1, 2)));
    if (Rational(20) * abs(Whole - *Mean) > abs(*Mean))
      return std::nullopt;
    Bytes = Expr(Whole);
  }
  if (Bytes.dependsOn(Outer.Variable))
    return std::nullopt;
  return Of.Further + Expr::symbol(Outer.Variable) * Bytes;
}

/// Of an access of \p In that is at an unknown place.
void AccessWriter::startAt(UnknownStart Of, const std::string &Base, Activation &In,
                           MemoryAccess &One) {
  Of.Further = Of.Further.substitute(In.Frame);
  if ((One.Offset = offsetOfRuns(Of))) {
    Result.Assumptions.insert("loops over `" + Result.Objects[One.Object].Name +
                              "` each go on where the one before ended");
    return;
  }
  auto [Found, New] = In.Starts.try_emplace({Base, Of.Number}, Starts);
  Starts += New;
  Of.Number = Found->second;
  One.From = std::move(Of);
}

void AccessWriter::addAccess(const Access &Of, const Expr &Runs, Activation &In,
                             std::vector<AccessItem> &Into) {
  // Places that have no name are not one object: each such access has its own.
  std::string Base = Of.Base;
  if (Base.empty())
    Base = "?" + placeOf(Of, In.Of).File + ":" + std::to_string(Of.Line) + "#" +
           std::to_string(Of.Order);
  Target To = targetOf(Base, Of.Where, In);
  MemoryAccess One{.What = Of.What,
                   .Object = To.Object,
                   .Bytes = Of.Bytes,
                   .Offset = {},
                   .NonTemporal = Of.NonTemporal,
                   .Function = In.Of.Demangled,
                   .At = {placeOf(Of, In.Of).File, Of.Line, 0}};
  if (Of.Offset && To.Offset)
    One.Offset = Of.Offset->substitute(In.Frame) + *To.Offset;
  else if (Of.Offset && !Of.Length)
    startAt({0, unsigned(Around.size() - In.Depth), *Of.Offset}, Base, In, One);
  else if (Of.From)
    startAt(*Of.From, Base, In, One);
  if (Of.Row && One.Offset)
    One.Offset = inRows(Of.Row->substitute(In.Frame), *One.Offset,
                        Of.Length ? Of.Length->substitute(In.Frame) : Expr(std::int64_t(Of.Bytes)),
                        One.Object);
  if (!Of.Length) {
    // The lanes of a warp go to their places together.
    if (Of.Where == Space::Memory || Of.Where == Space::Stack)
      addByCase(Runs, std::move(One), Into);
    else
      Into.push_back({Runs, std::move(One)});
    return;
  }
  // A copy or a fill goes over its bytes: a copy's load and store take turns.
  bool Alternates = !Into.empty() && std::holds_alternative<AccessNest>(Into.back().What);
  if (!Alternates)
    Into.push_back(
        {Runs,
         AccessNest{fresh("byte"),
                    ceilDiv(Of.Length->substitute(In.Frame), Expr(std::int64_t(Of.Bytes))) - 1,
                    One.At,
                    {},
                    {}}});
  auto &Pieces = std::get<AccessNest>(Into.back().What);
  if (One.Offset)
    *One.Offset += Expr::symbol(Pieces.Variable) * Expr(std::int64_t(Of.Bytes));
  Pieces.Items.push_back({1, std::move(One)});
}

/// True for what moves no memory of the host's, as far as is known.
static bool isPure(const Function &Library) {
  return std::ranges::all_of(Library.Body.Blocks,
                             [](const Block &Each) {
                               return Each.Calls.empty() &&
                                      std::ranges::none_of(
                                          Each.PerRun, [](const Counts::Entry &Count) {
                                            return isMainMemoryTraffic(Count.first);
                                          });
                             }) &&
         Library.Body.Loops.empty();
}

/// The items are the call's; what it executes beside goes to \p Around.
std::vector<AccessItem> AccessWriter::itemsOf(const Call &Site, const Expr &Runs, Activation &In,
                                              AccessNest &Around) {
  if (Site.IsLaunch || Runs.isZero())
    return {};
  noteFrames(Active.size() + 1);
  const Function *Callee = calleeOf(Site, In.Of, Find);
  if (!Callee || std::ranges::find(Active, Callee) != Active.end()) {
    Result.OpenCalls.insert(!Site.Callee.empty()   ? (Callee ? "recursion:" : "call:") + Site.Callee
                            : !Site.Symbol.empty() ? Site.Symbol
                            : Site.At.isValid()    ? "call@" + Site.At.text()
                                                   : "call@" + In.Of.Name);
    return {};
  }
  if (!Callee->Library.empty()) {
    if (!isPure(*Callee))
      Result.OpenCalls.insert("call:" + Site.Callee);
    return {};
  }
  Activation Inside{*Callee, Frames.global(), {}, Callee->Demangled + "::", this->Around.size()};
  CallFrames::Passed Passed = Frames.at(Site, *Callee, In.Of, In.Frame);
  for (const auto &[Formal, Value] : Passed.Values)
    Inside.Frame.insert_or_assign(Formal, Value.substitute(In.Frame));
  for (const PointerArgument &To : Site.Pointers) {
    if (To.Base.empty() || To.Argument >= Callee->Parameters.size())
      continue;
    Target Actual = targetOf(To.Base, To.Where, In);
    if (Actual.Offset && To.Offset)
      *Actual.Offset += To.Offset->substitute(In.Frame);
    else
      Actual.Offset.reset();
    Inside.Pointers.insert_or_assign(Callee->Parameters[To.Argument].Name, std::move(Actual));
  }
  Active.push_back(Callee);
  noteCode(*Callee);
  AccessNest Called;
  fill(Called, Callee->Body, Inside);
  Active.pop_back();
  for (std::vector<AccessItem> *Some : {&Called.Items, &Called.Idle})
    for (AccessItem &Each : *Some)
      Each.Runs *= Runs;
  std::ranges::move(Called.Idle, std::back_inserter(Around.Idle));
  for (ExecutedBlock &Each : Called.Executed)
    Around.Executed.push_back({Each.Runs * Runs, Each.Each});
  return std::move(Called.Items);
}

void AccessWriter::fill(AccessNest &Into, const Loop &Of, Activation &In) {
  Ordered All;
  for (const Block &Each : Of.Blocks) {
    Expr Runs = Each.Runs.substitute(In.Frame);
    if (Runs.isZero())
      continue;
    for (const Access *Last = nullptr; const Access &One : Each.Accesses) {
      bool IsOfCopy = Last && Last->Length && One.Length && Last->Order == One.Order;
      auto Place = IsOfCopy ? std::prev(All.upper_bound(One.Order))
                            : All.emplace(One.Order, std::vector<AccessItem>());
      addAccess(One, Runs, In, Place->second);
      Last = &One;
    }
    for (const Call &Site : Each.Calls)
      All.emplace(Site.Order, itemsOf(Site, Runs, In, Into));
    if (!Each.Instructions.empty())
      Into.Executed.push_back({std::move(Runs), &Each.Instructions});
  }
  for (const Loop &Inner : Of.Loops) {
    Expr Entries = Inner.Entries.substitute(In.Frame);
    if (Entries.isZero())
      continue;
    AccessNest Nest = nestOf(Inner, Entries, In);
    if (!Nest.Items.empty())
      All.emplace(Inner.Order, std::vector<AccessItem>{{Entries, std::move(Nest)}});
    else if (!Nest.Executed.empty() || !Nest.Idle.empty())
      Into.Idle.push_back({Entries, std::move(Nest)});
  }
  for (auto &[Order, Some] : All)
    std::ranges::move(Some, std::back_inserter(Into.Items));
}

AccessNest AccessWriter::nestOf(const Loop &Of, const Expr &Entries, Activation &In) {
  AccessNest Nest{fresh(Of.Variable), Of.Last.substitute(In.Frame), Of.At, {}, {}};
  if (Nest.Variable != Of.Variable)
    In.Frame.insert_or_assign(Of.Variable, Expr::symbol(Nest.Variable));
  Around.push_back({Nest.Variable, Nest.Last, Entries});
  if (!Of.Made.empty())
    Nest.Made = &Of.Made;
  fill(Nest, Of, In);
  Around.pop_back();
  return Nest;
}

void AccessWriter::collectUnbound(const AccessNest &Of) {
  Of.Last.collectSymbols(Result.Unbound);
  for (const AccessItem &Each : Of.Items) {
    Each.Runs.collectSymbols(Result.Unbound);
    if (auto *Inner = std::get_if<AccessNest>(&Each.What))
      collectUnbound(*Inner);
    else if (auto &Offset = std::get<MemoryAccess>(Each.What).Offset)
      Offset->collectSymbols(Result.Unbound);
  }
}

static bool isThreadIndex(std::string_view Symbol) {
  return Symbol.starts_with("threadIdx.") || Symbol.starts_with("blockIdx.");
}

AccessProgram AccessWriter::write(const Function &Entry, const Substitution &Bound) {
  Activation In{Entry, Bound, {}, ""};
  Active.push_back(&Entry);
  noteCode(Entry);
  fill(Result.Body, Entry.Body, In);
  Result.Hidden.StackBytes += RedZoneBytes;
  // Rows are taken to lie as glibc's malloc puts them, so that each starts on 16 bytes.
  Substitution Pitches;
  for (const auto &[Symbol, Bytes] : RowBytes)
    Pitches.emplace(Symbol, Expr(16) * ceilDiv(Bytes + 8, 16));
  putRowBytes(Result.Body, Pitches);
  collectUnbound(Result.Body);
  std::erase_if(Result.Unbound, [&](const std::string &Each) {
    return Variables.contains(Each) || isThreadIndex(Each);
  });
  return std::move(Result);
}

static void collectAccesses(const AccessNest &Of, std::vector<const MemoryAccess *> &Into) {
  for (const AccessItem &Each : Of.Items)
    if (auto *Inner = std::get_if<AccessNest>(&Each.What))
      collectAccesses(*Inner, Into);
    else
      Into.push_back(&std::get<MemoryAccess>(Each.What));
}

std::vector<const MemoryAccess *> accessesIn(const AccessNest &Of) {
  std::vector<const MemoryAccess *> Result;
  collectAccesses(Of, Result);
  return Result;
}

AccessProgram accessesOf(const Function &Entry, const FunctionLookup &Find,
                         const Substitution &Bound) {
  return AccessWriter(Find, Bound).write(Entry, Bound);
}

} // namespace ergon
