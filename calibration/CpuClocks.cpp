//===- CpuClocks.cpp - the clocks of processors, by cpufreq ---------------===//

#include "calibration/CpuClocks.h"
#include "calibration/Sampling.h"
#include "runtime/meters/SystemFile.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace ergon {

static constexpr char Low[] = "/scaling_min_freq", High[] = "/scaling_max_freq";

int NumberFiles::read(const std::string &Path, std::int64_t &Value) const {
  return runtime::readNumber(Path.c_str(), Value);
}

int NumberFiles::write(const std::string &Path, std::int64_t Value) {
  const int File = open(Path.c_str(), O_WRONLY | O_CLOEXEC);
  if (File < 0)
    return errno;
  const std::string Text = std::to_string(Value) + "\n"; // the kernel wants all of it at once
  const ssize_t Written = ::write(File, Text.data(), Text.size());
  int Error = Written < 0 ? errno : Written < ssize_t(Text.size()) ? EIO : 0;
  if (close(File) != 0 && !Error)
    Error = errno;
  return Error;
}

int NumberFiles::mayWrite(const std::string &Path) const {
  return access(Path.c_str(), W_OK) == 0 ? 0 : errno;
}

static std::unexpected<Error> trouble(const std::string &File, const char *What, int Errno,
                                      std::string Fix) {
  return std::unexpected(
      Error{std::string(What) + ": " + std::strerror(Errno), "", std::move(Fix), File});
}

std::expected<ClockBounds, Error> readBounds(const NumberFiles &Files, const std::string &Policy) {
  ClockBounds Result{Policy, 0, 0};
  for (const auto &[Name, Target] : {std::pair(Low, &Result.LowKhz), {High, &Result.HighKhz}})
    if (const int Bad = Files.read(Policy + Name, *Target))
      return trouble(Policy + Name, "cannot be read", Bad, "calibrate without --sweep-clocks");
  return Result;
}

std::expected<void, Error> writeBounds(NumberFiles &Files, const ClockBounds &Bounds) {
  const auto Now = readBounds(Files, Bounds.Policy);
  if (!Now)
    return std::unexpected(Now.error());
  std::pair<const char *, std::int64_t> Writes[] = {{Low, Bounds.LowKhz}, {High, Bounds.HighKhz}};
  if (Bounds.LowKhz > Now->HighKhz)
    std::swap(Writes[0], Writes[1]);
  for (const auto &[Name, Khz] : Writes)
    if (const int Bad = Files.write(Bounds.Policy + Name, Khz))
      return trouble(Bounds.Policy + Name, ("refuses " + std::to_string(Khz)).c_str(), Bad,
                     "name other clocks with --sweep-clocks, or calibrate without it");
  return {};
}

std::string CpuClocks::root() {
  return runtime::fromEnvironment("ERGON_CPUFREQ_ROOT", "/sys/devices/system/cpu/cpufreq");
}

/// The whole numbers in a line, sorted.
static std::set<std::int64_t> numbersIn(const std::string &Line) {
  std::istringstream Text(Line);
  return {std::istream_iterator<std::int64_t>(Text), {}};
}

/// Each 100 MHz, as processors have multiples of that, and the ends.
static std::set<std::int64_t> stepsBetween(std::int64_t From, std::int64_t To) {
  constexpr std::int64_t Step = 100'000;
  std::set<std::int64_t> Result = {From, To};
  for (std::int64_t Khz = (From / Step + 1) * Step; Khz < To; Khz += Step)
    Result.insert(Khz);
  return Result;
}

/// Takes in one more policy.
std::expected<void, Error> CpuClocks::add(const std::string &Policy) {
  const auto Bounds = readBounds(*Files, Policy);
  if (!Bounds)
    return std::unexpected(Bounds.error());
  for (const char *Name : {Low, High})
    if (const int Bad = Files->mayWrite(Policy + Name))
      return trouble(Policy + Name, "may not be written", Bad,
                     "calibrate as root, or let root give you this file and its like, or leave "
                     "clocks alone: without --sweep-clocks");
  std::set<std::int64_t> Values =
      numbersIn(runtime::readLine(Policy + "/scaling_available_frequencies"));
  const bool IsListed = !Values.empty();
  std::int64_t Lowest = 0, Highest = 0, Held = 0;
  for (const auto &[Name, Result] :
       {std::pair("/cpuinfo_min_freq", &Lowest), {"/cpuinfo_max_freq", &Highest}})
    if (const int Bad = IsListed ? 0 : Files->read(Policy + Name, *Result))
      return trouble(Policy + Name, "cannot be read", Bad, "calibrate without --sweep-clocks");
  if (!IsListed)
    Values = stepsBetween(Lowest, Highest);
  if (Files->read(Policy + "/base_frequency", Held) == 0)
    Base = std::min(Held, Base.value_or(Held));
  if (Found.empty())
    Steps.assign(Values.begin(), Values.end());
  else
    std::erase_if(Steps, [&](std::int64_t Khz) { return !Values.contains(Khz); });
  Found.push_back(*Bounds);
  return {};
}

std::expected<CpuClocks, Error>
CpuClocks::find(const std::string &Root, const std::vector<int> &Processors, NumberFiles &Files) {
  const Error None = {"the system lets nobody set the clocks of these processors", "",
                      "a virtual machine mostly "
                      "has no clocks of its own: calibrate without --sweep-clocks",
                      Root};
  CpuClocks Result(Files);
  std::set<std::int64_t> Left(Processors.begin(), Processors.end());
  for (const std::string &Name : runtime::namesIn(Root)) {
    const std::string Policy = Root + "/" + Name;
    const std::set<std::int64_t> Values = numbersIn(runtime::readLine(Policy + "/affected_cpus"));
    if (!Name.starts_with("policy") ||
        std::erase_if(Left, [&](std::int64_t Value) { return Values.contains(Value); }) == 0)
      continue;
    if (auto Added = Result.add(Policy); !Added)
      return std::unexpected(Added.error());
  }
  if (Result.Found.empty() || !Left.empty())
    return std::unexpected(None);
  if (Result.Steps.empty())
    return std::unexpected(Error{"the processors have no clock in common", "",
                                 "calibrate those of one kind, with taskset", Root});
  return Result;
}

std::vector<std::int64_t> CpuClocks::someKhz() const {
  const std::int64_t First = Steps.front(), Last = Steps.back();
  const std::int64_t Middle = Base && *Base > First && *Base < Last ? *Base : (First + Last) / 2;
  std::set<std::int64_t> Result;
  for (std::int64_t Wanted : {First, (First + Middle) / 2, Middle, (Middle + Last) / 2, Last})
    Result.insert(*std::ranges::min_element(
        Steps, {}, [&](std::int64_t Khz) { return std::abs(Khz - Wanted); }));
  return {Result.begin(), Result.end()};
}

std::expected<void, Error> CpuClocks::set(std::int64_t Khz) {
  for (const ClockBounds &Bounds : Found) {
    if (auto Written = writeBounds(*Files, {Bounds.Policy, Khz, Khz}); !Written)
      return Written;
    const auto Now = readBounds(*Files, Bounds.Policy);
    if (!Now)
      return std::unexpected(Now.error());
    for (const auto &[Name, Value] : {std::pair(Low, Now->LowKhz), {High, Now->HighKhz}})
      if (std::abs(double(Value) / double(Khz) - 1) > MostClockMove)
        return std::unexpected(
            Error{"was set to " + std::to_string(Khz) + " and is " + std::to_string(Value), "",
                  "name other clocks with --sweep-clocks", Bounds.Policy + Name});
  }
  return {};
}

std::expected<void, Error> CpuClocks::restore() {
  std::expected<void, Error> Result;
  for (const ClockBounds &Bounds : Found)
    if (auto Written = writeBounds(*Files, Bounds); !Written && Result)
      Result = Written;
  return Result;
}

} // namespace ergon
