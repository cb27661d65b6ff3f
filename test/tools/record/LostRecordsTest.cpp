// What compilers tell `ergon record`, and which records are lost by that; names that are not UTF-8.

#include "tools/record/LostRecords.h"
#include "formats/json/FileName.h"
#include "formats/json/Json.h"
#include "formats/record/BuildNotes.h"

#include <gmock/gmock.h>

#include <climits>
#include <random>

using namespace ergon;
using testing::ElementsAre;
using Event = BuildNote::Event;

/// As utf8Length() has it, all of it.
static bool isValid(std::string_view Text) {
  while (const std::size_t Length = utf8Length(Text))
    Text.remove_prefix(Length);
  return Text.empty();
}

// simdjson's check is another program.
TEST(FileName, Utf8) {
  std::size_t Valid = 0;
  for (int First = 0; First != 256; ++First)
    for (int Second = 0; Second != 256; ++Second)
      for (const char *Rest : {"", "\x7f", "\x80", "\xbf", "\xc0", "\x80\x7f", "\x80\x80",
                               "\x80\xbf", "\xbf\xbf", "\xbf\xc0", "\x80\x80\x80"}) {
        const std::string Text = std::string{char(First), char(Second)} + Rest;
        EXPECT_EQ(isValid(Text), isUtf8(Text)) << First << " " << Second;
        Valid += isUtf8(Text);
      }
  // 128 * 128 pairs of ASCII, twice (alone, before 0x7f), …: it is not that all are refused.
  EXPECT_GT(Valid, 2U * 128 * 128);
}

TEST(FileName, EachNameHasOneText) {
  std::mt19937 Random(1);
  static constexpr std::string_view Parts[] = {"\\",  "\\x", "\\xe9", "\xe9",
                                               "x5c", "é",   "e",     "\xff"};
  for (int I = 0; I != 10000; ++I) {
    std::string Name;
    for (int J = int(Random() % 6); J >= 0; --J)
      Name += Parts[Random() % std::size(Parts)];
    const std::string Text = textOfName(Name);
    EXPECT_TRUE(isUtf8(Text));
    EXPECT_EQ(nameOfText(Text), Name);
  }
  EXPECT_EQ(textOfName("naïve \\x.c"), "naïve \\x.c");
  EXPECT_EQ(textOfName("caf\xe9\\xe9"), "caf\\xe9\\x5cxe9");
  EXPECT_EQ(validText("caf\xe9\\xe9"), "caf\\xe9\\xe9");
}

TEST(BuildNotes, AreReadAsTheyWereWritten) {
  const BuildNote Begun{Event::Begun, "f.c-1.ergon.json", "/a b\n", "f.c", ""},
      Lost{Event::Lost, "g.c-2.ergon.json", "/", "g.c", "No space left on device"};
  const std::string Text = writeNote(Begun) + writeNote(Lost);
  EXPECT_THAT(parseNotes(Text), ElementsAre(Begun, Lost));
  EXPECT_THAT(parseNotes(Text.substr(0, Text.size() - 1)), ElementsAre(Begun));
  EXPECT_THAT(parseNotes(Text + std::string(1, '\0')), ElementsAre(Begun, Lost));
}

// More is not written at once to a pipe, so that notes of several compilers could be mixed.
TEST(BuildNotes, FitIntoOneWrite) {
  BuildNote Long{Event::Lost, std::string(255, 'r'), std::string(4000, 'd'), std::string(4000, 's'),
                 std::string(9000, 'w')};
  EXPECT_LE(writeNote(Long).size(), std::size_t(PIPE_BUF));
  const auto Read = parseNotes(writeNote(Long));
  ASSERT_EQ(Read.size(), 1U);
  EXPECT_EQ(Read[0].Record, Long.Record);
  EXPECT_EQ(Read[0].Source, "");
  Long.Directory = std::string(1000, 'd');
  Long.Source = std::string(1000, 's');
  EXPECT_LE(writeNote(Long).size(), std::size_t(PIPE_BUF));
  EXPECT_EQ(parseNotes(writeNote(Long))[0].Source, Long.Source);
}

TEST(LostRecords, ByWhatWasToldLast) {
  const auto Lost = lostRecords({{Event::Begun, "a", "/", "a.c", ""},
                                 {Event::Begun, "b", "/", "b.c", ""},
                                 {Event::Begun, "c", "/", "c.c", ""},
                                 {Event::Lost, "b", "/", "b.c", "full"},
                                 {Event::Written, "c", "/", "c.c", ""},
                                 {Event::Started, "compiler 1", "/", "c.c", ""},
                                 {Event::Started, "compiler 2", "/", "d.c", ""},
                                 {Event::Started, "compiler 3", "/", "e.c", ""},
                                 {Event::Ended, "compiler 3", "/", "e.c", ""},
                                 {Event::Lost, "a", "/", "a.c", "full"},
                                 {Event::Begun, "a", "/", "a.c", ""}},
                                "/no/such/folder");
  EXPECT_THAT(Lost, ElementsAre(BuildNote{Event::Lost, "a", "/", "a.c",
                                          "the compiler ended before it was written"},
                                BuildNote{Event::Lost, "b", "/", "b.c", "full"},
                                BuildNote{Event::Lost, "c", "/", "c.c",
                                          "it was written, and is no longer in the folder"},
                                BuildNote{Event::Lost, "compiler 2", "/", "d.c",
                                          "the compiler ended before it was written"}));
}
