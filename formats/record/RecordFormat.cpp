//===- RecordFormat.cpp - cost records: reading ---------------------------===//

#include "formats/record/RecordFormat.h"
#include "formats/json/Json.h"
#include "formats/record/PackedText.h"
#include "formats/record/RecordFields.h"
#include "model/symbolic/ExprParse.h"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <functional>
#include <limits>
#include <utility>

namespace ergon {

//===----------------------------------------------------------------------===//
// Reading a function
//===----------------------------------------------------------------------===//

std::expected<Expr, Error> FormulaCache::parse(std::string_view Text) {
  if (auto Found = Known.find(Text); Found != Known.end())
    return Found->second;
  // A symbol is a formula too.
  auto Parsed = parseExpr(Text, [&](std::string Name) {
    std::string Symbol = quoteSymbol(Name);
    if (auto Found = Known.find(Symbol); Found != Known.end())
      return Found->second;
    return Known.emplace(std::move(Symbol), Expr::symbol(std::move(Name))).first->second;
  });
  if (Parsed)
    Known.emplace(Text, *Parsed);
  return Parsed;
}

static unsigned readUnsigned(JsonCursor Json) {
  std::int64_t Value = Json.integer();
  if (Value >= 0 && Value <= std::numeric_limits<unsigned>::max())
    return unsigned(Value);
  Json.fail("not a number from 0 to 4294967295", "record the program again");
  return 0;
}

/// `foo.c:12:3`, or `foo.c:12` of code without a column, back to its parts.
static SourceLocation readLocation(JsonCursor Json) {
  SourceLocation Result;
  if (!Json)
    return Result;
  std::string_view Rest = Json.view();
  std::optional<unsigned> Line, Column;
  auto TakeNumber = [&] {
    const std::size_t Colon = Rest.rfind(':');
    unsigned Value = 0;
    if (Colon == std::string_view::npos)
      return std::optional<unsigned>();
    auto [End, Failure] =
        std::from_chars(Rest.data() + Colon + 1, Rest.data() + Rest.size(), Value);
    if (Failure != std::errc() || End != Rest.data() + Rest.size())
      return std::optional<unsigned>();
    Rest = Rest.substr(0, Colon);
    return std::optional(Value);
  };
  Column = TakeNumber();
  Line = Column ? TakeNumber() : std::nullopt;
  if (!Line)
    Line = std::exchange(Column, 0);
  if (!Line || Rest.empty()) {
    Json.fail("not a position FILE:LINE:COLUMN: " + inQuotes(std::string(Json.view())),
              "record the program again");
    return Result;
  }
  return {std::string(Rest), *Line, *Column};
}

template <typename T, typename Lookup>
static T readName(JsonCursor Json, const char *What, Lookup &&Find) {
  std::string_view Text = Json.view();
  if (Json.failed())
    return {};
  if (auto Found = Find(Text))
    return *Found;
  Json.fail(std::string("no such ") + What + ": " + inQuotes(Text),
            "record the program again with this version of Ergon");
  return {};
}

namespace {
/// The keys of \p Fields in the order in which they are written, and a bit for each of those that
/// always stand there.
template <const auto &Fields> struct KeysOf {
  std::array<std::string_view, std::tuple_size_v<std::remove_cvref_t<decltype(Fields)>>> All;
  std::uint64_t Required = 0;

  constexpr KeysOf() {
    std::size_t Next = 0;
    auto Add = [&](const auto &Field) {
      Required |= std::uint64_t(Field.isAlways()) << Next;
      All[Next++] = Field.Key;
    };
    std::apply([&](const auto &...Field) { (Add(Field), ...); }, Fields);
  }
};

/// Reads each part of a function.
class RecordReader {
public:
  RecordReader(Detail HowMuch, FormulaCache &Formulas) : HowMuch(HowMuch), Formulas(Formulas) {}

  template <HasFields T> void read(JsonCursor Json, T &To) {
    static constexpr KeysOf<FieldsOf<T>> Keys;
    const auto Members = Json.fields(Keys.All, Keys.Required);
    const JsonCursor *Next = Members.data();
    std::apply([&](const auto &...Field) { (readField(*Next++, Field, To), ...); }, FieldsOf<T>);
    check(Json, To);
  }
  /// Whether what is asked for is among the details of \p Of, the rest of which has been read.
  bool needsDetails(const Function &Of) const {
    bool Has = HowMuch >= Detail::Lines;
    if (HowMuch == Detail::Traffic)
      forEachLoopAndBlock(Of.Body, [&](const auto &Each) { Has |= hasFormula(Each); });
    return Has;
  }
  void readDetails(JsonCursor Json, Function &To);

private:
  Detail HowMuch;
  FormulaCache &Formulas;

  /// The members of \p To that are details: the first members of \p Json.
  template <std::size_t Size, typename T>
  void readDetailsOf(const std::array<JsonCursor, Size> &Members, T &To) {
    const JsonCursor *Next = Members.data();
    std::apply([&](const auto &...Field) { (readField(*Next++, Field, To), ...); }, DetailsOf<T>);
  }
  /// An element of \p Json for each of \p To, or for fewer.
  template <typename T> void readDetails(JsonCursor Json, const std::vector<T *> &To) {
    static constexpr KeysOf<DetailsOf<T>> Keys;
    auto Next = To.begin();
    Json.forEachElement([&](JsonCursor Element) {
      if (Next == To.end())
        return Element.fail("details of what is not there", "record the program again");
      readDetailsOf(Element.fields(Keys.All, 0), **Next++);
    });
  }

  template <typename T> bool isRead(Presence When, const T &Of) const {
    if (When == Presence::Lines && HowMuch == Detail::Traffic)
      return hasFormula(Of);
    return When <= Presence::Apart || HowMuch == Detail::All ||
           (When == Presence::Lines && HowMuch == Detail::Lines);
  }
  /// Whether some of a block's counts is evaluated, which is done line by line.
  static bool hasFormula(const Block &B) {
    return std::ranges::any_of(B.PerRun,
                               [](const Counts::Entry &E) { return !E.second.constant(); });
  }
  template <typename T> static bool hasFormula(const T &) { return false; }
  template <typename M, typename T>
  void readField(const JsonCursor &Json, const RecordField<M> &Field, T &Of) {
    if (!Json || Json.failed())
      return;
    auto &To = std::invoke(Field.Which, Of);
    if (Field.isAlways())
      readAlways(Json, Field.When, To);
    else if (isRead(Field.When, Of))
      readPresent(Json, To);
  }
  template <typename T> void readAlways(JsonCursor Json, Presence, T &To) { read(Json, To); }
  void readAlways(JsonCursor Json, Presence When, std::string &To) {
    To = When == Presence::Needed ? Json.text() : Json.text("");
  }
  template <typename T> void readPresent(JsonCursor Json, T &To) { read(Json, To); }
  template <typename T> void readPresent(JsonCursor Json, std::optional<T> &To) {
    read(Json, To.emplace());
  }
  void readPresent(JsonCursor Json, std::string &To) { To = Json.text(""); }

  void read(JsonCursor Json, std::string &To) { To = Json.text(); }
  void read(JsonCursor Json, LazyText &To) { To = Json.text(""); }
  void read(JsonCursor Json, bool &To) { To = Json.boolean(); }
  void read(JsonCursor Json, unsigned &To) { To = readUnsigned(Json); }
  void read(JsonCursor Json, std::uint64_t &To) { To = readUnsigned(Json); }
  void read(JsonCursor Json, std::int64_t &To) { To = Json.integer(); }
  template <typename T> void read(JsonCursor Json, std::vector<T> &To) {
    To.reserve(Json.size());
    Json.forEachElement([&](JsonCursor Element) { read(Element, To.emplace_back()); });
  }
  template <typename T> void read(JsonCursor Json, std::optional<T> &To) {
    if (!Json.isNull())
      read(Json, To.emplace());
  }
  void read(JsonCursor Json, std::vector<Access> &To) {
    if (HowMuch == Detail::All)
      To.reserve(Json.size());
    Json.forEachElement([&](JsonCursor Entry) {
      if (HowMuch == Detail::All || Entry["space"].view("") == name(Space::Generic))
        read(Entry, To.emplace_back());
    });
  }
  void read(JsonCursor Json, std::vector<std::int64_t> &Path) {
    Json.forEachElement([&](JsonCursor Step) { Path.push_back(Step.integer()); });
    if (Path.empty() && !Json.failed())
      Json.fail("a path has at least one offset", "record the program again");
  }
  void read(JsonCursor Json, std::array<Expr, 3> &To);
  void read(JsonCursor Json, std::map<std::string, Expr> &Globals) {
    for (JsonCursor Field : Json.elements()) {
      Field.keys({"symbol", "value"});
      read(Field["value"], Globals[Field["symbol"].text()]);
    }
  }
  void read(JsonCursor Json, Space &To) { To = readName<Space>(Json, "memory space", space); }
  void read(JsonCursor Json, Known &To) {
    To = readName<Known>(Json, "way of knowing", knownFromName);
  }
  void read(JsonCursor Json, ScalarKind &To) {
    To = readName<ScalarKind>(Json, "kind of scalar", scalarKind);
  }
  void read(JsonCursor Json, Access::Kind &To);
  void read(JsonCursor Json, SourceLocation &To) { To = readLocation(Json); }
  Expr formula(JsonCursor Json);
  void read(JsonCursor Json, Expr &To) { To = formula(Json); }
  void read(JsonCursor Json, Rational &To);
  void read(JsonCursor Json, Counts &To);
  void read(JsonCursor Json, InstructionMix &To);

  // What is wrong with a part as a whole.
  template <typename T> static void check(JsonCursor, const T &) {}
  static void check(JsonCursor Json, const MachineLoop &Loop) {
    if (Loop.Step == 0)
      Json["step"].fail("no step", "record the program again");
  }
  static void check(JsonCursor Json, const Loop &L) {
    if (!Json.failed() && L.Last.dependsOn(L.Variable))
      Json.fail("a loop's trip count depends on its own iteration number",
                "record the program again");
  }
};
} // namespace

void RecordReader::readDetails(JsonCursor Json, Function &To) {
  static constexpr std::array Keys{CodeKey, DetailedLoops, DetailedBlocks};
  const auto Members = Json.fields(Keys, 0);
  readDetailsOf(Members, To);
  std::vector<Loop *> Loops;
  std::vector<Block *> Blocks;
  forEachLoopAndBlock(To.Body, [&](auto &Each) {
    if constexpr (std::is_same_v<decltype(Each), Loop &>)
      Loops.push_back(&Each);
    else
      Blocks.push_back(&Each);
  });
  readDetails(Members[1], Loops);
  readDetails(Members[2], Blocks);
}

void RecordReader::read(JsonCursor Json, std::array<Expr, 3> &To) {
  std::vector<JsonCursor> Axes = Json.elements();
  if (Axes.size() != 3)
    Json.fail("not three formulas, for x, y and z", "record the program again");
  for (std::size_t Axis = 0; Axis != 3 && Axis < Axes.size(); ++Axis)
    read(Axes[Axis], To[Axis]);
}

void RecordReader::read(JsonCursor Json, Access::Kind &To) {
  To = readName<Access::Kind>(
      Json, "access", [](std::string_view Name) -> std::optional<Access::Kind> {
        for (Access::Kind What : {Access::Kind::Load, Access::Kind::Store, Access::Kind::Atomic})
          if (name(What) == Name)
            return What;
        return std::nullopt;
      });
}

Expr RecordReader::formula(JsonCursor Json) {
  if (Json.isNumber())
    return Expr(Json.integer());
  std::string_view Text = Json.view();
  if (Json.failed())
    return Expr();
  auto Parsed = Formulas.parse(Text);
  if (Parsed)
    return std::move(*Parsed);
  Json.fail("formula " + inQuotes(Text) + ": " + Parsed.error().What + " at " +
                Parsed.error().Where,
            "record the program again");
  return Expr();
}

void RecordReader::read(JsonCursor Json, Rational &To) {
  Expr Formula;
  read(Json, Formula);
  if (auto Number = Formula.constant())
    To = std::move(*Number);
  else
    Json.fail("not a number", "record the program again");
}

void RecordReader::read(JsonCursor Json, Counts &To) {
  std::bitset<NumCostClasses> Seen;
  To.reserve(Json.size());
  Json.forEachMember([&](std::string_view Key, JsonCursor Amount) {
    const auto Class = costClass(Key);
    if (!Class)
      return Amount.fail("no such cost class: " + inQuotes(Key),
                         "record the program again with this version of Ergon");
    if (Seen[std::size_t(*Class)])
      return Json.twice(Key);
    Seen.set(std::size_t(*Class));
    To.add(*Class, formula(Amount));
  });
}

void RecordReader::read(JsonCursor Json, InstructionMix &To) {
  bool HasSlots = false;
  Json.forEachMember([&](std::string_view Key, JsonCursor Times) {
    bool IsNew = true;
    if (Key == "slots") {
      IsNew = !std::exchange(HasSlots, true);
      To.Slots = Times.number();
    } else if (auto Kind = InstructionKind::parse(Key)) {
      IsNew = To.Counts.emplace(std::move(*Kind), Times.number()).second;
    } else {
      Times.fail("no kind of instructions: " + inQuotes(Key), "record the program again");
    }
    if (!IsNew)
      Json.twice(Key);
  });
}

ObjectType readObjectType(JsonCursor Json) {
  FormulaCache None;
  ObjectType Result;
  RecordReader(Detail::All, None).read(Json, Result);
  return Result;
}

namespace {
/// A function's object, or that of its details.
struct ParsedPart {
  JsonDocument *Document;
  bool IsPacked;
};
} // namespace

/// Parses \p Text, and what is packed in it, into documents that are valid until the next call.
/// What is packed stands beside \p Names, of which the first \p Required must be there. \p Behind
/// as for parseJson().
static std::expected<ParsedPart, Error> parsePart(std::string_view Text, std::size_t Behind,
                                                  std::initializer_list<std::string_view> Required,
                                                  std::initializer_list<std::string_view> Names) {
  // One document's memory serves all functions: else the holes that each leaves in the heap are
  // too small for the next one.
  static thread_local JsonDocument Line, Unpacked;
  if (auto Bad = parseJson(Text, Line, Behind))
    return std::unexpected(std::move(*Bad));
  const JsonCursor Root(Line), Packed = Root[PackedKey];
  if (!Packed)
    return ParsedPart{&Line, false};
  Root.keys(Required, Names);
  if (const auto Whole = unpackText(Packed.view()))
    if (!parseJson(*Whole, Unpacked) && !Line.First)
      return ParsedPart{&Unpacked, true};
  Packed.fail("no packed text", "it is damaged: compile that file again");
  return std::unexpected(std::move(*Line.First));
}

/// Whether \p F has the names of \p Which.
static bool isOf(const RecordFile::Entry &Which, const Function &F) {
  return F.Name == Which.Name && F.Demangled == Which.Demangled && F.Snapshot == Which.Snapshot &&
         F.IsLocal == Which.IsLocal && F.IsWeak == Which.IsWeak;
}

/// The value of the details in a function's text from where they begin.
static std::string_view detailsIn(std::string_view Text) {
  Text.remove_prefix(DetailsStart.size());
  Text.remove_suffix(1); // the function's bracket
  return Text;
}

static std::expected<ParsedPart, Error> parseDetails(std::string_view Text) {
  return parsePart(detailsIn(Text), 0, {PackedKey}, {});
}

/// Whether \p Details, as they stand there, have code: it comes first, and so early that nothing in
/// it is a repetition.
static bool haveCode(std::string_view Details) {
  return Details.starts_with("{\"code\":") || Details.starts_with("{\"packed\":\"{'code':");
}

/// The code among \p Details. Of damaged ones, a text that is none: who reads it says so.
static std::string codeIn(std::string_view Details) {
  static constexpr std::string_view Damaged = "damaged";
  const auto Parsed = parseDetails(Details);
  if (!Parsed)
    return std::string(Damaged);
  const std::string Result(JsonCursor(*Parsed->Document)[CodeKey].text(""));
  return Result.empty() || Parsed->Document->First ? std::string(Damaged) : Result;
}

std::expected<std::unique_ptr<Function>, Error> RecordFile::load(const Entry &Which, Detail HowMuch,
                                                                 FormulaCache &Formulas) const {
  std::string Part; // a pointer to what is read, where that is not the function
  auto Fail = [&](Error Bad) {
    Bad.File = Path;
    if (!Part.empty() && !Bad.Where.empty() && !Bad.Where.starts_with('/'))
      Part += ", ";
    Bad.Where = Part + Bad.Where;
    Bad.Where = "function " + std::string(Which.Name) + (Bad.Where.empty() ? "" : ", ") + Bad.Where;
    return std::unexpected(std::move(Bad));
  };
  std::string_view Costs = Which.Line, Details;
  static thread_local std::string Closed;
  if (Which.Costs != 0) {
    Details = Costs.substr(Which.Costs);
    Closed.reserve(Which.Costs + 1 + JsonPadding);
    Closed = Costs.substr(0, Which.Costs);
    Costs = Closed += '}';
  }
  auto Whole = std::make_unique<Function>();
  Function &Result = *Whole;
  RecordReader Reader(HowMuch, Formulas);
  auto Object =
      parsePart(Costs, Details.empty() ? 0 : Closed.capacity() - Closed.size(),
                {"name", "demangled", "snapshot", "local", PackedKey}, {"weak", "aliases"});
  if (!Object)
    return Fail(std::move(Object.error()));
  Reader.read(JsonCursor(*Object->Document), Result);
  if (Object->Document->First)
    return Fail(*Object->Document->First);
  if (Object->IsPacked && !isOf(Which, Result))
    return Fail({"packed is a function of other names", "",
                 "the record is damaged: compile that file again", ""});
  if (Details.empty())
    return Whole;
  if (!Reader.needsDetails(Result)) {
    if (haveCode(detailsIn(Details)))
      Result.Code = LazyText([Details] { return codeIn(Details); });
    return Whole;
  }
  Part = "/" + std::string(DetailsKey);
  Object = parseDetails(Details);
  if (!Object)
    return Fail(std::move(Object.error()));
  Reader.readDetails(JsonCursor(*Object->Document), Result);
  if (Object->Document->First)
    return Fail(*Object->Document->First);
  return Whole;
}

} // namespace ergon
