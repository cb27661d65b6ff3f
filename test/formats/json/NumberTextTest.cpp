//===- NumberTextTest.cpp - numbers as people write them ------------------===//

#include "formats/json/NumberText.h"

#include <gtest/gtest.h>

#include <map>

using namespace ergon;

TEST(NumberText, NumbersAreExact) {
  const std::map<std::string, Rational> Good = {
      {"4096", 4096},      {"-3", -3},           {"+3", 3},
      {"0.25", {1, 4}},    {"0.9", {9, 10}},     {".5", {1, 2}},
      {"1e9", 1000000000}, {"1.5e3", 1500},      {"25E-2", {1, 4}},
      {"3/4", {3, 4}},     {"-6/8", {-3, 4}},    {"010", 10},
      {"08", 8},           {"1/010", {1, 10}},   {"0", 0},
      {"5.", 5},           {"00.0625", {1, 16}}, {"9007199254740993", 9007199254740993},
  };
  for (const auto &[Text, Want] : Good)
    EXPECT_EQ(parseNumber(Text), Want) << Text;
  for (const char *Text : {"", "-", ".", "x", "1x", "1 ", " 1", "--1", "1/0", "1/", "/2", "1/2.5",
                           "1.5/2", "1e", "1e1234", "0x10", "1,5", "inf", "nan"})
    EXPECT_FALSE(parseNumber(Text)) << Text;
}
