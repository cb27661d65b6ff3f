//===- MachineCheckTest.cpp - whether a profile's numbers can be ----------===//
//
// test/profiles has for every rule a profile that breaks it, with the lines that say so,
// and one of the same name in `nearly` that just does not.
//
//===----------------------------------------------------------------------===//

#include "model/MachineCheck.h"
#include "formats/ProfileFormat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

using namespace ergon;
namespace fs = std::filesystem;

static const fs::path Profiles = fs::path(ERGON_SOURCE_DIR) / "test/profiles";

static std::vector<CheckFinding> check(const fs::path &File) {
  const auto M = parseProfile(readTextFile(File).value_or(""));
  EXPECT_TRUE(M) << File << ": " << M.error().line();
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
  for (const CheckFinding &Each : Findings)
    Result += Error{Each.What, Each.Where, Each.Mend, ""}.line() + " [" + Each.Rule + "]\n";
  return Result;
}

TEST(MachineCheck, FindsWhatIsWrongAndNothingElse) {
  std::set<std::string> Rules;
  for (const char *Folder : {"impossible", "implausible"})
    for (const fs::path &File : jsonFiles(Profiles / Folder)) {
      const std::vector<CheckFinding> Findings = check(File);
      EXPECT_EQ(lines(Findings),
                readTextFile(fs::path(File).replace_extension(".expected")).value_or("none"))
          << File;
      for (const CheckFinding &Each : Findings) {
        EXPECT_EQ(Each.Impossible, std::string(Folder) == "impossible") << File;
        Rules.insert(Each.Rule);
      }
      EXPECT_TRUE(fs::exists(Profiles / "nearly" / File.filename())) << File;
    }
  EXPECT_EQ(Rules,
            (std::set<std::string>{"above-peak", "balance", "below-peak", "clock-unit",
                                   "constant-power", "energy-order", "energy-unit", "level-order",
                                   "outside-range", "power", "power-over-cap", "rate-unit",
                                   "uncertainty", "voltage-order", "voltage-unit"}));
}

TEST(MachineCheck, FindsNothingInProfilesThatAreRight) {
  for (const fs::path &Folder :
       {Profiles / "nearly", Profiles / "good", fs::path(ERGON_SOURCE_DIR) / "machine-profiles"})
    for (const fs::path &File : jsonFiles(Folder))
      EXPECT_EQ(lines(check(File)), "") << File;
}

TEST(MachineCheck, TakesAnyMachine) {
  EXPECT_TRUE(checkMachine({}).empty());
  Machine M;
  M.Sources["a/b~c"].Uncertainty = 2.0;
  ASSERT_EQ(checkMachine(M).size(), 1u);
  EXPECT_EQ(checkMachine(M)[0].Where, "/sources/a~1b~0c/uncertainty");
}
