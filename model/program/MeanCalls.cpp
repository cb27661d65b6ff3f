//===- MeanCalls.cpp - functions whose counts are a mean of all calls -----===//

#include "model/program/MeanCalls.h"

#include <algorithm>
#include <set>
#include <string>

namespace ergon {

bool isMeanOfAllCalls(const Loop &Body) {
  auto IsFree = [](const Expr &E) {
    std::set<std::string> Symbols;
    E.collectSymbols(Symbols);
    return std::ranges::all_of(Symbols, isUnknownSymbol);
  };
  return Body.Loops.empty() && std::ranges::all_of(Body.Blocks, [&](const Block &B) {
           return IsFree(B.Runs) && std::ranges::all_of(B.PerRun, [&](const Counts::Entry &Class) {
                    return IsFree(Class.second);
                  });
         });
}

} // namespace ergon
