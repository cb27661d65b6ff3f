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
  for (const std::string &Each : Texts)
    Result.emplace_back([&Each] { return parseLibrary(Each); });
  return Result;
}

ReportProgram::ReportProgram(ReportData Read)
    : Data(std::move(Read)), Libraries(std::make_shared<LibraryStore>(readersOf(Data.Libraries))) {}

std::expected<void, Error> ReportProgram::openRecords(NoticeHandler Notice) {
  RecordFiles Files;
  for (ReportRecord &Each : Data.Records) {
    auto File = RecordFile::open(std::move(Each.Text), "record " + std::to_string(Files.size()));
    if (!File)
      return std::unexpected(File.error());
    Files.push_back(std::make_shared<const RecordFile>(std::move(*File)));
  }
  for (const ReportFunction &Each : Data.Functions) {
    const RecordFile &File = *Files[Each.Record];
    auto Found = std::ranges::find_if(File.functions(), [&](const RecordFile::Entry &One) {
      return One.Name == Each.Name && One.Snapshot == Each.Snapshot;
    });
    if (Found == File.functions().end())
      return std::unexpected(Error{"no function " + inQuotes(Each.Name) + " in it", "",
                                   "make the report again", File.path()});
    Functions.push_back({{&File, &*Found}, Each.Record});
  }
  Store =
      std::make_shared<RecordStore>("", Detail::All, std::move(Files), Runs(), std::move(Notice));
  Costs.emplace(Store, Libraries, Detail::Costs);
  All.emplace(Store, Libraries, Detail::All);
  return {};
}

std::expected<std::unique_ptr<ReportProgram>, Error> ReportProgram::open(ReportData Data,
                                                                         NoticeHandler Notice) {
  std::unique_ptr<ReportProgram> Result(new ReportProgram(std::move(Data)));
  for (const std::string &Each : Result->Data.Machines) {
    auto M = parseProfile(Each);
    if (!M)
      return std::unexpected(M.error());
    Result->Machines.push_back(std::move(*M));
  }
  if (auto Opened = Result->openRecords(std::move(Notice)); !Opened)
    return std::unexpected(Opened.error());
  return Result;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static std::size_t readSize(JsonCursor At) {
  if (At && !At.failed() && At.integer() < 0)
    At.fail("is below 0", "count from 0");
  return std::size_t(At.integer());
}

static ReportRequest readRequest(JsonCursor Root) {
  Root.keys({"do"}, {"function", "set", "machine", "setting", "flops", "from", "count"});
  ReportRequest Result{Root["do"].text()};
  if (JsonCursor At = Root["function"])
    Result.Function = readSize(At);
  if (JsonCursor At = Root["set"])
    for (const auto &[Name, Value] : At.members()) {
      std::string Text(Value.isNumber() ? Value.source() : Value.text());
      std::string Source = "--set " + std::string(Name) + "=" + Text;
      auto Range = parseInterval(Text);
      Result.Values.emplace_back(std::string(Name), std::move(Range), std::move(Text),
                                 std::move(Source));
    }
  Result.Machine = Root["machine"].text("");
  Result.Flops = Root["flops"].text("");
  if (JsonCursor At = Root["setting"]) {
    At.keys({}, {"core_mhz", "mem_mhz"});
    if (JsonCursor Core = At["core_mhz"])
      Result.CoreMhz = Core.positive();
    if (JsonCursor Mem = At["mem_mhz"])
      Result.MemMhz = Mem.positive();
  }
  if (JsonCursor At = Root["from"])
    Result.From = readSize(At);
  if (JsonCursor At = Root["count"])
    Result.Count = readSize(At);
  return Result;
}

static std::string write(const Json &Of) {
  return Of.dump(-1, ' ', false, Json::error_handler_t::replace);
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
  if (Asked.What == "predict") {
    auto Of = shown(Asked);
    auto On = target(Asked);
    if (!Of || !On)
      return std::unexpected(Of ? On.error() : Of.error());
    auto Document = predictFor(**Of, Asked, *On);
    if (!Document)
      return std::unexpected(Document.error());
    return writePrediction(*Document);
  }
  static const std::vector<std::string> Names = {"program", "predict", "functions", "lines",
                                                 "loops",   "roofs",   "settings"};
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

std::expected<const Function *, Error> ReportProgram::load(const Shown &Of) {
  return Store->load(Of.Ref);
}

std::expected<const Machine *, Error> ReportProgram::machine(const ReportRequest &Asked) const {
  if (Asked.Machine.empty())
    return nullptr;
  std::vector<std::string> Names;
  for (const Machine &Each : Machines) {
    if (Each.Name == Asked.Machine)
      return &Each;
    Names.push_back(Each.Name);
  }
  return std::unexpected(Error{"no machine is called " + inQuotes(Asked.Machine), "/machine",
                               suggestName(Asked.Machine, Names), ""});
}

std::expected<PredictionTarget, Error> ReportProgram::target(const ReportRequest &Asked) const {
  auto M = machine(Asked);
  if (!M)
    return std::unexpected(M.error());
  return targetOf(*M ? std::optional(**M) : std::nullopt, {Asked.CoreMhz, Asked.MemMhz, {}});
}

std::expected<EntryPredictor *, Error>
ReportProgram::predictor(Shown &Of, const ReportRequest &Asked, const PredictionTarget &On) {
  const bool IsDetailed = On.detail() == Detail::All;
  std::optional<EntryPredictor> &Result = IsDetailed ? Of.WithAccesses : Of.Plain;
  if (!Result) {
    auto Loaded = (IsDetailed ? All : Costs)->load(Of.Ref);
    if (!Loaded)
      return std::unexpected(Loaded.error());
    std::string Name = (*Loaded)->function().Demangled;
    // Values are of all functions of the program.
    Result.emplace(std::move(*Loaded), std::move(Name), OtherNames::Ignored);
  }
  Result->set(Asked.Values);
  return &*Result;
}

std::expected<PredictionDocument, Error>
ReportProgram::predictFor(Shown &Of, const ReportRequest &Asked, const PredictionTarget &On) {
  auto Entry = predictor(Of, Asked, On);
  return Entry ? (*Entry)->predict(On) : std::unexpected(Entry.error());
}

std::string ReportProgram::shownPath(const Shown &Of, const std::string &Path) const {
  const auto &Sources = Data.Records[Of.Record].Sources;
  const auto Found = Sources.find(Path);
  return Found == Sources.end() ? Path : Data.Sources[Found->second].Path;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static Json machineJson(const Machine &Of) {
  Json Result = {{"name", Of.Name},
                 {"description", Of.Description},
                 {"settings", Json::array()},
                 {"default", Of.Default},
                 {"is_gpu", Of.Topology.Gpu.has_value() || Of.Kind == MachineKind::Gpu}};
  for (const Setting &Each : Of.Settings)
    Result["settings"].push_back(jsonOf(Each));
  return Result;
}

std::expected<Json, Error> ReportProgram::program() {
  Json Result = {
      {"schema", "ergon-report/1"}, {"compiler", Data.Compiler}, {"set", Data.Set},
      {"functions", Json::array()}, {"machines", Json::array()}, {"files", Json::array()}};
  for (std::size_t Id = 0; Id != Functions.size(); ++Id) {
    const Shown &Each = Functions[Id];
    auto Loaded = load(Each);
    if (!Loaded)
      return std::unexpected(Loaded.error());
    const Function &Of = **Loaded;
    Json Parameters = Json::array(), Unknowns = Json::array(), Checks = Json::array();
    for (const Parameter &One : Of.Parameters)
      Parameters.push_back({{"name", One.Name}, {"type", One.Type}});
    for (const Unknown &One : Of.Unknowns)
      Unknowns.push_back({{"symbol", One.Symbol}, {"at", One.At.text()}, {"why", One.Why}});
    for (const WrapCheck &One : Of.WrapChecks)
      Checks.push_back({{"at", One.At.text()}, {"exact_for", prettyZero(One.Wraps)}});
    Result["functions"].push_back({{"id", Id},
                                   {"name", Of.Demangled},
                                   {"mangled", Of.Name},
                                   {"file", shownPath(Each, Of.At.File)},
                                   {"line", Of.At.Line},
                                   {"is_kernel", Of.IsKernel},
                                   {"parameters", std::move(Parameters)},
                                   {"unknowns", std::move(Unknowns)},
                                   {"range_checks", std::move(Checks)}});
  }
  for (const Machine &Each : Machines)
    Result["machines"].push_back(machineJson(Each));
  for (const ReportSource &Each : Data.Sources)
    Result["files"].push_back({{"path", Each.Path}, {"state", Each.State}});
  return Result;
}

} // namespace ergon
