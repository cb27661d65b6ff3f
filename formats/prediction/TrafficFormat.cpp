//===- TrafficFormat.cpp - traffic in predictions -------------------------===//

#include "formats/prediction/TrafficFormat.h"

#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

/// By level; \p Full has what each level did beside what it moved.
static Json levels(const TrafficReport &Report, const std::vector<LevelTraffic> &Moved, bool Full) {
  Json Result = Json::array();
  for (std::size_t I = 0; I != Moved.size(); ++I) {
    const LevelTraffic &Traffic = Moved[I];
    Json &To = Result.emplace_back(Json{{"level", Report.Through[I].Name},
                                        {"loads", Traffic.Loads},
                                        {"stores", Traffic.Stores},
                                        {"load_misses", Traffic.LoadMisses},
                                        {"store_misses", Traffic.StoreMisses},
                                        {"write_backs", Traffic.WriteBacks},
                                        {"bypassed_bytes", Traffic.Bypassed},
                                        {"bytes_beyond", Report.bytesBeyond(Moved, I)}});
    if (Full) {
      To["beyond"] = Report.classBeyond(I);
      if (const auto &[Low, High] = Report.Range[I]; Low != High)
        To["between_bytes"] = {{"low", Low}, {"high", High}};
      To["hit_share"] = hitShare(Traffic, Report.Through[I]);
    }
  }
  return Result;
}

static Json caches(const CacheHierarchy &Hierarchy) {
  Json Result = Json::array();
  for (const CacheLevel &Level : Hierarchy)
    Result.push_back({{"level", Level.Name},
                      {"bytes", Level.Bytes},
                      {"line_bytes", Level.LineBytes},
                      {"ways", Level.Ways},
                      {"write", Level.WriteThrough ? "through" : "back"},
                      {"write_allocate", Level.WriteAllocate}});
  return Result;
}

Json jsonOf(const TrafficReport &Report) {
  Json Result = {
      {"method", name(Report.How)},       {"complete", Report.IsComplete},
      {"caches", caches(Report.Through)}, {"levels", levels(Report, Report.Levels, /*Full=*/true)},
      {"objects", Json::array()},         {"lines", Json::array()},
      {"assumptions", Report.Assumptions}};
  for (const TrafficCause &Object : Report.Objects)
    Result["objects"].push_back({{"name", Object.Object},
                                 {"start", Object.Start},
                                 {"levels", levels(Report, Object.Levels, /*Full=*/false)}});
  for (const TrafficCause &Line : Report.Lines)
    Result["lines"].push_back({{"at", Line.Location.text()},
                               {"function", Line.Function},
                               {"op", name(Line.What)},
                               {"object", Line.Object},
                               {"levels", levels(Report, Line.Levels, /*Full=*/false)}});
  return Result;
}

static Json jsonOf(const Gap &B) { return {{"low", B.Low}, {"high", B.High}}; }

static Json jsonOf(const DeviceSectors &Sectors) {
  return {{"l2_reads", jsonOf(Sectors.L2Reads)},
          {"l2_writes", jsonOf(Sectors.L2Writes)},
          {"dram_reads", jsonOf(Sectors.DramReads)},
          {"dram_writes", jsonOf(Sectors.DramWrites)}};
}

static Json jsonOf(const DeviceLine &Line) {
  Json Result = {{"at", Line.Access.Location.text()},
                 {"function", Line.Access.Function},
                 {"op", name(Line.Access.What)},
                 {"space", name(Line.Where)},
                 {"object", Line.Object},
                 {"bytes", Line.Access.Bytes},
                 {"requests", Line.Asked.Requests},
                 {"threads", Line.Asked.Threads}};
  if (servedBy(Line.Where) == ServedBy::Sectors) {
    Result["sectors"] = jsonOf(Line.Asked.Sectors);
    Result["moved_sectors"] = jsonOf(Line.Moved);
  } else {
    Result["passes"] = jsonOf(Line.Asked.Passes);
    Result["conflicts"] = jsonOf(Line.Asked.conflicts());
  }
  return Result;
}

Json jsonOf(const DeviceReport &Report) {
  Json Result = {{"method", "device"},
                 {"complete", Report.IsComplete},
                 {"caches",
                  {{"l1_bytes", Report.Through.L1Bytes},
                   {"l2_bytes", Report.Through.L2Bytes},
                   {"global_loads_in_l1", Report.Through.GlobalLoadsInL1}}},
                 {"sector_bytes", SectorBytes},
                 {"blocks_at_once", Report.BlocksAtOnce},
                 {"moved_sectors", jsonOf(Report.Total)},
                 {"lines", Json::array()},
                 {"assumptions", Report.Assumptions}};
  for (const DeviceLine &Line : Report.Lines)
    Result["lines"].push_back(jsonOf(Line));
  return Result;
}

} // namespace ergon
