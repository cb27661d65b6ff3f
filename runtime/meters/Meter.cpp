//===- Meter.cpp - what tells energy --------------------------------------===//

#include "runtime/meters/Meter.h"
#include "runtime/lib/Time.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ergon::runtime {

Outcome Meter::read(Reading &Target) {
  Target.TimeNs = now();
  if (LongestGap && LastReadNs && Target.TimeNs - LastReadNs > LongestGap)
    return end("it was not read for too long a time to tell what it did in between");
  Outcome Result = readNow(Target);
  if (Result == Outcome::Read)
    LastReadNs = Target.TimeNs;
  return Result;
}

Outcome Meter::end(const char *What, int Errno) {
  std::size_t Used = 0;
  auto Add = [&](const char *Text) {
    const std::size_t Length = std::min(std::strlen(Text), sizeof Why - 1 - Used);
    std::memcpy(Why + Used, Text, Length);
    Why[Used += Length] = 0;
  };
  Add(What);
  if (Errno) {
    Add(": ");
    const char *Meaning = strerrordesc_np(Errno); // what a signal handler may call
    Add(Errno == EACCES || Errno == EPERM
            ? "permission refused: let this user read it, or run as root"
        : Meaning ? Meaning
                  : "unknown error");
  }
  return Outcome::Ended;
}

/// More power than any part of a machine under one counter draws: four times the thermal design
/// power of the largest processor packages. It only decides how often a counter that wraps around
/// is read.
static constexpr double MostWatts = 1000;

CounterMeter::CounterMeter(std::string Name, std::string Covers, std::int64_t Period,
                           double NanojoulesPerCount, std::uint64_t Range)
    : Meter(std::move(Name), std::move(Covers), Period), NanojoulesPerCount(NanojoulesPerCount),
      Range(Range) {
  if (!Range)
    return;
  const auto Once = std::int64_t(double(Range) * NanojoulesPerCount / MostWatts);
  SampleEvery = std::max(Period, Once / 4);
  LongestGap = std::max(Second, Once);
}

Outcome CounterMeter::readNow(Reading &Target) {
  std::uint64_t Raw = 0;
  if (Outcome Result = count(Raw); Result != Outcome::Read)
    return Result;
  if (HasLast && Raw < Last && !Range)
    return end("its counter went back, and no range is stated in which it goes around");
  if (Range && Raw > Range)
    return end("its counter is beyond the range that it states");
  if (HasLast)
    Total += Raw >= Last ? Raw - Last : Range - Last + Raw;
  HasLast = true;
  Last = Raw;
  // A 64-bit mantissa holds the counts of centuries.
  Target.EnergyNj = std::int64_t((long double)(Total)*NanojoulesPerCount);
  return Outcome::Read;
}

PowerMeter::PowerMeter(std::string Name, std::string Covers, std::int64_t Period)
    : Meter(std::move(Name), std::move(Covers), Period) {
  SampleEvery = Period;
  LongestGap = std::max(Second, 10 * Period);
}

Outcome PowerMeter::readNow(Reading &Target) {
  std::int64_t Power = 0;
  if (Outcome Result = power(Power); Result != Outcome::Read)
    return Result;
  if (HasLast)
    TwiceFemtojoules += __int128(LastPower + Power) * (Target.TimeNs - LastSample);
  HasLast = true;
  LastPower = Power;
  LastSample = Target.TimeNs;
  Target.EnergyNj = std::int64_t(TwiceFemtojoules / 2'000'000);
  return Outcome::Read;
}

static void findKind(FoundMeters &Result, std::string_view Kind) {
  auto FileOf = [&](std::string_view Prefix) { return std::string(Kind.substr(Prefix.size())); };
  if (Kind == "powercap")
    findPowercap(Result);
  else if (Kind == "perf")
    findPerfRapl(Result);
  else if (Kind == "nvml")
    findNvml(Result);
  else if (Kind == "hwmon")
    findHwmon(Result);
  else if (Kind.starts_with("csv:"))
    findTrace(Result, FileOf("csv:"));
  else if (Kind.starts_with("script:"))
    findScript(Result, FileOf("script:"));
  else if (Kind != "none")
    Result.unread(std::string(Kind), "ERGON_METERS knows no such meter: name powercap, perf, nvml, "
                                     "hwmon, csv:FILE, script:FILE or none");
}

FoundMeters findMeters() {
  FoundMeters Result;
  if (const char *Chosen = secure_getenv("ERGON_METERS")) {
    for (std::string_view Rest = Chosen; !Rest.empty();) {
      const std::size_t End = std::min(Rest.find(','), Rest.size());
      if (End)
        findKind(Result, Rest.substr(0, End));
      Rest.remove_prefix(std::min(End + 1, Rest.size()));
    }
    return Result;
  }
  findPowercap(Result);
  if (Result.Meters.empty()) // the same counters by another way
    findPerfRapl(Result);
  findNvml(Result);
  findHwmon(Result);
  return Result;
}

} // namespace ergon::runtime
