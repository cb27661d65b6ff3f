//===- Counters.cpp - the counters of loaded modules ----------------------===//

#include "runtime/lib/Counters.h"
#include "formats/RunKeys.h"
#include "runtime/CounterTable.h"
#include "runtime/lib/Output.h"
#include "runtime/lib/Process.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <string>
#include <vector>

namespace ergon::runtime {
namespace {

/// A copy of what a module has counted, which outlives it.
struct Retired {
  std::deque<std::string> Names;
  std::deque<std::vector<ErgonUnknown>> Unknowns;
  std::deque<std::vector<std::int64_t>> Counters;
  std::vector<ErgonCountedFunction> Functions;
  ErgonCountedUnit Unit;

  explicit Retired(const ErgonCountedUnit &Of) : Unit(Of) {
    auto Keep = [&](const char *Text) { return Names.emplace_back(Text).c_str(); };
    Unit.Source = Keep(Of.Source);
    Functions.assign(Of.Functions, Of.Functions + Of.NumFunctions);
    Unit.Functions = Functions.data();
    for (ErgonCountedFunction &Each : Functions) {
      Each.Name = Keep(Each.Name);
      auto &Rows = Unknowns.emplace_back(Each.Unknowns, Each.Unknowns + Each.NumUnknowns);
      for (ErgonUnknown &Row : Rows)
        Row.Symbol = Keep(Row.Symbol);
      Each.Unknowns = Rows.data();
      auto &Counts = Counters.emplace_back(Each.Counters, Each.Counters + Each.NumCounters);
      Each.Counters = Counts.data();
    }
  }
};

/// A list that only grows, so that a signal handler can walk it at any time.
struct Node {
  std::atomic<const ErgonCountedUnit *> Unit;
  Node *Next;
};
std::atomic<Node *> Units;

std::int64_t read(const std::int64_t &Counter) {
  return std::atomic_ref(const_cast<std::int64_t &>(Counter)).load(std::memory_order_relaxed);
}

template <typename Function> void forEachFunction(Function Do) {
  for (Node *Each = Units; Each; Each = Each->Next) {
    const ErgonCountedUnit *Unit = Each->Unit;
    for (std::uint32_t I = 0; I != Unit->NumFunctions; ++I)
      Do(*Unit, Unit->Functions[I]);
  }
}

} // namespace

void writeCounters(Output &Into) {
  using namespace run_keys;
  Into.open('[', Functions);
  forEachFunction([&](const ErgonCountedUnit &Of, const ErgonCountedFunction &Each) {
    auto HasRun = [&](const ErgonUnknown &Row) {
      return read(Each.Counters[Row.Under]) != 0 || read(Each.Counters[Row.Over]) != 0;
    };
    if (!std::any_of(Each.Unknowns, Each.Unknowns + Each.NumUnknowns, HasRun))
      return;
    Into.open('{');
    Into.text(Of.Source, Unit);
    Into.text(Each.Name, Function);
    Into.open('{', Unknowns);
    for (std::uint32_t I = 0; I != Each.NumUnknowns; ++I) {
      const ErgonUnknown &Row = Each.Unknowns[I];
      if (!HasRun(Row))
        continue;
      Into.open('{', Row.Symbol);
      Into.number(read(Each.Counters[Row.Over]), Sum);
      Into.number(read(Each.Counters[Row.Under]), Times);
      Into.close('}');
    }
    Into.close('}');
    Into.close('}');
  });
  Into.close(']');
}

void clearCounters() {
  forEachFunction([](const ErgonCountedUnit &, const ErgonCountedFunction &Each) {
    std::fill(Each.Counters, Each.Counters + Each.NumCounters, 0);
  });
}

} // namespace ergon::runtime

using namespace ergon::runtime;

void ergon_register_counters(const ErgonCountedUnit *Unit) {
  if (Unit->Version != ErgonCounterTableVersion || !isOn())
    return;
  auto *Mine = new Node{Unit, Units.load()};
  while (!Units.compare_exchange_weak(Mine->Next, Mine))
    ;
}

void ergon_retire_counters(const ErgonCountedUnit *Unit) {
  for (Node *Each = Units; Each; Each = Each->Next)
    if (Each->Unit == Unit)
      Each->Unit = &(new Retired(*Unit))->Unit; // as long as the process lives
}
