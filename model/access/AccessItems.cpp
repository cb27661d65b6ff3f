//===- AccessItems.cpp - parts of a program of accesses -------------------===//

#include "model/access/AccessItems.h"

#include <algorithm>
#include <map>

namespace ergon {

/// The first condition that \p Offset hangs on; null where it hangs on none.
static AtomRef conditionIn(const Expr &Offset) {
  for (const Term &Each : Offset.terms())
    for (const auto &[Factor, Power] : Each.Factors)
      if (Factor->What == Atom::Kind::Indicator)
        return Factor;
  return nullptr;
}

void addByCase(const Expr &Runs, MemoryAccess Of, std::vector<AccessItem> &Into, unsigned Cases) {
  static constexpr unsigned MaxDepth = 3;
  AtomRef Condition = Of.Offset && Cases < MaxDepth ? conditionIn(*Of.Offset) : nullptr;
  if (!Condition) {
    Into.push_back({Runs, std::move(Of)});
    return;
  }
  for (const Expr &Case : {Expr(Condition), negated(Expr(Condition))}) {
    Expr Here = simplifyConditions(Runs * Case);
    if (Here.isZero())
      continue;
    MemoryAccess One = Of;
    One.Offset = assuming(*Of.Offset, Case);
    addByCase(Here, std::move(One), Into, Cases + 1);
  }
}

std::uint64_t operationsIn(const Loop &Of) {
  std::uint64_t Sum = 0;
  for (const Block &Each : Of.Blocks)
    for (const auto &[Class, Times] : Each.PerRun)
      if (auto Constant = Times.constant(); Constant && Class < CostClass::LoadBytes)
        Sum += floorOf(*Constant).get_ui();
  for (const Loop &Each : Of.Loops)
    Sum += operationsIn(Each);
  return Sum;
}

void substituteInOffsets(AccessNest &Into, const Substitution &Values) {
  for (AccessItem &Each : Into.Items)
    if (auto *Inner = std::get_if<AccessNest>(&Each.What))
      substituteInOffsets(*Inner, Values);
    else if (auto &Offset = std::get<MemoryAccess>(Each.What).Offset)
      Offset = Offset->substitute(Values);
}

unsigned objectNamed(MemoryObject Of, AccessProgram &In) {
  const auto Found = std::ranges::find(In.Objects, Of.Name, &MemoryObject::Name);
  const auto Number = unsigned(Found - In.Objects.begin());
  if (Found == In.Objects.end())
    In.Objects.push_back(std::move(Of));
  return Number;
}

/// Bytes of the tables that the function looks one entry up in; 0 where it has none. Of glibc 2.36:
/// `sysdeps/ieee754/dbl-64/math_config.h` and `flt-32/math_config.h` (entries of two numbers, of
/// `pow` four), `dbl-64/sincostab.c` (440 numbers).
static unsigned tableBytes(const InstructionKind &Of) {
  static const std::map<std::pair<std::string_view, std::string_view>, unsigned> Known = {
      {{"exp", "f64"}, 128 * 16}, {{"exp2", "f64"}, 128 * 16}, {{"log", "f64"}, 128 * 16},
      {{"log2", "f64"}, 64 * 16}, {{"pow", "f64"}, 128 * 32},  {{"sin", "f64"}, 440 * 8},
      {{"cos", "f64"}, 440 * 8},  {{"exp", "f32"}, 32 * 8},    {{"exp2", "f32"}, 32 * 8},
      {{"log", "f32"}, 16 * 16},  {{"log2", "f32"}, 16 * 16},  {{"pow", "f32"}, 16 * 16}};
  const auto Found = Known.find({Of.Operation, Of.Type});
  return Found == Known.end() ? 0 : Found->second;
}

void addTableLoads(const InstructionMix &Mix, const Expr &Runs, const Function &In,
                   AccessNest &Into, AccessProgram &Program) {
  static constexpr unsigned EntryBytes = 16;
  for (const auto &[Kind, Times] : Mix.Counts)
    if (const unsigned Bytes = tableBytes(Kind))
      Into.Items.push_back(
          {Runs, MemoryAccess{.What = Access::Kind::Load,
                              .Object = objectNamed(
                                  {.Name = "(table of " + Kind.Operation + " " + Kind.Type + ")",
                                   .Where = Space::Constant,
                                   .Bytes = Expr(std::int64_t(Bytes))},
                                  Program),
                              .Bytes = EntryBytes,
                              .Offset = std::nullopt,
                              .Function = In.Demangled}});
}

bool isPure(const Function &Library) {
  return std::ranges::all_of(Library.Body.Blocks,
                             [](const Block &Each) {
                               return Each.Calls.empty() &&
                                      std::ranges::none_of(
                                          Each.PerRun, [](const Counts::Entry &Count) {
                                            return isMainMemoryTraffic(Count.first);
                                          });
                             }) &&
         Library.Body.Loops.empty();
}

/// Puts \p With into the formulas of an item.
static void substitute(AccessItem &Into, const Substitution &With) {
  Into.Runs = Into.Runs.substitute(With);
  if (auto *One = std::get_if<MemoryAccess>(&Into.What)) {
    if (One->Offset)
      One->Offset = One->Offset->substitute(With);
    if (One->From)
      One->From->Further = One->From->Further.substitute(With);
    return;
  }
  auto &Nest = std::get<AccessNest>(Into.What);
  Nest.Last = Nest.Last.substitute(With);
  for (auto Part : {&AccessNest::Items, &AccessNest::Idle})
    for (AccessItem &Each : Nest.*Part)
      substitute(Each, With);
  for (ExecutedBlock &Each : Nest.Executed)
    Each.Runs = Each.Runs.substitute(With);
}

AccessNest joinTurns(std::vector<AccessNest> Turns) {
  AccessNest Result = std::move(Turns.front());
  if (Turns.size() == 1)
    return Result;
  const Expr Iteration = Expr::symbol(Result.Variable), Number(std::int64_t(Turns.size()));
  Turns.front().Items = std::exchange(Result.Items, {});
  Turns.front().Idle = std::exchange(Result.Idle, {});
  Turns.front().Executed = std::exchange(Result.Executed, {});
  Turns.front().Variable = Result.Variable;
  for (std::size_t I = 0; I != Turns.size(); ++I) {
    const Expr Here =
        isEqual(Iteration - Number * floorDiv(Iteration, Number), Expr(std::int64_t(I)));
    const Substitution Same{{Turns[I].Variable, Iteration}};
    for (auto Part : {&AccessNest::Items, &AccessNest::Idle})
      for (AccessItem &Each : Turns[I].*Part) {
        if (I != 0)
          substitute(Each, Same);
        Each.Runs *= Here;
        (Result.*Part).push_back(std::move(Each));
      }
    for (ExecutedBlock &Each : Turns[I].Executed)
      Result.Executed.push_back({Each.Runs.substitute(Same) * Here, Each.Each});
  }
  return Result;
}

} // namespace ergon
