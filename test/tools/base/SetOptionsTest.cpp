//===- SetOptionsTest.cpp - values from the command line ------------------===//

#include "tools/base/SetOptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ergon;
using testing::HasSubstr;

TEST(SetOptions, APairIsANameAndANumberOrAnInterval) {
  const auto Values = readSets({"n=1e3", "x=0.2..0.5", "trips@a.c:1:2=4"});
  ASSERT_TRUE(Values) << Values.error().line();
  ASSERT_EQ(Values->size(), 3u);
  EXPECT_EQ((*Values)[0].Name, "n");
  EXPECT_EQ((*Values)[0].Source, "--set n=1e3");
  EXPECT_EQ((*Values)[0].Range->Low, Rational(1000));
  EXPECT_EQ((*Values)[1].Range->Low, Rational(1, 5));
  EXPECT_EQ((*Values)[1].Range->High, Rational(1, 2));
  EXPECT_EQ((*Values)[2].Name, "trips@a.c:1:2");
}

TEST(SetOptions, WhatIsNoPairIsAnError) {
  for (const char *Set : {"n", "=5"}) {
    const auto Values = readSets({Set});
    ASSERT_FALSE(Values);
    EXPECT_THAT(Values.error().line(), HasSubstr(std::string("--set ") + Set + ": not NAME=VALUE"));
  }
}

TEST(SetOptions, ANumberThatIsNoneIsToldWhereItIsUsed) {
  const auto Values = readSets({"n=ten", "m=5..4"});
  ASSERT_TRUE(Values);
  EXPECT_EQ((*Values)[0].Range.error().What, "\"ten\" is not a number");
  EXPECT_EQ((*Values)[1].Range.error().What, "\"5..4\" ends before it begins");
}
