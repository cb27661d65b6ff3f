//===- RunFormat.cpp - run records ----------------------------------------===//

#include "formats/run/RunFormat.h"
#include "formats/json/Json.h"
#include "formats/run/RunKeys.h"

#include <charconv>

namespace ergon {

namespace keys = run_keys;

static std::int64_t readCount(JsonCursor Json) {
  const std::int64_t Result = Json.integer();
  if (Result < 0)
    Json.fail("is below zero", "take the record of another run");
  return Result;
}

static RunMean readMean(JsonCursor Json) {
  Json.keys({keys::Sum, keys::Times});
  return {Json[keys::Sum].integer(), readCount(Json[keys::Times])};
}

/// `{"function": "f", "unit": "a.c", "times": 3, "sums": {"0": 12}}`; without a function it has all
/// calls whose targets the run could not tell apart.
static CalledFunction readCalled(JsonCursor Json) {
  Json.keys({keys::Times}, {keys::Function, keys::Unit, keys::Sums});
  CalledFunction Result{.Name = Json[keys::Function].text(""),
                        .Unit = Json[keys::Unit].text(""),
                        .Times = readCount(Json[keys::Times])};
  if (JsonCursor Sums = Json[keys::Sums])
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

static CountedFunction readFunction(JsonCursor Json) {
  Json.keys({keys::Unit, keys::Function, keys::Unknowns}, {keys::Calls, keys::Checksum});
  CountedFunction Result{Json[keys::Unit].text(), Json[keys::Function].text(), {}};
  for (const auto &[Symbol, Mean] : Json[keys::Unknowns].members())
    Result.Unknowns.emplace(Symbol, readMean(Mean));
  Result.Checksum = Json[keys::Checksum].text("");
  if (JsonCursor Calls = Json[keys::Calls])
    for (const auto &[Symbol, Called] : Calls.members())
      for (JsonCursor Entry : Called.elements())
        Result.Calls[std::string(Symbol)].push_back(readCalled(Entry));
  return Result;
}

static MpiRun readMpi(JsonCursor Json) {
  Json.keys({keys::Rank, keys::Size, keys::Sites});
  MpiRun Result{readCount(Json[keys::Rank]), readCount(Json[keys::Size]), {}};
  if (Result.Rank >= Result.Size)
    Json[keys::Rank].fail("is not below the size", "take the record of another run");
  for (JsonCursor Entry : Json[keys::Sites].elements()) {
    Entry.keys({keys::Call, keys::Position, keys::Times, keys::Messages, keys::MessageBytes});
    Result.Sites.push_back({Entry[keys::Call].text(), Entry[keys::Position].text(),
                            readCount(Entry[keys::Times]), readCount(Entry[keys::Messages]),
                            readCount(Entry[keys::MessageBytes])});
  }
  return Result;
}

static MeterRun readMeter(JsonCursor Json) {
  Json.keys({keys::Name, keys::Covers, keys::Energy, keys::From, keys::End, keys::Readings,
             keys::Period, keys::LongestGap},
            {keys::Why, keys::Quantity, keys::Clock, keys::HeldDown});
  MeterRun Result{.Name = Json[keys::Name].text(),
                  .Covers = Json[keys::Covers].text(""),
                  .EnergyJ = Json[keys::Energy].nonNegative(),
                  .FromS = Json[keys::From].number(),
                  .UntilS = Json[keys::End].number(),
                  .UpdatePeriodS = Json[keys::Period].nonNegative(),
                  .LongestGapS = Json[keys::LongestGap].nonNegative(),
                  .Readings = Json[keys::Readings].integer(),
                  .Why = Json[keys::Why].text(""),
                  .Quantity = Json[keys::Quantity].text("")};
  if (JsonCursor Clock = Json[keys::Clock]) {
    Clock.keys({keys::Least, keys::Mean, keys::Most});
    Result.LeastClockHz = Clock[keys::Least].nonNegative();
    Result.MeanClockHz = Clock[keys::Mean].nonNegative();
    Result.MostClockHz = Clock[keys::Most].nonNegative();
  }
  if (JsonCursor HeldDown = Json[keys::HeldDown])
    for (JsonCursor Entry : HeldDown.elements())
      Result.HeldDownBy.push_back(Entry.text());
  return Result;
}

static RegionRun readRegion(JsonCursor Json) {
  Json.keys({keys::Path, keys::Count, keys::Threads, keys::Time, keys::Energy});
  RegionRun Result{.Path = {},
                   .Count = Json[keys::Count].integer(),
                   .Threads = Json[keys::Threads].integer(),
                   .TimeS = Json[keys::Time].nonNegative(),
                   .EnergyJ = {}};
  for (JsonCursor Entry : Json[keys::Path].elements())
    Result.Path.push_back(Entry.text(""));
  for (const auto &[Meter, Energy] : Json[keys::Energy].members())
    Result.EnergyJ.emplace(Meter, Energy.nonNegative());
  return Result;
}

std::expected<ProcessRun, Error> parseRun(std::string_view Text) {
  return readJson(Text, keys::Schema, [](JsonCursor Root) {
    Root.keys({"schema", keys::Program, keys::Process, keys::Parent, keys::Started, keys::Duration,
               keys::Ended, keys::Functions, keys::Meters, keys::Unread, keys::Regions,
               keys::Mistakes, keys::TooDeep},
              {keys::Uncounted, keys::Mpi, keys::Arguments});
    for (const char *ForPeople : {keys::Process, keys::Parent})
      readCount(Root[ForPeople]);
    Root[keys::Started].view("");
    ProcessRun Result{.Program = Root[keys::Program].text(""),
                      .Ended = Root[keys::Ended].text(),
                      .DurationS = Root[keys::Duration].nonNegative()};
    if (JsonCursor Arguments = Root[keys::Arguments]) {
      Result.Arguments.emplace();
      for (JsonCursor Word : Arguments.elements())
        Result.Arguments->push_back(Word.text(""));
    }
    for (JsonCursor Json : Root[keys::Functions].elements())
      Result.Functions.push_back(readFunction(Json));
    Result.Uncounted = Root[keys::Uncounted].text("");
    if (JsonCursor Mpi = Root[keys::Mpi])
      Result.Mpi = readMpi(Mpi);
    for (JsonCursor Entry : Root[keys::Meters].elements())
      Result.Meters.push_back(readMeter(Entry));
    for (JsonCursor Element : Root[keys::Unread].elements()) {
      Element.keys({keys::Name, keys::Why});
      Result.Unread.push_back({Element[keys::Name].text(), Element[keys::Why].text()});
    }
    for (JsonCursor Field : Root[keys::Regions].elements())
      Result.Regions.push_back(readRegion(Field));
    Result.RegionMistakes = Root[keys::Mistakes].integer();
    Result.RegionsTooDeep = Root[keys::TooDeep].integer();
    return Result;
  });
}

} // namespace ergon
