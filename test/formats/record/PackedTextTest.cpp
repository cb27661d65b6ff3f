//===- PackedTextTest.cpp - long texts without their repetitions ----------===//

#include "formats/record/PackedText.h"

#include <gtest/gtest.h>

#include <random>

using namespace ergon;

TEST(PackedText, RepetitionsAreReferences) {
  EXPECT_EQ(packText("abc"), "abc");
  EXPECT_EQ(packText("repeated, repeated"), "repeated, ^309"); // 8 = 5 + 3 of 10 = 9 + 1 ago
  EXPECT_EQ(packText("aaaaaaaaaaaaa"), "a^700");               // a reference may reach into itself
  EXPECT_EQ(packText("\"key\":'^'~!"), "'key':\"!^\"!~!!");
  EXPECT_EQ(packText(""), "");
}

TEST(PackedText, ReadsBackEqual) {
  std::mt19937 Random(7);
  const std::string Words[] = {
      "\"counts\":{", "taken@a.c:1:2", "ü", "✓✓", "'", "~", "^", "!", "n", "\\", ",", "}"};
  for (int Size : {1, 10, 1000, 300'000}) {
    std::string Text;
    for (int I = 0; I != Size; ++I)
      Text += Words[Random() % std::size(Words)] + (Random() % 8 ? "" : std::to_string(Random()));
    const std::string Packed = packText(Text);
    EXPECT_EQ(unpackText(Packed), Text) << Size;
    EXPECT_EQ(packText(Text), Packed);
  }
}

/// No reference begins or ends inside of a character: what is left is UTF-8.
TEST(PackedText, CharactersStayWhole) {
  // In UTF-8 é is C3 A9, è is C3 A8, and ũ is C5 A9: bytes are equal where characters are not.
  const std::string Text = "ééééé èèèèè ũũũũũ ééééé aèaèaèaè ũũũũũé";
  const std::string Packed = packText(Text);
  EXPECT_EQ(unpackText(Packed), Text);
  for (std::size_t I = 0; I != Packed.size(); ++I) {
    const auto Byte = static_cast<unsigned char>(Packed[I]);
    if ((Byte & 0xE0) == 0xC0) {
      ASSERT_LT(I + 1, Packed.size());
      EXPECT_EQ(static_cast<unsigned char>(Packed[I + 1]) & 0xC0, 0x80) << Packed;
      ++I;
    } else {
      EXPECT_LT(Byte, 0x80) << Packed;
    }
  }
}

TEST(PackedText, WhatIsNoPackedText) {
  for (const char *Bad : {"^", "^0", "^00", "^000", "abc^003", "abcdef~000", "abcdef^0?0", "abc!",
                          "abcdef~00", "abcdef^010"})
    EXPECT_EQ(unpackText(Bad), std::nullopt) << Bad;
  EXPECT_EQ(unpackText("abcdef^005"), "abcdefabcde");
}
