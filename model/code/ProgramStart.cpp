//===- ProgramStart.cpp - what a program has before main ------------------===//

#include "model/code/Machine.h"

#include <set>

namespace ergon::code {

/// All globals have their objects before anything runs, so that each way finds the same.
void Machine::addGlobals(State &Now) {
  for (const auto &[Name, What] : Whole.Globals) {
    const std::uint32_t Number =
        Now.Objects.add(Object(What.IsKnown ? Object::Rest::Zero : Object::Rest::Unknown));
    GlobalObjects[Name] = Number;
    Now.Objects.change(Number).IsShared = What.IsShared;
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
  Library.OptionIndex = Variable("optind");
  Library.OptionText = Variable("optarg");
  Now.Objects.change(Library.OptionIndex).store(0, 4, Value::integer(1));
  for (std::uint32_t *Table : {&Library.Classes, &Library.Small, &Library.Capital})
    *Table = Now.Objects.add(Object());
  addCharacterTables(Library, Now.Objects);
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
    const std::string &Text = Whole.Names[Name];
    const Object &Held = Now.Objects.object(Number);
    const Object::Slot *First = Held.slots().find(0);
    if (!Text.starts_with("_Z") && Text.find(':') == Text.npos && First && First->What.isInteger())
      Result["::" + Text] = withSign(First->What.Bits, 8 * First->Bytes);
  }
  return Result;
}

/// Those of which each callee is known.
void Machine::addPointerCalls(const State &All, ProgramValues &Result) const {
  for (const auto &[Which, Times] : All.Called) {
    const auto &[Where, Callee] = Which;
    if (All.Called.contains({Where, std::nullopt}))
      continue;
    PointerTargets &Call = Result.Calls[Whole.Names[Where.first]][Whole.Names[Where.second]];
    auto Found = Whole.FunctionOf.find(*Callee);
    Call.Times[Found == Whole.FunctionOf.end() ? Whole.Names[*Callee]
                                               : Whole.Functions[Found->second].Name] +=
        Times.Numerator;
    Call.AreCounted &= Times.IsKnown;
  }
}

} // namespace ergon::code
