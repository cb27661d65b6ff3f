//===- ReportProgram.cpp - answers the questions of a report --------------===//

#include "report/program/ReportProgram.h"
#include "formats/json/Json.h"
#include "formats/json/NumberText.h"
#include "formats/prediction/PredictionJson.h"
#include "formats/profile/ProfileFormat.h"
#include "predict/text/Suggest.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ergon {

using Json = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static std::vector<LibraryStore::Reader> readersOf(const std::vector<std::string> &Texts) {
  std::vector<LibraryStore::Reader> Result;
  for (const std::string &Text : Texts)
    Result.emplace_back([&Text] { return parseLibrary(Text); });
  return Result;
}

ReportProgram::ReportProgram(ReportData Read)
    : Data(std::move(Read)), Libraries(std::make_shared<LibraryStore>(readersOf(Data.Libraries))) {}

std::expected<void, Error> ReportProgram::openRecords(NoticeHandler Notice) {
  RecordFiles Files;
  for (ReportRecord &Record : Data.Records) {
    auto File = RecordFile::open(std::move(Record.Text), "record " + std::to_string(Files.size()));
    if (!File)
      return std::unexpected(File.error());
    Files.push_back(std::make_shared<const RecordFile>(std::move(*File)));
  }
  for (const ReportFunction &Function : Data.Functions) {
    const RecordFile &File = *Files[Function.Record];
    auto Found = std::ranges::find_if(File.functions(), [&](const RecordFile::Entry &E) {
      return E.Name == Function.Name && E.Snapshot == Function.Snapshot;
    });
    if (Found == File.functions().end())
      return std::unexpected(Error{"no function " + inQuotes(Function.Name) + " in it", "",
                                   "make the report again", File.path()});
    Functions.push_back({{&File, &*Found}, Function.Record, {}});
  }
  Store =
      std::make_shared<RecordStore>("", Detail::All, std::move(Files), Runs(), std::move(Notice));
  Costs.emplace(Store, Libraries, Detail::Costs);
  All.emplace(Store, Libraries, Detail::All);
  return {};
}

void ReportProgram::openRuns() {
  if (Machines.empty())
    return;
  const std::vector<Setting> &Settings = Machines.front().Settings;
  for (auto &[Function, Run] : Data.Runs) {
    const auto Known =
        std::ranges::find_if(Settings, [&](const Setting &S) { return S.sameClocks(Run.Clocks); });
    if (Known != Settings.end())
      Run.Clocks = *Known; // with its voltages
    Functions[Function].Runs.push_back(std::move(Run));
  }
}

std::expected<std::unique_ptr<ReportProgram>, Error> ReportProgram::open(ReportData Data,
                                                                         NoticeHandler Notice) {
  std::unique_ptr<ReportProgram> Result(new ReportProgram(std::move(Data)));
  for (const std::string &Machine : Result->Data.Machines) {
    auto M = parseProfile(Machine);
    if (!M)
      return std::unexpected(M.error());
    Result->Machines.push_back(std::move(*M));
  }
  if (auto Opened = Result->openRecords(std::move(Notice)); !Opened)
    return std::unexpected(Opened.error());
  Result->openRuns();
  return Result;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static std::size_t readSize(JsonCursor Json) {
  if (Json && !Json.failed() && Json.integer() < 0)
    Json.fail("is below 0", "count from 0");
  return std::size_t(Json.integer());
}

static ReportRequest readRequest(JsonCursor Root) {
  Root.keys({"do"}, {"function", "set", "machine", "setting", "flops", "from", "count"});
  ReportRequest Result{Root["do"].text()};
  if (JsonCursor Function = Root["function"])
    Result.Function = readSize(Function);
  if (JsonCursor Set = Root["set"])
    for (const auto &[Name, Value] : Set.members()) {
      std::string Text(Value.isNumber() ? Value.source() : Value.text());
      std::string Source = "--set " + std::string(Name) + "=" + Text;
      auto Range = parseInterval(Text);
      Result.Values.emplace_back(std::string(Name), std::move(Range), std::move(Text),
                                 std::move(Source));
    }
  Result.Machine = Root["machine"].text("");
  Result.Flops = Root["flops"].text("");
  if (JsonCursor Setting = Root["setting"])
    Result.Clocks = readClocks(Setting);
  if (JsonCursor From = Root["from"])
    Result.From = readSize(From);
  if (JsonCursor Count = Root["count"])
    Result.Count = readSize(Count);
  return Result;
}

static std::string write(const Json &J) {
  return J.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ReportProgram::answer(std::string_view Request) {
  auto Answered = [&]() -> std::expected<std::string, Error> {
    auto Parsed = parseJson(Request);
    if (!Parsed)
      return std::unexpected(Parsed.error());
    const ReportRequest Asked = readRequest(JsonCursor(*Parsed));
    if (Parsed->First)
      return std::unexpected(*Parsed->First);
    return answerTo(Asked);
  }();
  return Answered ? std::move(*Answered) : write({{"error", Answered.error().line()}});
}

std::expected<std::string, Error> ReportProgram::answerTo(const ReportRequest &Asked) {
  if (Asked.What == "predict")
    return prediction(Asked);
  if (Asked.What == "top")
    return profile(Asked);
  static const std::vector<std::string> Names = {"program", "predict", "top",   "functions",
                                                 "lines",   "loops",   "roofs", "settings"};
  auto Answered = Asked.What == "program"     ? program()
                  : Asked.What == "functions" ? functions(Asked)
                  : Asked.What == "lines"     ? lines(Asked)
                  : Asked.What == "loops"     ? loops(Asked)
                  : Asked.What == "roofs"     ? roofs(Asked)
                  : Asked.What == "settings"
                      ? settings(Asked)
                      : std::unexpected(Error{"nothing is called " + inQuotes(Asked.What), "/do",
                                              suggestName(Asked.What, Names), ""});
  if (!Answered)
    return std::unexpected(Answered.error());
  return write(*Answered);
}

//===----------------------------------------------------------------------===//
// What is asked of
//===----------------------------------------------------------------------===//

std::expected<ReportProgram::Shown *, Error> ReportProgram::shown(const ReportRequest &Asked) {
  if (Asked.Function && *Asked.Function < Functions.size())
    return &Functions[*Asked.Function];
  return std::unexpected(Error{Asked.Function
                                   ? "there is no function " + std::to_string(*Asked.Function)
                                   : "it is not said of which function",
                               "/function", "give the id of one that `program` lists", ""});
}

std::expected<const Function *, Error> ReportProgram::load(const Shown &S) {
  return Store->load(S.Ref);
}

std::expected<const Machine *, Error> ReportProgram::machine(const ReportRequest &Asked) const {
  if (Asked.Machine.empty())
    return nullptr;
  std::vector<std::string> Names;
  for (const Machine &M : Machines) {
    if (M.Name == Asked.Machine)
      return &M;
    Names.push_back(M.Name);
  }
  return std::unexpected(Error{"no machine is called " + inQuotes(Asked.Machine), "/machine",
                               suggestName(Asked.Machine, Names), ""});
}

std::expected<PredictionTarget, Error> ReportProgram::target(const ReportRequest &Asked) const {
  auto M = machine(Asked);
  if (!M)
    return std::unexpected(M.error());
  return targetOf(*M ? std::optional(**M) : std::nullopt,
                  {Asked.Clocks.CoreMhz, Asked.Clocks.MemMhz, {}});
}

std::vector<MeasuredRun> ReportProgram::runsOf(const Shown &S, const ReportRequest &Asked) const {
  std::map<std::string, std::string> Set;
  for (const GivenValue &Value : Asked.Values)
    Set.emplace(Value.Name, Value.Text);
  const bool IsSame = !S.Runs.empty() && Asked.Machine == Machines.front().Name && Set == Data.Set;
  return IsSame ? S.Runs : std::vector<MeasuredRun>();
}

std::expected<EntryPredictor *, Error>
ReportProgram::predictor(Shown &S, const ReportRequest &Asked, const PredictionTarget &Target) {
  const bool IsDetailed = Target.detail() != Detail::Costs;
  std::optional<EntryPredictor> &Result = IsDetailed ? S.WithAccesses : S.Plain;
  if (!Result) {
    auto Loaded = (IsDetailed ? All : Costs)->load(S.Ref);
    if (!Loaded)
      return std::unexpected(Loaded.error());
    std::string Name = (*Loaded)->function().Demangled;
    // Values are of all functions of the program.
    Result.emplace(std::move(*Loaded), std::move(Name), OtherNames::Ignored);
  }
  Result->set(Asked.Values);
  return &*Result;
}

std::expected<PredictionDocument, Error> ReportProgram::predictFor(Shown &S,
                                                                   const ReportRequest &Asked,
                                                                   PredictionTarget &Target,
                                                                   Spread Wanted) {
  auto Entry = predictor(S, Asked, Target);
  if (!Entry)
    return std::unexpected(Entry.error());
  Target.Measured = runsOf(S, Asked);
  return Data.IsStrict ? (*Entry)->predict(Target) : (*Entry)->estimate(Target, Wanted);
}

std::string ReportProgram::shownPath(const Shown &S, const std::string &Path) const {
  const auto &Sources = Data.Records[S.Record].Sources;
  const auto Found = Sources.find(Path);
  return Found == Sources.end() ? Path : Data.Sources[Found->second].Path;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static Json machineJson(const Machine &M) {
  Json Result = {{"name", M.Name},
                 {"description", M.Description},
                 {"settings", Json::array()},
                 {"default", M.Default},
                 {"is_gpu", M.Topology.Gpu.has_value() || M.Kind == MachineKind::Gpu}};
  for (const Setting &S : M.Settings)
    Result["settings"].push_back(jsonOf(S));
  return Result;
}

std::expected<Json, Error> ReportProgram::program() {
  Json Result = {
      {"schema", "ergon-report/1"}, {"compiler", Data.Compiler}, {"set", Data.Set},
      {"functions", Json::array()}, {"machines", Json::array()}, {"files", Json::array()}};
  for (std::size_t Id = 0; Id != Functions.size(); ++Id) {
    const Shown &S = Functions[Id];
    auto Loaded = load(S);
    if (!Loaded)
      return std::unexpected(Loaded.error());
    const Function &F = **Loaded;
    Json Parameters = Json::array(), Unknowns = Json::array(), Checks = Json::array();
    for (const Parameter &P : F.Parameters)
      Parameters.push_back({{"name", P.Name}, {"type", P.Type}});
    for (const Unknown &U : F.Unknowns)
      Unknowns.push_back({{"symbol", U.Symbol}, {"at", U.Location.text()}, {"why", U.Why}});
    for (const WrapCheck &Check : F.WrapChecks)
      Checks.push_back({{"at", Check.Location.text()}, {"exact_for", prettyZero(Check.Wraps)}});
    Result["functions"].push_back({{"id", Id},
                                   {"name", F.Demangled},
                                   {"mangled", F.Name},
                                   {"file", shownPath(S, F.Location.File)},
                                   {"line", F.Location.Line},
                                   {"is_kernel", F.IsKernel},
                                   {"parameters", std::move(Parameters)},
                                   {"unknowns", std::move(Unknowns)},
                                   {"range_checks", std::move(Checks)},
                                   {"measured_runs", S.Runs.size()}});
  }
  for (const Machine &M : Machines)
    Result["machines"].push_back(machineJson(M));
  for (const ReportSource &Source : Data.Sources)
    Result["files"].push_back({{"path", Source.Path}, {"state", Source.State}});
  return Result;
}

} // namespace ergon
