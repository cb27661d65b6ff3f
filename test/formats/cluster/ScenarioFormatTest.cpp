//===- ScenarioFormatTest.cpp - ergon-scenario/1 --------------------------===//
//
// The reader on the cases of test/simulate (test/profiles/schema_test.py holds the
// schema to the same). Wants the source folder in the macro
// ERGON_SOURCE_DIR.
//
//===----------------------------------------------------------------------===//

#include "formats/cluster/ScenarioFormat.h"
#include "predict/store/MachineStore.h"
#include "test/support/Cases.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace ergon;
namespace fs = std::filesystem;

static const fs::path Scenarios = fs::path(ERGON_SOURCE_DIR) / "test/simulate";

static ScenarioSources sources() {
  // Errors without what the shipped files are called.
  return {[](const std::string &Name) -> std::expected<Machine, Error> {
            auto M = loadMachine(Name);
            if (!M)
              return std::unexpected(Error{inQuotes(Name) + " is no machine", "", "", ""});
            return M;
          },
          [](const RecordQuery &Query, const Machine *, const Setting &) {
            return std::expected<PredictedRun, Error>(
                std::unexpected(Error{"no function is called " + Query.Entry, "", "", ""}));
          }};
}

TEST(ScenarioFormat, RefusesEveryBadFileWithItsOneLine) {
  EXPECT_TRUE(parseScenario(readTestFile(Scenarios / "good/calibrated.json"), sources()));
  const std::vector<Case> Cases = readCases(Scenarios, "bad");
  EXPECT_GT(Cases.size(), 30u);
  for (const Case &Bad : Cases) {
    const auto S = parseScenario(Bad.Text, sources());
    ASSERT_FALSE(S) << Bad.Name;
    EXPECT_EQ(S.error().line() + "\n", Bad.Expected) << Bad.Name;
  }
}

TEST(ScenarioFormat, RefusesEveryTruncation) {
  const std::string Text =
      readTestFile(fs::path(ERGON_SOURCE_DIR) / "examples/scenarios/nodes.json");
  ASSERT_TRUE(parseScenario(Text, sources()));
  for (std::size_t Length = 0; Length <= Text.rfind('}'); ++Length)
    EXPECT_FALSE(parseScenario(std::string_view(Text).substr(0, Length), sources())) << Length;
}

/// A platform has a state for each kind of work; what rests as the state at the start does is in
/// its place, what rests otherwise beside it.
TEST(ScenarioFormat, StatesOfAProcessor) {
  const auto Kinds = [](const std::string &Phases) {
    auto S = parseScenario(R"({"schema": "ergon-scenario/1", "name": "s", "nodes": [
        {"name": "n", "machine": "jetson-tk1"}], "phases": [)" +
                               Phases + "]}",
                           sources());
    EXPECT_TRUE(S) << S.error().line();
    return S ? S->Steps.Kinds : std::vector<ProcessorKind>();
  };
  const std::string Fast = R"({"compute": [{"time_s": 1, "power_w": 20}]})",
                    Slow = R"({"compute": [{"time_s": 1, "power_w": 20, "core_mhz": 72}]})";
  EXPECT_EQ(Kinds("")[0].States.size(), 1u);
  EXPECT_EQ(Kinds(Fast)[0].States.size(), 1u);
  EXPECT_EQ(Kinds(Fast + "," + Fast)[0].States.size(), 1u);
  const auto PowerStates = Kinds(Slow + "," + Fast)[0].States;
  ASSERT_EQ(PowerStates.size(), 2u);
  EXPECT_NEAR(PowerStates[0].IdleW, 2.805 * 1.03 + 3.86 * 1.01, 1e-9);
  EXPECT_NEAR(PowerStates[1].IdleW, 2.805 * 0.76 + 3.86 * 0.8, 1e-9);
}
