//===- ClockPlan.cpp - a setting for each part of a program ---------------===//

#include "model/energy/ClockPlan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace ergon {

static constexpr double Infinite = std::numeric_limits<double>::infinity();

static double figureOf(const TimeEnergy &Total, Objective Goal) {
  return figureOf(Total.EnergyJ, Total.TimeS, figure(Goal));
}

namespace {
/// Weights of a linear figure, and of one that breaks ties.
struct Weights {
  double Time, Energy;
  double of(const TimeEnergy &Cost) const { return Time * Cost.TimeS + Energy * Cost.EnergyJ; }
};

/// A part, with its cost away from its phase's base setting.
struct Stage {
  const PlanPart *Part;
  bool BeginsPhase; ///< other than the first phase
  bool IsAlone;     ///< alone in its phase: a base change replaces a switch away from it
  TimeEnergy Excursions;

  std::optional<TimeEnergy> away(std::size_t Setting) const {
    const auto &StageCost = Part->CostAtSetting[Setting];
    return StageCost && Part->Launches ? std::optional(*StageCost + Excursions) : std::nullopt;
  }
};

/// For each stage and base setting: the least weighted cost from there to the end.
struct Table {
  std::vector<std::vector<double>> BestCost; ///< for a given base
  std::vector<double> Least;                 ///< over all bases
  std::vector<std::size_t> LeastBase;
};

class Planner {
public:
  Planner(std::span<const PlanPhase> Phases, const TimeEnergy &Switch);

  /// The plan with the least weighted cost; nothing where a part can run nowhere.
  std::optional<ClockPlan> linear(Weights W) const;
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
  double weighted(const std::optional<TimeEnergy> &Cost, Weights W) const {
    return Cost ? W.of(*Cost) : Infinite;
  }
  std::size_t bestAway(std::size_t Position, Weights W) const;
  Table table(Weights W) const;
  double rest(const Table &T, std::size_t Position, std::size_t Base, Weights W) const;
  ClockPlan build(std::span<const Step> Steps) const;
  void addCorners(const ClockPlan &Fast, const ClockPlan &Frugal,
                  std::vector<ClockPlan> &Result) const;
  friend class LimitedSearch;
};
} // namespace

Planner::Planner(std::span<const PlanPhase> Phases, const TimeEnergy &Switch)
    : Phases(Phases), Switch(Switch) {
  for (const PlanPhase &Phase : Phases)
    for (const PlanPart &Part : Phase) {
      const bool Begins = &Part == &Phase.front() && &Phase != &Phases.front();
      Stages.push_back({&Part, Begins, Phase.size() == 1, 2 * Part.Launches.value_or(0) * Switch});
      NumSettings = Part.CostAtSetting.size();
    }
}

std::size_t Planner::bestAway(std::size_t Position, Weights W) const {
  std::size_t Best = 0;
  double Least = Infinite;
  for (std::size_t S = 0; S != NumSettings; ++S)
    if (double Cost = weighted(Stages[Position].away(S), W); Cost < Least) {
      Least = Cost;
      Best = S;
    }
  return Best;
}

double Planner::rest(const Table &T, std::size_t Position, std::size_t Base, Weights W) const {
  if (Position == Stages.size())
    return 0;
  const double Stay = T.BestCost[Position][Base];
  return Stages[Position].BeginsPhase ? std::min(Stay, T.Least[Position] + W.of(Switch)) : Stay;
}

Table Planner::table(Weights W) const {
  Table Result;
  Result.BestCost.assign(Stages.size(), std::vector<double>(NumSettings, Infinite));
  Result.Least.assign(Stages.size(), Infinite);
  Result.LeastBase.assign(Stages.size(), 0);
  for (std::size_t Position = Stages.size(); Position-- != 0;) {
    const double Away = weighted(Stages[Position].away(bestAway(Position, W)), W);
    for (std::size_t B = 0; B != NumSettings; ++B) {
      double &Value = Result.BestCost[Position][B];
      Value = std::min(weighted(Stages[Position].Part->CostAtSetting[B], W), Away) +
              rest(Result, Position + 1, B, W);
      if (Value < Result.Least[Position]) {
        Result.Least[Position] = Value;
        Result.LeastBase[Position] = B;
      }
    }
  }
  return Result;
}

ClockPlan Planner::build(std::span<const Step> Steps) const {
  ClockPlan Result;
  std::size_t Position = 0;
  for (const PlanPhase &Phase : Phases) {
    Result.Bases.push_back(Steps[Position].Base);
    auto &Settings = Result.Settings.emplace_back();
    if (Stages[Position].BeginsPhase && Steps[Position].Base != Steps[Position - 1].Base) {
      Result.Total += Switch;
      Result.Switches += 1;
    }
    for (std::size_t Part = 0; Part != Phase.size(); ++Part, ++Position) {
      const bool IsAway = Steps[Position].Setting != Steps[Position].Base;
      Settings.push_back(Steps[Position].Setting);
      Result.Total += IsAway ? *Stages[Position].away(Steps[Position].Setting)
                             : *Stages[Position].Part->CostAtSetting[Steps[Position].Setting];
      Result.Switches += IsAway ? 2 * *Stages[Position].Part->Launches : 0;
    }
  }
  return Result;
}

std::optional<ClockPlan> Planner::linear(Weights W) const {
  const Table Costs = table(W);
  if (std::isinf(Costs.Least[0]))
    return std::nullopt;
  std::vector<Step> Steps;
  std::size_t Base = Costs.LeastBase[0];
  for (std::size_t Position = 0; Position != Stages.size(); ++Position) {
    if (Stages[Position].BeginsPhase &&
        Costs.Least[Position] + W.of(Switch) < Costs.BestCost[Position][Base])
      Base = Costs.LeastBase[Position];
    const std::size_t Away = bestAway(Position, W);
    const bool Stays = weighted(Stages[Position].Part->CostAtSetting[Base], W) <=
                       weighted(Stages[Position].away(Away), W);
    Steps.push_back({Base, Stays ? Base : Away});
  }
  return build(Steps);
}

void Planner::addCorners(const ClockPlan &Fast, const ClockPlan &Frugal,
                         std::vector<ClockPlan> &Result) const {
  // The weights that make both equal; a plan below their line is another corner.
  const Weights Line{Fast.Total.EnergyJ - Frugal.Total.EnergyJ,
                     Frugal.Total.TimeS - Fast.Total.TimeS};
  if (!(Line.Time > 0) || !(Line.Energy > 0))
    return;
  const std::optional<ClockPlan> Plan = linear(Line);
  constexpr double Rounding = 1e-12;
  if (!Plan || !(Line.of(Plan->Total) < Line.of(Fast.Total) * (1 - Rounding)))
    return;
  addCorners(Fast, *Plan, Result);
  Result.push_back(*Plan);
  addCorners(*Plan, Frugal, Result);
}

std::vector<ClockPlan> Planner::corners() const {
  // A small share of the other weight breaks ties.
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
/// Extends partial plans stage by stage. Keeps those that are not dominated in time and energy by
/// another with the same base, and that may still beat the best known.
class LimitedSearch {
public:
  LimitedSearch(const Planner &P, double MaxTimeS, Objective Goal,
                std::span<const ClockPlan> Corners);
  std::optional<ClockPlan> run();

private:
  struct Label {
    TimeEnergy Spent;
    Planner::Step How;
    std::size_t Before; ///< index in the labels of the previous stage
  };
  const Planner &P;
  double MaxTimeS;
  Figure Minimized;
  std::optional<ClockPlan> Best;
  double BestFigure = Infinite;
  std::vector<std::pair<Weights, Table>> Bounds;
  std::vector<std::vector<Label>> Labels;
  std::size_t Steps = 0;
  static constexpr std::size_t MostSteps = 10'000'000; // about half a second

  double bound(const TimeEnergy &Spent, std::size_t Next, std::size_t Base) const;
  void extend(std::size_t Position, const Label *From, std::size_t Index,
              std::vector<Label> &Result);
  void prune(std::vector<Label> &Labels) const;
  void pruneAcrossBases(std::vector<Label> &Labels) const;
};
} // namespace

LimitedSearch::LimitedSearch(const Planner &P, double MaxTimeS, Objective Goal,
                             std::span<const ClockPlan> Corners)
    : P(P), MaxTimeS(MaxTimeS), Minimized(figure(Goal)) {
  const ClockPlan *Before = nullptr;
  std::vector<Weights> Lines{{1, 0}, {0, 1}};
  for (const ClockPlan &Corner : Corners) {
    if (isWithin(Corner.Total.TimeS, MaxTimeS)) {
      if (double Value = figureOf(Corner.Total.EnergyJ, Corner.Total.TimeS, Minimized);
          Value < BestFigure) {
        Best = Corner;
        BestFigure = Value;
      }
    } else if (Before &&
               isWithin(Before->Total.TimeS, MaxTimeS)) { // the edge that crosses the limit
      Lines.push_back(
          {Before->Total.EnergyJ - Corner.Total.EnergyJ, Corner.Total.TimeS - Before->Total.TimeS});
    }
    Before = &Corner;
  }
  for (const Weights &Line : Lines)
    Bounds.emplace_back(Line, P.table(Line));
}

/// A lower bound of the figure of a partial plan; infinite where it must exceed the limit.
double LimitedSearch::bound(const TimeEnergy &Spent, std::size_t Next, std::size_t Base) const {
  auto Total = [&](const std::pair<Weights, Table> &Entry) {
    return Entry.first.of(Spent) + P.rest(Entry.second, Next, Base, Entry.first);
  };
  const double LeastTimeS = Total(Bounds[0]);
  if (!isWithin(LeastTimeS, MaxTimeS))
    return Infinite;
  double Result = figureOf(Total(Bounds[1]), LeastTimeS, Minimized);
  for (const auto &E : std::span(Bounds).subspan(2)) {
    // The figure is minimal at an end of a line of equal weighted cost.
    auto CostAt = [&](double TimeS) {
      const double EnergyJ = (Total(E) - E.first.Time * TimeS) / E.first.Energy;
      return figureOf(std::max(0.0, EnergyJ), TimeS, Minimized);
    };
    Result = std::max(Result, std::min(CostAt(LeastTimeS), CostAt(MaxTimeS)));
  }
  return Result;
}

void LimitedSearch::extend(std::size_t Position, const Label *From, std::size_t Index,
                           std::vector<Label> &Result) {
  const Stage &Current = P.Stages[Position];
  auto Add = [&](const TimeEnergy &Spent, std::size_t Base, std::size_t Setting,
                 const std::optional<TimeEnergy> &Cost) {
    if (!Cost)
      return;
    const TimeEnergy Sum = Spent + *Cost;
    if (bound(Sum, Position + 1, Base) < BestFigure)
      Result.push_back({Sum, {Base, Setting}, Index});
  };
  for (std::size_t Base = 0; Base != P.NumSettings; ++Base) {
    if (From && !Current.BeginsPhase && Base != From->How.Base)
      continue;
    TimeEnergy Spent = From ? From->Spent : TimeEnergy{};
    if (From && Base != From->How.Base)
      Spent += P.Switch;
    ++Steps;
    if (bound(Spent, Position, Base) >= BestFigure)
      continue;
    Add(Spent, Base, Base, Current.Part->CostAtSetting[Base]);
    if (Current.IsAlone)
      continue;
    Steps += P.NumSettings;
    for (std::size_t S = 0; S != P.NumSettings; ++S)
      if (S != Base)
        Add(Spent, Base, S, Current.away(S));
  }
}

void LimitedSearch::prune(std::vector<Label> &Labels) const {
  std::ranges::sort(Labels, {}, [](const Label &L) {
    return std::tuple(L.How.Base, L.Spent.TimeS, L.Spent.EnergyJ);
  });
  double LeastJ = Infinite;
  std::size_t Base = P.NumSettings;
  std::erase_if(Labels, [&](const Label &Candidate) {
    if (Candidate.How.Base != Base) {
      Base = Candidate.How.Base;
      LeastJ = Infinite;
    }
    if (Candidate.Spent.EnergyJ >= LeastJ)
      return true;
    LeastJ = Candidate.Spent.EnergyJ;
    return false;
  });
}

/// Between phases a partial plan is dominated by another that is better by a switch.
void LimitedSearch::pruneAcrossBases(std::vector<Label> &Labels) const {
  std::ranges::sort(Labels, {}, [](const Label &L) { return L.Spent.TimeS; });
  double LeastJ = Infinite;
  std::size_t Behind = 0;
  std::vector<Label> Kept;
  for (const Label &Candidate : Labels) {
    for (; Labels[Behind].Spent.TimeS + P.Switch.TimeS < Candidate.Spent.TimeS; ++Behind)
      LeastJ = std::min(LeastJ, Labels[Behind].Spent.EnergyJ);
    if (LeastJ + P.Switch.EnergyJ >= Candidate.Spent.EnergyJ)
      Kept.push_back(Candidate);
  }
  Labels = std::move(Kept);
}

std::optional<ClockPlan> LimitedSearch::run() {
  double LeastBound = Infinite;
  for (std::size_t B = 0; B != P.NumSettings; ++B)
    LeastBound = std::min(LeastBound, bound({}, 0, B));
  for (std::size_t Position = 0; Position != P.Stages.size(); ++Position) {
    std::vector<Label> Next;
    if (Position == 0)
      extend(Position, nullptr, 0, Next);
    for (std::size_t I = 0; Position != 0 && I != Labels[Position - 1].size() && Steps <= MostSteps;
         ++I)
      extend(Position, &Labels[Position - 1][I], I, Next);
    prune(Next);
    if (Position + 1 != P.Stages.size() && P.Stages[Position + 1].BeginsPhase)
      pruneAcrossBases(Next);
    if (Steps > MostSteps) { // returns the best known
      if (Best)
        Best->Gap = 1 - LeastBound / BestFigure;
      return Best;
    }
    Labels.push_back(std::move(Next));
  }
  const Label *End = nullptr;
  for (const Label &L : Labels.back())
    if (double Value = figureOf(L.Spent.EnergyJ, L.Spent.TimeS, Minimized);
        Value < BestFigure && isWithin(L.Spent.TimeS, MaxTimeS)) {
      BestFigure = Value;
      End = &L;
    }
  if (!End)
    return Best;
  std::vector<Planner::Step> Steps(P.Stages.size());
  for (std::size_t Index = P.Stages.size(); Index-- != 0;) {
    Steps[Index] = End->How;
    if (Index != 0)
      End = &Labels[Index - 1][End->Before];
  }
  return P.build(Steps);
}

std::optional<ClockPlan> planClocks(std::span<const PlanPhase> Phases, const TimeEnergy &Switch,
                                    Objective Goal, std::optional<double> MaxTimeS) {
  const Planner P(Phases, Switch);
  const std::vector<ClockPlan> Corners = P.corners();
  if (Corners.empty())
    return std::nullopt;
  auto Best = std::ranges::min_element(
      Corners, {}, [&](const ClockPlan &Plan) { return figureOf(Plan.Total, Goal); });
  if (!MaxTimeS || isWithin(Best->Total.TimeS, *MaxTimeS))
    return *Best;
  return LimitedSearch(P, *MaxTimeS, Goal, Corners).run();
}

std::optional<ClockPlan> planFreely(std::span<const PlanPhase> Phases, Objective Goal,
                                    std::optional<double> MaxTimeS) {
  const auto Whole = planOneSetting(Phases, Goal, MaxTimeS);
  constexpr double Trace = 1e-9; // only breaks ties, for fewer switches
  return Whole ? planClocks(Phases, Trace * Whole->Total, Goal, MaxTimeS) : std::nullopt;
}

std::optional<ClockPlan> planOneSetting(std::span<const PlanPhase> Phases, Objective Goal,
                                        std::optional<double> MaxTimeS) {
  std::optional<ClockPlan> Best;
  for (std::size_t S = 0; S != Phases.front().front().CostAtSetting.size(); ++S) {
    ClockPlan Next;
    bool Runs = true;
    for (const PlanPhase &Phase : Phases) {
      Next.Bases.push_back(S);
      Next.Settings.emplace_back(Phase.size(), S);
      for (const PlanPart &Part : Phase) {
        Runs &= Part.CostAtSetting[S].has_value();
        Next.Total += Part.CostAtSetting[S].value_or(TimeEnergy{});
      }
    }
    if (Runs && (!MaxTimeS || isWithin(Next.Total.TimeS, *MaxTimeS)) &&
        (!Best || figureOf(Next.Total, Goal) < figureOf(Best->Total, Goal)))
      Best = std::move(Next);
  }
  return Best;
}

double breakEvenSwitch(const ClockPlan &Split, const ClockPlan &Whole, Objective Goal) {
  if (Split.Switches == 0)
    return Infinite;
  if (Goal == Objective::Energy)
    return (Whole.Total.EnergyJ - Split.Total.EnergyJ) / Split.Switches;
  // With power P while switching, P^a·(T + n·t)^(a+b) is Whole's E^a·T^b.
  const Figure F = figure(Goal);
  const double PowerW = Split.Total.EnergyJ / Split.Total.TimeS;
  const double LimitS = std::pow(figureOf(Whole.Total, Goal) / figureOf(PowerW, 1, {F.Energy, 0}),
                                 1.0 / (F.Energy + F.Time));
  return (LimitS - Split.Total.TimeS) / Split.Switches;
}

} // namespace ergon
