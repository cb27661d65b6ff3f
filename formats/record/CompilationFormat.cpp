//===- CompilationFormat.cpp - compile_commands.json ----------------------===//

#include "formats/record/CompilationFormat.h"
#include "formats/json/Json.h"

#include <utility>

namespace ergon {

std::vector<std::string> wordsOf(std::string_view Command) {
  std::vector<std::string> Result;
  std::string Word;
  bool InWord = false;
  char Quote = 0;
  for (std::size_t I = 0; I != Command.size(); ++I) {
    const char C = Command[I];
    const bool Escapes = C == '\\' && Quote != '\'' && I + 1 != Command.size() &&
                         (!Quote || std::string_view("\"\\$`").contains(Command[I + 1]));
    if (Escapes) {
      Word += Command[++I];
      InWord = true;
    } else if (Quote ? C == Quote : C == '"' || C == '\'') {
      Quote = Quote ? 0 : C;
      InWord = true; // '' is a word
    } else if (!Quote && (C == ' ' || C == '\t' || C == '\n')) {
      if (InWord)
        Result.push_back(std::move(Word));
      Word.clear();
      InWord = false;
    } else {
      Word += C;
      InWord = true;
    }
  }
  if (InWord)
    Result.push_back(std::move(Word));
  return Result;
}

std::vector<std::string> responseWords(std::string_view Text) {
  static constexpr std::string_view ByteOrderMark = "\xef\xbb\xbf";
  if (Text.starts_with(ByteOrderMark))
    Text.remove_prefix(ByteOrderMark.size());
  std::vector<std::string> Result;
  std::string Word;
  bool InWord = false;
  char Quote = 0;
  for (std::size_t I = 0; I != Text.size(); ++I) {
    const char C = Text[I];
    if (C == '\\' && I + 1 != Text.size()) {
      Word += Text[++I];
      InWord = true;
    } else if (Quote ? C == Quote : C == '"' || C == '\'') {
      Quote = Quote ? 0 : C;
      InWord = true;
    } else if (!Quote && std::string_view(" \t\r\n").contains(C)) {
      if (InWord)
        Result.push_back(std::exchange(Word, {}));
      InWord = false;
    } else {
      Word += C;
      InWord = true;
    }
  }
  if (InWord)
    Result.push_back(std::move(Word));
  return Result;
}

static Compilation readCompilation(JsonCursor Json) {
  Json.keys({"directory", "file"}, {"command", "arguments", "output"});
  Compilation Result{Json["directory"].text(), Json["file"].text(), {}};
  if (JsonCursor Arguments = Json["arguments"])
    for (JsonCursor Entry : Arguments.elements())
      Result.Words.emplace_back(Entry.text(""));
  else
    Result.Words = wordsOf(Json["command"].view(""));
  if (Result.Words.empty() || Result.Words[0].empty())
    Json.fail("neither a command nor arguments", "let the build system write the file again");
  return Result;
}

std::expected<std::vector<Compilation>, Error> parseCompilations(std::string_view Text) {
  auto Document = parseJson(Text);
  if (!Document)
    return std::unexpected(Document.error());
  std::vector<Compilation> Result;
  for (JsonCursor Json : JsonCursor(*Document).elements())
    Result.push_back(readCompilation(Json));
  if (Document->First)
    return std::unexpected(*Document->First);
  return Result;
}

} // namespace ergon
