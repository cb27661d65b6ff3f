//===- CommandEvaluate.cpp - ergon evaluate -------------------------------===//

#include "formats/json/TextFile.h"
#include "model/fit/Evaluation.h"
#include "model/fit/FitErrors.h"
#include "predict/store/MachineStore.h"
#include "tools/base/Commands.h"
#include "tools/base/SampleStore.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

using nlohmann::ordered_json;

namespace ergon {

using ErrorColumn = std::pair<std::string, std::vector<double>>;

static ordered_json toJson(const ChoiceSummary &Of) {
  return {{"wrong", Of.Wrong},
          {"mean_loss", Of.MeanLoss},
          {"mean_loss_of_wrong", Of.MeanLossOfWrong},
          {"min_loss_of_wrong", Of.MinLossOfWrong},
          {"max_loss", Of.MaxLoss}};
}

static void printJson(const Machine &M, const Samples &Of, const Evaluation &By,
                      const std::vector<ErrorColumn> &Errors, const EvaluateOptions &Options) {
  ordered_json Result = {{"schema", "ergon-evaluation/1"},
                         {"machine", M.Name},
                         {"time", Options.PredictTime ? "predicted" : "measured"},
                         {"rows", Of.Rows.size()}};
  for (const auto &[Name, Values] : Errors)
    Result[Name] = toJson(errorsOf(Values, workloadsOf(Of)));
  Result["choice"] = ordered_json::array();
  for (const Choices &Each : By.ByFamily)
    Result["choice"].push_back({{"family", Each.Family},
                                {"workloads", Each.Model.Workloads},
                                {"model", toJson(Each.Model)},
                                {"fastest", toJson(Each.Fastest)},
                                {"slowest", toJson(Each.Slowest)}});
  Result["unpriced"] = By.Unpriced;
  if (Options.PredictTime)
    Result["untimed"] = By.Untimed;
  Result["not_counted"] = By.NotCounted;
  fmt::print("{}\n", Result.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

static void printText(const Machine &M, const Samples &Of, const Evaluation &By,
                      const std::vector<ErrorColumn> &Errors, bool PredictTime) {
  fmt::print("{} rows on {}, time {}\n\n|predicted/measured - 1|, in %\n  {:<14} {:>7} {:>7} {:>7} "
             "{:>7} {:>7}\n",
             Of.Rows.size(), M.Name, PredictTime ? "predicted" : "measured", "", "mean", "sd",
             "min", "median", "max");
  for (const auto &[Name, Values] : Errors) {
    const FitErrors Each = errorsOf(Values, workloadsOf(Of));
    fmt::print("  {:<14} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f}\n", Name, Each.Mean * 100,
               Each.Sd * 100, Each.Least * 100, Each.Median * 100, Each.Most * 100);
  }
  if (By.ByFamily.empty()) {
    fmt::print("\nno workload was measured at more than one setting: nothing to choose\n");
    return;
  }
  fmt::print("\nenergy lost to the best setting measured, in %\n  {:<28} {:<8} {:>9} {:>7} | {:>9} "
             "{:>7} {:>7} of the wrong ones\n",
             "", "", "wrong", "mean", "mean", "min", "max");
  for (const Choices &Each : By.ByFamily) {
    auto Line = [&](const std::string &Title, const char *Rule, const ChoiceSummary &Sum) {
      fmt::print("  {:<28} {:<8} {:>4} of {:<3} {:>6.2f} | {:>9.2f} {:>7.2f} {:>7.2f}\n", Title,
                 Rule, Sum.Wrong, Sum.Workloads, Sum.MeanLoss * 100, Sum.MeanLossOfWrong * 100,
                 Sum.MinLossOfWrong * 100, Sum.MaxLoss * 100);
    };
    Line(Each.Family.empty() ? "all workloads" : Each.Family, "model", Each.Model);
    Line("", "fastest", Each.Fastest);
    Line("", "slowest", Each.Slowest);
  }
}

int runEvaluate(const EvaluateOptions &Options) {
  const std::expected<Machine, Error> M = loadMachine(Options.Machine);
  if (!M)
    return complain(M.error());
  const std::expected<CheckedSamples, Error> Loaded = loadSamples(Options.Samples);
  if (!Loaded)
    return complain(Loaded.error());
  if (!Loaded->Table.Rows.front().EnergyJ)
    return complain({"energy_j is blank in every row", "",
                     "there is nothing to hold energies "
                     "against; fill it in",
                     Options.Samples});
  const auto By =
      evaluate(*M, Loaded->Table, Options.PredictTime ? TimeFrom::Predicted : TimeFrom::Measured);
  if (!By)
    return complain({By.error().What, "", By.error().Fix, Options.Samples});
  warn(Options.Samples, Loaded->Report);
  auto Warn = [&](const std::vector<std::string> &Classes, const char *What) {
    if (!Classes.empty())
      fmt::print(stderr, "ergon: warning: {}: {}: {}\n", Options.Samples, What,
                 fmt::join(Classes, ", "));
  };
  Warn(By->Unpriced, "counted, but the profile has no price of");
  if (Options.PredictTime)
    Warn(By->Untimed, "counted, but the profile has no throughput of");
  Warn(By->NotCounted, "priced by the profile, but not counted");
  std::vector<ErrorColumn> Errors = {{"energy_error", By->EnergyErrors},
                                     {"power_error", By->PowerErrors}};
  if (Options.PredictTime)
    Errors.insert(Errors.begin(), {"time_error", By->TimeErrors});
  if (!Options.Residuals.empty())
    if (auto Written = writeTextFile(Options.Residuals, residualsCsv(Loaded->Table, Errors));
        !Written)
      return complain(Written.error());
  if (Options.Json)
    printJson(*M, Loaded->Table, *By, Errors, Options);
  else
    printText(*M, Loaded->Table, *By, Errors, Options.PredictTime);
  return Done;
}

} // namespace ergon
