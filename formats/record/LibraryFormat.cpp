//===- LibraryFormat.cpp - costs of library calls -------------------------===//

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
/// Costs of one certainty (exact, bound or assumed), before placeholders are substituted.
struct Group {
  Known Certainty;
  JsonCursor Json;
};

/// Reads the body of a document into the library it describes.
struct LibraryReader {
  Library Result;
  std::set<std::string, std::less<>> Sources, Names;
  std::map<std::string, std::shared_ptr<const Meanings>, std::less<>> Tables;
  std::map<std::string, std::vector<Row>, std::less<>> Variants;
  std::vector<std::pair<std::string, JsonCursor>> UsedMembers; // members of handles, and where
  std::set<std::string, std::less<>> DefinedMembers;

  void readSource(std::string_view Key, JsonCursor Json);
  void readTable(std::string_view Key, JsonCursor Json);
  std::vector<Parameter> readParameters(JsonCursor Json) const;
  void readFunction(JsonCursor Json);
  void readForm(JsonCursor Form, const std::vector<Row> &Rows, const std::vector<Group> &Groups,
                const LibraryNote &Note, JsonCursor Makes);
  void checkSymbols(const Expr &Formula, JsonCursor Json, std::vector<Parameter> &Parameters);
  Loop readCosts(const Group &G, const Row &R, std::vector<Parameter> &Parameters,
                 std::set<CostClass> &Seen);
  void addFunction(JsonCursor NameJson, std::string Name, const Function &Described);
  Library read(JsonCursor Root);
};
} // namespace

static Row readRow(JsonCursor Json) {
  Row Result;
  for (auto &[Key, Value] : Json.members())
    Result.emplace(Key, Value.text(""));
  return Result;
}

/// The text at \p Json with placeholders `{…}` replaced by the row's values.
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
      Json.fail("placeholder " + inQuotes(Text.substr(Open, Close + 1 - Open)) + " has no value",
                "define it in the function's variants or in the form's \"with\"");
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

/// The formula for each argument value. Values are numbers, `0x1f` too, or
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
    const Expr Formula = readFormula(numberOrText(Meaning), Meaning);
    std::set<std::string> Symbols;
    Formula.collectSymbols(Symbols);
    Symbols.erase(std::string(ProcessCount));
    if (!Symbols.empty())
      Meaning.fail("formula " + inQuotes(toText(Formula)) + " uses " + inQuotes(*Symbols.begin()),
                   "a table value must be a number or mpi.size");
    if (!Table.emplace(std::move(Text), Formula).second)
      Meaning.fail("duplicate value " + inQuotes(Value), "remove one of them");
  }
  Tables.emplace(Key, std::make_shared<const Meanings>(std::move(Table)));
}

std::vector<Parameter> LibraryReader::readParameters(JsonCursor Json) const {
  std::vector<Parameter> Result;
  if (!Json)
    return Result;
  for (JsonCursor ParameterJson : Json.elements()) {
    Parameter Next;
    if (ParameterJson.isText()) {
      Next.Name = ParameterJson.text();
    } else {
      auto Members = ParameterJson.members();
      if (Members.size() != 1) {
        ParameterJson.fail("a parameter is a name, or one name and its table",
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
      ParameterJson.fail("duplicate parameter " + inQuotes(Next.Name), "give each its own name");
    Result.push_back(std::move(Next));
  }
  return Result;
}

/// Reports an error for symbols that are neither parameters nor members of parameters; the members
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
      Json.fail("formula " + inQuotes(toText(Formula)) + " uses " + inQuotes(Symbol) +
                    ", which is not a parameter of every form",
                "use the names in \"params\"");
      return;
    }
    std::string Member = Symbol.substr(Dot + 1);
    if (std::ranges::find(Handle->Members, Member) == Handle->Members.end())
      Handle->Members.push_back(Member);
    UsedMembers.emplace_back(std::move(Member), Json);
  }
}

/// The costs of one group, placeholders substituted, as a loop of the function body.
Loop LibraryReader::readCosts(const Group &G, const Row &R, std::vector<Parameter> &Parameters,
                              std::set<CostClass> &Seen) {
  Loop Result;
  Result.Entries = 1;
  Result.TripsKnown = G.Certainty;
  Block &Costs = Result.Blocks.emplace_back();
  Costs.Runs = 1;
  for (auto &[Key, CostJson] : G.Json.members()) {
    std::string Name = expanded(Key, CostJson, R);
    auto Class = costClass(Name);
    if (!Class)
      CostJson.fail("unknown cost class " + inQuotes(Name), "docs/counting-rules.md lists them");
    else if (!Seen.insert(*Class).second)
      CostJson.fail("duplicate class " + inQuotes(Name),
                    "list it under only one of exact, bound and assumed");
    std::string Text = numberOrText(CostJson);
    if (CostJson.failed())
      break;
    Expr Amount = readFormula(expanded(Text, CostJson, R), CostJson);
    checkSymbols(Amount, CostJson, Parameters);
    Costs.PerRun.add(*Class, Amount);
  }
  return Result;
}

void LibraryReader::addFunction(JsonCursor NameJson, std::string Name, const Function &Described) {
  if (NameJson.failed())
    return;
  std::size_t Star = Name.find('*');
  if (Name.empty() || Star == 0 || (Star != std::string::npos && Star + 1 != Name.size()))
    NameJson.fail("not a function's name: " + inQuotes(Name),
                  "write a name; a trailing '*' matches any suffix");
  else if (!Names.insert(Name).second)
    NameJson.fail("duplicate name " + inQuotes(Name), "remove one of them");
  Function &NewFunction = Result.Functions.emplace_back(Described);
  NewFunction.Demangled = NewFunction.Name = std::move(Name);
}

void LibraryReader::readForm(JsonCursor Form, const std::vector<Row> &Rows,
                             const std::vector<Group> &Groups, const LibraryNote &Note,
                             JsonCursor Makes) {
  Form.keys({"names"}, {"params", "with"});
  const std::vector<Parameter> Parameters = readParameters(Form["params"]);
  const Row Own = readRow(Form["with"]);
  for (Row R : Rows) {
    R.insert(Own.begin(), Own.end());
    Function Described;
    Described.Library = Result.Name;
    Described.Described = Note;
    Described.Parameters = Parameters;
    Described.Body.Entries = 1;
    std::set<CostClass> Seen;
    for (const Group &G : Groups)
      Described.Body.Loops.push_back(readCosts(G, R, Described.Parameters, Seen));
    for (auto &[Member, MemberJson] : Makes.members()) {
      Expr Formula = readFormula(expanded(numberOrText(MemberJson), MemberJson, R), MemberJson);
      checkSymbols(Formula, MemberJson, Described.Parameters);
      Described.Makes.emplace(Member, std::move(Formula));
      DefinedMembers.emplace(Member);
    }
    for (JsonCursor NameJson : Form["names"].elements())
      addFunction(NameJson, expanded(NameJson.text(), NameJson, R), Described);
  }
}

void LibraryReader::readFunction(JsonCursor Json) {
  Json.keys({"forms", "source"}, {"each", "exact", "bound", "assumed", "free", "makes", "note"});
  std::vector<Row> Rows = {{}};
  if (JsonCursor EachJson = Json["each"]) {
    auto Found = Variants.find(EachJson.text());
    if (Found == Variants.end())
      EachJson.fail(inQuotes(EachJson.text()) + " is not listed in /variants",
                    "list it there or name one that is");
    else
      Rows = Found->second;
  }
  if (std::string Source = Json["source"].text(); !Sources.contains(Source))
    Json["source"].fail("source " + inQuotes(Source) + " is not listed in /sources",
                        "list it there or name one that is");
  LibraryNote Note{LibraryNote::Kind::NotDescribed, Json["note"].text("")};
  std::vector<Group> Groups;
  for (Known Certainty : {Known::Exact, Known::Bound, Known::Assumed})
    if (JsonCursor Counts = Json[name(Certainty)])
      Groups.push_back({Certainty, Counts});
  if (!Groups.empty())
    Note.What = LibraryNote::Kind::Counted;
  if (JsonCursor Free = Json["free"]) {
    if (!Groups.empty())
      Free.fail("a function that is free has counts", "leave out one of them");
    Note = {LibraryNote::Kind::Free, Free.text()};
  }
  for (JsonCursor Form : Json["forms"].elements())
    readForm(Form, Rows, Groups, Note, Json["makes"]);
}

Library LibraryReader::read(JsonCursor Root) {
  Root.keys({"schema", "name", "description", "sources", "functions"}, {"tables", "variants"});
  Result.Name = Root["name"].text();
  Result.Description = Root["description"].text();
  for (auto &[Key, SourceJson] : Root["sources"].members())
    readSource(Key, SourceJson);
  for (auto &[Key, TableJson] : Root["tables"].members())
    readTable(Key, TableJson);
  for (auto &[Key, VariantJson] : Root["variants"].members())
    for (JsonCursor RowJson : VariantJson.elements())
      Variants[std::string(Key)].push_back(readRow(RowJson));
  for (JsonCursor FunctionJson : Root["functions"].elements())
    readFunction(FunctionJson);
  for (const auto &[Member, UseLocation] : UsedMembers)
    if (!DefinedMembers.contains(Member))
      UseLocation.fail("no function in this file defines the handle member " + inQuotes(Member),
                       "define it in the \"makes\" of the function that creates the handle");
  return std::move(Result);
}

std::expected<Library, Error> parseLibrary(std::string_view Text) {
  return readJson(Text, LibrarySchema, [](JsonCursor Root) { return LibraryReader().read(Root); });
}

} // namespace ergon
