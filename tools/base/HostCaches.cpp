//===- HostCaches.cpp - the caches of the machine at hand -----------------===//

#include "tools/base/HostCaches.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ergon {

namespace {
using Topology =
    std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>,
                    decltype([](hwloc_topology_t HTT) { hwloc_topology_destroy(HTT); })>;

/// Reads the way of one core.
class PathReader {
public:
  PathReader(hwloc_topology_t HTT, HostCaches &Result) : Subject(HTT), Result(Result) {}

  void read(hwloc_obj_t Core);
  /// Reports another core with different caches.
  void compare(hwloc_obj_t Core);

private:
  hwloc_topology_t Subject;
  HostCaches &Result;
  bool Differ = false;

  std::vector<hwloc_obj_t> cachesOf(hwloc_obj_t Core) const;
  Cache cacheOf(hwloc_obj_t Object) const;
};
} // namespace

std::vector<hwloc_obj_t> PathReader::cachesOf(hwloc_obj_t Core) const {
  std::vector<hwloc_obj_t> Result;
  for (hwloc_obj_t Object = Core; Object; Object = Object->parent)
    if (hwloc_obj_type_is_dcache(Object->type))
      Result.push_back(Object);
  return Result;
}

Cache PathReader::cacheOf(hwloc_obj_t Object) const {
  const hwloc_obj_attr_u::hwloc_cache_attr_s &Told = Object->attr->cache;
  Cache Result{.Level = fmt::format("l{}", Told.depth), .Bytes = Told.size};
  if (Told.linesize)
    Result.LineBytes = Told.linesize;
  if (Told.associativity > 0)
    Result.Ways = unsigned(Told.associativity);
  else if (Told.associativity < 0 && Told.linesize) // a line may be anywhere
    Result.Ways = unsigned(Told.size / Told.linesize);
  const int Cores = hwloc_get_nbobjs_inside_cpuset_by_type(Subject, Object->cpuset, HWLOC_OBJ_CORE);
  if (Cores > 0)
    Result.SharedBy = unsigned(Cores);
  if (const char *Inclusive = hwloc_obj_get_info_by_name(Object, "Inclusive");
      Inclusive && Told.depth > 1 && std::string_view(Inclusive) == "1")
    Result.Holds = Inclusion::Inclusive;
  Result.Source = "hwloc";
  return Result;
}

void PathReader::read(hwloc_obj_t Core) {
  for (hwloc_obj_t Object : cachesOf(Core)) {
    Cache C = cacheOf(Object);
    if (Object->attr->cache.depth > CacheLevelNames.size()) {
      Result.Remarks.push_back(C.Level + " is left out: a profile has l1, l2 and l3");
      continue;
    }
    if (C.Bytes == 0) {
      Result.Unknown.push_back("the capacity of " + C.Level + ", which is left out");
      continue;
    }
    if (!C.LineBytes)
      Result.Unknown.push_back("the line size of " + C.Level);
    if (!C.Ways)
      Result.Unknown.push_back("the number of ways of " + C.Level);
    Result.Levels.push_back(std::move(C));
  }
}

void PathReader::compare(hwloc_obj_t Core) {
  const std::vector<hwloc_obj_t> Caches = cachesOf(Core);
  bool AreSame = Caches.size() >= Result.Levels.size();
  for (std::size_t I = 0; AreSame && I != Result.Levels.size(); ++I) {
    const Cache Other = cacheOf(Caches[I]);
    AreSame = Other.Bytes == Result.Levels[I].Bytes && Other.Ways == Result.Levels[I].Ways;
  }
  if (AreSame || std::exchange(Differ, true))
    return;
  Result.Remarks.emplace_back("cores have different caches: these are the first core's");
}

std::expected<HostCaches, Error> findHostCaches() {
  hwloc_topology_t Raw = nullptr;
  if (hwloc_topology_init(&Raw) != 0)
    return std::unexpected(Error{"hwloc cannot be started", "", "see its installation", "hwloc"});
  const Topology T(Raw);
  if (hwloc_topology_load(Raw) != 0)
    return std::unexpected(Error{"the machine cannot be looked at", "",
                                 "see HWLOC_XMLFILE and HWLOC_SYNTHETIC, where one is set",
                                 "hwloc"});
  // hwloc looks at this machine where it cannot read what describes another.
  for (const char *Name : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC"})
    if (const char *Other = std::getenv(Name); Other && hwloc_topology_is_thissystem(Raw))
      return std::unexpected(
          Error{inQuotes(Other) + " describes no machine", "", "correct or unset it", Name});
  HostCaches Result;
  const unsigned Version = hwloc_get_api_version();
  Result.Library = fmt::format("hwloc (API {}.{})", Version >> 16, (Version >> 8) & 0xff);
  const int Cores = hwloc_get_nbobjs_by_type(Raw, HWLOC_OBJ_CORE);
  Result.Cores = Cores > 0 ? unsigned(Cores) : 0;
  if (hwloc_obj_t Package = hwloc_get_obj_by_type(Raw, HWLOC_OBJ_PACKAGE, 0))
    if (const char *Model = hwloc_obj_get_info_by_name(Package, "CPUModel"))
      Result.Processor.assign(Model, std::string_view(Model).find_last_not_of(' ') + 1);
  PathReader Reader(Raw, Result);
  Reader.read(hwloc_get_obj_by_type(Raw, HWLOC_OBJ_PU, 0));
  for (int I = 1; I < hwloc_get_nbobjs_by_type(Raw, HWLOC_OBJ_PU); ++I)
    Reader.compare(hwloc_get_obj_by_type(Raw, HWLOC_OBJ_PU, unsigned(I)));
  if (Result.Levels.empty())
    return std::unexpected(Error{"no caches are told of this machine", "",
                                 "write them down: docs/formats/profile.md, caches", "hwloc"});
  return Result;
}

} // namespace ergon
