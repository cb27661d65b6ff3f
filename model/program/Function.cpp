//===- Function.cpp - what a function does, as formulas -------------------===//

#include "model/program/Function.h"

#include <algorithm>
#include <map>
#include <set>

namespace ergon {

static constexpr std::array<std::string_view, 4> KnownNames = {"exact", "bound", "assumed",
                                                               "measured"};

std::string_view name(Known How) { return KnownNames[unsigned(How)]; }

std::optional<Known> knownFromName(std::string_view Name) {
  for (unsigned I = 0; I != KnownNames.size(); ++I)
    if (KnownNames[I] == Name)
      return Known(I);
  return std::nullopt;
}

std::string_view name(Access::Kind What) {
  static constexpr std::array<std::string_view, 3> Names = {"load", "store", "atomic"};
  return Names[unsigned(What)];
}

std::string SourceLocation::text() const {
  if (!isValid())
    return "";
  return File + ":" + std::to_string(Line) + (Column ? ":" + std::to_string(Column) : "");
}

void Counts::add(CostClass Class, const Expr &Amount) {
  if (Amount.isZero())
    return;
  auto At = std::ranges::lower_bound(Entries, Class, {}, &Entry::first);
  if (At == Entries.end() || At->first != Class) {
    Entries.insert(At, {Class, Amount});
    return;
  }
  At->second += Amount;
  if (At->second.isZero())
    Entries.erase(At);
}

Expr Counts::operator[](CostClass Class) const {
  auto At = std::ranges::lower_bound(Entries, Class, {}, &Entry::first);
  return At == Entries.end() || At->first != Class ? Expr() : At->second;
}

Counts &Counts::operator+=(const Counts &Other) {
  for (const auto &[Class, Amount] : Other)
    add(Class, Amount);
  return *this;
}

Counts operator*(const Counts &Each, const Expr &Times) {
  Counts Result;
  for (const auto &[Class, Amount] : Each)
    Result.add(Class, Amount * Times);
  return Result;
}

Expr Counts::work() const {
  Expr Result;
  for (const auto &[Class, Amount] : Entries)
    if (isWork(Class))
      Result += Amount;
  return Result;
}

Expr Counts::requestedBytes() const {
  Expr Result;
  for (const auto &[Class, Amount] : Entries)
    if (isMainMemoryTraffic(Class))
      Result += Amount;
  return Result;
}

LaunchShape LaunchShape::substitute(const Substitution &With) const {
  LaunchShape Result{Grid, Block, SharedBytes.substitute(With)};
  for (auto *Extent : {&Result.Grid, &Result.Block})
    for (Expr &Each : *Extent)
      Each = Each.substitute(With);
  return Result;
}

static void collectVariables(const Loop &Of, std::set<std::string> &Into) {
  Into.insert(Of.Variable);
  for (const Loop &Inner : Of.Loops)
    collectVariables(Inner, Into);
}

/// An object, and a formula that goes with it.
static void renameIn(std::string &Object, std::optional<Expr> &Offset, const Substitution &Symbols,
                     const std::map<std::string, std::string> &Bases) {
  if (Offset)
    Offset = Offset->substitute(Symbols);
  if (auto Found = Bases.find(Object); Found != Bases.end())
    Object = Found->second;
}

static void renameIn(Call &Site, const Substitution &Symbols,
                     const std::map<std::string, std::string> &Bases) {
  auto Rename = [&](std::vector<std::optional<Expr>> &Arguments) {
    for (auto &Argument : Arguments)
      if (Argument)
        Argument = Argument->substitute(Symbols);
  };
  Rename(Site.Arguments);
  if (Site.Shape)
    Site.Shape = Site.Shape->substitute(Symbols);
  for (MadeBy &Each : Site.Origins)
    Rename(Each.Arguments);
  for (PassedObject &To : Site.Objects)
    for (PassedObject::Item &One : To.Stored)
      if (One.Value)
        One.Value = One.Value->substitute(Symbols);
  for (auto &[Symbol, Value] : Site.Globals)
    Value = Value.substitute(Symbols);
  for (PointerArgument &To : Site.Pointers) {
    renameIn(To.Base, To.Offset, Symbols, Bases);
    for (auto *Each : {&To.Row, &To.When})
      if (*Each)
        *Each = (*Each)->substitute(Symbols);
  }
}

static void renameIn(Counts &Of, const Substitution &Symbols) {
  Counts Renamed;
  for (const auto &[Class, Amount] : Of)
    Renamed.add(Class, Amount.substitute(Symbols));
  Of = std::move(Renamed);
}

static void renameIn(Loop &Of, const Substitution &Symbols,
                     const std::map<std::string, std::string> &Bases) {
  Of.Entries = Of.Entries.substitute(Symbols);
  Of.Last = Of.Last.substitute(Symbols);
  for (Block &Each : Of.Blocks) {
    Each.Runs = Each.Runs.substitute(Symbols);
    renameIn(Each.PerRun, Symbols);
    for (LineCost &One : Each.Lines)
      renameIn(One.PerRun, Symbols);
    for (Hint &One : Each.Hints)
      renameIn(One.Saves, Symbols);
    for (Access &One : Each.Accesses) {
      renameIn(One.Base, One.Offset, Symbols, Bases);
      for (auto *Formula : {&One.Length, &One.Row})
        if (*Formula)
          *Formula = (*Formula)->substitute(Symbols);
      if (One.From)
        One.From->Further = One.From->Further.substitute(Symbols);
    }
    for (PointerStore &One : Each.PointerStores) {
      if (auto Found = Bases.find(One.Object); Found != Bases.end())
        One.Object = Found->second;
      renameIn(One.Value.Object, One.Value.Offset, Symbols, Bases);
    }
    for (Call &Site : Each.Calls)
      renameIn(Site, Symbols, Bases);
  }
  for (Loop &Inner : Of.Loops)
    renameIn(Inner, Symbols, Bases);
}

static void renameIn(Function &Of, const Substitution &Symbols,
                     const std::map<std::string, std::string> &Bases) {
  renameIn(Of.Body, Symbols, Bases);
  for (SizedObject &Each : Of.Objects)
    if (auto Found = Each.Via ? Bases.find(Each.Via->Object) : Bases.end(); Found != Bases.end())
      Each.Via->Object = Found->second;
  if (Of.Returns)
    renameIn(Of.Returns->Object, Of.Returns->Offset, Symbols, Bases);
  for (WrapCheck &Each : Of.WrapChecks)
    Each.Wraps = Each.Wraps.substitute(Symbols);
}

void renameSymbols(Function &Of, const std::map<std::string, std::string> &Names) {
  Substitution Symbols;
  for (const auto &[Old, New] : Names)
    Symbols.emplace(Old, Expr::symbol(New));
  for (Cell &Each : Of.Cells)
    if (auto Found = Names.find(Each.Symbol); Found != Names.end())
      Each.Symbol = Found->second;
  for (Unknown &Each : Of.Unknowns)
    for (const auto &[Old, New] : Names)
      if (Each.Why.starts_with(Old))
        Each.Why.replace(0, Old.size(), New);
  renameIn(Of, Symbols, {});
}

void renameParameters(Function &Of, const std::vector<std::string> &Names) {
  std::set<std::string> Taken;
  collectVariables(Of.Body, Taken);
  Substitution Symbols;
  std::map<std::string, std::string> Bases;
  for (std::size_t I = 0; I != Of.Parameters.size() && I != Names.size(); ++I) {
    Parameter &Each = Of.Parameters[I];
    if (Taken.contains(Names[I]) || Each.Name == Names[I])
      continue;
    Symbols.emplace(Each.Name, Expr::symbol(Names[I]));
    for (Cell &One : Of.Cells)
      if (std::size_t At = One.Symbol.find(Each.Name); One.Parameter == I && At <= 1) {
        std::string Renamed = One.Symbol;
        Renamed.replace(At, Each.Name.size(), Names[I]);
        Symbols.emplace(One.Symbol, Expr::symbol(Renamed));
        One.Symbol = std::move(Renamed);
      }
    Bases.emplace(Each.Name, Names[I]);
    Each.Name = Names[I];
  }
  renameIn(Of, Symbols, Bases);
}

} // namespace ergon
