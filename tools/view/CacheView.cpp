//===- CacheView.cpp - caches as text -------------------------------------===//

#include "tools/view/CacheView.h"

#include <fmt/format.h>

namespace ergon {

std::string capacity(std::uint64_t Bytes) {
  if (Bytes >= 1 << 20)
    return fmt::format("{:g} MiB", double(Bytes) / (1 << 20));
  return Bytes >= 1024 ? fmt::format("{:g} KiB", double(Bytes) / 1024) : fmt::format("{} B", Bytes);
}

static std::string cacheLine(const Cache &C, const char *Sharer) {
  std::string Text = fmt::format("  {:<4} {:>10}", C.Level, capacity(C.Bytes));
  if (C.Ways)
    Text += fmt::format(", {} way{}", *C.Ways, *C.Ways == 1 ? "" : "s");
  if (C.LineBytes)
    Text += fmt::format(", lines of {} B", *C.LineBytes);
  if (C.SectorBytes && C.SectorBytes != C.LineBytes)
    Text += fmt::format(" in sectors of {}", *C.SectorBytes);
  if (C.SharedBy)
    Text += fmt::format(", of {} {}{}", *C.SharedBy, Sharer, *C.SharedBy == 1 ? "" : "s");
  if (C.Write)
    Text += fmt::format(", write-{}", name(*C.Write));
  if (C.WriteAllocate)
    Text += *C.WriteAllocate ? ", write-allocate" : ", stores that miss pass by";
  if (C.Holds && *C.Holds != Inclusion::Neither)
    Text += fmt::format(", {}", name(*C.Holds));
  if (C.WithShared)
    Text += ", less what blocks have as shared memory";
  return Text + (C.Source.empty() ? "" : fmt::format(" [{}]", C.Source)) + "\n";
}

std::string cacheLines(const Machine &M) {
  std::string Result;
  for (const Cache &C : M.Topology.Caches)
    Result += cacheLine(C, M.Topology.Gpu ? "multiprocessor" : "core");
  return Result;
}

} // namespace ergon
