//===- RecordFields.h - the members of each part of a record ----*- C++ -*-===//
//
// One table for each struct of a function: its keys in the order in which they are written, and the
// members that they stand for. Reading and writing both go by these.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Json.h"
#include "model/program/Function.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ergon {

/// When a key stands in a record.
enum class Presence {
  Needed,   ///< always; a text is not empty
  Given,    ///< always; a text may be empty, a formula null
  Optional, ///< not where the member is empty, 0 or false
  Apart,    ///< as Optional, among a function's details as a rule (isDetail)
  Lines,    ///< as Apart, and read only from Detail::Lines on
  Detail    ///< as Apart, and read only with all of a function
};

/// A key, and the member that it stands for: what std::invoke() takes.
template <typename Member> struct RecordField {
  std::string_view Key;
  Presence When;
  Member Which;

  /// Whether the key always stands there.
  constexpr bool isAlways() const { return When == Presence::Needed || When == Presence::Given; }
};

template <typename M> constexpr RecordField<M> needed(std::string_view Key, M Which) {
  return {Key, Presence::Needed, Which};
}
template <typename M> constexpr RecordField<M> given(std::string_view Key, M Which) {
  return {Key, Presence::Given, Which};
}
template <typename M> constexpr RecordField<M> some(std::string_view Key, M Which) {
  return {Key, Presence::Optional, Which};
}
template <typename M> constexpr RecordField<M> apart(std::string_view Key, M Which) {
  return {Key, Presence::Apart, Which};
}
template <typename M> constexpr RecordField<M> ofLines(std::string_view Key, M Which) {
  return {Key, Presence::Lines, Which};
}
template <typename M> constexpr RecordField<M> detail(std::string_view Key, M Which) {
  return {Key, Presence::Detail, Which};
}

/// The fields of \p T; none where it is no struct of a record.
template <typename T> inline constexpr auto FieldsOf = std::tuple();
template <typename T>
concept HasFields = std::tuple_size_v<decltype(FieldsOf<T>)> != 0;

template <>
inline constexpr auto FieldsOf<Enumerator> =
    std::tuple(needed("name", &Enumerator::Name), needed("value", &Enumerator::Value));

template <>
inline constexpr auto FieldsOf<Cell> =
    std::tuple(needed("symbol", &Cell::Symbol), needed("param", &Cell::Parameter),
               needed("path", &Cell::Path), needed("bytes", &Cell::Bytes),
               some("behind", &Cell::Behind), some("signed", &Cell::IsSigned),
               some("kind", [](auto &C) -> auto & { return C.Type.Kind; }),
               some("names", [](auto &C) -> auto & { return C.Type.Names; }));

template <>
inline constexpr auto FieldsOf<PointerTaker> =
    std::tuple(needed("callee", &PointerTaker::Callee), some("args", &PointerTaker::Arguments));

template <>
inline constexpr auto FieldsOf<DeclaredMember> =
    std::tuple(needed("symbol", &DeclaredMember::Symbol), needed("object", &DeclaredMember::Object),
               needed("class", &DeclaredMember::Class), needed("path", &DeclaredMember::Path),
               needed("bytes", &DeclaredMember::Bytes));

template <>
inline constexpr auto FieldsOf<ObjectType::Member> =
    std::tuple(needed("name", &ObjectType::Member::Name),
               needed("offset", &ObjectType::Member::Offset),
               needed("bytes", &ObjectType::Member::Bytes),
               some("signed", &ObjectType::Member::IsSigned), some("to", &ObjectType::Member::To));

template <>
inline constexpr auto FieldsOf<ObjectType> =
    std::tuple(needed("class", &ObjectType::Class), needed("members", &ObjectType::Members));

template <>
inline constexpr auto FieldsOf<UnknownStart> =
    std::tuple(needed("start", &UnknownStart::Number), some("loops", &UnknownStart::Loops),
               some("further", &UnknownStart::Further), some("goes_on", &UnknownStart::GoesOn));

template <>
inline constexpr auto FieldsOf<Access> =
    std::tuple(needed("op", &Access::What), needed("space", &Access::Where),
               needed("bytes", &Access::Bytes), some("base", &Access::Base),
               some("offset", &Access::Offset), some("line", &Access::Line),
               some("column", &Access::Column), some("file", &Access::File),
               some("order", &Access::Order), some("length", &Access::Length),
               some("row", &Access::Row), some("non_temporal", &Access::NonTemporal),
               some("from", &Access::From), some("within", &Access::Within));

template <>
inline constexpr auto FieldsOf<LaunchShape> =
    std::tuple(needed("shared_bytes", &LaunchShape::SharedBytes),
               needed("grid", &LaunchShape::Grid), needed("block", &LaunchShape::Block));

template <>
inline constexpr auto FieldsOf<MadeBy> =
    std::tuple(needed("arg", &MadeBy::Number), needed("by", &MadeBy::Callee),
               needed("args", &MadeBy::Arguments));

template <>
inline constexpr auto FieldsOf<ReadParameter> =
    std::tuple(needed("param", &ReadParameter::Parameter), some("if", &ReadParameter::If));

template <>
inline constexpr auto FieldsOf<PassedObject::Origin> = std::tuple(
    some("param", &PassedObject::Origin::Parameter), needed("path", &PassedObject::Origin::Path),
    given("text", &PassedObject::Origin::Text), some("after", &PassedObject::Origin::After));

template <>
inline constexpr auto FieldsOf<PassedObject::Item> = std::tuple(
    needed("offset", &PassedObject::Item::Offset), needed("bytes", &PassedObject::Item::Bytes),
    given("value", &PassedObject::Item::Value), some("address", &PassedObject::Item::IsAddress),
    some("through", &PassedObject::Item::Through), some("real", &PassedObject::Item::IsReal),
    some("after", &PassedObject::Item::After));

template <>
inline constexpr auto FieldsOf<PassedObject> =
    std::tuple(needed("arg", &PassedObject::Argument), some("from", &PassedObject::From),
               some("stored", &PassedObject::Stored));

template <>
inline constexpr auto FieldsOf<PointerArgument> =
    std::tuple(needed("arg", &PointerArgument::Argument), needed("space", &PointerArgument::Where),
               some("base", &PointerArgument::Base), some("offset", &PointerArgument::Offset),
               some("row", &PointerArgument::Row), some("when", &PointerArgument::When));

template <>
inline constexpr auto FieldsOf<Call> = std::tuple(
    some("callee", &Call::Callee), some("symbol", &Call::Symbol), some("launch", &Call::IsLaunch),
    needed("args", &Call::Arguments), some("wrapping", &Call::Wrapping),
    some("objects", &Call::Objects), some("globals", &Call::Globals), some("at", &Call::Location),
    some("shape", &Call::Shape), some("pointers", &Call::Pointers), some("made", &Call::Origins),
    some("order", &Call::Order), some("result", &Call::Result), some("value", &Call::Value));

template <>
inline constexpr auto FieldsOf<OverlapCheck> =
    std::tuple(some("apart", &OverlapCheck::ApartBytes), some("loops", &OverlapCheck::Loops),
               some("unit_stride", &OverlapCheck::UnitStride));

template <>
inline constexpr auto FieldsOf<MachineLoop> =
    std::tuple(needed("step", &MachineLoop::Step), some("instructions", &MachineLoop::Iteration),
               some("chains", &MachineLoop::Chains), some("entry", &MachineLoop::Entry),
               some("check", &MachineLoop::Check));

template <>
inline constexpr auto FieldsOf<KernelArgument> = std::tuple(
    needed("kernel", &KernelArgument::Kernel), needed("argument", &KernelArgument::Argument));

template <>
inline constexpr auto FieldsOf<Hint> =
    std::tuple(needed("what", &Hint::What), some("at", &Hint::Location),
               some("detail", &Hint::Detail), some("saves", &Hint::Saves),
               some("needed_in", &Hint::NeededIn), some("if_only_read", &Hint::IfOnlyRead));

template <>
inline constexpr auto FieldsOf<LineCost> =
    std::tuple(needed("line", &LineCost::Line), some("file", &LineCost::File),
               needed("counts", &LineCost::PerRun));

template <>
inline constexpr auto FieldsOf<PointedLocation> =
    std::tuple(some("object", &PointedLocation::Object), some("offset", &PointedLocation::Offset));

template <>
inline constexpr auto FieldsOf<PointerLoad> =
    std::tuple(needed("object", &PointerLoad::Object), needed("order", &PointerLoad::Order));

template <>
inline constexpr auto FieldsOf<PointerStore> =
    std::tuple(needed("object", &PointerStore::Object), needed("offset", &PointerStore::Offset),
               needed("value", &PointerStore::Value), some("order", &PointerStore::Order));

template <>
inline constexpr auto FieldsOf<Block> =
    std::tuple(needed("runs", &Block::Runs), some("known", &Block::How),
               some("counts", &Block::PerRun), apart("accesses", &Block::Accesses),
               detail("pointer_loads", &Block::PointerLoads),
               detail("pointer_stores", &Block::PointerStores), some("calls", &Block::Calls),
               detail("instructions", &Block::Instructions), detail("hints", &Block::Hints),
               ofLines("lines", &Block::Lines), some("counted", &Block::Counted));

/// Of what became of the loop, 0 is not known.
template <>
inline constexpr auto FieldsOf<Loop> = std::tuple(
    given("var", &Loop::Variable), some("at", &Loop::Location), needed("entries", &Loop::Entries),
    needed("last", &Loop::Last), some("known", &Loop::TripsKnown),
    some("vector_width", [](auto &L) -> auto & { return L.Shape.VectorWidth; }),
    some("interleave", [](auto &L) -> auto & { return L.Shape.Interleave; }),
    some("rest_width", [](auto &L) -> auto & { return L.Shape.RestWidth; }),
    some("unroll", [](auto &L) -> auto & { return L.Shape.Unroll; }), detail("made", &Loop::Made),
    some("order", &Loop::Order), some("counted", &Loop::Counted), some("entered", &Loop::Entered),
    needed("blocks", &Loop::Blocks), some("loops", &Loop::Loops));

template <>
inline constexpr auto FieldsOf<SizedObject::Through> =
    std::tuple(needed("object", &SizedObject::Through::Object),
               some("offset", &SizedObject::Through::Offset),
               some("at_entry", &SizedObject::Through::AtEntry));

template <>
inline constexpr auto FieldsOf<SizedObject> =
    std::tuple(needed("name", &SizedObject::Name), needed("space", &SizedObject::Where),
               needed("bytes", &SizedObject::Bytes), some("symbol", &SizedObject::Symbol),
               some("allocated", &SizedObject::IsAllocated), some("through", &SizedObject::Via));

template <>
inline constexpr auto FieldsOf<Unknown> =
    std::tuple(needed("symbol", &Unknown::Symbol), needed("why", &Unknown::Why),
               some("at", &Unknown::Location), some("measured", &Unknown::Measured),
               some("most", &Unknown::Most), some("limit", &Unknown::Limit),
               some("usually", &Unknown::Usually), some("estimate", &Unknown::Estimate),
               some("argument", &Unknown::Argument), some("real", &Unknown::IsReal),
               some("formula", &Unknown::Formula), some("after", &Unknown::After));

template <>
inline constexpr auto FieldsOf<Assumption> =
    std::tuple(needed("what", &Assumption::What), some("at", &Assumption::Location),
               some("only_reads", &Assumption::OnlyReads));

template <>
inline constexpr auto FieldsOf<WrapCheck> =
    std::tuple(needed("if", &WrapCheck::Wraps), some("at", &WrapCheck::Location));

template <>
inline constexpr auto FieldsOf<Parameter> =
    std::tuple(needed("name", &Parameter::Name), needed("type", &Parameter::Type),
               some("signed", &Parameter::IsSigned),
               some("kind", [](auto &P) -> auto & { return P.Scalar.Kind; }),
               some("names", [](auto &P) -> auto & { return P.Scalar.Names; }));

template <>
inline constexpr auto FieldsOf<Alias> = std::tuple(
    needed("name", &Alias::Name), some("local", &Alias::IsLocal), some("weak", &Alias::IsWeak));

template <>
inline constexpr auto FieldsOf<DeviceResources> =
    std::tuple(some("registers", &DeviceResources::Registers),
               some("shared_bytes", &DeviceResources::SharedBytes),
               some("stack_bytes", &DeviceResources::StackBytes),
               some("spill_store_bytes", &DeviceResources::SpillStoreBytes),
               some("spill_load_bytes", &DeviceResources::SpillLoadBytes),
               some("barriers", &DeviceResources::Barriers));

/// The keys of a function that come first: RecordFile finds them there.
inline constexpr std::string_view FunctionNames[] = {"name",  "demangled", "snapshot",
                                                     "local", "weak",      "aliases"};
/// The key of what a long function's object holds, without its repetitions; of its details too.
inline constexpr std::string_view PackedKey = "packed";
/// The key of a function's details, which come last and begin with its code; and what stands before
/// their value.
inline constexpr std::string_view DetailsKey = "details", CodeKey = "code",
                                  DetailsStart = "\n,\"details\":";
/// Keys of details: the loops of the function, its body first, and their blocks, in the order in
/// which forEachLoopAndBlock() has them, each with those of its members that are details.
inline constexpr std::string_view DetailedLoops = "loops", DetailedBlocks = "blocks";

template <>
inline constexpr auto FieldsOf<Function> =
    std::tuple(needed("name", &Function::Name), needed("demangled", &Function::Demangled),
               needed("snapshot", &Function::Snapshot), needed("local", &Function::IsLocal),
               some("weak", &Function::IsWeak), some("aliases", &Function::Aliases),
               some("kernel", &Function::IsKernel), some("resources", &Function::Resources),
               some("at", &Function::Location), needed("params", &Function::Parameters),
               some("cells", &Function::Cells), some("declared", &Function::Declared),
               some("objects", &Function::Objects), some("returns", &Function::Returns),
               some("value", &Function::Value), some("only_reads", &Function::OnlyReads),
               some("reads", &Function::Reads), some("unknowns", &Function::Unknowns),
               some("assumptions", &Function::Assumptions), some("wraps", &Function::WrapChecks),
               some("annotations", &Function::Annotations), needed("body", &Function::Body),
               apart("code", &Function::Code));

/// Whether some members of \p T are details.
template <typename T>
inline constexpr bool HasDetails =
    std::is_same_v<T, Function> || std::is_same_v<T, Loop> || std::is_same_v<T, Block>;

/// The fields of \p T that may be details.
template <typename T>
inline constexpr auto DetailsOf = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::tuple_cat([] {
    constexpr auto Field = std::get<I>(FieldsOf<T>);
    if constexpr (HasDetails<T> && Field.When >= Presence::Apart)
      return std::tuple(Field);
    else
      return std::tuple();
  }()...);
}(std::make_index_sequence<std::tuple_size_v<decltype(FieldsOf<T>)>>());

/// Whether the member that \p Field stands for is a detail of \p Of. Accesses are none where a
/// caller says the space of one, which its costs depend on.
template <typename M, typename T> bool isDetail(const RecordField<M> &Field, const T &Of) {
  if constexpr (std::is_same_v<T, Block>)
    if (Field.When == Presence::Apart)
      return std::ranges::none_of(Of.Accesses,
                                  [](const Access &A) { return A.Where == Space::Generic; });
  return HasDetails<T> && Field.When >= Presence::Apart;
}

/// Passes \p Region, its blocks, and the same of its loops in turn to \p Use.
template <typename Region, typename Function>
void forEachLoopAndBlock(Region &Outer, Function &&Use) {
  Use(Outer);
  for (auto &B : Outer.Blocks)
    Use(B);
  for (auto &Inner : Outer.Loops)
    forEachLoopAndBlock(Inner, Use);
}

/// Reads a class that functions name.
ObjectType readObjectType(JsonCursor Json);

} // namespace ergon
