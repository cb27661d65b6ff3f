//===- ApplicationFormatTest.cpp - application vectors as JSON ------------===//
//
// The loader on test/applications (test/profiles/schema_test.py holds the schema to the
// same files). Wants the source folder in the macro ERGON_SOURCE_DIR.
//
//===----------------------------------------------------------------------===//

#include "formats/cluster/ApplicationFormat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace ergon;
namespace fs = std::filesystem;

static const fs::path Folder = fs::path(ERGON_SOURCE_DIR) / "test/applications";

static std::string read(const fs::path &Path) {
  auto Text = readTextFile(Path);
  EXPECT_TRUE(Text) << Path;
  return Text.value_or("");
}

static std::vector<fs::path> jsonFiles(const fs::path &P) {
  std::vector<fs::path> Files;
  for (const auto &Entry : fs::directory_iterator(P))
    if (Entry.path().extension() == ".json")
      Files.push_back(Entry.path());
  std::ranges::sort(Files);
  EXPECT_FALSE(Files.empty());
  return Files;
}

TEST(ApplicationFormat, AcceptsEveryGoodFile) {
  for (const fs::path &File : jsonFiles(Folder / "good")) {
    const auto A = parseApplication(read(File));
    EXPECT_TRUE(A) << File << ": " << A.error().line();
  }
}

TEST(ApplicationFormat, RefusesEveryBadFileWithItsOneLine) {
  for (const fs::path &File : jsonFiles(Folder / "bad")) {
    const auto A = parseApplication(read(File));
    ASSERT_FALSE(A) << File;
    EXPECT_EQ(A.error().line() + "\n", read(fs::path(File).replace_extension(".expected"))) << File;
  }
}

TEST(ApplicationFormat, RefusesEveryTruncation) {
  const std::string Text = read(Folder / "good/full.json");
  const std::size_t End = Text.rfind('}');
  for (std::size_t Length = 0; Length <= End; ++Length)
    EXPECT_FALSE(parseApplication(std::string_view(Text).substr(0, Length))) << Length;
}

/// Of full.json at n = 100, p = 4 and m = 2; a ring's allreduce has 2·3 steps of 1/4 and
/// four processes: M = 3 + 4·6·20, B = 8·100·3 + 4·(6/4)·160.
TEST(ApplicationFormat, ReadsWhatIsWritten) {
  const auto A = parseApplication(read(Folder / "good/full.json"));
  ASSERT_TRUE(A);
  EXPECT_EQ(A->Name, "a");
  EXPECT_EQ(A->Overlap.Value, 1);
  EXPECT_EQ(A->parameters(), std::set<std::string>{"m"});
  EXPECT_FALSE(A->hasSteps());
  EXPECT_EQ(A->Notes, std::vector<std::string>{"Made up."});
  EXPECT_EQ(A->Machines.at("m").at(ClusterTerm::ComputationS).at(2000), 0.5e-9);
  EXPECT_EQ(A->Machines.at("m").at(ClusterTerm::NetworkW).at(2000), 3);
  const auto W = A->at(100, 4, {{"m", 2}});
  ASSERT_TRUE(W);
  EXPECT_DOUBLE_EQ(W->Computation, 1000);
  EXPECT_DOUBLE_EQ(W->Memory, 100);
  EXPECT_DOUBLE_EQ(W->ComputationOverhead, 0);
  EXPECT_DOUBLE_EQ(W->MemoryOverhead, -2);
  EXPECT_DOUBLE_EQ(W->IoS, 1e-7);
  EXPECT_DOUBLE_EQ(W->Messages, 3 + 480);
  EXPECT_DOUBLE_EQ(W->MessageBytes, 2400 + 960);
  const auto Unbound = A->at(100, 4, {});
  ASSERT_FALSE(Unbound);
  EXPECT_TRUE(Unbound.error().Everywhere);
  EXPECT_EQ(Unbound.error().Why, "no value for m");
}
