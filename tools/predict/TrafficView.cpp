//===- TrafficView.cpp - traffic as text ----------------------------------===//

#include "tools/predict/TrafficView.h"
#include "predict/text/Text.h"
#include "tools/view/CacheView.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ergon {

/// So many lines are shown of each level.
static constexpr std::size_t TopLines = 3;

static std::string geometry(const CacheHierarchy &Of) {
  std::vector<std::string> Levels;
  for (const CacheLevel &Each : Of)
    Levels.push_back(fmt::format("{} {} of {} ways", Each.Name, capacity(Each.Bytes), Each.Ways));
  return fmt::format("{}, lines of {} B", fmt::join(Levels, ", "), Of.front().LineBytes);
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

static void printLevel(const TrafficReport &Of, std::size_t Level,
                       const std::map<std::string, double> &Intensity) {
  const std::string Class = Of.classBeyond(Level), Outer = Class.substr(Class.find('_') + 1);
  const LevelTraffic &Moved = Of.Levels[Level];
  const CacheLevel &At = Of.Through[Level];
  const double Bytes = Of.bytesBeyond(Of.Levels, Level);
  fmt::print("    {} and {}: {}{}; {} hits {:.4g} % of {:.6g} {}{}{}{}\n", At.Name, Outer,
             interval({Bytes, Of.Range[Level].first, Of.Range[Level].second}, "B"),
             ratio(Intensity, Outer), At.Name, 100 * hitShare(Moved, At),
             Moved.Loads + (At.WriteAllocate ? Moved.Stores : 0),
             At.WriteAllocate ? "accesses" : "loads",
             lines(Moved.LoadMisses + Moved.StoreMisses, "fetched"),
             lines(Moved.WriteBacks, "written back"), lines(Moved.Bypassed, "B stored past it"));
  for (const TrafficCause *Each : Of.topLines(Level, TopLines))
    fmt::print("      {:>5.1f} %  {} {}  {}\n", 100 * Of.bytesBeyond(Each->Levels, Level) / Bytes,
               name(Each->What), Each->Object, Each->At.text());
}

void printTraffic(const TrafficReport &Of, const std::map<std::string, double> &Intensity) {
  fmt::print("  traffic  {}, through {}\n",
             Of.How == TrafficMethod::Analytic ? "from footprints and reuse"
                                               : "by running the accesses through the caches",
             geometry(Of.Through));
  const std::string &Inner = Of.Through.front().Name;
  if (const std::string Aware = ratio(Intensity, Inner); !Aware.empty())
    fmt::print("    core and {}: what is requested{} (cache-aware intensity)\n", Inner, Aware);
  for (std::size_t I = 0; I != Of.Through.size(); ++I)
    printLevel(Of, I, Intensity);
  for (const std::string &Each : Of.Assumptions)
    fmt::print("    assumed: {}\n", Each);
  if (!Of.IsComplete)
    fmt::print("    assumed: parts that were not run do as those like them\n");
}

static std::string range(const Between &Of, const char *Unit) {
  return Of.isKnown() ? quantity(Of.Low, Unit)
                      : quantity(Of.Low, Unit) + " to " + quantity(Of.High, Unit);
}

void printTraffic(const DeviceReport &Of, const std::map<std::string, double> &Intensity) {
  fmt::print("  traffic  of a launch, through l2 {}{}, at most {} blocks at once\n",
             capacity(Of.Through.L2Bytes),
             Of.Through.GlobalLoadsInL1 && Of.Through.L1Bytes
                 ? fmt::format(" and l1 {} of each multiprocessor", capacity(Of.Through.L1Bytes))
                 : ", loads of global memory not in l1",
             Of.BlocksAtOnce);
  auto Sectors = [](const Between &Of) {
    return Of.isKnown() ? fmt::format("{:.6g}", Of.Low)
                        : fmt::format("{:.6g} to {:.6g}", Of.Low, Of.High);
  };
  fmt::print("    multiprocessors and l2: {}{}; sectors of 32 B: {} read, {} written\n",
             range(Of.l2Bytes(), "B"), ratio(Intensity, "l2"), Sectors(Of.Total.L2Reads),
             Sectors(Of.Total.L2Writes));
  fmt::print("    l2 and dram: {}{}; sectors: {} read, {} written\n", range(Of.dramBytes(), "B"),
             ratio(Intensity, "dram"), Sectors(Of.Total.DramReads), Sectors(Of.Total.DramWrites));
  for (const DeviceLine &Each : Of.Lines)
    if (Each.Asked.Requests > 0)
      fmt::print("      {} {} {}  {}: {:.6g} requests, each {}\n", name(Each.Of.What), Each.Object,
                 name(Each.Where), Each.Of.At.text(), Each.Asked.Requests,
                 describe(Each.Asked, Each.Where));
  for (const std::string &Each : Of.Assumptions)
    fmt::print("    assumed: {}\n", Each);
  if (!Of.IsComplete)
    fmt::print("    assumed: blocks that were not followed do as those like them\n");
}

} // namespace ergon
