//===- RunAdvice.cpp - what to change in a run's code ---------------------===//

#include "predict/profile/RunAdvice.h"
#include "model/lint/Lint.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace ergon {

namespace {
/// Asks lint about the functions of a run.
class Adviser {
public:
  Adviser(const ProgramNumbers &Run, const std::vector<SharedCost> &Shares,
          const ProgramProfile &Profile, const Machine *M, RecordStore &Records)
      : Run(Run), Visits(Run.visits()), Shares(Shares), Profile(Profile), Whole(Profile.Whole),
        M(M), Records(Records), Find(Records.detailed().lookup(Failure)) {}
  std::vector<Advice> advise();

private:
  /// Units of classes that would go away.
  using Units = std::map<std::string, Rational>;

  const ProgramNumbers &Run;
  const std::vector<ProgramNumbers::Number> Visits;
  const std::vector<SharedCost> &Shares;
  const ProgramProfile &Profile;
  const PredictionDocument &Whole;
  const Machine *M;
  RecordStore &Records;
  std::optional<Error> Failure; ///< of a callee: its findings are missing
  FunctionLookup Find;
  BlockShapes Launched;
  std::vector<Advice> Result;

  double share(const Function &F, const SourceLocation &Loop) const;
  std::optional<Units> unitsOf(const Finding &What, const Function &F) const;
  std::optional<Saving> savingOfUnits(const Units &Less, const Function &F) const;
  std::optional<Saving> savingOfLines(const Finding &What, const Function &Detailed) const;
  void add(const Function &F);
};
} // namespace

/// The first loop of \p In at a place; null where there is none.
static const Loop *loopAt(const Loop &In, const SourceLocation &Place) {
  if (In.Location == Place)
    return &In;
  for (const Loop &Inner : In.Loops)
    if (const Loop *Found = loopAt(Inner, Place))
      return Found;
  return nullptr;
}

/// Whether \p L is \p Outer or in it.
static bool isIn(const Loop &L, const Loop &Outer) {
  return &L == &Outer ||
         std::ranges::any_of(Outer.Loops, [&](const Loop &Inner) { return isIn(L, Inner); });
}

/// What the loop at a place of \p F takes, with what is in it, or all of the function.
double Adviser::share(const Function &F, const SourceLocation &Loop) const {
  const auto *Region = Loop.isValid() ? loopAt(F.Body, Loop) : nullptr;
  double Sum = 0;
  for (const SharedCost &P : Shares)
    if (Run.nodes()[P.Node].Which == &F && (!Region || isIn(*P.Region, *Region)))
      Sum += Profile.measure(P.Cost);
  const double All = Profile.measure(Profile.Sum);
  return All > 0 ? Sum / All : 0;
}

/// What a change would take away in all visits of \p F; nothing where a symbol has no value.
std::optional<Adviser::Units> Adviser::unitsOf(const Finding &What, const Function &F) const {
  Units Sum;
  for (std::size_t I = 0; I != Visits.size(); ++I) {
    const ProgramNumbers::Node &Here = Run.nodes()[I];
    if (Here.Which != &F || Visits[I].Value == 0)
      continue;
    auto ValueOf = [&](const std::string &Name) -> std::optional<Rational> {
      for (const auto &[Symbol, Number] : Here.Values)
        if (Symbol == Name)
          return Number.Value;
      for (const auto *Given : {&Whole.Bindings, &Whole.Defaults})
        if (auto Found = Given->find(Name); Found != Given->end())
          return Found->second;
      for (const SymbolEstimate &E : Whole.Estimates)
        if (E.What.Symbol == Name)
          return E.Value;
      return std::nullopt;
    };
    for (const auto &[Class, Amount] : What.Saves) {
      const auto Saved = Amount.evaluate(ValueOf);
      if (!Saved)
        return std::nullopt;
      Sum[std::string(name(Class))] += *Saved * Visits[I].Value;
    }
  }
  return Sum;
}

/// \p J joules of operations and bytes, and what constant power takes in \p S seconds; nothing
/// where both are nothing.
static std::optional<Saving> savingOf(double J, double S, const PredictionDocument &Whole) {
  if (const auto &C = Whole.OnMachine)
    if (auto Constant = C->BreakdownJ.find("constant"); Constant != C->BreakdownJ.end())
      J += C->TimeS.Value > 0 ? Constant->second * S / C->TimeS.Value : 0;
  if (J <= 0 && S <= 0)
    return std::nullopt;
  return Saving{S, J, /*IsEstimated=*/true};
}

/// The energy of \p Less: its share of what each class takes in the run.
static double joulesOf(const std::map<std::string, Rational> &Less,
                       const PredictionDocument &Whole) {
  double Sum = 0;
  if (!Whole.OnMachine)
    return 0;
  for (const auto &[Class, Amount] : Less) {
    auto Priced = Whole.OnMachine->BreakdownJ.find(Class);
    auto All = Whole.Counts.Values.find(Class);
    if (Priced != Whole.OnMachine->BreakdownJ.end() && All != Whole.Counts.Values.end() &&
        All->second > 0)
      Sum += Priced->second * std::min(1.0, (Amount / All->second).get_d());
  }
  return Sum;
}

/// Time changes as the roofline has it; on a CPU that was calibrated it is not known.
std::optional<Saving> Adviser::savingOfUnits(const Units &Less, const Function &F) const {
  double S = 0;
  if (M && Whole.OnMachine && !Whole.Time) {
    CountValues Then = Whole.Counts;
    auto Take = [&](std::map<std::string, Rational> &From) {
      for (const auto &[Class, Amount] : Less)
        if (auto Found = From.find(Class); Found != From.end())
          Found->second = std::max(Rational(0), Found->second - Amount);
    };
    Take(Then.Values);
    for (PartValues &Part : Then.Parts)
      if (Part.Name == F.Demangled || (!F.IsKernel && &Part == Then.Parts.data()))
        Take(Part.Values);
    S = costOn(*M, Whole.Clocks, Whole.Counts).TimeS.Value -
        costOn(*M, Whole.Clocks, Then).TimeS.Value;
  }
  return savingOf(joulesOf(Less, Whole), std::max(0.0, S), Whole);
}

/// The bytes of lines that nothing uses, of each level; time is that of the loop without them.
std::optional<Saving> Adviser::savingOfLines(const Finding &What, const Function &Detailed) const {
  if (!Whole.Traffic || What.Unused <= 0)
    return std::nullopt;
  const TrafficReport &Report = *Whole.Traffic;
  const Loop *Region = What.Loop.isValid() ? loopAt(Detailed.Body, What.Loop) : nullptr;
  auto IsInLoop = [&](const TrafficCause &Line) {
    return Region && std::ranges::any_of(Region->Blocks, [&](const Block &B) {
             return std::ranges::any_of(B.Accesses, [&](const Access &A) {
               return placeOf(A, Detailed) == Line.Location;
             });
           });
  };
  Units Less;
  std::map<std::string, double> Faster; // by what serves the data: its share of the loop's bytes
  for (std::size_t Level = 0; Level != Report.Levels.size(); ++Level) {
    double Wasted = 0, InLoop = 0;
    for (const TrafficCause &Line : Report.Sites) {
      if (Line.Function != What.Function)
        continue;
      const double Bytes = Report.bytesBeyond(Line.Levels, Level);
      if (Line.Location == What.Location && Line.What != Access::Kind::Store)
        Wasted += Bytes * What.Unused;
      if (IsInLoop(Line))
        InLoop += Bytes;
    }
    const std::string Class = Report.classBeyond(Level);
    Less[Class] = rationalOf(Wasted);
    if (InLoop > 0)
      Faster[Class.substr(Class.find('_') + 1)] = Wasted / InLoop;
  }
  double S = 0;
  if (Whole.Time)
    for (const LoopTime &L : Whole.Time->Loops) {
      if (L.Location != What.Loop)
        continue;
      double Then = L.CoreS;
      for (const auto &[Level, Seconds] : L.MemoryS) {
        auto Found = Faster.find(Level);
        Then = std::max(Then, Found == Faster.end() ? Seconds : Seconds * (1 - Found->second));
      }
      S += std::max(0.0, L.Time.S - Then);
    }
  return savingOf(joulesOf(Less, Whole), S, Whole);
}

/// Code that takes a smaller share of the run is not looked at.
static constexpr double Matters = 0.01;

void Adviser::add(const Function &F) {
  const FunctionRef &Ref = Records.refOf(F);
  auto Detailed = Records.detailed().load(Ref);
  if (!Detailed)
    return; // damaged: told where it is predicted
  for (Finding &What : lintFunction(**Detailed, Find, Launched)) {
    if (isForeign(What))
      continue;
    const double Share = share(F, What.Loop);
    if (Share < Matters)
      continue;
    if (auto Less = unitsOf(What, F); Less && !Less->empty())
      What.Saved = savingOfUnits(*Less, F);
    else
      What.Saved = savingOfLines(What, **Detailed);
    Result.push_back({std::move(What), std::min(1.0, Share), &Ref.File->unit()});
  }
}

std::vector<Advice> Adviser::advise() {
  std::map<const Function *, double> Hot;
  const double All = Profile.measure(Profile.Sum);
  for (const SharedCost &P : Shares)
    if (const ProgramNumbers::Node &Here = Run.nodes()[P.Node];
        Here.Which->Library.empty() && All > 0)
      Hot[Here.Which] += Profile.measure(P.Cost) / All;
  std::set<const Function *> Launching;
  std::vector<const Function *> Order;
  for (const ProgramNumbers::Node &Here : Run.nodes()) {
    const Function *F = Here.Which;
    if (!F->Library.empty())
      continue;
    if (std::ranges::any_of(Here.Edges,
                            [&](const auto &E) { return Run.nodes()[E.To].isKernel(); }) &&
        Launching.insert(F).second)
      if (auto Detailed = Records.detailed().load(Records.refOf(*F)))
        addLaunches(**Detailed, Find, Launched);
    if (Hot[F] >= Matters && std::ranges::find(Order, F) == Order.end())
      Order.push_back(F);
  }
  for (const Function *F : Order)
    add(*F);
  const bool ByJoules = Profile.hasEnergy();
  auto Rank = [&](const Advice &A) {
    const double Saved = !A.What.Saved ? 0 : ByJoules ? A.What.Saved->EnergyJ : A.What.Saved->TimeS;
    return std::tuple(-Saved, -int(A.What.How), -A.Share, A.What.Location.text(), A.What.Rule);
  };
  std::ranges::sort(Result, {}, Rank);
  // What stands in one line is one change.
  std::set<std::tuple<std::string, std::string, unsigned>> Lines;
  std::erase_if(Result, [&](const Advice &A) {
    const SourceLocation &At = A.What.Location;
    return !Lines.emplace(A.What.Rule, At.File, At.Line).second && !A.What.Saved;
  });
  return std::move(Result);
}

std::vector<Advice> adviceOn(const ProgramNumbers &Run, const std::vector<SharedCost> &Shares,
                             const ProgramProfile &Profile, const Machine *M,
                             RecordStore &Records) {
  return Adviser(Run, Shares, Profile, M, Records).advise();
}

} // namespace ergon
