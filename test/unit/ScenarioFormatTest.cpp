//===- ScenarioFormatTest.cpp - ergon-scenario/1 --------------------------===//
//
// The reader on test/simulate/bad (test/profiles/schema_test.py holds the schema
// to the same files). Wants the source folder in the macro
// ERGON_SOURCE_DIR.
//
//===----------------------------------------------------------------------===//

#include "formats/ScenarioFormat.h"
#include "formats/Json.h"
#include "tools/MachineStore.h"

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

static std::string read(const fs::path &Path) {
  auto Text = readTextFile(Path);
  EXPECT_TRUE(Text) << Path;
  return Text.value_or("");
}

TEST(ScenarioFormat, RefusesEveryBadFileWithItsOneLine) {
  int Files = 0;
  for (const auto &Entry : fs::directory_iterator(Scenarios / "bad"))
    if (const fs::path File = Entry.path(); File.extension() == ".json") {
      ++Files;
      const auto S = parseScenario(read(File), sources());
      ASSERT_FALSE(S) << File;
      EXPECT_EQ(S.error().line() + "\n", read(fs::path(File).replace_extension(".expected")))
          << File;
    }
  EXPECT_GT(Files, 30);
}

TEST(ScenarioFormat, RefusesEveryTruncation) {
  const std::string Text = read(fs::path(ERGON_SOURCE_DIR) / "examples/scenarios/nodes.json");
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
  const auto Both = Kinds(Slow + "," + Fast)[0].States;
  ASSERT_EQ(Both.size(), 2u);
  EXPECT_NEAR(Both[0].IdleW, 2.805 * 1.03 + 3.86 * 1.01, 1e-9);
  EXPECT_NEAR(Both[1].IdleW, 2.805 * 0.76 + 3.86 * 0.8, 1e-9);
}
