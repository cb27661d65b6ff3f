//===- LaunchPrediction.cpp - what a program's kernels cost ---------------===//

#include "predict/answer/LaunchPrediction.h"
#include "model/gpu/LaunchIssue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace ergon {

/// Of one kernel of several.
static constexpr std::int64_t MaxSectors = 300'000;

/// The classes that follow from a launch and its machine.
static constexpr std::array<std::string_view, 10> LaunchClasses = {
    "bytes_shared",     "bytes_l2",           DramBytes,  "warp_instructions",
    "int_instructions", "other_instructions", "l1_lines", "atomics_one_word",
    "blocks",           LatencyCycles};

/// A launch of that shape; nothing where it is not known, or has no thread.
static std::optional<LaunchSize> launchSize(const LaunchShape &Shape) {
  LaunchSize Result;
  static constexpr std::int64_t MostX = (std::int64_t(1) << 31) - 1, MostYZ = 65'535,
                                MostThreads = 1024; // CUDA's limits
  for (auto [From, To, OfX, OfOthers] :
       {std::tuple(&Shape.Grid, &Result.Grid, MostX, MostYZ),
        std::tuple(&Shape.Block, &Result.Block, MostThreads, MostThreads)})
    for (std::size_t Axis = 0; Axis != 3; ++Axis) {
      const auto Number = (*From)[Axis].constant();
      const auto Word = Number ? Number->asWord() : std::nullopt;
      if (!Word || *Word < 1 || *Word > (Axis == 0 ? OfX : OfOthers))
        return std::nullopt;
      (*To)[Axis] = *Word;
    }
  if (const auto Bytes = Shape.SharedBytes.constant())
    Result.DynamicSharedBytes = std::clamp<std::int64_t>(Bytes->asWord().value_or(0), 0, MostX);
  return Result;
}

/// What a launch reads of instructions and parameters, whatever it does: the least that a profiler
/// counted of 584 kernels.
static constexpr int CodeBytes = 2'500;

static double sumOf(const std::map<std::string, Rational> &Values, bool (*IsPart)(CostClass)) {
  double Result = 0;
  for (const auto &[Key, Value] : Values)
    if (auto Class = costClass(Key); Class && IsPart(*Class))
      Result += Value.get_d();
  return Result;
}

/// What data decide in a kernel, such as how long it searches, or sizes that the host does not
/// know, make its time wrong by this factor at most in nine of ten kernels
/// (bench/results/2026-11-27-gpu-programs.md, those learned from).
static constexpr double FactorOfUnknowns = 40;

/// Whether estimates say how often the code of \p Kernel runs.
static bool restsOn(const std::vector<SymbolEstimate> &Estimates, const Function &Kernel) {
  return std::ranges::any_of(Estimates, [&](const SymbolEstimate &E) {
    return std::ranges::find(Kernel.Unknowns, E.What.Symbol, &Unknown::Symbol) !=
           Kernel.Unknowns.end();
  });
}

/// Whether what the host passes is an estimate, by the flops that estimates leave open.
static bool restsOnEstimates(const LaunchValues &Launch) {
  static constexpr int OfFunctions = 5; // steps at most, for those at least
  const auto &Flops = Launch.Executed;
  return Launch.IsEstimated || !Flops || !Flops->High ||
         *Flops->High > Rational(OfFunctions) * std::max(Flops->Low, Rational(1));
}

static void widen(CostIntervals &Costs) {
  for (Interval *Each : {&Costs.TimeS, &Costs.EnergyJ}) {
    Each->Low /= FactorOfUnknowns;
    Each->High *= FactorOfUnknowns;
  }
}

static bool isIssue(CostClass Class) { return family(Class) == ClassFamily::Issue; }

namespace {
class LaunchAdder {
public:
  LaunchAdder(CountedEntry &Entry, const PredictionTarget &Target, PredictionDocument &Result)
      : Entry(Entry), Target(Target), Result(Result), KeepsDram(!Result.Counts.DramIsRequested) {}

  void add(const FirstLaunch &First, PartValues &Part);
  /// The sums over all kernels.
  void finish();

private:
  CountedEntry &Entry;
  const PredictionTarget &Target;
  PredictionDocument &Result;
  bool KeepsDram; ///< the user gave it
  std::size_t WithDram = 0;
};
} // namespace

void LaunchAdder::add(const FirstLaunch &First, PartValues &Part) {
  const Machine &M = *Target.M;
  const Function *Kernel = Entry.lookup()(First.Function, Entry.function());
  auto Size = launchSize(First.Shape);
  if (!Size || !M.Topology.Gpu)
    return;
  const BlockNeeds Needs = Kernel ? needsOf(Kernel->Resources) : BlockNeeds();
  Size->RegistersPerThread = Needs.RegistersPerThread;
  CountValues Launch;
  Launch.Values = Part.First->Values;
  for (const auto &[Key, Value] : Launch.Values)
    Launch.KnownAs[Key] = Known::Estimated;
  std::optional<DeviceReport> Traffic;
  if (const auto Through = Target.Asked ? deviceCaches(M) : std::nullopt)
    if (auto Found =
            reportDeviceTraffic(Entry.accessesOfLaunch(First), *Size, *Through, MaxSectors)) {
      addTraffic(*Found, Launch);
      const std::string Dram(DramBytes);
      Launch.Values[Dram] += Rational(CodeBytes);
      if (auto Range = Launch.Ranges.find(Dram); Range != Launch.Ranges.end())
        Range->second = {Range->second.Low + Rational(CodeBytes),
                         Range->second.High + Rational(CodeBytes)};
      Traffic = std::move(*Found);
      ++WithDram;
    }
  addIssue({*Size, Needs.SharedBytes.value_or(0), Traffic ? &*Traffic : nullptr}, *M.Topology.Gpu,
           Launch);
  const double Requested = sumOf(Part.First->Values, isMainMemoryTraffic),
               Issued = sumOf(Part.First->Values, isIssue);
  const double Launches = Part.Launches ? Part.Launches->get_d() : 1;
  const double ByBytes =
      Requested > 0 ? sumOf(Part.Values, isMainMemoryTraffic) / Requested : Launches;
  const double ByIssue = Issued > 0 ? sumOf(Part.Values, isIssue) / Issued : Launches;
  if (!std::isfinite(Launches) || !std::isfinite(ByBytes) || !std::isfinite(ByIssue))
    return; // too large a number, which is an error by itself
  for (const std::string_view Class : LaunchClasses) {
    const std::string Key(Class);
    auto Found = Launch.Values.find(Key);
    if (Found == Launch.Values.end() || (KeepsDram && Class == DramBytes))
      continue;
    const double Times = Class == "blocks"            ? Launches
                         : Class.starts_with("bytes") ? ByBytes
                                                      : ByIssue;
    Part.Values[Key] = rationalOf(Found->second.get_d() * Times);
    Part.Ranges.erase(Key);
    if (auto Range = Launch.Ranges.find(Key); Range != Launch.Ranges.end())
      Part.Ranges[Key] = {rationalOf(Range->second.Low.get_d() * Times),
                          rationalOf(Range->second.High.get_d() * Times)};
  }
  Part.First->Values = Launch.Values;
  if (Traffic) {
    Cost OfLaunch = costOn(M, Target.Clocks, Launch);
    if (OfLaunch.Missing.empty())
      Result.OfFirstLaunches.insert_or_assign(Part.Name, std::move(OfLaunch));
  }
}

void LaunchAdder::finish() {
  CountValues &All = Result.Counts;
  for (const std::string_view Class : LaunchClasses) {
    const std::string Key(Class);
    if (KeepsDram && Class == DramBytes)
      continue;
    Rational Sum = 0;
    Bounds Between{0, 0};
    bool Any = false, HasRange = false;
    for (std::size_t I = 1; I != All.Parts.size(); ++I) {
      const PartValues &Part = All.Parts[I];
      auto Found = Part.Values.find(Key);
      if (Found == Part.Values.end())
        continue;
      Any = true;
      Sum += Found->second;
      auto Range = Part.Ranges.find(Key);
      HasRange |= Range != Part.Ranges.end();
      const Bounds Own =
          Range == Part.Ranges.end() ? Bounds{Found->second, Found->second} : Range->second;
      Between = {Between.Low + Own.Low, Between.High + Own.High};
    }
    if (!Any)
      continue;
    All.Values[Key] = Sum;
    All.KnownAs[Key] = Known::Estimated;
    All.Ranges.erase(Key);
    if (HasRange)
      All.Ranges[Key] = Between;
  }
  if (WithDram + 1 == All.Parts.size())
    All.DramIsRequested = false;
}

void addLaunches(CountedEntry &Entry, const Bindings &Bound, LongSums How,
                 const PredictionTarget &Target, PredictionDocument &Result) {
  LaunchAdder Adder(Entry, Target, Result);
  for (const FirstLaunch &First : Entry.firstLaunches(Bound)) {
    auto Part = std::ranges::find(Result.Counts.Parts, First.Kernel, &PartValues::Name);
    if (Part == Result.Counts.Parts.end() || Part->First)
      continue;
    Part->First = evaluateLaunch(First, {Bound.Ranges, {}}, How);
    if (Target.M && Part != Result.Counts.Parts.begin())
      Adder.add(First, *Part);
  }
  if (Target.M)
    Adder.finish();
}

void widenEstimatedLaunches(const CountedEntry &Entry, PredictionDocument &Result) {
  for (const PartValues &Part : Result.Counts.Parts) {
    auto Cost = Result.OfFirstLaunches.find(Part.Name);
    if (!Part.First || Cost == Result.OfFirstLaunches.end())
      continue;
    const Function *Kernel = Entry.lookup()(Part.First->Function, Entry.function());
    if (!Kernel || restsOnEstimates(*Part.First) || restsOn(Result.Estimates, *Kernel))
      widen(Cost->second);
  }
}

} // namespace ergon
