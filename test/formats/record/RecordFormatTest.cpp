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
static const Unit ThisUnit = {"src/a \"b\"\\c.c",
                              "o/a \"b\".o",
                              "/wörk/dir",
                              "x86_64-pc-linux-gnu",
                              "LLVM 22.1.8",
                              "0123abcd",
                              {{"src/ü.h", "d41d8cd98f00b204e9800998ecf8427e"}}};

/// A function that uses every field of the format.
static Function richFunction() {
  Function F;
  F.Name = "_Z3f\"oo\\";
  F.Demangled = "foo(int, \"ü\")\\\n\t✓";
  F.Snapshot = "algorithm";
  F.Location = {"dir:with/a.c", 12, 3};
  F.IsKernel = F.IsLocal = true;
  F.Parameters = {{"n", "int"}, {"größe", "double *"}};
  F.Cells = {{"größe->n", 1, {8, 0}, 4}};
  F.Unknowns = {{"trips@a.c:14:7", {"a.c", 14, 7}, "the \"bound\" is loaded", {}, 16},
                {"x@y", {}, "why", Rational(3, 7)}};
  F.Assumptions = {{{"a.c", 13, 1}, "nothing \"overlaps\""}, {{}, "nor wraps"}};
  F.Body.Last = 0;
  F.Body.Entries = 1;
  Loop Outer{"i", {"a.c", 13, 1}, isNonNegative(N - 1), N - 1, Known::Bound, {}, {}, {}};
  Block B;
  B.Runs = Expr::symbol("taken@a.c:15:2") * Expr(Rational(3, 7));
  B.PerRun.add(of(CostClass::Flops, FloatType::F32), 2);
  B.PerRun.add(CostClass::IntOps, Expr(Rational(1L << 60)) + max(N, 0) * I);
  B.PerRun.add(CostClass::Branches, Expr(Rational(1L << 60)));
  B.PerRun.add(CostClass::BytesShared, sum("k", 1, N, floorDiv(power(Expr::symbol("k"), 2), 3)));
  B.Accesses = {{Access::Kind::Load, Space::Global, 8, "größe", 8 * I - 16, 15},
                {Access::Kind::Store, Space::Shared, 4, "", Expr(0), 0},
                {Access::Kind::Atomic, Space::Generic, 16, "table", std::nullopt, 16}};
  B.Lines = {{15}, {7, "other:dir/b.h"}};
  B.Lines[0].PerRun.add(of(CostClass::Flops, FloatType::F32), 2);
  B.Lines[1].PerRun.add(CostClass::IntOps, 7 * N);
  F.Annotations = {"budget=3mJ@n=1e6", "\"…\""};
  F.Code = "function foo 2\nblock\nreturn\n";
  B.Hints = {{"double_promotion", {"a.c", 9, 0}, "0.1", {}, 0, {}},
             {"redundant_copy", {"a.c", 9, 2}, "7", {}, 2, {{"_Z6kernelv", 1}}}};
  B.Hints[0].Saves.add(CostClass::H2DBytes, 4 * N);
  PassedObject Own{1,
                   PassedObject::Origin{0, {8, -16}, "*p"},
                   {{0, 4, N}, {8, 8, std::nullopt}, {16, 4, I, false, {8, 24}}}};
  PassedObject Global{2, PassedObject::Origin{std::nullopt, {0}, ""}, {}};
  B.Calls = {{"puts", false, {}, {}},
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
  B.Calls[1].Result = "*made";
  B.PointerLoads = {{"*p->q", 3}};
  B.PointerStores = {{"p", 8, {"*made", 16 * N}, 4}, {"p", 16, {"", Expr(0)}}, {"p", 24, {}}};
  F.Objects = {{"u", Space::Memory, 80, "ns::u"},
               {"*made", Space::Memory, 0, "", true},
               {"*p->q", Space::Memory, 0, "", false, SizedObject::Through{"p", 8, true}},
               {"*rows", Space::Memory, 0, "", false, SizedObject::Through{"u", {}, false}}};
  F.Returns = PointedLocation{"*made", 8 * N};
  Loop Inner{"j", {}, 1, I, Known::Assumed, {B, {}}, {}, {}};
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
  Block B;
  B.Runs = 1;
  B.PerRun.add(CostClass::IntOps, 2 * N);
  B.Accesses = {{Access::Kind::Load, Space::Memory, 8, "p", 8 * N, 3}};
  B.Calls = {{"puts", false, {Expr(1)}, {"a.c", 4, 5}}};
  F.Parameters = {{"n", "int"}};
  F.Body.Entries = 1;
  F.Body.Blocks = {B};
  return F;
}

static std::string record() { return writeRecord(ThisUnit, {richFunction(), smallFunction()}); }

//===----------------------------------------------------------------------===//
// Everything a function holds, as text to compare
//===----------------------------------------------------------------------===//

static std::string text(const SourceLocation &Location) {
  return Location.File + "|" + std::to_string(Location.Line) + "|" +
         std::to_string(Location.Column);
}

static std::string text(const std::optional<Expr> &E) { return E ? toText(*E) : "none"; }

static void describe(const Block &B, std::ostream &Out) {
  Out << "block " << toText(B.Runs) << name(B.How) << "\n";
  for (const auto &[Class, Amount] : B.PerRun)
    Out << name(Class) << " " << toText(Amount) << "\n";
  for (const Access &A : B.Accesses)
    Out << "access " << int(A.What) << name(A.Where) << A.Bytes << A.Base << " "
        << (A.Offset ? toText(*A.Offset) : "none") << " " << A.Line << "\n";
  for (const Call &Site : B.Calls) {
    Out << "call " << Site.Callee << Site.IsLaunch << text(Site.Location);
    for (const auto &Argument : Site.Arguments)
      Out << " " << (Argument ? toText(*Argument) : "none");
    if (Site.Shape)
      for (const auto &Extent : {Site.Shape->Grid, Site.Shape->Block, {Site.Shape->SharedBytes}})
        for (const Expr &E : Extent)
          Out << " " << toText(E);
    for (const MadeBy &Origin : Site.Origins)
      Out << " " << Origin.Number << Origin.Callee << toText(*Origin.Arguments[0]);
    for (const PointerArgument &To : Site.Pointers)
      Out << " " << To.Argument << name(To.Where) << To.Base << text(To.Offset) << text(To.Row)
          << text(To.When);
    Out << " " << Site.Result << "\n";
  }
  for (const PointerLoad &Load : B.PointerLoads)
    Out << "pointer of " << Load.Object << Load.Order << "\n";
  for (const PointerStore &Store : B.PointerStores)
    Out << "pointer to " << Store.Object << toText(Store.Offset) << Store.Value.Object
        << text(Store.Value.Offset) << Store.Order << "\n";
  for (const Hint &H : B.Hints) {
    Out << "hint " << H.What << text(H.Location) << H.Detail << H.NeededIn;
    for (const auto &[Class, Amount] : H.Saves)
      Out << " " << name(Class) << toText(Amount);
    for (const KernelArgument &Launched : H.IfOnlyRead)
      Out << " " << Launched.Kernel << Launched.Argument;
    Out << "\n";
  }
  for (const LineCost &Line : B.Lines)
    for (const auto &[Class, Amount] : Line.PerRun)
      Out << "line " << Line.File << "|" << Line.Line << name(Class) << toText(Amount) << "\n";
}

static void describe(const Loop &L, std::ostream &Out) {
  Out << "loop " << L.Variable << text(L.Location) << " " << toText(L.Entries) << " "
      << toText(L.Last) << name(L.TripsKnown) << L.Shape.VectorWidth << L.Shape.Interleave
      << L.Shape.RestWidth << L.Shape.Unroll << "\n";
  for (const Block &B : L.Blocks)
    describe(B, Out);
  for (const Loop &Element : L.Loops)
    describe(Element, Out);
  Out << "end\n";
}

static std::string everything(const Function &F) {
  std::ostringstream Out;
  Out << F.Name << "|" << F.Demangled << "|" << F.Snapshot << text(F.Location) << F.IsKernel
      << F.IsLocal << F.IsWeak << "\n";
  for (const Parameter &P : F.Parameters)
    Out << P.Name << ": " << P.Type << "\n";
  for (const Unknown &U : F.Unknowns)
    Out << U.Symbol << text(U.Location) << U.Why << (U.Measured ? U.Measured->get_str() : "") << "|"
        << U.Most << "\n";
  for (const Assumption &A : F.Assumptions)
    Out << "assumed " << text(A.Location) << " " << A.What << "\n";
  for (const std::string &Annotation : F.Annotations)
    Out << "annotated " << Annotation << "\n";
  for (const SizedObject &Object : F.Objects) {
    Out << "object " << Object.Name << name(Object.Where) << Object.Bytes << Object.Symbol
        << Object.IsAllocated;
    if (Object.Via)
      Out << Object.Via->Object << Object.Via->Offset.value_or(-1) << Object.Via->AtEntry;
    Out << "\n";
  }
  if (F.Returns)
    Out << "returns " << F.Returns->Object << text(F.Returns->Offset) << "\n";
  describe(F.Body, Out);
  Out << F.Code.text();
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
    EXPECT_EQ(everything(**Loaded), everything(Written[Index]));
  }
}

/// The first error of opening and of loading all functions; "" for a good record.
static std::string firstError(const std::string &Text) {
  std::string Line;
  FormulaCache Formulas;
  if (const auto Opened = RecordFile::open(Text, "r.json")) {
    for (const RecordFile::Entry &Function : Opened->functions())
      if (const auto Loaded = Opened->load(Function, Detail::All, Formulas);
          !Loaded && Line.empty())
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
  const std::size_t Position = Text.find(From);
  EXPECT_NE(Position, std::string::npos) << From;
  return Position == std::string::npos ? Text : Text.replace(Position, From.size(), To);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

TEST(RecordFormat, IsReadBackAsWritten) {
  expectWhole(record());
  EXPECT_EQ(std::ranges::count(record(), '\n'), 6); // header, two of each function, end
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
  const auto File = RecordFile::open(Sorted.dump(2), "1.json"),
             Other = RecordFile::open(Ordered.dump(4), "2.json");
  ASSERT_TRUE(File && Other);
  for (std::size_t Which = 0; Which != 2; ++Which)
    EXPECT_EQ(File->functions()[Which].Line, Other->functions()[Which].Line);
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
  for (std::size_t Position = Whole.find('\n'); Position + 1 < Whole.size();
       Position = Whole.find('\n', Position + 1)) {
    if (Whole.compare(Position, std::string::npos, "\n]}\n") != 0)
      EXPECT_NE(firstError(Whole.substr(0, Position)), "");
    if (Position + 4 < Whole.size())
      EXPECT_NE(firstError(Whole.substr(0, Position + 1)), "");
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
      {"\"bytes\":8", "\"bytes\":-8", "/details/blocks/0/accesses/0/bytes"},
      {"\"bytes\":8", "\"bytes\":4294967304", "/details/blocks/0/accesses/0/bytes"},
      {"\"line\":3", "\"line\":\"3\"", "/details/blocks/0/accesses/0/line: found string"},
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
      {"\"type\"", "\"sort\":1,\"type\"", "key \"sort\" is unknown"},
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

TEST(RecordFormat, WhatNobodyAsksForIsNotRead) {
  const auto File = RecordFile::open(record(), "r.json");
  ASSERT_TRUE(File);
  FormulaCache Formulas;
  for (Detail HowMuch : {Detail::Costs, Detail::Lines, Detail::All}) {
    const auto Loaded = File->load(File->functions()[0], HowMuch, Formulas);
    ASSERT_TRUE(Loaded) << Loaded.error().line();
    const Block &Read = (*Loaded)->Body.Loops[0].Loops[0].Blocks[0];
    // Of three accesses one is generic: in which memory it is, and so its cost, a caller says.
    EXPECT_EQ(Read.Accesses.size(), HowMuch == Detail::All ? 3u : 1u);
    EXPECT_EQ(Read.PointerStores.size(), HowMuch == Detail::All ? 3u : 0u);
    EXPECT_EQ(Read.Lines.size(), HowMuch == Detail::Costs ? 0u : 2u);
    EXPECT_EQ(Read.Calls.size(), 4u);
  }
}

TEST(RecordFormat, DetailsAreReadWhereTheyAreAskedFor) {
  const std::string Good = record();
  FormulaCache Formulas;
  /// The code of the first function, or what is wrong with it.
  auto Load = [&](const std::string &Text, Detail HowMuch) {
    const auto File = RecordFile::open(Text, "r.json");
    EXPECT_TRUE(File);
    const auto Loaded = File->load(File->functions()[0], HowMuch, Formulas);
    return Loaded ? (*Loaded)->Code.text() : Loaded.error().line();
  };
  for (const std::string &Text : {Good, nlohmann::json::parse(Good).dump(2)})
    for (Detail HowMuch : {Detail::Costs, Detail::Lines, Detail::All})
      EXPECT_EQ(Load(Text, HowMuch), richFunction().Code.text());
  // Damaged, they are told where they are used; what cannot be read is no code.
  const struct {
    const char *From, *To, *Says, *Code;
  } Cases[] = {
      {"\"code\":", "\"code\":[],\"bode\":", "/details: key \"bode\" is unknown", "damaged"},
      {"\"double_promotion\"", "1", "/hints/0/what: found number", ""},
      {"\"details\":{\"code\":", "\"details\":{\"code\":!", "/details, line 1, column", "damaged"},
      {"return\\n\",", "return\\n\",\"loops\":[{},{},{},{},{}],", "details of what is not there",
       ""},
  };
  for (const auto &[From, To, Says, Code] : Cases) {
    const std::string Bad = replaced(Good, From, To);
    EXPECT_THAT(Load(Bad, Detail::All), HasSubstr(Says)) << To;
    EXPECT_EQ(Load(Bad, Detail::Costs), *Code ? Code : richFunction().Code.text()) << To;
  }
}

TEST(RecordFormat, MovedIsAsIfWrittenThere) {
  Unit U = ThisUnit;
  U.Directory = "/else\"where";
  U.Object = "b.o";
  const std::vector<Function> Functions = {richFunction(), smallFunction()};
  const auto File = RecordFile::open(record(), "r.json");
  ASSERT_TRUE(File);
  EXPECT_EQ(movedRecord(*File, U), writeRecord(U, Functions));
}

TEST(RecordFormat, NamesTellFilesApart) {
  const Unit Single = {"f.c", "f.o", "/p/a", "x86_64", "", {}};
  EXPECT_THAT(recordFileName(Single), testing::MatchesRegex("f\\.c-[0-9a-f]+\\.ergon\\.json"));
  auto Other = [&](auto Change) {
    Unit Result = Single;
    Change(Result);
    return recordFileName(Result);
  };
  EXPECT_NE(recordFileName(Single), Other([](Unit &U) { U.Directory = "/p/b"; }));
  EXPECT_NE(recordFileName(Single), Other([](Unit &U) { U.Object = "g.o"; }));
  EXPECT_NE(recordFileName(Single), Other([](Unit &U) { U.Target = "nvptx64"; }));
  // The same files, named from another folder.
  EXPECT_EQ(recordFileName(Single), Other([](Unit &U) {
              U.Directory = "/p/b";
              U.Source = "../a/./f.c";
              U.Object = "/p/a/f.o";
            }));
  EXPECT_TRUE(Other([](Unit &U) { U.Source = "<stdin>"; }).starts_with("_stdin_-"));
}
