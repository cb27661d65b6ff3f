//===- answer.cpp - asks a report questions, natively ---------------------===//
//
// answer PAGE REQUEST…: prints the answer to each request, of the program in a page that
// `ergon report` wrote (or in its data document alone).
//
//===----------------------------------------------------------------------===//

#include "report/program/ReportProgram.h"

#include <cstdio>

int main(int Count, char **Arguments) {
  if (Count < 2)
    return 2;
  auto Text = ergon::readTextFile(Arguments[1]);
  if (!Text) {
    std::fprintf(stderr, "%s\n", Text.error().line().c_str());
    return 2;
  }
  std::string_view Document = *Text;
  static constexpr std::string_view Mark = "id=\"ergon-data\">";
  if (const std::size_t Position = Document.find(Mark); Position != std::string_view::npos) {
    Document.remove_prefix(Position + Mark.size());
    Document = Document.substr(0, Document.find("</script>"));
  }
  auto Data = ergon::parseReportData(Document);
  auto Opened = Data ? ergon::ReportProgram::open(std::move(*Data))
                     : std::unexpected(std::move(Data.error()));
  if (!Opened) {
    std::fprintf(stderr, "%s\n", Opened.error().line().c_str());
    return 2;
  }
  for (int I = 2; I != Count; ++I) {
    const std::string Answer = (*Opened)->answer(Arguments[I]);
    std::printf("%s%s", Answer.c_str(), Answer.ends_with('\n') ? "" : "\n");
  }
}
