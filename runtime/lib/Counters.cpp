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

std::uint32_t perSlot(const ErgonCallSite &Of) { return 2 + Of.NumArguments; }
std::uint32_t sizeOf(const ErgonCallSite &Of) { return (Of.NumSlots + 1) * perSlot(Of); }

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
      auto &Called = Sites.emplace_back(Each.Sites, Each.Sites + Each.NumSites);
      for (ErgonCallSite &Site : Called) {
        Site.Symbol = Keep(Site.Symbol);
        Site.Slots = Counters.emplace_back(Site.Slots, Site.Slots + sizeOf(Site)).data();
        Site.Arguments =
            Numbers.emplace_back(Site.Arguments, Site.Arguments + Site.NumArguments).data();
      }
      Each.Sites = Called.data();
    }
    Targets.assign(Of.Targets, Of.Targets + Of.NumTargets);
    Unit.Targets = Targets.data();
    for (ErgonTarget &Each : Targets)
      Each.Name = Keep(Each.Name);
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

namespace {
struct FoundTarget {
  const char *Name = nullptr, *Unit = nullptr;
};
} // namespace

/// The function at \p Address, and its unit where it is local to it.
static FoundTarget targetAt(std::int64_t Address, bool InHandler) {
  for (Node *Each = Units; Each; Each = Each->Next) {
    const ErgonCountedUnit *Unit = Each->Unit;
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

static void writeSite(Output &Into, const ErgonCallSite &Of, bool InHandler) {
  using namespace run_keys;
  auto At = [&](std::uint32_t Slot, std::uint32_t Number) {
    return read(Of.Slots[Slot * perSlot(Of) + Number]);
  };
  Into.open('[', Of.Symbol);
  for (std::uint32_t I = 0; I <= Of.NumSlots; ++I) {
    if (At(I, 1) == 0)
      continue;
    const FoundTarget Found = I == Of.NumSlots ? FoundTarget{} : targetAt(At(I, 0), InHandler);
    Into.open('{');
    if (Found.Name)
      Into.text(Found.Name, Function);
    if (Found.Unit)
      Into.text(Found.Unit, Unit);
    Into.number(At(I, 1), Times);
    if (Of.NumArguments != 0) {
      Into.open('{', Sums);
      for (std::uint32_t J = 0; J != Of.NumArguments; ++J) {
        char Number[12] = {};
        std::to_chars(Number, std::end(Number) - 1, Of.Arguments[J]);
        Into.number(At(I, 2 + J), Number);
      }
      Into.close('}');
    }
    Into.close('}');
  }
  Into.close(']');
}

static bool hasRun(const ErgonCountedFunction &Of) {
  auto IsCounted = [](const std::int64_t &Counter) { return read(Counter) != 0; };
  return std::any_of(Of.Counters, Of.Counters + Of.NumCounters, IsCounted) ||
         std::any_of(Of.Sites, Of.Sites + Of.NumSites, [&](const ErgonCallSite &Site) {
           return std::any_of(Site.Slots, Site.Slots + sizeOf(Site), IsCounted);
         });
}

/// Keeps what \p Of has counted. Another module may be loaded at the addresses of its functions, so
/// all slots replace these addresses by those of the kept rows.
static const ErgonCountedUnit &retire(const ErgonCountedUnit &Of) {
  auto *Kept = new Retired(Of);
  for (ErgonTarget &Target : Kept->Targets) {
    auto Move = [&](const ErgonCallSite &Site) {
      for (std::uint32_t I = 0; I != Site.NumSlots; ++I)
        if (std::int64_t &Slot = Site.Slots[I * perSlot(Site)];
            Slot == reinterpret_cast<std::int64_t>(Target.Address))
          std::atomic_ref(Slot).store(reinterpret_cast<std::int64_t>(&Target),
                                      std::memory_order_relaxed);
    };
    forEachFunction([&](const ErgonCountedUnit &, const ErgonCountedFunction &Each) {
      std::for_each(Each.Sites, Each.Sites + Each.NumSites, Move);
    });
    for (const std::vector<ErgonCallSite> &Sites : Kept->Sites)
      std::for_each(Sites.begin(), Sites.end(), Move);
    Target.Address = &Target;
  }
  return Kept->Unit;
}

static void writeFunction(Output &Into, const ErgonCountedUnit &Of,
                          const ErgonCountedFunction &Each, bool InHandler) {
  using namespace run_keys;
  auto Add = [&](const std::uint32_t *Numbers, std::uint32_t Count) {
    std::int64_t Result = 0;
    for (std::uint32_t I = 0; I != Count; ++I)
      Result += read(Each.Counters[Numbers[I]]);
    return Result;
  };
  if (!hasRun(Each))
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
  if (Each.NumSites != 0) {
    Into.open('{', Calls);
    for (std::uint64_t I = 0; I != Each.NumSites; ++I)
      if (std::any_of(Each.Sites[I].Slots, Each.Sites[I].Slots + sizeOf(Each.Sites[I]),
                      [](const std::int64_t &Counter) { return read(Counter) != 0; }))
        writeSite(Into, Each.Sites[I], InHandler);
    Into.close('}');
  }
  Into.close('}');
}

void writeCounters(Output &Into, bool InHandler) {
  using namespace run_keys;
  // Threads that the runtime does not know of have added to the same counters without atomics.
  const bool IsCertain = HasThreads || __libc_single_threaded;
  Into.open('[', Functions);
  if (IsCertain)
    forEachFunction([&](const ErgonCountedUnit &Of, const ErgonCountedFunction &Each) {
      writeFunction(Into, Of, Each, InHandler);
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
    for (std::uint64_t I = 0; I != Each.NumSites; ++I)
      std::fill(Each.Sites[I].Slots, Each.Sites[I].Slots + sizeOf(Each.Sites[I]), 0);
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
      Each->Unit = &retire(*Unit); // as long as the process lives
}
