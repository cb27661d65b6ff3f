//===- Counters.cpp - the counters of loaded modules ----------------------===//

#include "runtime/lib/Counters.h"
#include "formats/run/RunKeys.h"
#include "runtime/CounterTable.h"
#include "runtime/lib/Output.h"
#include "runtime/lib/Switch.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <deque>
#include <dlfcn.h>
#include <iterator>
#include <string>
#include <sys/single_threaded.h>
#include <vector>

namespace ergon::runtime {
namespace {

std::uint32_t perSlot(const ErgonCallSite &CallSite) { return 2 + CallSite.NumArguments; }
std::uint32_t sizeOf(const ErgonCallSite &CallSite) {
  return (CallSite.NumSlots + 1) * perSlot(CallSite);
}

/// A copy of the counts of a module, which outlives the module.
struct Retired {
  std::deque<std::string> Names;
  std::deque<std::vector<ErgonUnknown>> Unknowns;
  std::deque<std::vector<std::uint32_t>> Numbers;
  std::deque<std::vector<std::int64_t>> Counters; ///< and slots
  std::deque<std::vector<ErgonCallSite>> Sites;
  std::vector<ErgonTarget> Targets;
  std::vector<ErgonCountedFunction> Functions;
  ErgonCountedUnit Unit;
  std::uint8_t IsAlone = 1;

  explicit Retired(const ErgonCountedUnit &CountedUnit) : Unit(CountedUnit) {
    auto Keep = [&](const char *Text) { return Names.emplace_back(Text).c_str(); };
    Unit.Source = Keep(CountedUnit.Source);
    Unit.IsAlone = &IsAlone;
    Functions.assign(CountedUnit.Functions, CountedUnit.Functions + CountedUnit.NumFunctions);
    Unit.Functions = Functions.data();
    for (ErgonCountedFunction &Function : Functions) {
      Function.Name = Keep(Function.Name);
      auto &Rows =
          Unknowns.emplace_back(Function.Unknowns, Function.Unknowns + Function.NumUnknowns);
      for (ErgonUnknown &Row : Rows) {
        Row.Symbol = Keep(Row.Symbol);
        auto &List = Numbers.emplace_back(Row.Counters, Row.Counters + Row.NumOver + Row.NumUnder);
        Row.Counters = List.data();
      }
      Function.Unknowns = Rows.data();
      auto &Counts =
          Counters.emplace_back(Function.Counters, Function.Counters + Function.NumCounters);
      Function.Counters = Counts.data();
      auto &Called = Sites.emplace_back(Function.Sites, Function.Sites + Function.NumSites);
      for (ErgonCallSite &Site : Called) {
        Site.Symbol = Keep(Site.Symbol);
        Site.Slots = Counters.emplace_back(Site.Slots, Site.Slots + sizeOf(Site)).data();
        Site.Arguments =
            Numbers.emplace_back(Site.Arguments, Site.Arguments + Site.NumArguments).data();
      }
      Function.Sites = Called.data();
    }
    Targets.assign(CountedUnit.Targets, CountedUnit.Targets + CountedUnit.NumTargets);
    Unit.Targets = Targets.data();
    for (ErgonTarget &Target : Targets)
      Target.Name = Keep(Target.Name);
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
  for (Node *N = Units; N; N = N->Next) {
    const ErgonCountedUnit *Unit = N->Unit;
    for (std::uint32_t I = 0; I != Unit->NumFunctions; ++I)
      Do(*Unit, Unit->Functions[I]);
  }
}

} // namespace

namespace {
struct FoundTarget {
  const char *Name = nullptr, *Unit = nullptr;
};
} // namespace

/// The function at \p Address, and its unit where it is local to it.
static FoundTarget targetAt(std::int64_t Address, bool InHandler) {
  for (Node *N = Units; N; N = N->Next) {
    const ErgonCountedUnit *Unit = N->Unit;
    for (std::uint64_t I = 0; I != Unit->NumTargets; ++I)
      if (const ErgonTarget &Target = Unit->Targets[I];
          reinterpret_cast<std::int64_t>(Target.Address) == Address)
        return {Target.Name, Target.IsLocal ? Unit->Source : nullptr};
  }
  Dl_info Known;
  auto *Code = reinterpret_cast<void *>(Address);
  if (!InHandler && Address && dladdr(Code, &Known) && Known.dli_saddr == Code)
    return {Known.dli_sname, nullptr};
  return {};
}

static void writeSite(Output &Result, const ErgonCallSite &CallSite, bool InHandler) {
  using namespace run_keys;
  auto F = [&](std::uint32_t Slot, std::uint32_t Number) {
    return read(CallSite.Slots[Slot * perSlot(CallSite) + Number]);
  };
  Result.open('[', CallSite.Symbol);
  for (std::uint32_t I = 0; I <= CallSite.NumSlots; ++I) {
    if (F(I, 1) == 0)
      continue;
    const FoundTarget Found = I == CallSite.NumSlots ? FoundTarget{} : targetAt(F(I, 0), InHandler);
    Result.open('{');
    if (Found.Name)
      Result.text(Found.Name, Function);
    if (Found.Unit)
      Result.text(Found.Unit, Unit);
    Result.number(F(I, 1), Times);
    if (CallSite.NumArguments != 0) {
      Result.open('{', Sums);
      for (std::uint32_t J = 0; J != CallSite.NumArguments; ++J) {
        char Number[12] = {};
        std::to_chars(Number, std::end(Number) - 1, CallSite.Arguments[J]);
        Result.number(F(I, 2 + J), Number);
      }
      Result.close('}');
    }
    Result.close('}');
  }
  Result.close(']');
}

static bool hasRun(const ErgonCountedFunction &F) {
  auto IsCounted = [](const std::int64_t &Counter) { return read(Counter) != 0; };
  return std::any_of(F.Counters, F.Counters + F.NumCounters, IsCounted) ||
         std::any_of(F.Sites, F.Sites + F.NumSites, [&](const ErgonCallSite &Site) {
           return std::any_of(Site.Slots, Site.Slots + sizeOf(Site), IsCounted);
         });
}

/// Keeps what \p CountedUnit has counted. Another module may be loaded at the addresses of its
/// functions, so all slots replace these addresses by those of the kept rows.
static const ErgonCountedUnit &retire(const ErgonCountedUnit &CountedUnit) {
  auto *Kept = new Retired(CountedUnit);
  for (ErgonTarget &Target : Kept->Targets) {
    auto Move = [&](const ErgonCallSite &Site) {
      for (std::uint32_t I = 0; I != Site.NumSlots; ++I)
        if (std::int64_t &Slot = Site.Slots[I * perSlot(Site)];
            Slot == reinterpret_cast<std::int64_t>(Target.Address))
          std::atomic_ref(Slot).store(reinterpret_cast<std::int64_t>(&Target),
                                      std::memory_order_relaxed);
    };
    forEachFunction([&](const ErgonCountedUnit &, const ErgonCountedFunction &F) {
      std::for_each(F.Sites, F.Sites + F.NumSites, Move);
    });
    for (const std::vector<ErgonCallSite> &Sites : Kept->Sites)
      std::for_each(Sites.begin(), Sites.end(), Move);
    Target.Address = &Target;
  }
  return Kept->Unit;
}

static void writeFunction(Output &Target, const ErgonCountedUnit &CountedUnit,
                          const ErgonCountedFunction &F, bool InHandler) {
  using namespace run_keys;
  auto Add = [&](const std::uint32_t *Numbers, std::uint32_t Count) {
    std::int64_t Result = 0;
    for (std::uint32_t I = 0; I != Count; ++I)
      Result += read(F.Counters[Numbers[I]]);
    return Result;
  };
  if (!hasRun(F))
    return;
  Target.open('{');
  Target.text(CountedUnit.Source, Unit);
  Target.text(F.Name, Function);
  Target.open('{', Unknowns);
  for (std::uint32_t I = 0; I != F.NumUnknowns; ++I) {
    const ErgonUnknown &Row = F.Unknowns[I];
    const std::int64_t Overflow = Add(Row.Counters, Row.NumOver),
                       Value = Add(Row.Counters + Row.NumOver, Row.NumUnder);
    if (Overflow == 0 && Value == 0)
      continue;
    Target.open('{', Row.Symbol);
    Target.number(Overflow, Sum);
    Target.number(Value, Times);
    Target.close('}');
  }
  Target.close('}');
  if (F.NumSites != 0) {
    Target.open('{', Calls);
    for (std::uint64_t I = 0; I != F.NumSites; ++I)
      if (std::any_of(F.Sites[I].Slots, F.Sites[I].Slots + sizeOf(F.Sites[I]),
                      [](const std::int64_t &Counter) { return read(Counter) != 0; }))
        writeSite(Target, F.Sites[I], InHandler);
    Target.close('}');
  }
  Target.close('}');
}

void writeCounters(Output &Result, bool InHandler) {
  using namespace run_keys;
  // Threads that the runtime does not know of have added to the same counters without atomics.
  const bool IsCertain = HasThreads || __libc_single_threaded;
  Result.open('[', Functions);
  if (IsCertain)
    forEachFunction([&](const ErgonCountedUnit &CountedUnit, const ErgonCountedFunction &F) {
      writeFunction(Result, CountedUnit, F, InHandler);
    });
  Result.close(']');
  if (!IsCertain && Units.load())
    Result.text("threads began that the runtime did not see: it has to come before the C library",
                Uncounted);
}

void countWithThreads() {
  if (!HasThreads.exchange(true))
    for (Node *N = Units; N; N = N->Next)
      tell(*N->Unit);
}

void clearCounters() {
  forEachFunction([](const ErgonCountedUnit &, const ErgonCountedFunction &F) {
    std::fill(F.Counters, F.Counters + F.NumCounters, 0);
    for (std::uint64_t I = 0; I != F.NumSites; ++I)
      std::fill(F.Sites[I].Slots, F.Sites[I].Slots + sizeOf(F.Sites[I]), 0);
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
  for (Node *N = Units; N; N = N->Next)
    if (N->Unit == Unit)
      N->Unit = &retire(*Unit); // as long as the process lives
}
