//===- TrafficView.cpp - traffic as text ----------------------------------===//

#include "tools/predict/TrafficView.h"
#include "predict/text/Text.h"
#include "tools/view/CacheView.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ergon {

/// So many lines are shown of each level.
static constexpr std::size_t TopLines = 3;

static std::string geometry(const CacheHierarchy &Hierarchy) {
  std::vector<std::string> Levels;
  for (const CacheLevel &Level : Hierarchy)
    Levels.push_back(
        fmt::format("{} {} of {} ways", Level.Name, capacity(Level.Bytes), Level.Ways));
  return fmt::format("{}, lines of {} B", fmt::join(Levels, ", "), Hierarchy.front().LineBytes);
}

static std::string lines(double Count, const char *What) {
  return Count > 0 ? fmt::format(", {:.6g} {}", Count, What) : "";
}

/// `, W/Q 0.25 flop/B`, where there is work.
static std::string ratio(const std::map<std::string, double> &Intensity, const std::string &Level) {
  auto Found = Intensity.find(Level);
  return Found == Intensity.end() || Found->second == 0
             ? ""
             : fmt::format(", W/Q {:.4g} flop/B", Found->second);
}

static void printLevel(const TrafficReport &Report, std::size_t Level,
                       const std::map<std::string, double> &Intensity) {
  const std::string Class = Report.classBeyond(Level), Outer = Class.substr(Class.find('_') + 1);
  const LevelTraffic &Moved = Report.Levels[Level];
  const CacheLevel &C = Report.Through[Level];
  const double Bytes = Report.bytesBeyond(Report.Levels, Level);
  fmt::print("    {} and {}: {}{}; {} hits {:.4g} % of {:.6g} {}{}{}{}\n", C.Name, Outer,
             interval({Bytes, Report.Range[Level].first, Report.Range[Level].second}, "B"),
             ratio(Intensity, Outer), C.Name, 100 * hitShare(Moved, C),
             Moved.Loads + (C.WriteAllocate ? Moved.Stores : 0),
             C.WriteAllocate ? "accesses" : "loads",
             lines(Moved.LoadMisses + Moved.StoreMisses, "fetched"),
             lines(Moved.WriteBacks, "written back"), lines(Moved.Bypassed, "B stored past it"));
  for (const TrafficCause *TopLine : Report.topLines(Level, TopLines))
    fmt::print("      {:>5.1f} %  {} {}  {}\n",
               100 * Report.bytesBeyond(TopLine->Levels, Level) / Bytes, name(TopLine->What),
               TopLine->Object, TopLine->Location.text());
}

void printTraffic(const TrafficReport &Report, const std::map<std::string, double> &Intensity) {
  fmt::print("  traffic  {}, through {}\n",
             Report.How == TrafficMethod::Analytic ? "from footprints and reuse"
                                                   : "by running the accesses through the caches",
             geometry(Report.Through));
  const std::string &Inner = Report.Through.front().Name;
  if (const std::string Aware = ratio(Intensity, Inner); !Aware.empty())
    fmt::print("    core and {}: what is requested{} (cache-aware intensity)\n", Inner, Aware);
  for (std::size_t I = 0; I != Report.Through.size(); ++I)
    printLevel(Report, I, Intensity);
  for (const std::string &Assumption : Report.Assumptions)
    fmt::print("    assumed: {}\n", Assumption);
  if (!Report.IsComplete)
    fmt::print("    assumed: parts that were not run do as those like them\n");
}

static std::string range(const Gap &B, const char *Unit) {
  return B.isKnown() ? quantity(B.Low, Unit)
                     : quantity(B.Low, Unit) + " to " + quantity(B.High, Unit);
}

void printTraffic(const DeviceReport &Report, const std::map<std::string, double> &Intensity) {
  fmt::print(
      "  traffic  of a launch, through l2 {}{}, at most {} blocks at once\n",
      capacity(Report.Through.L2Bytes),
      Report.Through.GlobalLoadsInL1 && Report.Through.L1Bytes
          ? fmt::format(" and l1 {} of each multiprocessor", capacity(Report.Through.L1Bytes))
          : ", loads of global memory not in l1",
      Report.BlocksAtOnce);
  auto Sectors = [](const Gap &B) {
    return B.isKnown() ? fmt::format("{:.6g}", B.Low)
                       : fmt::format("{:.6g} to {:.6g}", B.Low, B.High);
  };
  fmt::print("    multiprocessors and l2: {}{}; sectors of 32 B: {} read, {} written\n",
             range(Report.l2Bytes(), "B"), ratio(Intensity, "l2"), Sectors(Report.Total.L2Reads),
             Sectors(Report.Total.L2Writes));
  fmt::print("    l2 and dram: {}{}; sectors: {} read, {} written\n",
             range(Report.dramBytes(), "B"), ratio(Intensity, "dram"),
             Sectors(Report.Total.DramReads), Sectors(Report.Total.DramWrites));
  for (const DeviceLine &Line : Report.Lines)
    if (Line.Asked.Requests > 0)
      fmt::print("      {} {} {}  {}: {:.6g} requests, each {}\n", name(Line.Access.What),
                 Line.Object, name(Line.Where), Line.Access.Location.text(), Line.Asked.Requests,
                 describe(Line.Asked, Line.Where));
  for (const std::string &Assumption : Report.Assumptions)
    fmt::print("    assumed: {}\n", Assumption);
  if (!Report.IsComplete)
    fmt::print("    assumed: blocks that were not followed do as those like them\n");
}

} // namespace ergon
