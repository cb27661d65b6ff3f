//===- LibraryFormat.cpp - what calls of libraries cost -------------------===//

#include "formats/record/LibraryFormat.h"
#include "formats/json/Json.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace ergon {

/// The replacements of `{x}` in names, classes and formulas.
using Row = std::map<std::string, std::string, std::less<>>;

namespace {
/// Counts that are known in one way, before they are read for a row.
struct Group {
  Known How;
  JsonCursor Json;
};

/// Reads the body of a document into the library it describes.
struct LibraryReader {
  Library Result;
  std::set<std::string, std::less<>> Sources, Names;
  std::map<std::string, std::shared_ptr<const Meanings>, std::less<>> Tables;
  std::map<std::string, std::vector<Row>, std::less<>> Variants;
  std::vector<std::pair<std::string, JsonCursor>> Asked; // members of handles, and where
  std::set<std::string, std::less<>> Made;

  void readSource(std::string_view Key, JsonCursor Json);
  void readTable(std::string_view Key, JsonCursor Json);
  std::vector<Parameter> readParameters(JsonCursor Json) const;
  void readFunction(JsonCursor Json);
  void readForm(JsonCursor Form, const std::vector<Row> &Rows, const std::vector<Group> &Groups,
                JsonCursor Makes);
  void checkSymbols(const Expr &Formula, JsonCursor Json, std::vector<Parameter> &Parameters);
  Loop readCosts(const Group &G, const Row &R, std::vector<Parameter> &Parameters,
                 std::set<CostClass> &Seen);
  void addFunction(JsonCursor Named, std::string Name, const Function &Described);
  Library read(JsonCursor Root);
};
} // namespace

static Row readRow(JsonCursor Json) {
  Row Result;
  for (auto &[Key, Value] : Json.members())
    Result.emplace(Key, Value.text(""));
  return Result;
}

/// The text at \p Json with the row's values in the place of each `{…}`.
static std::string expanded(std::string_view Text, JsonCursor Json, const Row &R) {
  std::string Result;
  while (true) {
    std::size_t Open = Text.find('{');
    Result += Text.substr(0, Open);
    if (Open == std::string_view::npos)
      return Result;
    std::size_t Close = std::min(Text.find('}', Open), Text.size());
    std::string_view Key = Text.substr(Open + 1, Close - Open - 1);
    auto Found = R.find(Key);
    if (Found == R.end() || Close == Text.size()) {
      Json.fail("nothing stands for " + inQuotes(Text.substr(Open, Close + 1 - Open)),
                "give it in the function's variants or in the form's \"with\"");
      return Result;
    }
    Result += Found->second;
    Text.remove_prefix(Close + 1);
  }
}

void LibraryReader::readSource(std::string_view Key, JsonCursor Json) {
  Json.keys({"reference", "date"}, {"note"});
  Json["reference"].text();
  Json["date"].text();
  Sources.emplace(Key);
}

static std::string numberOrText(JsonCursor Json) {
  return Json.isNumber() ? std::to_string(Json.integer()) : Json.text();
}

static Expr readFormula(const std::string &Text, JsonCursor Json) {
  auto Parsed = parseExpr(Text);
  if (Parsed)
    return std::move(*Parsed);
  Json.fail("formula " + inQuotes(Text) + ": " + Parsed.error().What + " at " +
                Parsed.error().Where,
            "write it like \"2*m*n*k + floor(n, 2)\"");
  return {};
}

/// Digits in base 10, behind `0x`, `0b` or `0` in base 16, 2 or 8.
static std::optional<Rational> parseInteger(std::string_view Text) {
  const bool Negative = Text.starts_with('-');
  Text.remove_prefix(Negative);
  int Base = 10;
  if (Text.size() > 1 && Text[0] == '0') {
    const char Kind = char(Text[1] | 0x20);
    Base = Kind == 'x' ? 16 : Kind == 'b' ? 2 : 8;
    Text.remove_prefix(Base == 8 ? 1 : 2);
  }
  if (Text.empty() && Base == 10) // `0x` alone is 0
    return std::nullopt;
  Rational Result;
  for (const char &C : Text) {
    int Digit = 0;
    if (std::from_chars(&C, &C + 1, Digit, Base).ec != std::errc())
      return std::nullopt;
    Result = Result * Base + Digit;
  }
  return Negative ? -Result : Result;
}

/// What each value of an argument stands for. Values are numbers, `0x1f` too, or
/// the address of a variable: `&ompi_mpi_double`.
void LibraryReader::readTable(std::string_view Key, JsonCursor Json) {
  Meanings Table;
  for (auto &[Value, Meaning] : Json.members()) {
    std::string Text(Value);
    if (Text.starts_with('&'))
      Text = toText(Expr::symbol(Text));
    else if (const auto Number = parseInteger(Text))
      Text = Number->get_str();
    else
      Meaning.fail(inQuotes(Text) + " is neither a number nor an address",
                   "write 141, \"0x4c00080b\" or \"&variable\"");
    const Expr Stands = readFormula(numberOrText(Meaning), Meaning);
    std::set<std::string> Symbols;
    Stands.collectSymbols(Symbols);
    Symbols.erase(std::string(ProcessCount));
    if (!Symbols.empty())
      Meaning.fail("formula " + inQuotes(toText(Stands)) + " names " + inQuotes(*Symbols.begin()),
                   "a value stands for a number or for mpi.size");
    if (!Table.emplace(std::move(Text), Stands).second)
      Meaning.fail("the value " + inQuotes(Value) + " stands twice", "leave one of the two out");
  }
  Tables.emplace(Key, std::make_shared<const Meanings>(std::move(Table)));
}

std::vector<Parameter> LibraryReader::readParameters(JsonCursor Json) const {
  std::vector<Parameter> Result;
  if (!Json)
    return Result;
  for (JsonCursor Entry : Json.elements()) {
    Parameter Next;
    if (Entry.isText()) {
      Next.Name = Entry.text();
    } else {
      auto Members = Entry.members();
      if (Members.size() != 1) {
        Entry.fail("a parameter is a name, or one name and its table",
                   "write {\"left\": \"side\"}");
        break;
      }
      auto &[Name, TableName] = Members[0];
      Next.Name = Name;
      auto Found = Tables.find(TableName.text());
      if (Found == Tables.end())
        TableName.fail("table " + inQuotes(TableName.text()) + " is not listed in /tables",
                       "list it there or name one that is");
      else
        Next.Means = Found->second;
    }
    if (std::ranges::find(Result, Next.Name, &Parameter::Name) != Result.end())
      Entry.fail("parameter " + inQuotes(Next.Name) + " stands twice", "give each its own name");
    Result.push_back(std::move(Next));
  }
  return Result;
}

/// Refuses symbols that are neither parameters nor members of such; the members
/// are added to their parameters.
void LibraryReader::checkSymbols(const Expr &Formula, JsonCursor Json,
                                 std::vector<Parameter> &Parameters) {
  std::set<std::string> Symbols;
  Formula.collectSymbols(Symbols);
  for (const std::string &Symbol : Symbols) {
    if (Symbol == ProcessCount ||
        std::ranges::find(Parameters, Symbol, &Parameter::Name) != Parameters.end())
      continue;
    const std::size_t Dot = std::min(Symbol.find('.'), Symbol.size());
    auto Handle = std::ranges::find(Parameters, Symbol.substr(0, Dot), &Parameter::Name);
    if (Handle == Parameters.end()) {
      Json.fail("formula " + inQuotes(toText(Formula)) + " names " + inQuotes(Symbol) +
                    ", which is no parameter of every form",
                "use the names in \"params\"");
      return;
    }
    std::string Member = Symbol.substr(Dot + 1);
    if (std::ranges::find(Handle->Members, Member) == Handle->Members.end())
      Handle->Members.push_back(Member);
    Asked.emplace_back(std::move(Member), Json);
  }
}

/// The costs of one group with a row's values put in, as a part of a body.
Loop LibraryReader::readCosts(const Group &G, const Row &R, std::vector<Parameter> &Parameters,
                              std::set<CostClass> &Seen) {
  Loop Result;
  Result.Entries = 1;
  Result.TripsKnown = G.How;
  Block &Costs = Result.Blocks.emplace_back();
  Costs.Runs = 1;
  for (auto &[Key, Entry] : G.Json.members()) {
    std::string Name = expanded(Key, Entry, R);
    auto Class = costClass(Name);
    if (!Class)
      Entry.fail("no cost class is called " + inQuotes(Name), "docs/counting-rules.md lists them");
    else if (!Seen.insert(*Class).second)
      Entry.fail("class " + inQuotes(Name) + " stands twice", "say how it is known once");
    std::string Text = numberOrText(Entry);
    if (Entry.failed())
      break;
    Expr Amount = readFormula(expanded(Text, Entry, R), Entry);
    checkSymbols(Amount, Entry, Parameters);
    Costs.PerRun.add(*Class, Amount);
  }
  return Result;
}

void LibraryReader::addFunction(JsonCursor Named, std::string Name, const Function &Described) {
  if (Named.failed())
    return;
  std::size_t Star = Name.find('*');
  if (Name.empty() || Star == 0 || (Star != std::string::npos && Star + 1 != Name.size()))
    Named.fail("not a function's name: " + inQuotes(Name),
               "write a name; one '*' at its end stands for any rest");
  else if (!Names.insert(Name).second)
    Named.fail("the name " + inQuotes(Name) + " stands twice", "leave one of the two out");
  Function &Next = Result.Functions.emplace_back(Described);
  Next.Demangled = Next.Name = std::move(Name);
}

void LibraryReader::readForm(JsonCursor Form, const std::vector<Row> &Rows,
                             const std::vector<Group> &Groups, JsonCursor Makes) {
  Form.keys({"names"}, {"params", "with"});
  const std::vector<Parameter> Parameters = readParameters(Form["params"]);
  const Row Own = readRow(Form["with"]);
  for (Row R : Rows) {
    R.insert(Own.begin(), Own.end());
    Function Described;
    Described.Library = Result.Name;
    Described.Parameters = Parameters;
    Described.Body.Entries = 1;
    std::set<CostClass> Seen;
    for (const Group &G : Groups)
      Described.Body.Loops.push_back(readCosts(G, R, Described.Parameters, Seen));
    for (auto &[Member, Json] : Makes.members()) {
      Expr Formula = readFormula(expanded(numberOrText(Json), Json, R), Json);
      checkSymbols(Formula, Json, Described.Parameters);
      Described.Makes.emplace(Member, std::move(Formula));
      Made.emplace(Member);
    }
    for (JsonCursor Named : Form["names"].elements())
      addFunction(Named, expanded(Named.text(), Named, R), Described);
  }
}

void LibraryReader::readFunction(JsonCursor Json) {
  Json.keys({"forms", "source"}, {"each", "exact", "bound", "assumed", "makes", "note"});
  std::vector<Row> Rows = {{}};
  if (JsonCursor Entry = Json["each"]) {
    auto Found = Variants.find(Entry.text());
    if (Found == Variants.end())
      Entry.fail(inQuotes(Entry.text()) + " is not listed in /variants",
                 "list it there or name one that is");
    else
      Rows = Found->second;
  }
  if (std::string Source = Json["source"].text(); !Sources.contains(Source))
    Json["source"].fail("source " + inQuotes(Source) + " is not listed in /sources",
                        "list it there or name one that is");
  Json["note"].text("");
  std::vector<Group> Groups;
  for (Known How : {Known::Exact, Known::Bound, Known::Assumed})
    if (JsonCursor Counts = Json[name(How)])
      Groups.push_back({How, Counts});
  for (JsonCursor Form : Json["forms"].elements())
    readForm(Form, Rows, Groups, Json["makes"]);
}

Library LibraryReader::read(JsonCursor Root) {
  Root.keys({"schema", "name", "description", "sources", "functions"}, {"tables", "variants"});
  Result.Name = Root["name"].text();
  Result.Description = Root["description"].text();
  for (auto &[Key, Json] : Root["sources"].members())
    readSource(Key, Json);
  for (auto &[Key, Entry] : Root["tables"].members())
    readTable(Key, Entry);
  for (auto &[Key, Element] : Root["variants"].members())
    for (JsonCursor Field : Element.elements())
      Variants[std::string(Key)].push_back(readRow(Field));
  for (JsonCursor Node : Root["functions"].elements())
    readFunction(Node);
  for (const auto &[Member, Item] : Asked)
    if (!Made.contains(Member))
      Item.fail("no function here makes a handle with " + inQuotes(Member),
                "give it in the \"makes\" of the function that makes the handle");
  return std::move(Result);
}

std::expected<Library, Error> parseLibrary(std::string_view Text) {
  return readJson(Text, LibrarySchema, [](JsonCursor Root) { return LibraryReader().read(Root); });
}

} // namespace ergon
