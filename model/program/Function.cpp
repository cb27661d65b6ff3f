//===- Function.cpp - what a function does, as formulas -------------------===//

#include "model/program/Function.h"

#include <algorithm>
#include <map>
#include <set>

namespace ergon {

static constexpr std::array<std::string_view, 5> KnownNames = {"exact", "bound", "assumed",
                                                               "measured", "estimated"};

std::string_view name(Known How) { return KnownNames[unsigned(How)]; }

static constexpr std::array<std::string_view, 4> KindNames = {"integer", "real", "character",
                                                              "logical"};

std::string_view name(ScalarKind What) { return KindNames[unsigned(What)]; }

std::optional<ScalarKind> scalarKind(std::string_view Name) {
  const auto Found = std::ranges::find(KindNames, Name);
  return Found == KindNames.end() ? std::nullopt
                                  : std::optional(ScalarKind(Found - KindNames.begin()));
}

const char *name(LibraryNote::Kind What) {
  static constexpr std::array<const char *, 3> Names = {"counted", "free", "not described"};
  return Names[unsigned(What)];
}

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

void Counts::add(CostClass Class, Expr Amount) {
  if (Amount.isZero())
    return;
  if (Entries.empty() || Entries.back().first < Class) { // they mostly come in their order
    Entries.emplace_back(Class, std::move(Amount));
    return;
  }
  auto Found = std::ranges::lower_bound(Entries, Class, {}, &Entry::first);
  if (Found->first != Class) {
    Entries.emplace(Found, Class, std::move(Amount));
    return;
  }
  Found->second += Amount;
  if (Found->second.isZero())
    Entries.erase(Found);
}

Expr Counts::operator[](CostClass Class) const {
  auto Found = std::ranges::lower_bound(Entries, Class, {}, &Entry::first);
  return Found == Entries.end() || Found->first != Class ? Expr() : Found->second;
}

Counts &Counts::operator+=(const Counts &Other) {
  for (const auto &[Class, Amount] : Other)
    add(Class, Amount);
  return *this;
}

Counts operator*(const Counts &C, const Expr &Times) {
  Counts Result;
  Result.reserve(C.Entries.size());
  for (const auto &[Class, Amount] : C)
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

std::pair<Expr, Expr> Counts::executedFlops() const {
  Expr Single, Low, High; // operations of one step each
  for (FloatType Type : {FloatType::F32, FloatType::F64}) {
    auto In = [&](CostClass Family) { return (*this)[of(Family, Type)]; };
    Single += In(CostClass::Flops) - In(CostClass::Div) - In(CostClass::Sqrt);
    Low += In(CostClass::StepsLow);
    High += In(CostClass::StepsHigh);
  }
  return {Single + Low, Single + High};
}

Expr Counts::requestedBytes() const {
  Expr Result;
  for (const auto &[Class, Amount] : Entries)
    if (isMainMemoryTraffic(Class))
      Result += Amount;
  return Result;
}

LaunchShape LaunchShape::substitute(const Substitution &S) const {
  LaunchShape Result{Grid, Block, SharedBytes.substitute(S)};
  for (auto *Extent : {&Result.Grid, &Result.Block})
    for (Expr &E : *Extent)
      E = E.substitute(S);
  return Result;
}

static void collectVariables(const Loop &L, std::set<std::string> &Result) {
  Result.insert(L.Variable);
  for (const Loop &Inner : L.Loops)
    collectVariables(Inner, Result);
}

/// Renames in an object and its formula.
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
  for (MadeBy &Origin : Site.Origins)
    Rename(Origin.Arguments);
  for (PassedObject &To : Site.Objects)
    for (PassedObject::Item &I : To.Stored)
      if (I.Value)
        I.Value = I.Value->substitute(Symbols);
  for (auto &[Symbol, Value] : Site.Globals)
    Value = Value.substitute(Symbols);
  for (PointerArgument &To : Site.Pointers) {
    renameIn(To.Base, To.Offset, Symbols, Bases);
    for (auto *E : {&To.Row, &To.When})
      if (*E)
        *E = (*E)->substitute(Symbols);
  }
}

static void renameIn(Counts &C, const Substitution &Symbols) {
  Counts Renamed;
  for (const auto &[Class, Amount] : C)
    Renamed.add(Class, Amount.substitute(Symbols));
  C = std::move(Renamed);
}

static void renameIn(Loop &L, const Substitution &Symbols,
                     const std::map<std::string, std::string> &Bases) {
  L.Entries = L.Entries.substitute(Symbols);
  L.Last = L.Last.substitute(Symbols);
  for (Block &B : L.Blocks) {
    B.Runs = B.Runs.substitute(Symbols);
    renameIn(B.PerRun, Symbols);
    for (LineCost &Line : B.Lines)
      renameIn(Line.PerRun, Symbols);
    for (Hint &H : B.Hints)
      renameIn(H.Saves, Symbols);
    for (Access &A : B.Accesses) {
      renameIn(A.Base, A.Offset, Symbols, Bases);
      for (auto *Formula : {&A.Length, &A.Row})
        if (*Formula)
          *Formula = (*Formula)->substitute(Symbols);
      if (A.From)
        A.From->Further = A.From->Further.substitute(Symbols);
    }
    for (PointerStore &Store : B.PointerStores) {
      if (auto Found = Bases.find(Store.Object); Found != Bases.end())
        Store.Object = Found->second;
      renameIn(Store.Value.Object, Store.Value.Offset, Symbols, Bases);
    }
    for (Call &Site : B.Calls)
      renameIn(Site, Symbols, Bases);
  }
  for (Loop &Inner : L.Loops)
    renameIn(Inner, Symbols, Bases);
}

static void renameIn(Function &F, const Substitution &Symbols,
                     const std::map<std::string, std::string> &Bases) {
  renameIn(F.Body, Symbols, Bases);
  for (SizedObject &Object : F.Objects)
    if (auto Found = Object.Via ? Bases.find(Object.Via->Object) : Bases.end();
        Found != Bases.end())
      Object.Via->Object = Found->second;
  if (F.Returns)
    renameIn(F.Returns->Object, F.Returns->Offset, Symbols, Bases);
  if (F.Value)
    F.Value = F.Value->substitute(Symbols);
  for (WrapCheck &Check : F.WrapChecks)
    Check.Wraps = Check.Wraps.substitute(Symbols);
  for (Unknown &U : F.Unknowns)
    for (std::optional<Expr> *Formula : {&U.Formula, &U.Limit, &U.Usually})
      if (*Formula)
        *Formula = (*Formula)->substitute(Symbols);
}

void substituteSymbols(Function &F, const Substitution &Values) {
  // A check of a number that has another value in each iteration speaks of none.
  std::set<std::string> Variables;
  collectVariables(F.Body, Variables);
  std::erase_if(F.WrapChecks, [&](const WrapCheck &Check) {
    return std::ranges::any_of(Values, [&](const auto &Each) {
      return Each.second.hasSymbol([&](const std::string &S) { return Variables.contains(S); }) &&
             Check.Wraps.dependsOn(Each.first);
    });
  });
  renameIn(F, Values, {});
}

void renameSymbols(Function &F, const std::map<std::string, std::string> &Names) {
  Substitution Symbols;
  for (const auto &[Old, New] : Names)
    Symbols.emplace(Old, Expr::symbol(New));
  for (Cell &C : F.Cells)
    if (auto Found = Names.find(C.Symbol); Found != Names.end())
      C.Symbol = Found->second;
  for (Unknown &U : F.Unknowns)
    for (const auto &[Old, New] : Names)
      if (U.Why.starts_with(Old))
        U.Why.replace(0, Old.size(), New);
  renameIn(F, Symbols, {});
}

void renameParameters(Function &F, const std::vector<std::string> &Names) {
  std::set<std::string> Taken;
  collectVariables(F.Body, Taken);
  Substitution Symbols;
  std::map<std::string, std::string> Bases;
  for (std::size_t I = 0; I != F.Parameters.size() && I != Names.size(); ++I) {
    Parameter &P = F.Parameters[I];
    if (Taken.contains(Names[I]) || P.Name == Names[I])
      continue;
    const std::string Symbol = P.symbol();
    for (Cell &C : F.Cells)
      if (std::size_t Position = C.Symbol.find(P.Name); C.Parameter == I && Position <= 2) {
        std::string Renamed = C.Symbol;
        Renamed.replace(Position, P.Name.size(), Names[I]);
        Symbols.emplace(C.Symbol, Expr::symbol(Renamed));
        C.Symbol = std::move(Renamed);
      }
    Bases.emplace(P.Name, Names[I]);
    P.Name = Names[I];
    Symbols.emplace(Symbol, Expr::symbol(P.symbol()));
  }
  renameIn(F, Symbols, Bases);
}

} // namespace ergon
