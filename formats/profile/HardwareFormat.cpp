//===- HardwareFormat.cpp - what a profile says of the hardware -----------===//

#include "formats/profile/HardwareFormat.h"
#include "formats/json/SourceFormat.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <string>

namespace ergon {

/// A name that cost classes can have and that begins with \p Prefix.
static std::string readClass(std::string_view Name, std::string_view Prefix, JsonCursor Json) {
  if (!isClassName(Name) || !Name.starts_with(Prefix))
    Json.fail(inQuotes(Name) + " is no class of that kind",
              "name a cost class" +
                  (Prefix.empty() ? std::string() : " that begins with " + std::string(Prefix)));
  return std::string(Name);
}

static DomainPower readDomainPower(JsonCursor Entry, const Machine &M) {
  Entry.keys({"flops", "cores"}, {"core_mhz", "uncore"});
  DomainPower P;
  auto Quantity = [&](JsonCursor From) {
    return readQuantity(From, M.Sources, &JsonCursor::nonNegative);
  };
  if (JsonCursor Mhz = Entry["core_mhz"])
    P.CoreMhz = Mhz.positive();
  if (std::ranges::none_of(M.Settings, [&](auto &S) { return S.CoreMhz == P.CoreMhz; }))
    Entry.fail("holds at a core clock that no setting has",
               "give core_mhz of a setting; leave it out where there are no settings");
  P.FlopsClass = readClass(Entry["flops"].text(), "flops_", Entry["flops"]);
  Entry["cores"].keys({"constant_w", "flops_w", "bytes_w"});
  P.CoresConstantW = Quantity(Entry["cores"]["constant_w"]);
  P.CoresFlopsW = Quantity(Entry["cores"]["flops_w"]);
  for (auto &[Class, Json] : Entry["cores"]["bytes_w"].members())
    P.CoresBytesW.emplace(readClass(Class, "bytes_", Json), Quantity(Json));
  if (JsonCursor Uncore = Entry["uncore"]) {
    Uncore.keys({"constant_w", "dram_w"});
    P.UncoreConstantW = Quantity(Uncore["constant_w"]);
    P.UncoreDramW = Quantity(Uncore["dram_w"]);
  }
  return P;
}

static Datasheet readDatasheet(JsonCursor Json, const Machine &M) {
  Json.keys({}, {"peak", "range"});
  Datasheet D;
  if (JsonCursor Peaks = Json["peak"])
    for (auto &[Class, Entry] : Peaks.members()) {
      Entry.keys({"per_clock", "mhz", "source"});
      D.Peaks[readClass(Class, "", Entry)] = {Entry["per_clock"].positive(),
                                              Entry["mhz"].positive(),
                                              readSourceKey(Entry["source"], M.Sources)};
    }
  if (JsonCursor Ranges = Json["range"]) {
    Ranges.keys({}, {"core_mhz", "mem_mhz", "core_mv", "mem_mv"});
    for (auto &[Key, Element] : Ranges.members()) {
      Element.keys({"min", "max", "source"});
      Datasheet::Range &R = D.Ranges[std::string(Key)];
      R = {Element["min"].positive(), Element["max"].positive(),
           readSourceKey(Element["source"], M.Sources)};
      if (R.Min > R.Max)
        Element.fail("begins above its end", "exchange min and max");
    }
  }
  return D;
}

void readHardware(JsonCursor Root, Machine &M) {
  if (JsonCursor Json = Root["byte_energy"]) {
    Json.keys({"paid", "source"});
    M.Power.BytesPaid = ByteEnergy(readChoice(Json["paid"], ByteEnergyNames));
    M.Power.BytesPaidSource = readSourceKey(Json["source"], M.Sources);
  }
  if (JsonCursor List = Root["domain_power"])
    for (JsonCursor Entry : List.elements()) {
      DomainPower P = readDomainPower(Entry, M);
      if (std::ranges::any_of(M.Power.DomainPowers, [&](const DomainPower &Other) {
            return P.CoreMhz == Other.CoreMhz && P.FlopsClass == Other.FlopsClass;
          }))
        Entry.fail("has the clock and the flops of one above", "leave one of the two out");
      M.Power.DomainPowers.push_back(std::move(P));
    }
  if (JsonCursor Datasheet = Root["datasheet"])
    M.Hardware = readDatasheet(Datasheet, M);
}

} // namespace ergon
