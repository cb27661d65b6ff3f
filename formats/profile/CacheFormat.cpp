//===- CacheFormat.cpp - the caches in a machine profile ------------------===//

#include "formats/profile/CacheFormat.h"
#include "model/traffic/CacheHierarchy.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace ergon {

using Json = nlohmann::ordered_json;

/// Refuses a number that T cannot hold. checkCaches() refuses impossible geometry, of all caches
/// together.
template <typename T> static T readWhole(JsonCursor Json) {
  const std::int64_t Value = Json.integer();
  if (Value >= 0 && std::uint64_t(Value) <= std::numeric_limits<T>::max())
    return T(Value);
  Json.fail("is no number that a cache could have", "correct it");
  return 0;
}

static Cache readCache(JsonCursor Json, const std::map<std::string, Source> &Sources) {
  Json.keys({"level", "bytes", "source"}, {"line_bytes", "sector_bytes", "ways", "shared_by",
                                           "write", "write_allocate", "inclusion", "with_shared"});
  Cache C;
  C.Level = CacheLevelNames[readChoice(Json["level"], CacheLevelNames)];
  C.Bytes = readWhole<std::uint64_t>(Json["bytes"]);
  const std::pair<const char *, std::optional<unsigned> &> Numbers[] = {
      {"line_bytes", C.LineBytes},
      {"sector_bytes", C.SectorBytes},
      {"ways", C.Ways},
      {"shared_by", C.SharedBy}};
  for (const auto &[Key, Number] : Numbers)
    if (JsonCursor Given = Json[Key])
      Number = readWhole<unsigned>(Given);
  if (JsonCursor Given = Json["write"])
    C.Write = WritePolicy(readChoice(Given, WritePolicyNames));
  if (JsonCursor Given = Json["write_allocate"])
    C.WriteAllocate = Given.boolean();
  if (JsonCursor Given = Json["inclusion"])
    C.Holds = Inclusion(readChoice(Given, InclusionNames));
  C.WithShared = Json["with_shared"].boolean(false);
  C.Source = readSourceKey(Json["source"], Sources);
  return C;
}

std::vector<Cache> readCaches(JsonCursor Json, const std::map<std::string, Source> &Sources) {
  std::vector<Cache> Result;
  for (JsonCursor Entry : Json.elements())
    Result.push_back(readCache(Entry, Sources));
  if (auto Bad = checkCaches(Result); Bad && !Json.failed())
    Json.fail(*Bad, "");
  return Result;
}

Json writeCaches(const std::vector<Cache> &Caches) {
  Json Result = Json::array();
  for (const Cache &C : Caches) {
    Json &To = Result.emplace_back(Json{{"level", C.Level}, {"bytes", C.Bytes}});
    const std::pair<const char *, const std::optional<unsigned> &> Numbers[] = {
        {"line_bytes", C.LineBytes},
        {"sector_bytes", C.SectorBytes},
        {"ways", C.Ways},
        {"shared_by", C.SharedBy}};
    for (const auto &[Key, Value] : Numbers)
      if (Value)
        To[Key] = *Value;
    if (C.Write)
      To["write"] = name(*C.Write);
    if (C.WriteAllocate)
      To["write_allocate"] = *C.WriteAllocate;
    if (C.Holds)
      To["inclusion"] = name(*C.Holds);
    if (C.WithShared)
      To["with_shared"] = true;
    To["source"] = C.Source;
  }
  return Result;
}

} // namespace ergon
