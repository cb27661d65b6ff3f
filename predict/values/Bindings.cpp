//===- Bindings.cpp - values for the symbols of an entry ------------------===//

#include "predict/values/Bindings.h"
#include "model/machine/CostClass.h"
#include "model/program/CallBinding.h"
#include "predict/text/Suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {

GivenValue::GivenValue(std::string Name, const Rational &Number)
    : GivenValue(std::move(Name), Bounds{Number, Number}) {}

static std::expected<Bounds, Error> inOrder(const Bounds &Range) {
  if (Range.High < Range.Low)
    return std::unexpected(
        Error{"an interval that ends before it begins", "", "give the lower number first", ""});
  return Range;
}

GivenValue::GivenValue(std::string Name, const Bounds &Range)
    : GivenValue(std::move(Name), inOrder(Range),
                 Range.Low == Range.High ? Range.Low.get_str()
                                         : Range.Low.get_str() + ".." + Range.High.get_str(),
                 "") {
  Source = this->Name + "=" + Text;
}

GivenValue::GivenValue(std::string Name, std::expected<Bounds, Error> Range, std::string Text,
                       std::string Source)
    : Name(std::move(Name)), Range(std::move(Range)), Text(std::move(Text)),
      Source(std::move(Source)) {}

Substitution Bindings::substitution() const {
  Substitution Result;
  for (const auto *Values : {&Given, &Defaults, &Passed})
    for (const auto &[Name, Value] : *Values)
      Result.emplace(Name, Expr(Value));
  for (const auto &[Name, Range] : Ranges)
    Result.emplace(Name, Expr::symbol(Name));
  return Result;
}

/// Names that may have a value, whatever the entry calls.
static std::set<std::string> ownNames(const Function &Entry) {
  std::set<std::string> Names{std::string(DramBytes)};
  for (const Parameter &P : Entry.Parameters)
    Names.insert(P.symbol());
  for (const Cell &C : Entry.Cells)
    Names.insert(C.Symbol);
  for (const Unknown &U : Entry.Unknowns)
    Names.insert(U.Symbol);
  if (Entry.IsKernel)
    for (const char *Prefix : {"grid.", "block."})
      for (char Axis : {'x', 'y', 'z'})
        Names.insert(std::string(Prefix) + Axis);
  return Names;
}

/// Adds the names in the entry's totals.
static void addNamesOf(const Totals &T, const Function &Entry, std::set<std::string> &Names) {
  T.collectSymbols(Names);
  for (const auto &[Name, Times] : T.OpenCalls)
    Names.insert(Name);
  if (Entry.IsKernel) // a kernel's threads are summed over: their indices have all values
    std::erase_if(Names, [](const std::string &Name) {
      return Name.starts_with("threadIdx.") || Name.starts_with("blockIdx.");
    });
}

/// True for a pointer of \p Entry whose name means an address, for which nobody gives a number.
static bool isAddress(const std::string &Name, const Function &Entry) {
  auto Found = std::ranges::find(Entry.Parameters, Name, &Parameter::Name);
  return Found != Entry.Parameters.end() && Found->Type == "ptr" &&
         std::ranges::find(Entry.Cells, Name, &Cell::Symbol) == Entry.Cells.end();
}

/// \p Name, or what it leads to: the number `*n` of a pointer `n`; or the one global with this last
/// part: `n` means `::n` or `file.c::n` where the name is otherwise unused.
static std::string fullName(const std::string &Name, const Function &Entry,
                            const std::set<std::string> &Names) {
  const bool IsPlain = Names.contains(Name);
  if (!IsPlain || isAddress(Name, Entry))
    for (const std::string &Other : {realSymbol(Name), "*" + Name, realSymbol("*" + Name)})
      if (Names.contains(Other))
        return Other;
  if (IsPlain)
    return Name;
  auto IsMeant = [&](const std::string &Text) {
    return isGlobalSymbol(Text) && Text.ends_with("::" + Name);
  };
  auto Found = std::ranges::find_if(Names, IsMeant);
  return Found != Names.end() && std::ranges::count_if(Names, IsMeant) == 1 ? *Found : Name;
}

static bool isFloatParameter(const Function &Entry, const std::string &Name) {
  auto Found = std::ranges::find(Entry.Parameters, Name, &Parameter::symbol);
  static constexpr std::string_view Types[] = {"half",   "bfloat",   "float",
                                               "double", "x86_fp80", "fp128"};
  return Found != Entry.Parameters.end() &&
         std::ranges::find(Types, Found->Type) != std::end(Types);
}

static std::unexpected<Error> bad(const GivenValue &Value, std::string What, std::string Fix) {
  return std::unexpected(Error{std::move(What), "", std::move(Fix), Value.Source});
}

namespace {
/// The range of a variable, and its type in words.
struct ValueRange {
  Bounds Subject;
  std::string Type;
};
} // namespace

static ValueRange integerRange(unsigned Bits, std::optional<bool> IsSigned) {
  const Rational Whole = twoTo(Bits), Half = Whole / 2;
  return {{IsSigned.value_or(true) ? -Half : Rational(0),
           IsSigned.value_or(false) ? Half - 1 : Whole - 1},
          fmt::format("{} integer of {} bit{}",
                      !IsSigned   ? "an"
                      : *IsSigned ? "a signed"
                                  : "an unsigned",
                      Bits, Bits == 1 ? "" : "s")};
}

/// The finite numbers of a floating-point type; those of `double` for wider ones.
static ValueRange realRange(const std::string &Type) {
  static const std::map<std::string_view, double> Floats = {
      {"half", 65504}, {"bfloat", 0x1.FEp127}, {"float", 0x1.FFFFFEp127}};
  const auto Largest = Floats.find(Type);
  const bool IsDouble = Largest == Floats.end();
  const Rational Limit = Rational::wholePartOf(IsDouble ? 0x1.FFFFFFFFFFFFFp1023 : Largest->second);
  return {{-Limit, Limit}, "a number of type " + (IsDouble ? std::string("double") : Type)};
}

/// The range of \p Name by debug information, or its type in the code; at most 64 bits.
static ValueRange rangeOf(const Function &Entry, const std::string &Name) {
  static constexpr unsigned Most = 64;
  if (isLaunchDimension(Name)) // of CUDA's dim3
    return integerRange(32, false);
  auto Held = std::ranges::find(Entry.Cells, Name, &Cell::Symbol);
  auto Found = std::ranges::find(Entry.Parameters, Name, &Parameter::symbol);
  if (isReal(Name) && Found == Entry.Parameters.end())
    return realRange(Held != Entry.Cells.end() && Held->Bytes == 4 ? "float" : "double");
  if (Held != Entry.Cells.end())
    return Held->Behind == 0 && Held->Bytes != 0 && Held->Bytes <= Most / 8
               ? integerRange(8 * Held->Bytes, Held->IsSigned)
               : integerRange(Most, std::nullopt);
  if (Found == Entry.Parameters.end())
    return integerRange(Most, std::nullopt);
  if (isFloatParameter(Entry, Name))
    return realRange(Found->Type);
  const unsigned Bits = integerBits(*Found);
  return integerRange(Bits == 0 ? Most : std::min(Bits, 2 * Most), Found->IsSigned);
}

Bounds possibleValues(const Function &Entry, const std::string &Name) {
  return rangeOf(Entry, Name).Subject;
}

/// Formulas use a parameter of unknown signedness as a signed number.
static Rational asInFormulas(const Function &Entry, const std::string &Name,
                             const Rational &Value) {
  auto Found = std::ranges::find(Entry.Parameters, Name, &Parameter::Name);
  const unsigned Bits = Found == Entry.Parameters.end() ? 0 : integerBits(*Found);
  if (Bits < 2 || Found->IsSigned)
    return Value;
  const Rational All = twoTo(Bits);
  return Value + Value < All ? Value : Value - All;
}

/// The first number as it is, one of many digits rounded.
static std::string numeral(const Rational &Value) {
  static constexpr std::size_t MaxDigits = 21;
  const std::string Digits = Value.get_str();
  return Digits.size() <= MaxDigits ? Digits : fmt::format("{:.7g}", Value.get_d());
}

/// The part of \p Value outside the range of the symbol \p Name, if any.
static std::optional<Error> checkRange(const GivenValue &Value, const std::string &Name,
                                       const Function &Entry) {
  const Bounds &Range = *Value.Range;
  std::string Text = inQuotes(Value.Text);
  bool IsShare = Name.starts_with("taken@");
  bool IsWhole = Range.Low.isInteger() && Range.High.isInteger();
  // What code makes of it may be the mean of some numbers.
  if (!Value.IsOptional && !isMean(Name) && !isReal(Name) && !isFloatParameter(Entry, Name) &&
      !IsWhole)
    return bad(Value, Text + " is not a whole number", "give a whole number").error();
  bool IsCount = isLaunchDimension(Name) || Name == ProcessCount;
  bool IsNatural =
      (isUnknownSymbol(Name) && !symbolText(Name).starts_with("value@")) || Name == DramBytes;
  const auto [Possible, Type] = rangeOf(Entry, Name);
  const bool Fits = Range.Low >= Possible.Low && Range.High <= Possible.High;
  if ((!IsCount || Range.Low >= 1) && (!IsShare || Range.High <= 1) &&
      (!IsNatural || Range.Low >= 0)) {
    if (Fits)
      return std::nullopt;
    return bad(Value, Text + " is out of range",
               fmt::format("{} is from {} to {}", Type, numeral(Possible.Low),
                           numeral(Possible.High)))
        .error();
  }
  return bad(Value, Text + " is out of range",
             isLaunchDimension(Name) ? "a launch dimension is at least 1"
             : Name == ProcessCount  ? "a program has at least one process"
             : IsShare               ? "a share lies between 0 and 1"
                                     : "give a number that is not negative")
      .error();
}

/// CUDA's dim3: omitted dimensions are 1. \p Given are the names that have a value.
static void setLaunchDefaults(const std::set<std::string> &Given,
                              std::map<std::string, Rational> &Defaults) {
  for (std::string Prefix : {"grid.", "block."}) {
    bool Any = std::ranges::any_of(
        Given, [&](const std::string &Name) { return Name.starts_with(Prefix); });
    for (char Axis : {'y', 'z'})
      if (Any && !Given.contains(Prefix + Axis))
        Defaults[Prefix + Axis] = 1;
  }
}

/// What the symbol \p Name of \p Entry is in the source; nothing where that is not known.
static std::optional<ScalarType> typeOf(const Function &Entry, const std::string &Name) {
  if (auto Held = std::ranges::find(Entry.Cells, Name, &Cell::Symbol); Held != Entry.Cells.end())
    return Held->Bytes == 1 && Held->Type == ScalarType() ? ScalarType{ScalarKind::Character}
                                                          : Held->Type;
  if (auto Found = std::ranges::find(Entry.Parameters, Name, &Parameter::symbol);
      Found != Entry.Parameters.end() && Found->Type != "ptr")
    return Found->Scalar;
  return std::nullopt;
}

/// The number of a value that is no number in the source: `N` or `'N'` of a character, `true` or
/// `.true.`, the name of an enumerator. Nothing where \p Type has no such value.
static std::optional<Rational> codeOf(std::string_view Text,
                                      const std::optional<ScalarType> &Type) {
  if (Type)
    for (const Enumerator &Named : Type->Names)
      if (Text == Named.Name || (Text.ends_with("::" + Named.Name)))
        return Rational(Named.Value);
  if (!Type || Type->Kind == ScalarKind::Logical) {
    if (Text == "true" || Text == ".true." || Text == ".TRUE.")
      return Rational(1);
    if (Text == "false" || Text == ".false." || Text == ".FALSE.")
      return Rational(0);
  }
  const bool IsQuoted = Text.size() == 3 && Text.front() == Text.back() &&
                        (Text.front() == '\'' || Text.front() == '"');
  if ((!Type || Type->Kind == ScalarKind::Character) && (IsQuoted || Text.size() == 1))
    return Rational(std::int64_t(Text[IsQuoted ? 1 : 0]));
  return std::nullopt;
}

/// \p Symbols as a user writes them.
static std::vector<std::string> wordsOf(const std::set<std::string> &Symbols) {
  std::vector<std::string> Result;
  for (const std::string &Symbol : Symbols)
    Result.emplace_back(symbolText(Symbol));
  std::ranges::sort(Result);
  return Result;
}

std::expected<Bindings, Error>
bindValues(const std::vector<GivenValue> &Values, const Function &Entry,
           const std::function<const Totals &()> &TotalsOf, std::set<std::size_t> *NotHere,
           const std::function<AccessNames()> &AccessesOf, const AccessNames &AlsoKnown) {
  Bindings Result;
  std::set<std::string> Names = ownNames(Entry), Seen, OpenCalls = AlsoKnown.OpenCalls;
  Names.insert(AlsoKnown.Symbols.begin(), AlsoKnown.Symbols.end());
  Names.insert(OpenCalls.begin(), OpenCalls.end());
  bool Asked = false;
  for (const GivenValue &Given : Values) {
    if (Given.IsOptional && Given.isNumber() && isPassedToAll(Given.Name)) {
      Result.Passed.emplace(Given.Name, Given.Range->Low);
      continue;
    }
    GivenValue Value = Given;
    if (Value.Name == "omp.threads") // the same for all that a program does, used or not
      Names.insert(Value.Name);
    // A call's unidentified targets are an unknown of the entry, and an open call.
    const std::string Wanted = fullName(Value.Name, Entry, Names);
    if (!Asked &&
        (!Names.contains(Wanted) || Value.Name.starts_with("call@") || isAddress(Wanted, Entry))) {
      Asked = true;
      const Totals &T = TotalsOf();
      AccessNames More = AccessesOf ? AccessesOf() : AccessNames();
      addNamesOf(T, Entry, Names);
      for (const auto &[Call, Times] : T.OpenCalls)
        OpenCalls.insert(Call);
      OpenCalls.merge(More.OpenCalls);
      Names.insert(OpenCalls.begin(), OpenCalls.end());
      Names.merge(More.Symbols);
    }
    const std::string Name = fullName(Value.Name, Entry, Names);
    if (Name.starts_with("formula:"))
      return bad(Value, "no number stands for what is too large to be worked out",
                 "give its parameters other values");
    if (!Names.contains(Name) && (NotHere || Given.IsOptional)) {
      if (NotHere)
        NotHere->insert(std::size_t(&Given - Values.data()));
      continue;
    }
    if (!Names.contains(Name))
      return bad(Value, fmt::format("{} has nothing called {}", Entry.Demangled, inQuotes(Name)),
                 suggestName(Name, wordsOf(Names)));
    if (const auto Code = Given.Range ? std::nullopt : codeOf(Given.Text, typeOf(Entry, Name)))
      Value.Range = Bounds{*Code, *Code};
    if (!Value.Range)
      return bad(Value, Value.Range.error().What, Value.Range.error().Fix);
    if (!Seen.insert(Name).second)
      return bad(Value, "the name is given twice", "give each name once");
    if (OpenCalls.contains(Name)) {
      if (!Value.isNumber() || Value.Range->Low != 0)
        return bad(Value, "what a call costs is no single number",
                   "only 0 can be given: the call then costs nothing beyond being called");
      Result.FreeCalls.insert(Name);
      continue;
    }
    if (auto Wrong = isAddress(Name, Entry) ? std::nullopt : checkRange(Value, Name, Entry))
      return std::unexpected(*Wrong);
    if (!Value.isNumber() && Name == DramBytes)
      return bad(Value, "an interval", "give one number of bytes: what was measured");
    if (Name == DramBytes)
      Result.DramBytes = Value.Range->Low;
    else if (Value.isNumber())
      Result.Given[Name] = asInFormulas(Entry, Name, Value.Range->Low);
    else
      Result.Ranges[Name] = *Value.Range;
  }
  if (Entry.IsKernel)
    setLaunchDefaults(Seen, Result.Defaults);
  return Result;
}

} // namespace ergon
