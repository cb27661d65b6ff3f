//===- Hwmon.cpp - sensors of boards --------------------------------------===//
//
// Linux, Documentation/hwmon/sysfs-interface.rst: energyN_input in µJ, powerN_input and
// powerN_average in µW, inN_input in mV, currN_input in mA, each with an optional label, and
// update_interval in ms. The INA3221 of Jetson boards has only voltage and current there; NVIDIA's
// older kernels show it as an IIO device instead, with in_powerN_input in mW and rail_name_N
// (Jetson Linux Developer Guide, "Software-Based Power Consumption Modeling").
//
//===----------------------------------------------------------------------===//

#include "runtime/meters/EnergyFile.h"

#include <cerrno>

namespace ergon::runtime {
namespace {

/// Where a chip does not say how often it looks.
constexpr std::int64_t UsualPeriod = 100 * Millisecond;

struct Sensor {
  std::string Name, Covers, Path; ///< of the file that is read
  std::int64_t Period = UsualPeriod;
};

/// Power, or voltage in mV times current in mA.
class Power final : public PowerMeter {
public:
  Power(const Sensor &S, std::int64_t Microwatts, std::string Current = {})
      : PowerMeter(S.Name, S.Covers, S.Period), Path(S.Path), Current(std::move(Current)),
        Unit(Microwatts) {}

private:
  Outcome power(std::int64_t &Microwatts) override {
    std::int64_t Value = 0, Times = 1;
    const char *File = Path.c_str();
    int Error = readNumber(File, Value);
    if (!Error && !Current.empty())
      Error = readNumber(File = Current.c_str(), Times);
    if (Error)
      return isPassing(Error) ? Outcome::NoNews : end(File, Error);
    Microwatts = Value * Times * Unit;
    return Outcome::Read;
  }

  std::string Path, Current;
  std::int64_t Unit;
};

/// N of `<Before>N<After>`; empty where the name is another.
std::string numberOf(const std::string &Name, const std::string &Before, const std::string &After) {
  if (Name.size() <= Before.size() + After.size() || !Name.starts_with(Before) ||
      !Name.ends_with(After))
    return {};
  std::string Result = Name.substr(Before.size(), Name.size() - Before.size() - After.size());
  return Result.find_first_not_of("0123456789") == std::string::npos ? Result : std::string();
}

class Chip {
public:
  Chip(FoundMeters &Result, std::string Id, std::string Folder)
      : Result(Result), Id(std::move(Id)), Folder(std::move(Folder)),
        Title(readLine(this->Folder + "/name")) {
    std::int64_t Interval = 0;
    if (readNumber((this->Folder + "/update_interval").c_str(), Interval) == 0 && Interval > 0)
      Period = Interval * Millisecond;
  }

  void find() {
    for (const std::string &File : namesIn(Folder)) {
      auto AddPower = [&](const std::string &Channel, const std::string &Label, int Microwatts,
                          std::string Current = {}) {
        Result.Meters.push_back(
            std::make_unique<Power>(sensor(Channel, Label, File), Microwatts, std::move(Current)));
      };
      if (std::string N = numberOf(File, "energy", "_input"); !N.empty()) {
        Sensor S = sensor("energy" + N, "energy" + N + "_label", File);
        Result.Meters.push_back(std::make_unique<EnergyFile>(S.Name, S.Covers, S.Period, S.Path));
      }
      if (std::string N = numberOf(File, "power", "_input"); !N.empty())
        AddPower("power" + N, "power" + N + "_label", 1);
      // Only where the chip has no momentary power.
      if (std::string N = numberOf(File, "power", "_average");
          !N.empty() && !exists(Folder + "/power" + N + "_input"))
        AddPower("power" + N, "power" + N + "_label", 1);
      if (std::string N = numberOf(File, "in", "_input");
          !N.empty() && Title == "ina3221" && exists(Folder + "/curr" + N + "_input"))
        AddPower("in" + N, "in" + N + "_label", 1, Folder + "/curr" + N + "_input");
      if (std::string N = numberOf(File, "in_power", "_input"); !N.empty())
        AddPower("in_power" + N, "rail_name_" + N, 1000);
    }
  }

private:
  FoundMeters &Result;
  std::string Id, Folder, Title;
  std::int64_t Period = UsualPeriod;

  Sensor sensor(const std::string &Channel, const std::string &LabelFile, const std::string &File) {
    const std::string Label = readLine(Folder + "/" + LabelFile);
    return {"hwmon/" + Id + "/" + Channel, Title + "/" + (Label.empty() ? Channel : Label),
            Folder + "/" + File, Period};
  }
};

} // namespace

void findHwmon(FoundMeters &Result) {
  const std::size_t Before = Result.Meters.size();
  const std::string Root = fromEnvironment("ERGON_HWMON_ROOT", "/sys/class/hwmon"),
                    Iio = fromEnvironment("ERGON_IIO_ROOT", "/sys/bus/iio/devices");
  for (const std::string &Folder : {Root, Iio})
    for (const std::string &Id : namesIn(Folder))
      Chip(Result, Id, Folder + "/" + Id).find();
  if (Result.Meters.size() == Before)
    Result.unread("hwmon", Root + " and " + Iio + " have no sensor of energy or power");
}

} // namespace ergon::runtime
