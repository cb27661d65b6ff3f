//===- CommandTune.cpp - ergon tune ---------------------------------------===//

#include "formats/json/TextFile.h"
#include "predict/store/MachineStore.h"
#include "predict/text/Text.h"
#include "predict/tune/TuneEntries.h"
#include "tools/base/OpenedProgram.h"
#include "tools/base/OwnMachine.h"
#include "tools/tune/MeasuredTuning.h"
#include "tools/tune/TuneLabels.h"
#include "tools/tune/TuneOptions.h"
#include "tools/tune/TunePlot.h"
#include "tools/view/EstimatesView.h"
#include "tools/view/MeasuredView.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {

static std::string percent(double Share) { return fmt::format("{:.2g} %", 100 * Share); }

static void printCertainty(const TuneDocument &Document, const TunedEntry &Entry,
                           const std::vector<Option> &Options, const Choice &Best) {
  if (Best.Second)
    fmt::print("           best by {} over {}\n", percent(Best.Ahead),
               label(Document, Entry, Options[*Best.Second]));
  if (Best.ByModel != Best.Best)
    fmt::print(
        "           chosen with what programs need in the mean; the model alone would choose {}\n",
        label(Document, Entry, Options[Best.ByModel]));
  constexpr std::size_t MostNamed = 5;
  std::vector<std::string> Texts, ByCounts;
  for (const Rival &R : Best.Rivals) {
    const std::string Worse = R.Worse == 0 ? "the same" : fmt::format("{} more", percent(R.Worse));
    const std::string Error =
        R.Error > 0 ? fmt::format(" ± {}", percent(Deviations95 * R.Error)) : "";
    (R.ByCounts ? ByCounts : Texts)
        .push_back(
            fmt::format("{} ({}{})", label(Document, Entry, Options[R.Option]), Worse, Error));
  }
  auto List = [&](std::vector<std::string> Names) {
    const std::size_t More = Names.size() - std::min(Names.size(), MostNamed);
    Names.resize(Names.size() - More);
    return joined(Names) + (More ? fmt::format(" and {} more", More) : "");
  };
  if (!Texts.empty())
    fmt::print("           not certain: within error of {}\n", List(std::move(Texts)));
  if (!ByCounts.empty())
    fmt::print("           not certain: for other counts that are possible, better may be {}\n",
               List(std::move(ByCounts)));
  if (keepsDefault(Options, Best, Document.Default))
    fmt::print("           the default, {}, is among these: no reason to leave it\n",
               clocks(Document, Document.Default));
  if (!Best.ErrorNotStated.empty())
    fmt::print("           {}the profile states no error of {}\n",
               Best.Rivals.empty() ? "how certain is not known: " : "besides, ",
               joined(Best.ErrorNotStated));
  else if (Best.Rivals.empty() && Best.Second)
    fmt::print("           certain, by the errors that the profile states\n");
}

static void printRace(const TuneDocument &Document, const TunedEntry &Entry) {
  const Option &Fast = Entry.Options[Entry.Fastest];
  const Option &Best = Entry.Options[Entry.Choices.at(Document.Goal).Best];
  fmt::print("  race     to halt is {}: {}, {}\n", label(Document, Entry, Fast),
             quantity(Fast.TimeS, "s"), quantity(Fast.EnergyJ, "J"));
  const Choice &Energy = Entry.Choices.at(Objective::Energy);
  const Option &Frugal = Entry.Options[Energy.Best];
  const bool IsRight = Frugal.EnergyJ == Fast.EnergyJ;
  if (!IsRight && Fast.EnergyJ > 0 && Fast.TimeS > 0)
    fmt::print("           the best takes {:.4g} of its energy and {:.4g} of its time\n",
               Best.EnergyJ / Fast.EnergyJ, Best.TimeS / Fast.TimeS);
  // What slowing down saves of the energy of operations, and what it adds by taking longer.
  if (!IsRight || Energy.Second) {
    const Option &Slow = IsRight ? Entry.Options[*Energy.Second] : Frugal;
    auto Constant = [](const Option &O) { return O.EnergyJ - O.DynamicJ; };
    fmt::print("           {} for energy: at {} operations take {}, not {}; constant power {}, "
               "not {}\n",
               IsRight ? "right" : "wrong", label(Document, Entry, Slow),
               quantity(Slow.DynamicJ, "J"), quantity(Fast.DynamicJ, "J"),
               quantity(Constant(Slow), "J"), quantity(Constant(Fast), "J"));
  }
  if (Fast.Setting >= Entry.Balances.size() || !Entry.Balances[Fast.Setting])
    return;
  const Balance &B = *Entry.Balances[Fast.Setting];
  fmt::print("           B_τ = {:.3g} {} B̂_ε = {:.3g} flop/B ({}): at fixed clocks, time saved {} "
             "energy saved\n",
             B.Time, B.favoursRacing() ? ">" : "≤", B.EnergyPoint, B.Class,
             B.favoursRacing() ? "is" : "need not be");
  fmt::print(
      "           the run's I is {:.3g}, its B̂_ε(I) {:.3g}: it is bound by {} in time, by {} "
      "in energy\n",
      B.Intensity, B.Effective, B.Intensity < B.Time ? "memory" : "compute",
      B.Intensity < B.EnergyPoint ? "memory" : "compute");
}

/// What rules that need no model would cost, for this program and for those of the fit.
static void printRules(const TuneDocument &Document, const TunedEntry &Entry) {
  if (Document.Goal != Objective::Energy)
    return;
  const Option &Best = Entry.Options[Entry.Choices.at(Document.Goal).Best];
  auto Rule = [&](const std::string &Name, const Option &O) {
    return fmt::format("{}, {}, {:+.2g} % energy", Name, clocks(Document, O.Setting),
                       100 * (O.EnergyJ / Best.EnergyJ - 1));
  };
  if (Best.EnergyJ > 0)
    fmt::print("  rules    always {}; {}", Rule("the fastest", Entry.Options[Entry.Fastest]),
               Rule("the slowest", Entry.Options[slowest(Document, Entry)]));
  const auto &Losses = Document.Losses;
  if (const auto Fixed = fixedByFit(Document, Entry))
    fmt::print("; {}", Rule("what was best for the fitted programs", Entry.Options[*Fixed]));
  fmt::print("\n");
  if (Losses) {
    const ChoiceLosses::WithRuns &With = Losses->with(Document.KnownSettings);
    fmt::print("           {} programs that a fit did not see lost {} by such a choice, {} by the "
               "model's alone, {} by the fastest, {} by the slowest, {} by what was best for the "
               "others\n",
               Losses->Workloads, percent(With.Combined), percent(With.Model),
               percent(Losses->Fastest), percent(Losses->Slowest), percent(Losses->Fixed));
  }
}

static void printOthers(const TuneDocument &Document, const TunedEntry &Entry) {
  fmt::print("  others  ");
  for (const auto &[Choice, Best] : Entry.Choices)
    if (Choice != Document.Goal)
      fmt::print(" {}: {}", figureName(Choice), label(Document, Entry, Entry.Options[Best.Best]));
  fmt::print("\n");
}

static void printTable(const TuneDocument &Document, const TunedEntry &Entry) {
  constexpr std::size_t MostRows = 24;
  const bool FrontOnly = Entry.Options.size() > MostRows;
  fmt::print("  {} (* best, f front of time and energy, r race to halt, - outside of the limits)\n",
             FrontOnly ? fmt::format("front of {} ways to run", Entry.Options.size())
                       : "all ways to run");
  fmt::print("     {:>16} {:>12} {:>12} {:>11} {:>11}  I {:>8} {:>8}\n", "core/mem", "time",
             "energy", "power", "E·T", "B_τ", "B̂_ε");
  const std::size_t Best = Entry.Choices.at(Document.Goal).Best;
  for (std::size_t I = 0; I != Entry.Options.size(); ++I) {
    const Option &O = Entry.Options[I];
    if (FrontOnly && !O.IsOnFront && I != Best && I != Entry.Fastest)
      continue;
    std::string Balances;
    if (O.Setting < Entry.Balances.size() && Entry.Balances[O.Setting]) {
      const Balance &B = *Entry.Balances[O.Setting];
      Balances = fmt::format("{} {:>8.3g} {:>7.3g}", B.Intensity < B.Time ? "<" : "≥", B.Time,
                             B.EnergyPoint);
    }
    fmt::print("  {}{}{}{} {:>15} {:>12} {:>12} {:>11} {:>11}  {}{}\n", I == Best ? '*' : ' ',
               O.IsOnFront ? 'f' : ' ', I == Entry.Fastest ? 'r' : ' ', O.IsAllowed ? ' ' : '-',
               clocks(Document, O.Setting), quantity(O.TimeS, "s"), quantity(O.EnergyJ, "J"),
               quantity(O.TimeS > 0 ? O.EnergyJ / O.TimeS : 0, "W"),
               quantity(O.EnergyJ * O.TimeS, "Js"), Balances,
               Entry.Candidates[O.Candidate].empty() ? "" : "  " + Entry.Candidates[O.Candidate]);
  }
}

static void printParts(const TuneDocument &Document, const TunedEntry &Entry) {
  if (Entry.Parts.size() < 2)
    return;
  fmt::print("  each part by itself\n");
  for (const TunedPart &Part : Entry.Parts) {
    fmt::print("    {}{}: ", Part.Name,
               Part.Launches ? fmt::format(", launched {:g} times", *Part.Launches) : "");
    if (!Part.Best) {
      fmt::print("no setting is within the limits\n");
      continue;
    }
    const Option &O = Part.Options[Part.Best->Best];
    fmt::print("{}, {}, {}\n", clocks(Document, O.Setting), quantity(O.TimeS, "s"),
               quantity(O.EnergyJ, "J"));
    printCertainty(Document, Entry, Part.Options, *Part.Best);
  }
}

static void printNotes(const TunedEntry &Entry) {
  if (Entry.Candidates.size() > 1) {
    const std::size_t PerCandidate = Entry.Options.size() / Entry.Candidates.size();
    bool Differ = false;
    for (std::size_t I = PerCandidate; I != Entry.Options.size(); ++I)
      Differ |= Entry.Options[I].TimeS != Entry.Options[I % PerCandidate].TimeS ||
                Entry.Options[I].EnergyJ != Entry.Options[I % PerCandidate].EnergyJ;
    if (!Differ)
      fmt::print("  what is tried changes nothing that the model counts: time and energy are the "
                 "same for all of it\n");
  }
  if (Entry.DramIsRequested)
    fmt::print(
        "  bytes_dram is all that is requested, as no caches are known that may keep a part of "
        "it: give it with --set bytes_dram=…\n");
  if (!Entry.Unpriced.empty())
    fmt::print("  without an energy in the profile, so not in the energy: {}\n",
               joined(Entry.Unpriced));
  if (!Entry.Untimed.empty())
    fmt::print("  without a throughput in the profile, so not in the time: {}\n",
               joined(Entry.Untimed));
  if (!Entry.NotCovered.empty())
    fmt::print("  not in time and energy, as the profile is of the processor that runs the "
               "kernels: {}\n",
               joined(Entry.NotCovered));
}

/// Whether to leave the default, in one line; nothing where there is nothing to choose.
static void printAdvice(const TuneDocument &Document, const TunedEntry &Entry, const Choice &Best) {
  if (Entry.Options.size() < 2)
    return;
  const Option &Chosen = Entry.Options[Best.Best];
  const Option &Default = Entry.Options[atDefault(Document, Entry)];
  const bool Keeps = keepsDefault(Entry.Options, Best, Document.Default);
  if (Chosen.Setting == Default.Setting && Chosen.Candidate == Default.Candidate)
    fmt::print("  advice   keep the default, {}\n", label(Document, Entry, Default));
  else if (Default.EnergyJ > 0 && Default.TimeS > 0)
    fmt::print("  advice   {}{}: {:+.1f} % energy, {:+.1f} % time against the default{}\n",
               Keeps ? "keep the default, " + label(Document, Entry, Default) + ", or try "
                     : std::string(),
               label(Document, Entry, Chosen), 100 * (Chosen.EnergyJ / Default.EnergyJ - 1),
               100 * (Chosen.TimeS / Default.TimeS - 1), Keeps ? ", which is within error" : "");
}

static void printEntry(const TuneDocument &Document, const TunedEntry &Entry) {
  fmt::print("{}", heading(Document, Entry));
  if (Document.Limit.MaxSlowdown)
    fmt::print(", at most {:g} % slower than the fastest", 100 * *Document.Limit.MaxSlowdown);
  if (Document.Limit.PowerCapW)
    fmt::print(", at most {:g} W", *Document.Limit.PowerCapW);
  if (!Entry.Estimates.empty())
    fmt::print("\n  {} unknown{} estimated", Entry.Estimates.size(),
               Entry.Estimates.size() == 1 ? " is" : "s are");
  const Choice &Best = Entry.Choices.at(Document.Goal);
  fmt::print("\n");
  printAdvice(Document, Entry, Best);
  const CostIntervals &Cost = Entry.Costs.at(Best.Best);
  fmt::print("  best     {}\n           time {}\n           energy {}\n           power {}\n",
             label(Document, Entry, Entry.Options[Best.Best]), interval(Cost.TimeS, "s"),
             interval(Cost.EnergyJ, "J"), interval(Cost.PowerW, "W"));
  if (Document.Limit.PowerCapW && Cost.PowerW.High > *Document.Limit.PowerCapW)
    fmt::print("           it may draw more than {:g} W\n", *Document.Limit.PowerCapW);
  printCertainty(Document, Entry, Entry.Options, Best);
  printMeasured(Document.Measured, Document.MeasureNext);
  if (Entry.Options.size() > 1) {
    printRace(Document, Entry);
    printRules(Document, Entry);
    printOthers(Document, Entry);
    printTable(Document, Entry);
  } else {
    fmt::print("  the profile has one setting: there is nothing to choose\n");
  }
  printParts(Document, Entry);
  printNotes(Entry);
  printEstimates(Entry.Estimates);
}

static void printPlan(const TuneDocument &Document, const TunedProgram &Program,
                      const ClockPlan &Plan) {
  for (std::size_t Phase = 0; Phase != Plan.Settings.size(); ++Phase)
    for (std::size_t Part = 0; Part != Plan.Settings[Phase].size(); ++Part)
      fmt::print("             {}: {}\n", Program.Parts[Phase][Part],
                 clocks(Document, Plan.Settings[Phase][Part]));
}

static void printProgram(const TuneDocument &Document, const TunedProgram &Program) {
  const ClockPlan &Whole = Program.Whole, &Best = Program.Best;
  auto Total = [](const ClockPlan &Plan) {
    return quantity(Plan.Total.TimeS, "s") + ", " + quantity(Plan.Total.EnergyJ, "J");
  };
  fmt::print("program: one setting for all of it is {}: {}\n",
             clocks(Document, Whole.Bases.front()), Total(Whole));
  if (Best.Switches == 0) {
    fmt::print("  {}\n",
               Program.Switch ? "switching does not pay" : "no part is better at another setting");
    return;
  }
  const Figure F = figure(Document.Goal);
  const double Saved = 1 - figureOf(Best.Total.EnergyJ, Best.Total.TimeS, F) /
                               figureOf(Whole.Total.EnergyJ, Whole.Total.TimeS, F);
  if (Program.Switch) {
    fmt::print(
        "  a setting for each part: {}, {} less {}, with at most {:g} switches of {} and {}\n",
        Total(Best), percent(Saved), figureName(Document.Goal), Best.Switches,
        quantity(Program.Switch->TimeS, "s"), quantity(Program.Switch->EnergyJ, "J"));
  } else {
    fmt::print("  what switching takes is not known (--switch-time, --switch-energy, or the "
               "profile's `switching`)\n");
    fmt::print(
        "  for nothing a setting for each part: {}, {} less {}, with at most {:g} switches\n",
        Total(Best), percent(Saved), figureName(Document.Goal), Best.Switches);
    fmt::print("  it pays where a switch takes less than {}\n",
               quantity(Program.BreakEven, Document.Goal == Objective::Energy ? "J" : "s"));
  }
  printPlan(Document, Program, Best);
  if (Best.Gap > 0)
    fmt::print("  a better plan may be there, by at most {}\n", percent(Best.Gap));
}

static void printCommands(const TuneDocument &Document) {
  if (!Document.WhyNoCommands.empty())
    fmt::print("no commands: {}\n", Document.WhyNoCommands);
  for (const std::string &Command : Document.Commands)
    fmt::print("{}{}\n",
               &Command == &Document.Commands.front() ? "commands for one setting, not run: "
                                                      : "  ",
               Command);
}

/// A line for each function.
static void printAll(const TuneDocument &Document) {
  fmt::print("least {} on {}\n", figureName(Document.Goal), Document.Machine);
  for (const TunedEntry &Entry : Document.Entries) {
    const Choice &Best = Entry.Choices.at(Document.Goal);
    const Option &O = Entry.Options[Best.Best], &Fast = Entry.Options[Entry.Fastest];
    const auto Certain = Best.isCertain();
    fmt::print(
        "  {}: {}, {}, {}{}{}{}\n", Entry.Function, label(Document, Entry, O),
        quantity(O.TimeS, "s"), quantity(O.EnergyJ, "J"),
        Fast.EnergyJ > 0 ? fmt::format(", {:.4g} of the fastest's", O.EnergyJ / Fast.EnergyJ) : "",
        !Certain   ? ""
        : *Certain ? ", certain"
                   : ", not certain",
        Entry.Estimates.empty() ? "" : fmt::format(", {} estimated", Entry.Estimates.size()));
  }
  for (const auto &[Function, Needs] : Document.Unbound) {
    std::vector<std::string> Symbols;
    for (const Unknown &Need : Needs)
      Symbols.push_back(Need.Symbol);
    fmt::print("  {}: needs {}\n", Function, joined(Symbols));
  }
  for (const auto &[Function, Why] : Document.LeftOut)
    fmt::print("  {}: left out, {}\n", Function, Why);
}

/// What the program makes of its arguments, and the values of --set.
static std::expected<std::vector<GivenValue>, Error> valuesOfProgram(const TuneOptions &Options,
                                                                     const std::string &Machine) {
  PredictOptions Program;
  Program.Entry = Options.Entry;
  Program.Sets = Options.Sets;
  Program.Arguments = Options.Arguments;
  Program.Machine = Machine;
  auto Opened = openProgram(std::move(Program));
  if (!Opened)
    return std::unexpected(Opened.error());
  return Opened->Entry->values();
}

static std::expected<TuneDocument, Error> tune(const TuneOptions &Options) {
  if (Options.Arguments && (Options.All || !Options.Entries.empty()))
    return std::unexpected(Error{"arguments are of a program", "",
                                 "leave --entry and --all out, or say values with --set",
                                 "--args"});
  const auto Name = someMachineOrOwn(Options.Machine);
  const auto M = Name ? loadMachine(*Name) : std::unexpected(Name.error());
  if (!M)
    return std::unexpected(M.error());
  if (auto Bad = refuseData(*M))
    return std::unexpected(*Bad);
  auto Records = openRecords(Options.Entry);
  if (!Records)
    return std::unexpected(Records.error());
  auto Query = readTuneOptions(Options);
  if (!Query)
    return std::unexpected(Query.error());
  if (!Options.All && Options.Entries.empty())
    Query->Entries = {"main"};
  if (Options.Arguments) {
    auto Values = valuesOfProgram(Options, *Name);
    if (!Values)
      return std::unexpected(Values.error());
    Query->Values = std::move(*Values);
  }
  if (!Options.Measured.empty()) {
    auto Runs = readMeasured(Options.Measured, *M,
                             Options.Entries.size() == 1 ? Options.Entries.front() : "");
    if (!Runs)
      return std::unexpected(Runs.error());
    Query->Measured = std::move(*Runs);
  }
  return Options.Measure ? tuneMeasured(Options, *M, std::move(*Query), **Records)
                         : tune(*Query, *M, **Records);
}

int runTune(const TuneOptions &Options) {
  auto Document = tune(Options);
  if (!Document)
    return complain(Document.error());
  noticeDoubts(Document->Measured);
  if (Options.Json) {
    fmt::print("{}", writeTune(*Document));
  } else if (Options.All) {
    printAll(*Document);
  } else {
    for (const TunedEntry &Entry : Document->Entries)
      printEntry(*Document, Entry);
    if (Document->Program)
      printProgram(*Document, *Document->Program);
    if (!Document->WhyNoProgram.empty())
      fmt::print("program: {}\n", Document->WhyNoProgram);
    if (!Document->Entries.empty())
      printCommands(*Document);
  }
  // After the answer: a program may have run for it.
  if (!Options.Svg.empty() && !Document->Entries.empty())
    if (auto Written = writeTextFile(Options.Svg, toSvg(tunePlots(*Document))); !Written)
      return complain(Written.error());
  if (Document->Unbound.empty() || (Options.All && !Document->Entries.empty()))
    return Done;
  if (!Options.All)
    for (const auto &[Function, Needs] : Document->Unbound)
      reportUnbound(Function, Needs);
  return UnboundSymbols;
}

} // namespace ergon
