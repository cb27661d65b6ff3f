//===- OpenLoops.cpp - the loops around an access -------------------------===//

#include "model/access/OpenLoops.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <span>

namespace ergon {

Expr lastByte(Expr Offset, const OpenLoops &Around) {
  for (auto Found = Around.rbegin(); Found != Around.rend(); ++Found) {
    const auto Stride = stride(Offset, Found->Variable);
    bool Falls = Stride && lowerBound(-*Stride).value_or(-1) >= 0;
    Offset = Offset.substitute({{Found->Variable, Falls ? Expr() : Found->Last}});
  }
  return Offset;
}

std::optional<Expr> offsetOfRuns(const UnknownStart &Start, const OpenLoops &Around) {
  if (!Start.GoesOn || Start.Loops != 1 || Around.size() < 2)
    return std::nullopt;
  const OpenLoop &Run = Around.back(), &Outer = Around[Around.size() - 2];
  const auto Stride = stride(Start.Further, Run.Variable);
  if (!Stride || Stride->isZero())
    return std::nullopt;
  Expr Bytes = *Stride * Run.Entries * (Run.Last + 1);
  if (auto Mean = Bytes.constant()) {
    const Rational Whole = floorOf(*Mean + Rational(1, 2));
    if (Rational(20) * abs(Whole - *Mean) > abs(*Mean))
      return std::nullopt;
    Bytes = Expr(Whole);
  }
  if (Bytes.dependsOn(Outer.Variable))
    return std::nullopt;
  return Start.Further + Expr::symbol(Outer.Variable) * Bytes;
}

std::pair<UnknownStart, Expr> withoutOpen(const Expr &Offset, const OpenLoops &Around,
                                          std::size_t Depth,
                                          const std::function<bool(const Expr &)> &IsOpen) {
  std::vector<Expr> Known;
  Expr Open;
  for (const Term &T : Offset.terms())
    if (Expr Part = Expr::fromTerms({T}); IsOpen(Part))
      Open += Part;
    else
      Known.push_back(std::move(Part));
  std::size_t First = Around.size(); // of the loops in which it is constant
  while (First != Depth && !Open.dependsOn(Around[First - 1].Variable))
    --First;
  UnknownStart Result{0, unsigned(Around.size() - First), {}};
  for (const Expr &Part : Known)
    if (std::ranges::none_of(std::span(Around).first(First),
                             [&](const OpenLoop &Loop) { return Part.dependsOn(Loop.Variable); }))
      Result.Further += Part;
  return {std::move(Result), std::move(Open)};
}

} // namespace ergon
