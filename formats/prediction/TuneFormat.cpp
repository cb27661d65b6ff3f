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
  const TuneDocument &Of;

  Json option(const TunedEntry &Entry, const Option &One) const;
  Json choice(const TunedEntry &Entry, const std::vector<Option> &Options,
              const Choice &Best) const;
  Json race(const TunedEntry &Entry) const;
  Json entry(const TunedEntry &Entry) const;
  Json plan(const TunedProgram &Program, const ClockPlan &Plan) const;
  Json program(const TunedProgram &Program) const;
  Json document() const;
};
} // namespace

static Json total(const TimeEnergy &Of) { return {{"time_s", Of.TimeS}, {"energy_j", Of.EnergyJ}}; }

static Json balance(const Balance &Of) {
  return {{"class", Of.Class},
          {"intensity", std::isfinite(Of.Intensity) ? Json(Of.Intensity) : Json(nullptr)},
          {"time", Of.Time},
          {"effective", Of.Effective},
          {"energy_point", Of.EnergyPoint},
          {"favours_racing", Of.favoursRacing()}};
}

Json TuneWriter::option(const TunedEntry &Entry, const Option &One) const {
  Json Result = Json::object();
  if (!Entry.Candidates[One.Candidate].empty())
    Result["candidate"] = Entry.Candidates[One.Candidate];
  Result["setting"] = jsonOf(Of.Settings[One.Setting]);
  return Result;
}

Json TuneWriter::choice(const TunedEntry &Entry, const std::vector<Option> &Options,
                        const Choice &Best) const {
  Json Result = option(Entry, Options[Best.Best]);
  if (Best.Second) {
    Result["second"] = option(Entry, Options[*Best.Second]);
    Result["ahead"] = Best.Ahead;
  }
  const auto Certain = Best.isCertain();
  Result["certain"] = Certain ? Json(*Certain) : Json(nullptr);
  // For many functions only the nearest rivals are listed, and no options.
  constexpr std::size_t MostOfMany = 5;
  const bool IsOneOfMany = Entry.Costs.size() != Entry.Options.size();
  const std::size_t Shown =
      IsOneOfMany ? std::min(MostOfMany, Best.Rivals.size()) : Best.Rivals.size();
  Json &Rivals = Result["rivals"] = Json::array();
  for (const Rival &Each : std::span(Best.Rivals).first(Shown)) {
    Json Next = option(Entry, Options[Each.Option]);
    Next["worse"] = Each.Worse;
    Next["error"] = Each.Error;
    Next["by_counts"] = Each.ByCounts;
    Rivals.push_back(std::move(Next));
  }
  if (Shown != Best.Rivals.size())
    Result["more_rivals"] = Best.Rivals.size() - Shown;
  Result["error_not_stated"] = Best.ErrorNotStated;
  return Result;
}

static void addCost(Json &Into, const CostIntervals &Of) {
  Into["time_s"] = jsonOf(Of.TimeS);
  Into["energy_j"] = jsonOf(Of.EnergyJ);
  Into["power_w"] = jsonOf(Of.PowerW);
}

Json TuneWriter::race(const TunedEntry &Entry) const {
  const Option &Fast = Entry.Options[Entry.Fastest];
  Json Result = option(Entry, Fast);
  addCost(Result, Entry.Costs.at(Entry.Fastest));
  Result["allowed"] = Fast.IsAllowed;
  if (auto Best = Entry.Choices.find(Of.By); Best != Entry.Choices.end()) {
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
  if (!Entry.Between.empty())
    Result["between"] = jsonOf(Entry.Between);
  if (!Entry.Defaults.empty())
    Result["defaults"] = jsonOf(Entry.Defaults);
  Json &Choices = Result["choices"] = Json::object();
  for (const auto &[By, Best] : Entry.Choices) {
    Json &Next = Choices[name(By)] = choice(Entry, Entry.Options, Best);
    if (auto Found = Entry.Costs.find(Best.Best); Found != Entry.Costs.end())
      addCost(Next, Found->second);
  }
  Result["race_to_halt"] = race(Entry);
  if (Entry.Costs.size() == Entry.Options.size()) {
    Json &Options = Result["options"] = Json::array();
    for (std::size_t I = 0; I != Entry.Options.size(); ++I) {
      const Option &One = Entry.Options[I];
      Json Next = option(Entry, One);
      addCost(Next, Entry.Costs.at(I));
      Next["edp_js"] = One.EnergyJ * One.TimeS;
      Next["ed2p_js2"] = One.EnergyJ * One.TimeS * One.TimeS;
      Next["allowed"] = One.IsAllowed;
      Next["pareto"] = One.IsOnFront;
      if (One.Setting < Entry.Balances.size() && Entry.Balances[One.Setting])
        Next["balance"] = balance(*Entry.Balances[One.Setting]);
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
  Result["unpriced"] = Entry.Unpriced;
  Result["untimed"] = Entry.Untimed;
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
                       {"setting", jsonOf(Of.Settings[Plan.Settings[Phase][Part]])}});
    Phases.push_back({{"base", jsonOf(Of.Settings[Plan.Bases[Phase]])}, {"parts", Parts}});
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
        {Of.By == Objective::Energy ? "energy_j" : "time_s", Program.BreakEven}};
  return Result;
}

Json TuneWriter::document() const {
  Json Result = {{"schema", "ergon-tune/1"}, {"machine", Of.Machine}, {"objective", name(Of.By)}};
  if (Of.Within.MaxSlowdown)
    Result["max_slowdown"] = *Of.Within.MaxSlowdown;
  if (Of.Within.PowerCapW)
    Result["power_cap_w"] = *Of.Within.PowerCapW;
  Json &Entries = Result["entries"] = Json::array();
  for (const TunedEntry &Each : Of.Entries)
    Entries.push_back(entry(Each));
  if (Of.Program)
    Result["program"] = program(*Of.Program);
  if (!Of.WhyNoProgram.empty())
    Result["why_no_program"] = Of.WhyNoProgram;
  Json &Unbound = Result["unbound"] = Json::object();
  for (const auto &[Function, Needs] : Of.Unbound)
    for (const Unknown &Each : Needs)
      Unbound[Function].push_back(Each.Symbol);
  if (!Of.LeftOut.empty())
    Result["left_out"] = Of.LeftOut;
  Result["commands"] = Of.Commands;
  if (!Of.WhyNoCommands.empty())
    Result["why_no_commands"] = Of.WhyNoCommands;
  return Result;
}

std::string writeTune(const TuneDocument &Document) {
  return TuneWriter{Document}.document().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ergon
