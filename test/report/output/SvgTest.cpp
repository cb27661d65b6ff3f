//===- SvgTest.cpp - plots as SVG ------------------------------------------===//

#include "report/output/Svg.h"

#include <gmock/gmock.h>

#include <limits>

using namespace ergon;
using testing::HasSubstr;
using testing::Not;

TEST(Svg, NothingOfATextIsMarkup) {
  EXPECT_EQ(escaped("a<b>\n|`[x](y)&\"'"),
            "a&#60;b&#62;&#92;u000a&#124;&#96;&#91;x&#93;&#40;y&#41;&#38;&#34;&#39;");
  Plot P{.Title = "</title><script>",
         .X = {.Label = "x"},
         .Y = {.Label = "y"},
         .Lines = {{.Label = "", .Points = {{1, 1}, {10, 100}, {0, 5}}}}};
  // From the lower left corner to the upper right one; what is not above 0 is left out.
  EXPECT_THAT(toSvg(P), HasSubstr("M80.0 380.0L700.0 40.0\""));
  P.Lines.front().Label = "<line>";
  P.Marks = {{.Label = "<mark>", .Position = {2, 2}, .Note = "<note>"}};
  P.Meanings = {{Plot::Shape::Disc, "<meaning>"}};
  const std::string Text = toSvg(P);
  for (const char *Hostile : {"<script>", "<line>", "<mark>", "<note>", "<meaning>"})
    EXPECT_THAT(Text, Not(HasSubstr(Hostile)));
  EXPECT_EQ(Text, toSvg(P));
  // No character of XML.
  EXPECT_EQ(escaped("\xef\xbf\xbf"), "&#92;uffff");
}

// 0 to 100 W and 5 % more on the 340 pixels between 380 and 40: 100 W are at 380 - 340/1.05 = 56.2,
// 50 W at 218.1. 0 to 10 s on 620 pixels: 4 s are at 80 + 620·4/10.5 = 316.2, 10 s at 670.5.
TEST(Svg, StepsHoldUpToTheNextPoint) {
  const Plot P{.Title = "",
               .X = {.Label = "", .Kind = Plot::Scale::Linear, .FromZero = true},
               .Y = {.Label = "", .Kind = Plot::Scale::Linear, .FromZero = true},
               .Lines = {{.Label = "", .Points = {{0, 100}, {4, 50}, {10, 50}}, .IsStep = true}}};
  EXPECT_THAT(toSvg(P), HasSubstr("\"M80.0 56.2L316.2 56.2L316.2 218.1L670.5 218.1\""));
}

// A point without a value is a gap, and one between gaps is a small circle.
TEST(Svg, Gaps) {
  const double None = std::numeric_limits<double>::quiet_NaN();
  const Plot P{
      .Title = "",
      .X = {.Label = "", .Kind = Plot::Scale::Logarithmic, .Ticks = {1, 2, 4, 8, 16}},
      .Y = {.Label = ""},
      .Lines = {{.Label = "", .Points = {{1, 1}, {2, 10}, {4, None}, {8, 10}, {16, None}}}}};
  const std::string Text = toSvg(P);
  EXPECT_THAT(Text, HasSubstr("\"M80.0 380.0L235.0 40.0\""));
  EXPECT_THAT(Text, HasSubstr("<circle cx=\"545.0\" cy=\"40.0\" r=\"2\""));
}

// A million changes of power are as large as the picture has columns, and keep their extremes.
TEST(Svg, ManyPoints) {
  Plot P{.Title = "",
         .X = {.Label = "", .Kind = Plot::Scale::Linear, .FromZero = true},
         .Y = {.Label = "", .Kind = Plot::Scale::Linear, .FromZero = true},
         .Lines = {{.Label = "", .IsStep = true}}};
  for (int I = 0; I != 1'000'000; ++I)
    P.Lines.front().Points.emplace_back(I, I == 500'000 ? 100 : I % 2);
  const std::string Text = toSvg(P);
  EXPECT_LT(Text.size(), 400'000U);
  EXPECT_THAT(Text, HasSubstr(" 56.2L"));
}

// Labels of two marks at one place: beside it, and above. A third, between others, has no room.
TEST(Svg, LabelsDoNotCoverEachOther) {
  Plot P{.Title = "", .X = {.Label = ""}, .Y = {.Label = ""}};
  P.Marks = {{.Label = "first", .Position = {10, 10}}, {.Label = "second", .Position = {10, 10}}};
  P.Marks.push_back({.Label = "", .Position = {1, 1}});
  P.Marks.push_back({.Label = "", .Position = {100, 100}});
  // The middle of 80 to 700 and of 380 to 40 is 390, 210.
  const std::string Text = toSvg(P);
  EXPECT_THAT(Text, HasSubstr("x=\"400.0\" y=\"214.0\" text-anchor=\"start\">first<"));
  EXPECT_THAT(Text, HasSubstr("x=\"398.0\" y=\"201.0\" text-anchor=\"start\">second<"));
  for (int I = 0; I != 8; ++I)
    P.Marks.push_back({.Label = "more", .Position = {10, 10}});
  P.Marks.push_back({.Label = "last", .Position = {10, 10}});
  EXPECT_THAT(toSvg(P), Not(HasSubstr(">last<")));
}

TEST(Svg, LongNamesAreShortened) {
  const Plot P{.Title = std::string(200, 't'),
               .X = {.Label = ""},
               .Y = {.Label = ""},
               .Lines = {{.Label = "ä" + std::string(60, 'l'), .Points = {{1, 1}}}}};
  const std::string Text = toSvg(P);
  EXPECT_THAT(Text, HasSubstr(">ä" + std::string(30, 'l') + "…<"));
  EXPECT_THAT(Text, HasSubstr(">" + std::string(83, 't') + "…<"));
  EXPECT_THAT(Text, HasSubstr("<title>" + std::string(200, 't') + "<"));
}
