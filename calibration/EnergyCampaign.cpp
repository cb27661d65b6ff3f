//===- EnergyCampaign.cpp - what classes cost in joules -------------------===//

#include "calibration/EnergyCampaign.h"
#include "model/fit/SampleChecks.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string_view>

namespace ergon {

static bool isOneOf(const auto &List, std::string_view Name) {
  return std::ranges::find(List, Name) != std::ranges::end(List);
}

EnergyGoal energyGoal(double MeterPeriodS, bool IsQuick) {
  EnergyGoal Result;
  Result.SampleS = std::max(Result.SampleS, 50 * MeterPeriodS);
  if (IsQuick) {
    Result.Relative = 0.05;
    Result.Least = 4;
    Result.Most = 6;
  }
  Result.RoundS = 2 * double(Result.Least) * Result.SampleS;
  return Result;
}

std::vector<std::string> pricedClasses() {
  return {"flops_f32", "flops_f64", "int_ops", "bytes_l1", "bytes_l2", "bytes_l3", "bytes_dram"};
}

std::vector<Probe> energyProbes(const std::vector<Probe> &All) {
  // Divisions, roots and calls do work that no class counts, and chains mostly wait.
  static constexpr std::string_view Wanted[] = {"add",      "mul",       "fma",       "load",
                                                "store",    "copy",      "update",    "triad",
                                                "load_add", "load_add2", "load_add4", "load_add16"};
  unsigned Threads = 1;
  for (const Probe &P : All)
    Threads = std::max(Threads, P.Threads);
  std::map<std::string_view, unsigned> Widest;
  for (const Probe &Element : All) {
    unsigned &Bits = Widest[Element.Code->Operation];
    Bits = std::max(Bits, Element.Code->Bits);
  }
  std::vector<Probe> Result;
  for (const Probe &Entry : All) {
    const Kernel &K = *Entry.Code;
    const bool IsInteger = K.Type == ElementType::I32 || K.Type == ElementType::I64;
    const bool Counts =
        isOneOf(Wanted, K.Operation) && !(IsInteger && std::string_view(K.Operation) == "mul");
    if (Counts && !K.InChain && !Entry.IsFlushed &&
        (Entry.Threads == Threads || K.Bits == Widest[K.Operation]))
      Result.push_back(Entry);
  }
  return Result;
}

namespace {
class Energies {
public:
  Energies(const EnergyGoal &Goal, unsigned LineBytes, const EnergyHooks &Hooks)
      : Goal(Goal), LineBytes(LineBytes), Hooks(Hooks) {}
  bool sample(const Probe &P);
  EnergyResult Result;

private:
  const EnergyGoal &Goal;
  unsigned LineBytes;
  const EnergyHooks &Hooks;

  bool keep(const Probe &P, std::uint64_t Iterations, const std::vector<EnergySample> &Taken);
};
} // namespace

static Classification classify(const std::vector<EnergySample> &EnergySamples) {
  std::vector<Timing> Times;
  for (const EnergySample &Sample : EnergySamples)
    Times.push_back(Sample.Time);
  return classify(Times);
}

/// Joules of the samples that are good.
static std::vector<double> goodJoules(const std::vector<EnergySample> &EnergySamples) {
  const Classification C = classify(EnergySamples);
  std::vector<double> Result;
  for (std::size_t K = 0; K != EnergySamples.size(); ++K)
    if (C.Verdicts[K] == Verdict::Good)
      Result.push_back(*EnergySamples[K].Joules);
  return Result;
}

/// False: the campaign is at its end.
bool Energies::sample(const Probe &P) {
  const TakeEnergy Take = Hooks.Open(P);
  if (!Take) {
    Result.Unmeasured.push_back(P.Name);
    return true;
  }
  std::uint64_t &Iterations = (*Hooks.Sizes)[P.Name];
  if (!Iterations)
    Iterations = iterationsFor(Goal.SampleS, [&](std::uint64_t N) { return Take(N).Time; });
  const double End = nowS() + Goal.RoundS;
  std::vector<EnergySample> Taken;
  auto Enough = [&] {
    const std::vector<double> Good = goodJoules(Taken);
    return Good.size() >= Goal.Most ||
           (Good.size() >= Goal.Least && medianInterval(Good).relative() <= Goal.Relative);
  };
  do {
    Taken.push_back(Take(Iterations));
    if (!Taken.back().Joules) {
      Result.MeterEnded = true;
      return false;
    }
  } while (!Hooks.Stop() && !Enough() && Taken.size() != 2 * Goal.Most && nowS() < End);
  if (Hooks.Stop()) {
    Result.End = CampaignEnd::Stopped;
    return false;
  }
  return keep(P, Iterations, Taken);
}

bool Energies::keep(const Probe &P, std::uint64_t Iterations,
                    const std::vector<EnergySample> &Taken) {
  const Classification C = classify(Taken);
  auto Counts = P.counts(Iterations, LineBytes);
  std::erase_if(Counts, [Priced = pricedClasses()](const auto &Item) {
    return !isOneOf(Priced, Item.first);
  });
  Result.Attempts += Taken.size();
  // A sample during which the counter did not move has no energy. Good samples come first, then the
  // least disturbed ones, as many as are needed.
  std::vector<std::pair<double, std::size_t>> Usable;
  std::size_t NumGood = 0;
  for (std::size_t K = 0; K != Taken.size(); ++K) {
    const double Disturbed = disturbance(Taken[K].Time, C.ClockHz);
    const bool IsGood = C.Verdicts[K] == Verdict::Good;
    Result.add(C.Verdicts[K]);
    Result.Useless += Disturbed > MostDisturbance;
    if (*Taken[K].Joules <= 0 || Disturbed > MostDisturbance)
      continue;
    NumGood += IsGood;
    Usable.emplace_back(IsGood ? -1 : Disturbed, K);
  }
  std::ranges::sort(Usable);
  Usable.resize(std::min(Usable.size(), std::max(NumGood, Goal.Least)));
  if (isTooBusy(Result.Attempts, Result.Useless)) {
    Result.End = CampaignEnd::TooBusy;
    return false;
  }
  if (Usable.size() < Goal.Least) {
    Result.Unmeasured.push_back(P.Name);
    return true;
  }
  std::vector<double> Joules;
  for (const auto &[Disturbed, K] : Usable) {
    Joules.push_back(*Taken[K].Joules);
    const EnergyRow &New = Result.Rows.emplace_back(
        EnergyRow{P.Name, Taken[K].Time.Seconds, Joules.back(), Counts, 0});
    if (!Hooks.Keep(New)) {
      Result.End = CampaignEnd::Stopped;
      return false;
    }
  }
  if (NumGood < Goal.Least)
    Result.Disturbed.push_back(P.Name);
  if (medianInterval(Joules).relative() > Goal.Relative)
    Result.Wide.push_back(P.Name);
  return true;
}

EnergyResult sampleEnergies(const std::vector<Probe> &Probes, std::vector<EnergyRow> Earlier,
                            const EnergyGoal &Goal, unsigned LineBytes, const EnergyHooks &Hooks) {
  Energies Take(Goal, LineBytes, Hooks);
  std::map<std::string, std::size_t> Indexes;
  for (const EnergyRow &Row : Earlier)
    ++Indexes[Row.Workload];
  Take.Result.Rows = std::move(Earlier);
  Progress P;
  P.Index = Probes.size();
  const double Begin = nowS();
  std::size_t Sampled = 0;
  for (const Probe &Element : Probes) {
    const double SpentS = nowS() - Begin;
    P.LeftS = double(P.Index - P.Done) * (Sampled ? SpentS / double(Sampled) : Goal.RoundS / 2);
    P.Next = &Element;
    Hooks.Show(P);
    ++P.Done;
    if (Indexes[Element.Name] >= Goal.Least)
      continue;
    ++Sampled;
    if (!Take.sample(Element))
      break;
  }
  return std::move(Take.Result);
}

std::expected<EnergyFit, Error> fitEnergies(const std::vector<EnergyRow> &Rows) {
  if (Rows.empty())
    return std::unexpected(
        Error{"of no probe there are enough samples with little else on the processor"});
  Samples Table;
  for (const std::string &Class : pricedClasses())
    if (std::ranges::any_of(Rows, [&](const EnergyRow &Row) { return Row.Counts.contains(Class); }))
      Table.Classes.push_back(Class);
  for (const EnergyRow &ER : Rows) {
    Sample &New = Table.Rows.emplace_back();
    New.Workload = ER.Workload;
    New.Clocks.CoreMhz = ER.CoreMhz;
    New.TimeS = ER.Seconds;
    New.EnergyJ = ER.Joules;
    for (const std::string &Class : Table.Classes) {
      const auto Found = ER.Counts.find(Class);
      New.Counts.emplace_back(Found == ER.Counts.end() ? 0 : Found->second);
    }
  }
  const SampleReport Report = checkSamples(Table);
  for (const SampleFinding &Finding : Report.Findings)
    if (Finding.Level == Severity::Error)
      return std::unexpected(Error{Finding.Text});
  EnergyFitOptions How;
  How.Together = Report.Proportional;
  How.Published = false;
  How.PricesAlone = true;
  return fitEnergy(Table, How);
}

void fillMachine(Machine &M, const EnergyFit &Fit, const std::string &Source) {
  M.Power.Energies = Fit.Fitted.Power.Energies;
  M.Power.Constant = Fit.Fitted.Power.Constant;
  M.Power.CoreLaw = Fit.Fitted.Power.CoreLaw;
  if (M.Settings.size() < 2) { // one clock shows no scaling
    M.Power.CoreLaw.reset();
    for (auto &[Class, Cost] : M.Power.Energies)
      Cost.Rail.reset();
  }
  if (M.Power.CoreLaw)
    M.Power.CoreLaw->FlatToMhz.Source = M.Power.CoreLaw->RisePerMhz.Source = Source;
  for (auto &[Class, Cost] : M.Power.Energies)
    Cost.Coefficient.Source = Source;
  for (std::optional<Quantity> *Q :
       {&M.Power.Constant.MiscW, &M.Power.Constant.CoreWPerV, &M.Power.Constant.MemWPerV,
        &M.Power.Constant.CoreWPerMhzV2, &M.Power.Constant.MemWPerMhz})
    if (*Q)
      (*Q)->Source = Source;
  // A byte that memory serves is counted at each level that it passes.
  M.Power.BytesPaid = ByteEnergy::AtEachLevel;
  M.Power.BytesPaidSource = Source;
  FitQuality &Result = M.Fit.Quality ? *M.Fit.Quality : M.Fit.Quality.emplace();
  const FitQuality &From = *Fit.Fitted.Fit.Quality;
  if (From.EnergyError)
    Result.EnergyError = {From.EnergyError->Value, Source};
  if (!From.JointCovariance)
    return;
  if (!Result.JointCovariance)
    Result.JointCovariance.emplace().Source = Source;
  Result.JointCovariance->append(From.JointCovariance->Coefficients,
                                 From.JointCovariance->Relative);
}

WarmUp warmUp(const std::function<double()> &Block, unsigned Most) {
  constexpr std::size_t Alike = 4;
  std::deque<double> Last;
  WarmUp Result;
  while (Result.Blocks != Most && !Result.IsSteady) {
    Last.push_back(Block());
    ++Result.Blocks;
    if (Last.size() > Alike)
      Last.pop_front();
    const auto [Least, Greatest] = std::ranges::minmax(Last);
    Result.IsSteady = Last.size() == Alike && Greatest <= 1.01 * Least;
  }
  return Result;
}

} // namespace ergon
