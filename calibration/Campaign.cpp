//===- Campaign.cpp - samples of all probes -------------------------------===//

#include "calibration/Campaign.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergon {

/// Threads that share memory vary in speed, and a sample ends with the slowest of them. Longer
/// samples vary less.
static double sampleS(const Probe &P, const SamplingGoal &Goal) {
  constexpr double Longer = 4;
  // To flush takes far longer than a short pass, each of which is timed alone.
  constexpr double FlushedShare = 0.02;
  if (P.IsFlushed)
    return FlushedShare * Goal.SampleS;
  return (P.Threads > 1 && P.Level == "dram" ? Longer : 1) * Goal.SampleS;
}

/// Flushed data lie on other pages in each round, which differ by more than a tighter interval.
static SamplingGoal goalOf(const Probe &P, SamplingGoal Goal) {
  static constexpr double FlushedRelative = 0.04;
  if (P.IsFlushed)
    Goal.Relative = std::max(Goal.Relative, FlushedRelative);
  return Goal;
}

ExpectedTime expectedTime(const Probe &P, const SamplingGoal &Goal) {
  // Three times the least number of samples makes most intervals tight. To get and write data from
  // new pages takes a core some second a gigabyte, to go through them a tenth of that.
  const unsigned Streams = P.Code->Reads + P.Code->Writes;
  const double New = 0.5e-9 * double(P.Bytes) * Streams * P.Threads;
  const double Warm = P.warmUp() ? 1e-10 * double(P.Bytes) * Streams : 0;
  // A pass gets some 10 GB/s, and what is flushed before it takes 0.2 ms.
  const double PassS = 1e-10 * double(P.Bytes) * Streams + 1e-7;
  const double FlushS = P.IsFlushed ? std::max(1.0, sampleS(P, Goal) / PassS) * 2e-4 : 0;
  const double Single = sampleS(P, Goal) + 1.5e-4 + Warm + FlushS; // looks at the clock
  return {New + 3 * double(Goal.Least) * Single, Goal.Rounds * (New + 0.01 + Goal.RoundS)};
}

namespace {
/// Samples of one probe.
struct ProbeResult {
  const Probe *Subject;
  SampleSet Samples;
  /// No more samples are needed: an earlier run has left enough, or there is no memory for the
  /// data.
  bool IsDone = false;
  bool isDone(const SamplingGoal &Goal) const {
    return IsDone || Samples.isEnough(goalOf(*Subject, Goal));
  }
};

class Campaign {
public:
  Campaign(const SamplingGoal &Goal, double ClockHz, const CampaignHooks &Hooks)
      : Goal(Goal), ClockHz(ClockHz), Hooks(Hooks) {}
  CampaignResult run(const std::vector<Probe> &Probes,
                     const std::map<std::string, std::vector<double>> &Earlier);

private:
  const SamplingGoal &Goal;
  double ClockHz;
  const CampaignHooks &Hooks;
  CampaignResult Result;

  bool round(std::vector<ProbeResult> &All, unsigned Round);
  bool sample(ProbeResult &Target);
  bool use(ProbeResult &Target, const std::vector<Timing> &Taken, std::uint64_t Iterations);
  void conclude(ProbeResult &From);
};
} // namespace

/// Takes a round's samples. False: the campaign is at its end.
bool Campaign::sample(ProbeResult &Target) {
  const TakeSample Take = Hooks.Open(*Target.Subject);
  if (!Take) {
    Target.IsDone = true;
    return true;
  }
  std::uint64_t &Iterations = (*Hooks.Sizes)[Target.Subject->Name];
  if (!Iterations)
    Iterations = iterationsFor(sampleS(*Target.Subject, Goal), Take);
  const std::vector<Timing> Taken =
      takeRound(Take, Iterations, goalOf(*Target.Subject, Goal), Target.Samples.good(), Hooks.Stop);
  if (Hooks.Stop()) {
    Result.End = CampaignEnd::Stopped;
    return false;
  }
  return use(Target, Taken, Iterations);
}

/// Keeps the good samples, and the disturbed ones that may have to replace missing ones.
bool Campaign::use(ProbeResult &Target, const std::vector<Timing> &Taken,
                   std::uint64_t Iterations) {
  const SampleSet::Added New = Target.Samples.add(Taken, Iterations, Result);
  if (std::abs(New.ClockHz / ClockHz - 1) > MostClockMove)
    Result.OtherClockHz[Target.Subject->Name] = New.ClockHz;
  if (!New.Seconds.empty() && !Hooks.Keep(*Target.Subject, Iterations, New.Seconds)) {
    Result.End = CampaignEnd::Stopped;
    return false;
  }
  if (isTooBusy(Result.Attempts, Result.Useless)) {
    Result.End = CampaignEnd::TooBusy;
    return false;
  }
  return true;
}

bool Campaign::round(std::vector<ProbeResult> &All, unsigned Round) {
  Progress P{.Done = 0, .Index = 0, .Round = Round, .LeftS = 0, .Next = nullptr};
  double LeftS = 0, DoneS = 0, Ratio = 1;
  std::size_t NotTight = 0;
  for (const ProbeResult &Probe : All)
    if (!Probe.isDone(Goal)) {
      ++P.Index;
      LeftS += expectedTime(*Probe.Subject, Goal).LeastS;
    }
  const double Begin = nowS();
  for (ProbeResult &Timed : All) {
    if (Timed.isDone(Goal))
      continue;
    // Probes whose interval is still too wide take another round.
    const double Again = P.Done ? double(NotTight) / double(P.Done) * double(P.Index) : 0;
    P.LeftS = LeftS * Ratio + std::max(0.0, double(Goal.Rounds) - 1 - Round) * Again * Goal.RoundS;
    P.Next = Timed.Subject;
    Hooks.Show(P);
    if (!sample(Timed))
      return false;
    const double Expected = expectedTime(*Timed.Subject, Goal).LeastS;
    LeftS -= Expected;
    DoneS += Expected;
    Ratio = (nowS() - Begin) / DoneS;
    NotTight += !Timed.isDone(Goal);
    ++P.Done;
  }
  return true;
}

void Campaign::conclude(ProbeResult &From) {
  const std::string &Name = From.Subject->Name;
  const std::optional<SampleSet::Found> Found = From.Samples.conclude(Goal);
  if (!Found) {
    Result.Unmeasured.push_back(Name);
    return;
  }
  if (Found->IsDisturbed)
    Result.Disturbed.push_back(Name);
  if (Found->Seconds.relative() > goalOf(*From.Subject, Goal).Relative)
    Result.Wide.push_back(Name);
  Result.Outliers += Found->Seconds.Outliers;
  Result.Probes.push_back({From.Subject, Found->Seconds, Found->ClockHz});
}

CampaignResult Campaign::run(const std::vector<Probe> &Probes,
                             const std::map<std::string, std::vector<double>> &Earlier) {
  std::vector<ProbeResult> All;
  for (const Probe &P : Probes) {
    const auto Found = Earlier.find(P.Name);
    ProbeResult &New = All.emplace_back(ProbeResult{&P, {}, false});
    if (Found != Earlier.end())
      New.Samples = SampleSet(Found->second);
    New.IsDone = New.Samples.good().size() >= Goal.Least;
  }
  unsigned Round = 0;
  for (; Round != Goal.Rounds; ++Round)
    if (!round(All, Round))
      return std::move(Result);
  // On a busy machine some probes have almost no sample at this point; the others have their
  // intervals.
  for (ProbeResult &Timed : All)
    Timed.IsDone = Timed.IsDone || Timed.Samples.conclude(Goal);
  for (; Round != 4 * Goal.Rounds; ++Round)
    if (!round(All, Round))
      return std::move(Result);
  for (ProbeResult &Element : All)
    conclude(Element);
  return std::move(Result);
}

CampaignResult sampleAll(const std::vector<Probe> &Probes,
                         const std::map<std::string, std::vector<double>> &Earlier,
                         const SamplingGoal &Goal, double ClockHz, const CampaignHooks &Hooks) {
  return Campaign(Goal, ClockHz, Hooks).run(Probes, Earlier);
}

} // namespace ergon
