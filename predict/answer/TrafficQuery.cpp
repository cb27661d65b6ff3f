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
  Result.IsExplicit = Query.Method || Query.Caches || !Query.Places.empty() || Query.Cores != 1;
  Result.How = Query.Method.value_or(TrafficMethod::Analytic);
  Result.Places = Query.Places;
  Result.Cores = Query.Cores;
  Result.Warm = Query.Warm;
  if (Query.Caches) {
    Result.Caches = *Query.Caches;
  } else if (M) {
    Result.Caches = M->Topology.Caches;
    Result.OfDevice = M->Topology.Gpu.has_value();
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

std::expected<Placement, Error> placeObjects(AccessProgram &Of,
                                             const std::vector<ObjectPlace> &Places) {
  std::vector<std::pair<std::size_t, std::uint64_t>> Addresses;
  for (const ObjectPlace &Each : Places) {
    auto Found = std::ranges::find(Of.Objects, Each.Object, &MemoryObject::Name);
    if (Found == Of.Objects.end()) {
      std::vector<std::string> Names;
      for (const MemoryObject &One : Of.Objects)
        Names.push_back(One.Name);
      return std::unexpected(Error{"no object is called " + inQuotes(Each.Object), "",
                                   suggestName(Each.Object, Names), Each.Source});
    }
    if (Each.Bytes)
      Found->Bytes = Expr(Rational(mpz_class(*Each.Bytes)));
    Found->IsPlaced |= Each.Address.has_value();
    if (Each.Address)
      Addresses.emplace_back(Found - Of.Objects.begin(), *Each.Address);
  }
  Placement Result = placeObjects(std::as_const(Of)); // how large they are decides where
  for (const auto &[Object, Address] : Addresses)
    Result[Object] = Address;
  return Result;
}

} // namespace ergon
