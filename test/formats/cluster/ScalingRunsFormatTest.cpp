//===- ScalingRunsFormatTest.cpp - runs on several processors as CSV ------===//

#include "formats/cluster/ScalingRunsFormat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ergon;

static std::string errorOf(std::string_view Text) {
  const auto Runs = parseScalingRuns(Text);
  return Runs ? "no error" : Runs.error().line();
}

TEST(ScalingRunsFormat, ReadsEveryColumn) {
  const auto Runs = parseScalingRuns("p,time_s,energy_j,nodes,n,core_mhz,workload\n"
                                     "1,100,5e3,,162,1730,bt\n"
                                     "\n"
                                     "32,4.5,,2,162,,sp\n");
  ASSERT_TRUE(Runs) << Runs.error().line();
  ASSERT_EQ(Runs->size(), 2);
  EXPECT_EQ(Runs->front().Workload, "bt");
  EXPECT_EQ(Runs->front().N, 162);
  EXPECT_EQ(Runs->front().P, 1);
  EXPECT_FALSE(Runs->front().Nodes);
  EXPECT_EQ(Runs->front().Mhz, 1730);
  EXPECT_EQ(Runs->front().TimeS, 100);
  EXPECT_EQ(Runs->front().EnergyJ, 5000);
  EXPECT_EQ(Runs->back().Nodes, 2);
  EXPECT_FALSE(Runs->back().Mhz);
  EXPECT_FALSE(Runs->back().EnergyJ);
  EXPECT_EQ(Runs->back().Line, 4);
}

TEST(ScalingRunsFormat, TwoColumnsAreEnough) {
  const auto Runs = parseScalingRuns("time_s,p\n3,2\n");
  ASSERT_TRUE(Runs);
  EXPECT_EQ(Runs->front().Workload, "");
  EXPECT_EQ(Runs->front().N, 1);
}

TEST(ScalingRunsFormat, Errors) {
  EXPECT_EQ(errorOf("p,seconds\n"),
            "line 1: no column of measured runs is called \"seconds\"; the columns are: workload, "
            "n, p, nodes, core_mhz, time_s, energy_j");
  EXPECT_EQ(errorOf("p,energy_j\n1,2\n"),
            "line 1: there is no column time_s; name it in the first line");
  EXPECT_EQ(
      errorOf("p,time_s\n1.5,2\n"),
      "line 2, column p: 1.5 is no whole number up to 1e15; correct it, or leave the row out");
  EXPECT_EQ(errorOf("p,time_s\n0,2\n"), "line 2, column p: is 0 where a number above 0 is wanted; "
                                        "correct it, or leave the row out");
  EXPECT_EQ(errorOf("p,time_s\n2,\n"),
            "line 2, column time_s: is blank; fill it in, or leave the row out");
  EXPECT_EQ(errorOf("p,nodes,time_s\n2,3,1\n"),
            "line 2, column nodes: more nodes than processors; correct it, or leave the row out");
  EXPECT_EQ(errorOf("workload,p,time_s\n,3,1\n"),
            "line 2, column workload: is blank; name the workload of the row");
  EXPECT_THAT(errorOf("p,time_s\n1e300,2\n"), testing::HasSubstr("no whole number up to 1e15"));
  EXPECT_EQ(errorOf("p,time_s\n1,1e300\n"),
            "line 2, column time_s: 1e300 is not between 1e-12 and 1e15; write seconds and joules, "
            "or leave the row out");
  EXPECT_THAT(errorOf("p,time_s,energy_j\n2,1,-3\n"), testing::HasSubstr("-3 is below 0"));
}
