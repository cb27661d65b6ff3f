//===- AccessWriter.cpp - functions and their calls as accesses -----------===//

#include "model/access/AccessWriter.h"
#include "model/access/AccessItems.h"
#include "model/access/PointerTargets.h"
#include "model/access/UnknownStarts.h"
#include "model/program/CallFrames.h"
#include "model/program/Stride.h"

#include <algorithm>

namespace ergon {

namespace {
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
    PointerTargets::Names Names;
    std::size_t Depth = 0; ///< loops around the call
    /// Unknown places by base and number in the record; 0: where the caller lets the base point to.
    std::map<std::pair<std::string, unsigned>, unsigned> Starts{};
  };
  struct OpenLoop {
    std::string Variable;
    Expr Last, Entries;
  };
  /// What is done in one iteration.
  struct Step {
    const Block *In;
    std::variant<const Access *, const PointerLoad *, const PointerStore *, const Call *,
                 const Loop *>
        What;
  };

  const FunctionLookup &Find;
  CallFrames Frames;
  AccessProgram Result;
  PointerTargets Targets;
  std::map<unsigned, unsigned> ObjectNumbers; ///< in the program, by those of `Targets`
  std::set<std::string> ObjectNames;
  std::set<std::string> Variables;
  std::vector<const Function *> Active;
  std::set<const Function *> Seen;
  std::vector<OpenLoop> Around; ///< the outermost first
  unsigned Starts = 0;
  unsigned Rounds = 1; ///< how often a loop is written out, as pointers take turns around it
  /// By the symbol of a row's bytes in an object of rows: how far into a row accesses go.
  std::map<std::string, Expr> RowBytes;

  /// Puts what one iteration of \p Of does into \p Into.
  void fill(AccessNest &Into, const Loop &Of, Activation &In);
  void addLoop(const Loop &Of, Activation &In, AccessNest &Into);
  AccessNest nestOf(const Loop &Of, const Expr &Entries, Activation &In);
  std::optional<Expr> offsetOfRuns(const UnknownStart &Of) const;
  void startAt(UnknownStart Of, const std::string &Base, Activation &In, MemoryAccess &One);
  Expr lastByte(Expr Offset) const;
  Expr inRows(const Expr &Row, const Expr &Offset, const Expr &Bytes, unsigned Object);
  void addAccess(const Access &Of, const Expr &Runs, Activation &In, std::vector<AccessItem> &Into);
  void copyPointers(const Access &From, const Access &To, Activation &In);
  void storePointer(const PointerStore &Of, Activation &In);
  void addCall(const Call &Site, const Expr &Runs, Activation &In, AccessNest &Into);
  std::vector<AccessItem> itemsOf(const Call &Site, const Expr &Turn, const Expr &Runs,
                                  Activation &In, AccessNest &Around);
  PointerTarget passed(const PointerArgument &To, Activation &In);
  PointerTarget lasting(PointerTarget Of) const;
  /// By their place in the code.
  static std::multimap<unsigned, Step> stepsOf(const Loop &Of);
  unsigned object(const PointerTarget &To);
  std::string fresh(std::string Variable);
  void collectUnbound(const AccessNest &Of);
  void noteFrames(std::size_t Calls);
  void storeReturnAddress(const Call &Site, const Expr &Runs, const Function &In, AccessNest &Into);
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

/// A call leaves its return address on the stack, behind those of the calls that it is made in.
void AccessWriter::storeReturnAddress(const Call &Site, const Expr &Runs, const Function &In,
                                      AccessNest &Into) {
  static constexpr unsigned AddressBytes = 8;
  const unsigned Addresses =
      objectNamed({.Name = "(calls)", .Where = Space::Stack, .IsWarm = true}, Result);
  Into.Items.push_back(
      {Runs, MemoryAccess{.What = Access::Kind::Store,
                          .Object = Addresses,
                          .Bytes = AddressBytes,
                          .Offset = Expr(std::int64_t(SavedBytes * (Active.size() - 1))),
                          .Function = In.Demangled,
                          .At = Site.At}});
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

/// Its number in the program, which has those objects that are accessed, each under a name of its
/// own.
unsigned AccessWriter::object(const PointerTarget &To) {
  auto [Found, New] = ObjectNumbers.try_emplace(To.Object, unsigned(Result.Objects.size()));
  if (New) {
    MemoryObject &Made = Result.Objects.emplace_back(Targets.object(To.Object));
    const std::string Wanted = Made.Name;
    for (unsigned Number = 2; !ObjectNames.insert(Made.Name).second; ++Number)
      Made.Name = Wanted + "#" + std::to_string(Number);
  }
  return Found->second;
}

/// \p Of as it is after the loops around: of a place that depends on an iteration it is not known
/// where in the object it is.
PointerTarget AccessWriter::lasting(PointerTarget Of) const {
  for (const OpenLoop &Each : Around)
    for (auto *Part : {&Of.Offset, &Of.Row})
      if (*Part && (*Part)->dependsOn(Each.Variable)) {
        Of.Offset.reset();
        Of.Row.reset();
      }
  return Of;
}

/// The largest value of \p Offset over the loops around: each iteration number that has a
/// positive factor at its end, others at their start.
Expr AccessWriter::lastByte(Expr Offset) const {
  for (auto Each = Around.rbegin(); Each != Around.rend(); ++Each) {
    const auto Stride = stride(Offset, Each->Variable);
    bool Falls = Stride && lowerBound(-*Stride).value_or(-1) >= 0;
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

/// Of runs that each begin where the one before ended: as far as all before this one went, with the
/// mean of their lengths. Nothing where that is no whole number of bytes, to within a twentieth.
std::optional<Expr> AccessWriter::offsetOfRuns(const UnknownStart &Of) const {
  if (!Of.GoesOn || Of.Loops != 1 || Around.size() < 2)
    return std::nullopt;
  const OpenLoop &Run = Around.back(), &Outer = Around[Around.size() - 2];
  const auto Stride = stride(Of.Further, Run.Variable);
  if (!Stride || Stride->isZero())
    return std::nullopt;
  Expr Bytes = *Stride * Run.Entries * (Run.Last + 1);
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
  const PointerTarget To = Targets.targetOf(Base, Of.Where, In.Names);
  MemoryAccess One{.What = Of.What,
                   .Object = object(To),
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
  if (auto Row = Of.Row ? std::optional(Of.Row->substitute(In.Frame)) : To.Row; Row && One.Offset)
    One.Offset = inRows(*Row, *One.Offset,
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

PointerTarget AccessWriter::passed(const PointerArgument &To, Activation &In) {
  PointerTarget Result = Targets.targetOf(To.Base, To.Where, In.Names);
  if (Result.Offset && To.Offset)
    *Result.Offset += To.Offset->substitute(In.Frame);
  else
    Result.Offset.reset();
  if (To.Row)
    Result.Row = To.Row->substitute(In.Frame);
  return Result;
}

/// The items are the call's in those runs that have the pointers of \p Turn; what it executes
/// beside goes to \p Around.
std::vector<AccessItem> AccessWriter::itemsOf(const Call &Site, const Expr &Turn, const Expr &Runs,
                                              Activation &In, AccessNest &Around) {
  const Function *Callee = calleeOf(Site, In.Of, Find);
  Activation Inside{
      *Callee, Frames.global(), {*Callee, Callee->Demangled + "::"}, this->Around.size()};
  CallFrames::Passed Passed = Frames.at(Site, *Callee, In.Of, In.Frame);
  for (const auto &[Formal, Value] : Passed.Values)
    Inside.Frame.insert_or_assign(Formal, Value.substitute(In.Frame));
  for (const PointerArgument &To : Site.Pointers)
    if (!To.Base.empty() && To.Argument < Callee->Parameters.size() &&
        To.When.value_or(Turn) == Turn)
      Inside.Names.Known.insert_or_assign(Callee->Parameters[To.Argument].Name, passed(To, In));
  Targets.enter(Inside.Names);
  Active.push_back(Callee);
  noteCode(*Callee);
  AccessNest Called;
  fill(Called, Callee->Body, Inside);
  Active.pop_back();
  std::optional<PointerTarget> Returned;
  if (Callee->Returns && !Callee->Returns->Object.empty())
    Returned = lasting(
        passed({0, Space::Memory, Callee->Returns->Object, Callee->Returns->Offset}, Inside));
  Targets.leave(Inside.Names, Returned);
  if (Returned && !Site.Result.empty())
    In.Names.Known.insert_or_assign(Site.Result, *Returned);
  for (std::vector<AccessItem> *Some : {&Called.Items, &Called.Idle})
    for (AccessItem &Each : *Some)
      Each.Runs *= Runs;
  std::ranges::move(Called.Idle, std::back_inserter(Around.Idle));
  for (ExecutedBlock &Each : Called.Executed)
    Around.Executed.push_back({Each.Runs * Runs, Each.Each});
  return std::move(Called.Items);
}

void AccessWriter::addCall(const Call &Site, const Expr &Runs, Activation &In, AccessNest &Into) {
  if (Site.IsLaunch)
    return;
  noteFrames(Active.size() + 1);
  const Function *Callee = calleeOf(Site, In.Of, Find);
  if (!Callee || std::ranges::find(Active, Callee) != Active.end()) {
    Result.OpenCalls.insert(!Site.Callee.empty()   ? (Callee ? "recursion:" : "call:") + Site.Callee
                            : !Site.Symbol.empty() ? Site.Symbol
                            : Site.At.isValid()    ? "call@" + Site.At.text()
                                                   : "call@" + In.Of.Name);
    return;
  }
  if (!Callee->Library.empty()) {
    if (!isPure(*Callee))
      Result.OpenCalls.insert("call:" + Site.Callee);
    return;
  }
  storeReturnAddress(Site, Runs, In.Of, Into);
  std::vector<Expr> Turns;
  for (const PointerArgument &To : Site.Pointers)
    if (To.When && std::ranges::find(Turns, *To.When) == Turns.end())
      Turns.push_back(*To.When);
  if (Turns.empty())
    Turns.emplace_back(1);
  for (const Expr &Turn : Turns)
    std::ranges::move(itemsOf(Site, Turn, Runs * Turn.substitute(In.Frame), In, Into),
                      std::back_inserter(Into.Items));
}

void AccessWriter::storePointer(const PointerStore &Of, Activation &In) {
  const PointerTarget To = passed({0, Space::Memory, Of.Object, Of.Offset}, In);
  if (!Of.Value.Object.empty())
    Targets.store(To, lasting(passed({0, Space::Memory, Of.Value.Object, Of.Value.Offset}, In)));
  else if (Of.Value.Offset) // null
    Targets.clear(To);
  else
    Targets.store(To, std::nullopt);
}

/// A structure that is copied has the pointers of the other.
void AccessWriter::copyPointers(const Access &From, const Access &To, Activation &In) {
  auto Length = To.Length->substitute(In.Frame).constant();
  if (!Length || !Length->isInteger() || !Length->get_num().fits_slong_p() || From.Base.empty() ||
      To.Base.empty())
    return;
  Targets.copy(passed({0, From.Where, From.Base, From.Offset, From.Row}, In),
               passed({0, To.Where, To.Base, To.Offset, To.Row}, In), Length->get_num().get_si());
}

std::multimap<unsigned, AccessWriter::Step> AccessWriter::stepsOf(const Loop &Of) {
  std::multimap<unsigned, Step> Result;
  for (const Block &Each : Of.Blocks) {
    for (const Access &One : Each.Accesses)
      Result.emplace(One.Order, Step{&Each, &One});
    for (const PointerLoad &One : Each.PointerLoads)
      Result.emplace(One.Order, Step{&Each, &One});
    for (const PointerStore &One : Each.PointerStores)
      Result.emplace(One.Order, Step{&Each, &One});
    for (const Call &Site : Each.Calls)
      Result.emplace(Site.Order, Step{&Each, &Site});
  }
  for (const Loop &Inner : Of.Loops)
    Result.emplace(Inner.Order, Step{nullptr, &Inner});
  return Result;
}

void AccessWriter::fill(AccessNest &Into, const Loop &Of, Activation &In) {
  std::map<const Block *, Expr> RunsOf;
  for (const Block &Each : Of.Blocks) {
    Expr &Runs = RunsOf[&Each] = Each.Runs.substitute(In.Frame);
    if (Each.Instructions.empty() || Runs.isZero())
      continue;
    Into.Executed.push_back({Runs, &Each.Instructions});
    if (!Active.front()->IsKernel)
      addTableLoads(Each.Instructions, Runs, In.Of, Into, Result);
  }
  const Access *Last = nullptr; // a copy's load
  std::vector<AccessItem> Some; // of one place in the code
  auto Flush = [&] { std::ranges::move(std::exchange(Some, {}), std::back_inserter(Into.Items)); };
  for (const auto &[Order, Each] : stepsOf(Of)) {
    if (auto *Inner = std::get_if<const Loop *>(&Each.What)) {
      Flush();
      addLoop(**Inner, In, Into);
      continue;
    }
    const Expr &Runs = RunsOf.at(Each.In);
    if (Runs.isZero())
      continue;
    if (auto *Of = std::get_if<const Access *>(&Each.What)) {
      const Access &One = **Of;
      const bool IsOfCopy = Last && Last->Length && One.Length && Last->Order == One.Order;
      if (!IsOfCopy)
        Flush();
      addAccess(One, Runs, In, Some);
      if (IsOfCopy && Last->What == Access::Kind::Load && One.What == Access::Kind::Store)
        copyPointers(*Last, One, In);
      Last = &One;
    } else if (auto *Of = std::get_if<const PointerLoad *>(&Each.What)) {
      Targets.load((*Of)->Object, In.Names);
    } else if (auto *Of = std::get_if<const PointerStore *>(&Each.What)) {
      storePointer(**Of, In);
    } else {
      Flush();
      addCall(*std::get<const Call *>(Each.What), Runs, In, Into);
    }
  }
  Flush();
}

void AccessWriter::addLoop(const Loop &Of, Activation &In, AccessNest &Into) {
  static constexpr std::size_t MaxTurns = 4;
  const Expr Entries = Of.Entries.substitute(In.Frame);
  if (Entries.isZero())
    return;
  Targets.hold();
  std::vector<AccessNest> Turns;
  Turns.push_back(nestOf(Of, Entries, In));
  // Pointers that change places come back in some iterations: each of these is written out.
  if (const auto First = Targets.cells(); Rounds < MaxTurns && Targets.tookTurns()) {
    Rounds *= 2;
    while (!Targets.isAsHeld() && Turns.size() < MaxTurns)
      Turns.push_back(nestOf(Of, Entries, In));
    Rounds /= 2;
    if (!Targets.isAsHeld()) {
      Turns.resize(1);
      Targets.restore(First);
      Result.Assumptions.insert("pointers that change places in a loop stay as they are after its "
                                "first iteration");
    }
  }
  Targets.release();
  AccessNest Nest = joinTurns(std::move(Turns));
  if (!Nest.Items.empty())
    Into.Items.push_back({Entries, std::move(Nest)});
  else if (!Nest.Executed.empty() || !Nest.Idle.empty())
    Into.Idle.push_back({Entries, std::move(Nest)});
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
  Activation In{Entry, Bound, {Entry, ""}};
  Active.push_back(&Entry);
  noteCode(Entry);
  Targets.enter(In.Names);
  fill(Result.Body, Entry.Body, In);
  Result.Hidden.StackBytes += RedZoneBytes;
  // Rows are taken to lie as glibc's malloc puts them, so that each starts on 16 bytes.
  Substitution Pitches;
  for (const auto &[Symbol, Bytes] : RowBytes)
    Pitches.emplace(Symbol, Expr(16) * ceilDiv(Bytes + 8, 16));
  substituteInOffsets(Result.Body, Pitches);
  placeLongRuns(Result);
  collectUnbound(Result.Body);
  std::erase_if(Result.Unbound, [&](const std::string &Each) {
    return Variables.contains(Each) || isThreadIndex(Each);
  });
  return std::move(Result);
}

AccessProgram accessesOf(const Function &Entry, const FunctionLookup &Find,
                         const Substitution &Bound) {
  return AccessWriter(Find, Bound).write(Entry, Bound);
}

} // namespace ergon
