//===- PerfRapl.cpp - RAPL by perf events ---------------------------------===//
//
// Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices-events and perf_event_open(2):
// the device `power` has a file for each event, `energy-pkg`, with `energy-pkg.scale` (joules a
// count) and `energy-pkg.unit`, and `cpumask`, one CPU of each package to open it on.
//
//===----------------------------------------------------------------------===//

#include "runtime/meters/Meter.h"
#include "runtime/meters/SystemFile.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ergon::runtime {
namespace {

class Event final : public CounterMeter {
public:
  Event(const std::string &Name, int Cpu, int File, double Scale)
      : CounterMeter("perf/" + Name + "@cpu" + std::to_string(Cpu),
                     Name + " of the package of CPU " + std::to_string(Cpu), Millisecond,
                     Scale * 1e9),
        File(File) {}

private:
  Outcome count(std::uint64_t &Raw) override {
    const ssize_t Length = ::read(File, &Raw, sizeof Raw);
    if (Length == sizeof Raw)
      return Outcome::Read;
    const int Error = Length < 0 ? errno : EBADMSG;
    return isPassing(Error) ? Outcome::NoNews : end(Name.c_str(), Error);
  }

  int File;
};

/// `0,18` or `0-1` of a cpumask.
std::vector<int> readCpus(const std::string &List) {
  std::vector<int> Result;
  const char *Cursor = List.data(), *End = Cursor + List.size();
  for (int From = 0; std::from_chars(Cursor, End, From).ec == std::errc();) {
    Cursor = std::from_chars(Cursor, End, From).ptr;
    int To = From;
    if (Cursor != End && *Cursor == '-')
      Cursor = std::from_chars(Cursor + 1, End, To).ptr;
    for (; From <= To; ++From)
      Result.push_back(From);
    if (Cursor == End || *Cursor++ != ',')
      break;
  }
  return Result;
}

void openEvent(FoundMeters &Result, const std::string &Root, const std::string &Name,
               std::uint32_t Type) {
  const std::string Path = Root + "/events/" + Name, Says = readLine(Path);
  const double Scale = std::strtod(readLine(Path + ".scale").c_str(), nullptr);
  perf_event_attr What{};
  What.size = sizeof What;
  What.type = Type;
  if (!Says.starts_with("event=0x") || Scale <= 0 || readLine(Path + ".unit") != "Joules") {
    Result.unread("perf/" + Name, Path + " states no event=0x…, .scale and .unit Joules");
    return;
  }
  What.config = std::strtoull(Says.c_str() + 6, nullptr, 16);
  for (int Cpu : readCpus(readLine(Root + "/cpumask"))) {
    const long File = syscall(SYS_perf_event_open, &What, -1, Cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (File >= 0)
      Result.Meters.push_back(std::make_unique<Event>(Name, Cpu, int(File), Scale));
    else
      Result.unread("perf/" + Name + "@cpu" + std::to_string(Cpu),
                    errno == EACCES || errno == EPERM
                        ? "permission refused: set kernel.perf_event_paranoid to 0, or run as root"
                        : std::string("perf_event_open: ") + std::strerror(errno));
  }
}

} // namespace

void findPerfRapl(FoundMeters &Result) {
  const std::string Root =
      fromEnvironment("ERGON_PERF_ROOT", "/sys/bus/event_source/devices/power");
  std::int64_t Type = 0;
  if (readNumber((Root + "/type").c_str(), Type) != 0) {
    Result.unread("perf", Root + " is not there");
    return;
  }
  for (const std::string &Name : namesIn(Root + "/events"))
    if (Name.starts_with("energy-") && !Name.contains('.'))
      openEvent(Result, Root, Name, std::uint32_t(Type));
}

} // namespace ergon::runtime
