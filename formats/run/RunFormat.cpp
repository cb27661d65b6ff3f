//===- RunFormat.cpp - run records ----------------------------------------===//

#include "formats/run/RunFormat.h"
#include "formats/json/Json.h"
#include "formats/run/RunKeys.h"

#include <charconv>

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

/// `{"function": "f", "unit": "a.c", "times": 3, "sums": {"0": 12}}`; without a function it has all
/// calls whose targets the run could not tell apart.
static CalledFunction readCalled(JsonCursor At) {
  At.keys({keys::Times}, {keys::Function, keys::Unit, keys::Sums});
  CalledFunction Result{.Name = At[keys::Function].text(""),
                        .Unit = At[keys::Unit].text(""),
                        .Times = readCount(At[keys::Times])};
  if (JsonCursor Sums = At[keys::Sums])
    for (const auto &[Number, Sum] : Sums.members()) {
      unsigned Argument = 0;
      if (auto [End, Failed] =
              std::from_chars(Number.data(), Number.data() + Number.size(), Argument);
          Failed != std::errc() || End != Number.data() + Number.size())
        Sum.fail("its key is no number of an argument", "take the record of another run");
      Result.Sums.emplace(Argument, Sum.integer());
    }
  return Result;
}

static CountedFunction readFunction(JsonCursor At) {
  At.keys({keys::Unit, keys::Function, keys::Unknowns}, {keys::Calls});
  CountedFunction Result{At[keys::Unit].text(), At[keys::Function].text(), {}};
  for (const auto &[Symbol, Mean] : At[keys::Unknowns].members())
    Result.Unknowns.emplace(Symbol, readMean(Mean));
  if (JsonCursor Calls = At[keys::Calls])
    for (const auto &[Symbol, Called] : Calls.members())
      for (JsonCursor Each : Called.elements())
        Result.Calls[std::string(Symbol)].push_back(readCalled(Each));
  return Result;
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
    for (const char *ForPeople : {keys::Process, keys::Parent})
      readCount(Root[ForPeople]);
    Root[keys::Started].view("");
    ProcessRun Result{.Program = Root[keys::Program].text(""),
                      .Ended = Root[keys::Ended].text(),
                      .DurationS = Root[keys::Duration].nonNegative()};
    for (JsonCursor Each : Root[keys::Functions].elements())
      Result.Functions.push_back(readFunction(Each));
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
