//===- CacheView.cpp - caches as text -------------------------------------===//

#include "tools/view/CacheView.h"

#include <fmt/format.h>

namespace ergon {

std::string capacity(std::uint64_t Bytes) {
  if (Bytes >= 1 << 20)
    return fmt::format("{:g} MiB", double(Bytes) / (1 << 20));
  return Bytes >= 1024 ? fmt::format("{:g} KiB", double(Bytes) / 1024) : fmt::format("{} B", Bytes);
}

static std::string cacheLine(const Cache &Of, const char *Sharer) {
  std::string Text = fmt::format("  {:<4} {:>10}", Of.Level, capacity(Of.Bytes));
  if (Of.Ways)
    Text += fmt::format(", {} way{}", *Of.Ways, *Of.Ways == 1 ? "" : "s");
  if (Of.LineBytes)
    Text += fmt::format(", lines of {} B", *Of.LineBytes);
  if (Of.SectorBytes && Of.SectorBytes != Of.LineBytes)
    Text += fmt::format(" in sectors of {}", *Of.SectorBytes);
  if (Of.SharedBy)
    Text += fmt::format(", of {} {}{}", *Of.SharedBy, Sharer, *Of.SharedBy == 1 ? "" : "s");
  if (Of.Write)
    Text += fmt::format(", write-{}", name(*Of.Write));
  if (Of.WriteAllocate)
    Text += *Of.WriteAllocate ? ", write-allocate" : ", stores that miss pass by";
  if (Of.Holds && *Of.Holds != Inclusion::Neither)
    Text += fmt::format(", {}", name(*Of.Holds));
  if (Of.WithShared)
    Text += ", less what blocks have as shared memory";
  return Text + (Of.Source.empty() ? "" : fmt::format(" [{}]", Of.Source)) + "\n";
}

std::string cacheLines(const Machine &M) {
  std::string Result;
  for (const Cache &Each : M.Topology.Caches)
    Result += cacheLine(Each, M.Topology.Gpu ? "multiprocessor" : "core");
  return Result;
}

} // namespace ergon
