//===- TuneFormat.cpp - ergon-tune/1 --------------------------------------===//

#include "formats/prediction/TuneFormat.h"
#include "formats/prediction/PredictionJson.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace ergon {

using Json = nlohmann::ordered_json;

namespace {
/// Writes what stands in one document; settings are named by their clocks.
struct TuneWriter {
  const TuneDocument &Written;

  Json option(const TunedEntry &Entry, const Option &O) const;
  Json choice(const TunedEntry &Entry, const std::vector<Option> &Options,
              const Choice &Best) const;
  Json race(const TunedEntry &Entry) const;
  Json entry(const TunedEntry &Entry) const;
  Json plan(const TunedProgram &Program, const ClockPlan &Plan) const;
  Json program(const TunedProgram &Program) const;
  Json document() const;
};
} // namespace

static Json total(const TimeEnergy &Energy) {
  return {{"time_s", Energy.TimeS}, {"energy_j", Energy.EnergyJ}};
}

static Json balance(const Balance &B) {
  return {{"class", B.Class},
          {"intensity", std::isfinite(B.Intensity) ? Json(B.Intensity) : Json(nullptr)},
          {"time", B.Time},
          {"effective", B.Effective},
          {"energy_point", B.EnergyPoint},
          {"favours_racing", B.favoursRacing()}};
}

bool keepsDefault(const std::vector<Option> &Options, const Choice &Best, std::size_t Default) {
  return std::ranges::any_of(Best.Rivals, [&](const Rival &R) {
    const Option &O = Options[R.Option];
    return O.Setting == Default && O.Candidate == Options[Best.Best].Candidate;
  });
}

Json TuneWriter::option(const TunedEntry &Entry, const Option &O) const {
  Json Result = Json::object();
  if (!Entry.Candidates[O.Candidate].empty())
    Result["candidate"] = Entry.Candidates[O.Candidate];
  Result["setting"] = jsonOf(Written.Settings[O.Setting]);
  return Result;
}

Json TuneWriter::choice(const TunedEntry &Entry, const std::vector<Option> &Options,
                        const Choice &Best) const {
  Json Result = option(Entry, Options[Best.Best]);
  Result["by_model"] = option(Entry, Options[Best.ByModel]);
  if (Best.Second) {
    Result["second"] = option(Entry, Options[*Best.Second]);
    Result["ahead"] = Best.Ahead;
  }
  Result["keep_default"] = keepsDefault(Options, Best, Written.Default);
  const auto Certain = Best.isCertain();
  Result["certain"] = Certain ? Json(*Certain) : Json(nullptr);
  // For many functions only the nearest rivals are listed, and no options.
  constexpr std::size_t MostOfMany = 5;
  const bool IsOneOfMany = Entry.Costs.size() != Entry.Options.size();
  const std::size_t Shown =
      IsOneOfMany ? std::min(MostOfMany, Best.Rivals.size()) : Best.Rivals.size();
  Json &Rivals = Result["rivals"] = Json::array();
  for (const Rival &R : std::span(Best.Rivals).first(Shown)) {
    Json Next = option(Entry, Options[R.Option]);
    Next["worse"] = R.Worse;
    Next["error"] = R.Error;
    Next["by_counts"] = R.ByCounts;
    Rivals.push_back(std::move(Next));
  }
  if (Shown != Best.Rivals.size())
    Result["more_rivals"] = Best.Rivals.size() - Shown;
  Result["error_not_stated"] = Best.ErrorNotStated;
  return Result;
}

static void addCost(Json &Output, const CostIntervals &Intervals) {
  Output["time_s"] = jsonOf(Intervals.TimeS);
  Output["energy_j"] = jsonOf(Intervals.EnergyJ);
  Output["power_w"] = jsonOf(Intervals.PowerW);
}

Json TuneWriter::race(const TunedEntry &Entry) const {
  const Option &Fast = Entry.Options[Entry.Fastest];
  Json Result = option(Entry, Fast);
  addCost(Result, Entry.Costs.at(Entry.Fastest));
  Result["allowed"] = Fast.IsAllowed;
  if (auto Best = Entry.Choices.find(Written.Goal); Best != Entry.Choices.end()) {
    const Option &Chosen = Entry.Options[Best->second.Best];
    Result["right"] = Chosen.EnergyJ == Fast.EnergyJ && Chosen.TimeS == Fast.TimeS;
    // Time and energy of the choice relative to those of the fastest option.
    if (Fast.TimeS > 0 && Fast.EnergyJ > 0) {
      Result["time_factor"] = Chosen.TimeS / Fast.TimeS;
      Result["energy_factor"] = Chosen.EnergyJ / Fast.EnergyJ;
    }
  }
  return Result;
}

Json TuneWriter::entry(const TunedEntry &Entry) const {
  Json Result = {
      {"entry", Entry.Entry}, {"function", Entry.Function}, {"bindings", jsonOf(Entry.Bindings)}};
  if (!Entry.Bounds.empty())
    Result["between"] = jsonOf(Entry.Bounds);
  if (!Entry.Defaults.empty())
    Result["defaults"] = jsonOf(Entry.Defaults);
  Json &Choices = Result["choices"] = Json::object();
  for (const auto &[Goal, Best] : Entry.Choices) {
    Json &Next = Choices[name(Goal)] = choice(Entry, Entry.Options, Best);
    if (auto Found = Entry.Costs.find(Best.Best); Found != Entry.Costs.end())
      addCost(Next, Found->second);
  }
  Result["race_to_halt"] = race(Entry);
  if (Entry.Costs.size() == Entry.Options.size()) {
    Json &Options = Result["options"] = Json::array();
    for (std::size_t I = 0; I != Entry.Options.size(); ++I) {
      const Option &O = Entry.Options[I];
      Json Next = option(Entry, O);
      addCost(Next, Entry.Costs.at(I));
      Next["edp_js"] = O.EnergyJ * O.TimeS;
      Next["ed2p_js2"] = O.EnergyJ * O.TimeS * O.TimeS;
      Next["allowed"] = O.IsAllowed;
      Next["pareto"] = O.IsOnFront;
      if (O.Setting < Entry.Balances.size() && Entry.Balances[O.Setting])
        Next["balance"] = balance(*Entry.Balances[O.Setting]);
      Options.push_back(std::move(Next));
    }
  }
  for (const TunedPart &Part : Entry.Parts) {
    Json Next = {{"name", Part.Name}};
    if (Part.Launches)
      Next["launches"] = *Part.Launches;
    if (Part.Best) {
      Next["choice"] = choice(Entry, Part.Options, *Part.Best);
      Next["time_s"] = Part.Options[Part.Best->Best].TimeS;
      Next["energy_j"] = Part.Options[Part.Best->Best].EnergyJ;
    }
    Result["parts"].push_back(std::move(Next));
  }
  if (!Entry.NotCovered.empty())
    Result["not_covered"] = Entry.NotCovered;
  Result["dram_is_requested"] = Entry.DramIsRequested;
  Result["unpriced"] = Entry.Unpriced;
  Result["untimed"] = Entry.Untimed;
  for (const SymbolEstimate &E : Entry.Estimates)
    Result["estimated"].push_back(jsonOf(E));
  return Result;
}

Json TuneWriter::plan(const TunedProgram &Program, const ClockPlan &Plan) const {
  Json Result = total(Plan.Total);
  Result["switches_at_most"] = Plan.Switches;
  if (Plan.Gap > 0)
    Result["gap"] = Plan.Gap;
  Json &Phases = Result["phases"] = Json::array();
  for (std::size_t Phase = 0; Phase != Plan.Settings.size(); ++Phase) {
    Json Parts = Json::array();
    for (std::size_t Part = 0; Part != Plan.Settings[Phase].size(); ++Part)
      Parts.push_back({{"name", Program.Parts[Phase][Part]},
                       {"setting", jsonOf(Written.Settings[Plan.Settings[Phase][Part]])}});
    Phases.push_back({{"base", jsonOf(Written.Settings[Plan.Bases[Phase]])}, {"parts", Parts}});
  }
  return Result;
}

Json TuneWriter::program(const TunedProgram &Program) const {
  Json Result = {
      {"switching", Program.Switch ? total(*Program.Switch) : Json(nullptr)},
      {"one_setting", plan(Program, Program.Whole)},
      {Program.Switch ? "best" : "best_if_switching_were_free", plan(Program, Program.Best)}};
  if (!Program.Switch && Program.Best.Switches > 0)
    Result["break_even_switch"] = {
        {Written.Goal == Objective::Energy ? "energy_j" : "time_s", Program.BreakEven}};
  return Result;
}

Json TuneWriter::document() const {
  Json Result = {
      {"schema", "ergon-tune/1"}, {"machine", Written.Machine}, {"objective", name(Written.Goal)}};
  if (Written.Limit.MaxSlowdown)
    Result["max_slowdown"] = *Written.Limit.MaxSlowdown;
  if (Written.Limit.PowerCapW)
    Result["power_cap_w"] = *Written.Limit.PowerCapW;
  addMeasured(Result, Written.Measured, Written.MeasureNext);
  if (const auto &Losses = Written.Losses) {
    const ChoiceLosses::WithRuns &With = Losses->with(Written.KnownSettings);
    Result["choice_losses"] = {
        {"workloads", Losses->Workloads}, {"model", With.Model},
        {"combined", With.Combined},      {"model_weight", With.ModelWeight},
        {"fastest", Losses->Fastest},     {"slowest", Losses->Slowest},
        {"fixed", Losses->Fixed},         {"fixed_setting", jsonOf(Losses->FixedSetting)}};
  }
  Json &Entries = Result["entries"] = Json::array();
  for (const TunedEntry &Entry : Written.Entries)
    Entries.push_back(entry(Entry));
  if (Written.Program)
    Result["program"] = program(*Written.Program);
  if (!Written.WhyNoProgram.empty())
    Result["why_no_program"] = Written.WhyNoProgram;
  Json &Unbound = Result["unbound"] = Json::object();
  for (const auto &[Function, Needs] : Written.Unbound)
    for (const Unknown &Need : Needs)
      Unbound[Function].push_back(Need.Symbol);
  if (!Written.LeftOut.empty())
    Result["left_out"] = Written.LeftOut;
  Result["commands"] = Written.Commands;
  if (!Written.WhyNoCommands.empty())
    Result["why_no_commands"] = Written.WhyNoCommands;
  return Result;
}

std::string writeTune(const TuneDocument &Document) {
  return TuneWriter{Document}.document().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ergon
