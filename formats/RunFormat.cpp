//===- RunFormat.cpp - run records ----------------------------------------===//

#include "formats/RunFormat.h"
#include "formats/Json.h"
#include "formats/RunKeys.h"

namespace ergon {

namespace keys = run_keys;

static RunMean readMean(JsonCursor At) {
  At.keys({keys::Sum, keys::Times});
  RunMean Result{At[keys::Sum].integer(), At[keys::Times].integer()};
  if (Result.Times < 0)
    At[keys::Times].fail("is below zero", "take the record of another run");
  return Result;
}

std::expected<ProcessRun, Error> parseRun(std::string_view Text) {
  return readJson(Text, keys::Schema, [](JsonCursor Root) {
    Root.keys({"schema", keys::Program, keys::Process, keys::Parent, keys::Started, keys::Duration,
               keys::Ended, keys::Functions});
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
    return Result;
  });
}

} // namespace ergon
