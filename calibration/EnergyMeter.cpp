//===- EnergyMeter.cpp - the energy of the processor ----------------------===//

#include "calibration/EnergyMeter.h"
#include "model/program/Run.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace ergon {

static std::string kindOf(const runtime::Meter &M) {
  return M.Name.substr(0, M.Name.find_first_of("/:"));
}

EnergyMeter::EnergyMeter(runtime::FoundMeters Found) {
  std::set<std::string> Kinds;
  for (auto &Meter : Found.Meters)
    if (const std::string Kind = kindOf(*Meter); Kind != "nvml" && isProcessorsOwn(Meter->Covers)) {
      Kinds.insert(Kind);
      Used.push_back({std::move(Meter), 0});
    }
  const bool HasRapl = Kinds.contains("powercap") || Kinds.contains("perf");
  if (HasRapl)
    std::erase_if(Used, [](const Single &O) {
      const std::string Kind = kindOf(*O.Reads);
      return Kind != "powercap" && Kind != "perf";
    });
  else if (Kinds.size() > 1) {
    Why = "meters of " + std::to_string(Kinds.size()) +
          " kinds may tell the same energy: name one kind in ERGON_METERS";
    Used.clear();
  }
  if (!Used.empty())
    return;
  for (const auto &[Name, Reason] : Found.Unread)
    Why += (Why.empty() ? "" : "; ") + Name + ": " + Reason;
  if (Why.empty())
    Why = "there is none";
}

std::string EnergyMeter::name() const {
  std::string Result;
  for (const Single &O : Used)
    Result += (Result.empty() ? "" : ", ") + O.Reads->Name;
  return Used.empty() ? Why : Result;
}

double EnergyMeter::periodS() const {
  std::int64_t Longest = 0;
  for (const Single &O : Used)
    Longest = std::max(Longest, O.Reads->Period);
  return 1e-9 * double(Longest);
}

std::optional<double> EnergyMeter::joules() {
  double Sum = 0;
  for (Single &O : Used) {
    runtime::Reading Read;
    switch (O.Reads->read(Read)) {
    case runtime::Outcome::Read:
      O.Last = 1e-9 * double(Read.EnergyNj);
      break;
    case runtime::Outcome::NoNews:
      break;
    case runtime::Outcome::Ended:
      Why = O.Reads->Name + ": " + O.Reads->why();
      Used.clear();
      return std::nullopt;
    }
    Sum += O.Last;
  }
  return Sum;
}

} // namespace ergon
