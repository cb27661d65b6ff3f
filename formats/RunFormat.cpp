//===- RunFormat.cpp - run records ----------------------------------------===//

#include "formats/RunFormat.h"
#include "formats/Json.h"
#include "formats/RunKeys.h"

namespace ergon {

namespace keys = run_keys;

static std::int64_t readCount(JsonCursor At) {
  const std::int64_t Result = At.integer();
  if (Result < 0)
    At.fail("is below zero", "take the record of another run");
  return Result;
}

static RunMean readMean(JsonCursor At) {
  At.keys({keys::Sum, keys::Times});
  return {At[keys::Sum].integer(), readCount(At[keys::Times])};
}

static MpiRun readMpi(JsonCursor At) {
  At.keys({keys::Rank, keys::Size, keys::Sites});
  MpiRun Result{readCount(At[keys::Rank]), readCount(At[keys::Size]), {}};
  if (Result.Rank >= Result.Size)
    At[keys::Rank].fail("is not below the size", "take the record of another run");
  for (JsonCursor Each : At[keys::Sites].elements()) {
    Each.keys({keys::Call, keys::At, keys::Times, keys::Messages, keys::MessageBytes});
    Result.Sites.push_back({Each[keys::Call].text(), Each[keys::At].text(),
                            readCount(Each[keys::Times]), readCount(Each[keys::Messages]),
                            readCount(Each[keys::MessageBytes])});
  }
  return Result;
}

static MeterRun readMeter(JsonCursor At) {
  At.keys({keys::Name, keys::Covers, keys::Energy, keys::From, keys::Until, keys::Readings,
           keys::Period, keys::LongestGap},
          {keys::Why, keys::Quantity, keys::Clock, keys::HeldDown});
  MeterRun Result{.Name = At[keys::Name].text(),
                  .Covers = At[keys::Covers].text(""),
                  .EnergyJ = At[keys::Energy].nonNegative(),
                  .FromS = At[keys::From].number(),
                  .UntilS = At[keys::Until].number(),
                  .UpdatePeriodS = At[keys::Period].nonNegative(),
                  .LongestGapS = At[keys::LongestGap].nonNegative(),
                  .Readings = At[keys::Readings].integer(),
                  .Why = At[keys::Why].text(""),
                  .Quantity = At[keys::Quantity].text("")};
  if (JsonCursor Clock = At[keys::Clock]) {
    Clock.keys({keys::Least, keys::Mean, keys::Most});
    Result.LeastClockHz = Clock[keys::Least].nonNegative();
    Result.MeanClockHz = Clock[keys::Mean].nonNegative();
    Result.MostClockHz = Clock[keys::Most].nonNegative();
  }
  if (JsonCursor HeldDown = At[keys::HeldDown])
    for (JsonCursor Each : HeldDown.elements())
      Result.HeldDownBy.push_back(Each.text());
  return Result;
}

static RegionRun readRegion(JsonCursor At) {
  At.keys({keys::Path, keys::Count, keys::Threads, keys::Time, keys::Energy});
  RegionRun Result{.Path = {},
                   .Count = At[keys::Count].integer(),
                   .Threads = At[keys::Threads].integer(),
                   .TimeS = At[keys::Time].nonNegative(),
                   .EnergyJ = {}};
  for (JsonCursor Each : At[keys::Path].elements())
    Result.Path.push_back(Each.text(""));
  for (const auto &[Meter, Energy] : At[keys::Energy].members())
    Result.EnergyJ.emplace(Meter, Energy.nonNegative());
  return Result;
}

std::expected<ProcessRun, Error> parseRun(std::string_view Text) {
  return readJson(Text, keys::Schema, [](JsonCursor Root) {
    Root.keys({"schema", keys::Program, keys::Process, keys::Parent, keys::Started, keys::Duration,
               keys::Ended, keys::Functions, keys::Meters, keys::Unread, keys::Regions,
               keys::Mistakes, keys::TooDeep},
              {keys::Uncounted, keys::Mpi});
    ProcessRun Result{.Program = Root[keys::Program].text(""),
                      .Ended = Root[keys::Ended].text(),
                      .DurationS = Root[keys::Duration].nonNegative()};
    for (JsonCursor Each : Root[keys::Functions].elements()) {
      Each.keys({keys::Unit, keys::Function, keys::Unknowns});
      CountedFunction &Into = Result.Functions.emplace_back(
          CountedFunction{Each[keys::Unit].text(), Each[keys::Function].text(), {}});
      for (const auto &[Symbol, Mean] : Each[keys::Unknowns].members())
        Into.Unknowns.emplace(Symbol, readMean(Mean));
    }
    Result.Uncounted = Root[keys::Uncounted].text("");
    if (JsonCursor Mpi = Root[keys::Mpi])
      Result.Mpi = readMpi(Mpi);
    for (JsonCursor Each : Root[keys::Meters].elements())
      Result.Meters.push_back(readMeter(Each));
    for (JsonCursor Each : Root[keys::Unread].elements()) {
      Each.keys({keys::Name, keys::Why});
      Result.Unread.push_back({Each[keys::Name].text(), Each[keys::Why].text()});
    }
    for (JsonCursor Each : Root[keys::Regions].elements())
      Result.Regions.push_back(readRegion(Each));
    Result.RegionMistakes = Root[keys::Mistakes].integer();
    Result.RegionsTooDeep = Root[keys::TooDeep].integer();
    return Result;
  });
}

} // namespace ergon
