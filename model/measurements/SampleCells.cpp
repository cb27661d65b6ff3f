//===- SampleCells.cpp - sums over launches, by workload and clocks -------===//

#include "model/measurements/SampleCells.h"
#include "model/measurements/PowerReadings.h"

#include <algorithm>
#include <cmath>

namespace ergon {

SampleCell &SampleCells::cell(std::size_t Workload, std::optional<double> CoreMhz,
                              std::optional<double> MemMhz) {
  const auto [At, IsNew] = Positions.try_emplace({Workload, CoreMhz, MemMhz}, Cells.size());
  if (IsNew) {
    SampleCell &Next = Cells.emplace_back();
    Next.Workload = Workload;
    Next.CoreMhz = CoreMhz;
    Next.MemMhz = MemMhz;
  }
  return Cells[At->second];
}

/// Gives clocks that are near each other the one in their middle.
static void joinNear(std::vector<std::optional<double> *> Clocks) {
  std::erase_if(Clocks, [](auto *Clock) { return !*Clock; });
  std::ranges::sort(Clocks, {}, [](auto *Clock) { return **Clock; });
  for (std::size_t From = 0, End = 0; From != Clocks.size(); From = End) {
    const double Least = **Clocks[From];
    while (End != Clocks.size() && **Clocks[End] <= Least * (1 + ClockTolerance))
      ++End;
    const double Middle = std::round(**Clocks[(From + End - 1) / 2]);
    for (std::size_t K = From; K != End; ++K)
      *Clocks[K] = Middle;
  }
}

void SampleCells::joinClocks() {
  std::vector<std::optional<double> *> Cores, Mems;
  for (SampleCell &C : Cells) {
    Cores.push_back(&C.CoreMhz);
    Mems.push_back(&C.MemMhz);
  }
  joinNear(std::move(Cores));
  joinNear(std::move(Mems));
  std::vector<SampleCell> Before = std::exchange(Cells, {});
  Positions.clear();
  for (SampleCell &C : Before) {
    SampleCell &Target = cell(C.Workload, C.CoreMhz, C.MemMhz);
    Target.Launches += C.Launches, Target.TimeS += C.TimeS;
    Target.EnergyLaunches += C.EnergyLaunches, Target.EnergyJ += C.EnergyJ;
    Target.CoreMv = Target.CoreMv ? Target.CoreMv : C.CoreMv;
    for (const auto &[Name, Values] : C.Metrics) {
      Target.Metrics[Name].first += Values.first;
      Target.Metrics[Name].second += Values.second;
    }
  }
}

} // namespace ergon
