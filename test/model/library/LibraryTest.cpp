//===- LibraryTest.cpp - tests of libraries in interpreted code -----------===//

#include "model/interpreter/Interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ergon::code {
namespace {

/// What main notes, where it may read \p Files.
std::map<std::string, std::int64_t> notesOf(const std::string &Code, const FileTexts &Files = {}) {
  Program Whole;
  auto Added = Whole.add(Code);
  EXPECT_TRUE(Added) << Added.error().line();
  return valuesOf(Whole, {{}, Files}).Symbols["main"];
}

/// \p Text with names in the place of `{0}`, `{1}`, ….
std::string filled(std::string Text, const std::vector<std::string> &Names) {
  for (std::size_t I = 0; I != Names.size(); ++I) {
    const std::string Mark = "{" + std::to_string(I) + "}";
    for (std::size_t At; (At = Text.find(Mark)) != std::string::npos;)
      Text.replace(At, Mark.size(), Names[I]);
  }
  return Text;
}

/// A global with a text and a zero.
std::string global(const std::string &Name, const std::string &Text) {
  std::string Result = "global " + Name + " const";
  for (std::size_t I = 0; I <= Text.size(); ++I)
    Result += " " + std::to_string(I) + " i8 " +
              std::to_string(I == Text.size() ? 0 : static_cast<unsigned char>(Text[I]));
  return Result + "\n";
}

constexpr const char *String = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
constexpr const char *OfString = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
constexpr const char *Stream =
    "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_"
    "EESt13_Ios_Openmode";
constexpr const char *Word = "_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__"
                             "cxx1112basic_stringIS4_S5_T1_EE";
constexpr const char *Line =
    "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_"
    "stringIS4_S5_T1_EES4_";

/// `64x32`: find('x') is 2, substr(3) is "32", and "64x32" < "7".
TEST(Library, SearchesStrings) {
  const auto Notes = notesOf(filled(R"(function main 2
block
%2 = local
call void &{0}C1EPKcRKS3_ %2 @size ?
%3 = call i64 &{1}4findEcm %2 120 0
note cross %3 0 32
%4 = call i64 &{1}5rfindEPKcmm %2 @two -1 1
note two %4 0 32
%5 = call i64 &{1}4findEcm %2 121 0
note none %5 0 64
%6 = local
call void &{1}6substrEmm %6 %2 3 -1
%7 = load ptr %6
%8 = call i32 &atoi %7
note columns %8 0 32
%9 = call i32 &{1}7compareEPKc %2 @seven
note less %9 0 32
%10 = call ptr &{0}5eraseEmm %6 0 1
%11 = call ptr &{0}6appendEPKc %10 @seven
%12 = call i64 &{1}4sizeEv %6
note left %12 0 32
return
)",
                                    {String, OfString}) +
                             global("size", "64x32") + global("two", "2") + global("seven", "7"));
  EXPECT_EQ(Notes.at("cross"), 2);
  EXPECT_EQ(Notes.at("two"), 4);
  EXPECT_EQ(Notes.at("none"), -1);
  EXPECT_EQ(Notes.at("columns"), 32);
  EXPECT_EQ(Notes.at("less"), -1);
  EXPECT_EQ(Notes.at("left"), 2);
}

/// `12 ab,cd`: a number, the line up to the comma, the rest as a word, and then nothing. The state
/// of the stream is where its table of virtual functions leads to, 32 bytes on: 0, at the end 2,
/// and 4 more after a failure.
TEST(Library, ReadsStreamsOfStrings) {
  const auto Notes =
      notesOf(filled(R"(function main 2
block
%2 = local
call void &{0}C1EPKcRKS3_ %2 @text ?
%3 = local
call void &{1} %3 %2 8
%4 = local
%5 = call ptr &_ZNSirsERi %3 %4
%6 = load i32 %4
note number %6 0 32
%7 = local
call void &{0}C1Ev %7
%8 = call ptr &{3} %5 %7 44
%9 = load ptr %7
%10 = call i32 &strcmp %9 @first
note first %10 0 32
%11 = call ptr &{2} %3 %7
%12 = load ptr %7
%13 = call i32 &strcmp %12 @second
note second %13 0 32
%14 = load ptr %3
%15 = address %14 -24
%16 = load i64 %15
%17 = address %3 32 %16 1
%18 = load i32 %17
note end %18 0 32
%19 = call ptr &_ZNSi10_M_extractIdEERSiRT_ %3 %4
%20 = load i32 %17
note failed %20 0 32
call void &_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEED1Ev %3
return
)",
                     {String, Stream, Word, Line}) +
              global("text", "12 ab,cd") + global("first", " ab") + global("second", "cd"));
  EXPECT_EQ(Notes.at("number"), 12);
  EXPECT_EQ(Notes.at("first"), 0);
  EXPECT_EQ(Notes.at("second"), 0);
  EXPECT_EQ(Notes.at("end"), 2);
  EXPECT_EQ(Notes.at("failed"), 6);
}

/// Three nodes, in the order left, root, right; a node's number stands behind its pointers.
TEST(Library, WalksTrees) {
  const std::string Insert = "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_";
  const auto Notes = notesOf(filled(R"(function main 2
block
%2 = local
store i32 0 %2
%3 = address %2 8
store ptr 0 %3
%4 = address %2 16
store ptr %2 %4
%5 = address %2 24
store ptr %2 %5
%6 = local
%7 = local
%8 = local
%9 = address %6 32
store i32 20 %9
%10 = address %7 32
store i32 10 %10
%11 = address %8 32
store i32 30 %11
call void &{0} 1 %6 %2 %2
call void &{0} 1 %7 %6 %2
call void &{0} 0 %8 %6 %2
%12 = load ptr %4
%13 = address %12 32
%14 = load i32 %13
note first %14 0 32
%15 = call ptr &_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base %12
%16 = address %15 32
%17 = load i32 %16
note second %17 0 32
%18 = call ptr &_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base %15
%19 = call ptr &_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base %18
%20 = icmp.eq ptr %19 %2
note end %20 0 1
%21 = call ptr &_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base %2
%22 = address %21 32
%23 = load i32 %22
note last %23 0 32
%24 = call ptr &_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base %21
%25 = address %24 32
%26 = load i32 %25
note before %26 0 32
return
)",
                                    {Insert}));
  EXPECT_EQ(Notes.at("first"), 10);
  EXPECT_EQ(Notes.at("second"), 20);
  EXPECT_EQ(Notes.at("end"), -1); // one bit, with a sign
  EXPECT_EQ(Notes.at("last"), 30);
  EXPECT_EQ(Notes.at("before"), 20);
}

/// Three nodes, each right of the one before: the second becomes the root.
TEST(Library, BalancesTrees) {
  const std::string Insert = "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_";
  const auto Notes = notesOf(filled(R"(function main 2
block
%2 = local
store i32 0 %2
%3 = address %2 8
store ptr 0 %3
%4 = local
%5 = local
%6 = local
call void &{0} 1 %4 %2 %2
call void &{0} 0 %5 %4 %2
call void &{0} 0 %6 %5 %2
%7 = load ptr %3
%8 = icmp.eq ptr %7 %5
note root %8 0 1
%9 = address %7 16
%10 = load ptr %9
%11 = icmp.eq ptr %10 %4
note left %11 0 1
%12 = address %7 24
%13 = load ptr %12
%14 = icmp.eq ptr %13 %6
note right %14 0 1
%15 = load i32 %7
note colour %15 0 32
%16 = load i32 %4
note below %16 0 32
return
)",
                                    {Insert}));
  EXPECT_EQ(Notes.at("root"), -1); // one bit, with a sign
  EXPECT_EQ(Notes.at("left"), -1);
  EXPECT_EQ(Notes.at("right"), -1);
  EXPECT_EQ(Notes.at("colour"), 1);
  EXPECT_EQ(Notes.at("below"), 0);
}

/// What is appended is not known, so the text is not; nothing else changes.
TEST(Library, ForgetsTextsAlone) {
  const auto Notes = notesOf(filled(R"(function main 2
block
%2 = local
call void &{0}C1EPKcRKS3_ %2 @size ?
%3 = local
call void &other %3
store i32 7 %3
call void &{0}9_M_appendEPKcm %2 ? ?
%4 = call i64 &{1}4sizeEv %2
note size %4 0 64
%5 = load i32 %3
note kept %5 0 32
return
)",
                                    {String, OfString}) +
                             global("size", "64x32"));
  EXPECT_FALSE(Notes.contains("size"));
  EXPECT_EQ(Notes.at("kept"), 7);
}

TEST(Library, KnowsWhetherAProgramReadsItsName) {
  for (const bool Reads : {true, false}) {
    Program Whole;
    ASSERT_TRUE(Whole.add(filled(R"(function main 2
block
%2 = address %1 {0}
%3 = load ptr %2
%4 = call i64 &strlen %3
note length %4 0 64
return
)",
                                 {Reads ? "0" : "8"})));
    ProgramValues Values = valuesOf(Whole, {{"123"}});
    EXPECT_EQ(Values.ReadsName, Reads);
    EXPECT_EQ(Values.Symbols["main"].at("length"), Reads ? std::ssize(AssumedName) : 3);
  }
}

/// Of three iterations a branch is taken in all, another in one, a third never.
TEST(Library, KnowsSharesThatAreTheSameEachTime) {
  const auto Notes = notesOf(R"(function main 2
block
jump 1
block
%2 = phi i32 0 0 %3 4
count taken@all 1 1
count taken@one 0 1
count taken@none 0 1
count runs@two 2 1
count runs@once 0 1
%3 = add i32 %2 1
%4 = icmp.eq i32 %2 1
branch %4 2 3 3
block
count taken@one 1 0
count runs@once 1 0
jump 3
block
%5 = icmp.slt i32 %3 3
branch %5 4 5 5
block
jump 1
block
return
)");
  EXPECT_EQ(Notes.at("taken@all"), 1);
  EXPECT_EQ(Notes.at("taken@none"), 0);
  EXPECT_FALSE(Notes.contains("taken@one"));
  EXPECT_EQ(Notes.at("runs@two"), 2);
  EXPECT_FALSE(Notes.contains("runs@once")); // the mean of what differs
}

/// `erase(node)` calls itself for both children of a node that nobody knows.
TEST(Library, EndsRecursionOnUnknownValues) {
  Program Whole;
  ASSERT_TRUE(Whole.add(R"(function main 2
block
%2 = call ptr &somewhere
call void &erase %2
note size %0 0 32
return
)"));
  ASSERT_TRUE(Whole.add(R"(function erase 1
block
%1 = icmp.eq ptr %0 0
branch %1 2 1 2
block
%2 = address %0 16
%3 = load ptr %2
call void &erase %3
%4 = address %0 24
%5 = load ptr %4
call void &erase %5
jump 2
block
return
)"));
  EXPECT_THAT(valuesOf(Whole, {}).Symbols["main"], testing::Contains(std::pair("size", 1)));
}

/// A file of two numbers and three more bytes; the second conversion meets no number.
TEST(Library, ReadsFiles) {
  const std::string Code = R"(function main 2
block
%2 = call ptr &fopen @name @mode
%3 = local
%4 = local
%5 = call i32 &fscanf %2 @numbers %3 %4
note read %5 0 32
%6 = load i32 %4
note second %6 0 32
%7 = call i64 &ftell %2
note place %7 0 64
%8 = call i32 &fscanf %2 @numbers %3 %4
note none %8 0 32
%9 = call i32 &fgetc %2
note letter %9 0 32
%10 = call i32 &ungetc %9 %2
%11 = local
%12 = call i64 &fread %11 1 8 %2
note bytes %12 0 64
%13 = load i16 %11
note two %13 0 16
%14 = call i32 &feof %2
note end %14 0 32
%15 = call i32 &fseek %2 -3 2
%16 = call i32 &feof %2
note again %16 0 32
%17 = call ptr &fgets %11 3 %2
%18 = call i64 &strlen %11
note line %18 0 64
return
)" + global("name", "in") + global("mode", "r") +
                           global("numbers", "%d,%d");
  const auto Notes = notesOf(Code, {{"in", "12,-7\nabc"}});
  EXPECT_EQ(Notes.at("read"), 2);
  EXPECT_EQ(Notes.at("second"), -7);
  EXPECT_EQ(Notes.at("place"), 5);
  EXPECT_EQ(Notes.at("none"), 0);
  EXPECT_EQ(Notes.at("letter"), 'a'); // the space before it was read
  EXPECT_EQ(Notes.at("bytes"), 3);
  EXPECT_EQ(Notes.at("two"), 'a' + ('b' << 8));
  EXPECT_EQ(Notes.at("end"), 1);
  EXPECT_EQ(Notes.at("again"), 0);
  EXPECT_EQ(Notes.at("line"), 2);
  EXPECT_FALSE(notesOf(Code, {{"other", "12,-7\n"}}).contains("read"));
}

/// Characters, as the C locale has them.
TEST(Library, ClassifiesCharacters) {
  const auto Notes = notesOf(R"(function main 2
block
%2 = call i32 &isupper 65
note upper %2 0 32
%3 = call i32 &isupper 97
note lower %3 0 32
%4 = call i32 &toupper 97
note raised %4 0 32
%5 = call i32 &isalpha 200
note other %5 0 32
return
)");
  EXPECT_EQ(Notes.at("upper"), 256); // as glibc says it
  EXPECT_EQ(Notes.at("lower"), 0);
  EXPECT_EQ(Notes.at("raised"), 'A');
  EXPECT_FALSE(Notes.contains("other")); // no ASCII
}

TEST(Library, ComparesNumbersAndTexts) {
  // 200 is -56 with a sign; `AB` is behind `AA`, and `AB` is `AB ` in Fortran.
  const auto Notes = notesOf(R"(function main 2
block
%2 = call i8 &ucmp 200 7 8
note unsigned %2 0 8
%3 = call i8 &scmp 200 7 8
note signed %3 0 8
%4 = call i32 &bswap 258
note swapped %4 0 32
%5 = call i32 &_FortranACharacterCompareScalar1 @b @a 2 2
note behind %5 0 32
%6 = call i32 &_FortranACharacterCompareScalar1 @b @c 2 3
note same %6 0 32
return
)" + global("a", "AA") + global("b", "AB") +
                             global("c", "AB "));
  EXPECT_EQ(Notes.at("unsigned"), 1);
  EXPECT_EQ(Notes.at("signed"), -1);
  EXPECT_EQ(Notes.at("swapped"), 0x02010000);
  EXPECT_EQ(Notes.at("behind"), 1);
  EXPECT_EQ(Notes.at("same"), 0);
}

/// After a change of the folder a name leads to another file.
TEST(Library, ReadsNoFilesElsewhere) {
  const auto Notes = notesOf(R"(function main 2
block
%2 = call i32 &chdir @mode
%3 = call ptr &fopen @name @mode
%4 = call i32 &fgetc %3
note letter %4 0 32
return
)" + global("name", "in") + global("mode", "r"),
                             {{"in", "12"}});
  EXPECT_FALSE(Notes.contains("letter"));
}

/// scanf's widths, sets, and what it does not store.
TEST(Library, ScansTexts) {
  const auto Notes = notesOf(R"(function main 2
block
%2 = local
%3 = local
%4 = local
%5 = call i32 &sscanf @text @format %2 %3 %4
note read %5 0 32
%6 = load i32 %2
note number %6 0 32
%7 = load i16 %3
note letters %7 0 16
%8 = load i64 %4
note long %8 0 64
return
)" + global("text", "1234ab 5") +
                             global("format", "%2d%*2d%[a-b]%ld"));
  EXPECT_EQ(Notes.at("read"), 3);
  EXPECT_EQ(Notes.at("number"), 12);
  EXPECT_EQ(Notes.at("letters"), 'a' + ('b' << 8));
  EXPECT_EQ(Notes.at("long"), 5);
}

/// `%-4d|%05.1f|%+d|%s`, and what does not fit.
TEST(Library, PrintsFormats) {
  const auto Notes = notesOf(R"(function main 2
block
%2 = local
%3 = call i32 &sprintf %2 @format 7 f:c005000000000000 3 @text
note length %3 0 32
%4 = call i32 &strcmp %2 @wanted
note same %4 0 32
%5 = call i32 &snprintf %2 4 @format 7 f:c005000000000000 3 @text
%6 = call i64 &strlen %2
note cut %6 0 64
return
)" + global("format", "%-4d|%06.1f|%+d|%s") +
                             global("wanted", "7   |-002.6|+3|ab") + global("text", "ab"));
  EXPECT_EQ(Notes.at("length"), 17);
  EXPECT_EQ(Notes.at("same"), 0);
  EXPECT_EQ(Notes.at("cut"), 3);
}

/// A loop that runs three times each time is known; of one that does not, no mean is.
TEST(Library, CountsWhatIsTheSameEachTime) {
  auto SharesOf = [](const std::string &Second) {
    return notesOf("function main 2\nblock\njump 1\nblock\ncount trips@a 0 1\ncount trips@a 3 0\n"
                   "jump 2\nblock\ncount trips@a 0 1\ncount trips@a " +
                   Second + " 0\nreturn\n");
  };
  EXPECT_THAT(SharesOf("3"), testing::Contains(std::pair("trips@a", 3)));
  EXPECT_THAT(SharesOf("5"), testing::Not(testing::Contains(testing::Key("trips@a"))));
}

} // namespace
} // namespace ergon::code
