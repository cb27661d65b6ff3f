//===- ArgumentValues.cpp - what a program makes of its arguments ---------===//

#include "predict/values/ArgumentValues.h"

#include <set>

namespace ergon {

code::ProgramValues argumentValues(const Function &Main, const FunctionLookup &Find,
                                   const std::vector<std::string> &Words) {
  code::Program Whole;
  std::set<const Function *> Seen{&Main};
  std::vector<const Function *> Open{&Main};
  while (!Open.empty()) {
    const Function &Next = *Open.back();
    Open.pop_back();
    if (Next.Code.empty() || !Whole.add(Next.Code)) {
      Whole.Opaque.insert(Whole.number(Next.Name));
      continue;
    }
    for (const std::string_view Name : code::functionsIn(Next.Code)) {
      const Function *Callee = Find(std::string(Name), Next);
      if (!Callee || Callee->IsKernel || !Callee->Library.empty())
        continue;
      if (Callee->Code.empty()) // under the name that it is called by
        Whole.Opaque.insert(Whole.number(Name));
      else if (Seen.insert(Callee).second)
        Open.push_back(Callee);
    }
  }
  return code::valuesOf(Whole, Words);
}

std::map<std::string, std::int64_t> commonValues(const code::ProgramValues &Values) {
  std::map<std::string, std::int64_t> Result;
  std::set<std::string> Different;
  for (const auto &[Function, Symbols] : Values.Symbols)
    for (const auto &[Symbol, Number] : Symbols)
      if (auto [Slot, New] = Result.try_emplace(Symbol, Number); !New && Slot->second != Number)
        Different.insert(Symbol);
  for (const std::string &Symbol : Different)
    Result.erase(Symbol);
  return Result;
}

} // namespace ergon
