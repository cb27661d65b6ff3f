//===- ProgramSlopes.cpp - what a program's symbols move ------------------===//
//
// From the leaves up: how much one run of each node grows with its own symbols and with those that
// it is passed. From the entry down: how often each runs.
//
//===----------------------------------------------------------------------===//

#include "model/evaluation/ProgramNumbers.h"

#include <algorithm>

namespace ergon {

std::map<std::string, double>
ProgramNumbers::slopes(const std::function<double(CostClass)> &Weight) const {
  std::vector<double> Whole(Nodes.size()), Runs(Nodes.size());
  std::vector<std::map<std::string_view, double>> Grows(Nodes.size());
  for (std::size_t I = 0; I != Nodes.size(); ++I) { // callees first
    const Node &N = Nodes[I];
    std::vector<double> OfItem(N.Items.size());
    for (std::size_t K = 0; K != N.Items.size(); ++K) {
      const Item &Next = N.Items[K];
      const double Times = Next.Times.Value.get_d();
      if (Next.Class)
        OfItem[K] = Times * Weight(*Next.Class);
      else
        for (const auto &[Class, Amount] : *Next.PerRun)
          if (auto Value = Amount.constant())
            OfItem[K] += Times * Value->get_d() * Weight(Class);
    }
    for (const Edge &E : N.Edges)
      OfItem[E.From] += E.Times.Value.get_d() * Whole[E.To];
    std::vector<double> Before(1); // sums of the items in front of each
    for (double Value : OfItem)
      Before.push_back(Before.back() + Value);
    Whole[I] += Before.back();
    for (const Influence &Next : N.Influences)
      Grows[I][*Next.Symbol] += Next.Relative * (Before[Next.End] - Before[Next.Begin]);
    for (const PassedSlope &Next : N.Passed) {
      const Edge &E = N.Edges[Next.By];
      if (auto Found = Grows[E.To].find(Next.Formal); Found != Grows[E.To].end())
        Grows[I][*Next.Symbol] += E.Times.Value.get_d() * Next.Slope * Found->second;
    }
  }
  std::map<std::string, double> Result;
  if (!Runs.empty())
    Runs.back() = 1;
  for (std::size_t I = Nodes.size(); I-- > 0;) {
    const Node &N = Nodes[I];
    for (const Edge &E : N.Edges)
      Runs[E.To] += Runs[I] * E.Times.Value.get_d();
    if (Runs[I] == 0)
      continue;
    for (const auto &[Symbol, Slope] : Grows[I])
      if (std::ranges::find(N.Values, Symbol, &std::pair<std::string, Number>::first) ==
          N.Values.end())
        Result[std::string(Symbol)] += Runs[I] * Slope;
  }
  return Result;
}

} // namespace ergon
