//===- LintRun.cpp - what could cost less on a machine --------------------===//

#include "model/lint/LintRun.h"
#include "model/energy/Tuning.h"
#include "model/lint/Lint.h"
#include "model/lint/LintRules.h"
#include "model/program/Stride.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>

namespace ergon {

namespace {
/// Goes through the rules.
class RunLinter {
public:
  explicit RunLinter(const LintedRun &Of)
      : Of(Of), Classes(classesOf(Of.Counts)), All(workOf(Of.Counts, Classes)) {}
  std::vector<Finding> run();

private:
  const LintedRun &Of;
  std::vector<std::string> Classes;
  Work All;
  std::vector<const Loop *> Around;
  std::vector<Finding> Result;

  Finding &report(std::string_view Rule, SourceLocation At, std::string Message);
  std::optional<double> value(const Expr &Of) const;
  double timesOf(const Expr &Each) const;

  void addSlowDouble();
  void addDataEnergy();
  void addRaceToHalt();
  void addPowerCap();
  void visit(const Loop &Region);
  void addLaunch(const Call &Site, const Block &In);
  void addStreaming(const Access &One, const Block &In);
  void collectDouble(const Loop &Region, std::map<std::pair<std::string, unsigned>, double> &Into);
};
} // namespace

static std::string percent(double Share) { return shortNumber(100 * Share) + " %"; }

Finding &RunLinter::report(std::string_view Rule, SourceLocation At, std::string Message) {
  return Result.emplace_back(Finding{.Rule = std::string(Rule),
                                     .How = findRule(Rule)->Default,
                                     .At = std::move(At),
                                     .Function = Of.Of.Demangled,
                                     .Mangled = Of.Of.Name,
                                     .Message = std::move(Message)});
}

std::optional<double> RunLinter::value(const Expr &Formula) const {
  auto Found = Formula.evaluate([&](const std::string &Name) -> std::optional<Rational> {
    const auto At = Of.Values.find(Name);
    return At == Of.Values.end() ? std::nullopt : std::optional(At->second);
  });
  return Found ? std::optional(Found->get_d()) : std::nullopt;
}

/// How often what happens so often in an iteration of the innermost loop does in one run; 0 where
/// that is not known.
double RunLinter::timesOf(const Expr &Each) const {
  return value(timesInCall(Each, Of.Of, Around)).value_or(0);
}

//===----------------------------------------------------------------------===//
// The function as a whole
//===----------------------------------------------------------------------===//

void RunLinter::collectDouble(const Loop &Region,
                              std::map<std::pair<std::string, unsigned>, double> &Into) {
  Around.push_back(&Region);
  for (const Block &Each : Region.Blocks)
    for (const LineCost &One : Each.Lines) {
      const Expr Flops = One.PerRun[of(CostClass::Flops, FloatType::F64)];
      if (!Flops.isZero())
        Into[{placeOf(One, Of.Of).File, One.Line}] += timesOf(Flops * Each.Runs);
    }
  for (const Loop &Inner : Region.Loops)
    collectDouble(Inner, Into);
  Around.pop_back();
}

void RunLinter::addSlowDouble() {
  static constexpr double Slow = 4; // twice as long is the bytes' share
  const auto Wide = Of.On.timePerUnit("flops_f64", Of.At),
             Narrow = Of.On.timePerUnit("flops_f32", Of.At);
  if (!Wide || !Narrow || *Wide < Slow * *Narrow)
    return;
  std::map<std::pair<std::string, unsigned>, double> ByLine;
  collectDouble(Of.Of.Body, ByLine);
  const auto Most =
      std::ranges::max_element(ByLine, {}, [](const auto &Each) { return Each.second; });
  if (Most == ByLine.end() || Most->second == 0)
    return;
  double Flops = 0;
  for (const auto &[At, Times] : ByLine)
    Flops += Times;
  Finding &New = report("slow-double", {Most->first.first, Most->first.second, 0},
                        "flops in double take " + shortNumber(*Wide / *Narrow) +
                            " times as long as in float on " + Of.On.Name + ", and " +
                            percent(Most->second / Flops) +
                            " of the function's are here: use float where its 24 bits are enough");
  New.Saves.add(of(CostClass::Flops, FloatType::F64), Expr(Rational(std::llround(Flops))));
  New.Saves.add(of(CostClass::Flops, FloatType::F32), Expr(-Rational(std::llround(Flops))));
}

void RunLinter::addDataEnergy() {
  const auto Found = balanceOf(Of.On, Of.At, Classes, All.Pieces);
  if (!Found || !std::isfinite(Found->Intensity) || Found->Intensity >= Found->EnergyPoint)
    return;
  report("data-energy", Of.Of.At,
         shortNumber(Found->Intensity) + " flops a byte are fewer than the " +
             shortNumber(Found->EnergyPoint) +
             " at which data and arithmetic take the same energy on " + Of.On.Name +
             ": work in blocks that stay in a cache, join loops over the same data, or use smaller "
             "types");
}

void RunLinter::addRaceToHalt() {
  static constexpr double Worth = 0.05; // less is within the errors of most profiles
  if (Of.On.Settings.size() < 2)
    return;
  const PreparedMachine Machine(Of.On, Of.On.Settings, Classes);
  const Tuning Ways(Machine, {All.Pieces}, {});
  const auto Best = Ways.choose(Objective::Energy);
  if (!Best)
    return;
  const Option &Least = Ways.Options[Best->Best], &Fast = Ways.Options[Ways.Fastest];
  if (!(Least.EnergyJ < (1 - Worth) * Fast.EnergyJ))
    return;
  const Setting &To = Of.On.Settings[Least.Setting];
  std::string Clocks;
  if (To.CoreMhz)
    Clocks += shortNumber(*To.CoreMhz) + " MHz core";
  if (To.MemMhz)
    Clocks += (Clocks.empty() ? "" : ", ") + shortNumber(*To.MemMhz) + " MHz memory";
  Finding &New = report("race-to-halt", Of.Of.At,
                        "at " + Clocks + " it takes " + percent(1 - Least.EnergyJ / Fast.EnergyJ) +
                            " less energy and " + percent(Least.TimeS / Fast.TimeS - 1) +
                            " longer than at the fastest setting: `ergon tune` finds the clocks");
  New.Saved = {Fast.TimeS - Least.TimeS, Fast.EnergyJ - Least.EnergyJ};
}

void RunLinter::addPowerCap() {
  if (Of.Now.Bound == "power_cap" && Of.On.Power.Cap)
    report("power-cap", Of.Of.At,
           "the cap of " + shortNumber(Of.On.Power.Cap->Value) + " W bounds the time on " +
               Of.On.Name + ": what takes less energy is faster as well");
}

//===----------------------------------------------------------------------===//
// Places in it
//===----------------------------------------------------------------------===//

void RunLinter::addLaunch(const Call &Site, const Block &In) {
  if (!Site.IsLaunch || !Site.Shape || !Of.On.Topology.Gpu)
    return;
  double Blocks = 1;
  for (const Expr &Each : Site.Shape->Grid) {
    const auto Size = value(Each);
    if (!Size)
      return; // it changes with an iteration, or rests on what is not known
    Blocks *= *Size;
  }
  const double Multiprocessors = Of.On.Topology.Gpu->Multiprocessors.Value,
               Times = timesOf(In.Runs);
  if (Blocks >= Multiprocessors || Blocks < 1 || Times == 0)
    return;
  Finding &New =
      report("small-launch", Site.At,
             shortNumber(Blocks) + (Blocks == 1 ? " block is" : " blocks are") + " launched, and " +
                 Of.On.Name + " has " + shortNumber(Multiprocessors) +
                 " multiprocessors: give more blocks less work each, or several launches one");
  New.Times = Expr(Rational(std::llround(Times)));
}

void RunLinter::addStreaming(const Access &One, const Block &In) {
  if (Of.Of.IsKernel || Of.On.Topology.Caches.empty() ||
      Of.On.Topology.Caches.back().WriteAllocate == false || One.What != Access::Kind::Store ||
      One.NonTemporal || One.Where != Space::Memory || One.Base.empty() || !One.Offset ||
      !One.Line || One.Length)
    return;
  // Each iteration of each loop around has a place of its own, the innermost's beside each other.
  for (const Loop *Each : Around) {
    if (Each->Variable.empty())
      continue;
    const auto Stride = stride(One, *Each);
    if (!Stride || Stride->isZero())
      return;
    if (Each == Around.back() && *Stride != Expr(long(One.Bytes)))
      return;
  }
  const auto ReadsIt = [&](const auto &Self, const Loop &Region) -> bool {
    return std::ranges::any_of(
               Region.Blocks,
               [&](const Block &Each) {
                 return std::ranges::any_of(Each.Accesses, [&](const Access &Other) {
                   return Other.Base == One.Base && Other.What != Access::Kind::Store;
                 });
               }) ||
           std::ranges::any_of(Region.Loops, [&](const Loop &Inner) { return Self(Self, Inner); });
  };
  if (Around.back()->Variable.empty() || ReadsIt(ReadsIt, Of.Of.Body))
    return;
  const double Bytes = One.Bytes * timesOf(In.Runs),
               Last = double(Of.On.Topology.Caches.back().Bytes);
  if (Bytes < 2 * Last)
    return;
  Finding &New = report("streaming-store", placeOf(One, Of.Of),
                        "`" + One.Base + "` is written and not read, and is " +
                            shortNumber(Bytes / Last) + " times the last cache of " + Of.On.Name +
                            ": `__builtin_nontemporal_store` saves the fetch of each line");
  New.Saves.add(CostClass::BytesDram, Expr(Rational(std::llround(Bytes))));
}

void RunLinter::visit(const Loop &Region) {
  Around.push_back(&Region);
  for (const Block &Each : Region.Blocks) {
    for (const Call &Site : Each.Calls)
      addLaunch(Site, Each);
    for (const Access &One : Each.Accesses)
      addStreaming(One, Each);
  }
  for (const Loop &Inner : Region.Loops)
    visit(Inner);
  Around.pop_back();
}

std::vector<Finding> RunLinter::run() {
  // The host's own code is not what a GPU's profile prices.
  const bool IsOwn = !Of.On.Kind || Of.Of.IsKernel == (*Of.On.Kind == MachineKind::Gpu);
  if (IsOwn && (Of.Of.IsKernel || !Of.Of.Body.Loops.empty())) {
    addSlowDouble();
    addDataEnergy();
    addRaceToHalt();
    addPowerCap();
  }
  visit(Of.Of.Body);
  return std::move(Result);
}

std::vector<Finding> lintRun(const LintedRun &Of) { return RunLinter(Of).run(); }

} // namespace ergon
