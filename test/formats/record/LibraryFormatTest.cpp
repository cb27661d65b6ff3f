//===- LibraryFormatTest.cpp - what calls of libraries cost ---------------===//
//
// The loader on test/library (test/profiles/schema_test.py holds the schema to
// the same files), the shipped files, and how totals use a description.
//
//===----------------------------------------------------------------------===//

#include "formats/record/LibraryFormat.h"
#include "model/program/Program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

using namespace ergon;
using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

static const fs::path SourceDir = ERGON_SOURCE_DIR;
static const CostClass Flops = of(CostClass::Flops, FloatType::F64);

static std::string read(const fs::path &Path) {
  std::expected<std::string, Error> Text = readTextFile(Path);
  EXPECT_TRUE(Text) << Path;
  return Text.value_or("");
}

static std::vector<fs::path> jsonFiles(const fs::path &Folder) {
  std::vector<fs::path> Files;
  for (const auto &Entry : fs::directory_iterator(Folder))
    if (Entry.path().extension() == ".json" && Entry.path().stem() != "schema")
      Files.push_back(Entry.path());
  std::ranges::sort(Files);
  EXPECT_FALSE(Files.empty()) << Folder;
  return Files;
}

static const Function *named(const Library &L, std::string_view Name) {
  auto Found = std::ranges::find(L.Functions, Name, &Function::Name);
  return Found == L.Functions.end() ? nullptr : &*Found;
}

//===----------------------------------------------------------------------===//
// The format
//===----------------------------------------------------------------------===//

TEST(LibraryFormat, AcceptsEveryGoodAndEveryShippedFile) {
  std::set<std::string> Names;
  for (const char *Folder : {"test/library/good", "library-costs"})
    for (const fs::path &File : jsonFiles(SourceDir / Folder)) {
      const auto Library = parseLibrary(read(File));
      ASSERT_TRUE(Library) << File << ": " << Library.error().line();
      if (File.parent_path().filename() != "library-costs")
        continue;
      EXPECT_EQ(Library->Name, File.stem());
      for (const Function &F : Library->Functions)
        EXPECT_TRUE(Names.insert(F.Name).second) << F.Name << " is in two files";
    }
}

TEST(LibraryFormat, RefusesEveryBadFileWithItsOneLine) {
  for (const fs::path &File : jsonFiles(SourceDir / "test/library/bad")) {
    const auto Library = parseLibrary(read(File));
    ASSERT_FALSE(Library) << File;
    EXPECT_EQ(Library.error().line() + "\n", read(fs::path(File).replace_extension(".expected")))
        << File;
  }
}

TEST(LibraryFormat, RefusesEveryTruncation) {
  const std::string Text = read(SourceDir / "test/library/good/full.json");
  const std::size_t End = Text.rfind('}');
  for (std::size_t Length = 0; Length <= End; ++Length)
    EXPECT_FALSE(parseLibrary(std::string_view(Text).substr(0, Length))) << Length;
}

TEST(LibraryFormat, ReadsWhatIsWritten) {
  const auto Library = parseLibrary(read(SourceDir / "test/library/good/full.json"));
  ASSERT_TRUE(Library);
  std::vector<std::string> Names;
  for (const Function &F : Library->Functions)
    Names.push_back(F.Name);
  EXPECT_THAT(Names, UnorderedElementsAre("ssum", "stotal", "dsum", "dtotal", "dev_ssum",
                                          "dev_dsum", "own_print*", "own_plan", "own_run"));
  const Function *Sum = named(*Library, "dev_dsum");
  ASSERT_TRUE(Sum);
  EXPECT_EQ(Sum->Library, "own");
  ASSERT_EQ(Sum->Parameters.size(), 3u);
  EXPECT_EQ(Sum->Parameters[2].Name, "n");
  EXPECT_FALSE(Sum->Parameters[0].Means);
  ASSERT_TRUE(Sum->Parameters[1].Means);
  EXPECT_THAT(
      *Sum->Parameters[1].Means,
      UnorderedElementsAre(Pair("0", Expr(1)), Pair("76", Expr(0)), Pair("`&here`", Expr(-2))));
  ASSERT_EQ(Sum->Body.Loops.size(), 3u); // exact, bound, assumed
  EXPECT_EQ(Sum->Body.Loops[1].TripsKnown, Known::Bound);
  const Expr N = Expr::symbol("n");
  EXPECT_EQ(Sum->Body.Loops[0].Blocks[0].PerRun[Flops], 2 * N + floorDiv(N, 2));
  EXPECT_EQ(Sum->Body.Loops[1].Blocks[0].PerRun[of(CostClass::LoadBytes, Space::Global)],
            8 * N * Expr::symbol("left"));
}

//===----------------------------------------------------------------------===//
// Totals of calls
//===----------------------------------------------------------------------===//

/// `f(n)` calls \p Callee with \p Arguments at `a.c:3:4`, i = 0 … n - 1.
static Function calling(const std::string &Callee, std::vector<std::optional<Expr>> Arguments) {
  Function Result;
  Result.Name = Result.Demangled = "f";
  Result.Parameters = {{"n", "int"}};
  Result.Body.Entries = 1;
  Loop Inner;
  Inner.Variable = "i";
  Inner.Entries = 1;
  Inner.Last = Expr::symbol("n") - 1;
  Block Site;
  Site.Runs = 1;
  Site.Calls = {{Callee, false, std::move(Arguments), {"a.c", 3, 4}}};
  Inner.Blocks = {Site};
  Result.Body.Loops = {Inner};
  return Result;
}

static Totals totals(const Function &F, const Substitution &Bound) {
  static const auto Shipped = parseLibrary(read(SourceDir / "library-costs/blas.json"));
  EXPECT_TRUE(Shipped);
  auto Find = [&](const std::string &Name, const Function &) { return named(*Shipped, Name); };
  return TotalsBuilder(Find, Bound).of(F);
}

TEST(LibraryTotals, ArgumentsThatChangeInALoopAreSummed) {
  // dot products of 0, 1, …, 9 numbers: 2·(0 + … + 9) flops; 16 bytes a pair.
  const Totals Sum =
      totals(calling("cblas_ddot", {Expr::symbol("i"), {}, 1, {}, 1}), {{"n", Expr(10)}});
  EXPECT_EQ(Sum.Values[Flops], Expr(90));
  EXPECT_EQ(Sum.Values[of(CostClass::LoadBytes, Space::Memory)], Expr(45 * 16));
  EXPECT_EQ(Sum.KnownAs.at(Flops), Known::Assumed);
  EXPECT_THAT(Sum.LibraryCalls, ElementsAre(Pair("cblas_ddot", Expr(10))));
  EXPECT_TRUE(Sum.OpenCalls.empty());
}

TEST(LibraryTotals, ATablesValuesDecide) {
  // Solving with a triangle of order m = 4 from the left: n·m² = 6·16; from the
  // right, of order n = 6: m·n² = 4·36.
  auto Solve = [](std::optional<Expr> Side) {
    return totals(calling("cblas_dtrsm", {101, std::move(Side), 121, 111, 131, 4, 6}),
                  {{"n", Expr(1)}});
  };
  EXPECT_EQ(Solve(141).Values[Flops], Expr(96));
  EXPECT_EQ(Solve(142).Values[Flops], Expr(144));
  // A side that is no constant, or none that the table knows, is a named unknown.
  for (const auto &Unknown : {std::optional<Expr>(), std::optional(Expr(7))}) {
    const Totals Sum = Solve(Unknown);
    EXPECT_THAT(Sum.unknownsOf(Flops), ElementsAre("value@a.c:3:4:left"));
    EXPECT_EQ(Sum.Values[Flops].substitute({{"value@a.c:3:4:left", Expr(1)}}), Expr(96));
  }
}

TEST(LibraryTotals, ComplexArithmeticAndSpaces) {
  // 2·3·5 complex multiplications (6 flops) and additions (2).
  std::vector<std::optional<Expr>> Arguments(15);
  Arguments[3] = 2, Arguments[4] = 3, Arguments[5] = 5;
  const Totals Sum = totals(calling("cublasZgemm_v2", Arguments), {{"n", Expr(1)}});
  EXPECT_EQ(Sum.Values[Flops], Expr(30 * 8));
  EXPECT_EQ(Sum.Values[of(CostClass::LoadBytes, Space::Global)], Expr(16 * (10 + 15 + 6)));
}
