//===- ProgramNumbers.cpp - a program's counts in numbers -----------------===//

#include "model/evaluation/ProgramNumbers.h"
#include "model/program/CallBinding.h"

#include <algorithm>
#include <cmath>

namespace ergon {

/// \p Value as short as a double is.
Rational ProgramNumbers::roundedToDouble(double Value) {
  static constexpr int Bits = 52, MostBits = 1000;
  int Exponent = 0;
  const double Fraction = std::frexp(Value, &Exponent);
  if (Value == 0 || !std::isfinite(Value) || std::abs(Exponent) > MostBits)
    return 0;
  const Rational Whole = Rational::wholePartOf(std::ldexp(Fraction, Bits));
  const int Shift = Exponent - Bits;
  return Shift >= 0 ? Whole * twoTo(unsigned(Shift)) : Whole / twoTo(unsigned(-Shift));
}

Rational ProgramNumbers::roundedIf(Known How, Rational Value) {
  return How == Known::Estimated ? roundedToDouble(Value.get_d()) : Value;
}

Expr ProgramNumbers::inSums(const Rational &Value) {
  if (Value.isInteger())
    return Expr(Value);
  const std::string Name = "~" + Value.get_str();
  Fractions.emplace(Name, Expr(Value));
  return Expr::symbol(Name);
}

void ProgramNumbers::bind(Substitution Values) {
  Bound = std::move(Values);
  Limits.clear();
  IsPrepared = false;
}

std::set<std::string> ProgramNumbers::symbols(const Function &Entry) {
  Sites.find(Entry);
  Sites.prepare({}); // names what calls pass
  IsPrepared = false;
  std::set<std::string> Result;
  for (const Function *F : Sites.functions()) {
    for (const std::string &Symbol : Sites.of(*F).Needs)
      if (isUnknownSymbol(Symbol) || isGlobalSymbol(Symbol))
        Result.insert(Symbol);
    for (const Unknown &U : F->Unknowns) // also those that calls pass
      Result.insert(U.Symbol);
  }
  return Result;
}

static void addTo(ProgramNumbers::Number &Sum, const Rational &Value, Known How) {
  Sum.How = std::max(Sum.How, How);
  Sum.Value += ProgramNumbers::roundedIf(How, Value);
}

std::vector<ProgramNumbers::Number> ProgramNumbers::visits() const {
  std::vector<Number> Result(Nodes.size());
  Result.back().Value = 1;
  for (std::size_t I = Nodes.size(); I-- > 0;)
    if (Result[I].Value != 0)
      for (const Edge &E : Nodes[I].Edges)
        addTo(Result[E.To], Result[I].Value * E.Times.Value, std::max(Result[I].How, E.Times.How));
  return Result;
}

std::vector<std::map<std::string, ProgramNumbers::Number>> ProgramNumbers::visitsByKernel() const {
  std::vector<std::map<std::string, Number>> Result(Nodes.size());
  auto Arrive = [&](std::size_t To, const std::string &From, const Rational &Times, Known How) {
    addTo(Result[To][Nodes[To].isKernel() ? Nodes[To].kernelName() : From], Times, How);
  };
  Arrive(Nodes.size() - 1, "", 1, Known::Exact);
  for (std::size_t I = Nodes.size(); I-- > 0;)
    for (const auto &[From, Visits] : Result[I])
      if (Visits.Value != 0)
        for (const Edge &E : Nodes[I].Edges)
          Arrive(E.To, From, Visits.Value * E.Times.Value, std::max(Visits.How, E.Times.How));
  return Result;
}

Totals ProgramNumbers::totals() const {
  const auto Visits = visitsByKernel();
  std::map<CostClass, Number> Sums;
  std::map<std::string, std::map<CostClass, Number>> OfKernels;
  Totals Result;
  auto AddNode = [&](const Node &N, const std::string &Kernel, const Number &Times) {
    const bool IsPart = !Kernel.empty() && !Nodes.back().isKernel();
    auto AddNamed = [&](const std::map<std::string, Number> &From,
                        std::map<std::string, Expr> &To) {
      for (const auto &[Name, Value] : From)
        To[Name] += Expr(roundedIf(std::max(Times.How, Value.How), Times.Value * Value.Value));
    };
    AddNamed(N.OpenCalls, Result.OpenCalls);
    AddNamed(N.LibraryCalls, Result.LibraryCalls);
    AddNamed(N.Wraps, Result.Wraps);
    auto Add = [&](CostClass Class, const Rational &Value, Known How) {
      How = std::max(How, Times.How);
      addTo(Sums[Class], Times.Value * Value, How);
      if (IsPart)
        addTo(OfKernels[Kernel][Class], Times.Value * Value, How);
    };
    for (const Item &Next : N.Items)
      if (Next.Class)
        Add(*Next.Class, Next.Times.Value, Next.Times.How);
      else
        for (const auto &[Class, Amount] : *Next.PerRun)
          if (auto Value = Amount.constant())
            Add(Class, *Value * Next.Times.Value, Next.Times.How);
    for (const Edge &E : N.Edges)
      if (Nodes[E.To].isKernel())
        Result.Kernels[Nodes[E.To].kernelName()].Launches +=
            Expr(roundedIf(std::max(Times.How, E.Times.How), Times.Value * E.Calls));
  };
  for (std::size_t I = Nodes.size(); I-- > 0;)
    for (const auto &[Kernel, Times] : Visits[I])
      if (Times.Value != 0)
        AddNode(Nodes[I], Kernel, Times);
  for (const auto &[Class, Sum] : Sums) {
    Result.Values.add(Class, Expr(Sum.Value));
    Result.KnownAs[Class] = Sum.How;
  }
  for (const auto &[Name, Values] : OfKernels)
    for (const auto &[Class, Sum] : Values)
      Result.Kernels[Name].Values.add(Class, Expr(Sum.Value));
  return Result;
}

} // namespace ergon
