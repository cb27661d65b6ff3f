//===- CalibratedMachine.cpp - a profile from probes ----------------------===//

#include "calibration/CalibratedMachine.h"
#include "model/fit/FitErrors.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

namespace ergon {

namespace {
/// The parts of a mixture.
struct MixedPart {
  std::string_view Operation;
  double Times; ///< for each operation of the mixture
};
struct Mixture {
  std::string_view Operation;
  /// Executed in parallel, or one after the other in a dependence chain.
  std::vector<MixedPart> Parts;
};

/// Finds the times of probes that measure one operation alone.
class PureTimes {
public:
  explicit PureTimes(const std::vector<Measured> &All) {
    for (const Measured &M : All)
      if (!M.Probed->IsFlushed)
        Times[{M.Probed->Code->Operation, key(*M.Probed)}] =
            M.Seconds.Median / double(M.Probed->steps() * M.Probed->Code->Operations);
  }
  /// Seconds per operation with the type, width, chaining, memory level and thread count of
  /// \p Like.
  std::optional<double> of(std::string_view Operation, const Probe &Like) const {
    for (const std::string &Level : {Like.Level, std::string()}) {
      Probe Wanted = Like;
      Wanted.Level = Level;
      if (auto Found = Times.find({std::string(Operation), key(Wanted)}); Found != Times.end())
        return Found->second;
    }
    return std::nullopt;
  }

private:
  using Key = std::tuple<ElementType, unsigned, bool, std::string, unsigned>;
  std::map<std::pair<std::string, Key>, double> Times;

  static Key key(const Probe &P) {
    return {P.Code->Type, P.Code->Bits, P.Code->InChain, P.Level, P.Threads};
  }
};
} // namespace

/// Whether the core's clock alone decides how long \p P takes.
static bool followsCore(const Probe &P) {
  return !P.IsFlushed && (P.Level.empty() || P.Level == "l1" || P.Level == "l2");
}

std::vector<double> bringToOneClock(std::vector<Measured> &All) {
  if (std::ranges::any_of(All, [](const Measured &M) { return M.ClockHz <= 0; }))
    return {};
  using Group = std::pair<unsigned, unsigned>;
  auto GroupOf = [](const Measured &M) { return Group{M.Probed->Threads, M.Probed->Code->Bits}; };
  std::map<Group, std::vector<double>> Clocks;
  for (const Measured &M : All)
    Clocks[GroupOf(M)].push_back(M.ClockHz);
  for (Measured &M : All) {
    if (!followsCore(*M.Probed))
      continue;
    const double CommonHz = medianInterval(Clocks[GroupOf(M)]).Median;
    for (double MedianInterval::*S :
         {&MedianInterval::Median, &MedianInterval::Low, &MedianInterval::High})
      M.Seconds.*S *= M.ClockHz / CommonHz;
    M.ClockHz = CommonHz;
  }
  static constexpr unsigned LaneBits = 64;
  return Clocks[{1, LaneBits}];
}

static const std::vector<Mixture> &mixtures() {
  // A triad is a copy and one more load stream, which shares the memory bandwidth.
  static const std::vector<Mixture> Result = {
      {"mul_add", {{"mul", 1}, {"add", 1}}},    {"div_add", {{"div", 1}, {"add", 1}}},
      {"load_add", {{"load", 1}, {"add", 1}}},  {"load_add2", {{"load", 1}, {"add", 2}}},
      {"load_add4", {{"load", 1}, {"add", 4}}}, {"load_add16", {{"load", 1}, {"add", 16}}},
      {"triad", {{"copy", 1}, {"load", 1}}}};
  return Result;
}

std::vector<MixedProbe> predictMixed(const std::vector<Measured> &All) {
  const PureTimes Pure(All);
  std::vector<MixedProbe> Result;
  for (const Measured &M : All) {
    const Kernel &K = *M.Probed->Code;
    const auto Found = std::ranges::find(mixtures(), K.Operation, &Mixture::Operation);
    if (Found == mixtures().end() || M.Probed->IsFlushed)
      continue;
    // In a chain times add. So do those of streams, which share the memory bandwidth; other
    // operations overlap, so the longest time counts.
    const bool Sum = K.InChain || Found->Operation == "triad";
    double Predicted = 0;
    bool Known = true;
    for (const MixedPart &Part : Found->Parts) {
      const std::optional<double> SecondsPerOperation = Pure.of(Part.Operation, *M.Probed);
      Known = Known && SecondsPerOperation;
      const double Takes = Part.Times * SecondsPerOperation.value_or(0);
      Predicted = Sum ? Predicted + Takes : std::max(Predicted, Takes);
    }
    if (Known)
      Result.push_back(
          {M.Probed, M.Seconds.Median, Predicted * double(M.Probed->steps() * K.Operations)});
  }
  return Result;
}

/// Units per second, given the median time for \p Units.
static MeasuredQuantity rate(double Units, const MedianInterval &Seconds,
                             const std::string &Source) {
  return {{Units / Seconds.Median, Source}, Units / Seconds.High, Units / Seconds.Low};
}

static MeasuredQuantity time(double Units, const MedianInterval &Seconds,
                             const std::string &Source) {
  return {{Seconds.Median / Units, Source}, Seconds.Low / Units, Seconds.High / Units};
}

std::map<std::string, MeasuredQuantity> bestRates(const std::vector<Measured> &All,
                                                  unsigned LineBytes, const std::string &Source) {
  std::map<std::string, MeasuredQuantity> Result;
  for (const Measured &M : All) {
    if (M.Probed->IsFlushed)
      continue;
    for (const auto &[Class, Units] : M.Probed->counts(1, LineBytes)) {
      // The number of memory instructions depends on their width; the number of bytes does not.
      if (Class.ends_with("_memory"))
        continue;
      // No processor reports the traffic that stores cause beyond L1.
      if (const auto Level = memoryLevel(Class);
          Level &&
          (M.Probed->Level != *Level || (M.Probed->Level != "l1" && M.Probed->Code->Writes)))
        continue;
      const MeasuredQuantity Rate = rate(Units, M.Seconds, Source);
      const auto [Best, IsNew] = Result.try_emplace(Class, Rate);
      if (!IsNew && Best->second.Median.Value < Rate.Median.Value)
        Best->second = Rate;
    }
  }
  return Result;
}

static void addThroughputs(Machine &M, const std::vector<Measured> &All, unsigned LineBytes,
                           const std::string &Source) {
  Covariance ThroughputCovariance{{}, {}, Source};
  std::vector<double> Variances;
  for (const auto &[Class, Rate] : bestRates(All, LineBytes, Source)) {
    M.Timing.Throughputs[Class].PerS = Rate.Median;
    ThroughputCovariance.Coefficients.push_back("throughput." + Class);
    // Half the width of an interval of 95 % is 1.96 standard deviations of a normal error.
    Variances.push_back(std::pow((Rate.High - Rate.Low) / 2 / 1.96 / Rate.Median.Value, 2));
  }
  for (std::size_t K = 0; K != Variances.size(); ++K)
    ThroughputCovariance.Relative.emplace_back(Variances.size(), 0.0)[K] = Variances[K];
  M.Fit.Quality.emplace();
  if (!Variances.empty())
    M.Fit.Quality->JointCovariance = std::move(ThroughputCovariance);
}

static PipelineOperation &operationOf(Pipeline &Result, const Kernel &K) {
  for (PipelineOperation &Operation : Result.Operations)
    if (Operation.Operation == K.Operation && Operation.Type == name(K.Type) &&
        Operation.Bits == K.Bits)
      return Operation;
  return Result.Operations.emplace_back(
      PipelineOperation{K.Operation, std::string(name(K.Type)), K.Bits, {}, {}});
}

static void addToPipeline(Pipeline &Result, const Measured &M, unsigned LineBytes,
                          const std::string &Source) {
  const Probe &P = *M.Probed;
  const Kernel &Code = *P.Code;
  const double Operations = double(P.steps() * Code.Operations);
  const double Bytes = double(P.steps()) * P.Threads *
                       (Code.Step.LoadBytes + Code.Step.StoreBytes - Code.IndexBytes);
  if (P.IsFlushed) {
    Result.Passes.push_back({Code.Operation, Code.Bits, double(P.fetchedBytes(LineBytes)),
                             rate(Bytes, M.Seconds, Source)});
  } else if (!Code.IsIsolated) {
    return;
  } else if (P.Pages) {
    Result.Translations.push_back({P.Pages, time(Operations, M.Seconds, Source)});
  } else if (Code.Reads && Code.InChain) {
    Result.Latencies.push_back({P.Level, time(Operations, M.Seconds, Source)});
  } else if (Code.Reads || Code.Writes) {
    Result.Streams.push_back(
        {P.Level, Code.Operation, Code.Bits, P.Threads, rate(Bytes, M.Seconds, Source)});
  } else if (P.Threads > 1) {
    return; // rates of all cores are in Machine::Timing.Throughputs
  } else if (std::string_view(Code.Operation) == "issue") {
    Result.IssuePerS = rate(Operations, M.Seconds, Source);
  } else if (std::string_view(Code.Operation).starts_with("chains")) {
    return; // see addOutOfOrderWindows
  } else {
    PipelineOperation &Operation = operationOf(Result, Code);
    if (Code.InChain)
      Operation.LatencyS = time(Operations, M.Seconds, Source);
    else
      Operation.PerS = rate(Operations, M.Seconds, Source);
  }
}

/// The probe of square roots has a multiplication before each root. Its time is subtracted.
static void subtractMultiplyLatency(Pipeline &P) {
  for (PipelineOperation &Root : P.Operations) {
    if (Root.Operation != "sqrt" || !Root.LatencyS)
      continue;
    const auto Found = std::ranges::find_if(P.Operations, [&](const PipelineOperation &Operation) {
      return Operation.Operation == "mul" && Operation.Type == Root.Type &&
             Operation.Bits == Root.Bits;
    });
    if (Found == P.Operations.end() || !Found->LatencyS) {
      Root.LatencyS.reset();
      continue;
    }
    MeasuredQuantity &Latency = *Root.LatencyS;
    const MeasuredQuantity &Multiplication = *Found->LatencyS;
    Latency.Median.Value -= Multiplication.Median.Value;
    Latency.Low -= Multiplication.High;
    Latency.High -= Multiplication.Low;
  }
}

static bool isSingleThreaded(const Probe &P) { return P.Threads == 1; }

/// Null where it was not measured.
static const Measured *find(const std::vector<Measured> &All, std::string_view Operation,
                            bool (*Matches)(const Probe &)) {
  const auto Found = std::ranges::find_if(All, [&](const Measured &M) {
    return M.Probed->Code->Operation == Operation && Matches(*M.Probed);
  });
  return Found == All.end() ? nullptr : &*Found;
}

/// Cost of a mispredicted branch: of branches on random bits half are mispredicted; otherwise the
/// two probes are the same.
static void addMisprediction(Pipeline &Result, const std::vector<Measured> &All,
                             const std::string &Source) {
  const Measured *Random = find(All, "branches_random", isSingleThreaded),
                 *Known = find(All, "branches_known", isSingleThreaded);
  if (!Random || !Known || Random->Seconds.Low <= Known->Seconds.High)
    return;
  const double Missed = double(Random->Probed->Code->Operations) / 2;
  const MedianInterval &More = Random->Seconds, &Less = Known->Seconds;
  PipelineOperation &New = operationOf(Result, *Random->Probed->Code);
  New.Operation = "mispredict";
  New.LatencyS = MeasuredQuantity{{(More.Median - Less.Median) / Missed, Source},
                                  (More.Low - Less.High) / Missed,
                                  (More.High - Less.Low) / Missed};
  // Branches with a periodic outcome pattern of that period.
  for (const Measured &M : All) {
    const Kernel &Code = *M.Probed->Code;
    if (!std::string_view(Code.Operation).starts_with("branches_of_") ||
        !isSingleThreaded(*M.Probed))
      continue;
    const double Parts = double(Code.Operations) / Random->Probed->Code->Operations;
    auto Share = [&](double Seconds, double Never, double Always) {
      return std::clamp((Seconds / Parts - Never) / (Always - Never), 0.0, 1.0);
    };
    Result.Repeated.push_back({Code.Operations,
                               {{Share(M.Seconds.Median, Less.Median, More.Median), Source},
                                Share(M.Seconds.Low, Less.High, More.High),
                                Share(M.Seconds.High, Less.Low, More.Low)}});
  }
  std::ranges::sort(Result.Repeated, {}, &PipelineRepeated::Branches);
}

/// SchedulerWindow: instructions of consecutive dependence chains in flight. ReorderWindow: issue
/// slots in flight. One long chain costs the full latency per addition; consecutive independent
/// chains overlap and cost less.
static void addOutOfOrderWindows(Pipeline &Result, const std::vector<Measured> &All,
                                 const std::string &Source) {
  const Measured *OneLoad = find(All, "chains", isSingleThreaded),
                 *Products = find(All, "chains_of_products", isSingleThreaded),
                 *LoneAddition = find(All, "add", [](const Probe &P) {
                   return isSingleThreaded(P) && P.Code->InChain &&
                          P.Code->Type == ElementType::F64 && P.Code->Bits == 64;
                 });
  // The inverse of InCoreCosts::chainShare, for short chains and for long ones.
  auto WindowOf = [&](const Measured &Row, double Units,
                      double Long) -> std::optional<MeasuredQuantity> {
    const double AdditionRatio =
        double(LoneAddition->Probed->Code->Operations) / Row.Probed->Code->Operations;
    auto Window = [&](double RowS, double AloneS) {
      const double Share = RowS / (AloneS / AdditionRatio);
      return Units * (Share > 0.5 ? Long * (1 - Share) : 1 / Share - 1);
    };
    const MedianInterval &RowSeconds = Row.Seconds, &AloneSeconds = LoneAddition->Seconds;
    if (Window(RowSeconds.High, AloneSeconds.Low) <= 0)
      return std::nullopt;
    return MeasuredQuantity{{Window(RowSeconds.Median, AloneSeconds.Median), Source},
                            Window(RowSeconds.High, AloneSeconds.Low),
                            Window(RowSeconds.Low, AloneSeconds.High)};
  };
  if (OneLoad && LoneAddition)
    Result.SchedulerWindow = WindowOf(*OneLoad, OneLoad->Probed->Code->Operations, 2);
  // Load, multiply with a memory operand, add.
  constexpr unsigned SlotsOfProduct = 3;
  if (Products && LoneAddition)
    Result.ReorderWindow =
        WindowOf(*Products, SlotsOfProduct * Products->Probed->Code->Operations, 1);
}

/// The rate of each thread when all threads run, relative to that of a thread alone: of issued
/// instructions, and of chains.
static void addShares(Pipeline &Result, const std::vector<Measured> &All,
                      const std::string &Source) {
  auto ShareOf = [&](std::string_view Operation,
                     unsigned &Threads) -> std::optional<MeasuredQuantity> {
    const Measured *Single = find(All, Operation, isSingleThreaded),
                   *Parallel =
                       find(All, Operation, [](const Probe &P) { return !isSingleThreaded(P); });
    if (!Single || !Parallel)
      return std::nullopt;
    Threads = Parallel->Probed->Threads;
    const MedianInterval &OneThread = Single->Seconds, &AllThreads = Parallel->Seconds;
    return MeasuredQuantity{{OneThread.Median / AllThreads.Median, Source},
                            OneThread.Low / AllThreads.High,
                            OneThread.High / AllThreads.Low};
  };
  unsigned Threads = 1;
  auto Busy = ShareOf("issue", Threads), Waiting = ShareOf("chains", Threads);
  if (Busy && Waiting)
    Result.Shares.push_back({Threads, *Busy, *Waiting});
}

/// How far the predictions of mixtures are off, each operation a family: one in twenty that other
/// work disturbed tells nothing of the others.
static std::optional<LogDeviations> deviationsOf(const std::vector<MixedProbe> &Mixed) {
  std::vector<double> Errors;
  std::vector<std::size_t> Families;
  for (const MixedProbe &MP : Mixed) {
    Errors.push_back(MP.error());
    Families.push_back(
        std::size_t(std::ranges::find(mixtures(), MP.Probed->Code->Operation, &Mixture::Operation) -
                    mixtures().begin()));
  }
  return logDeviations(Errors, Families, Families);
}

void fillMachine(Machine &M, const std::vector<Measured> &All, const std::vector<MixedProbe> &Mixed,
                 const std::vector<double> &ClockHz, unsigned LineBytes,
                 const std::string &Source) {
  addThroughputs(M, All, LineBytes, Source);
  Pipeline &Result = M.Timing.InCore.emplace();
  if (!ClockHz.empty()) {
    const MedianInterval Clock = medianInterval(ClockHz);
    Result.CoreHz = {{Clock.Median, Source}, Clock.Low, Clock.High};
  }
  for (const Measured &Element : All)
    addToPipeline(Result, Element, LineBytes, Source);
  std::ranges::sort(Result.Passes, {}, &PipelinePass::FetchedBytes);
  subtractMultiplyLatency(Result);
  addMisprediction(Result, All, Source);
  addOutOfOrderWindows(Result, All, Source);
  addShares(Result, All, Source);
  std::erase_if(Result.Operations, [](const PipelineOperation &Operation) {
    return !Operation.LatencyS && !Operation.PerS;
  });
  if (const auto Deviations = deviationsOf(Mixed)) {
    M.Fit.Quality->TimeError = Quantity{Deviations->TooLow, Source};
    M.Fit.Quality->TimeErrorBelow = Quantity{Deviations->TooHigh, Source};
  }
}

} // namespace ergon
