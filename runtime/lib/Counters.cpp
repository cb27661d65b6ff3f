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
#include <sys/single_threaded.h>
#include <vector>

namespace ergon::runtime {
namespace {

/// A copy of what a module has counted, which outlives it.
struct Retired {
  std::deque<std::string> Names;
  std::deque<std::vector<ErgonUnknown>> Unknowns;
  std::deque<std::vector<std::uint32_t>> Numbers;
  std::deque<std::vector<std::int64_t>> Counters;
  std::vector<ErgonCountedFunction> Functions;
  ErgonCountedUnit Unit;
  std::uint8_t IsAlone = 1;

  explicit Retired(const ErgonCountedUnit &Of) : Unit(Of) {
    auto Keep = [&](const char *Text) { return Names.emplace_back(Text).c_str(); };
    Unit.Source = Keep(Of.Source);
    Unit.IsAlone = &IsAlone;
    Functions.assign(Of.Functions, Of.Functions + Of.NumFunctions);
    Unit.Functions = Functions.data();
    for (ErgonCountedFunction &Each : Functions) {
      Each.Name = Keep(Each.Name);
      auto &Rows = Unknowns.emplace_back(Each.Unknowns, Each.Unknowns + Each.NumUnknowns);
      for (ErgonUnknown &Row : Rows) {
        Row.Symbol = Keep(Row.Symbol);
        auto &List = Numbers.emplace_back(Row.Counters, Row.Counters + Row.NumOver + Row.NumUnder);
        Row.Counters = List.data();
      }
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
std::atomic<bool> HasThreads;

void tell(const ErgonCountedUnit &Unit) {
  std::atomic_ref(*Unit.IsAlone).store(0, std::memory_order_relaxed);
}

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

static void writeFunction(Output &Into, const ErgonCountedUnit &Of,
                          const ErgonCountedFunction &Each) {
  using namespace run_keys;
  auto Add = [&](const std::uint32_t *Numbers, std::uint32_t Count) {
    std::int64_t Result = 0;
    for (std::uint32_t I = 0; I != Count; ++I)
      Result += read(Each.Counters[Numbers[I]]);
    return Result;
  };
  if (std::all_of(Each.Counters, Each.Counters + Each.NumCounters,
                  [](const std::int64_t &Counter) { return read(Counter) == 0; }))
    return;
  Into.open('{');
  Into.text(Of.Source, Unit);
  Into.text(Each.Name, Function);
  Into.open('{', Unknowns);
  for (std::uint32_t I = 0; I != Each.NumUnknowns; ++I) {
    const ErgonUnknown &Row = Each.Unknowns[I];
    const std::int64_t Over = Add(Row.Counters, Row.NumOver),
                       Under = Add(Row.Counters + Row.NumOver, Row.NumUnder);
    if (Over == 0 && Under == 0)
      continue;
    Into.open('{', Row.Symbol);
    Into.number(Over, Sum);
    Into.number(Under, Times);
    Into.close('}');
  }
  Into.close('}');
  Into.close('}');
}

void writeCounters(Output &Into) {
  using namespace run_keys;
  // Threads that nobody told of added up in ways that disturb each other.
  const bool IsCertain = HasThreads || __libc_single_threaded;
  Into.open('[', Functions);
  if (IsCertain)
    forEachFunction([&](const ErgonCountedUnit &Of, const ErgonCountedFunction &Each) {
      writeFunction(Into, Of, Each);
    });
  Into.close(']');
  if (!IsCertain && Units.load())
    Into.text("threads began that the runtime did not see: it has to come before the C library",
              Uncounted);
}

void countWithThreads() {
  if (!HasThreads.exchange(true))
    for (Node *Each = Units; Each; Each = Each->Next)
      tell(*Each->Unit);
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
  if (HasThreads)
    tell(*Unit);
}

void ergon_retire_counters(const ErgonCountedUnit *Unit) {
  for (Node *Each = Units; Each; Each = Each->Next)
    if (Each->Unit == Unit)
      Each->Unit = &(new Retired(*Unit))->Unit; // as long as the process lives
}
