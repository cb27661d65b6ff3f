//===- AccessWriter.cpp - expands functions and calls to accesses ---------===//

#include "model/access/AccessWriter.h"
#include "model/access/AccessItems.h"
#include "model/access/OpenLoops.h"
#include "model/access/PointerTargets.h"
#include "model/access/UnknownStarts.h"
#include "model/program/CallFrames.h"
#include "model/program/RunValues.h"

#include <algorithm>

namespace ergon {

namespace {
/// Expands a function and its callees.
class AccessWriter {
public:
  AccessWriter(const FunctionLookup &Find, const Substitution &Bound)
      : Find(Find), Frames(Find, Bound) {}

  AccessProgram write(const Function &Entry, const Substitution &Bound);

private:
  /// A function that is being expanded.
  struct Activation {
    const Function &Callee;
    Substitution Values;
    PointerTargets::Names Names;
    std::size_t Depth = 0; ///< loops around the call
    /// Unknown starts by base and number in the record; 0: where the caller lets the base point to.
    std::map<std::pair<std::string, unsigned>, unsigned> Starts{};
    const RunValues *Ran = nullptr;
  };
  /// One step of an iteration.
  struct Step {
    const Block *Input;
    std::variant<const Access *, const PointerLoad *, const PointerStore *, const Call *,
                 const Loop *>
        What;
  };

  const FunctionLookup &Find;
  CallFrames Frames;
  AccessProgram Result;
  PointerTargets Targets;
  std::map<unsigned, unsigned> ObjectNumbers; ///< in the program, by the numbers of `Targets`
  std::set<std::string> ObjectNames;
  std::map<std::string, unsigned, std::less<>> Variables; ///< of the code, and how often each is
  std::vector<const Function *> Active;
  std::set<const Function *> Seen;
  std::vector<OpenLoop> Around;                ///< the outermost first
  std::map<const Function *, RunValues> OfRun; ///< by the function with formulas
  unsigned Starts = 0;
  unsigned Rounds = 1; ///< how often a loop is expanded, as pointers swap around it
  /// By the symbol of a row's size in an object of rows: how far into a row accesses go.
  std::map<std::string, Expr> RowBytes;

  /// Puts one iteration of \p L into \p Target.
  void fill(AccessNest &Target, const Loop &L, Activation &Frame);
  void addLoop(const Loop &L, Activation &Frame, AccessNest &Target);
  AccessNest nestOf(const Loop &L, const Expr &Entries, Activation &Frame);
  bool isOpen(const Expr &Value) const;
  Expr lengthOf(const Access &A, const Activation &Frame) const;
  void takeValuesOfRun(const Function *ByFormulas, Activation &Frame);
  void startAt(UnknownStart Start, const std::string &Base, Activation &Frame,
               MemoryAccess &Access);
  Expr inRows(const Expr &Row, const Expr &Offset, const Expr &Bytes, unsigned Object);
  void addAccess(const Access &A, const Expr &Runs, Activation &Frame,
                 std::vector<AccessItem> &Result);
  void copyPointers(const Access &From, const Access &To, Activation &Frame);
  void storePointer(const PointerStore &Store, Activation &Frame);
  void addCall(const Call &Site, const Expr &Runs, Activation &Frame, AccessNest &Target);
  std::vector<AccessItem> itemsOf(const Call &Site, const Expr &Turn, const Expr &Runs,
                                  Activation &Frame, AccessNest &Around);
  PointerTarget passed(const PointerArgument &To, Activation &Frame);
  PointerTarget lasting(PointerTarget Target) const;
  /// By position in the code.
  static std::multimap<unsigned, Step> stepsOf(const Loop &L);
  unsigned object(const PointerTarget &To);
  std::string fresh(const std::string &Variable);
  void noteFrames(std::size_t Calls);
  void storeReturnAddress(const Call &Site, const Expr &Runs, const Function &F,
                          AccessNest &Target);
  void noteCode(const Function &F);
};
} // namespace

/// The stack beside variables: for each active function, its return address and the six
/// callee-saved registers, and below the last one the red zone of 128 bytes: System V ABI, AMD64
/// supplement, 3.2.1 and 3.2.2.
static constexpr unsigned SavedBytes = 7 * 8, RedZoneBytes = 128;
/// An SSE instruction with a displacement and no index: a prefix, two opcode bytes, ModR/M and four
/// bytes of displacement. Intel, "Software Developer's Manual", vol. 2, 2.1.
static constexpr unsigned InstructionBytes = 8;

void AccessWriter::noteFrames(std::size_t Calls) {
  Result.Hidden.StackBytes = std::max<std::uint64_t>(Result.Hidden.StackBytes, Calls * SavedBytes);
}

/// Adds a call's store of its return address to the stack, after those of the calls around it.
void AccessWriter::storeReturnAddress(const Call &Site, const Expr &Runs, const Function &F,
                                      AccessNest &Target) {
  static constexpr unsigned AddressBytes = 8;
  const unsigned Addresses =
      objectNamed({.Name = "(calls)", .Where = Space::Stack, .IsWarm = true}, Result);
  Target.Items.push_back(
      {Runs, MemoryAccess{.What = Access::Kind::Store,
                          .Object = Addresses,
                          .Bytes = AddressBytes,
                          .Offset = Expr(std::int64_t(SavedBytes * (Active.size() - 1))),
                          .Function = F.Demangled,
                          .Location = Site.Location}});
}

/// Counts the code of each function once, whatever calls it.
void AccessWriter::noteCode(const Function &F) {
  noteFrames(Active.size());
  if (Seen.insert(&F).second)
    Result.Hidden.CodeBytes += operationsIn(F.Body) * InstructionBytes;
}

/// `i`, then `i'`, `i'2`, `i'3`: no name of the code has the mark.
std::string AccessWriter::fresh(const std::string &Variable) {
  const unsigned Before = Variables[Variable]++;
  if (Before == 0)
    return Variable;
  return Variable + "'" + (Before == 1 ? "" : std::to_string(Before));
}

/// Its number in the program, which contains the accessed objects, each with a unique name.
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

/// \p Target after the loops around: an offset that depends on an induction variable becomes
/// unknown.
PointerTarget AccessWriter::lasting(PointerTarget Target) const {
  for (const OpenLoop &Loop : Around)
    for (auto *Part : {&Target.Offset, &Target.Row})
      if (*Part && (*Part)->dependsOn(Loop.Variable)) {
        Target.Offset.reset();
        Target.Row.reset();
      }
  return Target;
}

/// \p Offset in the row whose pointer is at \p Row of a pointer table, as an offset in one object
/// of consecutive rows.
Expr AccessWriter::inRows(const Expr &Row, const Expr &Offset, const Expr &Bytes, unsigned Object) {
  static constexpr std::int64_t PointerBytes = 8;
  std::string Pitch = "row@" + std::to_string(Object);
  Expr Last = lastByte(Offset + Bytes, Around);
  Result.Assumptions.insert("the rows that " + Result.Objects[Object].Name.substr(1) +
                            " leads to lie one after another");
  auto [Found, New] = RowBytes.try_emplace(Pitch, Last);
  if (!New)
    Found->second = max(Found->second, Last);
  return floorDiv(Row, Expr(PointerBytes)) * Expr::symbol(Pitch) + Offset;
}

static bool isThreadIndex(std::string_view Symbol) {
  return Symbol.starts_with("threadIdx.") || Symbol.starts_with("blockIdx.");
}

/// Whether \p Value depends on a symbol without a value: an argument, a member or a global that no
/// caller knows.
bool AccessWriter::isOpen(const Expr &Value) const {
  return Value.hasSymbol([this](const std::string &Symbol) {
    return !Variables.contains(std::string_view(Symbol).substr(0, Symbol.find('\''))) &&
           !Symbol.starts_with("row@") && !Symbol.starts_with("omp.") && !isThreadIndex(Symbol);
  });
}

/// Of a function as it ran, what the run tells of symbols without a value. \p ByFormulas is the
/// same function with its formulas.
void AccessWriter::takeValuesOfRun(const Function *ByFormulas, Activation &Frame) {
  if (!Frame.Callee.IsAsRun || !ByFormulas || ByFormulas->AsRun.get() != &Frame.Callee)
    return;
  Frame.Ran = &OfRun.try_emplace(ByFormulas, *ByFormulas).first->second;
  for (const auto &[Symbol, Value] : Frame.Ran->Symbols)
    if (auto [Own, New] = Frame.Values.try_emplace(Symbol, Value); !New && isOpen(Own->second))
      Own->second = Value;
}

/// The length of a copy or fill.
Expr AccessWriter::lengthOf(const Access &A, const Activation &Frame) const {
  Expr Result = A.Length->substitute(Frame.Values);
  if (!Frame.Ran || !isOpen(Result))
    return Result;
  auto Found = Frame.Ran->Lengths.find(toText(*A.Length));
  return Found == Frame.Ran->Lengths.end() ? Result : Expr(Found->second);
}

/// For an access of \p Frame at an unknown address.
void AccessWriter::startAt(UnknownStart Start, const std::string &Base, Activation &Frame,
                           MemoryAccess &Access) {
  Start.Further = Start.Further.substitute(Frame.Values);
  if ((Access.Offset = offsetOfRuns(Start, Around))) {
    Result.Assumptions.insert("loops over `" + Result.Objects[Access.Object].Name +
                              "` each go on where the one before ended");
    return;
  }
  const auto [Found, New] = Frame.Starts.try_emplace({Base, Start.Number}, Starts);
  Starts += New;
  Start.Number = Found->second;
  Access.From = std::move(Start);
}

void AccessWriter::addAccess(const Access &A, const Expr &Runs, Activation &Frame,
                             std::vector<AccessItem> &Result) {
  // Unnamed memory is not one object: each such access has its own.
  std::string Base = A.Base;
  if (Base.empty())
    Base = "?" + placeOf(A, Frame.Callee).File + ":" + std::to_string(A.Line) + "#" +
           std::to_string(A.Order);
  const PointerTarget To = Targets.targetOf(Base, A.Where, Frame.Names);
  MemoryAccess MA{.What = A.What,
                  .Object = object(To),
                  .Bytes = A.Bytes,
                  .Offset = {},
                  .NonTemporal = A.NonTemporal,
                  .Function = Frame.Callee.Demangled,
                  .Location = {placeOf(A, Frame.Callee).File, A.Line, 0},
                  .Column = A.Column,
                  .Within = To.Offset && *To.Offset == Expr() ? A.Within : std::nullopt};
  if (A.Offset && To.Offset) {
    MA.Offset = A.Offset->substitute(Frame.Values) + *To.Offset;
    // Of a program as it ran nothing is asked.
    if (Active.front()->IsAsRun && isOpen(*MA.Offset)) {
      const auto [Start, OpenPart] =
          withoutOpen(*std::exchange(MA.Offset, std::nullopt), Around, Frame.Depth,
                      [this](const Expr &Part) { return isOpen(Part); });
      if (!A.Length)
        startAt(Start, Base + " " + toText(OpenPart), Frame, MA);
    }
  } else if (A.Offset && !A.Length)
    startAt({0, unsigned(Around.size() - Frame.Depth), *A.Offset}, Base, Frame, MA);
  else if (A.From)
    startAt(*A.From, Base, Frame, MA);
  if (auto Row = A.Row ? std::optional(A.Row->substitute(Frame.Values)) : To.Row; Row && MA.Offset)
    MA.Offset = inRows(*Row, *MA.Offset,
                       A.Length ? lengthOf(A, Frame) : Expr(std::int64_t(A.Bytes)), MA.Object);
  if (!A.Length) {
    // The lanes of a warp reach their addresses together.
    if (A.Where == Space::Memory || A.Where == Space::Stack)
      addByCase(Runs, std::move(MA), Result);
    else
      Result.push_back({Runs, std::move(MA)});
    return;
  }
  // A copy or fill is a loop over its bytes: a copy alternates load and store.
  if (Result.empty() || !std::holds_alternative<AccessNest>(Result.back().What))
    Result.push_back({Runs, AccessNest{fresh("byte"),
                                       ceilDiv(lengthOf(A, Frame), Expr(std::int64_t(A.Bytes))) - 1,
                                       MA.Location,
                                       {},
                                       {}}});
  auto &Pieces = std::get<AccessNest>(Result.back().What);
  if (MA.Offset)
    *MA.Offset += Expr::symbol(Pieces.Variable) * Expr(std::int64_t(A.Bytes));
  Pieces.Items.push_back({1, std::move(MA)});
}

PointerTarget AccessWriter::passed(const PointerArgument &To, Activation &Frame) {
  PointerTarget Result = Targets.targetOf(To.Base, To.Where, Frame.Names);
  if (Result.Offset && To.Offset)
    *Result.Offset += To.Offset->substitute(Frame.Values);
  else
    Result.Offset.reset();
  if (To.Row)
    Result.Row = To.Row->substitute(Frame.Values);
  return Result;
}

/// The items of the call in those runs that have the pointers of \p Turn; its other work goes to \p
/// Around.
std::vector<AccessItem> AccessWriter::itemsOf(const Call &Site, const Expr &Turn, const Expr &Runs,
                                              Activation &Frame, AccessNest &Around) {
  const Function *Callee = calleeOf(Site, Frame.Callee, Find);
  Activation Inside{
      *Callee, Frames.global(), {*Callee, Callee->Demangled + "::"}, this->Around.size()};
  for (const auto &[Formal, Value] : Frames.all(Site, *Callee, Frame.Callee, Frame.Values))
    Inside.Values.insert_or_assign(Formal, Value.substitute(Frame.Values));
  takeValuesOfRun(Find(Site.Callee, Frame.Callee), Inside);
  for (const PointerArgument &To : Site.Pointers)
    if (!To.Base.empty() && To.Argument < Callee->Parameters.size() &&
        To.When.value_or(Turn) == Turn)
      Inside.Names.Known.insert_or_assign(Callee->Parameters[To.Argument].Name, passed(To, Frame));
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
    Frame.Names.Known.insert_or_assign(Site.Result, *Returned);
  for (std::vector<AccessItem> *Some : {&Called.Items, &Called.Idle})
    for (AccessItem &Item : *Some)
      Item.Runs *= Runs;
  std::ranges::move(Called.Idle, std::back_inserter(Around.Idle));
  for (ExecutedBlock &Block : Called.Executed)
    Around.Executed.push_back({Block.Runs * Runs, Block.Mix});
  return std::move(Called.Items);
}

void AccessWriter::addCall(const Call &Site, const Expr &Runs, Activation &Frame,
                           AccessNest &Target) {
  if (Site.IsLaunch)
    return;
  noteFrames(Active.size() + 1);
  const Function *Callee = calleeOf(Site, Frame.Callee, Find);
  if (!Callee || std::ranges::find(Active, Callee) != Active.end()) {
    Result.OpenCalls.insert(!Site.Callee.empty()   ? (Callee ? "recursion:" : "call:") + Site.Callee
                            : !Site.Symbol.empty() ? Site.Symbol
                            : Site.Location.isValid() ? "call@" + Site.Location.text()
                                                      : "call@" + Frame.Callee.Name);
    return;
  }
  if (!Callee->Library.empty()) {
    if (!isPure(*Callee))
      Result.OpenCalls.insert("call:" + Site.Callee);
    return;
  }
  storeReturnAddress(Site, Runs, Frame.Callee, Target);
  std::vector<Expr> Turns;
  for (const PointerArgument &To : Site.Pointers)
    if (To.When && std::ranges::find(Turns, *To.When) == Turns.end())
      Turns.push_back(*To.When);
  if (Turns.empty())
    Turns.emplace_back(1);
  for (const Expr &Turn : Turns)
    std::ranges::move(itemsOf(Site, Turn, Runs * Turn.substitute(Frame.Values), Frame, Target),
                      std::back_inserter(Target.Items));
}

void AccessWriter::storePointer(const PointerStore &Store, Activation &Frame) {
  const PointerTarget To = passed({0, Space::Memory, Store.Object, Store.Offset}, Frame);
  if (!Store.Value.Object.empty())
    Targets.store(
        To, lasting(passed({0, Space::Memory, Store.Value.Object, Store.Value.Offset}, Frame)));
  else if (Store.Value.Offset) // null
    Targets.clear(To);
  else
    Targets.store(To, std::nullopt);
}

/// A copied structure has the pointers of the original.
void AccessWriter::copyPointers(const Access &From, const Access &To, Activation &Frame) {
  auto Length = To.Length->substitute(Frame.Values).constant();
  if (!Length || !Length->asWord() || From.Base.empty() || To.Base.empty())
    return;
  Targets.copy(passed({0, From.Where, From.Base, From.Offset, From.Row}, Frame),
               passed({0, To.Where, To.Base, To.Offset, To.Row}, Frame), *Length->asWord());
}

std::multimap<unsigned, AccessWriter::Step> AccessWriter::stepsOf(const Loop &L) {
  std::multimap<unsigned, Step> Result;
  for (const Block &B : L.Blocks) {
    for (const Access &A : B.Accesses)
      Result.emplace(A.Order, Step{&B, &A});
    for (const PointerLoad &Load : B.PointerLoads)
      Result.emplace(Load.Order, Step{&B, &Load});
    for (const PointerStore &Store : B.PointerStores)
      Result.emplace(Store.Order, Step{&B, &Store});
    for (const Call &Site : B.Calls)
      Result.emplace(Site.Order, Step{&B, &Site});
  }
  for (const Loop &Inner : L.Loops)
    Result.emplace(Inner.Order, Step{nullptr, &Inner});
  return Result;
}

void AccessWriter::fill(AccessNest &Target, const Loop &L, Activation &Frame) {
  std::map<const Block *, Expr> RunsOf;
  for (const Block &B : L.Blocks) {
    Expr &Runs = RunsOf[&B] = B.Runs.substitute(Frame.Values);
    if (B.Instructions.empty() || Runs.isZero())
      continue;
    Target.Executed.push_back({Runs, &B.Instructions});
    if (!Active.front()->IsKernel)
      addTableLoads(B.Instructions, Runs, Frame.Callee, Target, Result);
  }
  const Access *Last = nullptr; // a copy's load
  std::vector<AccessItem> Some; // of one position in the code
  auto Flush = [&] {
    std::ranges::move(std::exchange(Some, {}), std::back_inserter(Target.Items));
  };
  for (const auto &[Order, Function] : stepsOf(L)) {
    if (auto *Inner = std::get_if<const Loop *>(&Function.What)) {
      Flush();
      addLoop(**Inner, Frame, Target);
      continue;
    }
    const Expr &Runs = RunsOf.at(Function.Input);
    if (Runs.isZero())
      continue;
    if (auto *A = std::get_if<const Access *>(&Function.What)) {
      const Access &Single = **A;
      const bool IsOfCopy = Last && Last->Length && Single.Length && Last->Order == Single.Order;
      if (!IsOfCopy)
        Flush();
      addAccess(Single, Runs, Frame, Some);
      if (IsOfCopy && Last->What == Access::Kind::Load && Single.What == Access::Kind::Store)
        copyPointers(*Last, Single, Frame);
      Last = &Single;
    } else if (auto *PL = std::get_if<const PointerLoad *>(&Function.What)) {
      Targets.load((*PL)->Object, Frame.Names);
    } else if (auto *PS = std::get_if<const PointerStore *>(&Function.What)) {
      storePointer(**PS, Frame);
    } else {
      Flush();
      addCall(*std::get<const Call *>(Function.What), Runs, Frame, Target);
    }
  }
  Flush();
}

void AccessWriter::addLoop(const Loop &L, Activation &Frame, AccessNest &Target) {
  static constexpr std::size_t MaxTurns = 4;
  const Expr Entries = L.Entries.substitute(Frame.Values);
  if (Entries.isZero())
    return;
  Targets.hold();
  std::vector<AccessNest> Turns;
  Turns.push_back(nestOf(L, Entries, Frame));
  // Pointers that swap return after some iterations: each of these is expanded.
  if (const auto First = Targets.cells(); Rounds < MaxTurns && Targets.tookTurns()) {
    Rounds *= 2;
    while (!Targets.isAsHeld() && Turns.size() < MaxTurns)
      Turns.push_back(nestOf(L, Entries, Frame));
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
    Target.Items.push_back({Entries, std::move(Nest)});
  else if (!Nest.Executed.empty() || !Nest.Idle.empty())
    Target.Idle.push_back({Entries, std::move(Nest)});
}

AccessNest AccessWriter::nestOf(const Loop &L, const Expr &Entries, Activation &Frame) {
  AccessNest Nest{fresh(L.Variable), L.Last.substitute(Frame.Values), L.Location, {}, {}};
  if (Nest.Variable != L.Variable)
    Frame.Values.insert_or_assign(L.Variable, Expr::symbol(Nest.Variable));
  Around.push_back({Nest.Variable, Nest.Last, Entries});
  if (!L.Made.empty())
    Nest.Made = &L.Made;
  fill(Nest, L, Frame);
  Around.pop_back();
  return Nest;
}

AccessProgram AccessWriter::write(const Function &Entry, const Substitution &Bound) {
  Activation Frame{Entry, Bound, {Entry, ""}};
  takeValuesOfRun(Find(Entry.Name, Entry), Frame);
  Active.push_back(&Entry);
  noteCode(Entry);
  Targets.enter(Frame.Names);
  fill(Result.Body, Entry.Body, Frame);
  Result.Hidden.StackBytes += RedZoneBytes;
  // Assumes rows as glibc's malloc places them, aligned to 16 bytes.
  Substitution Pitches;
  for (const auto &[Symbol, Bytes] : RowBytes)
    Pitches.emplace(Symbol, Expr(16) * ceilDiv(Bytes + 8, 16));
  substituteInOffsets(Result.Body, Pitches);
  placeLongRuns(Result);
  dropUnrun(Result.Body);
  collectSymbols(Result.Body, Result.Unbound);
  std::erase_if(Result.Unbound, [&](const std::string &Text) {
    return Variables.contains(std::string_view(Text).substr(0, Text.find('\''))) ||
           isThreadIndex(Text);
  });
  return std::move(Result);
}

AccessProgram accessesOf(const Function &Entry, const FunctionLookup &Find,
                         const Substitution &Bound) {
  return AccessWriter(Find, Bound).write(Entry, Bound);
}

} // namespace ergon
