//===- LibraryLocale.cpp - std::locale in interpreted code ----------------===//
//
// The classic locale and two of its facets, std::ctype<char> and std::collate<char>. A locale is a
// pointer to what it shares with its copies: among it facets by the numbers of their ids. Programs
// have parts of this inline: libstdc++'s ABI, bits/locale_classes.h and locale_facets.h of GCC 12.
//
//===----------------------------------------------------------------------===//

#include "model/library/LibraryCall.h"
#include "model/library/LibraryTexts.h"

#include <algorithm>
#include <cctype>
#include <span>

namespace ergon::code {

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

namespace {
struct FacetClass {
  std::string_view Scope; ///< of its members, mangled
  std::string_view Type;
  std::int64_t Id;
  std::span<const std::string_view> Virtual; ///< its members, behind two destructors
};
} // namespace

static constexpr std::string_view CtypeMembers[] = {
    "10do_toupperEc", "10do_toupperEPcPKc", "10do_tolowerEc", "10do_tolowerEPcPKc",
    "8do_widenEc",    "8do_widenEPKcS2_Pc", "9do_narrowEcc",  "9do_narrowEPKcS2_cPc"};
static constexpr std::string_view CollateMembers[] = {"10do_compareEPKcS3_S3_S3_",
                                                      "12do_transformEPKcS3_"};
static constexpr FacetClass FacetClasses[] = {
    {"St5ctypeIcE", "St5ctypeIcE", 0, CtypeMembers},
    {"St7__cxx117collateIcE", "NSt7__cxx117collateIcEE", 1, CollateMembers}};

static constexpr std::int64_t FacetsAt = 8;   ///< in what a locale points to
static constexpr std::int64_t ClassesAt = 48; ///< in std::ctype<char>: the table
static constexpr std::int64_t WidenAt = 56, NarrowAt = 313, NarrowOkAt = 569;

static std::string memberName(const FacetClass &Class, std::string_view Member) {
  return "_ZNK" + std::string(Class.Scope) + std::string(Member);
}

void addLocaleNames(Program &Whole) {
  for (const FacetClass &Class : FacetClasses)
    for (const std::string_view Member : Class.Virtual)
      Whole.number(memberName(Class, Member));
}

/// A facet with its table of virtual functions, in front of which its type is.
static Value newFacet(const FacetClass &Class, const Program &Whole, const ObjectOf &Variable,
                      Memory &Objects) {
  static constexpr std::int64_t TypeAt = 8, Destructors = 2, Before = 16;
  const Value Facet = Value::pointer(Objects.add(Object()), 0),
              Table = Value::pointer(Objects.add(Object()), Before);
  Objects.store(moved(Table, -Before), 8, Value::integer(0)); // the facet begins its object
  Objects.store(moved(Table, TypeAt - Before), 8,
                Value::pointer(Variable("_ZTI" + std::string(Class.Type)), 0));
  for (std::size_t Number = 0; Number != Class.Virtual.size(); ++Number)
    if (auto Found = Whole.Numbers.find(memberName(Class, Class.Virtual[Number]));
        Found != Whole.Numbers.end())
      Objects.store(moved(Table, 8 * (Destructors + std::int64_t(Number))), 8,
                    Value::function(Found->second));
  Objects.store(Facet, 8, Table);
  return Facet;
}

/// Characters are the same, wide and narrow, and all that a facet keeps of them is known.
static void addCharacters(const Value &Ctype, const Value &Classes, Memory &Objects) {
  std::string Same;
  for (int C = 0; C != 256; ++C)
    Same += char(C);
  Objects.store(moved(Ctype, ClassesAt), 8, Objects.load(Classes, 8));
  Objects.writeBytes(moved(Ctype, WidenAt), "\1" + Same);
  Objects.writeBytes(moved(Ctype, NarrowAt), Same);
  Objects.store(moved(Ctype, NarrowOkAt), 1, Value::integer(1));
}

void addLocales(LibraryObjects &Library, const Program &Whole, const ObjectOf &Variable,
                Memory &Objects) {
  const Value Shared = Value::pointer(Objects.add(Object()), 0),
              Facets = Value::pointer(Objects.add(Object()), 0);
  Objects.store(moved(Shared, FacetsAt), 8, Facets);
  for (const FacetClass &Class : FacetClasses) {
    const Value Facet = newFacet(Class, Whole, Variable, Objects);
    if (Class.Id == 0)
      addCharacters(Facet, Value::pointer(Library.Classes, 0), Objects);
    Objects.store(moved(Facets, 8 * Class.Id), 8, Facet);
    Library.FacetIds[std::size_t(Class.Id)] = Variable("_ZN" + std::string(Class.Scope) + "2idE");
  }
  for (std::uint32_t *Locale : {&Library.GlobalLocale, &Library.ClassicLocale}) {
    *Locale = Objects.add(Object());
    Objects.store(Value::pointer(*Locale, 0), 8, Shared);
  }
  Library.SingleBase = Variable("_ZTVN10__cxxabiv120__si_class_type_infoE");
  Library.NoBase = Variable("_ZTVN10__cxxabiv117__class_type_infoE");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Members of std::locale.
static std::optional<Value> callLocaleMember(const LibraryCall &Call, std::string_view Member) {
  Memory &Objects = Call.Now.Objects;
  const Value This = Call.argument(0), Other = Call.argument(1),
              Global = Value::pointer(Call.Library.GlobalLocale, 0),
              Classic = Value::pointer(Call.Library.ClassicLocale, 0);
  auto Copy = [&](const Value &To, const Value &From) {
    Objects.store(To, 8, Objects.load(From, 8));
    return To;
  };
  if (Member == "C1Ev" || Member == "C2Ev")
    return Copy(This, Global);
  if (Member == "C1ERKS_" || Member == "C2ERKS_" || Member == "aSERKS_")
    return Copy(This, Other);
  if (Member == "C1EPKc" || Member == "C2EPKc") {
    const auto Name = Objects.text(Other);
    return Name == "C" || Name == "POSIX" ? std::optional(Copy(This, Classic)) : std::nullopt;
  }
  if (Member == "D1Ev" || Member == "D2Ev")
    return Value::unknown();
  if (Member == "7classicEv")
    return Classic;
  if (Member == "6globalERKS_") { // returns what it was
    Copy(This, Global);
    return Copy(Global, Other);
  }
  return std::nullopt;
}

static std::optional<Value> callLocaleItself(const LibraryCall &Call) {
  static constexpr std::string_view Scope = "_ZNSt6locale";
  Memory &Objects = Call.Now.Objects;
  if (Call.Name == "_ZNKSt6locale2id5_M_idEv") {
    const auto Found = std::ranges::find(Call.Library.FacetIds, Call.argument(0).Object);
    return Call.argument(0).isPointer() && Found != Call.Library.FacetIds.end()
               ? Value::integer(std::uint64_t(Found - Call.Library.FacetIds.begin()))
               : Value::unknown();
  }
  if (Call.Name == "_ZNKSt6localeeqERKS_") { // locales with one name are equal too
    const Value Left = Objects.load(Call.argument(0), 8), Right = Objects.load(Call.argument(1), 8);
    return Left.isKnown() && Left == Right ? Value::integer(1) : Value::unknown();
  }
  for (const FacetClass &Class : FacetClasses)
    for (const std::string_view Asks : {"_ZSt9use_facetI", "_ZSt9has_facetI"})
      if (Call.Name.starts_with(Asks) && Call.Name.substr(Asks.size()).starts_with(Class.Type)) {
        const Value Facets = Objects.load(moved(Objects.load(Call.argument(0), 8), FacetsAt), 8);
        const Value Facet = Objects.load(moved(Facets, 8 * Class.Id), 8);
        return Asks.ends_with("use_facetI") ? Facet
               : Facet.isPointer()          ? Value::integer(1)
                                            : Value::unknown();
      }
  return Call.Name.starts_with(Scope) ? callLocaleMember(Call, Call.Name.substr(Scope.size()))
                                      : std::nullopt;
}

/// Letters of a text, from its begin to its end, in their other case.
static Value convertRange(const LibraryCall &Call, int (*Convert)(int)) {
  Memory &Objects = Call.Now.Objects;
  const Value Begin = Call.argument(1), End = Call.argument(2);
  const auto Size = bytesBetween(Begin, End);
  auto Text = Size ? Objects.bytes(Begin, std::uint64_t(*Size)) : std::nullopt;
  if (Text) {
    for (char &C : *Text)
      C = C >= 0 ? char(Convert(C)) : C;
    Objects.writeBytes(Begin, *Text);
  } else if (Size != 0) {
    Objects.forget(Begin);
  }
  return End;
}

/// Copies a text from its begin to its end.
static Value copyRange(const LibraryCall &Call, const Value &To) {
  if (const auto Size = bytesBetween(Call.argument(1), Call.argument(2)))
    Call.Now.Objects.copy(To, Call.argument(1), Value::integer(std::uint64_t(*Size)));
  else
    Call.Now.Objects.forget(To);
  return Call.argument(2);
}

static std::optional<Value> callCtype(const LibraryCall &Call, std::string_view Member) {
  const Value Given = Call.argument(1);
  const bool IsToUpper = Member.starts_with("10do_toupper");
  if (IsToUpper || Member.starts_with("10do_tolower")) {
    int (*Convert)(int) = std::tolower;
    if (IsToUpper)
      Convert = std::toupper;
    if (!Member.ends_with("Ec"))
      return convertRange(Call, Convert);
    static constexpr std::uint64_t Ascii = 128;
    return Given.isInteger() && lowBits(Given.Bits, 8) < Ascii
               ? Call.returned(Convert(int(lowBits(Given.Bits, 8))))
               : Given;
  }
  if (Member == "8do_widenEc" || Member == "9do_narrowEcc")
    return Given;
  if (Member == "8do_widenEPKcS2_Pc")
    return copyRange(Call, Call.argument(3));
  return Member == "9do_narrowEPKcS2_cPc" ? std::optional(copyRange(Call, Call.argument(4)))
                                          : std::nullopt;
}

static std::optional<Value> callCollate(const LibraryCall &Call, std::string_view Member) {
  Memory &Objects = Call.Now.Objects;
  auto Between = [&](std::size_t First) {
    const auto Size = bytesBetween(Call.argument(First), Call.argument(First + 1));
    return Size ? Objects.bytes(Call.argument(First), std::uint64_t(*Size)) : std::nullopt;
  };
  if (Member == CollateMembers[0]) {
    const auto Left = Between(1), Right = Between(3);
    return Left && Right ? Call.returned(*Left < *Right ? -1 : *Left > *Right) : Value::unknown();
  }
  if (Member != CollateMembers[1])
    return std::nullopt;
  const auto Text = Between(2); // the result is the first argument
  if (!Text || !makeText(Call.argument(0), *Text, Objects))
    Objects.forget(Call.argument(0));
  return Value::unknown();
}

std::optional<Value> callLocale(const LibraryCall &Call) {
  for (const FacetClass &Class : FacetClasses)
    if (const std::string Scope = memberName(Class, ""); Call.Name.starts_with(Scope))
      return (Class.Id == 0 ? callCtype : callCollate)(Call, Call.Name.substr(Scope.size()));
  return callLocaleItself(Call);
}

} // namespace ergon::code
