//===- answer.cpp - asks a report questions, natively ---------------------===//
//
// answer PAGE REQUEST…: prints the answer to each request, of the program in a page that
// `ergon report` wrote (or in its data document alone).
//
//===----------------------------------------------------------------------===//

#include "report/program/ReportProgram.h"

#include <zlib.h>

#include <cstdio>
#include <vector>

/// The bytes that \p Text is base64 of.
static std::string fromBase64(std::string_view Text) {
  static constexpr std::string_view Digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string Result;
  unsigned Bits = 0, Have = 0;
  for (const char C : Text.substr(0, Text.find('='))) {
    Bits = Bits << 6 | unsigned(Digits.find(C));
    if ((Have += 6) >= 8)
      Result += char(Bits >> (Have -= 8) & 0xff);
  }
  return Result;
}

/// The text that \p Packed is gzip of.
static std::string unpacked(const std::string &Packed) {
  z_stream Stream{};
  if (inflateInit2(&Stream, 15 + 16) != Z_OK)
    return {};
  std::string Result;
  std::vector<char> Piece(1 << 20);
  Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Packed.data()));
  Stream.avail_in = uInt(Packed.size());
  for (int State = Z_OK; State == Z_OK;) {
    Stream.next_out = reinterpret_cast<Bytef *>(Piece.data());
    Stream.avail_out = uInt(Piece.size());
    State = inflate(&Stream, Z_NO_FLUSH);
    Result.append(Piece.data(), Piece.size() - Stream.avail_out);
  }
  inflateEnd(&Stream);
  return Result;
}

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
  std::string Plain;
  if (!Document.starts_with('{')) {
    Plain = unpacked(fromBase64(Document));
    Document = Plain;
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
