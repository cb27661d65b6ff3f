//===- CompilationFormatTest.cpp - compile_commands.json ------------------===//

#include "formats/CompilationFormat.h"
#include "tools/CompileCommands.h"

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
  const auto Of =
      compilation({"/usr/bin/ccache", "clang", "-O2", "-MD", "-MT", "a.o", "-MFa.d",
                   "-save-temps=obj", "-Wp,-MMD,a.d", "-Wp,-DX", "-c", "a.c", "-o", "dir/a.o"});
  EXPECT_THAT(compilationInto(Of, "/tmp/0.o").Words,
              ElementsAre("clang", "-o", "/tmp/0.o", "-O2", "-Wp,-DX", "-c", "a.c"));
  EXPECT_EQ(objectOf(Of), "dir/a.o");
}

TEST(CompileCommands, IsACompilation) {
  const auto Of = compilation({"clang", "-S", "a.c"});
  EXPECT_THAT(compilationInto(Of, "0.o").Words, ElementsAre("clang", "-o", "0.o", "-c", "a.c"));
  EXPECT_EQ(objectOf(Of), "a.o");
  EXPECT_EQ(objectOf(compilation({"clang", "-c", "a.c", "-ob.o"})), "b.o");
}

} // namespace
