//===- ClockSweepTest.cpp - clocks that are set, and put back -------------===//
//
// A tree of files as cpufreq has it, behind a kernel that is made up: it refuses a low bound above
// the high one, keeps to the limits of the processor, and its processors run at the high bound, or
// at what a test says.
//
//===----------------------------------------------------------------------===//

#include "tools/calibrate/ClockSweep.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

using namespace ergon;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// The kernel.
struct Kernel : NumberFiles {
  std::int64_t LimitKhz = 10'000'000; ///< no bound gets above, whoever asks
  std::vector<std::string> Written;   ///< `policy0/scaling_min_freq 800000`
  std::string Refuses;                ///< a part of such a line
  bool MayWrite = true;

  int mayWrite(const std::string &) const override { return MayWrite ? 0 : EACCES; }
  int write(const std::string &Path, std::int64_t Khz) override {
    const std::filesystem::path File = Path, Policy = File.parent_path();
    const std::string Line =
        (Policy.filename() / File.filename()).string() + " " + std::to_string(Khz);
    if (!Refuses.empty() && Line.find(Refuses) != std::string::npos)
      return EINVAL;
    const bool IsLow = File.filename() == "scaling_min_freq";
    std::int64_t Other = 0;
    EXPECT_EQ(read(Policy / (IsLow ? "scaling_max_freq" : "scaling_min_freq"), Other), 0);
    if (IsLow ? Khz > Other : Khz < Other)
      return EINVAL;
    Written.push_back(Line);
    return NumberFiles::write(Path, std::min(Khz, LimitKhz));
  }
};

struct ClockSweeps : testing::Test {
  std::filesystem::path Folder, Root;
  Kernel TestResult;
  double RunsAtMhz = 0; ///< 0: as it is bound

  ClockSweeps() {
    Folder = std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(Folder);
    Root = Folder / "cpufreq";
    addPolicy("policy0", "0 1", 1'000'000, 2'600'000);
    addPolicy("policy2", "2 3", 800'000, 3'000'000);
    addPolicy("policy4", "4 5", 800'000, 3'000'000);
  }
  void write(const std::filesystem::path &File, const std::string &Text) {
    std::filesystem::create_directories(File.parent_path());
    std::ofstream(File) << Text << "\n";
  }
  void addPolicy(const std::string &Name, const std::string &Cpus, long LowKhz, long HighKhz) {
    write(Root / Name / "affected_cpus", Cpus);
    write(Root / Name / "cpuinfo_min_freq", "800000");
    write(Root / Name / "cpuinfo_max_freq", "3000000");
    write(Root / Name / "scaling_min_freq", std::to_string(LowKhz));
    write(Root / Name / "scaling_max_freq", std::to_string(HighKhz));
  }
  std::string bounds(const std::string &Policy) {
    std::int64_t Low = 0, High = 0;
    EXPECT_EQ(TestResult.read(Root / Policy / "scaling_min_freq", Low), 0);
    EXPECT_EQ(TestResult.read(Root / Policy / "scaling_max_freq", High), 0);
    return std::to_string(Low) + " " + std::to_string(High);
  }
  void expectAsBefore() {
    EXPECT_EQ(bounds("policy0"), "1000000 2600000");
    EXPECT_EQ(bounds("policy2"), "800000 3000000");
    EXPECT_EQ(bounds("policy4"), "800000 3000000");
    EXPECT_FALSE(std::filesystem::exists(Folder / "mine.clocks"));
  }
  std::expected<std::unique_ptr<ClockSweep>, Error> open(const std::string &List = "") {
    return ClockSweep::open({.List = List,
                             .Profile = Folder / "mine.json",
                             .Root = Root,
                             .Processors = {0, 1, 2, 3},
                             .Files = &TestResult,
                             .ClockHz = [this] {
                               std::int64_t Khz = 0;
                               TestResult.read(Root / "policy2" / "scaling_max_freq", Khz);
                               return RunsAtMhz ? RunsAtMhz * 1e6 : double(Khz) * 1e3;
                             }});
  }
  std::unique_ptr<ClockSweep> opened(const std::string &List = "") {
    auto Result = open(List);
    EXPECT_TRUE(Result) << Result.error().line();
    return Result ? std::move(*Result) : nullptr;
  }
  std::string refusal(const std::string &List = "") {
    auto Result = open(List);
    EXPECT_FALSE(Result);
    return Result ? "" : Result.error().line();
  }
};
} // namespace

TEST_F(ClockSweeps, FewClocksOfARangeOrOfAList) {
  // 800 to 3000 MHz: the middle is 1900, between are 1350 and 2450, of which the steps below are
  // nearest.
  EXPECT_THAT(opened()->wantedMhz(), ElementsAre(3000, 2400, 1900, 1300, 800));
  // What is held under any load is there too.
  write(Root / "policy0" / "base_frequency", "2200000");
  write(Root / "policy2" / "base_frequency", "2500000");
  EXPECT_THAT(opened()->wantedMhz(), ElementsAre(3000, 2600, 2200, 1500, 800));
  // Those that all have. Thirds of MHz are whole ones in a profile.
  write(Root / "policy0" / "scaling_available_frequencies", "3000000 2666667 1333333 800000 ");
  write(Root / "policy2" / "scaling_available_frequencies", "2666667 1800000 1333333 ");
  EXPECT_THAT(opened()->wantedMhz(), ElementsAre(2667, 1333));
  EXPECT_THAT(opened("1333")->wantedMhz(), ElementsAre(1333));
  EXPECT_EQ(refusal("1333,1800"), "--sweep-clocks: 1800 MHz is none of the clocks of this machine; "
                                  "name some of 1333, 2667");
  write(Root / "policy2" / "scaling_available_frequencies", "900000");
  EXPECT_THAT(refusal(), HasSubstr("cpufreq: the processors have no clock in common"));
  expectAsBefore();
  EXPECT_TRUE(TestResult.Written.empty());
}

TEST_F(ClockSweeps, SetAndPutBackWithTheLowBoundNeverAboveTheHighOne) {
  auto Sweep = opened("800,3000");
  // Up: the high bound of policy0 first. The kernel of the test refuses any other order.
  EXPECT_EQ(Sweep->set(3000).value_or("?"), "");
  EXPECT_EQ(bounds("policy0"), "3000000 3000000");
  EXPECT_EQ(bounds("policy2"), "3000000 3000000");
  EXPECT_EQ(bounds("policy4"), "800000 3000000") << "no processor of the calibration";
  EXPECT_THAT(std::vector(TestResult.Written.begin(), TestResult.Written.begin() + 2),
              ElementsAre("policy0/scaling_max_freq 3000000", "policy0/scaling_min_freq 3000000"));
  EXPECT_TRUE(std::filesystem::exists(Folder / "mine.clocks"));
  EXPECT_EQ(Sweep->set(800).value_or("?"), "");
  EXPECT_EQ(bounds("policy0"), "800000 800000");
  EXPECT_TRUE(Sweep->restore());
  expectAsBefore();
  // Once is enough: what its owner sets after that stays.
  write(Root / "policy0" / "scaling_min_freq", "1200000");
  Sweep.reset();
  EXPECT_EQ(bounds("policy0"), "1200000 2600000");
}

TEST_F(ClockSweeps, PutBackWhereverItEnds) {
  try {
    auto Sweep = opened("800");
    ASSERT_EQ(Sweep->set(800).value_or("?"), "");
    throw 1;
  } catch (int) {
  }
  expectAsBefore();
}

TEST_F(ClockSweeps, AClockThatIsNotTaken) {
  auto Sweep = opened();
  RunsAtMhz = 2600;
  EXPECT_EQ(Sweep->set(3000).value_or("?"), "the processors ran at 2600 MHz");
  RunsAtMhz = 2950; // 1.7 % off
  EXPECT_EQ(Sweep->set(3000).value_or("?"), "");
  // The kernel keeps to another limit.
  TestResult.LimitKhz = 2'000'000;
  EXPECT_EQ(Sweep->set(2400).value_or("?"),
            Root / "policy0" / "scaling_min_freq was set to 2400000 and is 2000000");
  TestResult.LimitKhz = 10'000'000;
  TestResult.Refuses = "policy2/scaling_min_freq 800000";
  EXPECT_EQ(Sweep->set(800).value_or("?"),
            Root / "policy2" / "scaling_min_freq refuses 800000: Invalid argument");
  TestResult.Refuses = "";
  Sweep.reset();
  expectAsBefore();
}

TEST_F(ClockSweeps, WhatCannotBePutBackIsTold) {
  auto Sweep = opened("800");
  ASSERT_EQ(Sweep->set(800).value_or("?"), "");
  TestResult.Refuses = "policy0/scaling_max_freq 2600000";
  const auto Restored = Sweep->restore();
  ASSERT_FALSE(Restored);
  EXPECT_EQ(Restored.error().line(), (Root / "policy0" / "scaling_max_freq").string() +
                                         ": refuses 2600000: Invalid argument; what is to be put "
                                         "back is in " +
                                         (Folder / "mine.clocks").string());
  EXPECT_TRUE(std::filesystem::exists(Folder / "mine.clocks"));
  EXPECT_EQ(bounds("policy2"), "800000 3000000") << "the others are put back";
}

TEST_F(ClockSweeps, WhatAKilledRunLeftIsPutBack) {
  auto Killed = opened("800");
  ASSERT_EQ(Killed->set(800).value_or("?"), "");
  Killed.release(); // as a process that is killed leaves it: NOLINT
  EXPECT_EQ(bounds("policy0"), "800000 800000");
  // It was killed between two writes.
  write(Root / "policy2" / "scaling_max_freq", "3000000");
  // Whatever else a file may name is not written.
  addPolicy("other", "9", 900'000, 1'000'000);
  std::ofstream(Folder / "mine.clocks", std::ios::app)
      << "700000 700000 " << (Root / "other").string() << "\n";
  auto Next = opened("800");
  expectAsBefore();
  EXPECT_EQ(bounds("other"), "900000 1000000");
  // Then it is that which is kept.
  ASSERT_EQ(Next->set(800).value_or("?"), "");
  Next.reset();
  expectAsBefore();
}

TEST_F(ClockSweeps, WhatCannotBe) {
  TestResult.MayWrite = false;
  EXPECT_THAT(refusal(), HasSubstr("policy0/scaling_min_freq: may not be written: Permission "
                                   "denied; calibrate as root, or "));
  TestResult.MayWrite = true;
  write(Root / "policy2" / "affected_cpus", "2"); // nobody has processor 3
  EXPECT_THAT(refusal(), HasSubstr("cpufreq: the system lets nobody set the clocks of these "
                                   "processors; "));
  write(Root / "policy2" / "affected_cpus", "2 3");
  // Without a note of what to put back nothing is set.
  auto Sweep = opened();
  std::filesystem::create_directory(Folder / "mine.clocks");
  const auto Set = Sweep->set(800);
  ASSERT_FALSE(Set);
  EXPECT_THAT(Set.error().line(), HasSubstr("mine.clocks: cannot be written: "));
  EXPECT_TRUE(TestResult.Written.empty());
}
