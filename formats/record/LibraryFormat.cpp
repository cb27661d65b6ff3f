//===- LibraryFormat.cpp - what calls of libraries cost -------------------===//

#include "formats/record/LibraryFormat.h"
#include "formats/json/Json.h"

#include <algorithm>
#include <map>
#include <set>

namespace ergon {

/// The replacements of `{x}` in names, classes and formulas.
using Row = std::map<std::string, std::string, std::less<>>;

namespace {
/// Counts that are known in one way, before they are read for a row.
struct Group {
  Known How;
  JsonCursor At;
};

/// Reads the body of a document into the library it describes.
struct LibraryReader {
  Library Result;
  std::set<std::string, std::less<>> Sources, Names;
  std::map<std::string, std::shared_ptr<const Meanings>, std::less<>> Tables;
  std::map<std::string, std::vector<Row>, std::less<>> Variants;
  std::vector<std::pair<std::string, JsonCursor>> Asked; // members of handles, and where
  std::set<std::string, std::less<>> Made;

  void readSource(std::string_view Key, JsonCursor At);
  void readTable(std::string_view Key, JsonCursor At);
  std::vector<Parameter> readParameters(JsonCursor At) const;
  void readFunction(JsonCursor At);
  void readForm(JsonCursor Form, const std::vector<Row> &Rows, const std::vector<Group> &Groups,
                JsonCursor Makes);
  void checkSymbols(const Expr &Formula, JsonCursor At, std::vector<Parameter> &Parameters);
  Loop readCosts(const Group &Of, const Row &With, std::vector<Parameter> &Parameters,
                 std::set<CostClass> &Seen);
  void addFunction(JsonCursor Named, std::string Name, const Function &Described);
  Library read(JsonCursor Root);
};
} // namespace

static Row readRow(JsonCursor At) {
  Row Result;
  for (auto &[Key, Value] : At.members())
    Result.emplace(Key, Value.text(""));
  return Result;
}

/// The text at \p At with the row's values in the place of each `{…}`.
static std::string expanded(std::string_view Text, JsonCursor At, const Row &With) {
  std::string Result;
  while (true) {
    std::size_t Open = Text.find('{');
    Result += Text.substr(0, Open);
    if (Open == std::string_view::npos)
      return Result;
    std::size_t Close = std::min(Text.find('}', Open), Text.size());
    std::string_view Key = Text.substr(Open + 1, Close - Open - 1);
    auto Found = With.find(Key);
    if (Found == With.end() || Close == Text.size()) {
      At.fail("nothing stands for " + inQuotes(Text.substr(Open, Close + 1 - Open)),
              "give it in the function's variants or in the form's \"with\"");
      return Result;
    }
    Result += Found->second;
    Text.remove_prefix(Close + 1);
  }
}

void LibraryReader::readSource(std::string_view Key, JsonCursor At) {
  At.keys({"reference", "date"}, {"note"});
  At["reference"].text();
  At["date"].text();
  Sources.emplace(Key);
}

static std::string numberOrText(JsonCursor At) {
  return At.isNumber() ? std::to_string(At.integer()) : At.text();
}

static Expr readFormula(const std::string &Text, JsonCursor At) {
  auto Parsed = parseExpr(Text);
  if (Parsed)
    return std::move(*Parsed);
  At.fail("formula " + inQuotes(Text) + ": " + Parsed.error().What + " at " + Parsed.error().Where,
          "write it like \"2*m*n*k + floor(n, 2)\"");
  return {};
}

/// What each value of an argument stands for. Values are numbers, `0x1f` too, or
/// the address of a variable: `&ompi_mpi_double`.
void LibraryReader::readTable(std::string_view Key, JsonCursor At) {
  Meanings Table;
  for (auto &[Value, Meaning] : At.members()) {
    std::string Text(Value);
    mpz_class Number;
    if (Text.starts_with('&'))
      Text = toText(Expr::symbol(Text));
    else if (Number.set_str(Text, 0) == 0)
      Text = Number.get_str();
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

std::vector<Parameter> LibraryReader::readParameters(JsonCursor At) const {
  std::vector<Parameter> Result;
  if (!At)
    return Result;
  for (JsonCursor One : At.elements()) {
    Parameter Next;
    if (One.isText()) {
      Next.Name = One.text();
    } else {
      auto Members = One.members();
      if (Members.size() != 1) {
        One.fail("a parameter is a name, or one name and its table", "write {\"left\": \"side\"}");
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
      One.fail("parameter " + inQuotes(Next.Name) + " stands twice", "give each its own name");
    Result.push_back(std::move(Next));
  }
  return Result;
}

/// Refuses symbols that are neither parameters nor members of such; the members
/// are added to their parameters.
void LibraryReader::checkSymbols(const Expr &Formula, JsonCursor At,
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
      At.fail("formula " + inQuotes(toText(Formula)) + " names " + inQuotes(Symbol) +
                  ", which is no parameter of every form",
              "use the names in \"params\"");
      return;
    }
    std::string Member = Symbol.substr(Dot + 1);
    if (std::ranges::find(Handle->Members, Member) == Handle->Members.end())
      Handle->Members.push_back(Member);
    Asked.emplace_back(std::move(Member), At);
  }
}

/// The costs of one group with a row's values put in, as a part of a body.
Loop LibraryReader::readCosts(const Group &Of, const Row &With, std::vector<Parameter> &Parameters,
                              std::set<CostClass> &Seen) {
  Loop Result;
  Result.Entries = 1;
  Result.TripsKnown = Of.How;
  Block &Costs = Result.Blocks.emplace_back();
  Costs.Runs = 1;
  for (auto &[Key, At] : Of.At.members()) {
    std::string Name = expanded(Key, At, With);
    auto Class = costClass(Name);
    if (!Class)
      At.fail("no cost class is called " + inQuotes(Name), "docs/counting-rules.md lists them");
    else if (!Seen.insert(*Class).second)
      At.fail("class " + inQuotes(Name) + " stands twice", "say how it is known once");
    std::string Text = numberOrText(At);
    if (At.failed())
      break;
    Expr Amount = readFormula(expanded(Text, At, With), At);
    checkSymbols(Amount, At, Parameters);
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
  for (Row With : Rows) {
    With.insert(Own.begin(), Own.end());
    Function Described;
    Described.Library = Result.Name;
    Described.Parameters = Parameters;
    Described.Body.Entries = 1;
    std::set<CostClass> Seen;
    for (const Group &Each : Groups)
      Described.Body.Loops.push_back(readCosts(Each, With, Described.Parameters, Seen));
    for (auto &[Member, At] : Makes.members()) {
      Expr Formula = readFormula(expanded(numberOrText(At), At, With), At);
      checkSymbols(Formula, At, Described.Parameters);
      Described.Makes.emplace(Member, std::move(Formula));
      Made.emplace(Member);
    }
    for (JsonCursor Named : Form["names"].elements())
      addFunction(Named, expanded(Named.text(), Named, With), Described);
  }
}

void LibraryReader::readFunction(JsonCursor At) {
  At.keys({"forms", "source"}, {"each", "exact", "bound", "assumed", "makes", "note"});
  std::vector<Row> Rows = {{}};
  if (JsonCursor Each = At["each"]) {
    auto Found = Variants.find(Each.text());
    if (Found == Variants.end())
      Each.fail(inQuotes(Each.text()) + " is not listed in /variants",
                "list it there or name one that is");
    else
      Rows = Found->second;
  }
  if (std::string Source = At["source"].text(); !Sources.contains(Source))
    At["source"].fail("source " + inQuotes(Source) + " is not listed in /sources",
                      "list it there or name one that is");
  At["note"].text("");
  std::vector<Group> Groups;
  for (Known How : {Known::Exact, Known::Bound, Known::Assumed})
    if (JsonCursor Counts = At[name(How)])
      Groups.push_back({How, Counts});
  for (JsonCursor Form : At["forms"].elements())
    readForm(Form, Rows, Groups, At["makes"]);
}

Library LibraryReader::read(JsonCursor Root) {
  Root.keys({"schema", "name", "description", "sources", "functions"}, {"tables", "variants"});
  Result.Name = Root["name"].text();
  Result.Description = Root["description"].text();
  for (auto &[Key, At] : Root["sources"].members())
    readSource(Key, At);
  for (auto &[Key, At] : Root["tables"].members())
    readTable(Key, At);
  for (auto &[Key, At] : Root["variants"].members())
    for (JsonCursor One : At.elements())
      Variants[std::string(Key)].push_back(readRow(One));
  for (JsonCursor One : Root["functions"].elements())
    readFunction(One);
  for (const auto &[Member, At] : Asked)
    if (!Made.contains(Member))
      At.fail("no function here makes a handle with " + inQuotes(Member),
              "give it in the \"makes\" of the function that makes the handle");
  return std::move(Result);
}

std::expected<Library, Error> parseLibrary(std::string_view Text) {
  return readJson(Text, LibrarySchema, [](JsonCursor Root) { return LibraryReader().read(Root); });
}

} // namespace ergon
