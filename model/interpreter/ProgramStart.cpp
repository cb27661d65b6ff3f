//===- ProgramStart.cpp - how a run of code begins, and what it leaves ----===//

#include "model/interpreter/Interpreter.h"
#include "model/interpreter/Machine.h"

#include <algorithm>
#include <set>

namespace ergon::code {

/// True for a variable in a function that is made when control reaches it first, and for the guard
/// that says whether it has been.
static bool isMadeOnce(std::string_view Name, const Program &Whole) {
  static constexpr std::string_view Guard = "_ZGV";
  const std::size_t Colon = Name.rfind(':'); // behind a unit's own name
  const std::string Unit(Name.substr(0, Colon == Name.npos ? 0 : Colon + 1));
  Name.remove_prefix(Unit.size());
  return Name.starts_with(Guard) ||
         (Name.starts_with("_Z") &&
          Whole.Numbers.contains(Unit + std::string(Guard) + std::string(Name.substr(2))));
}

/// True for a variable that one function has and keeps: Fortran's `save`, a static one of C.
static bool isOfOneFunction(std::string_view Name) {
  Name.remove_prefix(Name.rfind(':') + 1); // a unit's own name; 0 where there is none
  static constexpr std::string_view OfFortran = "_QF";
  return Name.starts_with(OfFortran) ? Name.find('E') != Name.npos
                                     : !Name.starts_with('_') && Name.find('.') != Name.npos;
}

/// All globals have their objects before anything runs, so that each way finds the same. Where
/// \p IsProgram is false, the run is not the program's first: what may have been written before is
/// unknown, but that the function is called for the first time is assumed. Where numbers are
/// ordinary, it is assumed of all functions, for what they keep themselves.
void Machine::addGlobals(State &Now, bool IsProgram) {
  for (const auto &[Name, What] : Whole.Globals) {
    const std::uint32_t Number =
        Now.Objects.add(Object(What.IsKnown ? Object::Rest::Zero : Object::Rest::Unknown));
    GlobalObjects[Name] = Number;
    const bool IsNew = IsProgram || What.IsConstant || isMadeOnce(Whole.Names[Name], Whole),
               MayBeNew = !IsNew && isOfOneFunction(Whole.Names[Name]);
    OrdinaryMatters |= MayBeNew;
    Now.Objects.change(Number).IsShared =
        What.IsShared || !(IsNew || (MayBeNew && Numbers == UnknownNumbers::Ordinary));
  }
  for (const auto &[Name, What] : Whole.Globals)
    for (const Global::Item &Item : What.Items) {
      const Frame None{nullptr, 0, {}, BranchPasses(0), {}};
      Now.Objects.change(GlobalObjects[Name])
          .store(Item.Offset, Item.Of.bytes(), valueOf(Item.What, None));
    }
  Library.Errno = Now.Objects.add(Object(Object::Rest::Zero));
  auto Variable = [&](std::string_view Name) {
    auto Known = Whole.Numbers.find(Name);
    auto Found =
        Known == Whole.Numbers.end() ? GlobalObjects.end() : GlobalObjects.find(Known->second);
    return Found == GlobalObjects.end() ? Now.Objects.add(Object(Object::Rest::Zero))
                                        : Found->second;
  };
  Library.CommandLine = Now.Objects.add(Object());
  Library.OptionIndex = Variable("optind");
  Library.OptionText = Variable("optarg");
  Now.Objects.change(Library.OptionIndex).store(0, 4, Value::integer(1));
  Library.SingleThread = Variable("__libc_single_threaded");
  Object &IsOneThread = Now.Objects.change(Library.SingleThread);
  IsOneThread.IsShared = false; // in a function that is asked about too
  IsOneThread.store(0, 1, Value::integer(1));
  for (std::uint32_t *Table : {&Library.Classes, &Library.Small, &Library.Capital})
    *Table = Now.Objects.add(Object());
  addCharacterTables(Library, Now.Objects);
  addLocales(Library, Whole, Variable, Now.Objects);
}

/// Runs what C++ runs before main; false where it does not return.
bool Machine::construct(State &Now) {
  std::set<std::uint32_t> Done;
  for (const auto &[Name, What] : Whole.Globals) {
    if (!What.Constructor)
      continue;
    if (!Whole.FunctionOf.contains(*What.Constructor))
      Now.Objects.forget(Value::pointer(GlobalObjects[Name], 0));
    else if (Done.insert(*What.Constructor).second && !call(*What.Constructor, {}, {}, Now))
      return false;
  }
  return true;
}

/// By their symbols in formulas, those of global variables outside of namespaces.
std::map<std::string, std::int64_t> Machine::globalNumbers(const State &Now) const {
  std::map<std::string, std::int64_t> Result;
  for (const auto &[Name, Number] : GlobalObjects) {
    if (Number == Library.SingleThread)
      continue; // changes while libraries run
    const std::string &Text = Whole.Names[Name];
    const Object &Held = Now.Objects.object(Number);
    const Object::Slot *First = Held.slots().find(0);
    if (!Text.starts_with("_Z") && Text.find(':') == Text.npos && First && First->What.isInteger())
      Result["::" + Text] = withSign(First->What.Bits, 8 * First->Bytes);
  }
  return Result;
}

/// Of all code.
void Machine::addUnvisited(const State &All, ProgramValues &Result) const {
  std::set<std::uint32_t> Visited;
  All.Notes.forEach([&](const auto &Where, const State::Noted &) { Visited.insert(Where.second); });
  All.Shares.forEach([&](const auto &Where, const State::Share &What) {
    if (What.Denominator != 0 || !What.IsKnown)
      Visited.insert(Where.second);
  });
  for (const Function &F : Whole.Functions)
    for (const std::vector<Instruction> &Block : F.Blocks)
      for (const Instruction &I : Block)
        if ((I.What == Opcode::Note || I.What == Opcode::Count) && !Visited.contains(I.Symbol))
          Result.Unvisited.insert(Whole.Names[I.Symbol]);
}

/// Those of which each callee is known.
void Machine::addPointerCalls(const Observations &All, ProgramValues &Result) const {
  for (const auto &[Which, Times] : All.Called) {
    const auto &[Where, Callee] = Which;
    if (All.Called.contains({Where, std::nullopt}))
      continue;
    PointerTargets &Call = Result.Calls[Whole.Names[Where.first]][Whole.Names[Where.second]];
    auto Found = Whole.FunctionOf.find(*Callee);
    Call.Times[Found == Whole.FunctionOf.end() ? Whole.Names[*Callee]
                                               : Whole.Functions[Found->second].Name] +=
        Times.Numerator;
    Call.AreCounted &= Times.IsKnown && !IsOver;
    Call.AreAll = !IsOver;
  }
}

/// Keeps what \p Seen says of symbols of which nothing was known, or kept, before.
void Machine::keepBeginning(const Observations &Seen) {
  std::map<std::uint32_t, ProgramValues::Mean> Means;
  std::set<std::uint32_t> Unknown;
  auto Add = [&](std::uint32_t Symbol, ProgramValues::Mean Mean) {
    Mean.IsBeginning = true;
    if (!Means[Symbol].add(Mean))
      Unknown.insert(Symbol);
  };
  Seen.Notes.forEach([&](const auto &Where, const Observations::Noted &Noted) {
    const auto Same = std::int64_t(Noted.What.Bits);
    if (Noted.What.isInteger())
      Add(Where.second, {Same, 1, {Same, Same}});
    else if (Noted.IsSum)
      Add(Where.second, Noted.All);
    else
      Unknown.insert(Where.second);
  });
  Seen.Shares.forEach([&](const auto &Where, const Observations::Share &What) {
    // Where the function is on its way, the latest time may not have ended.
    const bool IsOpen = What.Denominator != 0 && !Whole.Names[Where.second].starts_with("taken@") &&
                        std::ranges::find(Active, Where.first, &Frame::Number) != Active.end();
    const std::uint64_t Times = What.Denominator - (IsOpen ? 1 : 0);
    if (!What.IsKnown)
      Unknown.insert(Where.second);
    else if (Times != 0)
      Add(Where.second,
          {std::int64_t(What.Numerator - (IsOpen ? What.Latest : 0)), Times, What.range()});
  });
  for (const auto &[Symbol, Mean] : Means)
    if (!Unknown.contains(Symbol))
      Begun.try_emplace(Symbol, Mean);
}

/// Adds estimates of symbols whose values are not known, or not up to the end.
void Machine::addBeginning(ProgramValues &Result) const {
  for (const auto &[Symbol, Mean] : Begun)
    if (const std::string &Name = Whole.Names[Symbol]; IsOver || Result.Varying.contains(Name))
      Result.Estimates.emplace(Name, Mean);
}

ProgramValues Machine::run(const CommandLine &How) {
  const std::vector<std::string> &Words = How.Words;
  auto Main = Whole.Numbers.find("main");
  if (Main == Whole.Numbers.end() || !Whole.FunctionOf.contains(Main->second))
    return {};
  if (How.HasRun)
    Run.Most = MaxSteps;
  State Now;
  addGlobals(Now, /*IsProgram=*/true);
  Disk.add(How.Files, Now.Objects);
  Asked.Has = How.On;
  if (!construct(Now))
    return {};
  AtStart = globalNumbers(Now);
  const Value List = Value::pointer(Now.Objects.add(Object(Object::Rest::Zero)), 0);
  for (std::size_t I = 0; I <= Words.size(); ++I) {
    const Value Word = Value::pointer(Now.Objects.add(Object()), 0);
    Now.Objects.writeText(Word, I == 0 ? AssumedName : Words[I - 1]);
    if (I == 0)
      OwnName = Word.Object;
    Now.Objects.store(Value::pointer(List.Object, std::int64_t(8 * I)), 8, Word);
  }
  return enterAt(Main->second, {Value::integer(Words.size() + 1), List}, std::move(Now));
}

/// A pointer that a caller passes, to memory with these numbers. \p IsAlone: nothing else leads
/// there.
Value Machine::pointerTo(const std::vector<EntryCall::Held> &Behind, bool IsAlone, State &Now) {
  auto New = [&] { return Value::pointer(Now.Objects.add(Object()), 0); };
  auto NewShared = [&] {
    const Value Result = New();
    Now.Objects.change(Result.Object).MayOverlap = true;
    Now.Objects.expose(Result);
    return Result;
  };
  const Value First = IsAlone ? New() : NewShared();
  Now.Objects.change(First.Object).MayBeNone = Behind.empty();
  std::map<std::vector<std::int64_t>, Value> Objects{{{}, First}}; // by the paths to them
  auto Hold = [&](const Value &In, std::int64_t Offset, unsigned Bytes, const Value &What) {
    Now.Objects.change(In.Object).store(Offset, Bytes, What);
  };
  for (const EntryCall::Held &Each : Behind) {
    std::vector<std::int64_t> Way;
    Value In = Objects.at({});
    for (std::size_t Step = 0; Step + 1 < Each.Path.size(); ++Step) {
      Way.push_back(Each.Path[Step]);
      auto Next = Objects.find(Way);
      if (Next == Objects.end()) {
        Next = Objects.emplace(Way, NewShared()).first;
        Hold(In, Each.Path[Step], 8, Next->second);
      }
      In = Next->second;
    }
    Hold(In, Each.Path.back(), Each.Bytes, Each.What);
  }
  return Objects.at({});
}

ProgramValues Machine::run(const EntryCall &How) {
  auto Entry = Whole.Numbers.find(How.Function);
  if (Entry == Whole.Numbers.end() || !Whole.FunctionOf.contains(Entry->second))
    return {};
  State Now;
  addGlobals(Now, /*IsProgram=*/false);
  Asked.Has = How.On;
  std::vector<Value> Arguments;
  const Function &Code = Whole.Functions[Whole.FunctionOf.at(Entry->second)];
  for (const EntryCall::Argument &Given : How.Arguments) {
    const bool IsAlone = std::ranges::find(Code.Alone, std::ssize(Arguments)) != Code.Alone.end();
    Arguments.push_back(Given.Behind.empty() && !IsAlone ? Given.What
                                                         : pointerTo(Given.Behind, IsAlone, Now));
  }
  return enterAt(Entry->second, std::move(Arguments), std::move(Now));
}

/// Runs the function \p Name once: what is known of it afterwards.
ProgramValues Machine::enterAt(std::uint32_t Name, std::vector<Value> Arguments, State Now) {
  ProgramValues Result;
  std::vector<End> Ends;
  const Function &Code = Whole.Functions[Whole.FunctionOf.at(Name)];
  Frame F{&Code, Name, std::move(Arguments), BranchPasses(Code.Blocks.size()), {}};
  F.Registers.resize(std::max<std::size_t>(F.Registers.size(), Code.Registers));
  Active.push_back(&F);
  follow(F, std::move(Now), {0, AtEnd, AtEnd - 1}, Ends);
  Active.pop_back();
  if (IsOver) {
    for (const auto &[Kernel, Launched] : AtOver.Launches)
      if (Launched.IsSure)
        Result.First[Kernel] = Launched.Values;
    addPointerCalls(AtOver, Result);
    addBeginning(Result);
    return Result;
  }
  std::optional<State> All = Ends.empty() ? std::move(Stopped) : std::nullopt;
  for (End &E : Ends)
    if (!All)
      All = std::move(E.Now);
    else
      All->merge(E.Now);
  if (!All)
    return Result;
  auto AddLike = [&](const auto &Where, const Inputs &Above) {
    const auto Nearest =
        std::ranges::min_element(Above, {}, [](const auto &Each) { return std::abs(Each.second); });
    if (Nearest != Above.end())
      Result.Likes[Whole.Names[Where.first]][Whole.Names[Where.second]] = {
          Whole.Names[Nearest->first], Nearest->second};
  };
  auto AddMean = [&](const auto &Where, const ProgramValues::Mean &Mean) {
    Result.Means[Whole.Names[Where.first]][Whole.Names[Where.second]] = Mean;
  };
  All->Notes.forEach([&](const auto &Where, const State::Noted &Noted) {
    if (Noted.What.isInteger())
      Result.Symbols[Whole.Names[Where.first]][Whole.Names[Where.second]] =
          std::int64_t(Noted.What.Bits);
    else if (Noted.IsSum)
      AddMean(Where, Noted.All);
    else
      Result.Varying.insert(Whole.Names[Where.second]);
    if (!Noted.What.isInteger())
      AddLike(Where, Noted.Above);
  });
  All->Shares.forEach([&](const auto &Where, const State::Share &What) {
    if (const auto Share = What.sameEachTime(Whole.Names[Where.second].starts_with("taken@")))
      Result.Symbols[Whole.Names[Where.first]][Whole.Names[Where.second]] = *Share;
    else if (What.Denominator != 0 && What.IsKnown)
      AddMean(Where, {std::int64_t(What.Numerator), What.Denominator, What.range()});
    else if (!What.IsKnown)
      Result.Varying.insert(Whole.Names[Where.second]);
  });
  for (const auto &[Symbol, Number] : globalNumbers(*All))
    if (auto Before = AtStart.find(Symbol); Before != AtStart.end() && Before->second == Number)
      Result.Globals.insert(*Before);
    else
      Result.Estimates.emplace(Symbol,
                               ProgramValues::Mean{Number, 1, {Number, Number}, false, true});
  if (All->Threads && All->Threads->isInteger())
    Result.Symbols["main"]["omp.threads"] = withSign(All->Threads->Bits, 32);
  for (const auto &[Kernel, Launched] : All->Launches)
    Result.First[Kernel] = Launched.Values;
  addUnvisited(*All, Result);
  addPointerCalls(*All, Result);
  addBeginning(Result);
  return Result;
}

template <typename Call>
static ProgramValues runOf(Program &What, const Call &How, UnknownNumbers Are) {
  Machine Running(What, Are);
  ProgramValues Result = Running.run(How);
  Result.FilesRead = Running.filesRead();
  Result.ReadsName = Running.readsName();
  Result.AsksForCaches = Running.asked().Caches;
  Result.AsksForGpu = Running.asked().Gpu;
  Result.OrdinaryMatters = Running.ordinaryMatters();
  Result.CallsUnseen = Running.callsUnseen();
  return Result;
}

ProgramValues valuesOf(Program &What, const CommandLine &How, UnknownNumbers Are) {
  return runOf(What, How, Are);
}

ProgramValues valuesOfCall(Program &What, const EntryCall &How, UnknownNumbers Are) {
  return runOf(What, How, Are);
}

} // namespace ergon::code
