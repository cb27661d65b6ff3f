//===- TrafficQuery.cpp - what is asked of traffic ------------------------===//

#include "predict/answer/TrafficQuery.h"
#include "predict/text/Suggest.h"

#include <algorithm>
#include <utility>

namespace ergon {

std::expected<std::optional<TrafficRequest>, Error> requestTraffic(const TrafficQuery &Query,
                                                                   const Machine *M) {
  if (!Query.IsWanted)
    return std::nullopt;
  TrafficRequest Result;
  Result.IsExplicit = Query.Method || Query.Caches || !Query.Addresses.empty() || Query.Cores != 1;
  Result.How = Query.Method.value_or(TrafficMethod::Analytic);
  Result.Addresses = Query.Addresses;
  Result.Cores = Query.Cores;
  Result.Warm = Query.Warm;
  if (Query.Caches) {
    Result.Caches = *Query.Caches;
  } else if (M) {
    Result.Caches = M->Topology.Caches;
    Result.Device = M->Topology.Gpu.has_value();
  }
  if (!Result.Caches.empty())
    return Result;
  if (!Result.IsExplicit)
    return std::nullopt;
  return std::unexpected(Error{M ? "the profile says nothing of caches" : "no caches are known", "",
                               "give them: --caches l1=32K/8/64,l2=1M/16/64" +
                                   std::string(M ? "" : ", or a --machine that has some"),
                               M ? M->Name : "traffic"});
}

std::expected<Placement, Error> placeObjects(AccessProgram &Program,
                                             const std::vector<ObjectAddress> &Places) {
  std::vector<std::pair<std::size_t, std::uint64_t>> Addresses;
  for (const ObjectAddress &Place : Places) {
    auto Found = std::ranges::find(Program.Objects, Place.Object, &MemoryObject::Name);
    if (Found == Program.Objects.end()) {
      std::vector<std::string> Names;
      for (const MemoryObject &MO : Program.Objects)
        Names.push_back(MO.Name);
      return std::unexpected(Error{"no object is called " + inQuotes(Place.Object), "",
                                   suggestName(Place.Object, Names), Place.Source});
    }
    if (Place.Bytes)
      Found->Bytes = Expr(Rational(*Place.Bytes));
    Found->IsPlaced |= Place.Address.has_value();
    if (Place.Address)
      Addresses.emplace_back(Found - Program.Objects.begin(), *Place.Address);
  }
  Placement Result = placeObjects(std::as_const(Program)); // how large they are decides where
  for (const auto &[Object, Address] : Addresses)
    Result[Object] = Address;
  return Result;
}

} // namespace ergon
