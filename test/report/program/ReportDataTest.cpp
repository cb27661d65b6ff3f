//===- ReportDataTest.cpp - the document of a report ----------------------===//

#include "report/program/ReportData.h"

#include <gmock/gmock.h>

using namespace ergon;
using testing::HasSubstr;
using testing::Not;

TEST(ReportData, ComesBackWhateverIsInIt) {
  ReportData Data;
  Data.Compiler = "LLVM \"22\"";
  Data.Set = {{"n", "0.2..0.5"}};
  Data.Machines = {"{}"};
  Data.Libraries = {"<!-- x"};
  Data.Sources = {{"</script>.c", "ok", "a\n\t\\ </SCRIPT> \xe2\x80\xa8 \x01 \xf0\x9f\x98\x80"}};
  Data.Records = {{"{\"record\": 1}", {{"x.c", 0}}}};
  Data.Functions = {{0, "f<int>", "algorithm"}};
  const std::string Text = writeReportData(Data);
  EXPECT_THAT(Text, Not(HasSubstr("<")));
  for (const char C : Text)
    ASSERT_TRUE(C >= ' ' && C < 0x7f) << int(C);
  const auto Back = parseReportData(Text);
  ASSERT_TRUE(Back) << Back.error().line();
  EXPECT_EQ(Back->Compiler, Data.Compiler);
  EXPECT_EQ(Back->Set, Data.Set);
  EXPECT_EQ(Back->Libraries, Data.Libraries);
  EXPECT_EQ(Back->Sources[0].Path, Data.Sources[0].Path);
  EXPECT_EQ(Back->Sources[0].Text, Data.Sources[0].Text);
  EXPECT_EQ(Back->Records[0].Sources, Data.Records[0].Sources);
  EXPECT_EQ(Back->Functions[0].Name, "f<int>");
}

TEST(ReportData, RefusesNumbersOfNothing) {
  ReportData Data;
  Data.Functions = {{3, "f", "algorithm"}};
  const auto Back = parseReportData(writeReportData(Data));
  ASSERT_FALSE(Back);
  EXPECT_EQ(Back.error().line(),
            "/functions/0/record: there is no number 3; make the report again");
}
