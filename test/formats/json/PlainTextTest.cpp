//===- PlainTextTest.cpp - text that a terminal only shows ----------------===//

#include "formats/json/PlainText.h"

#include <gtest/gtest.h>

using namespace ergon;

namespace {

TEST(PlainText, IsKept) {
  EXPECT_EQ(plainText("void f<int>(int const*)\t2·n³ é 漢 🙂"),
            "void f<int>(int const*)\t2·n³ é 漢 🙂");
  EXPECT_EQ(plainText(""), "");
}

TEST(PlainText, IsEscaped) {
  EXPECT_EQ(plainText("\033[31m\007\r\n\177"), "\\u001b[31m\\u0007\\u000d\\u000a\\u007f");
  EXPECT_EQ(plainText("\u0085\u009b2J"), "\\u0085\\u009b2J");
  EXPECT_EQ(plainText("\u202e\u2066\u061c\u200f\ufeff\u2028"),
            "\\u202e\\u2066\\u061c\\u200f\\ufeff\\u2028");
  EXPECT_EQ(plainText(std::string_view("a\0b", 3)), "a\\u0000b");
}

// RFC 3629: stray and missing continuations, an overlong slash, a surrogate, above U+10FFFF. Of
// bytes that are no character 0x9b alone may begin a sequence of a terminal.
TEST(PlainText, IsNoUtf8) {
  EXPECT_EQ(plainText("\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(plainText("\xc3"), "\\xc3");
  EXPECT_EQ(plainText("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(plainText("\xc3("), "\\xc3(");
  EXPECT_EQ(plainText("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(plainText("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(plainText("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(PlainText, FirstCharacterEndsLater) {
  EXPECT_EQ(firstCharacter("\xe2\x80").Bytes, 0u);
  EXPECT_EQ(firstCharacter("\xe2\x80\xae").Bytes, 3u);
  EXPECT_EQ(firstCharacter("\xe2\x80\xae").Escape, "\\u202e");
  EXPECT_EQ(firstCharacter("\n").Escape, "");
}

} // namespace
