//===- RecordFormatTest.cpp - cost records --------------------------------===//

#include "formats/record/RecordFormat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

using namespace ergon;
using testing::HasSubstr;

static const Expr N = Expr::symbol("n"), I = Expr::symbol("i");
static const Unit ThisUnit = {
    "src/a \"b\"\\c.c",    "o/a \"b\".o", "/wörk/dir",
    "x86_64-pc-linux-gnu", "LLVM 22.1.8", {{"src/ü.h", "d41d8cd98f00b204e9800998ecf8427e"}}};

/// A function that uses every field of the format.
static Function richFunction() {
  Function F;
  F.Name = "_Z3f\"oo\\";
  F.Demangled = "foo(int, \"ü\")\\\n\t✓";
  F.Snapshot = "algorithm";
  F.At = {"dir:with/a.c", 12, 3};
  F.IsKernel = F.IsLocal = true;
  F.Parameters = {{"n", "int"}, {"größe", "double *"}};
  F.Cells = {{"größe->n", 1, {8, 0}, 4}};
  F.Unknowns = {{"trips@a.c:14:7", {"a.c", 14, 7}, "the \"bound\" is loaded", {}, 16},
                {"x@y", {}, "why", Rational(3, 7)}};
  F.Assumptions = {{{"a.c", 13, 1}, "nothing \"overlaps\""}, {{}, "nor wraps"}};
  F.Body.Last = 0;
  F.Body.Entries = 1;
  Loop Outer{"i", {"a.c", 13, 1}, isNonNegative(N - 1), N - 1, Known::Bound, {}, {}, {}};
  Block Each;
  Each.Runs = Expr::symbol("taken@a.c:15:2") * Expr(Rational(3, 7));
  Each.PerRun.add(of(CostClass::Flops, FloatType::F32), 2);
  Each.PerRun.add(CostClass::IntOps, Expr(Rational(1L << 60)) + max(N, 0) * I);
  Each.PerRun.add(CostClass::Branches, Expr(Rational(1L << 60)));
  Each.PerRun.add(CostClass::BytesShared, sum("k", 1, N, floorDiv(power(Expr::symbol("k"), 2), 3)));
  Each.Accesses = {{Access::Kind::Load, Space::Global, 8, "größe", 8 * I - 16, 15},
                   {Access::Kind::Store, Space::Shared, 4, "", Expr(0), 0},
                   {Access::Kind::Atomic, Space::Generic, 16, "table", std::nullopt, 16}};
  Each.Lines = {{15}, {7, "other:dir/b.h"}};
  Each.Lines[0].PerRun.add(of(CostClass::Flops, FloatType::F32), 2);
  Each.Lines[1].PerRun.add(CostClass::IntOps, 7 * N);
  F.Annotations = {"budget=3mJ@n=1e6", "\"…\""};
  Each.Hints = {{"double_promotion", {"a.c", 9, 0}, "0.1", {}, 0, {}},
                {"redundant_copy", {"a.c", 9, 2}, "7", {}, 2, {{"_Z6kernelv", 1}}}};
  Each.Hints[0].Saves.add(CostClass::H2DBytes, 4 * N);
  PassedObject Own{1, PassedObject::Origin{0, {8, -16}, "*p"}, {{0, 4, N}, {8, 8, std::nullopt}}};
  PassedObject Global{2, PassedObject::Origin{std::nullopt, {0}, ""}, {}};
  Each.Calls = {
      {"puts", false, {}, {}},
      {"",
       false,
       {N, std::nullopt, Expr(-5)},
       {"a.c", 17, 9},
       {},
       {{1, "made", {N, {}}}},
       {Own, Global}},
      {"_Z6kernelv", true, {min(N, I)}, {"a.c", 18, 1}},
      {"_Z6kernelv",
       true,
       {},
       {},
       LaunchShape{{N, I, 1}, {256, 2, floorDiv(N, 4)}, 64 * N},
       {},
       {},
       {{0, Space::Shared, ""}, {2, Space::Generic, "größe", 8 * N, 8 * I, isEqual(I, 1)}}}};
  Each.Calls[1].Result = "*made";
  Each.PointerLoads = {{"*p->q", 3}};
  Each.PointerStores = {{"p", 8, {"*made", 16 * N}, 4}, {"p", 16, {"", Expr(0)}}, {"p", 24, {}}};
  F.Objects = {{"u", Space::Memory, 80, "ns::u"},
               {"*made", Space::Memory, 0, "", true},
               {"*p->q", Space::Memory, 0, "", false, SizedObject::Through{"p", 8, true}},
               {"*rows", Space::Memory, 0, "", false, SizedObject::Through{"u", {}, false}}};
  F.Returns = PointedPlace{"*made", 8 * N};
  Loop Inner{"j", {}, 1, I, Known::Assumed, {Each, {}}, {}, {}};
  Outer.Loops = {Inner, Inner};
  Outer.Loops[1].Variable = "k";
  Outer.Loops[1].Blocks[0].How = Known::Bound;
  Outer.Loops[1].Shape = {.VectorWidth = 4, .Interleave = 2, .RestWidth = 1, .Unroll = 8};
  F.Body.Loops = {Outer};
  return F;
}

static Function smallFunction() {
  Function F;
  F.Name = F.Demangled = "small";
  F.Snapshot = "source";
  F.IsWeak = true;
  Block Each;
  Each.Runs = 1;
  Each.PerRun.add(CostClass::IntOps, 2 * N);
  Each.Accesses = {{Access::Kind::Load, Space::Memory, 8, "p", 8 * N, 3}};
  Each.Calls = {{"puts", false, {Expr(1)}, {"a.c", 4, 5}}};
  F.Parameters = {{"n", "int"}};
  F.Body.Entries = 1;
  F.Body.Blocks = {Each};
  return F;
}

static std::string record() { return writeRecord(ThisUnit, {richFunction(), smallFunction()}); }

//===----------------------------------------------------------------------===//
// Everything a function holds, as text to compare
//===----------------------------------------------------------------------===//

static std::string text(const SourceLocation &At) {
  return At.File + "|" + std::to_string(At.Line) + "|" + std::to_string(At.Column);
}

static std::string text(const std::optional<Expr> &Of) { return Of ? toText(*Of) : "none"; }

static void describe(const Block &Of, std::ostream &Out) {
  Out << "block " << toText(Of.Runs) << name(Of.How) << "\n";
  for (const auto &[Class, Amount] : Of.PerRun)
    Out << name(Class) << " " << toText(Amount) << "\n";
  for (const Access &One : Of.Accesses)
    Out << "access " << int(One.What) << name(One.Where) << One.Bytes << One.Base << " "
        << (One.Offset ? toText(*One.Offset) : "none") << " " << One.Line << "\n";
  for (const Call &Site : Of.Calls) {
    Out << "call " << Site.Callee << Site.IsLaunch << text(Site.At);
    for (const auto &Argument : Site.Arguments)
      Out << " " << (Argument ? toText(*Argument) : "none");
    if (Site.Shape)
      for (const auto &Extent : {Site.Shape->Grid, Site.Shape->Block, {Site.Shape->SharedBytes}})
        for (const Expr &Each : Extent)
          Out << " " << toText(Each);
    for (const MadeBy &Each : Site.Origins)
      Out << " " << Each.Number << Each.Callee << toText(*Each.Arguments[0]);
    for (const PointerArgument &To : Site.Pointers)
      Out << " " << To.Argument << name(To.Where) << To.Base << text(To.Offset) << text(To.Row)
          << text(To.When);
    Out << " " << Site.Result << "\n";
  }
  for (const PointerLoad &One : Of.PointerLoads)
    Out << "pointer of " << One.Object << One.Order << "\n";
  for (const PointerStore &One : Of.PointerStores)
    Out << "pointer to " << One.Object << toText(One.Offset) << One.Value.Object
        << text(One.Value.Offset) << One.Order << "\n";
  for (const Hint &One : Of.Hints) {
    Out << "hint " << One.What << text(One.At) << One.Detail << One.NeededIn;
    for (const auto &[Class, Amount] : One.Saves)
      Out << " " << name(Class) << toText(Amount);
    for (const KernelArgument &Launched : One.IfOnlyRead)
      Out << " " << Launched.Kernel << Launched.Argument;
    Out << "\n";
  }
  for (const LineCost &One : Of.Lines)
    for (const auto &[Class, Amount] : One.PerRun)
      Out << "line " << One.File << "|" << One.Line << name(Class) << toText(Amount) << "\n";
}

static void describe(const Loop &Of, std::ostream &Out) {
  Out << "loop " << Of.Variable << text(Of.At) << " " << toText(Of.Entries) << " "
      << toText(Of.Last) << name(Of.TripsKnown) << Of.Shape.VectorWidth << Of.Shape.Interleave
      << Of.Shape.RestWidth << Of.Shape.Unroll << "\n";
  for (const Block &Each : Of.Blocks)
    describe(Each, Out);
  for (const Loop &Each : Of.Loops)
    describe(Each, Out);
  Out << "end\n";
}

static std::string everything(const Function &Of) {
  std::ostringstream Out;
  Out << Of.Name << "|" << Of.Demangled << "|" << Of.Snapshot << text(Of.At) << Of.IsKernel
      << Of.IsLocal << Of.IsWeak << "\n";
  for (const Parameter &Each : Of.Parameters)
    Out << Each.Name << ": " << Each.Type << "\n";
  for (const Unknown &Each : Of.Unknowns)
    Out << Each.Symbol << text(Each.At) << Each.Why
        << (Each.Measured ? Each.Measured->get_str() : "") << "|" << Each.Most << "\n";
  for (const Assumption &Each : Of.Assumptions)
    Out << "assumed " << text(Each.At) << " " << Each.What << "\n";
  for (const std::string &Each : Of.Annotations)
    Out << "annotated " << Each << "\n";
  for (const SizedObject &Each : Of.Objects) {
    Out << "object " << Each.Name << name(Each.Where) << Each.Bytes << Each.Symbol
        << Each.IsAllocated;
    if (Each.Via)
      Out << Each.Via->Object << Each.Via->Offset.value_or(-1) << Each.Via->AtEntry;
    Out << "\n";
  }
  if (Of.Returns)
    Out << "returns " << Of.Returns->Object << text(Of.Returns->Offset) << "\n";
  describe(Of.Body, Out);
  return Out.str();
}

static void expectWhole(const std::string &Text) {
  auto Opened = RecordFile::open(Text, "r.json");
  ASSERT_TRUE(Opened) << Opened.error().line() << "\n" << Text.substr(0, 2000);
  const RecordFile File = std::move(*Opened); // entries survive a move
  EXPECT_EQ(File.path(), "r.json");
  EXPECT_EQ(File.unit().Source, ThisUnit.Source);
  EXPECT_EQ(File.unit().Object, ThisUnit.Object);
  EXPECT_EQ(File.unit().Directory, ThisUnit.Directory);
  EXPECT_EQ(File.unit().Target, ThisUnit.Target);
  EXPECT_EQ(File.unit().Compiler, ThisUnit.Compiler);
  ASSERT_EQ(File.unit().Files.size(), 1u);
  EXPECT_EQ(File.unit().Files[0].Path, ThisUnit.Files[0].Path);
  EXPECT_EQ(File.unit().Files[0].Md5, ThisUnit.Files[0].Md5);
  const std::vector<Function> Written = {richFunction(), smallFunction()};
  ASSERT_EQ(File.functions().size(), Written.size());
  for (std::size_t Index = 0; Index != Written.size(); ++Index) {
    const RecordFile::Entry &Entry = File.functions()[Index];
    EXPECT_EQ(Entry.Name, Written[Index].Name);
    EXPECT_EQ(Entry.Demangled, Written[Index].Demangled);
    EXPECT_EQ(Entry.Snapshot, Written[Index].Snapshot);
    EXPECT_EQ(Entry.IsLocal, Written[Index].IsLocal);
    EXPECT_EQ(Entry.IsWeak, Written[Index].IsWeak);
    FormulaCache Formulas;
    const auto Loaded = File.load(Entry, Detail::All, Formulas);
    ASSERT_TRUE(Loaded) << Loaded.error().line();
    EXPECT_EQ(everything(*Loaded), everything(Written[Index]));
  }
}

/// The first error of opening and of loading all functions; "" for a good record.
static std::string firstError(const std::string &Text) {
  std::string Line;
  FormulaCache Formulas;
  if (const auto Opened = RecordFile::open(Text, "r.json")) {
    for (const RecordFile::Entry &Each : Opened->functions())
      if (const auto Loaded = Opened->load(Each, Detail::All, Formulas); !Loaded && Line.empty())
        Line = Loaded.error().line();
  } else {
    Line = Opened.error().line();
  }
  EXPECT_EQ(Line.find_first_of("\n\r"), std::string::npos) << Line;
  if (!Line.empty())
    EXPECT_THAT(Line, testing::StartsWith("r.json: "));
  return Line;
}

static std::string replaced(std::string Text, const std::string &From, const std::string &To) {
  const std::size_t At = Text.find(From);
  EXPECT_NE(At, std::string::npos) << From;
  return At == std::string::npos ? Text : Text.replace(At, From.size(), To);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

TEST(RecordFormat, IsReadBackAsWritten) {
  expectWhole(record());
  EXPECT_EQ(std::ranges::count(record(), '\n'), 4); // header, two functions, end
}

TEST(RecordFormat, AnyJsonLayoutIsReadBack) {
  const auto Sorted = nlohmann::json::parse(record());
  const auto Ordered = nlohmann::ordered_json::parse(record());
  expectWhole(Sorted.dump(2));
  expectWhole(Ordered.dump(2));
  expectWhole(Sorted.dump());
  expectWhole(Sorted.dump(-1, ' ', true)); // everything but ASCII escaped
  expectWhole(replaced(Ordered.dump(4), "\"functions\"", "\n\"functions\""));
  // Copies of a function are compared by their lines.
  const auto One = RecordFile::open(Sorted.dump(2), "1.json"),
             Other = RecordFile::open(Ordered.dump(4), "2.json");
  ASSERT_TRUE(One && Other);
  for (std::size_t Which = 0; Which != 2; ++Which)
    EXPECT_EQ(One->functions()[Which].Line, Other->functions()[Which].Line);
}

TEST(RecordFormat, AnEmptyRecordIsARecord) {
  const std::string Empty = writeRecord(ThisUnit, {});
  for (const std::string &Text : {Empty, nlohmann::json::parse(Empty).dump(2)}) {
    const auto File = RecordFile::open(Text, "r.json");
    ASSERT_TRUE(File) << File.error().line();
    EXPECT_TRUE(File->functions().empty());
    EXPECT_EQ(File->unit().Source, ThisUnit.Source);
  }
}

TEST(RecordFormat, TextThatIsNotUtf8IsWrittenWithItsBytes) {
  Function F = smallFunction();
  F.Demangled = "caf\xe9";
  const auto File = RecordFile::open(writeRecord(ThisUnit, {F}), "r.json");
  ASSERT_TRUE(File);
  EXPECT_EQ(File->functions()[0].Demangled, "caf\\xe9");
}

TEST(RecordFormat, ACutRecordIsAnError) {
  for (const std::string &Whole : {record(), nlohmann::json::parse(record()).dump(2) + "\n"})
    for (std::size_t Length = 0; Length < Whole.size() - 1; Length += 97) {
      const auto File = RecordFile::open(Whole.substr(0, Length), "r.json");
      ASSERT_FALSE(File) << "cut after " << Length << " of " << Whole.size();
      EXPECT_EQ(File.error().line().find('\n'), std::string::npos);
      EXPECT_THAT(File.error().line(), testing::StartsWith("r.json: "));
    }
  EXPECT_NE(firstError(replaced(record(), "\n]}\n", "\n]]\n")), "");
  // Cut behind a line too.
  const std::string Whole = record();
  for (std::size_t At = Whole.find('\n'); At + 1 < Whole.size(); At = Whole.find('\n', At + 1)) {
    if (Whole.compare(At, std::string::npos, "\n]}\n") != 0)
      EXPECT_NE(firstError(Whole.substr(0, At)), "");
    if (At + 4 < Whole.size())
      EXPECT_NE(firstError(Whole.substr(0, At + 1)), "");
  }
}

TEST(RecordFormat, WhatIsNoRecordIsAnError) {
  for (const char *Text : {"", "\n", "null", "[]", "{}", "42", "{\"functions\":[1]}", "\xff\xfe",
                           "{\"functions\":{}}", "{\"functions\":[{}]}"})
    EXPECT_NE(firstError(Text), "") << Text;
  EXPECT_THAT(firstError("{\"functions\":[]}"), HasSubstr("it has no schema"));
}

TEST(RecordFormat, ErrorsOfTheHeader) {
  const std::string Good = record();
  ASSERT_EQ(firstError(Good), "");
  EXPECT_THAT(firstError(replaced(Good, "ergon-record/1", "ergon-record/2")),
              testing::AllOf(HasSubstr("schema is \"ergon-record/2\""),
                             HasSubstr("reads \"ergon-record/1\"")));
  EXPECT_THAT(firstError(replaced(Good, "\"function_count\":2", "\"function_count\":3")),
              HasSubstr("says 3 functions and holds 2"));
  EXPECT_THAT(firstError(replaced(Good, "\"target\"", "\"colour\":1,\"target\"")),
              HasSubstr("key \"colour\" is unknown"));
  EXPECT_THAT(firstError(replaced(Good, "\"source\"", "\"sauce\"")), HasSubstr("is missing"));
}

TEST(RecordFormat, ErrorsOfAFunctionNameItAndThePlace) {
  const std::string Good = writeRecord(ThisUnit, {smallFunction()});
  ASSERT_EQ(firstError(Good), "");
  const struct {
    const char *From, *To, *Says;
  } Cases[] = {
      {"\"2*n\"", "\"2*n^^2\"",
       "/body/blocks/0/counts/int_ops: formula \"2*n^^2\": expected a power of at most 64 at "
       "character 5"},
      {"\"2*n\"", "\"n+\"", "expected a number, a symbol or '(' at character 3"},
      {"\"2*n\"", "\"sum(i,i,n,1)\"", "depends on its own variable"},
      {"\"2*n\"", "2.5", "/body/blocks/0/counts/int_ops: found number"},
      {"\"2*n\"", "[]", "/body/blocks/0/counts/int_ops: found array"},
      {"\"int_ops\"", "\"int_opps\"", "no such cost class: \"int_opps\""},
      {"\"op\":\"load\"", "\"op\":\"fetch\"", "no such access: \"fetch\""},
      {"\"space\":\"memory\"", "\"space\":\"disk\"", "no such memory space: \"disk\""},
      {"\"bytes\":8", "\"bytes\":-8", "/body/blocks/0/accesses/0/bytes"},
      {"\"bytes\":8", "\"bytes\":4294967304", "/body/blocks/0/accesses/0/bytes"},
      {"\"line\":3", "\"line\":\"3\"", "/body/blocks/0/accesses/0/line: found string"},
      {"\"args\":[1]", "\"args\":[true]", "/body/blocks/0/calls/0/args/0"},
      {"\"args\":[1]", "\"args\":1", "/body/blocks/0/calls/0/args: found number"},
      {"a.c:4:5", "a.c:4:", "not a position FILE:LINE:COLUMN: \"a.c:4:\""},
      {"a.c:4:5", "5", "not a position"},
      {"\"var\":\"\"", "\"var\":\"\",\"known\":\"maybe\"", "no such way of knowing: \"maybe\""},
      {"\"last\":0", "\"last\":\"i\",\"at\":\"a.c:1:1\"", ""},
      {"\"var\":\"\",\"entries\":1,\"last\":0", "\"var\":\"i\",\"entries\":1,\"last\":\"i\"",
       "a loop's trip count depends on its own iteration number"},
      {"\"blocks\"", "\"blokes\":[],\"blocks\"", "key \"blokes\" is unknown"},
      {"\"runs\"", "\"ran\":1,\"runs\"", "key \"ran\" is unknown"},
      {"\"op\"", "\"hop\":1,\"op\"", "key \"hop\" is unknown"},
      {"\"callee\"", "\"caller\":1,\"callee\"", "key \"caller\" is unknown"},
      {"\"type\"", "\"kind\":1,\"type\"", "key \"kind\" is unknown"},
      {"\"params\"", "\"colour\":1,\"params\"", "key \"colour\" is unknown"},
      {"\"params\"", "\"parms\"", "key \"params\" is missing"},
      {"\"local\":false", "\"local\":0", "/local: found number"},
      {"\"runs\":1", "\"runs\":1,\"runs\":1", "key \"runs\" stands twice"},
      {"\"runs\":1", "\"runs\":1!", "not valid JSON"},
  };
  for (const auto &[From, To, Says] : Cases) {
    const std::string Line = firstError(replaced(Good, From, To));
    if (*Says == '\0') {
      EXPECT_EQ(Line, "") << To;
      continue;
    }
    EXPECT_THAT(Line, HasSubstr(Says)) << From << " as " << To;
    EXPECT_THAT(Line, HasSubstr("function small")) << From << " as " << To;
  }
}

TEST(RecordFormat, TheOtherFunctionsOfADamagedOneLoad) {
  const auto File = RecordFile::open(replaced(record(), "\"2*n\"", "\"2*\""), "r.json");
  ASSERT_TRUE(File);
  FormulaCache Formulas;
  EXPECT_TRUE(File->load(File->functions()[0], Detail::All, Formulas));
  EXPECT_FALSE(File->load(File->functions()[1], Detail::All, Formulas));
}

TEST(RecordFormat, MovedIsAsIfWrittenThere) {
  Unit There = ThisUnit;
  There.Directory = "/else\"where";
  There.Object = "b.o";
  const std::vector<Function> Functions = {richFunction(), smallFunction()};
  const auto File = RecordFile::open(record(), "r.json");
  ASSERT_TRUE(File);
  EXPECT_EQ(movedRecord(*File, There), writeRecord(There, Functions));
}

TEST(RecordFormat, NamesTellFilesApart) {
  const Unit One = {"f.c", "f.o", "/p/a", "x86_64", "", {}};
  EXPECT_THAT(recordFileName(One), testing::MatchesRegex("f\\.c-[0-9a-f]+\\.ergon\\.json"));
  auto Other = [&](auto Change) {
    Unit Result = One;
    Change(Result);
    return recordFileName(Result);
  };
  EXPECT_NE(recordFileName(One), Other([](Unit &U) { U.Directory = "/p/b"; }));
  EXPECT_NE(recordFileName(One), Other([](Unit &U) { U.Object = "g.o"; }));
  EXPECT_NE(recordFileName(One), Other([](Unit &U) { U.Target = "nvptx64"; }));
  // The same files, named from another folder.
  EXPECT_EQ(recordFileName(One), Other([](Unit &U) {
              U.Directory = "/p/b";
              U.Source = "../a/./f.c";
              U.Object = "/p/a/f.o";
            }));
  EXPECT_TRUE(Other([](Unit &U) { U.Source = "<stdin>"; }).starts_with("_stdin_-"));
}
