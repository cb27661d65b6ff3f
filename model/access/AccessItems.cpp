//===- AccessItems.cpp - items of an access program -----------------------===//

#include "model/access/AccessItems.h"

#include <algorithm>
#include <map>

namespace ergon {

/// The first condition that \p Offset depends on; null where there is none.
static AtomRef conditionIn(const Expr &Offset) {
  for (const Term &T : Offset.terms())
    for (const auto &[Factor, Power] : T.Factors)
      if (Factor->What == Atom::Kind::Indicator)
        return Factor;
  return nullptr;
}

void addByCase(const Expr &Runs, MemoryAccess Access, std::vector<AccessItem> &Result,
               unsigned Cases) {
  static constexpr unsigned MaxDepth = 3;
  AtomRef Condition = Access.Offset && Cases < MaxDepth ? conditionIn(*Access.Offset) : nullptr;
  if (!Condition) {
    Result.push_back({Runs, std::move(Access)});
    return;
  }
  for (const Expr &Case : {Expr(Condition), negated(Expr(Condition))}) {
    Expr E = simplifyConditions(Runs * Case);
    if (E.isZero())
      continue;
    MemoryAccess MA = Access;
    MA.Offset = assuming(*Access.Offset, Case);
    addByCase(E, std::move(MA), Result, Cases + 1);
  }
}

std::uint64_t operationsIn(const Loop &L) {
  std::uint64_t Sum = 0;
  for (const Block &B : L.Blocks)
    for (const auto &[Class, Times] : B.PerRun)
      if (auto Constant = Times.constant(); Constant && Class < CostClass::LoadBytes)
        Sum += floorOf(*Constant).get_ui();
  for (const Loop &Element : L.Loops)
    Sum += operationsIn(Element);
  return Sum;
}

void substituteInOffsets(AccessNest &Result, const Substitution &Values) {
  for (AccessItem &Item : Result.Items)
    if (auto *Inner = std::get_if<AccessNest>(&Item.What))
      substituteInOffsets(*Inner, Values);
    else if (auto &Offset = std::get<MemoryAccess>(Item.What).Offset)
      Offset = Offset->substitute(Values);
}

unsigned objectNamed(MemoryObject Object, AccessProgram &Program) {
  const auto Found = std::ranges::find(Program.Objects, Object.Name, &MemoryObject::Name);
  const auto Number = unsigned(Found - Program.Objects.begin());
  if (Found == Program.Objects.end())
    Program.Objects.push_back(std::move(Object));
  return Number;
}

/// Bytes of the table that the function looks up; 0 where it has none. From glibc 2.36:
/// `sysdeps/ieee754/dbl-64/math_config.h` and `flt-32/math_config.h` (entries of two numbers, of
/// `pow` four), `dbl-64/sincostab.c` (440 numbers).
static unsigned tableBytes(const InstructionKind &Kind) {
  static const std::map<std::pair<std::string_view, std::string_view>, unsigned> Known = {
      {{"exp", "f64"}, 128 * 16}, {{"exp2", "f64"}, 128 * 16}, {{"log", "f64"}, 128 * 16},
      {{"log2", "f64"}, 64 * 16}, {{"pow", "f64"}, 128 * 32},  {{"sin", "f64"}, 440 * 8},
      {{"cos", "f64"}, 440 * 8},  {{"exp", "f32"}, 32 * 8},    {{"exp2", "f32"}, 32 * 8},
      {{"log", "f32"}, 16 * 16},  {{"log2", "f32"}, 16 * 16},  {{"pow", "f32"}, 16 * 16}};
  const auto Found = Known.find({Kind.Operation, Kind.Type});
  return Found == Known.end() ? 0 : Found->second;
}

void addTableLoads(const InstructionMix &Mix, const Expr &Runs, const Function &F,
                   AccessNest &Result, AccessProgram &Program) {
  static constexpr unsigned EntryBytes = 16;
  for (const auto &[Kind, Times] : Mix.Counts)
    if (const unsigned Bytes = tableBytes(Kind))
      Result.Items.push_back(
          {Runs, MemoryAccess{.What = Access::Kind::Load,
                              .Object = objectNamed(
                                  {.Name = "(table of " + Kind.Operation + " " + Kind.Type + ")",
                                   .Where = Space::Constant,
                                   .Bytes = Expr(std::int64_t(Bytes))},
                                  Program),
                              .Bytes = EntryBytes,
                              .Offset = std::nullopt,
                              .Function = F.Demangled}});
}

bool isPure(const Function &Library) {
  return std::ranges::all_of(Library.Body.Blocks,
                             [](const Block &B) {
                               return B.Calls.empty() &&
                                      std::ranges::none_of(
                                          B.PerRun, [](const Counts::Entry &Count) {
                                            return isMainMemoryTraffic(Count.first);
                                          });
                             }) &&
         Library.Body.Loops.empty();
}

/// Substitutes \p S in the formulas of an item.
static void substitute(AccessItem &Result, const Substitution &S) {
  Result.Runs = Result.Runs.substitute(S);
  if (auto *Single = std::get_if<MemoryAccess>(&Result.What)) {
    if (Single->Offset)
      Single->Offset = Single->Offset->substitute(S);
    if (Single->From)
      Single->From->Further = Single->From->Further.substitute(S);
    return;
  }
  auto &Nest = std::get<AccessNest>(Result.What);
  Nest.Last = Nest.Last.substitute(S);
  for (auto Part : {&AccessNest::Items, &AccessNest::Idle})
    for (AccessItem &Item : Nest.*Part)
      substitute(Item, S);
  for (ExecutedBlock &Block : Nest.Executed)
    Block.Runs = Block.Runs.substitute(S);
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
    const Expr E = isEqual(Iteration - Number * floorDiv(Iteration, Number), Expr(std::int64_t(I)));
    const Substitution S{{Turns[I].Variable, Iteration}};
    for (auto Part : {&AccessNest::Items, &AccessNest::Idle})
      for (AccessItem &Item : Turns[I].*Part) {
        if (I != 0)
          substitute(Item, S);
        Item.Runs *= E;
        (Result.*Part).push_back(std::move(Item));
      }
    for (ExecutedBlock &Block : Turns[I].Executed)
      Result.Executed.push_back({Block.Runs.substitute(S) * E, Block.Mix});
  }
  return Result;
}

void collectSymbols(const AccessNest &Nest, std::set<std::string> &Symbols) {
  Nest.Last.collectSymbols(Symbols);
  for (const AccessItem &Item : Nest.Items) {
    Item.Runs.collectSymbols(Symbols);
    if (auto *Inner = std::get_if<AccessNest>(&Item.What))
      collectSymbols(*Inner, Symbols);
    else if (auto &Offset = std::get<MemoryAccess>(Item.What).Offset)
      Offset->collectSymbols(Symbols);
  }
}

} // namespace ergon
