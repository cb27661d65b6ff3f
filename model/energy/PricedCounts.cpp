//===- PricedCounts.cpp - counts as a machine's prices want them ----------===//

#include "model/energy/PricedCounts.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// What a GPU's prices are for, in \p Values.
static void useMachineCode(const Machine &M, std::map<std::string, Rational> &Values,
                           std::map<std::string, Bounds> &Ranges) {
  if (auto Found = Values.find("int_instructions"); Found != Values.end()) {
    Values["int_ops"] = Found->second;
    Ranges.erase("int_ops");
  }
  for (const char *Type : {"f32", "f64"}) {
    auto Key = [&](const char *Prefix) { return std::string(Prefix) + Type; };
    auto Steps = Values.find(Key("steps_low_"));
    if (Steps == Values.end() || M.Timing.Throughputs.contains(Key("div_")))
      continue;
    Rational More = Steps->second;
    for (const char *Single : {"div_", "sqrt_"})
      if (auto Found = Values.find(Key(Single)); Found != Values.end())
        More -= Found->second;
    Values[Key("flops_")] += More;
    if (auto Range = Ranges.find(Key("flops_")); Range != Ranges.end())
      Range->second = {Range->second.Low + More, Range->second.High + More};
  }
}

/// What a multiprocessor does by itself, besides `issue_<pipe>`.
static constexpr std::string_view OfMultiprocessor[] = {"warp_instructions", "l1_lines",
                                                        "bytes_shared"};

/// Blocks are whole: where there are few, some multiprocessors have more of them than others, and
/// the launch takes as long as these. What is added to the time that follows from the means makes
/// both together that of the busiest.
static void waitForBusiest(const Machine &M, const Device &D, double Launches,
                           std::map<std::string, Rational> &Values) {
  const auto Value = [&](const std::string &Key) {
    auto Found = Values.find(Key);
    return Found == Values.end() ? 0 : Found->second.get_d();
  };
  const auto Rate = [&](const std::string &Key) {
    auto Found = M.Timing.Throughputs.find(Key);
    return Found == M.Timing.Throughputs.end() ? 0 : Found->second.PerS.Value;
  };
  const std::string Cycles(LatencyCycles);
  const double Blocks = Value("blocks"), Processors = D.Multiprocessors.Value;
  if (Blocks < Launches || !(Rate(Cycles) > 0))
    return;
  const double OfLaunch = Blocks / Launches;
  const double Crowding = std::ceil(OfLaunch / Processors) * Processors / OfLaunch;
  double LongestS = 0;
  const auto Consider = [&](const std::string &Key) {
    if (Rate(Key) > 0)
      LongestS = std::max(LongestS, Value(Key) / Rate(Key));
  };
  for (unsigned Pipe = 0; Pipe != NumIssuePipes; ++Pipe)
    Consider(std::string(name(issue(IssuePipe(Pipe)))));
  for (std::string_view Key : OfMultiprocessor)
    Consider(std::string(Key));
  double More = Crowding > 1 ? Crowding : 0;
  if (const auto &Exponent = M.Timing.OverlapExponent)
    More = std::pow(std::pow(Crowding, Exponent->Value) - 1, 1 / Exponent->Value);
  const double Needed = More * LongestS * Rate(Cycles);
  if (Needed > Value(Cycles))
    Values[Cycles] = Rational::wholePartOf(std::ceil(Needed));
}

CountValues pricedCounts(const Machine &M, CountValues Counts) {
  if (!M.Topology.Gpu)
    return Counts;
  const auto Use = [&](const std::optional<Rational> &Launches,
                       std::map<std::string, Rational> &Values,
                       std::map<std::string, Bounds> &Ranges) {
    useMachineCode(M, Values, Ranges);
    waitForBusiest(M, *M.Topology.Gpu, Launches ? std::max(1.0, Launches->get_d()) : 1, Values);
  };
  auto Single = Counts.Values.find("launches");
  Use(Single == Counts.Values.end() ? std::nullopt : std::optional(Single->second), Counts.Values,
      Counts.Ranges);
  for (std::size_t I = 1; I < Counts.Parts.size(); ++I) // behind the host
    Use(Counts.Parts[I].Launches, Counts.Parts[I].Values, Counts.Parts[I].Ranges);
  return Counts;
}

} // namespace ergon
