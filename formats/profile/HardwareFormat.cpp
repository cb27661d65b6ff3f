//===- HardwareFormat.cpp - what a profile says of the hardware -----------===//

#include "formats/profile/HardwareFormat.h"
#include "formats/json/SourceFormat.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <string>

namespace ergon {

/// A name that cost classes can have and that begins with \p Prefix.
static std::string readClass(std::string_view Name, std::string_view Prefix, JsonCursor At) {
  if (!isClassName(Name) || !Name.starts_with(Prefix))
    At.fail(inQuotes(Name) + " is no class of that kind",
            "name a cost class" +
                (Prefix.empty() ? std::string() : " that begins with " + std::string(Prefix)));
  return std::string(Name);
}

static DomainPower readDomainPower(JsonCursor At, const Machine &M) {
  At.keys({"flops", "cores"}, {"core_mhz", "uncore"});
  DomainPower P;
  auto Quantity = [&](JsonCursor From) {
    return readQuantity(From, M.Sources, &JsonCursor::nonNegative);
  };
  if (JsonCursor Mhz = At["core_mhz"])
    P.CoreMhz = Mhz.positive();
  if (std::ranges::none_of(M.Settings, [&](auto &S) { return S.CoreMhz == P.CoreMhz; }))
    At.fail("holds at a core clock that no setting has",
            "give core_mhz of a setting; leave it out where there are no settings");
  P.FlopsClass = readClass(At["flops"].text(), "flops_", At["flops"]);
  At["cores"].keys({"constant_w", "flops_w", "bytes_w"});
  P.CoresConstantW = Quantity(At["cores"]["constant_w"]);
  P.CoresFlopsW = Quantity(At["cores"]["flops_w"]);
  for (auto &[Class, Each] : At["cores"]["bytes_w"].members())
    P.CoresBytesW.emplace(readClass(Class, "bytes_", Each), Quantity(Each));
  if (JsonCursor Uncore = At["uncore"]) {
    Uncore.keys({"constant_w", "dram_w"});
    P.UncoreConstantW = Quantity(Uncore["constant_w"]);
    P.UncoreDramW = Quantity(Uncore["dram_w"]);
  }
  return P;
}

static Datasheet readDatasheet(JsonCursor At, const Machine &M) {
  At.keys({}, {"peak", "range"});
  Datasheet D;
  if (JsonCursor Peaks = At["peak"])
    for (auto &[Class, Each] : Peaks.members()) {
      Each.keys({"per_clock", "mhz", "source"});
      D.Peaks[readClass(Class, "", Each)] = {Each["per_clock"].positive(), Each["mhz"].positive(),
                                             readSourceKey(Each["source"], M.Sources)};
    }
  if (JsonCursor Ranges = At["range"]) {
    Ranges.keys({}, {"core_mhz", "mem_mhz", "core_mv", "mem_mv"});
    for (auto &[Key, Each] : Ranges.members()) {
      Each.keys({"min", "max", "source"});
      Datasheet::Range &R = D.Ranges[std::string(Key)];
      R = {Each["min"].positive(), Each["max"].positive(),
           readSourceKey(Each["source"], M.Sources)};
      if (R.Min > R.Max)
        Each.fail("begins above its end", "exchange min and max");
    }
  }
  return D;
}

void readHardware(JsonCursor Root, Machine &M) {
  if (JsonCursor At = Root["byte_energy"]) {
    At.keys({"paid", "source"});
    M.Power.BytesPaid = ByteEnergy(readChoice(At["paid"], ByteEnergyNames));
    M.Power.BytesPaidSource = readSourceKey(At["source"], M.Sources);
  }
  if (JsonCursor List = Root["domain_power"])
    for (JsonCursor Each : List.elements()) {
      DomainPower P = readDomainPower(Each, M);
      if (std::ranges::any_of(M.Power.DomainPowers, [&](const DomainPower &Other) {
            return P.CoreMhz == Other.CoreMhz && P.FlopsClass == Other.FlopsClass;
          }))
        Each.fail("has the clock and the flops of one above", "leave one of the two out");
      M.Power.DomainPowers.push_back(std::move(P));
    }
  if (JsonCursor At = Root["datasheet"])
    M.Hardware = readDatasheet(At, M);
}

} // namespace ergon
