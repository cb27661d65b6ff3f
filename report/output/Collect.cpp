//===- Collect.cpp - what a report needs, from disk -----------------------===//

#include "report/output/Collect.h"
#include "formats/profile/ProfileFormat.h"
#include "predict/answer/PredictionTarget.h"
#include "predict/source/SourceFiles.h"
#include "predict/store/LibraryStore.h"
#include "predict/store/MachineStore.h"
#include "predict/store/RecordStore.h"
#include "predict/store/ShippedFiles.h"
#include "report/program/ReportProgram.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <ranges>
#include <set>

namespace ergon {

namespace {
class Collector {
public:
  Collector(const ReportQuery &Query, RecordStore &Store)
      : Query(Query), Store(Store), Sources(Query.SourceRoots) {}
  ReportData Data;

  std::expected<void, Error> addFunctions();
  std::expected<void, Error> addMachines();
  std::expected<void, Error> addLibraries();
  std::expected<void, Error> leaveOutMachines();

private:
  const ReportQuery &Query;
  RecordStore &Store;
  std::optional<Error> Failure;
  /// The functions of each record in the record's order; records are sorted by path.
  std::map<std::string, std::map<const RecordFile::Entry *, const Function *>> Needed;
  std::map<std::string, const RecordFile *> Files;
  SourceFiles Sources;
  std::set<std::string> Given; ///< names of machines that were asked for
  std::map<std::pair<std::string, SourceState>, std::size_t> SourceNumbers; ///< by shown path

  std::expected<std::vector<FunctionRef>, Error> selected();
  bool hasDeviceCode() const;
  bool prices(const Machine &M) const;
  std::expected<void, Error> addWithCallees(const std::vector<FunctionRef> &Shown);
  void addSources(const Unit &U, const Function &F, ReportRecord &Result);
  std::size_t sourceNumber(const Unit &U, const std::string &Path);
};
} // namespace

/// Whether a compiler made the function \p Name to start the program or to launch a kernel. What it
/// costs is in what calls it.
static bool isMadeByCompiler(std::string_view Name) {
  return Name.contains("__device_stub__") || Name.starts_with("_GLOBAL__") ||
         Name.starts_with("__cxx_global_") || Name.starts_with("__cuda_") ||
         Name.starts_with("__tls_init");
}

std::expected<std::vector<FunctionRef>, Error> Collector::selected() {
  FunctionQuery Wanted = Query.Functions;
  std::vector<FunctionRef> Result;
  for (const std::string &Entry : Query.Entries) {
    Wanted.Entry = Entry;
    auto Found = Store.find(Wanted);
    if (!Found)
      return std::unexpected(Found.error());
    Result.push_back(*Found);
  }
  if (!Result.empty())
    return Result;
  // The first of these snapshots that exists.
  const std::vector<std::string> Snapshots =
      Wanted.Snapshot.empty() ? std::vector<std::string>{"algorithm", "source", "machine"}
                              : std::vector{Wanted.Snapshot};
  for (const std::string &Snapshot : Snapshots) {
    Wanted.Snapshot = Snapshot;
    Result = Store.select(Wanted);
    std::erase_if(Result, [](const FunctionRef &Ref) { return isMadeByCompiler(Ref.Entry->Name); });
    if (!Result.empty())
      return Result;
  }
  return std::unexpected(Error{"no function in it is of that snapshot, unit and target", "",
                               "see `ergon show " + Store.directory() + "` for those it has",
                               Store.directory()});
}

static void forEachCall(const Loop &Region, const auto &Visit) {
  for (const Block &B : Region.Blocks)
    for (const Call &Site : B.Calls)
      Visit(Site);
  for (const Loop &Inner : Region.Loops)
    forEachCall(Inner, Visit);
}

/// \p Shown and all recorded functions that they call.
std::expected<void, Error> Collector::addWithCallees(const std::vector<FunctionRef> &Shown) {
  const FunctionLookup Find = Store.lookup(Failure);
  std::deque<const Function *> Todo;
  for (const FunctionRef &FR : Shown) {
    auto Loaded = Store.load(FR);
    if (!Loaded)
      return std::unexpected(Loaded.error());
    Todo.push_back(*Loaded);
  }
  std::set<const Function *> Done;
  for (; !Todo.empty(); Todo.pop_front()) {
    const Function &F = *Todo.front();
    if (!Done.insert(&F).second)
      continue;
    const FunctionRef &Ref = Store.refOf(F);
    Files.emplace(Ref.File->path(), Ref.File);
    Needed[Ref.File->path()].emplace(Ref.Entry, &F);
    forEachCall(F.Body, [&](const Call &Site) {
      std::set<std::string> Names{Site.Callee};
      for (const MadeBy &Origin : Site.Origins)
        Names.insert(Origin.Callee);
      for (const std::string &Name : Names)
        if (const Function *Callee = Name.empty() ? nullptr : Find(Name, F))
          Todo.push_back(Callee);
    });
  }
  if (Failure)
    return std::unexpected(*Failure);
  return {};
}

std::size_t Collector::sourceNumber(const Unit &U, const std::string &Path) {
  const OpenedSource &Opened = Sources.open(U, Path);
  auto [Found, IsNew] =
      SourceNumbers.try_emplace({Opened.Shown, Opened.State}, Data.Sources.size());
  if (!IsNew)
    return Found->second;
  // A text may be that from which this unit was compiled, and not that of another unit.
  const bool IsOther = std::ranges::any_of(
      Data.Sources, [&](const ReportSource &Source) { return Source.Path == Opened.Shown; });
  ReportSource &Next = Data.Sources.emplace_back(
      ReportSource{Opened.Shown + (IsOther ? " (as " + U.Source + " was compiled)" : ""), {}, {}});
  const bool IsThere = Opened.State == SourceState::Unchanged;
  Next.State = !IsThere ? name(Opened.State) : Opened.IsUtf8 ? "ok" : "not UTF-8";
  if (IsThere && Opened.IsUtf8)
    for (const std::string &Line : Opened.Lines)
      Next.Text += Line + "\n";
  return Found->second;
}

void Collector::addSources(const Unit &U, const Function &F, ReportRecord &Result) {
  std::set<std::string> Paths;
  auto Add = [&](const SourceLocation &L) {
    if (!L.File.empty())
      Paths.insert(L.File);
  };
  auto Visit = [&](const Loop &Region, const auto &Self) -> void {
    Add(Region.Location);
    for (const Block &B : Region.Blocks) {
      for (const LineCost &Line : B.Lines)
        Add(placeOf(Line, F));
      for (const Call &C : B.Calls)
        Add(C.Location);
    }
    for (const Loop &Inner : Region.Loops)
      Self(Inner, Self);
  };
  Add(F.Location);
  Visit(F.Body, Visit);
  for (const std::string &Path : Paths)
    if (!Result.Sources.contains(Path))
      Result.Sources.emplace(Path, sourceNumber(U, Path));
}

std::expected<void, Error> Collector::addFunctions() {
  auto Shown = selected();
  if (!Shown)
    return std::unexpected(Shown.error());
  if (auto Added = addWithCallees(*Shown); !Added)
    return Added;
  std::map<std::string, std::size_t> Numbers;
  FunctionQuery Everything; // checksums of host code, which device code has none of
  for (const FunctionRef &Ref : Store.select(Everything))
    Sources.know(Ref.File->unit());
  for (const auto &[Path, Entries] : Needed) {
    Unit U = Files.at(Path)->unit();
    Numbers.emplace(Path, Data.Records.size());
    ReportRecord &Next = Data.Records.emplace_back();
    std::vector<Function> Functions;
    for (const auto &[Entry, F] : Entries) {
      addSources(U, *F, Next);
      Functions.push_back(*F);
    }
    Data.Compiler = U.Compiler;
    U.Directory.clear(); // the sources are in the report
    U.Object.clear();
    U.Files.clear();
    Next.Text = writeRecord(U, Functions);
  }
  for (const FunctionRef &FR : *Shown)
    Data.Functions.push_back({Numbers.at(FR.File->path()), std::string(FR.Entry->Name),
                              std::string(FR.Entry->Snapshot)});
  return {};
}

bool Collector::hasDeviceCode() const {
  return std::ranges::any_of(
      Files, [](const auto &F) { return F.second->unit().Target.starts_with("nvptx"); });
}

/// Whether \p M, which nobody asked for, has costs of any of the functions.
bool Collector::prices(const Machine &M) const {
  return M.DataFor.empty() && (hasDeviceCode() || M.processor() != MachineKind::Gpu);
}

std::expected<void, Error> Collector::addMachines() {
  std::vector<std::string> Wanted = Query.Machines;
  if (!Query.OwnMachine.empty() && !hasDeviceCode())
    Wanted.push_back(Query.OwnMachine);
  for (const std::string &ShippedMachine : shippedMachines())
    if (std::ranges::find(Wanted, ShippedMachine) == Wanted.end())
      Wanted.push_back(ShippedMachine);
  std::set<std::string> Names;
  for (const std::string &Text : Wanted) {
    auto M = loadMachine(Text);
    if (!M)
      return std::unexpected(M.error());
    const bool IsGiven = std::ranges::find(Query.Machines, Text) != Query.Machines.end();
    if (auto Bad = IsGiven ? refuseData(*M) : std::nullopt)
      return std::unexpected(*Bad);
    if (!IsGiven && !prices(*M))
      continue;
    if (IsGiven || Text == Query.OwnMachine)
      Given.insert(M->Name);
    if (Names.insert(M->Name).second) // one that was given comes before a shipped one of its name
      Data.Machines.push_back(
          profileDocument(*M).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  return {};
}

/// The same document, which is known to be good, in fewer bytes.
static std::string withoutSpaces(const std::string &Json) {
  return nlohmann::ordered_json::parse(Json).dump(-1, ' ', false,
                                                  nlohmann::json::error_handler_t::replace);
}

std::expected<void, Error> Collector::addLibraries() {
  std::vector<std::string> Paths = Query.Libraries;
  std::ranges::copy(shippedLibraries(), std::back_inserter(Paths));
  for (const std::string &Path : Paths) {
    auto Text = readTextFile(Path);
    auto Read = Text ? loadLibraryFile(Path) : std::unexpected(Text.error());
    if (!Read)
      return std::unexpected(Read.error());
    Data.Libraries.push_back(withoutSpaces(*Text));
  }
  return {};
}

/// Whether \p Program knows a time of \p Function on \p Machine.
static bool knowsTime(ReportProgram &Program, const std::string &Machine, std::size_t Function) {
  const nlohmann::json Request = {
      {"do", "functions"}, {"machine", Machine}, {"from", Function}, {"count", 1}};
  const auto Answer = nlohmann::json::parse(Program.answer(Request.dump()), nullptr, false);
  const auto Rows = Answer.find("rows");
  return Rows != Answer.end() && !Rows->empty() && !Rows->front()["time_s"].is_null();
}

/// Takes away machines that nobody asked for and that have no cost of what is shown: of main, or of
/// the first functions where there is none.
std::expected<void, Error> Collector::leaveOutMachines() {
  static constexpr std::size_t MostTried = 20;
  ReportData Estimated = Data;
  Estimated.IsStrict = false;
  auto Program = ReportProgram::open(std::move(Estimated));
  if (!Program)
    return std::unexpected(Program.error());
  const auto Main = std::ranges::find(Data.Functions, "main", &ReportFunction::Name);
  const std::size_t First = Main == Data.Functions.end() ? 0 : Main - Data.Functions.begin();
  const std::size_t End =
      std::min(Data.Functions.size(), Main == Data.Functions.end() ? First + MostTried : First + 1);
  std::vector<std::string> Useful;
  for (const std::string &Text : Data.Machines) {
    const std::string Name = nlohmann::json::parse(Text)["name"];
    const auto IsKnown = [&](std::size_t Function) { return knowsTime(**Program, Name, Function); };
    if (Given.contains(Name) || std::ranges::any_of(std::views::iota(First, End), IsKnown))
      Useful.push_back(Text);
  }
  if (!Useful.empty()) // else the page says of each why not
    Data.Machines = std::move(Useful);
  return {};
}

std::expected<ReportData, Error> collectReport(const ReportQuery &Query, RecordStore &Store) {
  Collector Result(Query, Store);
  Result.Data.Set = Query.Set;
  Result.Data.IsStrict = Query.IsStrict;
  for (auto Step : {&Collector::addFunctions, &Collector::addMachines, &Collector::addLibraries,
                    &Collector::leaveOutMachines})
    if (auto Done = (Result.*Step)(); !Done)
      return std::unexpected(Done.error());
  return std::move(Result.Data);
}

} // namespace ergon
