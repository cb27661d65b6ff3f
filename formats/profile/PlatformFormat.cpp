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
static std::string wattage(const PowerState &Of, unsigned Cores) {
  if (Cores == 1)
    return digits(Of.IdleW) + ":" + digits(Of.BusyW);
  return digits(Of.IdleW) + ":" + digits(Of.IdleW) + ":" +
         digits(Of.IdleW + (Of.BusyW - Of.IdleW) * Cores);
}

static void addHost(std::string &Into, const Processor &Which, const ProcessorKind &Of) {
  std::string Speeds, Wattages;
  for (const PowerState &State : Of.States) {
    const char *Comma = Speeds.empty() ? "" : ",";
    Speeds += Comma + digits(State.UnitsPerS) + "f";
    Wattages += Comma + wattage(State, Of.Cores);
  }
  Into += "    <host id=\"" + Which.Name + "\" speed=\"" + Speeds + "\" core=\"" +
          std::to_string(Of.Cores) + "\">\n";
  Into += "      <prop id=\"wattage_per_state\" value=\"" + Wattages + "\"/>\n";
  if (Of.OffW)
    Into += "      <prop id=\"wattage_off\" value=\"" + digits(*Of.OffW) + "\"/>\n";
  Into += "    </host>\n";
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

std::string writePlatform(const Plan &Of) {
  std::string Hosts, Router;
  for (const Processor &Each : Of.Processors)
    addHost(Hosts, Each, Of.Kinds[Each.Kind]);
  Network Links;
  if (Of.Network) {
    Router = "    <router id=\"switch:\"/>\n";
    // Half of the latency on each of the two links that a message goes over.
    for (std::size_t Rank : Of.Ranks)
      Links.add(Of.Processors[Rank].Name, "switch:", Of.Network->BytesPerS,
                Of.Network->LatencyS / 2);
  }
  for (const Attachment &Each : Of.Attached)
    Links.add(Of.Processors[Each.To].Name, Of.Processors[Each.Processor].Name, Each.By.BytesPerS,
              Each.By.LatencyS);
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n"
         "  <zone id=\"AS0\" routing=\"DijkstraCache\">\n" +
         Hosts + Router + Links.Links + Links.Routes + "  </zone>\n</platform>\n";
}

} // namespace ergon
