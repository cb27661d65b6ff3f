//===- PredictorTest.cpp - records opened once, asked often ---------------===//
//
// One function of n that does 2·n flops and loads 8·n bytes, in a folder of its own.
//
//===----------------------------------------------------------------------===//

#include "predict/answer/Predictor.h"
#include "formats/json/TextFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

using namespace ergon;
using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

static Function example() {
  const Expr N = Expr::symbol("n");
  Function Result;
  Result.Name = Result.Demangled = "axpy";
  Result.Snapshot = "algorithm";
  Result.Location = {"a.c", 1, 1};
  Result.Parameters = {{"n", "i32"}};
  Result.Body.Last = 0;
  Result.Body.Entries = 1;
  Loop Inner{"i", {"a.c", 2, 3}, isNonNegative(N - 1), N - 1, Known::Exact, {}, {}, {}};
  Block B;
  B.Runs = 1;
  B.PerRun.add(of(CostClass::Flops, FloatType::F64), 2);
  B.PerRun.add(of(CostClass::LoadBytes, Space::Memory), 8);
  Inner.Blocks = {B};
  Result.Body.Loops = {Inner};
  return Result;
}

namespace {
/// A new folder with a record in it, which goes with everything in it.
class PredictorTest : public testing::Test {
protected:
  PredictorTest() {
    std::string Name = (fs::temp_directory_path() / "ergon-predictor-XXXXXX").native();
    Folder = mkdtemp(Name.data());
    add("a");
  }
  ~PredictorTest() override { fs::remove_all(Folder); }

  void add(const std::string &Name) {
    const Unit U = {"a.c", "a.o", Folder, "x86_64-pc-linux-gnu", "LLVM 22.1.8", {}};
    ASSERT_TRUE(writeTextFile(Folder + "/" + Name + ".ergon.json", writeRecord(U, {example()})));
  }

  std::string Folder;
};
} // namespace

static double flops(const PredictionDocument &Document) {
  return Document.Counts.Values.at("flops_f64").get_d();
}

TEST_F(PredictorTest, OneOpeningAnswersForManyValues) {
  auto Records = Predictor::open({.Records = {.Directory = Folder}, .Machine = "i7-950"});
  ASSERT_TRUE(Records) << Records.error().line();
  auto Entry = Records->entry({.Entry = "axpy"});
  ASSERT_TRUE(Entry) << Entry.error().line();
  fs::remove_all(Folder); // nothing is read again
  double Before = 0;
  for (const int N : {1000, 2000, 4000}) {
    Entry->set({"n", N});
    const auto Found = Entry->predict();
    ASSERT_TRUE(Found) << Found.error().line();
    EXPECT_EQ(flops(*Found), 2.0 * N);
    EXPECT_EQ(Found->Machine, "i7-950");
    ASSERT_TRUE(Found->OnMachine);
    EXPECT_GT(Found->OnMachine->TimeS.Value, 0);
    EXPECT_GT(Found->OnMachine->EnergyJ.Value, Before);
    Before = Found->OnMachine->EnergyJ.Value;
  }
}

TEST_F(PredictorTest, CountsNeedNoMachineAndTellWhatHasNoValue) {
  auto Records = Predictor::open({.Records = {.Directory = Folder}});
  ASSERT_TRUE(Records) << Records.error().line();
  auto Entry = Records->entry({.Entry = "axpy"});
  ASSERT_TRUE(Entry) << Entry.error().line();
  auto Found = Entry->predict();
  ASSERT_TRUE(Found) << Found.error().line();
  EXPECT_THAT(Found->Counts.Unbound, ElementsAre("n"));
  Entry->set({"n", Bounds{10, 20}});
  Found = Entry->predict();
  ASSERT_TRUE(Found) << Found.error().line();
  EXPECT_EQ(Found->Counts.Ranges.at("flops_f64").Low, Rational(20));
  EXPECT_EQ(Found->Counts.Ranges.at("flops_f64").High, Rational(40));
  EXPECT_FALSE(Found->OnMachine);
}

TEST_F(PredictorTest, AnErrorIsOfTheQuestionAndNotOfTheNextOne) {
  auto Records = Predictor::open({.Records = {.Directory = Folder}});
  ASSERT_TRUE(Records) << Records.error().line();
  EXPECT_THAT(Records->entry({.Entry = "axpi"}).error().line(),
              HasSubstr("no function is called \"axpi\"; did you mean \"axpy\"?"));
  auto Entry = Records->entry({.Entry = "axpy"});
  ASSERT_TRUE(Entry) << Entry.error().line();
  Entry->set({"m", 5});
  EXPECT_THAT(Entry->predict().error().line(), HasSubstr("m=5: axpy has nothing called \"m\""));
  Entry->set(std::vector<GivenValue>{{"n", 5}});
  const auto Found = Entry->predict();
  ASSERT_TRUE(Found) << Found.error().line();
  EXPECT_EQ(flops(*Found), 10);
}

TEST_F(PredictorTest, WhatIsNoErrorIsANotice) {
  add("b");
  std::vector<std::string> Told;
  auto Records =
      Predictor::open({.Records = {.Directory = Folder},
                       .Notice = [&](const std::string &Text) { Told.push_back(Text); }});
  ASSERT_TRUE(Records) << Records.error().line();
  EXPECT_THAT(Told, ElementsAre(HasSubstr("are both records of a.c")));
  EXPECT_THAT(Predictor::open({.Records = {.Directory = Folder + "/none"}}).error().line(),
              HasSubstr("no such folder"));
}
