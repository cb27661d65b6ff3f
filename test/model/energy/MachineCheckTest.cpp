//===- MachineCheckTest.cpp - whether a profile's numbers can be ----------===//
//
// test/profiles has for every rule a case that breaks it, with the lines that say so,
// and `nearly` what it takes that it just does not.
//
//===----------------------------------------------------------------------===//

#include "model/energy/MachineCheck.h"
#include "formats/profile/ProfileFormat.h"
#include "test/support/Cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

using namespace ergon;
namespace fs = std::filesystem;

static const fs::path Profiles = fs::path(ERGON_SOURCE_DIR) / "test/profiles";

static std::vector<CheckFinding> check(const std::string &Text) {
  const auto M = parseProfile(Text);
  EXPECT_TRUE(M) << M.error().line();
  return M ? checkMachine(*M) : std::vector<CheckFinding>();
}

static std::vector<fs::path> jsonFiles(const fs::path &Folder) {
  std::vector<fs::path> Files;
  for (const auto &Entry : fs::directory_iterator(Folder))
    if (Entry.path().extension() == ".json" && Entry.path().stem() != "schema")
      Files.push_back(Entry.path());
  return Files;
}

static std::string lines(const std::vector<CheckFinding> &Findings) {
  std::string Result;
  for (const CheckFinding &Finding : Findings)
    Result +=
        Error{Finding.What, Finding.Where, Finding.Fix, ""}.line() + " [" + Finding.Rule + "]\n";
  return Result;
}

TEST(MachineCheck, FindsWhatIsWrongAndNothingElse) {
  std::set<std::string> Rules;
  for (const char *List : {"impossible", "implausible"})
    for (const Case &Wrong : readCases(Profiles, List)) {
      SCOPED_TRACE(Wrong.Name);
      const std::vector<CheckFinding> Findings = check(Wrong.Text);
      EXPECT_EQ(lines(Findings), Wrong.Expected);
      for (const CheckFinding &Finding : Findings) {
        EXPECT_EQ(Finding.Impossible, std::string(List) == "impossible");
        Rules.insert(Finding.Rule);
      }
      EXPECT_EQ(lines(check(Wrong.Nearly)), "");
    }
  EXPECT_EQ(Rules, (std::set<std::string>{
                       "above-peak", "balance", "below-peak", "cache-size", "clock-unit",
                       "constant-power", "energy-order", "energy-unit", "latency-order",
                       "latency-unit", "level-order", "outside-range", "power", "power-over-cap",
                       "rate-unit", "uncertainty", "voltage-order", "voltage-unit"}));
}

TEST(MachineCheck, FindsNothingInProfilesThatAreRight) {
  for (const fs::path &Folder :
       {Profiles / "good", fs::path(ERGON_SOURCE_DIR) / "machine-profiles"})
    for (const fs::path &File : jsonFiles(Folder))
      EXPECT_EQ(lines(check(readTestFile(File))), "") << File;
}

TEST(MachineCheck, TakesAnyMachine) {
  EXPECT_TRUE(checkMachine({}).empty());
  Machine M;
  M.Sources["a/b~c"].Uncertainty = 2.0;
  ASSERT_EQ(checkMachine(M).size(), 1u);
  EXPECT_EQ(checkMachine(M)[0].Where, "/sources/a~1b~0c/uncertainty");
}
