//===- LogNumbersTest.cpp - numbers, units and times of logs --------------===//

#include "formats/import/LogNumbers.h"
#include "formats/import/LogText.h"

#include <gtest/gtest.h>

namespace ergon {

TEST(LogNumbers, HaveUnitsBehindThem) {
  EXPECT_EQ(readNumber("155.06GB/s").Value, 155.06);
  EXPECT_EQ(readNumber("155.06GB/s").Unit, "GB/s");
  EXPECT_EQ(readNumber(" 208.36 W ").Value, 208.36);
  EXPECT_EQ(readNumber("208.36 W").Unit, "W");
  EXPECT_EQ(readNumber("100.000000%").Unit, "%");
  EXPECT_EQ(readNumber("1.234567e+09").Value, 1.234567e9);
  EXPECT_EQ(readNumber("-3").Value, -3);
  for (const char *None : {"[N/A]", "[Not Supported]", "N/A", "-", "Low (2)", "", "nan", "."})
    EXPECT_FALSE(readNumber(None).Value) << None;
}

TEST(LogNumbers, FollowTheLocale) {
  auto Style = [](std::initializer_list<const char *> Cells) {
    NumberStyleFinder Finder;
    for (const char *Cell : Cells)
      Finder.look(Cell);
    return Finder.found();
  };
  EXPECT_EQ(Style({"1,234"}), NumberStyle::Point);
  EXPECT_EQ(Style({"117.344", "27.595.520", "65,77"}), NumberStyle::Comma);
  EXPECT_EQ(Style({"1,234,567.5", "0.5"}), NumberStyle::Point);
  EXPECT_EQ(Style({"65,77", "65.77"}), std::nullopt);
  EXPECT_EQ(readNumber("1,234", NumberStyle::Point).Value, 1234);
  EXPECT_EQ(readNumber("117.344", NumberStyle::Comma).Value, 117344);
  EXPECT_EQ(readNumber("65,77", NumberStyle::Comma).Value, 65.77);
}

TEST(LogNumbers, KnowUnitsByTheirQuantity) {
  EXPECT_EQ(unitSize("usecond", LogQuantity::Time), 1e-6);
  EXPECT_EQ(unitSize("cycle/nsecond", LogQuantity::Frequency), 1e9);
  EXPECT_EQ(unitSize("Kbyte", LogQuantity::Bytes), 1e3);
  EXPECT_EQ(unitSize("MiB", LogQuantity::Bytes), 1048576);
  EXPECT_EQ(unitSize("ms", LogQuantity::Bytes), std::nullopt);
  EXPECT_FALSE(logUnit("furlong"));
}

TEST(LogNumbers, ReadTimes) {
  // 2019-08-23 is day 18131 since 1970.
  const double Day = 18131 * 86400.0;
  EXPECT_DOUBLE_EQ(readTimestamp("2019/08/23 14:54:47.307").value(), Day + 53687.307);
  EXPECT_DOUBLE_EQ(readTimestamp("2019-08-23T14:54:47").value(), Day + 53687);
  EXPECT_DOUBLE_EQ(readTimestamp("20190823 14:54:47").value(), Day + 53687);
  EXPECT_DOUBLE_EQ(readTimestamp("1566572087.307").value(), 1566572087.307);
  for (const char *None : {"2019/13/23 14:54:47", "2019/08/23", "14:54:47", "1566", "208.36 W",
                           "2019/02/30 14:54:47", "2019/08/23 25:54:47"})
    EXPECT_FALSE(readTimestamp(None)) << None;
}

TEST(LogText, IsSplitIntoLines) {
  const auto Lines = logLines("\xEF\xBB\xBF a\r\n\r\nb");
  ASSERT_TRUE(Lines);
  ASSERT_EQ(Lines->size(), 2u);
  EXPECT_EQ(Lines->at(0).Text, "a");
  EXPECT_TRUE(Lines->at(0).IsWhole);
  EXPECT_EQ(Lines->at(1).Number, 3u);
  EXPECT_FALSE(Lines->at(1).IsWhole);
  EXPECT_EQ(logLines(" \n\n").error().What, "is empty");
  EXPECT_EQ(logLines("\xFF\xFE"
                     "a")
                .error()
                .Fix,
            "convert it: iconv -f utf-16 -t utf-8 FILE");
  EXPECT_EQ(logLines(std::string_view("SQLite\0", 7)).error().What, "is no text");
}

TEST(LogText, CellsAreCsv) {
  EXPECT_EQ(csvCells("\"f(int, int)\", 3 ,\"a\"\"b\""),
            (std::vector<std::string>{"f(int, int)", "3", "a\"b"}));
  EXPECT_FALSE(csvCells("\"cut off"));
}

} // namespace ergon
