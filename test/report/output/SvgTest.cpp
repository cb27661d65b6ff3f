//===- SvgTest.cpp - what is escaped in plots -----------------------------===//

#include "report/output/Svg.h"

#include <gmock/gmock.h>

using namespace ergon;
using testing::HasSubstr;
using testing::Not;

TEST(Svg, NothingOfATextIsMarkup) {
  EXPECT_EQ(escaped("a<b>\n|`[x](y)&\"'"),
            "a&#60;b&#62;&#92;u000a&#124;&#96;&#91;x&#93;&#40;y&#41;&#38;&#34;&#39;");
  Plot Of{"</title><script>", "x", "y", {{"<line>", {{1, 1}, {10, 100}, {0, 5}}}}, {}};
  const std::string Text = toSvg(Of);
  EXPECT_THAT(Text, Not(HasSubstr("<script>")));
  EXPECT_THAT(Text, Not(HasSubstr("<line>")));
  // From the lower left corner to the upper right one; what is not above 0 is left out.
  EXPECT_THAT(Text, HasSubstr("M80.0 380.0L700.0 40.0\""));
}
