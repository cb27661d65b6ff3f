//===- TrafficFormat.cpp - traffic in predictions -------------------------===//

#include "formats/prediction/TrafficFormat.h"

#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

/// By level; \p Full has what each level did beside what it moved.
static Json levels(const TrafficReport &Of, const std::vector<LevelTraffic> &Moved, bool Full) {
  Json Result = Json::array();
  for (std::size_t I = 0; I != Moved.size(); ++I) {
    const LevelTraffic &Each = Moved[I];
    Json &To = Result.emplace_back(Json{{"level", Of.Through[I].Name},
                                        {"loads", Each.Loads},
                                        {"stores", Each.Stores},
                                        {"load_misses", Each.LoadMisses},
                                        {"store_misses", Each.StoreMisses},
                                        {"write_backs", Each.WriteBacks},
                                        {"bypassed_bytes", Each.Bypassed},
                                        {"bytes_beyond", Of.bytesBeyond(Moved, I)}});
    if (Full) {
      To["beyond"] = Of.classBeyond(I);
      if (const auto &[Low, High] = Of.Range[I]; Low != High)
        To["between_bytes"] = {{"low", Low}, {"high", High}};
      To["hit_share"] = hitShare(Each, Of.Through[I]);
    }
  }
  return Result;
}

static Json caches(const CacheHierarchy &Of) {
  Json Result = Json::array();
  for (const CacheLevel &Each : Of)
    Result.push_back({{"level", Each.Name},
                      {"bytes", Each.Bytes},
                      {"line_bytes", Each.LineBytes},
                      {"ways", Each.Ways},
                      {"write", Each.WriteThrough ? "through" : "back"},
                      {"write_allocate", Each.WriteAllocate}});
  return Result;
}

Json jsonOf(const TrafficReport &Of) {
  Json Result = {{"method", name(Of.How)},       {"complete", Of.IsComplete},
                 {"caches", caches(Of.Through)}, {"levels", levels(Of, Of.Levels, /*Full=*/true)},
                 {"objects", Json::array()},     {"lines", Json::array()},
                 {"assumptions", Of.Assumptions}};
  for (const TrafficCause &Each : Of.Objects)
    Result["objects"].push_back({{"name", Each.Object},
                                 {"start", Each.Start},
                                 {"levels", levels(Of, Each.Levels, /*Full=*/false)}});
  for (const TrafficCause &Each : Of.Lines)
    Result["lines"].push_back({{"at", Each.At.text()},
                               {"function", Each.Function},
                               {"op", name(Each.What)},
                               {"object", Each.Object},
                               {"levels", levels(Of, Each.Levels, /*Full=*/false)}});
  return Result;
}

static Json jsonOf(const Between &Of) { return {{"low", Of.Low}, {"high", Of.High}}; }

static Json jsonOf(const DeviceSectors &Of) {
  return {{"l2_reads", jsonOf(Of.L2Reads)},
          {"l2_writes", jsonOf(Of.L2Writes)},
          {"dram_reads", jsonOf(Of.DramReads)},
          {"dram_writes", jsonOf(Of.DramWrites)}};
}

static Json jsonOf(const DeviceLine &Of) {
  Json Result = {{"at", Of.Of.At.text()},         {"function", Of.Of.Function},
                 {"op", name(Of.Of.What)},        {"space", name(Of.Where)},
                 {"object", Of.Object},           {"bytes", Of.Of.Bytes},
                 {"requests", Of.Asked.Requests}, {"threads", Of.Asked.Threads}};
  if (servedBy(Of.Where) == ServedBy::Sectors) {
    Result["sectors"] = jsonOf(Of.Asked.Sectors);
    Result["moved_sectors"] = jsonOf(Of.Moved);
  } else {
    Result["passes"] = jsonOf(Of.Asked.Passes);
    Result["conflicts"] = jsonOf(Of.Asked.conflicts());
  }
  return Result;
}

Json jsonOf(const DeviceReport &Of) {
  Json Result = {{"method", "device"},
                 {"complete", Of.IsComplete},
                 {"caches",
                  {{"l1_bytes", Of.Through.L1Bytes},
                   {"l2_bytes", Of.Through.L2Bytes},
                   {"global_loads_in_l1", Of.Through.GlobalLoadsInL1}}},
                 {"sector_bytes", SectorBytes},
                 {"blocks_at_once", Of.BlocksAtOnce},
                 {"moved_sectors", jsonOf(Of.Total)},
                 {"lines", Json::array()},
                 {"assumptions", Of.Assumptions}};
  for (const DeviceLine &Each : Of.Lines)
    Result["lines"].push_back(jsonOf(Each));
  return Result;
}

} // namespace ergon
