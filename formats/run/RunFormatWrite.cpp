//===- RunFormatWrite.cpp - run records of other tools' runs --------------===//

#include "formats/json/JsonWriter.h"
#include "formats/run/RunFormat.h"
#include "formats/run/RunKeys.h"

namespace ergon {

namespace keys = run_keys;

static void writeMeter(JsonWriter &Json, const MeterRun &Meter) {
  Json.beginObject();
  Json.member(keys::Name, Meter.Name);
  Json.member(keys::Covers, Meter.Covers);
  Json.member(keys::Energy, Meter.EnergyJ);
  Json.member(keys::From, Meter.FromS);
  Json.member(keys::End, Meter.UntilS);
  Json.member(keys::Readings, Meter.Readings);
  Json.member(keys::Period, Meter.UpdatePeriodS);
  Json.member(keys::LongestGap, Meter.LongestGapS);
  if (!Meter.Quantity.empty())
    Json.member(keys::Quantity, Meter.Quantity);
  Json.endObject();
}

static void writeRegion(JsonWriter &Json, const RegionRun &Region) {
  Json.beginObject();
  Json.key(keys::Path);
  Json.beginArray();
  for (const std::string &Name : Region.Path)
    Json.value(Name);
  Json.endArray();
  Json.member(keys::Count, Region.Count);
  Json.member(keys::Threads, Region.Threads);
  Json.member(keys::Time, Region.TimeS);
  Json.key(keys::Energy);
  Json.beginObject();
  for (const auto &[Meter, EnergyJ] : Region.EnergyJ)
    Json.member(Meter, EnergyJ);
  Json.endObject();
  Json.endObject();
}

std::string writeRun(const ProcessRun &Run) {
  std::string Result;
  JsonWriter Json(Result);
  Json.beginObject();
  Json.member("schema", keys::Schema);
  Json.member(keys::Program, Run.Program);
  Json.member(keys::Process, 0);
  Json.member(keys::Parent, 0);
  Json.member(keys::Started, "");
  Json.member(keys::Duration, Run.DurationS);
  Json.member(keys::Ended, Run.Ended);
  for (const char *None : {keys::Functions, keys::Unread}) {
    Json.key(None);
    Json.beginArray();
    Json.endArray();
  }
  Json.key(keys::Meters);
  Json.beginArray();
  for (const MeterRun &Meter : Run.Meters)
    writeMeter(Json, Meter);
  Json.endArray();
  Json.key(keys::Regions);
  Json.beginArray();
  for (const RegionRun &Region : Run.Regions)
    writeRegion(Json, Region);
  Json.endArray();
  Json.member(keys::Mistakes, Run.RegionMistakes);
  Json.member(keys::TooDeep, Run.RegionsTooDeep);
  Json.endObject();
  return Result + "\n";
}

} // namespace ergon
