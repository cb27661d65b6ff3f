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

  Quantity readQuantity(JsonCursor At, double (JsonCursor::*Number)() const) const {
    return ergon::readQuantity(At, M.Sources, Number);
  }
  Throughput readThroughput(JsonCursor At);
  EnergyCost readEnergy(JsonCursor At);
  ConstantPower readConstantPower(JsonCursor At);
  void readSettings(JsonCursor List, JsonCursor Default);
  void requireInSettings(JsonCursor At, Domain D, bool Voltage);
  void checkPowerCap(JsonCursor At);
  FitQuality readFit(JsonCursor At) const;
  Covariance readCovariance(JsonCursor At) const;
  Machine read(JsonCursor Root);
};
} // namespace

static std::string readClassName(std::string_view Name, JsonCursor At) {
  if (!isClassName(Name))
    At.fail(inQuotes(Name) + " cannot name a cost class",
            "use letters, digits and underscores, and none of: constant, power_cap, none");
  return std::string(Name);
}

Throughput ProfileReader::readThroughput(JsonCursor At) {
  Throughput T;
  if (At["clock"] || At["at_mhz"]) {
    At.keys({"per_s", "clock", "at_mhz"});
    T.Clock = Domain(readChoice(At["clock"], DomainNames));
    T.AtMhz = At["at_mhz"].positive();
    requireInSettings(At["clock"], *T.Clock, /*Voltage=*/false);
  } else {
    At.keys({"per_s"});
  }
  T.PerS = readQuantity(At["per_s"], &JsonCursor::positive);
  return T;
}

EnergyCost ProfileReader::readEnergy(JsonCursor At) {
  EnergyCost E;
  if (At["j_per_v2"]) {
    At.keys({"j_per_v2", "rail"});
    E.Coefficient = readQuantity(At["j_per_v2"], &JsonCursor::nonNegative);
    E.Rail = Domain(readChoice(At["rail"], DomainNames));
    requireInSettings(At["rail"], *E.Rail, /*Voltage=*/true);
  } else {
    At.keys({"j"});
    E.Coefficient = readQuantity(At["j"], &JsonCursor::nonNegative);
  }
  return E;
}

ConstantPower ProfileReader::readConstantPower(JsonCursor At) {
  At.keys({"misc_w"}, {"core_w_per_v", "mem_w_per_v", "core_w_per_mhz_v2", "mem_w_per_mhz"});
  ConstantPower C;
  C.MiscW = readQuantity(At["misc_w"], &JsonCursor::nonNegative);
  auto Follows = [&](std::string_view Key, Domain D, bool Voltage,
                     bool Clock) -> std::optional<Quantity> {
    JsonCursor PerUnit = At[Key];
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
  auto Given = [](JsonCursor At) { return At ? std::optional(At.positive()) : std::nullopt; };
  M.Settings.clear();
  for (JsonCursor At : List.elements()) {
    At.keys({"core_mhz", "source"}, {"core_actual_mhz", "mem_mhz", "core_mv", "mem_mv"});
    Setting S{Given(At["core_mhz"]),
              Given(At["mem_mhz"]),
              Given(At["core_mv"]),
              Given(At["mem_mv"]),
              readSourceKey(At["source"], M.Sources),
              Given(At["core_actual_mhz"])};
    if (std::ranges::any_of(M.Settings, [&](auto &Other) { return S.sameClocks(Other); }))
      At.fail("has the same clocks as a setting above", "leave one of the two out");
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
void ProfileReader::requireInSettings(JsonCursor At, Domain D, bool Voltage) {
  for (const Setting &S : M.Settings)
    if (!(Voltage ? M.volts(D, S) : S.mhz(D)))
      At.fail("a setting has no " + std::string(name(D)) + (Voltage ? "_mv" : "_mhz") +
                  ", which this needs",
              "give it in every setting");
}

void ProfileReader::checkPowerCap(JsonCursor At) {
  M.Power.Cap = readQuantity(At, &JsonCursor::positive);
  for (const Setting &S : M.Settings)
    if (M.Power.Cap->Value <= M.constantPower(S).value_or(0))
      At["value"].fail("is not above the constant power of every setting",
                       "correct it or /constant_power");
}

Covariance ProfileReader::readCovariance(JsonCursor At) const {
  At.keys({"coefficients", "relative", "source"});
  Covariance C;
  C.Source = readSourceKey(At["source"], M.Sources);
  const auto Known = M.coefficients();
  for (JsonCursor Each : At["coefficients"].elements()) {
    C.Coefficients.push_back(Each.text());
    if (!Known.contains(C.Coefficients.back()))
      Each.fail(inQuotes(C.Coefficients.back()) + " is no coefficient of this profile",
                "write for example energy.CLASS, throughput.CLASS or constant_power.misc_w");
    if (std::ranges::count(C.Coefficients, C.Coefficients.back()) > 1)
      Each.fail("stands here twice", "leave one of the two out");
  }
  for (JsonCursor Row : At["relative"].elements()) {
    std::vector<double> &Numbers = C.Relative.emplace_back();
    for (JsonCursor Each : Row.elements())
      Numbers.push_back(Each.number());
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
    At["relative"].fail("is not a covariance matrix of the coefficients",
                        "give a symmetric matrix with a row for each coefficient");
  return C;
}

FitQuality ProfileReader::readFit(JsonCursor At) const {
  At.keys({},
          {"energy_error", "energy_choice_error", "time_error", "time_choice_error", "covariance"});
  FitQuality Fit;
  const std::pair<std::string_view, std::optional<Quantity> &> Errors[] = {
      {"energy_error", Fit.EnergyError},
      {"energy_choice_error", Fit.EnergyChoiceError},
      {"time_error", Fit.TimeError},
      {"time_choice_error", Fit.TimeChoiceError}};
  for (const auto &[Key, Into] : Errors)
    if (JsonCursor Given = At[Key])
      Into = readQuantity(Given, &JsonCursor::nonNegative);
  if (JsonCursor Given = At["covariance"])
    Fit.Together = readCovariance(Given);
  return Fit;
}

Machine ProfileReader::read(JsonCursor Root) {
  Root.keys({"schema", "name", "description", "sources", "throughput", "energy"},
            {"settings", "default_setting", "constant_power", "power_cap_w", "overlap", "kind",
             "switching", "fit", "voltage", "saturation", "correction", "byte_energy",
             "domain_power", "datasheet", "caches", "device", "cluster", "pipeline"});
  M.Name = Root["name"].text();
  M.Description = Root["description"].text();
  M.Sources = readSources(Root["sources"]);
  readSettings(Root["settings"], Root["default_setting"]);
  readPowerLaws(Root, M);
  for (auto &[Class, At] : Root["throughput"].members())
    M.Timing.Throughputs.emplace(readClassName(Class, At), readThroughput(At));
  for (auto &[Class, At] : Root["energy"].members())
    M.Power.Energies.emplace(readClassName(Class, At), readEnergy(At));
  if (JsonCursor Constant = Root["constant_power"])
    M.Power.Constant = readConstantPower(Constant);
  if (JsonCursor Cap = Root["power_cap_w"])
    checkPowerCap(Cap);
  if (JsonCursor At = Root["overlap"]) {
    At.keys({"exponent"});
    M.Timing.OverlapExponent = readQuantity(At["exponent"], &JsonCursor::positive);
    if (M.Timing.OverlapExponent->Value < 1)
      At["exponent"]["value"].fail("is below 1: more time than one thing after the other",
                                   "correct it");
  }
  if (JsonCursor Kind = Root["kind"])
    M.Kind = MachineKind(readChoice(Kind, MachineKindNames));
  if (JsonCursor At = Root["switching"]) {
    At.keys({"time_s", "energy_j"});
    M.Timing.Switching = {readQuantity(At["time_s"], &JsonCursor::nonNegative),
                          readQuantity(At["energy_j"], &JsonCursor::nonNegative)};
  }
  if (JsonCursor At = Root["cluster"])
    M.Topology.Cluster = readCluster(At, M.Sources);
  if (JsonCursor Fit = Root["fit"])
    M.Fit.Quality = readFit(Fit);
  readHardware(Root, M);
  if (JsonCursor At = Root["caches"])
    M.Topology.Caches = readCaches(At, M.Sources);
  if (JsonCursor At = Root["pipeline"])
    M.Timing.InCore = readPipeline(At, M.Sources);
  if (JsonCursor At = Root["device"])
    M.Topology.Gpu = readDevice(At, M.Sources);
  return std::move(M);
}

std::expected<Machine, Error> parseProfile(std::string_view Text) {
  return readJson(Text, ProfileSchema, [](JsonCursor Root) { return ProfileReader().read(Root); });
}

} // namespace ergon
