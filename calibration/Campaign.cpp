//===- Campaign.cpp - samples of all probes -------------------------------===//

#include "calibration/Campaign.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergon {

/// Threads that share memory vary in speed, and a sample ends with the slowest of them. Longer
/// samples vary less.
static double sampleS(const Probe &Of, const SamplingGoal &Goal) {
  constexpr double Longer = 4;
  return (Of.Threads > 1 && Of.Level == "dram" ? Longer : 1) * Goal.SampleS;
}

ExpectedTime expectedTime(const Probe &Of, const SamplingGoal &Goal) {
  // Three times the least number of samples makes most intervals tight. To get and write data from
  // new pages takes a core some second a gigabyte, to go through them a tenth of that.
  const unsigned Streams = Of.Of->Reads + Of.Of->Writes;
  const double New = 0.5e-9 * double(Of.Bytes) * Streams * Of.Threads;
  const double Warm = Of.warmUp() ? 1e-10 * double(Of.Bytes) * Streams : 0;
  const double One = sampleS(Of, Goal) + 1.5e-4 + Warm; // looks at the clock
  return {New + 3 * double(Goal.Least) * One, Goal.Rounds * (New + 0.01 + Goal.RoundS)};
}

namespace {
/// Samples of one probe.
struct OfProbe {
  const Probe *Of;
  SampleSet Samples;
  /// No more samples are needed: an earlier run has left enough, or there is no memory for the
  /// data.
  bool IsDone = false;
  bool isDone(const SamplingGoal &Goal) const { return IsDone || Samples.isEnough(Goal); }
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

  bool round(std::vector<OfProbe> &All, unsigned Round);
  bool sample(OfProbe &Into);
  bool use(OfProbe &Into, const std::vector<Timing> &Taken, std::uint64_t Iterations);
  void conclude(OfProbe &From);
};
} // namespace

/// Takes a round's samples. False: the campaign is at its end.
bool Campaign::sample(OfProbe &Into) {
  const TakeSample Take = Hooks.Open(*Into.Of);
  if (!Take) {
    Into.IsDone = true;
    return true;
  }
  std::uint64_t &Iterations = (*Hooks.Sizes)[Into.Of->Name];
  if (!Iterations)
    Iterations = iterationsFor(sampleS(*Into.Of, Goal), Take);
  const std::vector<Timing> Taken =
      takeRound(Take, Iterations, Goal, Into.Samples.good(), Hooks.Stop);
  if (Hooks.Stop()) {
    Result.End = CampaignEnd::Stopped;
    return false;
  }
  return use(Into, Taken, Iterations);
}

/// Keeps the good samples, and the disturbed ones that may have to replace missing ones.
bool Campaign::use(OfProbe &Into, const std::vector<Timing> &Taken, std::uint64_t Iterations) {
  const SampleSet::Added New = Into.Samples.add(Taken, Iterations, Result);
  if (std::abs(New.ClockHz / ClockHz - 1) > MostClockMove)
    Result.OtherClockHz[Into.Of->Name] = New.ClockHz;
  if (!New.Seconds.empty() && !Hooks.Keep(*Into.Of, Iterations, New.Seconds)) {
    Result.End = CampaignEnd::Stopped;
    return false;
  }
  if (isTooBusy(Result.Attempts, Result.Useless)) {
    Result.End = CampaignEnd::TooBusy;
    return false;
  }
  return true;
}

bool Campaign::round(std::vector<OfProbe> &All, unsigned Round) {
  Progress At{.Done = 0, .Of = 0, .Round = Round, .LeftS = 0, .Next = nullptr};
  double LeftS = 0, DoneS = 0, Ratio = 1;
  std::size_t NotTight = 0;
  for (const OfProbe &Each : All)
    if (!Each.isDone(Goal)) {
      ++At.Of;
      LeftS += expectedTime(*Each.Of, Goal).LeastS;
    }
  const double Begin = nowS();
  for (OfProbe &Each : All) {
    if (Each.isDone(Goal))
      continue;
    // Probes whose interval is still too wide take another round.
    const double Again = At.Done ? double(NotTight) / double(At.Done) * double(At.Of) : 0;
    At.LeftS = LeftS * Ratio + std::max(0.0, double(Goal.Rounds) - 1 - Round) * Again * Goal.RoundS;
    At.Next = Each.Of;
    Hooks.Show(At);
    if (!sample(Each))
      return false;
    const double Expected = expectedTime(*Each.Of, Goal).LeastS;
    LeftS -= Expected;
    DoneS += Expected;
    Ratio = (nowS() - Begin) / DoneS;
    NotTight += !Each.isDone(Goal);
    ++At.Done;
  }
  return true;
}

void Campaign::conclude(OfProbe &From) {
  const std::string &Name = From.Of->Name;
  const std::optional<SampleSet::Found> Found = From.Samples.conclude(Goal);
  if (!Found) {
    Result.Unmeasured.push_back(Name);
    return;
  }
  if (Found->IsDisturbed)
    Result.Disturbed.push_back(Name);
  if (Found->Seconds.relative() > Goal.Relative)
    Result.Wide.push_back(Name);
  Result.Outliers += Found->Seconds.Outliers;
  Result.Probes.push_back({From.Of, Found->Seconds});
}

CampaignResult Campaign::run(const std::vector<Probe> &Probes,
                             const std::map<std::string, std::vector<double>> &Earlier) {
  std::vector<OfProbe> All;
  for (const Probe &Each : Probes) {
    const auto Found = Earlier.find(Each.Name);
    OfProbe &New = All.emplace_back(OfProbe{&Each, {}, false});
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
  for (OfProbe &Each : All)
    Each.IsDone = Each.IsDone || Each.Samples.conclude(Goal);
  for (; Round != 4 * Goal.Rounds; ++Round)
    if (!round(All, Round))
      return std::move(Result);
  for (OfProbe &Each : All)
    conclude(Each);
  return std::move(Result);
}

CampaignResult sampleAll(const std::vector<Probe> &Probes,
                         const std::map<std::string, std::vector<double>> &Earlier,
                         const SamplingGoal &Goal, double ClockHz, const CampaignHooks &Hooks) {
  return Campaign(Goal, ClockHz, Hooks).run(Probes, Earlier);
}

} // namespace ergon
