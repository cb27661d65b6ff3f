//===- SamplesFormatTest.cpp - measured runs as CSV -----------------------===//

#include "formats/run/SamplesFormat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace ergon;
using testing::ElementsAre;
using testing::Optional;
using testing::SizeIs;

static const std::string Header =
    "workload,core_mhz,mem_mhz,core_mv,mem_mv,time_s,energy_j,flops_f64,bytes_dram\n";

static Samples samples(const std::string &Text) {
  auto Read = parseSamples(Text);
  EXPECT_TRUE(Read) << Read.error().line();
  return Read.value_or(Samples{});
}

static std::string errorOf(const std::string &Text) {
  auto Read = parseSamples(Text);
  return Read ? "no error" : Read.error().line();
}

TEST(SamplesFormat, ReadsARow) {
  const Samples S = samples(Header + "gemm,1000,877.5,900,1100,1.5e-3,2e+1,1E9,0\n");
  EXPECT_THAT(S.Classes, ElementsAre("flops_f64", "bytes_dram"));
  ASSERT_THAT(S.Rows, SizeIs(1));
  const Sample &Row = S.Rows[0];
  EXPECT_EQ(Row.Workload, "gemm");
  EXPECT_EQ(Row.Clocks.CoreMhz, 1000);
  EXPECT_EQ(Row.Clocks.MemMhz, 877.5);
  EXPECT_EQ(Row.Clocks.CoreMv, 900);
  EXPECT_EQ(Row.Clocks.MemMv, 1100);
  EXPECT_EQ(Row.TimeS, 1.5e-3);
  EXPECT_EQ(Row.EnergyJ, 20);
  EXPECT_THAT(Row.Counts, ElementsAre(Optional(1e9), Optional(0.0)));
  EXPECT_EQ(Row.Line, 2u);
}

TEST(SamplesFormat, BlankIsNotKnownAndNoMemoryClockIsNone) {
  const Samples S = samples(Header + "a,1000,,,,1,,,7\nb,1000,0,900,0,1,2,3, \n");
  ASSERT_THAT(S.Rows, SizeIs(2));
  for (const Sample &Row : S.Rows) {
    EXPECT_EQ(Row.Clocks.MemMhz, std::nullopt);
    EXPECT_EQ(Row.Clocks.MemMv, std::nullopt);
  }
  EXPECT_EQ(S.Rows[0].Clocks.CoreMv, std::nullopt);
  EXPECT_EQ(S.Rows[0].EnergyJ, std::nullopt);
  EXPECT_THAT(S.Rows[0].Counts, ElementsAre(std::nullopt, Optional(7.0)));
  EXPECT_THAT(S.Rows[1].Counts, ElementsAre(Optional(3.0), std::nullopt));
}

TEST(SamplesFormat, ColumnsInAnyOrderQuotesMarksAndLineBreaks) {
  const Samples S = samples("\xEF\xBB\xBF"
                            "hops,energy_j,\"time_s\",mem_mv,core_mv,mem_mhz,core_mhz,workload\r\n"
                            "\r\n"
                            "5,2,1,,,,1000,\"a \"\"b\"\", c\"\r\n"
                            " 6 , 2,1 ,,,,\"1000\",d");
  EXPECT_THAT(S.Classes, ElementsAre("hops"));
  ASSERT_THAT(S.Rows, SizeIs(2));
  EXPECT_EQ(S.Rows[0].Workload, "a \"b\", c");
  EXPECT_EQ(S.Rows[0].Line, 3u);
  EXPECT_THAT(S.Rows[1].Counts, ElementsAre(Optional(6.0)));
  EXPECT_EQ(S.Rows[1].Line, 4u);
}

TEST(SamplesFormat, EveryShippedColumnMustBeThere) {
  for (std::string_view Column : SampleColumns) {
    std::string Baseline = Header;
    Baseline.erase(Baseline.find(Column), Column.size() + 1);
    EXPECT_EQ(errorOf(Baseline),
              "line 1: there is no column " + std::string(Column) +
                  "; name it in the first line; where its values are not known, leave cells blank");
  }
}

TEST(SamplesFormat, ErrorsOfTheFirstLine) {
  EXPECT_EQ(errorOf(""), "there is no line that names the columns; begin with one");
  EXPECT_EQ(errorOf(Header),
            "line 1: there are no rows below the names of the columns; add a row for each "
            "measurement");
  EXPECT_EQ(errorOf("workload,core_mhz,mem_mhz,core_mv,mem_mv,time_s,energy_j\n"),
            "line 1: there is no column of a cost class; add the counts, a column for each class");
  EXPECT_EQ(errorOf("workload,time_s,hops,time_s\n"),
            "line 1: two columns are named \"time_s\"; leave one of the two out");
  for (const char *Name : {"", "constant", "2nd", "bytes dram", "a;b", "\xFF"})
    EXPECT_THAT(errorOf("workload," + std::string(Name) + "\n"),
                testing::StartsWith("line 1: column 2, " + inQuotes(Name) +
                                    ", cannot name a cost class; separate columns by commas"));
}

TEST(SamplesFormat, ErrorsOfACell) {
  const char *const Names[] = {"workload", "core_mhz", "mem_mhz",   "core_mv",   "mem_mv",
                               "time_s",   "energy_j", "flops_f64", "bytes_dram"};
  auto Function = [&](std::size_t Column, const std::string &Cell) {
    std::string Row;
    for (std::size_t K = 0; K != std::size(Names); ++K)
      Row += (K ? "," : "") + (K == Column ? Cell : K ? "3" : "gemm");
    return errorOf(Header + "ok,1,1,1,1,1,1,1,1\n" + Row + "\n");
  };
  for (std::size_t K = 0; K != std::size(Names); ++K) {
    const std::string Where = "line 3, column " + std::string(Names[K]) + ": ";
    const bool MustBeKnown = K == 0 || K == 1 || K == 5;
    const bool MayBeZero = K == 2 || K == 4 || K > 6;
    const std::string Else =
        MayBeZero ? "or leave it blank where it is not known" : "or leave the row out";
    EXPECT_EQ(Function(K, "").starts_with(Where + "is blank; "), MustBeKnown) << Function(K, "");
    if (K == 0)
      continue;
    for (const char *Bad : {"nan", "inf", "-inf", "NaN", "0x10", "12 W", "1.5.2", "1e", "+", "--1",
                            "\"1,5\"", "1_000", "\xC2\xA0"}) {
      const std::string Cell(Bad), Bare = Cell.starts_with('"') ? "1,5" : Cell;
      EXPECT_EQ(Function(K, Cell),
                Where + inQuotes(Bare) + " is not a number; write it like 12.5 or 1.25e1, " + Else);
    }
    EXPECT_THAT(Function(K, "1e999"), testing::StartsWith(Where + "\"1e999\" is too large"));
    EXPECT_EQ(Function(K, "-2.5"), Where + "-2.5 is below 0; correct it, " + Else);
    EXPECT_EQ(Function(K, "0"),
              MayBeZero ? "no error"
                        : Where + "is 0 where a number above 0 is wanted; correct it, " + Else);
  }
}

TEST(SamplesFormat, ErrorsOfALine) {
  const char *const Fix = "; separate cells by commas, write numbers with a decimal point";
  EXPECT_EQ(errorOf(Header + "a,1000,,,,1,2,3\n"),
            std::string("line 2: has 8 cells where the first line names 9 columns") + Fix);
  EXPECT_EQ(errorOf(Header + "a,1000,,,,1,5,2,3,4\n"),
            std::string("line 2: has 10 cells where the first line names 9 columns") + Fix);
  for (const char *Row :
       {"\"a,1000,,,,1,2,3,4", "\"a,1000,,,,1,2,3,4\nb,1000,,,,1,2,3,4", "a\"b\",1000,,,,1,2,3,4",
        "\"a\"b,1000,,,,1,2,3,4", "\"a\nb\",1,,,,1,2,3"})
    EXPECT_EQ(errorOf(Header + Row),
              "line 2: the quotes of a cell are broken; begin and end the cell with a quote on "
              "one line, write a quote in it twice");
}

/// Texts near a good one: what is accepted has the promised form, the rest one line of error.
TEST(SamplesFormat, DamagedTextsAreReadOrRefused) {
  const std::string Good =
      Header + "\"a, b\",1000,877,900,1100,1.5e-3,2,1e9,0\r\nc,500,,,,1,2,,3\nd,500,0,,,1,2,3,4\n";
  constexpr std::string_view Spice("\",\n\r;-.0e9 \t\xEF\xBB\xBF\0x", 18);
  std::mt19937 Random(1);
  auto Below = [&](std::size_t Bound) { return Random() % Bound; };
  std::size_t Accepted = 0;
  for (int Round = 0; Round != 20000; ++Round) {
    std::string Text = Good;
    for (std::size_t Times = 1 + Below(3); Times && !Text.empty(); --Times)
      switch (const std::size_t Position = Below(Text.size()); Below(4)) {
      case 0:
        Text[Position] = Spice[Below(Spice.size())];
        break;
      case 1:
        Text.insert(Position, 1, Spice[Below(Spice.size())]);
        break;
      case 2:
        Text.erase(Position, 1 + Below(8));
        break;
      default:
        Text.insert(Position, Text, Below(Text.size()), Below(20));
      }
    const auto Read = parseSamples(Text);
    if (!Read) {
      EXPECT_EQ(Read.error().line().find_first_of("\r\n"), std::string::npos);
      EXPECT_NE(Read.error().Fix, "");
      continue;
    }
    ++Accepted;
    EXPECT_THAT(Read->Rows, testing::Not(testing::IsEmpty()));
    for (const Sample &Row : Read->Rows) {
      EXPECT_THAT(Row.Counts, SizeIs(Read->Classes.size()));
      EXPECT_NE(Row.Workload, "");
      EXPECT_GT(Row.TimeS, 0);
      EXPECT_GT(Row.EnergyJ.value_or(1), 0);
      EXPECT_GT(Row.Clocks.CoreMhz.value_or(0), 0);
      EXPECT_GT(Row.Clocks.MemMhz.value_or(1), 0);
      for (const std::optional<double> &Count : Row.Counts)
        EXPECT_GE(Count.value_or(0), 0);
    }
  }
  EXPECT_GT(Accepted, 1000u);
}

TEST(SamplesFormat, IsWrittenAsItIsRead) {
  Samples Table{{"flops_f64", "bytes_dram"}, {}};
  Sample Row;
  Row.Workload = "f<\"a\",1>/x=2";
  Row.Clocks.CoreMhz = 1480;
  Row.TimeS = 0.1;
  Row.Counts = {1e9, std::nullopt};
  Table.Rows.push_back(Row);
  const std::string Text = writeSamples(Table);
  EXPECT_EQ(Text, "workload,core_mhz,mem_mhz,core_mv,mem_mv,time_s,energy_j,flops_f64,bytes_dram\n"
                  "\"f<\"\"a\"\",1>/x=2\",1480,,,,0.1,,1e+09,\n");
  const auto Read = parseSamples(Text);
  ASSERT_TRUE(Read) << Read.error().line();
  EXPECT_EQ(Read->Rows[0].Workload, Row.Workload);
  EXPECT_EQ(Read->Rows[0].Counts, Row.Counts);
  EXPECT_EQ(Read->Rows[0].EnergyJ, std::nullopt);
}
