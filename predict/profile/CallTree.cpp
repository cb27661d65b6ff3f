//===- CallTree.cpp - a run as a graph of calls ---------------------------===//

#include "predict/profile/CallTree.h"

#include <algorithm>

namespace ergon {

std::vector<Rational> CallTree::visits() const {
  std::vector<Rational> Result(Nodes.size());
  Result.back() = 1;
  for (std::size_t I = Nodes.size(); I-- > 0;)
    for (const CalledNode &C : Nodes[I].Calls)
      Result[C.Node] += Result[I] * C.Times;
  return Result;
}

std::vector<Known> CallTree::visitsKnownAs() const {
  std::vector<Known> Result(Nodes.size(), Known::Exact);
  for (std::size_t I = Nodes.size(); I-- > 0;)
    for (const CalledNode &C : Nodes[I].Calls)
      Result[C.Node] = std::max({Result[C.Node], Result[I], C.How});
  return Result;
}

std::vector<std::map<const Loop *, Rational>> CallTree::loopsAround() const {
  const std::vector<Rational> Visits = visits();
  std::vector<std::map<const Loop *, Rational>> Result(Nodes.size());
  Result.back()[nullptr] = 1;
  for (std::size_t I = Nodes.size(); I-- > 0;)
    for (const CalledNode &C : Nodes[I].Calls) {
      if (Visits[C.Node].sign() == 0)
        continue;
      const Rational Part = Visits[I] * C.Times / Visits[C.Node];
      if (C.Region != &Nodes[I].Code->Body)
        Result[C.Node][C.Region] += Part;
      else
        for (const auto &[Around, Share] : Result[I])
          Result[C.Node][Around] += Part * Share;
    }
  return Result;
}

} // namespace ergon
