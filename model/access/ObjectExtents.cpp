//===- ObjectExtents.cpp - how far accesses reach -------------------------===//

#include "model/access/ObjectExtents.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <ranges>

namespace ergon {

static std::optional<Bounds> boundsIn(const Expr &Value, const SymbolBounds &Of) {
  auto Found = boundsOf(Value, Of, 1000);
  return Found ? std::optional(*Found) : std::nullopt;
}

/// \p Value with each of the operands put for a minimum in it; empty where there is none.
static std::vector<Expr> partsOfMinimum(const Expr &Value) {
  std::vector<Expr> Parts;
  for (const Term &Each : Value.terms())
    if (const Atom *Least = onlyFactor(Each);
        Least && Least->What == Atom::Kind::Min && Each.Coefficient.sign() > 0) {
      const Expr Rest = Value - Expr::fromTerms({Each});
      for (const Expr &Operand : Least->Operands)
        Parts.push_back(Rest + Expr(Each.Coefficient) * Operand);
      break;
    }
  return Parts;
}

/// The least, or greatest, value of \p Value with its loops' ends put for their variables, the
/// innermost loop first.
static std::optional<Rational> extremeOf(Expr Value, std::span<const AroundLoop> Loops,
                                         const SymbolBounds &In, bool Greatest) {
  for (; !Loops.empty(); Loops = Loops.first(Loops.size() - 1)) {
    const AroundLoop &Inner = Loops.back();
    const auto Stride = stride(Value, Inner.Variable);
    if (!Stride)
      break;
    if (Stride->isZero())
      continue;
    auto Slope = boundsIn(*Stride, In);
    if (!Slope || (Slope->Low < 0 && Slope->High > 0))
      break;
    bool AtEnd = (Slope->Low >= 0) == Greatest;
    // Each part of a minimum is a bound from above: the least of them is taken.
    if (auto Parts = AtEnd && Greatest ? partsOfMinimum(Inner.Last) : std::vector<Expr>();
        !Parts.empty()) {
      std::optional<Rational> Best;
      for (const Expr &Each : Parts)
        if (auto Found = extremeOf(Value.substitute({{Inner.Variable, Each}}),
                                   Loops.first(Loops.size() - 1), In, Greatest))
          Best = Best ? std::min(*Best, *Found) : *Found;
      return Best;
    }
    Value = Value.substitute({{Inner.Variable, AtEnd ? Inner.Last : Expr(0)}});
  }
  auto Found = boundsIn(Value, In);
  return Found ? std::optional(Greatest ? Found->High : Found->Low) : std::nullopt;
}

std::optional<Bounds> rangeOf(const Expr &Value, const std::vector<AroundLoop> &Loops) {
  SymbolBounds In;
  for (auto Each = Loops.begin(); Each != Loops.end(); ++Each) {
    auto Last = extremeOf(Each->Last, std::span(Loops.begin(), Each), In, true);
    if (!Last || *Last < 0)
      return std::nullopt;
    In[Each->Variable] = {0, *Last};
  }
  auto Wide = boundsIn(Value, In);
  auto Low = extremeOf(Value, Loops, In, false), High = extremeOf(Value, Loops, In, true);
  if (!Wide || !Low || !High)
    return Wide;
  return Bounds{std::max(Wide->Low, *Low), std::min(Wide->High, *High)};
}

namespace {
class ExtentCollector {
public:
  explicit ExtentCollector(const AccessProgram &Of) : Program(Of), Found(Of.Objects.size()) {}

  std::vector<std::optional<Extent>> collect() {
    visit(Program.Body);
    for (std::size_t I = 0; I != Found.size(); ++I)
      if (const auto &Bytes = Program.Objects[I].Bytes)
        if (auto Known = Bytes->constant(); Known && Known->sign() > 0)
          Found[I] = {0, *Known};
    return std::move(Found);
  }

private:
  const AccessProgram &Program;
  std::vector<std::optional<Extent>> Found;
  std::vector<AroundLoop> Loops;

  void visit(const AccessNest &Nest) {
    Loops.push_back({Nest.Variable, Nest.Last});
    for (const AccessItem &Each : Nest.Items)
      if (const auto *Inner = std::get_if<AccessNest>(&Each.What))
        visit(*Inner);
      else
        add(std::get<MemoryAccess>(Each.What));
    Loops.pop_back();
  }

  void add(const MemoryAccess &Each) {
    auto Range = Each.Offset ? rangeOf(*Each.Offset, Loops) : std::nullopt;
    if (!Range)
      return;
    std::optional<Extent> &Of = Found[Each.Object];
    Rational End = Range->High + Rational(Each.Bytes);
    Of = Of ? Extent{std::min(Of->First, Range->Low), std::max(Of->End, End)}
            : Extent{Range->Low, End};
  }
};
} // namespace

std::vector<std::optional<Extent>> objectExtents(const AccessProgram &Of) {
  return ExtentCollector(Of).collect();
}

} // namespace ergon
