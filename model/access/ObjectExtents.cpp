//===- ObjectExtents.cpp - ranges of accesses -----------------------------===//

#include "model/access/ObjectExtents.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <ranges>

namespace ergon {

static std::optional<Bounds> boundsIn(const Expr &Value, const SymbolBounds &SB) {
  auto Found = boundsOf(Value, SB, 1000);
  return Found ? std::optional(*Found) : std::nullopt;
}

/// \p Value with a minimum in it replaced by each of its operands; empty where there is none.
static std::vector<Expr> partsOfMinimum(const Expr &Value) {
  std::vector<Expr> Parts;
  for (const Term &T : Value.terms())
    if (const Atom *Least = onlyFactor(T);
        Least && Least->What == Atom::Kind::Min && T.Coefficient.sign() > 0) {
      const Expr Rest = Value - Expr::fromTerms({T});
      for (const Expr &Operand : Least->Operands)
        Parts.push_back(Rest + Expr(T.Coefficient) * Operand);
      break;
    }
  return Parts;
}

/// The minimum or maximum of \p Value, with induction variables replaced by their ends, the
/// innermost loop first.
static std::optional<Rational> extremeOf(Expr Value, std::span<const AroundLoop> Loops,
                                         const SymbolBounds &Bounds, bool Greatest) {
  for (; !Loops.empty(); Loops = Loops.first(Loops.size() - 1)) {
    const AroundLoop &Inner = Loops.back();
    const auto Stride = stride(Value, Inner.Variable);
    if (!Stride)
      break;
    if (Stride->isZero())
      continue;
    auto Slope = boundsIn(*Stride, Bounds);
    if (!Slope || (Slope->Low < 0 && Slope->High > 0))
      break;
    bool AtEnd = (Slope->Low >= 0) == Greatest;
    // Each operand of a minimum is an upper bound: takes the smallest.
    if (auto Parts = AtEnd && Greatest ? partsOfMinimum(Inner.Last) : std::vector<Expr>();
        !Parts.empty()) {
      std::optional<Rational> Best;
      for (const Expr &Part : Parts)
        if (auto Found = extremeOf(Value.substitute({{Inner.Variable, Part}}),
                                   Loops.first(Loops.size() - 1), Bounds, Greatest))
          Best = Best ? std::min(*Best, *Found) : *Found;
      return Best;
    }
    Value = Value.substitute({{Inner.Variable, AtEnd ? Inner.Last : Expr(0)}});
  }
  auto Found = boundsIn(Value, Bounds);
  return Found ? std::optional(Greatest ? Found->High : Found->Low) : std::nullopt;
}

/// Adds the innermost of \p Loops to \p SB, the ranges of those around it; false where its range is
/// not known.
static bool addInnermost(std::span<const AroundLoop> Loops, SymbolBounds &SB) {
  const AroundLoop &Inner = Loops.back();
  auto Last = extremeOf(Inner.Last, Loops.first(Loops.size() - 1), SB, true);
  if (!Last || *Last < 0)
    return false;
  SB[Inner.Variable] = {0, *Last};
  return true;
}

/// The range of \p Value in \p Loops, whose variables have the ranges \p SB.
static std::optional<Bounds> rangeIn(const Expr &Value, std::span<const AroundLoop> Loops,
                                     const SymbolBounds &SB) {
  auto Wide = boundsIn(Value, SB);
  auto Low = extremeOf(Value, Loops, SB, false), High = extremeOf(Value, Loops, SB, true);
  if (!Wide || !Low || !High)
    return Wide;
  return Bounds{std::max(Wide->Low, *Low), std::min(Wide->High, *High)};
}

std::optional<Bounds> rangeOf(const Expr &Value, const std::vector<AroundLoop> &Loops) {
  SymbolBounds SB;
  for (std::size_t Depth = 1; Depth <= Loops.size(); ++Depth)
    if (!addInnermost(std::span(Loops).first(Depth), SB))
      return std::nullopt;
  return rangeIn(Value, Loops, SB);
}

namespace {
class ExtentCollector {
public:
  explicit ExtentCollector(const AccessProgram &AP)
      : Program(AP), Found(AP.Objects.size()), Seen(AP.Objects.size()) {}

  std::vector<std::optional<Extent>> collect() {
    visit(Program.Body);
    for (std::size_t I = 0; I != Found.size(); ++I)
      if (const auto &Bytes = Program.Objects[I].Bytes)
        if (auto Known = Bytes->constant(); Known && Known->sign() > 0)
          Found[I] = Extent{0, Seen[I].IsBounded && !Seen[I].IsAnywhere && Found[I]
                                   ? std::min(*Known, Found[I]->End)
                                   : *Known};
    estimateOthers();
    return std::move(Found);
  }

private:
  const AccessProgram &Program;
  std::vector<std::optional<Extent>> Found;
  /// How an object is accessed.
  struct Accessed {
    unsigned ElementBytes = 0; ///< of the widest access
    bool IsAnywhere = false;   ///< by addresses of which nothing is known
    bool IsBounded = false;    ///< by indexes of few bits
    bool IsInRuns = false; ///< from such addresses on, as rows of which only the starts are known
  };
  std::vector<Accessed> Seen;
  std::vector<AroundLoop> Loops;
  std::optional<SymbolBounds> Ranges = SymbolBounds(); ///< of the loops' variables

  void visit(const AccessNest &Nest) {
    Loops.push_back({Nest.Variable, Nest.Last});
    const std::optional<SymbolBounds> Around = Ranges;
    if (Ranges && !addInnermost(Loops, *Ranges))
      Ranges.reset();
    for (const AccessItem &Item : Nest.Items)
      if (const auto *Inner = std::get_if<AccessNest>(&Item.What))
        visit(*Inner);
      else
        add(std::get<MemoryAccess>(Item.What));
    Loops.pop_back();
    Ranges = Around;
  }

  /// An array that is accessed by an index from another one mostly has as many elements as that.
  void estimateOthers() {
    Rational Most = 0;
    for (std::size_t I = 0; I != Found.size(); ++I)
      if (Found[I] && Seen[I].ElementBytes && !Seen[I].IsAnywhere && !Seen[I].IsBounded &&
          Program.Objects[I].Where != Space::Constant)
        Most = std::max(Most, (Found[I]->End - Found[I]->First) / Seen[I].ElementBytes);
    if (Most > 1) // a single variable is no array of indexes
      for (std::size_t I = 0; I != Found.size(); ++I)
        if (!Found[I] && Seen[I].IsAnywhere && !Seen[I].IsInRuns)
          Found[I] = Extent{0, Most * Seen[I].ElementBytes, true};
  }

  void add(const MemoryAccess &Access) {
    Accessed &How = Seen[Access.Object];
    How.ElementBytes = std::max(How.ElementBytes, Access.Bytes);
    How.IsBounded |= !Access.Offset && Access.Within;
    How.IsAnywhere |= !Access.Offset && !Access.Within;
    How.IsInRuns |=
        !Access.Offset && Access.From && (Access.From->Loops > 0 || Access.From->GoesOn);
    std::optional<Bounds> Range;
    if (Access.Offset && Ranges)
      Range = rangeIn(*Access.Offset, Loops, *Ranges);
    else if (!Access.Offset && Access.Within)
      Range = Bounds{0, Rational(std::int64_t(*Access.Within)) - Rational(Access.Bytes)};
    if (!Range)
      return;
    std::optional<Extent> &E = Found[Access.Object];
    Rational End = Range->High + Rational(Access.Bytes);
    E = E ? Extent{std::min(E->First, Range->Low), std::max(E->End, End)} : Extent{Range->Low, End};
  }
};
} // namespace

std::vector<std::optional<Extent>> objectExtents(const AccessProgram &Program) {
  return ExtentCollector(Program).collect();
}

} // namespace ergon
