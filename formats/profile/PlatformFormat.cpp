//===- PlatformFormat.cpp - platforms as SimGrid reads them ---------------===//

#include "formats/profile/PlatformFormat.h"

#include <charconv>

namespace ergon {

/// The shortest digits that give the same number back.
static std::string digits(double Value) {
  char Text[32];
  return std::string(Text, std::to_chars(Text, Text + sizeof Text, Value).ptr);
}

/// `29.4:153.65` for one core, as fig. 3 of the paper has it; for more
/// `idle:idle:all cores`, between which SimGrid goes linearly with the cores at work.
static std::string wattage(const PowerState &State, unsigned Cores) {
  if (Cores == 1)
    return digits(State.IdleW) + ":" + digits(State.BusyW);
  return digits(State.IdleW) + ":" + digits(State.IdleW) + ":" +
         digits(State.IdleW + (State.BusyW - State.IdleW) * Cores);
}

static void addHost(std::string &Result, const Processor &Which, const ProcessorKind &Kind) {
  std::string Speeds, Wattages;
  for (const PowerState &State : Kind.States) {
    const char *Comma = Speeds.empty() ? "" : ",";
    Speeds += Comma + digits(State.UnitsPerS) + "f";
    Wattages += Comma + wattage(State, Kind.Cores);
  }
  Result += "    <host id=\"" + Which.Name + "\" speed=\"" + Speeds + "\" core=\"" +
            std::to_string(Kind.Cores) + "\">\n";
  Result += "      <prop id=\"wattage_per_state\" value=\"" + Wattages + "\"/>\n";
  if (Kind.OffW)
    Result += "      <prop id=\"wattage_off\" value=\"" + digits(*Kind.OffW) + "\"/>\n";
  Result += "    </host>\n";
}

namespace {
/// Links and the routes over them, apart: the document has all of the first before the second.
/// The name of a processor has no colon, those of links have.
struct Network {
  std::string Links, Routes;

  void add(const std::string &From, const std::string &To, double BytesPerS, double LatencyS) {
    const std::string Name = From + ":" + To;
    Links += "    <link id=\"" + Name + "\" bandwidth=\"" + digits(BytesPerS) + "Bps\" latency=\"" +
             digits(LatencyS) + "s\" sharing_policy=\"SPLITDUPLEX\"/>\n";
    Routes += "    <route src=\"" + From + "\" dst=\"" + To + "\"><link_ctn id=\"" + Name +
              "\" direction=\"UP\"/></route>\n";
  }
};
} // namespace

std::string writePlatform(const Plan &Planned) {
  std::string Hosts, Router;
  for (const Processor &P : Planned.Processors)
    addHost(Hosts, P, Planned.Kinds[P.Kind]);
  Network Links;
  if (Planned.Network) {
    Router = "    <router id=\"switch:\"/>\n";
    // Half of the latency on each of the two links that a message goes over.
    for (std::size_t Rank : Planned.Ranks)
      Links.add(Planned.Processors[Rank].Name, "switch:", Planned.Network->BytesPerS,
                Planned.Network->LatencyS / 2);
  }
  for (const Attachment &A : Planned.Attached)
    Links.add(Planned.Processors[A.To].Name, Planned.Processors[A.Processor].Name,
              A.Uplink.BytesPerS, A.Uplink.LatencyS);
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n"
         "  <zone id=\"AS0\" routing=\"DijkstraCache\">\n" +
         Hosts + Router + Links.Links + Links.Routes + "  </zone>\n</platform>\n";
}

} // namespace ergon
