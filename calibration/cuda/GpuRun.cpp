//===- GpuRun.cpp - time and energy of probes on a GPU --------------------===//

#include "calibration/cuda/GpuRun.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>
#include <tuple>
#include <vector>

namespace ergon::cuda {

using namespace std::chrono_literals;

/// How long cycles are counted to know the clock: its nanoseconds come in steps of up to 1 µs.
static constexpr unsigned ClockNs = 1'000'000;

FoundMeter findMeter(const Properties &P) {
  runtime::FoundMeters All;
  runtime::findNvml(All);
  const std::string Name = "nvml/" + P.Uuid;
  for (auto &Meter : All.Meters)
    if (Meter->Name == Name)
      return {std::move(Meter), {}};
  for (const auto &[Unread, Why] : All.Unread)
    if (Unread == Name || Unread == "nvml")
      return {nullptr, Why};
  return {nullptr, "NVML does not list this GPU"};
}

Result<void> GpuBench::prepare() {
  FoundMeter Found = findMeter(Processor.properties());
  HasMeter = Found.Source != nullptr;
  WhyNoMeter = Found.Why;
  if (HasMeter)
    Period = Found.Source->Period;
  ClockKernel = Processor.find("clocks");
  if (!ClockKernel)
    return std::unexpected(Error{"what was loaded has no kernel `clocks`", "",
                                 "give the fat binary that was built with this ergon"});
  for (Memory *M : {&ClockIn, &ClockOut}) {
    auto Got = Processor.allocate(64);
    if (!Got)
      return std::unexpected(Got.error());
    *M = std::move(*Got);
  }
  return {};
}

double GpuBench::meterSeconds(const GpuProbe &Probe) const {
  // Readings are taken when there is something new, which may be a period late each.
  return isMetered(Probe) ? double(Period) * 1e-9 * (Times.Settle + Times.Window + 3) : 0;
}

Result<void> GpuBench::load(const GpuProbe &Probe) {
  Input = {};
  Out = {};
  Loaded = Probe;
  LoadedKernel = Probe.Code ? Processor.find(Probe.Code->Name) : nullptr;
  auto Allocate = [&](std::uint64_t Bytes, bool Host) {
    return Host ? Processor.allocateHost(Bytes) : Processor.allocate(Bytes);
  };
  for (auto [Target, Bytes, OnHost] :
       {std::tuple{&Input, Probe.InBytes, Probe.Copies == CopyKind::ToDevice},
        std::tuple{&Out, Probe.OutBytes, Probe.Copies == CopyKind::ToHost}}) {
    if (Bytes == 0)
      continue;
    auto Got = Allocate(Bytes, OnHost);
    if (!Got)
      return std::unexpected(Got.error());
    *Target = std::move(*Got);
  }
  if (!Probe.Code || Probe.InBytes == 0)
    return {};
  const std::vector<unsigned char> Values =
      operandsFor(Probe, std::size_t(std::min<std::uint64_t>(Probe.InBytes, 1 << 20)));
  return Processor.fill(Input, Values.data(), Values.size());
}

Result<void> GpuBench::enqueue(std::uint64_t Iterations) {
  switch (Loaded.Copies) {
  case CopyKind::ToDevice:
    return Processor.copyToDevice(Out, Input, Loaded.Words);
  case CopyKind::ToHost:
    return Processor.copyToHost(Out, Input, Loaded.Words);
  case CopyKind::OnDevice:
    return Processor.copyWithin(Out, Input, Loaded.Words);
  case CopyKind::None:
    break;
  }
  return Processor.launch(LoadedKernel, {.Blocks = Loaded.Blocks,
                                         .Threads = Loaded.Threads,
                                         .Iterations = unsigned(Iterations),
                                         .Count = unsigned(Loaded.Words),
                                         .InputAddress = Input.address(),
                                         .OutputAddress = Out.address()});
}

Result<GpuBench::Plan> GpuBench::plan(double LaunchS, double BurstS) {
  Plan Result;
  double Seconds = 0;
  constexpr int Steps = 6; // an estimate, which a longer launch makes a better one
  for (int Step = 0; Step != Steps; ++Step) {
    // The first of all warms up, and waits for the queue.
    for (unsigned Which : {0u, 1u}) {
      if (auto Put = enqueue(Result.Iterations); !Put)
        return std::unexpected(Put.error());
      if (auto Marked = Processor.mark(Which); !Marked)
        return std::unexpected(Marked.error());
    }
    if (auto Waited = Processor.wait(); !Waited)
      return std::unexpected(Waited.error());
    auto Took = Processor.secondsBetween();
    if (!Took)
      return std::unexpected(Took.error());
    Seconds = std::max(*Took, 1e-9);
    if (!Loaded.hasIterations() || Seconds >= 0.9 * LaunchS)
      break;
    const double Next = std::ceil(double(Result.Iterations) * std::min(LaunchS / Seconds, 1e3));
    Result.Iterations = std::uint64_t(std::min(Next, double(1u << 30)));
  }
  Result.Launches = std::uint64_t(std::ceil(std::max(BurstS / Seconds, 1.0)));
  return Result;
}

Result<void> GpuBench::enqueueClock(unsigned Which) {
  return Processor.launch(ClockKernel, {.Iterations = ClockNs,
                                        .InputAddress = ClockIn.address(),
                                        .OutputAddress = ClockOut.address() + 16 * Which});
}

/// Mean power between two readings. Nothing where the burst ended before the second one.
Result<std::optional<double>> GpuBench::watts(std::string &HeldDownBy,
                                              const std::function<Result<bool>()> &IsOver) {
  const FoundMeter Found = findMeter(Processor.properties());
  auto Ended = [&](const std::string &Why) {
    return std::unexpected(
        Error{"the meter of the GPU ended: " + Why, "", "the same command goes on from here"});
  };
  if (!Found.Source)
    return Ended(Found.Why);
  runtime::Meter &Meter = *Found.Source;
  runtime::Reading First, Begin, Now;
  std::int64_t Before = -1; // the energy of the reading before
  for (bool HasFirst = false, HasBegin = false;; std::this_thread::sleep_for(1ms)) {
    const runtime::Outcome Was = Meter.read(Now);
    if (Was == runtime::Outcome::Ended)
      return Ended(Meter.why());
    // Asked after the reading: what was read is of the time before.
    if (auto Over = IsOver(); !Over)
      return std::unexpected(Over.error());
    else if (*Over)
      return std::nullopt;
    if (Was != runtime::Outcome::Read)
      continue;
    if (!HasFirst) {
      First = Now;
      HasFirst = true;
    }
    const bool IsNew = Before >= 0 && Now.EnergyNj != Before;
    Before = Now.EnergyNj;
    if (!IsNew)
      continue;
    if (HeldDownBy.empty())
      if (auto Clock = Meter.clockNow())
        HeldDownBy = Clock->HeldDownBy;
    if (!HasBegin && Now.TimeNs - First.TimeNs >= Period * Times.Settle) {
      Begin = Now;
      HasBegin = true;
    } else if (HasBegin && Now.TimeNs - Begin.TimeNs >= Period * Times.Window) {
      return double(Now.EnergyNj - Begin.EnergyNj) / double(Now.TimeNs - Begin.TimeNs);
    }
  }
}

Result<double> GpuBench::idleWatts() {
  std::string Ignored;
  auto Found = watts(Ignored, [] { return false; });
  if (!Found)
    return std::unexpected(Found.error());
  return **Found;
}

Result<void> GpuBench::queueBurst(Plan As) {
  if (auto Put = enqueueClock(0); !Put)
    return Put;
  if (auto Put = enqueue(As.Iterations); !Put) // warms caches up
    return Put;
  if (auto Marked = Processor.mark(0); !Marked)
    return Marked;
  for (std::uint64_t K = 0; K != As.Launches; ++K)
    if (auto Put = enqueue(As.Iterations); !Put)
      return Put;
  if (auto Marked = Processor.mark(1); !Marked)
    return Marked;
  return enqueueClock(1);
}

Result<Burst> GpuBench::burst(Plan As, bool WithPower) {
  Burst Result;
  if (auto Queued = queueBurst(As); !Queued)
    return std::unexpected(Queued.error());
  if (WithPower && isMetered(Loaded)) {
    auto Found = watts(Result.HeldDownBy, [&] { return Processor.passed(1); });
    if (!Found)
      return std::unexpected(Found.error());
    Result.Watts = *Found;
  }
  if (auto Waited = Processor.wait(); !Waited)
    return std::unexpected(Waited.error());
  auto Seconds = Processor.secondsBetween();
  if (!Seconds)
    return std::unexpected(Seconds.error());
  Result.Seconds = *Seconds;
  std::array<std::uint64_t, 4> Read{}; // cycles and nanoseconds, before and after
  if (auto Got = Processor.read(Read.data(), ClockOut, sizeof Read); !Got)
    return std::unexpected(Got.error());
  if (Read[1] == 0 || Read[3] == 0)
    return std::unexpected(Error{"the GPU's own clock stands still", "", "report this"});
  const double Before = 1e9 * double(Read[0]) / double(Read[1]),
               After = 1e9 * double(Read[2]) / double(Read[3]);
  Result.ClockHz = (Before + After) / 2;
  Result.ClockChange = After / Before - 1;
  return Result;
}

} // namespace ergon::cuda
