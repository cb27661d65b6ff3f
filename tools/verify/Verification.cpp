//===- Verification.cpp - kernels predicted and measured ------------------===//

#include "tools/verify/Verification.h"
#include "calibration/EnergyMeter.h"
#include "calibration/Measure.h"
#include "model/fit/Statistics.h"
#include "predict/store/MachineStore.h"
#include "tools/base/Measuring.h"
#include "tools/base/Opened.h"
#include "tools/base/SetOptions.h"
#include "tools/base/Terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>

#include <malloc.h>

namespace ergon {

std::string name(const KernelCase &Case) {
  return fmt::format("{}{}{}, {} thread{}", Case.Kernel->Name, Case.Kernel->HasData ? ", " : "",
                     Case.Kernel->HasData ? Case.Level : "", Case.Threads,
                     Case.Threads == 1 ? "" : "s");
}

std::optional<double> VerifiedCase::timeRatio() const {
  if (!Predicted || !Seconds)
    return std::nullopt;
  return Predicted->TimeS.Value / Seconds->Median;
}

std::optional<double> VerifiedCase::energyRatio() const {
  if (!Predicted || !Joules || *Joules <= 0 || Predicted->EnergyJ.Value == 0) // no energies
    return std::nullopt;
  return Predicted->EnergyJ.Value / *Joules;
}

ErrorGroups groupErrors(const std::vector<VerifiedCase> &VerifiedCases,
                        std::optional<double> (VerifiedCase::*RatioOf)() const) {
  ErrorGroups Result;
  std::vector<double> All;
  for (const VerifiedCase &VC : VerifiedCases) {
    const std::optional<double> Ratio = (VC.*RatioOf)();
    if (!Ratio)
      continue;
    const std::string Group = fmt::format("{}, {} thread{}", VC.Case.Level, VC.Case.Threads,
                                          VC.Case.Threads == 1 ? "" : "s");
    auto Found = std::ranges::find(Result, Group, &ErrorGroups::value_type::first);
    if (Found == Result.end())
      Found = Result.insert(Found, {Group, {}});
    Found->second.push_back(*Ratio - 1);
    All.push_back(*Ratio - 1);
  }
  Result.emplace_back("all", std::move(All));
  return Result;
}

namespace {
/// Predicts and measures cases.
class Verifier {
public:
  Verifier(const VerificationPlan &Plan, const Machine &M, CountedRecords &Records,
           VerificationResult &Result)
      : Plan(Plan), M(M), Records(Records), Target(Result) {
    Result.HasMeter = Meter.isThere();
    Result.Meter = Meter.name();
  }

  std::expected<VerifiedCase, Error> verify(const KernelCase &Case);

private:
  const VerificationPlan &Plan;
  const Machine &M;
  CountedRecords &Records;
  std::map<std::string, EntryPredictor> Entries; ///< by their names
  VerificationResult &Target;
  EnergyMeter Meter = EnergyMeter::find();
  MemoryLooks Memory;

  std::expected<EntryPredictor *, Error> entry(const std::string &Name);
  std::expected<void, Error> predict(const Workload &W, VerifiedCase &To);
  std::expected<void, Error> measure(const std::vector<Workload> &Workloads, VerifiedCase &To);
  std::optional<double> joulesOf(const Team &Threads, double RunS);
};
} // namespace

/// Values for those of \p Unbound that the data tell: `trips@…` is of the kind `trips`.
static std::vector<std::string> valuesOf(const std::vector<std::string> &Unbound,
                                         const Workload &W) {
  std::vector<std::string> Result;
  for (const std::string &Text : Unbound)
    if (const auto Found = W.Unknowns.find(Text.substr(0, Text.find('@')));
        Found != W.Unknowns.end())
      Result.push_back(Text + "=" + Found->second);
  return Result;
}

std::expected<EntryPredictor *, Error> Verifier::entry(const std::string &Name) {
  auto Known = Entries.find(Name);
  if (Known == Entries.end()) {
    auto Found = Records.find({.Entry = Name});
    if (!Found)
      return std::unexpected(Found.error());
    Known = Entries.try_emplace(Name, std::move(*Found), Name).first;
  }
  return &Known->second;
}

std::expected<void, Error> Verifier::predict(const Workload &W, VerifiedCase &To) {
  TargetOptions How;
  How.Traffic.Cores = To.Case.Threads;
  How.Traffic.Warm = true;
  for (const auto &[Name, Bytes] : W.ObjectBytes) {
    To.Places.push_back(fmt::format("{}=:{}", Name, Bytes));
    How.Traffic.Addresses.push_back({Name, {}, Bytes, "--place " + To.Places.back()});
  }
  for (const auto &[Name, Value] : W.Parameters)
    To.Given.push_back(Name + "=" + Value);
  const auto Target = targetOf(M, How);
  if (!Target)
    return std::unexpected(Target.error());
  const auto Entry = entry(fmt::format("{}_{}", To.Case.Kernel->Name, Plan.Variant.Name));
  if (!Entry)
    return std::unexpected(Entry.error());
  const auto Ask =
      [&](const std::vector<std::string> &Sets) -> std::expected<PredictionDocument, Error> {
    auto Values = readSets(Sets);
    if (!Values)
      return std::unexpected(Values.error());
    (*Entry)->set(std::move(*Values));
    return (*Entry)->predict(*Target);
  };
  auto Document = Ask(To.Given);
  if (!Document)
    return std::unexpected(Document.error());
  if (To.Known = valuesOf(Document->Counts.Unbound, W); !To.Known.empty()) {
    std::vector<std::string> All = To.Given;
    All.insert(All.end(), To.Known.begin(), To.Known.end());
    Document = Ask(All);
    if (!Document)
      return std::unexpected(Document.error());
  }
  if (Document->Time) { // the profile knows the core, whatever it says of energy
    To.Predicted = Document->OnMachine.value_or(Cost{});
    if (!Document->OnMachine)
      To.Predicted = costAt({}, Document->timeS(), Document->Time->Bound, 0);
    To.Predicted->Missing = Document->NotPriced;
  } else if (Document->OnMachine && Document->OnMachine->TimeS.Value == 0) {
    // Nothing takes no time: then the profile knows of none.
    const std::vector<std::string> &Untimed = Document->OnMachine->Untimed;
    To.NotPredicted = fmt::format("the profile has no throughput for {}",
                                  Untimed.empty() ? "what stays in its caches"
                                                  : fmt::format("{}", fmt::join(Untimed, ", ")));
  } else if (Document->OnMachine)
    To.Predicted = std::move(Document->OnMachine);
  else if (!Document->Counts.Unbound.empty())
    To.NotPredicted = fmt::format("it needs {}", fmt::join(Document->Counts.Unbound, ", "));
  else
    To.NotPredicted =
        fmt::format("the profile has no cost for {}", fmt::join(Document->NotPriced, ", "));
  return {};
}

std::expected<void, Error> Verifier::measure(const std::vector<Workload> &Workloads,
                                             VerifiedCase &To) {
  const Team Threads(
      To.Case.Threads, allowedProcessors(),
      [&](unsigned Thread, std::uint64_t Iterations) { Workloads[Thread].Run(Iterations); }, 1);
  const TakeSample Take =
      Memory.around(To.Case.Level, To.Case.Bytes, To.Case.Threads,
                    [&](std::uint64_t Iterations) { return Threads.take(Iterations); });
  const std::uint64_t Iterations = iterationsFor(Plan.Goal.SampleS, Take);
  SamplingGoal Goal = Plan.Goal;
  // A run of a kernel is not taken apart: a long one has the time for its samples.
  Goal.RoundS = std::max(Goal.RoundS, 5 * double(Goal.Least) * Take(Iterations).Seconds);
  SampleSet Samples;
  for (unsigned Round = 0; Round != Goal.Rounds && !Samples.isEnough(Goal); ++Round) {
    const std::vector<Timing> Taken =
        takeRound(Take, Iterations, Goal, Samples.good(), StopWhenAsked::asked);
    if (StopWhenAsked::asked())
      return std::unexpected(Error{});
    Samples.add(Taken, Iterations, Target.Samples);
    if (isTooBusy(Target.Samples.Attempts, Target.Samples.Useless))
      return std::unexpected(tooBusy(Target.Samples, "begins anew"));
  }
  const std::optional<SampleSet::Found> Found = Samples.conclude(Goal);
  if (!Found)
    return {};
  To.Seconds = Found->Seconds;
  if (Found->IsDisturbed)
    Target.Disturbed.push_back(name(To.Case));
  if (To.Seconds->relative() > Goal.Relative)
    Target.Wide.push_back(name(To.Case));
  if (Meter.isThere())
    To.Joules = joulesOf(Threads, To.Seconds->Median);
  return {};
}

/// Joules of a run that takes \p RunS: of so many runs that a meter's period is a hundredth of
/// their time. Nothing where the meter can no longer be read.
std::optional<double> Verifier::joulesOf(const Team &Threads, double RunS) {
  const double Runs = std::ceil(std::max(0.1, 100 * Meter.periodS()) / RunS);
  std::optional<double> Before, After;
  const AroundSample Around{.Begin = [&] { Before = Meter.joules(); },
                            .End = [&] { After = Meter.joules(); }};
  std::vector<double> Samples;
  for (int K = 0; K != 3 && !StopWhenAsked::asked(); ++K) {
    Threads.take(std::uint64_t(Runs), Around);
    if (Before && After)
      Samples.push_back((*After - *Before) / Runs);
  }
  if (Samples.empty()) {
    Target.Meter = Meter.name() + ": " + Meter.why();
    return std::nullopt;
  }
  return median(Samples);
}

std::expected<VerifiedCase, Error> Verifier::verify(const KernelCase &Case) {
  VerifiedCase Result;
  Result.Case = Case;
  const std::vector<int> &Processors = allowedProcessors();
  std::vector<Workload> Threads;
  for (unsigned K = 0; K != Case.Threads; ++K) {
    bindTo(Processors[K]); // so that pages are near it
    Threads.push_back(Case.Kernel->Make(*Plan.Variant.Functions, Case.Bytes));
  }
  bindTo(Processors[0]);
  Result.Bytes = Threads[0].Bytes;
  if (auto Predicted = predict(Threads[0], Result); !Predicted)
    return std::unexpected(Predicted.error());
  if (std::ranges::all_of(Threads, [](const Workload &W) { return bool(W.Run); })) {
    if (auto Measured = measure(Threads, Result); !Measured)
      return std::unexpected(Measured.error());
  } else {
    Result.NotMeasured = "no memory";
  }
  return Result;
}

static std::vector<MemoryRate> memoryRates(const std::optional<Pipeline> &Core) {
  std::vector<MemoryRate> Result;
  for (const auto &[Threads, Seen] : theMemory().seen()) {
    Result.push_back({Threads, quantile(Seen, 0.1), quantile(Seen, 0.5), quantile(Seen, 0.9), {}});
    if (Core)
      for (const PipelineStream &Stream : Core->Streams)
        if (Stream.Level == "dram" && Stream.Access == "load" && Stream.Bits == 64 &&
            Stream.Threads == Threads)
          Result.back().Profile = Stream.BytesPerS.Median.Value;
  }
  return Result;
}

/// Those without enough samples again: who else was at work on the machine may be gone.
static std::expected<void, Error> verifyAll(const VerificationPlan &Plan, const Machine &M,
                                            const ShowCase &Show, VerificationResult &Result) {
  auto Records = openRecords({.Directory = Plan.Records}, Detail::All);
  if (!Records)
    return std::unexpected(Records.error());
  const StopWhenAsked Stop;
  ProgressBar Bar;
  Verifier V(Plan, M, **Records, Result);
  Result.Cases.resize(Plan.Cases.size());
  std::vector<std::size_t> Left(Plan.Cases.size());
  std::iota(Left.begin(), Left.end(), std::size_t(0));
  for (unsigned Pass = 1; !Left.empty(); ++Pass) {
    const double Begin = nowS();
    std::vector<std::size_t> Again;
    for (std::size_t K = 0; K != Left.size(); ++K) {
      const KernelCase &Case = Plan.Cases[Left[K]];
      std::optional<double> LeftS;
      if (K)
        LeftS = (nowS() - Begin) / double(K) * double(Left.size() - K);
      Bar.show(K, Left.size(), (Pass > 1 ? "again: " : "") + name(Case), LeftS);
      auto Verified = V.verify(Case);
      Bar.clear();
      if (!Verified) {
        if (!StopWhenAsked::asked())
          return std::unexpected(Verified.error());
        fmt::print(stderr, "ergon: interrupted\n");
        StopWhenAsked::stop();
      }
      if (!Verified->Seconds && Verified->NotMeasured.empty() && Pass < Plan.Passes) {
        Again.push_back(Left[K]);
        continue;
      }
      Show(*Verified, Result.HasMeter);
      Result.Cases[Left[K]] = std::move(*Verified);
    }
    Left = std::move(Again);
  }
  return {};
}

/// Memory stays with the process, as that of probes does (calibration/Measure.cpp), and is there
/// long before the largest data are.
static void keepMemory(const VerificationPlan &Plan) {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  std::uint64_t Most = 0;
  for (const KernelCase &Case : Plan.Cases)
    Most = std::max(Most, Case.Bytes * Case.Threads);
  const std::unique_ptr<void, decltype(&std::free)> Whole(std::malloc(Most), &std::free);
  if (Whole)
    settle(Whole.get(), Most);
}

std::expected<VerificationResult, Error> verifyKernels(const VerificationPlan &Plan,
                                                       const ShowCase &Show) {
  keepMemory(Plan);
  VerificationResult Result;
  const auto Profile = loadMachine(Plan.Machine);
  if (!Profile)
    return std::unexpected(Profile.error());
  if (Profile->Timing.InCore && Profile->Timing.InCore->CoreHz)
    Result.ProfileClockHz = Profile->Timing.InCore->CoreHz->Median.Value;
  Result.ClockHz = median(clocksNow());
  if (auto Done = verifyAll(Plan, *Profile, Show, Result); !Done)
    return std::unexpected(Done.error());
  for (const VerifiedCase &VC : Result.Cases)
    if (!VC.Seconds)
      Result.Unmeasured.push_back(name(VC.Case) +
                                  (VC.NotMeasured.empty() ? "" : " (" + VC.NotMeasured + ")"));
  Result.MemoryRates = memoryRates(Profile->Timing.InCore);
  return Result;
}

} // namespace ergon
