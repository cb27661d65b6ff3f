//===- ClockPlan.cpp - a setting for each part of a program ---------------===//

#include "model/energy/ClockPlan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace ergon {

static constexpr double Infinite = std::numeric_limits<double>::infinity();

static double figureOf(const TimeEnergy &Total, Objective By) {
  return figureOf(Total.EnergyJ, Total.TimeS, figure(By));
}

namespace {
/// A linear figure, and one that decides between what is equal in it.
struct Weights {
  double Time, Energy;
  double of(const TimeEnergy &Cost) const { return Time * Cost.TimeS + Energy * Cost.EnergyJ; }
};

/// A part, with what it costs away from its phase's base setting.
struct Stage {
  const PlanPart *Part;
  bool BeginsPhase; ///< and is not of the first
  bool IsAlone;     ///< in its phase: another base serves as well as going away from one
  TimeEnergy Excursions;

  std::optional<TimeEnergy> away(std::size_t Setting) const {
    const auto &Here = Part->At[Setting];
    return Here && Part->Launches ? std::optional(*Here + Excursions) : std::nullopt;
  }
};

/// For each stage and base setting: the least weighted cost from there to the end.
struct Table {
  std::vector<std::vector<double>> Value; ///< with the base decided
  std::vector<double> Least;              ///< over all bases
  std::vector<std::size_t> LeastBase;
};

class Planner {
public:
  Planner(std::span<const PlanPhase> Phases, const TimeEnergy &Switch);

  /// The plan of the least weighted cost; none where a part can run nowhere.
  std::optional<ClockPlan> linear(Weights By) const;
  /// All corners of the convex hull, from the fastest to the most frugal.
  std::vector<ClockPlan> corners() const;

private:
  std::span<const PlanPhase> Phases;
  TimeEnergy Switch;
  std::vector<Stage> Stages;
  std::size_t NumSettings = 0;

  /// A way to run one stage.
  struct Step {
    std::size_t Base, Setting;
  };
  double weighted(const std::optional<TimeEnergy> &Cost, Weights By) const {
    return Cost ? By.of(*Cost) : Infinite;
  }
  std::size_t bestAway(std::size_t At, Weights By) const;
  Table table(Weights By) const;
  double rest(const Table &Of, std::size_t At, std::size_t Base, Weights By) const;
  ClockPlan build(std::span<const Step> Steps) const;
  void addCorners(const ClockPlan &Fast, const ClockPlan &Frugal,
                  std::vector<ClockPlan> &Into) const;
  friend class LimitedSearch;
};
} // namespace

Planner::Planner(std::span<const PlanPhase> Of, const TimeEnergy &PerSwitch)
    : Phases(Of), Switch(PerSwitch) {
  for (const PlanPhase &Phase : Phases)
    for (const PlanPart &Part : Phase) {
      const bool Begins = &Part == &Phase.front() && &Phase != &Phases.front();
      Stages.push_back({&Part, Begins, Phase.size() == 1, 2 * Part.Launches.value_or(0) * Switch});
      NumSettings = Part.At.size();
    }
}

std::size_t Planner::bestAway(std::size_t At, Weights By) const {
  std::size_t Best = 0;
  double Least = Infinite;
  for (std::size_t S = 0; S != NumSettings; ++S)
    if (double Cost = weighted(Stages[At].away(S), By); Cost < Least) {
      Least = Cost;
      Best = S;
    }
  return Best;
}

double Planner::rest(const Table &Of, std::size_t At, std::size_t Base, Weights By) const {
  if (At == Stages.size())
    return 0;
  const double Stay = Of.Value[At][Base];
  return Stages[At].BeginsPhase ? std::min(Stay, Of.Least[At] + By.of(Switch)) : Stay;
}

Table Planner::table(Weights By) const {
  Table Result;
  Result.Value.assign(Stages.size(), std::vector<double>(NumSettings, Infinite));
  Result.Least.assign(Stages.size(), Infinite);
  Result.LeastBase.assign(Stages.size(), 0);
  for (std::size_t At = Stages.size(); At-- != 0;) {
    const double Away = weighted(Stages[At].away(bestAway(At, By)), By);
    for (std::size_t B = 0; B != NumSettings; ++B) {
      double &Value = Result.Value[At][B];
      Value = std::min(weighted(Stages[At].Part->At[B], By), Away) + rest(Result, At + 1, B, By);
      if (Value < Result.Least[At]) {
        Result.Least[At] = Value;
        Result.LeastBase[At] = B;
      }
    }
  }
  return Result;
}

ClockPlan Planner::build(std::span<const Step> Steps) const {
  ClockPlan Result;
  std::size_t At = 0;
  for (const PlanPhase &Phase : Phases) {
    Result.Bases.push_back(Steps[At].Base);
    auto &Settings = Result.Settings.emplace_back();
    if (Stages[At].BeginsPhase && Steps[At].Base != Steps[At - 1].Base) {
      Result.Total += Switch;
      Result.Switches += 1;
    }
    for (std::size_t Part = 0; Part != Phase.size(); ++Part, ++At) {
      const bool IsAway = Steps[At].Setting != Steps[At].Base;
      Settings.push_back(Steps[At].Setting);
      Result.Total +=
          IsAway ? *Stages[At].away(Steps[At].Setting) : *Stages[At].Part->At[Steps[At].Setting];
      Result.Switches += IsAway ? 2 * *Stages[At].Part->Launches : 0;
    }
  }
  return Result;
}

std::optional<ClockPlan> Planner::linear(Weights By) const {
  const Table Costs = table(By);
  if (std::isinf(Costs.Least[0]))
    return std::nullopt;
  std::vector<Step> Steps;
  std::size_t Base = Costs.LeastBase[0];
  for (std::size_t At = 0; At != Stages.size(); ++At) {
    if (Stages[At].BeginsPhase && Costs.Least[At] + By.of(Switch) < Costs.Value[At][Base])
      Base = Costs.LeastBase[At];
    const std::size_t Away = bestAway(At, By);
    const bool Stays =
        weighted(Stages[At].Part->At[Base], By) <= weighted(Stages[At].away(Away), By);
    Steps.push_back({Base, Stays ? Base : Away});
  }
  return build(Steps);
}

void Planner::addCorners(const ClockPlan &Fast, const ClockPlan &Frugal,
                         std::vector<ClockPlan> &Into) const {
  // The weights in which both are equal; a plan below their line is another corner.
  const Weights Line{Fast.Total.EnergyJ - Frugal.Total.EnergyJ,
                     Frugal.Total.TimeS - Fast.Total.TimeS};
  if (!(Line.Time > 0) || !(Line.Energy > 0))
    return;
  const std::optional<ClockPlan> Between = linear(Line);
  constexpr double Rounding = 1e-12;
  if (!Between || !(Line.of(Between->Total) < Line.of(Fast.Total) * (1 - Rounding)))
    return;
  addCorners(Fast, *Between, Into);
  Into.push_back(*Between);
  addCorners(*Between, Frugal, Into);
}

std::vector<ClockPlan> Planner::corners() const {
  // A trace of the other weight decides between plans that are equal in one.
  constexpr double Trace = 1e-9;
  const auto Fast = linear({1, 0}), Frugal = linear({0, 1});
  if (!Fast || !Frugal)
    return {};
  const double Joules = Frugal->Total.EnergyJ, Seconds = Fast->Total.TimeS;
  if (Joules <= 0 || Seconds <= 0)
    return {*Fast, *Frugal};
  const auto First = linear({1 / Seconds, Trace / Joules}),
             Last = linear({Trace / Seconds, 1 / Joules});
  std::vector<ClockPlan> Result{*First};
  addCorners(*First, *Last, Result);
  Result.push_back(*Last);
  return Result;
}

namespace {
/// Extends partial plans stage by stage. Kept are those of which no other with the same
/// base is better in both time and energy, and that may still end below what is known.
class LimitedSearch {
public:
  LimitedSearch(const Planner &P, double MaxTimeS, Objective By,
                std::span<const ClockPlan> Corners);
  std::optional<ClockPlan> run();

private:
  struct Label {
    TimeEnergy Spent;
    Planner::Step How;
    std::size_t Before; ///< index in the labels of the stage before
  };
  const Planner &P;
  double MaxTimeS;
  Figure Of;
  std::optional<ClockPlan> Best;
  double BestFigure = Infinite;
  std::vector<std::pair<Weights, Table>> Bounds;
  std::vector<std::vector<Label>> Labels;
  std::size_t Steps = 0;
  static constexpr std::size_t MostSteps = 10'000'000; // about half a second

  double bound(const TimeEnergy &Spent, std::size_t Next, std::size_t Base) const;
  void extend(std::size_t At, const Label *From, std::size_t Index, std::vector<Label> &Into);
  void prune(std::vector<Label> &Of) const;
  void pruneAcrossBases(std::vector<Label> &Of) const;
};
} // namespace

LimitedSearch::LimitedSearch(const Planner &Of_, double Max, Objective By,
                             std::span<const ClockPlan> Corners)
    : P(Of_), MaxTimeS(Max), Of(figure(By)) {
  const ClockPlan *Before = nullptr;
  std::vector<Weights> Lines{{1, 0}, {0, 1}};
  for (const ClockPlan &Each : Corners) {
    if (isWithin(Each.Total.TimeS, MaxTimeS)) {
      if (double Value = figureOf(Each.Total.EnergyJ, Each.Total.TimeS, Of); Value < BestFigure) {
        Best = Each;
        BestFigure = Value;
      }
    } else if (Before &&
               isWithin(Before->Total.TimeS, MaxTimeS)) { // the edge that crosses the limit
      Lines.push_back(
          {Before->Total.EnergyJ - Each.Total.EnergyJ, Each.Total.TimeS - Before->Total.TimeS});
    }
    Before = &Each;
  }
  for (const Weights &Line : Lines)
    Bounds.emplace_back(Line, P.table(Line));
}

/// No figure below this can come of a partial plan; infinite where it must exceed the limit.
double LimitedSearch::bound(const TimeEnergy &Spent, std::size_t Next, std::size_t Base) const {
  auto Total = [&](const std::pair<Weights, Table> &Each) {
    return Each.first.of(Spent) + P.rest(Each.second, Next, Base, Each.first);
  };
  const double LeastTimeS = Total(Bounds[0]);
  if (!isWithin(LeastTimeS, MaxTimeS))
    return Infinite;
  double Result = figureOf(Total(Bounds[1]), LeastTimeS, Of);
  for (const auto &Each : std::span(Bounds).subspan(2)) {
    // Along a line of equal weighted cost the figure is least at an end.
    auto At = [&](double TimeS) {
      const double EnergyJ = (Total(Each) - Each.first.Time * TimeS) / Each.first.Energy;
      return figureOf(std::max(0.0, EnergyJ), TimeS, Of);
    };
    Result = std::max(Result, std::min(At(LeastTimeS), At(MaxTimeS)));
  }
  return Result;
}

void LimitedSearch::extend(std::size_t At, const Label *From, std::size_t Index,
                           std::vector<Label> &Into) {
  const Stage &Here = P.Stages[At];
  auto Add = [&](const TimeEnergy &Spent, std::size_t Base, std::size_t Setting,
                 const std::optional<TimeEnergy> &Cost) {
    if (!Cost)
      return;
    const TimeEnergy Sum = Spent + *Cost;
    if (bound(Sum, At + 1, Base) < BestFigure)
      Into.push_back({Sum, {Base, Setting}, Index});
  };
  for (std::size_t Base = 0; Base != P.NumSettings; ++Base) {
    if (From && !Here.BeginsPhase && Base != From->How.Base)
      continue;
    TimeEnergy Spent = From ? From->Spent : TimeEnergy{};
    if (From && Base != From->How.Base)
      Spent += P.Switch;
    ++Steps;
    if (bound(Spent, At, Base) >= BestFigure)
      continue;
    Add(Spent, Base, Base, Here.Part->At[Base]);
    if (Here.IsAlone)
      continue;
    Steps += P.NumSettings;
    for (std::size_t S = 0; S != P.NumSettings; ++S)
      if (S != Base)
        Add(Spent, Base, S, Here.away(S));
  }
}

void LimitedSearch::prune(std::vector<Label> &All) const {
  std::ranges::sort(All, {}, [](const Label &Each) {
    return std::tuple(Each.How.Base, Each.Spent.TimeS, Each.Spent.EnergyJ);
  });
  double LeastJ = Infinite;
  std::size_t Base = P.NumSettings;
  std::erase_if(All, [&](const Label &Each) {
    if (Each.How.Base != Base) {
      Base = Each.How.Base;
      LeastJ = Infinite;
    }
    if (Each.Spent.EnergyJ >= LeastJ)
      return true;
    LeastJ = Each.Spent.EnergyJ;
    return false;
  });
}

/// Between phases a partial plan is worse than another that is better by a switch.
void LimitedSearch::pruneAcrossBases(std::vector<Label> &All) const {
  std::ranges::sort(All, {}, [](const Label &Each) { return Each.Spent.TimeS; });
  double LeastJ = Infinite;
  std::size_t Behind = 0;
  std::vector<Label> Kept;
  for (const Label &Each : All) {
    for (; All[Behind].Spent.TimeS + P.Switch.TimeS < Each.Spent.TimeS; ++Behind)
      LeastJ = std::min(LeastJ, All[Behind].Spent.EnergyJ);
    if (LeastJ + P.Switch.EnergyJ >= Each.Spent.EnergyJ)
      Kept.push_back(Each);
  }
  All = std::move(Kept);
}

std::optional<ClockPlan> LimitedSearch::run() {
  double LeastBound = Infinite;
  for (std::size_t B = 0; B != P.NumSettings; ++B)
    LeastBound = std::min(LeastBound, bound({}, 0, B));
  for (std::size_t At = 0; At != P.Stages.size(); ++At) {
    std::vector<Label> Next;
    if (At == 0)
      extend(At, nullptr, 0, Next);
    for (std::size_t I = 0; At != 0 && I != Labels[At - 1].size() && Steps <= MostSteps; ++I)
      extend(At, &Labels[At - 1][I], I, Next);
    prune(Next);
    if (At + 1 != P.Stages.size() && P.Stages[At + 1].BeginsPhase)
      pruneAcrossBases(Next);
    if (Steps > MostSteps) { // what is known must do
      if (Best)
        Best->Gap = 1 - LeastBound / BestFigure;
      return Best;
    }
    Labels.push_back(std::move(Next));
  }
  const Label *End = nullptr;
  for (const Label &Each : Labels.back())
    if (double Value = figureOf(Each.Spent.EnergyJ, Each.Spent.TimeS, Of);
        Value < BestFigure && isWithin(Each.Spent.TimeS, MaxTimeS)) {
      BestFigure = Value;
      End = &Each;
    }
  if (!End)
    return Best;
  std::vector<Planner::Step> Steps(P.Stages.size());
  for (std::size_t At = P.Stages.size(); At-- != 0;) {
    Steps[At] = End->How;
    if (At != 0)
      End = &Labels[At - 1][End->Before];
  }
  return P.build(Steps);
}

std::optional<ClockPlan> planClocks(std::span<const PlanPhase> Phases, const TimeEnergy &Switch,
                                    Objective By, std::optional<double> MaxTimeS) {
  const Planner P(Phases, Switch);
  const std::vector<ClockPlan> Corners = P.corners();
  if (Corners.empty())
    return std::nullopt;
  auto Best = std::ranges::min_element(
      Corners, {}, [&](const ClockPlan &Each) { return figureOf(Each.Total, By); });
  if (!MaxTimeS || isWithin(Best->Total.TimeS, *MaxTimeS))
    return *Best;
  return LimitedSearch(P, *MaxTimeS, By, Corners).run();
}

std::optional<ClockPlan> planFreely(std::span<const PlanPhase> Phases, Objective By,
                                    std::optional<double> MaxTimeS) {
  const auto Whole = planOneSetting(Phases, By, MaxTimeS);
  constexpr double Trace = 1e-9; // decides for few switches, and for nothing else
  return Whole ? planClocks(Phases, Trace * Whole->Total, By, MaxTimeS) : std::nullopt;
}

std::optional<ClockPlan> planOneSetting(std::span<const PlanPhase> Phases, Objective By,
                                        std::optional<double> MaxTimeS) {
  std::optional<ClockPlan> Best;
  for (std::size_t S = 0; S != Phases.front().front().At.size(); ++S) {
    ClockPlan Next;
    bool Runs = true;
    for (const PlanPhase &Phase : Phases) {
      Next.Bases.push_back(S);
      Next.Settings.emplace_back(Phase.size(), S);
      for (const PlanPart &Part : Phase) {
        Runs &= Part.At[S].has_value();
        Next.Total += Part.At[S].value_or(TimeEnergy{});
      }
    }
    if (Runs && (!MaxTimeS || isWithin(Next.Total.TimeS, *MaxTimeS)) &&
        (!Best || figureOf(Next.Total, By) < figureOf(Best->Total, By)))
      Best = std::move(Next);
  }
  return Best;
}

double breakEvenSwitch(const ClockPlan &Split, const ClockPlan &Whole, Objective By) {
  if (Split.Switches == 0)
    return Infinite;
  if (By == Objective::Energy)
    return (Whole.Total.EnergyJ - Split.Total.EnergyJ) / Split.Switches;
  // With power P while switching, P^a·(T + n·t)^(a+b) is Whole's E^a·T^b.
  const Figure Of = figure(By);
  const double PowerW = Split.Total.EnergyJ / Split.Total.TimeS;
  const double LimitS = std::pow(figureOf(Whole.Total, By) / figureOf(PowerW, 1, {Of.Energy, 0}),
                                 1.0 / (Of.Energy + Of.Time));
  return (LimitS - Split.Total.TimeS) / Split.Switches;
}

} // namespace ergon
