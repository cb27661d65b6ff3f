//===- LibraryStreams.cpp - std::istream in interpreted code --------------===//

#include "model/library/Streams.h"

#include <algorithm>

namespace ergon::code {

/// Members of std::istream that read characters or go to a place.
static std::optional<Value> callMember(const LibraryCall &Call) {
  static constexpr std::string_view Class = "_ZNSi";
  static constexpr std::string_view Known[] = {
      "3getEv",    "4peekEv",    "3getERc",      "5seekgESt4fposI11__mbstate_tE",
      "4readEPcl", "6ignoreEv",  "6ignoreEl",    "5seekgElSt12_Ios_Seekdir",
      "5tellgEv",  "6ignoreEli", "7getlineEPcl", "7getlineEPclc"};
  if (!Call.Name.starts_with(Class))
    return std::nullopt;
  const std::string_view Name = Call.Name.substr(Class.size());
  if (std::ranges::find(Known, Name) == std::end(Known))
    return std::nullopt;
  StreamReader Stream(Call);
  const Value First = Call.argument(1), Second = Call.argument(2);
  auto Done = [&](bool IsKnown) {
    if (!IsKnown)
      for (const Value &Written : {Call.argument(0), First})
        Call.Now.Objects.forget(Written);
    return Call.argument(0);
  };
  if (!Stream.isKnown()) {
    const Value Same = Done(false);
    return Name == "3getEv" || Name == "4peekEv" || Name == "5tellgEv" ? Value::unknown() : Same;
  }
  if (Name == "3getEv" || Name == "4peekEv")
    return Value::integer(lowBits(std::uint64_t(Stream.readCharacter(Name == "3getEv")), 32));
  if (Name == "3getERc") {
    if (const int Read = Stream.readCharacter(/*Takes=*/true); Read >= 0)
      Call.Now.Objects.store(First, 1, Value::integer(std::uint64_t(Read)));
    return Call.argument(0);
  }
  if (Name == "4readEPcl")
    return Done(Stream.readBytes(First, Second));
  if (Name.starts_with("7getline"))
    return Done(Stream.readLine(First, Second,
                                Name.ends_with('c') ? Call.argument(3) : Value::integer('\n')));
  if (Name == "6ignoreEv" || Name == "6ignoreEl" || Name == "6ignoreEli")
    return Done(Stream.ignore(Name == "6ignoreEv" ? Value::integer(1) : First,
                              Name == "6ignoreEli" ? Second : Value::integer(lowBits(~0ULL, 32))));
  if (Name == "5seekgESt4fposI11__mbstate_tE")
    return Done(Stream.seek(First, 0));
  if (Name == "5seekgElSt12_Ios_Seekdir")
    return Done(Second.isInteger() && Stream.seek(First, Second.Bits));
  const Value Place = Value::pointer(Call.Now.Objects.add(Object(Object::Rest::Zero)), 0);
  Call.Now.Objects.store(Place, 8, Value::integer(std::uint64_t(Stream.place())));
  return Place;
}

/// `>>` and std::getline.
static std::optional<Value> callReading(const LibraryCall &Call) {
  static constexpr std::string_view
      Extract = "_ZNSi10_M_extractI",
      Word = "_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_"
             "stringIS4_S5_T1_EE",
      Line = "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112"
             "basic_stringIS4_S5_T1_EES4_",
      Letter = "_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_",
      Spaces = "_ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_";
  const bool IsNumber = Call.Name.starts_with(Extract) && Call.Name.substr(19) == "EERSiRT_";
  const bool IsShort = Call.Name == "_ZNSirsERi" || Call.Name == "_ZNSirsERs";
  static constexpr std::string_view Others[] = {Word, Line, Letter, Spaces};
  if (!IsNumber && !IsShort && std::ranges::find(Others, Call.Name) == std::end(Others))
    return std::nullopt;
  StreamReader Stream(Call);
  const Value To = Call.argument(1);
  const bool IsDone =
      Stream.isKnown() && (IsNumber              ? Stream.readNumber(Call.Name[18], To)
                           : IsShort             ? Stream.readNumber(Call.Name.back(), To)
                           : Call.Name == Word   ? Stream.readWord(To)
                           : Call.Name == Letter ? Stream.readLetter(To)
                           : Call.Name == Spaces ? Stream.skipSpaces()
                                                 : Stream.readLine(To, Call.argument(2)));
  if (!IsDone)
    for (const Value &Written : Call.Arguments)
      Call.Now.Objects.forget(Written);
  return Call.argument(0);
}

/// Members of std::ios that tell or set its state.
static std::optional<Value> callState(const LibraryCall &Call) {
  static constexpr std::string_view Tells = "_ZNKSt9basic_iosIcSt11char_traitsIcEE",
                                    Sets = "_ZNSt9basic_iosIcSt11char_traitsIcEE";
  using Test = std::pair<std::string_view, bool (*)(std::uint64_t)>;
  static constexpr std::uint64_t Bad = 1, End = StreamParts::AtTextEnd,
                                 NoSuccess = Bad | StreamParts::Failed;
  static constexpr Test Tests[] = {{"4goodEv", [](auto State) { return State == 0; }},
                                   {"3eofEv", [](auto State) { return (State & End) != 0; }},
                                   {"3badEv", [](auto State) { return (State & Bad) != 0; }},
                                   {"4failEv", [](auto State) { return (State & NoSuccess) != 0; }},
                                   {"ntEv", [](auto State) { return (State & NoSuccess) != 0; }},
                                   {"cvbEv", [](auto State) { return (State & NoSuccess) == 0; }}};
  Memory &Objects = Call.Now.Objects;
  const Value Ios = Call.argument(0);
  const Value State = StreamParts::stateOf(Ios, Objects);
  if (Call.Name.starts_with(Tells)) {
    const std::string_view Name = Call.Name.substr(Tells.size());
    if (Name == "7rdstateEv")
      return State;
    const Test *Found = std::ranges::find(Tests, Name, &Test::first);
    if (Found == std::end(Tests))
      return std::nullopt;
    return State.isInteger() ? Value::integer(Found->second(State.Bits)) : Value::unknown();
  }
  if (!Call.Name.starts_with(Sets))
    return std::nullopt;
  const std::string_view Name = Call.Name.substr(Sets.size());
  const Value Given = Call.argument(1);
  if (Name == "5clearESt12_Ios_Iostate")
    StreamParts::setState(Ios, Given, Objects);
  else if (Name == "8setstateESt12_Ios_Iostate")
    StreamParts::setState(Ios,
                          State.isInteger() && Given.isInteger()
                              ? Value::integer(State.Bits | Given.Bits)
                              : Value::unknown(),
                          Objects);
  else
    return std::nullopt;
  return Value::unknown();
}

std::optional<Value> callStreams(const LibraryCall &Call) {
  if (!Call.Name.starts_with("_ZN") && !Call.Name.starts_with("_ZSt"))
    return std::nullopt;
  for (auto Try :
       {callStringStream, callFileStream, callReading, callMember, callState, callOutput})
    if (auto Result = Try(Call))
      return Result;
  return std::nullopt;
}

} // namespace ergon::code
