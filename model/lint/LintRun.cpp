//===- LintRun.cpp - lint rules on a run ----------------------------------===//

#include "model/lint/LintRun.h"
#include "model/energy/Tuning.h"
#include "model/lint/Lint.h"
#include "model/lint/LintRules.h"
#include "model/machine/Occupancy.h"
#include "model/program/Stride.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>

namespace ergon {

namespace {
/// Goes through the rules.
class RunLinter {
public:
  explicit RunLinter(const LintedRun &Run)
      : Run(Run), Classes(classesOf(Run.Counts)), All(workOf(Run.Counts, Classes)) {}
  std::vector<Finding> run();

private:
  const LintedRun &Run;
  std::vector<std::string> Classes;
  Work All;
  std::vector<const Loop *> Around;
  std::vector<Finding> Result;

  Finding &report(std::string_view Rule, SourceLocation Location, std::string Message);
  std::optional<double> value(const Expr &Formula) const;
  double timesOf(const Expr &E) const;

  void addSlowDouble();
  void addDataEnergy();
  void addRaceToHalt();
  void addPowerCap();
  void visit(const Loop &Region);
  void addLaunch(const Call &Site, const Block &B);
  void addResidency(const Call &Site, double Blocks, double Times);
  void addStreaming(const Access &A, const Block &B);
  void collectDouble(const Loop &Region,
                     std::map<std::pair<std::string, unsigned>, double> &Result);
};
} // namespace

static std::string percent(double Share) { return shortNumber(100 * Share) + " %"; }

Finding &RunLinter::report(std::string_view Rule, SourceLocation Location, std::string Message) {
  return Result.emplace_back(Finding{.Rule = std::string(Rule),
                                     .How = findRule(Rule)->Default,
                                     .Location = std::move(Location),
                                     .Function = Run.Linted.Demangled,
                                     .Mangled = Run.Linted.Name,
                                     .Message = std::move(Message)});
}

std::optional<double> RunLinter::value(const Expr &Formula) const {
  auto Found = Formula.evaluate([&](const std::string &Name) -> std::optional<Rational> {
    const auto Position = Run.Values.find(Name);
    return Position == Run.Values.end() ? std::nullopt : std::optional(Position->second);
  });
  return Found ? std::optional(Found->get_d()) : std::nullopt;
}

/// Runs in total of something with \p E runs per iteration of the innermost loop; 0 where unknown.
double RunLinter::timesOf(const Expr &E) const {
  return value(timesInCall(E, Run.Linted, Around)).value_or(0);
}

//===----------------------------------------------------------------------===//
// The function as a whole
//===----------------------------------------------------------------------===//

void RunLinter::collectDouble(const Loop &Region,
                              std::map<std::pair<std::string, unsigned>, double> &Result) {
  Around.push_back(&Region);
  for (const Block &B : Region.Blocks)
    for (const LineCost &Line : B.Lines) {
      const Expr Flops = Line.PerRun[of(CostClass::Flops, FloatType::F64)];
      if (!Flops.isZero())
        Result[{placeOf(Line, Run.Linted).File, Line.Line}] += timesOf(Flops * B.Runs);
    }
  for (const Loop &Inner : Region.Loops)
    collectDouble(Inner, Result);
  Around.pop_back();
}

void RunLinter::addSlowDouble() {
  static constexpr double Slow = 4; // twice as long is the bytes' share
  const auto Wide = Run.Target.timePerUnit("flops_f64", Run.Clocks),
             Narrow = Run.Target.timePerUnit("flops_f32", Run.Clocks);
  if (!Wide || !Narrow || *Wide < Slow * *Narrow)
    return;
  std::map<std::pair<std::string, unsigned>, double> ByLine;
  collectDouble(Run.Linted.Body, ByLine);
  const auto Most =
      std::ranges::max_element(ByLine, {}, [](const auto &Item) { return Item.second; });
  if (Most == ByLine.end() || Most->second == 0)
    return;
  double Flops = 0;
  for (const auto &[Entry, Times] : ByLine)
    Flops += Times;
  Finding &New = report("slow-double", {Most->first.first, Most->first.second, 0},
                        "flops in double take " + shortNumber(*Wide / *Narrow) +
                            " times as long as in float on " + Run.Target.Name + ", and " +
                            percent(Most->second / Flops) +
                            " of the function's are here: use float where its 24 bits are enough");
  New.Saves.add(of(CostClass::Flops, FloatType::F64), Expr(Rational(std::llround(Flops))));
  New.Saves.add(of(CostClass::Flops, FloatType::F32), Expr(-Rational(std::llround(Flops))));
}

void RunLinter::addDataEnergy() {
  const auto Found = balanceOf(Run.Target, Run.Clocks, Classes, All.Pieces);
  if (!Found || !std::isfinite(Found->Intensity) || Found->Intensity >= Found->EnergyPoint)
    return;
  report("data-energy", Run.Linted.Location,
         shortNumber(Found->Intensity) + " flops a byte are fewer than the " +
             shortNumber(Found->EnergyPoint) +
             " at which data and arithmetic take the same energy on " + Run.Target.Name +
             ": work in blocks that stay in a cache, join loops over the same data, or use smaller "
             "types");
}

void RunLinter::addRaceToHalt() {
  static constexpr double Worth = 0.05; // less is within the errors of most profiles
  if (Run.Target.Settings.size() < 2)
    return;
  const PreparedMachine Machine(Run.Target, Run.Target.Settings, Classes);
  const Tuning Ways(Machine, {All.Pieces}, {});
  const auto Best = Ways.choose(Objective::Energy);
  if (!Best)
    return;
  const Option &Least = Ways.Options[Best->Best], &Fast = Ways.Options[Ways.Fastest];
  if (!(Least.EnergyJ < (1 - Worth) * Fast.EnergyJ))
    return;
  const Setting &To = Run.Target.Settings[Least.Setting];
  std::string SettingText;
  if (To.CoreMhz)
    SettingText += shortNumber(*To.CoreMhz) + " MHz core";
  if (To.MemMhz)
    SettingText += (SettingText.empty() ? "" : ", ") + shortNumber(*To.MemMhz) + " MHz memory";
  Finding &New =
      report("race-to-halt", Run.Linted.Location,
             "at " + SettingText + " it takes " + percent(1 - Least.EnergyJ / Fast.EnergyJ) +
                 " less energy and " + percent(Least.TimeS / Fast.TimeS - 1) +
                 " longer than at the fastest setting: `ergon tune` finds the clocks");
  New.Saved = {Fast.TimeS - Least.TimeS, Fast.EnergyJ - Least.EnergyJ};
}

void RunLinter::addPowerCap() {
  if (Run.Now.Bound == "power_cap" && Run.Target.Power.Cap)
    report("power-cap", Run.Linted.Location,
           "the cap of " + shortNumber(Run.Target.Power.Cap->Value) + " W bounds the time on " +
               Run.Target.Name + ": what takes less energy is faster as well");
}

//===----------------------------------------------------------------------===//
// Places in it
//===----------------------------------------------------------------------===//

void RunLinter::addLaunch(const Call &Site, const Block &B) {
  if (!Site.IsLaunch || !Site.Shape || !Run.Target.Topology.Gpu)
    return;
  double Blocks = 1;
  for (const Expr &E : Site.Shape->Grid) {
    const auto Size = value(E);
    if (!Size)
      return; // it varies with an iteration, or depends on an unknown
    Blocks *= *Size;
  }
  const double Multiprocessors = Run.Target.Topology.Gpu->Multiprocessors.Value,
               Times = timesOf(B.Runs);
  if (Blocks < 1 || Times == 0)
    return;
  if (Blocks >= Multiprocessors)
    return addResidency(Site, Blocks, Times);
  Finding &New =
      report("small-launch", Site.Location,
             shortNumber(Blocks) + (Blocks == 1 ? " block is" : " blocks are") + " launched, and " +
                 Run.Target.Name + " has " + shortNumber(Multiprocessors) +
                 " multiprocessors: give more blocks less work each, or several launches one");
  New.Times = Expr(Rational(std::llround(Times)));
}

/// The shared memory of a block of \p F that its code declares.
static std::int64_t sharedBytes(const Function &F) {
  std::int64_t Result = 0;
  for (const SizedObject &O : F.Objects)
    if (O.Where == Space::Shared)
      Result += O.Bytes;
  return Result;
}

/// Small blocks: their number on a multiprocessor is limited, and with it that of the threads.
void RunLinter::addResidency(const Call &Site, double Blocks, double Times) {
  const Device &Gpu = *Run.Target.Topology.Gpu;
  double Threads = 1;
  for (const Expr &E : Site.Shape->Block)
    Threads *= value(E).value_or(0);
  const Function *Kernel = Run.Find(Site.Callee, Run.Linted);
  if (Threads < 1 || Threads > Gpu.Limits.ThreadsPerBlock || !Kernel)
    return;
  BlockNeeds Needs{.Threads = std::int64_t(Threads),
                   .RegistersPerThread = {},
                   .SharedBytes = sharedBytes(*Kernel)};
  if (Kernel->Resources && Kernel->Resources->Registers)
    Needs.RegistersPerThread = int(Kernel->Resources->Registers);
  const Residency Now = residentBlocks(Gpu.Limits, Needs);
  const double Resident = double(Now.Blocks) * Threads;
  // A launch that does not fill the multiprocessors gains nothing.
  if (Now.LimitedBy != "blocks" || 2 * Resident >= Gpu.Limits.Threads ||
      Blocks < double(Now.Blocks) * Gpu.Multiprocessors.Value)
    return;
  const int Warp = MultiprocessorLimits::WarpSize,
            Enough = (Gpu.Limits.Threads / Gpu.Limits.Blocks + Warp - 1) / Warp * Warp;
  Finding &New =
      report("low-residency", Site.Location,
             "of blocks of " + shortNumber(Threads) + " threads a multiprocessor of " +
                 Run.Target.Name + " takes " + std::to_string(Now.Blocks) + ", so " +
                 shortNumber(Resident) + " of its " + std::to_string(Gpu.Limits.Threads) +
                 " threads: launch blocks of " + std::to_string(Enough) + " or more");
  New.Times = Expr(Rational(std::llround(Times)));
}

void RunLinter::addStreaming(const Access &A, const Block &B) {
  if (Run.Linted.IsKernel || Run.Target.Topology.Caches.empty() ||
      Run.Target.Topology.Caches.back().WriteAllocate == false || A.What != Access::Kind::Store ||
      A.NonTemporal || A.Where != Space::Memory || A.Base.empty() || !A.Offset || !A.Line ||
      A.Length)
    return;
  // Each iteration of each loop around has its own address, adjacent in the innermost.
  for (const Loop *L : Around) {
    if (L->Variable.empty())
      continue;
    const auto Stride = stride(A, *L);
    if (!Stride || Stride->isZero())
      return;
    if (L == Around.back() && *Stride != Expr(std::int64_t(A.Bytes)))
      return;
  }
  const auto ReadsIt = [&](const auto &Self, const Loop &Region) -> bool {
    return std::ranges::any_of(
               Region.Blocks,
               [&](const Block &Element) {
                 return std::ranges::any_of(Element.Accesses, [&](const Access &Other) {
                   return Other.Base == A.Base && Other.What != Access::Kind::Store;
                 });
               }) ||
           std::ranges::any_of(Region.Loops, [&](const Loop &Inner) { return Self(Self, Inner); });
  };
  if (Around.back()->Variable.empty() || ReadsIt(ReadsIt, Run.Linted.Body))
    return;
  const double Bytes = A.Bytes * timesOf(B.Runs),
               Last = double(Run.Target.Topology.Caches.back().Bytes);
  if (Bytes < 2 * Last)
    return;
  Finding &New =
      report("streaming-store", placeOf(A, Run.Linted),
             "`" + A.Base + "` is written and not read, and is " + shortNumber(Bytes / Last) +
                 " times the last cache of " + Run.Target.Name +
                 ": `__builtin_nontemporal_store` saves the fetch of each line");
  New.Object = A.Base;
  New.Saves.add(CostClass::BytesDram, Expr(Rational(std::llround(Bytes))));
}

void RunLinter::visit(const Loop &Region) {
  Around.push_back(&Region);
  for (const Block &B : Region.Blocks) {
    for (const Call &Site : B.Calls)
      addLaunch(Site, B);
    for (const Access &A : B.Accesses)
      addStreaming(A, B);
  }
  for (const Loop &Inner : Region.Loops)
    visit(Inner);
  Around.pop_back();
}

std::vector<Finding> RunLinter::run() {
  // A GPU profile does not price the host's own code.
  const bool IsOwn =
      !Run.Target.Kind || Run.Linted.IsKernel == (*Run.Target.Kind == MachineKind::Gpu);
  if (IsOwn && (Run.Linted.IsKernel || !Run.Linted.Body.Loops.empty())) {
    addSlowDouble();
    addDataEnergy();
    addRaceToHalt();
    addPowerCap();
  }
  visit(Run.Linted.Body);
  return std::move(Result);
}

std::vector<Finding> lintRun(const LintedRun &Run) { return RunLinter(Run).run(); }

} // namespace ergon
