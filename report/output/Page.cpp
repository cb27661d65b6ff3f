//===- Page.cpp - the page of a report ------------------------------------===//

#include "report/output/Page.h"
#include "predict/store/ShippedFiles.h"

#include <zlib.h>

#include <cstdint>

namespace ergon {

static const ShippedFolder Built{"report", "ERGON_REPORT_PAGE"};

static std::string base64(std::string_view Bytes) {
  static constexpr std::string_view Digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string Result;
  Result.reserve((Bytes.size() + 2) / 3 * 4);
  for (std::size_t Position = 0; Position < Bytes.size(); Position += 3) {
    const std::size_t Have = std::min<std::size_t>(3, Bytes.size() - Position);
    std::uint32_t Bits = 0;
    for (std::size_t I = 0; I != 3; ++I)
      Bits = Bits << 8 | (I < Have ? static_cast<unsigned char>(Bytes[Position + I]) : 0u);
    for (std::size_t I = 0; I != 4; ++I)
      Result += I <= Have ? Digits[Bits >> (18 - 6 * I) & 63] : '=';
  }
  return Result;
}

/// \p Bytes by gzip, without a time and a name: the same input makes the same bytes.
static std::string gzip(std::string_view Bytes) {
  static constexpr int WithGzipHead = 15 + 16, MostMemory = 9;
  z_stream Stream{};
  if (deflateInit2(&Stream, Z_BEST_COMPRESSION, Z_DEFLATED, WithGzipHead, MostMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string Result(deflateBound(&Stream, uLong(Bytes.size())), '\0');
  Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Bytes.data()));
  Stream.avail_in = uInt(Bytes.size());
  Stream.next_out = reinterpret_cast<Bytef *>(Result.data());
  Stream.avail_out = uInt(Result.size());
  const bool IsWhole = deflate(&Stream, Z_FINISH) == Z_STREAM_END;
  Result.resize(IsWhole ? Stream.total_out : 0);
  deflateEnd(&Stream);
  return Result;
}

/// What stands in the page for \p Text: base64 of gzip, or the text itself where there is no memory
/// for that, which the page reads too.
static std::string packed(const std::string &Text) {
  const std::string Bytes = gzip(Text);
  return Bytes.empty() ? Text : base64(Bytes);
}

/// Puts \p Text in the place of \p Mark in \p Page. Error: it is not there, or twice.
static std::expected<void, Error> put(std::string &Page, std::string_view Mark,
                                      const std::string &Text, const std::string &Path) {
  const std::size_t Position = Page.find(Mark);
  if (Position == std::string::npos || Page.find(Mark, Position + 1) != std::string::npos)
    return std::unexpected(
        Error{std::string(Mark) + " has to stand there once", "", "build ergon again", Path});
  Page.replace(Position, Mark.size(), Text);
  return {};
}

std::expected<std::string, Error> makePage(const ReportData &Data) {
  const std::string Folder = shippedFolder(Built), Path = Folder + "/page.html";
  auto Page = readTextFile(Path);
  auto Program = readTextFile(Folder + "/report.wasm.gz");
  if (!Page || !Program) {
    Error Bad = Page ? Program.error() : Page.error();
    const std::string Build = buildCommand("ergon_report_page ergon_report_wasm");
    Bad.Fix = (!ERGON_CAN_BUILD_PAGE
                   ? std::string("configure Ergon with -DERGON_REPORT_PAGE=ON and build it")
               : Build.empty() ? std::string("install it")
                               : "run " + Build) +
              ", or give --static";
    return std::unexpected(Bad);
  }
  auto Done =
      put(*Page, "<!--ergon:wasm-->",
          "<script type=\"text/plain\" id=\"ergon-wasm\">" + base64(*Program) + "</script>", Path);
  if (Done)
    Done = put(*Page, "<!--ergon:data-->",
               "<script type=\"text/plain\" id=\"ergon-data\">" + packed(writeReportData(Data)) +
                   "</script>",
               Path);
  if (!Done)
    return std::unexpected(Done.error());
  return Page;
}

} // namespace ergon
