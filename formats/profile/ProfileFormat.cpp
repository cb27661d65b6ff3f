//===- ProfileFormat.cpp - machine profiles as JSON -----------------------===//

#include "formats/profile/ProfileFormat.h"
#include "formats/profile/CacheFormat.h"
#include "formats/profile/ClusterFormat.h"
#include "formats/profile/DeviceFormat.h"
#include "formats/profile/HardwareFormat.h"
#include "formats/profile/PipelineFormat.h"
#include "formats/profile/PowerLawFormat.h"
#include "model/machine/CostClass.h"

#include <algorithm>

namespace ergon {

namespace {
/// Reads the body of a profile into the machine it holds.
struct ProfileReader {
  Machine M;

  Quantity readQuantity(JsonCursor Json, double (JsonCursor::*Number)() const) const {
    return ergon::readQuantity(Json, M.Sources, Number);
  }
  Throughput readThroughput(JsonCursor Json);
  EnergyCost readEnergy(JsonCursor Json);
  ConstantPower readConstantPower(JsonCursor Json);
  void readSettings(JsonCursor List, JsonCursor Default);
  void requireInSettings(JsonCursor Json, Domain D, bool Voltage);
  void checkPowerCap(JsonCursor Json);
  TypicalEnergy readTypical(JsonCursor Json) const;
  ChangeErrors readChange(JsonCursor Json) const;
  ChoiceLosses readLosses(JsonCursor Json) const;
  FitQuality readFit(JsonCursor Json) const;
  Covariance readCovariance(JsonCursor Json) const;
  Machine read(JsonCursor Root);
};
} // namespace

/// What profiles that price no programs are for.
static constexpr std::string_view DataCommands[] = {"evaluate", "machine roofs", "scale",
                                                    "simulate"};

static std::string readClassName(std::string_view Name, JsonCursor Json) {
  if (!isClassName(Name))
    Json.fail(inQuotes(Name) + " cannot name a cost class",
              "use letters, digits and underscores, and none of: constant, power_cap, none");
  return std::string(Name);
}

Throughput ProfileReader::readThroughput(JsonCursor Json) {
  Throughput T;
  if (Json["clock"] || Json["at_mhz"]) {
    Json.keys({"per_s", "clock", "at_mhz"});
    T.Clock = Domain(readChoice(Json["clock"], DomainNames));
    T.AtMhz = Json["at_mhz"].positive();
    requireInSettings(Json["clock"], *T.Clock, /*Voltage=*/false);
  } else {
    Json.keys({"per_s"});
  }
  T.PerS = readQuantity(Json["per_s"], &JsonCursor::positive);
  return T;
}

EnergyCost ProfileReader::readEnergy(JsonCursor Json) {
  EnergyCost E;
  if (Json["j_per_v2"]) {
    Json.keys({"j_per_v2", "rail"});
    E.Coefficient = readQuantity(Json["j_per_v2"], &JsonCursor::nonNegative);
    E.Rail = Domain(readChoice(Json["rail"], DomainNames));
    requireInSettings(Json["rail"], *E.Rail, /*Voltage=*/true);
  } else {
    Json.keys({"j"});
    E.Coefficient = readQuantity(Json["j"], &JsonCursor::nonNegative);
  }
  return E;
}

ConstantPower ProfileReader::readConstantPower(JsonCursor Json) {
  Json.keys({"misc_w"}, {"core_w_per_v", "mem_w_per_v", "core_w_per_mhz_v2", "mem_w_per_mhz"});
  ConstantPower C;
  C.MiscW = readQuantity(Json["misc_w"], &JsonCursor::nonNegative);
  auto Follows = [&](std::string_view Key, Domain D, bool Voltage,
                     bool Clock) -> std::optional<Quantity> {
    JsonCursor PerUnit = Json[Key];
    if (!PerUnit)
      return std::nullopt;
    if (Voltage)
      requireInSettings(PerUnit, D, /*Voltage=*/true);
    if (Clock)
      requireInSettings(PerUnit, D, /*Voltage=*/false);
    return readQuantity(PerUnit, &JsonCursor::nonNegative);
  };
  C.CoreWPerV = Follows("core_w_per_v", Domain::Core, true, false);
  C.MemWPerV = Follows("mem_w_per_v", Domain::Mem, true, false);
  C.CoreWPerMhzV2 = Follows("core_w_per_mhz_v2", Domain::Core, true, true);
  C.MemWPerMhz = Follows("mem_w_per_mhz", Domain::Mem, false, true);
  return C;
}

void ProfileReader::readSettings(JsonCursor List, JsonCursor Default) {
  if (!List) {
    if (Default)
      Default.fail("names a setting where there are none", "list /settings or leave it out");
    return;
  }
  auto Given = [](JsonCursor Json) { return Json ? std::optional(Json.positive()) : std::nullopt; };
  M.Settings.clear();
  for (JsonCursor Entry : List.elements()) {
    Entry.keys({"core_mhz", "source"}, {"core_actual_mhz", "mem_mhz", "core_mv", "mem_mv"});
    Setting S{Given(Entry["core_mhz"]),
              Given(Entry["mem_mhz"]),
              Given(Entry["core_mv"]),
              Given(Entry["mem_mv"]),
              readSourceKey(Entry["source"], M.Sources),
              Given(Entry["core_actual_mhz"])};
    if (std::ranges::any_of(M.Settings, [&](auto &Other) { return S.sameClocks(Other); }))
      Entry.fail("has the same clocks as a setting above", "leave one of the two out");
    M.Settings.push_back(std::move(S));
  }
  if (M.Settings.empty()) {
    List.fail("is empty", "list a setting or leave the key out");
    M.Settings.emplace_back(); // never empty, even when the document is refused
  }
  if (!Default) {
    List.fail("has no /default_setting beside it", "add it with the clocks of one setting");
    return;
  }
  Default.keys({"core_mhz"}, {"mem_mhz"});
  const Setting *Found = M.findSetting(Given(Default["core_mhz"]), Given(Default["mem_mhz"]));
  if (Found)
    M.Default = Found - M.Settings.data();
  else
    Default.fail("is not the clocks of exactly one setting", "give the clocks of a listed one");
}

/// Refuses a coefficient whose domain has no clock (or voltage) at some setting.
void ProfileReader::requireInSettings(JsonCursor Json, Domain D, bool Voltage) {
  for (const Setting &S : M.Settings)
    if (!(Voltage ? M.volts(D, S) : S.mhz(D)))
      Json.fail("a setting has no " + std::string(name(D)) + (Voltage ? "_mv" : "_mhz") +
                    ", which this needs",
                "give it in every setting");
}

void ProfileReader::checkPowerCap(JsonCursor Json) {
  M.Power.Cap = readQuantity(Json, &JsonCursor::positive);
  for (const Setting &S : M.Settings)
    if (M.Power.Cap->Value <= M.constantPower(S).value_or(0))
      Json["value"].fail("is not above the constant power of every setting",
                         "correct it or /constant_power");
}

Covariance ProfileReader::readCovariance(JsonCursor Json) const {
  Json.keys({"coefficients", "relative", "source"});
  Covariance C;
  C.Source = readSourceKey(Json["source"], M.Sources);
  const auto Known = M.coefficients();
  for (JsonCursor Entry : Json["coefficients"].elements()) {
    C.Coefficients.push_back(Entry.text());
    if (!Known.contains(C.Coefficients.back()))
      Entry.fail(inQuotes(C.Coefficients.back()) + " is no coefficient of this profile",
                 "write for example energy.CLASS, throughput.CLASS or constant_power.misc_w");
    if (std::ranges::count(C.Coefficients, C.Coefficients.back()) > 1)
      Entry.fail("stands here twice", "leave one of the two out");
  }
  for (JsonCursor Row : Json["relative"].elements()) {
    std::vector<double> &Numbers = C.Relative.emplace_back();
    for (JsonCursor Element : Row.elements())
      Numbers.push_back(Element.number());
  }
  auto IsCovariance = [&](std::size_t Row, std::size_t Column) {
    const auto &R = C.Relative;
    return R[Row][Row] >= 0 && R[Row][Column] == R[Column][Row] &&
           R[Row][Column] * R[Row][Column] <= R[Row][Row] * R[Column][Column] * (1 + 1e-9);
  };
  const std::size_t Size = C.Coefficients.size();
  bool Good = C.Relative.size() == Size &&
              std::ranges::all_of(C.Relative, [&](auto &Row) { return Row.size() == Size; });
  for (std::size_t Row = 0; Good && Row != Size; ++Row)
    for (std::size_t Column = 0; Good && Column != Size; ++Column)
      Good = IsCovariance(Row, Column);
  if (!Good)
    Json["relative"].fail("is not a covariance matrix of the coefficients",
                          "give a symmetric matrix with a row for each coefficient");
  return C;
}

TypicalEnergy ProfileReader::readTypical(JsonCursor Json) const {
  Json.keys({"settings", "source"}, {});
  TypicalEnergy Result;
  Result.Source = readSourceKey(Json["source"], M.Sources);
  for (JsonCursor Item : Json["settings"].elements()) {
    Item.keys({"core_mhz", "relative"}, {"mem_mhz"});
    TypicalEnergy::At &Next = Result.Settings.emplace_back();
    Next.Clocks.CoreMhz = Item["core_mhz"].positive();
    if (JsonCursor Mem = Item["mem_mhz"])
      Next.Clocks.MemMhz = Mem.positive();
    Next.LogEnergy = std::log(Item["relative"].positive());
  }
  if (Result.Settings.size() < 2)
    Json["settings"].fail("fewer than two settings", "give the energy at two or more");
  return Result;
}

ChoiceLosses ProfileReader::readLosses(JsonCursor Json) const {
  Json.keys({"workloads", "by_runs", "fastest", "slowest", "fixed", "fixed_core_mhz", "source"},
            {"fixed_mem_mhz"});
  ChoiceLosses Result;
  Result.Source = readSourceKey(Json["source"], M.Sources);
  Result.Workloads = std::size_t(Json["workloads"].positive());
  std::size_t Runs = 0;
  for (JsonCursor Item : Json["by_runs"].elements()) {
    Item.keys({"runs", "model", "combined", "model_weight"});
    if (Runs == Result.ByRuns.size() || Item["runs"].nonNegative() != double(Runs)) {
      Item.fail("is not of the next number of runs", "give 0, 1 and 2 runs in this order");
      break;
    }
    const double Weight = Item["model_weight"].nonNegative();
    if (Weight > 1)
      Item["model_weight"].fail("is above 1", "give the model's share, 0 to 1");
    Result.ByRuns[Runs++] = {Item["model"].nonNegative(), Item["combined"].nonNegative(), Weight};
  }
  if (Runs != Result.ByRuns.size())
    Json["by_runs"].fail("is not of 0, 1 and 2 runs", "give these in this order");
  const std::pair<const char *, double &> Losses[] = {
      {"fastest", Result.Fastest}, {"slowest", Result.Slowest}, {"fixed", Result.Fixed}};
  for (const auto &[Key, Loss] : Losses)
    Loss = Json[Key].nonNegative();
  Result.FixedSetting.CoreMhz = Json["fixed_core_mhz"].positive();
  if (JsonCursor Mem = Json["fixed_mem_mhz"])
    Result.FixedSetting.MemMhz = Mem.positive();
  return Result;
}

ChangeErrors ProfileReader::readChange(JsonCursor Json) const {
  Json.keys({"source"}, {"time", "power"});
  ChangeErrors Result;
  Result.Source = readSourceKey(Json["source"], M.Sources);
  for (const auto &[Key, Slopes] : {std::pair{"time", &Result.Time}, {"power", &Result.Power}})
    if (JsonCursor Given = Json[Key]) {
      Given.keys({"core", "mem", "correlation"});
      *Slopes = SlopeErrors{Given["core"].positive(), Given["mem"].positive(),
                            Given["correlation"].number()};
      if (!(std::abs((*Slopes)->Correlation) < 1))
        Given["correlation"].fail("is not between -1 and 1", "correct it");
    }
  return Result;
}

FitQuality ProfileReader::readFit(JsonCursor Json) const {
  Json.keys({}, {"energy_error", "energy_choice_error", "time_error", "time_error_below",
                 "time_choice_error", "covariance", "typical_energy", "change_errors",
                 "choice_losses", "families"});
  FitQuality Fit;
  const std::pair<std::string_view, std::optional<Quantity> &> Errors[] = {
      {"energy_error", Fit.EnergyError},
      {"energy_choice_error", Fit.EnergyChoiceError},
      {"time_error", Fit.TimeError},
      {"time_error_below", Fit.TimeErrorBelow},
      {"time_choice_error", Fit.TimeChoiceError}};
  for (const auto &[Key, Error] : Errors)
    if (JsonCursor Given = Json[Key])
      Error = readQuantity(Given, &JsonCursor::nonNegative);
  if (JsonCursor Given = Json["covariance"])
    Fit.JointCovariance = readCovariance(Given);
  if (JsonCursor Given = Json["typical_energy"])
    Fit.Typical = readTypical(Given);
  if (JsonCursor Given = Json["change_errors"])
    Fit.Change = readChange(Given);
  if (JsonCursor Given = Json["choice_losses"])
    Fit.Losses = readLosses(Given);
  if (JsonCursor Given = Json["families"])
    for (JsonCursor Name : Given.elements())
      Fit.Families.push_back(Name.text());
  return Fit;
}

Machine ProfileReader::read(JsonCursor Root) {
  Root.keys({"schema", "name", "description", "sources", "throughput", "energy"},
            {"settings", "default_setting", "constant_power", "power_cap_w", "overlap", "kind",
             "data_for", "switching", "fit", "voltage", "saturation", "correction", "byte_energy",
             "domain_power", "datasheet", "caches", "device", "cluster", "pipeline"});
  M.Name = Root["name"].text();
  M.Description = Root["description"].text();
  M.Sources = readSources(Root["sources"]);
  readSettings(Root["settings"], Root["default_setting"]);
  readPowerLaws(Root, M);
  for (auto &[Class, Json] : Root["throughput"].members())
    M.Timing.Throughputs.emplace(readClassName(Class, Json), readThroughput(Json));
  for (auto &[Class, Entry] : Root["energy"].members())
    M.Power.Energies.emplace(readClassName(Class, Entry), readEnergy(Entry));
  if (JsonCursor Constant = Root["constant_power"])
    M.Power.Constant = readConstantPower(Constant);
  if (JsonCursor Cap = Root["power_cap_w"])
    checkPowerCap(Cap);
  if (JsonCursor Overlap = Root["overlap"]) {
    Overlap.keys({"exponent"});
    M.Timing.OverlapExponent = readQuantity(Overlap["exponent"], &JsonCursor::positive);
    if (M.Timing.OverlapExponent->Value < 1)
      Overlap["exponent"]["value"].fail("is below 1: more time than one thing after the other",
                                        "correct it");
  }
  if (JsonCursor Kind = Root["kind"])
    M.Kind = MachineKind(readChoice(Kind, MachineKindNames));
  if (JsonCursor For = Root["data_for"])
    M.DataFor = DataCommands[readChoice(For, DataCommands)];
  if (JsonCursor Switching = Root["switching"]) {
    Switching.keys({"time_s", "energy_j"});
    M.Timing.Switching = {readQuantity(Switching["time_s"], &JsonCursor::nonNegative),
                          readQuantity(Switching["energy_j"], &JsonCursor::nonNegative)};
  }
  if (JsonCursor Cluster = Root["cluster"])
    M.Topology.Cluster = readCluster(Cluster, M.Sources);
  if (JsonCursor Fit = Root["fit"])
    M.Fit.Quality = readFit(Fit);
  readHardware(Root, M);
  if (JsonCursor Caches = Root["caches"])
    M.Topology.Caches = readCaches(Caches, M.Sources);
  if (JsonCursor Pipeline = Root["pipeline"])
    M.Timing.InCore = readPipeline(Pipeline, M.Sources);
  if (JsonCursor Device = Root["device"])
    M.Topology.Gpu = readDevice(Device, M.Sources);
  return std::move(M);
}

std::expected<Machine, Error> parseProfile(std::string_view Text) {
  return readJson(Text, ProfileSchema, [](JsonCursor Root) { return ProfileReader().read(Root); });
}

} // namespace ergon
