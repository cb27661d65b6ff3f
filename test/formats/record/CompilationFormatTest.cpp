//===- CompilationFormatTest.cpp - compile_commands.json ------------------===//

#include "formats/record/CompilationFormat.h"
#include "tools/record/CompileCommands.h"
#include "tools/record/CompilerWords.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ergon;
using testing::ElementsAre;

namespace {

TEST(CompilationFormat, WordsOfACommand) {
  EXPECT_THAT(wordsOf(R"(clang -DA="b c" -DB=\"d\" 'e\ f' g\ h "" "\i\\" )"),
              ElementsAre("clang", "-DA=b c", "-DB=\"d\"", "e\\ f", "g h", "", "\\i\\"));
  EXPECT_TRUE(wordsOf("  \t ").empty());
  EXPECT_THAT(wordsOf("a\\"), ElementsAre("a\\"));
}

TEST(CompilationFormat, Errors) {
  EXPECT_FALSE(parseCompilations("{}"));
  EXPECT_FALSE(parseCompilations(R"([{"directory": "/"}])"));
  EXPECT_FALSE(parseCompilations(R"([{"directory": "/", "file": "a.c", "arguments": []}])"));
  EXPECT_FALSE(parseCompilations(R"([{"directory": "/", "file": "a.c", "command": " "}])"));
  EXPECT_TRUE(parseCompilations("[]")->empty());
}

static Compilation compilation(std::vector<std::string> Words) {
  return {"/src", "a.c", std::move(Words)};
}

TEST(CompileCommands, NothingInTheBuildTree) {
  const auto C =
      compilation({"/usr/bin/ccache", "clang", "-O2", "-MD", "-MT", "a.o", "-MFa.d",
                   "-save-temps=obj", "-Wp,-MMD,a.d", "-Wp,-DX", "-c", "a.c", "-o", "dir/a.o"});
  EXPECT_THAT(compilationInto(C, "/tmp/0.o").Words,
              ElementsAre("clang", "-o", "/tmp/0.o", "-O2", "-Wp,-DX", "-c", "a.c"));
  EXPECT_EQ(objectOf(C), "dir/a.o");
}

TEST(CompileCommands, IsACompilation) {
  const auto C = compilation({"clang", "-S", "a.c"});
  EXPECT_THAT(compilationInto(C, "0.o").Words, ElementsAre("clang", "-o", "0.o", "-c", "a.c"));
  EXPECT_EQ(objectOf(C), "a.o");
  EXPECT_EQ(objectOf(compilation({"clang", "-c", "a.c", "-ob.o"})), "b.o");
}

// LLVM's GNU rules: a backslash means the next character, in quotes too.
TEST(CompileCommands, ReadsResponseFiles) {
  EXPECT_THAT(responseWords("\xef\xbb\xbf-O2\r\n'a b' \"c\\\"d\" e\\ f '\\'' \"\" g\\\\"),
              ElementsAre("-O2", "a b", "c\"d", "e f", "'", "", "g\\"));
}

TEST(CompileCommands, WritesNothingBesides) {
  const auto C = compilation({"clang",
                              "-foptimization-record-file=x",
                              "-Xclang",
                              "-dependency-file",
                              "-Xclang",
                              "x",
                              "-Xclang",
                              "-disable-O0-optnone",
                              "-mllvm",
                              "-pass-remarks-output=x",
                              "-mllvm",
                              "-unroll-threshold=3",
                              "-Xpreprocessor",
                              "-MD",
                              "-MJ",
                              "x",
                              "-fproc-stat-report=x",
                              "-fprofile-use=p",
                              "-c",
                              "a.c"});
  EXPECT_THAT(compilationInto(C, "0.o").Words,
              ElementsAre("clang", "-o", "0.o", "-Xclang", "-disable-O0-optnone", "-mllvm",
                          "-unroll-threshold=3", "-fprofile-use=p", "-c", "a.c"));
}

TEST(CompileCommands, RunsCompilersAlone) {
  for (const char *Name : {"clang", "clang++-22", "/opt/x/bin/clang-22.1", "x86_64-linux-gnu-clang",
                           "flang-new", "flang-22"})
    EXPECT_TRUE(isCompiler(Name, "/")) << Name;
  for (const char *Name :
       {"/sbin/reboot", "sh", "notclang", "clangd", "clang-tidy", "./clang-format-22"})
    EXPECT_FALSE(isCompiler(Name, "/")) << Name;
}

} // namespace
