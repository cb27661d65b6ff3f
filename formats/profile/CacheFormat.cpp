//===- CacheFormat.cpp - the caches in a machine profile ------------------===//

#include "formats/profile/CacheFormat.h"
#include "model/traffic/CacheHierarchy.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace ergon {

using Json = nlohmann::ordered_json;

/// Refuses a number that T cannot hold. checkCaches() refuses impossible geometry, of all caches
/// together.
template <typename T> static T readWhole(JsonCursor At) {
  const std::int64_t Value = At.integer();
  if (Value >= 0 && std::uint64_t(Value) <= std::numeric_limits<T>::max())
    return T(Value);
  At.fail("is no number that a cache could have", "correct it");
  return 0;
}

static Cache readCache(JsonCursor At, const std::map<std::string, Source> &Sources) {
  At.keys({"level", "bytes", "source"}, {"line_bytes", "sector_bytes", "ways", "shared_by", "write",
                                         "write_allocate", "inclusion", "with_shared"});
  Cache C;
  C.Level = CacheLevelNames[readChoice(At["level"], CacheLevelNames)];
  C.Bytes = readWhole<std::uint64_t>(At["bytes"]);
  const std::pair<const char *, std::optional<unsigned> &> Numbers[] = {
      {"line_bytes", C.LineBytes},
      {"sector_bytes", C.SectorBytes},
      {"ways", C.Ways},
      {"shared_by", C.SharedBy}};
  for (const auto &[Key, Into] : Numbers)
    if (JsonCursor Given = At[Key])
      Into = readWhole<unsigned>(Given);
  if (JsonCursor Given = At["write"])
    C.Write = WritePolicy(readChoice(Given, WritePolicyNames));
  if (JsonCursor Given = At["write_allocate"])
    C.WriteAllocate = Given.boolean();
  if (JsonCursor Given = At["inclusion"])
    C.Holds = Inclusion(readChoice(Given, InclusionNames));
  C.WithShared = At["with_shared"].boolean(false);
  C.Source = readSourceKey(At["source"], Sources);
  return C;
}

std::vector<Cache> readCaches(JsonCursor At, const std::map<std::string, Source> &Sources) {
  std::vector<Cache> Result;
  for (JsonCursor Each : At.elements())
    Result.push_back(readCache(Each, Sources));
  if (auto Bad = checkCaches(Result); Bad && !At.failed())
    At.fail(*Bad, "");
  return Result;
}

Json writeCaches(const std::vector<Cache> &Of) {
  Json Result = Json::array();
  for (const Cache &Each : Of) {
    Json &To = Result.emplace_back(Json{{"level", Each.Level}, {"bytes", Each.Bytes}});
    const std::pair<const char *, const std::optional<unsigned> &> Numbers[] = {
        {"line_bytes", Each.LineBytes},
        {"sector_bytes", Each.SectorBytes},
        {"ways", Each.Ways},
        {"shared_by", Each.SharedBy}};
    for (const auto &[Key, Value] : Numbers)
      if (Value)
        To[Key] = *Value;
    if (Each.Write)
      To["write"] = name(*Each.Write);
    if (Each.WriteAllocate)
      To["write_allocate"] = *Each.WriteAllocate;
    if (Each.Holds)
      To["inclusion"] = name(*Each.Holds);
    if (Each.WithShared)
      To["with_shared"] = true;
    To["source"] = Each.Source;
  }
  return Result;
}

} // namespace ergon
