//===- ReportRuns.cpp - measured runs of a report's functions -------------===//

#include "tools/report/ReportRuns.h"
#include "predict/store/MachineStore.h"
#include "report/program/ReportProgram.h"
#include "tools/view/MeasuredView.h"

#include <nlohmann/json.hpp>

#include <set>
#include <utility>

namespace ergon {

using Json = nlohmann::ordered_json;

/// The answer of \p Program; what it cannot answer as an error.
static std::expected<Json, Error> ask(ReportProgram &Program, const Json &Request) {
  Json Answer = Json::parse(Program.answer(Request.dump()));
  if (const auto Bad = Answer.find("error"); Bad != Answer.end())
    return std::unexpected(Error{Bad->get<std::string>(), "", "", ""});
  return Answer;
}

static std::expected<std::vector<std::string>, Error> namesOf(const ReportData &Data) {
  auto Program = ReportProgram::open(Data);
  if (!Program)
    return std::unexpected(Program.error());
  const auto Answer = ask(**Program, {{"do", "program"}});
  if (!Answer)
    return std::unexpected(Answer.error());
  std::vector<std::string> Result;
  for (const Json &Function : (*Answer)["functions"])
    Result.push_back(Function["name"].get<std::string>());
  return Result;
}

/// The measured runs of a prediction.
static std::vector<ComparedRun> comparedIn(const Json &Prediction) {
  std::vector<ComparedRun> Result;
  for (const Json &Each : Prediction.value("measured", Json::array())) {
    MeasuredRun Run;
    Run.TimeS = Each["time_s"];
    if (Each.contains("energy_j"))
      Run.EnergyJ = Each["energy_j"];
    for (const auto &[Name, Mhz] :
         {std::pair{"core_mhz", &Run.Clocks.CoreMhz}, {"mem_mhz", &Run.Clocks.MemMhz}})
      if (Each["setting"].contains(Name))
        *Mhz = Each["setting"][Name];
    Run.Source = Each["source"];
    Result.push_back({std::move(Run), Each["model_time_s"], Each["model_energy_j"]});
  }
  return Result;
}

/// Tells of runs that may be none. Error: a function on \p Machine, which it was measured on,
/// cannot be corrected by its runs.
static std::expected<void, Error> check(const ReportData &Data, const std::string &Machine) {
  auto Program = ReportProgram::open(Data);
  if (!Program)
    return std::unexpected(Program.error());
  std::set<std::size_t> Functions;
  for (const ReportRun &Run : Data.Runs)
    Functions.insert(Run.Function);
  for (const std::size_t Function : Functions) {
    const auto Answer =
        ask(**Program,
            {{"do", "predict"}, {"function", Function}, {"set", Data.Set}, {"machine", Machine}});
    if (!Answer)
      return std::unexpected(Answer.error());
    noticeDoubts(comparedIn(*Answer));
  }
  return {};
}

std::expected<void, Error> addRuns(const ReportOptions &Options, ReportData &Data) {
  if (Options.Measured.empty())
    return {};
  if (Options.Machines.empty())
    return std::unexpected(Error{"a measured run, but no machine", "",
                                 "give the one that it ran on with --machine", "--measured"});
  const auto M = loadMachine(Options.Machines.front());
  if (!M)
    return std::unexpected(M.error());
  const auto Runs = MeasuredRuns::read(Options.Measured, *M);
  if (!Runs)
    return std::unexpected(Runs.error());
  const auto Names = namesOf(Data);
  if (!Names)
    return std::unexpected(Names.error());
  for (std::size_t Function = 0; Function != Names->size(); ++Function) {
    const std::string &Name = (*Names)[Function];
    const bool IsWhole = Options.Entries.empty() ? Name == "main" : Function == 0;
    auto Found = Runs->of(Name, IsWhole ? RunPart::RegionOrWhole : RunPart::Region);
    if (!Found)
      return std::unexpected(Found.error());
    for (MeasuredRun &Run : *Found)
      Data.Runs.push_back({Function, std::move(Run)});
  }
  if (Data.Runs.empty())
    return std::unexpected(
        Error{"no function of the report was measured", "",
              "name the one that ran with --entry, or mark its region in the run", "--measured"});
  return check(Data, M->Name);
}

} // namespace ergon
