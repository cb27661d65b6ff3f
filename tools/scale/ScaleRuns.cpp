//===- ScaleRuns.cpp - scaling that measured runs tell --------------------===//

#include "tools/scale/ScaleRuns.h"
#include "formats/cluster/ScalingRunsFormat.h"
#include "model/machine/PlausibleRanges.h"
#include "predict/store/ParsedFile.h"
#include "tools/base/NumberList.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace ergon {

bool ScaledRunsDocument::hasEnergies() const {
  return std::ranges::any_of(
      Points, [](const ScaledPoint &Point) { return Point.Value && Point.Value->EnergyJ; });
}

static constexpr std::size_t MostRuns = 1000;

/// Processors of a node: of the machine, else as the runs on several nodes have it; infinity where
/// all are on one.
static std::expected<double, Error> perNodeOf(const std::string &File, const ScalingRuns &Runs,
                                              std::optional<double> Stated) {
  double Fullest = 0;
  bool AreSeveral = false;
  for (const ScalingRun &Run : Runs) {
    const double Nodes = Run.Nodes.value_or(1);
    Fullest = std::max(Fullest, Run.P / Nodes);
    AreSeveral |= Nodes > 1;
    if (Stated && Run.Nodes && Run.P > *Stated * Nodes)
      return std::unexpected(Error{
          fmt::format("{:g} processors on {:g} nodes, of which each has {:g}", Run.P, Nodes,
                      *Stated),
          fmt::format("line {}", Run.Line), "correct the table, or --processors-per-node", File});
  }
  if (Stated)
    return *Stated;
  return AreSeveral ? std::ceil(Fullest) : std::numeric_limits<double>::infinity();
}

/// The numbers that are asked for, which must be measured ones; all measured ones without.
static std::expected<std::set<double>, Error> selected(const std::string &Option,
                                                       const std::string &List, bool Whole,
                                                       const std::set<double> &Measured) {
  if (List.empty())
    return Measured;
  const auto Numbers = parseNumberList(Option, List, Whole);
  if (!Numbers)
    return std::unexpected(Numbers.error());
  for (const double Number : *Numbers)
    if (!Measured.contains(Number))
      return std::unexpected(Error{fmt::format("no run was measured at {:.15g}", Number), "",
                                   fmt::format("runs are at {:.15g}", fmt::join(Measured, ", ")),
                                   Option});
  return std::set(Numbers->begin(), Numbers->end());
}

namespace {
/// Fills a document from the runs of a clock.
struct RunsAtClock {
  ScaledRunsDocument &Document;
  ScalingRuns Runs;
  std::optional<double> Mhz;
  double PerNode;
  MeasuredScaling::TimeLaw Law;

  void add(const std::string &Workload, const std::set<double> &Ns, const std::vector<double> &Ps);
  void addLeftOut();
};
} // namespace

/// That of \p Here on \p On beside \p Alone on one processor.
static std::optional<double> efficiency(const std::optional<MeanRun> &Alone,
                                        const std::optional<MeanRun> &Here, const Processors &On,
                                        bool IsEnergy) {
  if (!Alone || !Here)
    return std::nullopt;
  const auto One = Alone->cost(Processors(), IsEnergy), All = Here->cost(On, IsEnergy);
  return One && All ? std::optional(*One / *All) : std::nullopt;
}

void RunsAtClock::add(const std::string &Workload, const std::set<double> &Ns,
                      const std::vector<double> &Ps) {
  const MeasuredScaling Model(runsFor(Workload, Runs), PerNode, Law);
  for (const double N : Ns) {
    const ScalingSeries Series{Workload, N};
    std::set<Processors> Measured, All;
    for (const ScalingRun &Run : Runs)
      if (Series.has(Run))
        Measured.insert(processorsOf(Run, PerNode));
    if (Measured.empty())
      continue;
    if (Ps.empty())
      All = Measured;
    for (const double P : Ps) {
      // As it was measured, else as nodes are filled.
      std::ranges::copy_if(Measured, std::inserter(All, All.end()),
                           [&](const Processors &On) { return On.P == P; });
      if (std::ranges::none_of(All, [&](const Processors &On) { return On.P == P; }))
        All.insert(processorsOf(P, PerNode));
    }
    const auto Alone = meanRun(Runs, Series, Processors(), PerNode);
    for (const Processors &On : All) {
      const auto Mean = meanRun(Runs, Series, On, PerNode);
      Document.Points.push_back({Series, Mhz, On, Mean, Model.at(Series, On),
                                 efficiency(Alone, Mean, On, /*IsEnergy=*/true),
                                 efficiency(Alone, Mean, On, /*IsEnergy=*/false)});
    }
    if (!Document.KeepEe)
      continue;
    auto Efficiency = [&](double P) -> std::optional<double> {
      const auto Found = Model.at(Series, processorsOf(P, PerNode));
      if (!Found)
        return std::nullopt;
      return Found->knownEfficiency().Value;
    };
    Document.Kept.push_back(
        {Series, Mhz, rangesThatKeep(*Document.KeepEe, Document.MaxP, Efficiency)});
  }
}

void RunsAtClock::addLeftOut() {
  for (LeftOutRun &Case : leaveOutProcessors(Runs, PerNode, Law))
    Document.LeftOut.push_back({Mhz, std::move(Case)});
}

/// Runs of one program on the same processors that differ by more than measurements do.
static std::vector<std::string> differingRepeats(const ScalingRuns &Runs, double PerNode) {
  struct Seen {
    std::vector<std::size_t> Lines;
    double Least = std::numeric_limits<double>::infinity(), Most = 0;
  };
  std::map<std::tuple<std::string, double, std::optional<double>, Processors>, Seen> All;
  for (const ScalingRun &Run : Runs) {
    Seen &Same = All[{Run.Workload, Run.N, Run.Mhz, processorsOf(Run, PerNode)}];
    Same.Lines.push_back(Run.Line);
    Same.Least = std::min(Same.Least, Run.TimeS);
    Same.Most = std::max(Same.Most, Run.TimeS);
  }
  std::vector<std::string> Result;
  for (const auto &[Key, Same] : All)
    if (Same.Most > RepeatFactor * Same.Least)
      Result.push_back(fmt::format(
          "repeats-differ: lines {}: runs on the same processors take {:.4g} to {:.4g} s, and "
          "their mean is taken",
          fmt::join(Same.Lines, ", "), Same.Least, Same.Most));
  return Result;
}

std::expected<ScaledRunsDocument, Error> scaleRuns(const ScaleOptions &Options,
                                                   std::optional<double> PerNode,
                                                   const std::optional<VectorLaw> &Law) {
  auto Runs = parseFile(Options.Runs, parseScalingRuns);
  if (!Runs)
    return std::unexpected(Runs.error());
  std::map<std::optional<double>, ScalingRuns> ByClock;
  std::set<double> Clocks, Sizes;
  std::vector<std::string> Workloads;
  double MostP = 1;
  for (const ScalingRun &Run : *Runs) {
    ByClock[Run.Mhz].push_back(Run);
    if (Run.Mhz)
      Clocks.insert(*Run.Mhz);
    Sizes.insert(Run.N);
    if (std::ranges::find(Workloads, Run.Workload) == Workloads.end())
      Workloads.push_back(Run.Workload);
    MostP = std::max(MostP, Run.P);
  }
  if (Law && Workloads.size() > 1)
    return std::unexpected(Error{fmt::format("{} programs, where one has a vector: {}",
                                             Workloads.size(), fmt::join(Workloads, ", ")),
                                 "", "leave the others, or the vector, out", Options.Runs});
  if (Law && Sizes == std::set{1.0})
    return std::unexpected(Error{"all runs are of n = 1, and the vector is of a problem size n", "",
                                 "give the table a column n", Options.Runs});
  const auto Shared = perNodeOf(Options.Runs, *Runs, PerNode);
  if (!Shared)
    return std::unexpected(Shared.error());
  const auto ChosenClocks = selected("--core-mhz", Options.CoreMhz, /*Whole=*/false, Clocks);
  const auto ChosenSizes = selected("-n", Options.N, /*Whole=*/true, Sizes);
  for (const auto *Chosen : {&ChosenClocks, &ChosenSizes})
    if (!*Chosen)
      return std::unexpected(Chosen->error());
  std::vector<double> Ps;
  if (!Options.P.empty()) {
    auto Parsed = parseNumberList("-p", Options.P, /*Whole=*/true);
    if (!Parsed)
      return std::unexpected(Parsed.error());
    Ps = std::move(*Parsed);
  }
  ScaledRunsDocument Result{.File = Options.Runs,
                            .Runs = Runs->size(),
                            .Law = Law ? Law->Name : "",
                            .KeepEe = Options.KeepEe,
                            // Much farther, runs say nothing.
                            .MaxP = std::min(double(Options.MaxP), 16 * MostP)};
  Result.Notes = differingRepeats(*Runs, *Shared);
  for (auto &[Mhz, Group] : ByClock) {
    if (!Options.CoreMhz.empty() && !(Mhz && ChosenClocks->contains(*Mhz)))
      continue;
    if (Group.size() > MostRuns)
      return std::unexpected(Error{fmt::format("{} runs at one clock", Group.size()), "",
                                   fmt::format("give {} or fewer", MostRuns), Options.Runs});
    RunsAtClock Here{Result, std::move(Group), Mhz, *Shared, {}};
    if (Law)
      Here.Law = [&Law, Mhz](const ScalingSeries &Series, double P) {
        return Law->Time(Series.N, P, Mhz);
      };
    for (const std::string &Workload : Workloads)
      Here.add(Workload, *ChosenSizes, Ps);
    Here.addLeftOut();
  }
  if (std::isinf(*Shared) && std::ranges::any_of(Ps, [&](double P) { return P > MostP; }))
    Result.Notes.push_back("all processors are taken to be on one node; say how many one has with "
                           "--processors-per-node");
  if (!Result.hasEnergies())
    Result.Notes.push_back("no run has an energy: efficiencies are those of time");
  return Result;
}

} // namespace ergon
