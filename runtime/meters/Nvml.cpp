//===- Nvml.cpp - the energy of NVIDIA GPUs -------------------------------===//
//
// NVIDIA's management library, loaded at run time. Names, types and numbers are of its public
// interface (NVML API Reference Guide, and nvml.h of the CUDA toolkit).
//
//===----------------------------------------------------------------------===//

#include "formats/run/RunKeys.h"
#include "runtime/lib/Output.h"
#include "runtime/meters/Meter.h"
#include "runtime/meters/SystemFile.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>

namespace ergon::runtime {
namespace {

// nvml.h: nvmlReturn_t, nvmlDevice_t, nvmlClockType_t, nvmlFieldValue_t.
using Result = int;
using Device = void *;
constexpr Result Success = 0;
constexpr int ClockSm = 1;
constexpr unsigned FieldPowerInstant = 186; // NVML_FI_DEV_POWER_INSTANT
struct FieldValue {
  unsigned Field, Scope;
  long long Timestamp, Latency;
  int Type;
  Result Returned;
  union {
    double Real;
    unsigned Whole;
    unsigned long long Long;
  } Value;
};

/// The functions; a null one is in a newer library.
struct Library {
  Result (*Init)() = nullptr;
  const char *(*ErrorString)(Result) = nullptr;
  Result (*GetCount)(unsigned *) = nullptr;
  Result (*GetHandle)(unsigned, Device *) = nullptr;
  Result (*GetUuid)(Device, char *, unsigned) = nullptr;
  Result (*GetName)(Device, char *, unsigned) = nullptr;
  Result (*GetEnergy)(Device, unsigned long long *) = nullptr;
  Result (*GetPower)(Device, unsigned *) = nullptr;
  Result (*GetFields)(Device, int, FieldValue *) = nullptr;
  Result (*GetClock)(Device, int, unsigned *) = nullptr;
  Result (*GetThrottle)(Device, unsigned long long *) = nullptr;

  explicit Library(void *From) {
    auto Load = [&](auto &Function, const char *Name) {
      Function = reinterpret_cast<std::remove_reference_t<decltype(Function)>>(dlsym(From, Name));
    };
    Load(Init, "nvmlInit_v2");
    Load(ErrorString, "nvmlErrorString");
    Load(GetCount, "nvmlDeviceGetCount_v2");
    Load(GetHandle, "nvmlDeviceGetHandleByIndex_v2");
    Load(GetUuid, "nvmlDeviceGetUUID");
    Load(GetName, "nvmlDeviceGetName");
    Load(GetEnergy, "nvmlDeviceGetTotalEnergyConsumption");
    Load(GetPower, "nvmlDeviceGetPowerUsage");
    Load(GetFields, "nvmlDeviceGetFieldValues");
    Load(GetClock, "nvmlDeviceGetClockInfo");
    Load(GetThrottle, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  bool isWhole() const {
    return Init && ErrorString && GetCount && GetHandle && GetUuid && GetName;
  }
};

/// nvml.h, nvmlClocksThrottleReasons: what keeps a clock low. Idleness and a clock that a user set
/// are no throttling, but are reported.
constexpr const char *ThrottleNames[] = {
    "idle",          "application clocks", "power cap",    "hardware slowdown",
    "sync boost",    "hot software",       "hot hardware", "hardware power brake",
    "display clocks"};
/// Idleness, clocks that a user set, and those of displays.
constexpr unsigned long long NoThrottling = 1 << 0 | 1 << 1 | 1 << 8;

/// The clock of a GPU at each reading, and what kept it low.
class Clocks {
public:
  const Library *const Nvml;
  const Device Board;

  Clocks(const Library &Nvml, Device D) : Nvml(&Nvml), Board(D) {}

  void look() {
    unsigned Megahertz = 0;
    if (Nvml->GetClock && Nvml->GetClock(Board, ClockSm, &Megahertz) == Success) {
      Least = Looks ? std::min(Least, std::int64_t(Megahertz)) : Megahertz;
      Most = std::max(Most, std::int64_t(Megahertz));
      Sum += Megahertz;
      ++Looks;
    }
    unsigned long long Now = 0;
    if (Nvml->GetThrottle && Nvml->GetThrottle(Board, &Now) == Success)
      Throttle |= Now;
  }

  std::optional<ClockNow> now() const {
    unsigned Megahertz = 0;
    unsigned long long Reasons = 0;
    if (!Nvml->GetClock || Nvml->GetClock(Board, ClockSm, &Megahertz) != Success)
      return std::nullopt;
    if (Nvml->GetThrottle && Nvml->GetThrottle(Board, &Reasons) == Success)
      Reasons &= ~NoThrottling;
    ClockNow Result{std::int64_t(Megahertz) * 1'000'000, {}};
    for (std::size_t I = 0; I != std::size(ThrottleNames); ++I)
      if (Reasons >> I & 1)
        Result.HeldDownBy +=
            (Result.HeldDownBy.empty() ? "" : ", ") + std::string(ThrottleNames[I]);
    return Result;
  }

  void write(Output &Result) const {
    if (Looks) {
      Result.open('{', run_keys::Clock);
      Result.number(Least * 1'000'000, run_keys::Least);
      Result.number(Sum * 1'000'000 / Looks, run_keys::Mean);
      Result.number(Most * 1'000'000, run_keys::Most);
      Result.close('}');
    }
    Result.open('[', run_keys::HeldDown);
    for (std::size_t I = 0; I != std::size(ThrottleNames); ++I)
      if (Throttle >> I & 1)
        Result.text(ThrottleNames[I]);
    Result.close(']');
  }

private:
  std::int64_t Least = 0, Most = 0, Sum = 0, Looks = 0;
  unsigned long long Throttle = 0;
};

/// The counter and the power of data-centre GPUs change about ten times a second: Yang, Adamek and
/// Armour, "Part-time Power Measurements: nvidia-smi's Lack of Attention" (SC 2024), table 1.
constexpr std::int64_t UpdatePeriod = 100 * Millisecond;

class TotalEnergy final : public CounterMeter {
public:
  TotalEnergy(const Library &Nvml, Device D, const std::string &Name, std::string Covers)
      : CounterMeter(Name, std::move(Covers), UpdatePeriod, 1e6), Clock(Nvml, D) {
    SampleEvery = UpdatePeriod; // for the clocks
    UsesLibrary = true;
  }
  void writeMore(Output &Result) const override { Clock.write(Result); }
  std::optional<ClockNow> clockNow() const override { return Clock.now(); }

private:
  Outcome count(std::uint64_t &Raw) override {
    unsigned long long Millijoules = 0;
    if (Result Error = Clock.Nvml->GetEnergy(Clock.Board, &Millijoules))
      return end(Clock.Nvml->ErrorString(Error));
    Raw = Millijoules;
    Clock.look();
    return Outcome::Read;
  }

  Clocks Clock;
};

/// Where there is no counter. NVML's plain power is a mean over a second on some GPUs, so the
/// momentary one is taken where it is known.
class BoardPower final : public PowerMeter {
public:
  BoardPower(const Library &Nvml, Device D, const std::string &Name, std::string Covers)
      : PowerMeter(Name, std::move(Covers), UpdatePeriod), Clock(Nvml, D) {
    UsesLibrary = true;
  }
  void writeMore(Output &Result) const override {
    Result.text(IsMean ? "power, perhaps a mean over 1 s" : "momentary power", run_keys::Quantity);
    Clock.write(Result);
  }
  std::optional<ClockNow> clockNow() const override { return Clock.now(); }

private:
  Outcome power(std::int64_t &Microwatts) override {
    unsigned Milliwatts = 0;
    FieldValue Field{};
    Field.Field = FieldPowerInstant;
    if (Clock.Nvml->GetFields && Clock.Nvml->GetFields(Clock.Board, 1, &Field) == Success &&
        Field.Returned == Success) {
      Milliwatts = Field.Value.Whole;
      IsMean = false;
    } else if (Result Error = Clock.Nvml->GetPower(Clock.Board, &Milliwatts)) {
      return end(Clock.Nvml->ErrorString(Error));
    }
    Microwatts = std::int64_t(Milliwatts) * 1000;
    Clock.look();
    return Outcome::Read;
  }

  Clocks Clock;
  bool IsMean = true;
};

void findDevice(FoundMeters &Target, const Library &Nvml, unsigned Index) {
  Device D = nullptr;
  char Uuid[96] = "", Title[96] = "";
  std::string Name = "nvml/" + std::to_string(Index);
  if (Result Error = Nvml.GetHandle(Index, &D)) {
    Target.unread(Name, Nvml.ErrorString(Error));
    return;
  }
  if (Nvml.GetUuid(D, Uuid, sizeof Uuid) == Success)
    Name = std::string("nvml/") + Uuid;
  Nvml.GetName(D, Title, sizeof Title);
  unsigned long long Millijoules = 0;
  unsigned Milliwatts = 0;
  if (Nvml.GetEnergy && Nvml.GetEnergy(D, &Millijoules) == Success)
    Target.Meters.push_back(std::make_unique<TotalEnergy>(Nvml, D, Name, Title));
  else if (!Nvml.GetPower)
    Target.unread(Name, "the library tells neither energy nor power");
  else if (Result Error = Nvml.GetPower(D, &Milliwatts))
    Target.unread(Name, Nvml.ErrorString(Error));
  else
    Target.Meters.push_back(std::make_unique<BoardPower>(Nvml, D, Name, Title));
}

} // namespace

void findNvml(FoundMeters &Target) {
  const std::string File = fromEnvironment("ERGON_NVML_LIBRARY", "libnvidia-ml.so.1");
  if (File.contains('/') && isOtherThanFile(File.c_str())) { // the loader would wait for a pipe
    Target.unread("nvml", File + " is a pipe, a folder or a device");
    return;
  }
  void *Loaded = dlopen(File.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Loaded) {
    const char *Why = dlerror();
    Target.unread("nvml", Why ? Why : "cannot be loaded");
    return;
  }
  static const Library Nvml(Loaded);
  if (!Nvml.isWhole()) {
    Target.unread("nvml", File + " is no NVML of version 2");
    return;
  }
  unsigned Count = 0;
  Result Error = Nvml.Init();
  if (Error == Success)
    Error = Nvml.GetCount(&Count);
  if (Error != Success) {
    Target.unread("nvml", Nvml.ErrorString(Error));
    return;
  }
  if (!Count)
    Target.unread("nvml", "there is no NVIDIA GPU");
  for (unsigned I = 0; I != Count; ++I)
    findDevice(Target, Nvml, I);
}

} // namespace ergon::runtime
