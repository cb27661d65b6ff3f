//===- Meter.h - what tells energy ------------------------------*- C++ -*-===//
//
// One interface for all sources of the energy of a part of the machine. A meter that cannot be read
// says why. Nothing here is estimated.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon::runtime {

class Output;

inline constexpr std::int64_t Millisecond = 1'000'000, Second = 1'000'000'000;

/// The energy since the meter's first reading, in nJ, at a time of now().
struct Reading {
  std::int64_t TimeNs = 0, EnergyNj = 0;
};

/// What else is known of a processor at a time: its clock, in Hz, and what holds that down; empty
/// where nothing does.
struct ClockNow {
  std::int64_t Hz = 0;
  std::string HeldDownBy;
};

enum class Outcome { Read, NoNews, Ended };

class Meter {
public:
  virtual ~Meter() = default;

  std::string Name;    ///< one of a kind: `powercap/intel-rapl:0`
  std::string Covers;  ///< a part in a whole: `package-0/core`
  std::int64_t Period; ///< ns in which it has nothing new
  /// The longest time between two readings in ns, beyond which the meter would lose energy. 0: any.
  std::int64_t SampleEvery = 0, LongestGap = 0;
  /// It calls a library, which a signal handler or a forked child may not do.
  bool UsesLibrary = false;

  /// Reads it; no two calls at once. After `Ended` it is not read again, and why() is set.
  Outcome read(Reading &Target);
  /// Why the meter ended; empty while it has not.
  const char *why() const { return Why; }
  /// Nothing where the meter knows of no clock.
  virtual std::optional<ClockNow> clockNow() const { return std::nullopt; }
  /// More members for the meter's object in the run record.
  virtual void writeMore(Output &Result) const {}

protected:
  Meter(std::string Name, std::string Covers, std::int64_t Period)
      : Name(std::move(Name)), Covers(std::move(Covers)), Period(Period) {}

  /// Sets why(): \p What, and what \p Errno means where it is not 0.
  Outcome end(const char *What, int Errno = 0);

private:
  /// Sets the energy, and the time where it is another than now.
  virtual Outcome readNow(Reading &Result) = 0;

  std::int64_t LastReadNs = 0;
  char Why[320] = "";
};

/// A counter of energy.
class CounterMeter : public Meter {
protected:
  /// \p Range: the counter goes from there to 0; 0 where that is not stated.
  CounterMeter(std::string Name, std::string Covers, std::int64_t Period, double NanojoulesPerCount,
               std::uint64_t Range = 0);

private:
  virtual Outcome count(std::uint64_t &Raw) = 0;
  Outcome readNow(Reading &Target) final;

  double NanojoulesPerCount;
  std::uint64_t Range, Last = 0, Total = 0;
  bool HasLast = false;
};

/// Power that is integrated by trapezoids between its samples.
class PowerMeter : public Meter {
protected:
  PowerMeter(std::string Name, std::string Covers, std::int64_t Period);

private:
  /// In µW.
  virtual Outcome power(std::int64_t &Microwatts) = 0;
  Outcome readNow(Reading &Target) final;

  std::int64_t LastPower = 0, LastSample = 0;
  __int128 TwiceFemtojoules = 0; // µW·ns
  bool HasLast = false;
};

/// The meters that a search found. Unread: the name of each that cannot be read, and why.
struct FoundMeters {
  std::vector<std::unique_ptr<Meter>> Meters;
  std::vector<std::pair<std::string, std::string>> Unread;

  /// Notes a meter that is there and cannot be read.
  void unread(std::string Name, std::string Why) {
    Unread.emplace_back(std::move(Name), std::move(Why));
  }
};

// The kinds of meters, each in a file of its own.
void findPowercap(FoundMeters &Result);
void findPerfRapl(FoundMeters &Result);
void findNvml(FoundMeters &Target);
void findHwmon(FoundMeters &Result);
void findTrace(FoundMeters &Result, const std::string &File);
void findScript(FoundMeters &Result, const std::string &File);

/// Those that ERGON_METERS names, or all that are there.
FoundMeters findMeters();

} // namespace ergon::runtime
