//===- ClockSweep.cpp - a calibration at several clocks -------------------===//

#include "tools/calibrate/ClockSweep.h"
#include "calibration/Sampling.h"
#include "formats/json/TextFile.h"
#include "predict/text/Text.h"
#include "tools/base/NumberList.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

namespace ergon {

static constexpr char Option[] = "--sweep-clocks";

static double wholeMhz(std::int64_t Khz) { return std::round(double(Khz) * 1e-3); }

NumberFiles &ClockSweep::system() {
  static NumberFiles Real;
  return Real;
}

std::string ClockSweep::keptAt(const std::string &Profile) {
  std::filesystem::path Base = Profile;
  if (Base.extension() == ".json")
    Base.replace_extension();
  return Base.string() + ".clocks";
}

/// Puts back what a run noted that was killed.
static std::expected<void, Error> restoreKept(const std::string &Path, const CpuClocks &Clocks,
                                              NumberFiles &Files) {
  std::error_code Ignored;
  if (!std::filesystem::exists(Path, Ignored))
    return {};
  const auto Text = readTextFile(Path);
  if (!Text)
    return std::unexpected(Text.error());
  std::istringstream Lines(*Text);
  for (ClockBounds Was;
       Lines >> Was.LowKhz >> Was.HighKhz && std::getline(Lines >> std::ws, Was.Policy);) {
    if (std::ranges::find(Clocks.found(), Was.Policy, &ClockBounds::Policy) == Clocks.found().end())
      continue; // the file names the files to write: only clock files are accepted
    if (auto Written = writeBounds(Files, Was); !Written)
      return std::unexpected(Written.error());
    fmt::print(stderr, "ergon: {} is from {} to {} kHz again, as before a run that was killed\n",
               Was.Policy, Was.LowKhz, Was.HighKhz);
  }
  std::filesystem::remove(Path, Ignored);
  return {};
}

std::expected<std::unique_ptr<ClockSweep>, Error> ClockSweep::open(Options How) {
  auto Clocks = CpuClocks::find(How.Root, How.Processors, *How.Files);
  if (Clocks && !How.Profile.empty()) {
    if (auto Restored = restoreKept(keptAt(How.Profile), *Clocks, *How.Files); !Restored)
      return std::unexpected(Restored.error());
    Clocks = CpuClocks::find(How.Root, How.Processors, *How.Files);
  }
  if (!Clocks)
    return std::unexpected(Clocks.error());
  std::unique_ptr<ClockSweep> Result(new ClockSweep(std::move(How), std::move(*Clocks)));
  if (auto Chosen = Result->choose(); !Chosen)
    return std::unexpected(Chosen.error());
  return Result;
}

std::expected<void, Error> ClockSweep::choose() {
  if (How.List.empty()) {
    for (std::int64_t Khz : Clocks.someKhz())
      KhzOf[wholeMhz(Khz)] = Khz;
    return {};
  }
  const auto Listed = parseNumberList(Option, How.List, /*Whole=*/false);
  if (!Listed)
    return std::unexpected(Listed.error());
  for (double Mhz : *Listed) {
    const auto Found = std::ranges::find(Clocks.stepsKhz(), std::round(Mhz), wholeMhz);
    if (Found == Clocks.stepsKhz().end()) {
      std::vector<std::string> All;
      for (std::int64_t Khz : Clocks.stepsKhz())
        All.push_back(fmt::format("{:.0f}", wholeMhz(Khz)));
      return std::unexpected(
          Error{fmt::format("{:g} MHz is none of the clocks of this machine", Mhz), "",
                "name some of " + joined(All), Option});
    }
    KhzOf[std::round(Mhz)] = *Found;
  }
  return {};
}

std::vector<double> ClockSweep::wantedMhz() const {
  std::vector<double> Result;
  for (const auto &[Mhz, Khz] : KhzOf)
    Result.push_back(Mhz);
  return Result;
}

/// Saves the state to restore, before anything is set.
std::expected<void, Error> ClockSweep::keep() {
  std::string Text;
  for (const ClockBounds &Bounds : Clocks.found())
    Text += fmt::format("{} {} {}\n", Bounds.LowKhz, Bounds.HighKhz, Bounds.Policy);
  return writeTextFile(keptAt(How.Profile), Text);
}

std::expected<std::string, Error> ClockSweep::set(double Mhz) {
  if (!IsSet)
    if (auto Kept = keep(); !Kept)
      return std::unexpected(Kept.error());
  IsSet = true;
  if (auto Written = Clocks.set(KhzOf.at(Mhz)); !Written)
    return Written.error().File + " " + Written.error().What;
  constexpr int Looks = 10; // clocks take their time, up to some ms
  double NowMhz = 0;
  for (int K = 0; K != Looks; ++K)
    if (NowMhz = How.ClockHz() * 1e-6; std::abs(NowMhz / Mhz - 1) <= MostClockMove)
      return "";
  return fmt::format("the processors ran at {:.0f} MHz", NowMhz);
}

std::expected<void, Error> ClockSweep::restore() {
  if (!IsSet)
    return {};
  IsSet = false;
  if (auto Restored = Clocks.restore(); !Restored)
    return std::unexpected(Error{Restored.error().What, "",
                                 "what is to be put back is in " + keptAt(How.Profile),
                                 Restored.error().File});
  std::error_code Ignored;
  std::filesystem::remove(keptAt(How.Profile), Ignored);
  return {};
}

ClockSweep::~ClockSweep() {
  if (auto Restored = restore(); !Restored)
    fmt::print(stderr, "ergon: {}\n", Restored.error().line());
}

} // namespace ergon
