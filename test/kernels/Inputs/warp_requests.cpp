// The requests of a recorded kernel's launch as JSON, for tests to hold against traces; with a
// machine also what they move between the levels of its memory.
//
// usage: ergon_warp_requests RECORDS KERNEL [--machine=NAME] [NAME=VALUE…]
#include "model/access/AccessWriter.h"
#include "model/gpu/DeviceTraffic.h"
#include "predict/store/MachineStore.h"
#include "predict/store/RecordStore.h"
#include "tools/base/Commands.h"
#include "tools/base/SetOptions.h"

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace ergon;

static LaunchSize launchFrom(const Bindings &Bound) {
  LaunchSize Result;
  for (unsigned I = 0; I != 3; ++I)
    for (auto [Target, Kind] : {std::pair{&Result.Grid[I], "grid."}, {&Result.Block[I], "block."}})
      if (auto Found = Bound.Given.find(Kind + std::string(1, "xyz"[I]));
          Found != Bound.Given.end())
        *Target = Found->second.get_si();
  return Result;
}

static int fail(const Error &Bad) {
  std::fprintf(stderr, "%s\n", Bad.line().c_str());
  return BadInput;
}

int main(int Count, char **Words) {
  if (Count < 3)
    return BadInput;
  auto Store = RecordStore::open({.Directory = Words[1]}, Detail::All);
  if (!Store)
    return fail(Store.error());
  auto Ref = Store->find({.Entry = Words[2], .Target = "nvptx"});
  if (!Ref)
    return fail(Ref.error());
  auto Kernel = Store->load(*Ref);
  if (!Kernel)
    return fail(Kernel.error());
  std::optional<Error> Failure;
  FunctionLookup Find = Store->lookup(Failure);
  TotalsBuilder InSymbols(Find);
  std::optional<Totals> Sums;
  std::vector<std::string> Sets(Words + 3, Words + Count);
  std::optional<DeviceCaches> Caches;
  if (!Sets.empty() && Sets[0].starts_with("--machine=")) {
    auto Machine = loadMachine(Sets[0].substr(10));
    if (!Machine)
      return fail(Machine.error());
    Caches = deviceCaches(*Machine);
    Sets.erase(Sets.begin());
  }
  auto Values = readSets(Sets);
  if (!Values)
    return fail(Values.error());
  auto Bound = bindValues(*Values, **Kernel, [&]() -> const Totals & {
    return Sums ? *Sums : Sums.emplace(InSymbols.of(**Kernel));
  });
  if (!Bound)
    return fail(Bound.error());
  AccessProgram Accesses = accessesOf(**Kernel, Find, Bound->substitution());
  LaunchSize Launch = launchFrom(*Bound);
  auto Start = std::chrono::steady_clock::now();
  DeviceTraffic Traffic;
  if (Caches) {
    auto Predicted = deviceTraffic(Accesses, Launch, *Caches);
    if (!Predicted)
      return fail({Predicted.error().What, "", Predicted.error().Fix, ""});
    Traffic = std::move(*Predicted);
  } else {
    Traffic.Requests = requestsOf(Accesses, Launch);
  }
  const LaunchRequests &Found = Traffic.Requests;
  double TimeS = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  WarpProgram Compiled(Accesses);
  nlohmann::ordered_json Result{{"complete", Found.IsComplete},
                                {"time_s", TimeS},
                                {"assumptions", Found.Assumptions},
                                {"accesses", nlohmann::json::array()}};
  auto interval = [](const Gap &B) { return nlohmann::json{B.Low, B.High}; };
  for (std::size_t I = 0; I != Found.Accesses.size(); ++I) {
    const MemoryAccess &Access = *Compiled.accesses()[I];
    const MemoryObject &Object = Accesses.Objects[Access.Object];
    const WarpRequests &Requests = Found.Accesses[I];
    Result["accesses"].push_back({{"op", name(Access.What)},
                                  {"space", name(Object.Where)},
                                  {"object", Object.Name},
                                  {"line", Access.Location.Line},
                                  {"bytes", Access.Bytes},
                                  {"requests", Requests.Requests},
                                  {"threads", Requests.Threads},
                                  {"sectors", interval(Requests.Sectors)},
                                  {"lines", interval(Requests.Lines)},
                                  {"passes", interval(Requests.Passes)},
                                  {"fewest", Requests.Fewest},
                                  {"text", describe(Requests, Object.Where)}});
  }
  auto sectors = [&](const DeviceSectors &Sectors) {
    return nlohmann::json{{"l2_reads", interval(Sectors.L2Reads)},
                          {"l2_writes", interval(Sectors.L2Writes)},
                          {"dram_reads", interval(Sectors.DramReads)},
                          {"dram_writes", interval(Sectors.DramWrites)}};
  };
  for (std::size_t I = 0; I != Traffic.Accesses.size(); ++I)
    Result["accesses"][I]["traffic"] = sectors(Traffic.Accesses[I]);
  Result["traffic"] = sectors(Traffic.total());
  Result["blocks_at_once"] = Traffic.BlocksAtOnce;
  for (const auto &[Number, Why] : Found.Open)
    Result["open"].push_back(Why.What);
  std::printf("%s\n", Result.dump(1).c_str());
}
