//===- Counters.cpp - the counters of loaded modules ----------------------===//

#include "runtime/lib/Counters.h"
#include "formats/run/RunKeys.h"
#include "runtime/CounterTable.h"
#include "runtime/lib/Output.h"
#include "runtime/lib/Switch.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <span>
#include <string_view>
#include <sys/single_threaded.h>

namespace ergon::runtime {
namespace {

std::uint32_t perSlot(const ErgonCallSite &CallSite) { return 2 + CallSite.NumArguments; }
std::uint32_t sizeOf(const ErgonCallSite &CallSite) {
  return (CallSite.NumSlots + 1) * perSlot(CallSite);
}
std::span<std::int64_t> slots(const ErgonCallSite &CallSite) {
  return {CallSite.Slots, sizeOf(CallSite)};
}

template <typename T> T *copyOf(const T *Rows, std::size_t Number) {
  return std::copy_n(Rows, Number, new T[Number]) - Number;
}
const char *copyOf(const char *Text) { return copyOf(Text, std::strlen(Text) + 1); }

/// A copy of the counts of a module, which outlives the module: as long as the process lives.
ErgonCountedUnit &copyOf(const ErgonCountedUnit &CountedUnit) {
  auto &Unit = *new ErgonCountedUnit(CountedUnit);
  Unit.Source = copyOf(Unit.Source);
  Unit.Checksum = copyOf(Unit.Checksum);
  Unit.IsAlone = new std::uint8_t(1);
  auto *Functions = copyOf(Unit.Functions, Unit.NumFunctions);
  Unit.Functions = Functions;
  for (ErgonCountedFunction &Function : std::span(Functions, Unit.NumFunctions)) {
    Function.Name = copyOf(Function.Name);
    auto *Unknowns = copyOf(Function.Unknowns, Function.NumUnknowns);
    Function.Unknowns = Unknowns;
    for (ErgonUnknown &Row : std::span(Unknowns, Function.NumUnknowns)) {
      Row.Symbol = copyOf(Row.Symbol);
      Row.Counters = copyOf(Row.Counters, Row.NumOver + Row.NumUnder);
    }
    Function.Counters = copyOf(Function.Counters, Function.NumCounters);
    auto *Sites = copyOf(Function.Sites, Function.NumSites);
    Function.Sites = Sites;
    for (ErgonCallSite &Site : std::span(Sites, Function.NumSites)) {
      Site.Symbol = copyOf(Site.Symbol);
      Site.Slots = copyOf(Site.Slots, sizeOf(Site));
      Site.Arguments = copyOf(Site.Arguments, Site.NumArguments);
    }
  }
  return Unit;
}

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
    for (const ErgonCountedFunction &F : std::span(Unit->Functions, Unit->NumFunctions))
      Do(*Unit, F);
  }
}

struct FoundTarget {
  const char *Name = nullptr, *Unit = nullptr;
};
} // namespace

/// The function at \p Address, and its unit where it is local to it.
static FoundTarget targetAt(std::int64_t Address, bool InHandler) {
  for (Node *N = Units; N; N = N->Next) {
    const ErgonCountedUnit *Unit = N->Unit;
    for (const ErgonTarget &Target : std::span(Unit->Targets, Unit->NumTargets))
      if (reinterpret_cast<std::int64_t>(Target.Address) == Address)
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
    const bool IsPointer = std::string_view(CallSite.Symbol).starts_with("call@");
    const FoundTarget Found =
        I == CallSite.NumSlots || !IsPointer ? FoundTarget{} : targetAt(F(I, 0), InHandler);
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

static bool isCounted(const std::int64_t &Counter) { return read(Counter) != 0; }

static bool hasRun(const ErgonCallSite &Site) {
  return std::ranges::any_of(slots(Site), isCounted);
}

static bool hasRun(const ErgonCountedFunction &F) {
  return std::ranges::any_of(std::span(F.Counters, F.NumCounters), isCounted) ||
         std::ranges::any_of(std::span(F.Sites, F.NumSites),
                             [](const ErgonCallSite &Site) { return hasRun(Site); });
}

/// Keeps what \p CountedUnit has counted. Another module may be loaded at the addresses of its
/// functions, so all slots replace these addresses by those of the kept rows.
static const ErgonCountedUnit &retire(const ErgonCountedUnit &CountedUnit) {
  ErgonCountedUnit &Kept = copyOf(CountedUnit);
  auto *Targets = copyOf(Kept.Targets, Kept.NumTargets);
  Kept.Targets = Targets;
  for (ErgonTarget &Target : std::span(Targets, Kept.NumTargets)) {
    auto Move = [&](const ErgonCountedUnit &, const ErgonCountedFunction &F) {
      for (const ErgonCallSite &Site : std::span(F.Sites, F.NumSites))
        for (std::uint32_t I = 0; I != Site.NumSlots; ++I)
          if (std::int64_t &Slot = Site.Slots[I * perSlot(Site)];
              Slot == reinterpret_cast<std::int64_t>(Target.Address))
            std::atomic_ref(Slot).store(reinterpret_cast<std::int64_t>(&Target),
                                        std::memory_order_relaxed);
    };
    forEachFunction(Move);
    for (const ErgonCountedFunction &F : std::span(Kept.Functions, Kept.NumFunctions))
      Move(Kept, F);
    Target.Name = copyOf(Target.Name);
    Target.Address = &Target;
  }
  return Kept;
}

static void writeFunction(Output &Target, const ErgonCountedUnit &CountedUnit,
                          const ErgonCountedFunction &F, bool InHandler) {
  using namespace run_keys;
  auto Add = [&](const std::uint32_t *Numbers, std::uint32_t Count) {
    std::int64_t Result = 0;
    for (std::uint32_t Number : std::span(Numbers, Count))
      Result += read(F.Counters[Number]);
    return Result;
  };
  if (!hasRun(F))
    return;
  Target.open('{');
  Target.text(CountedUnit.Source, Unit);
  Target.text(CountedUnit.Checksum, Checksum);
  Target.text(F.Name, Function);
  Target.open('{', Unknowns);
  for (const ErgonUnknown &Row : std::span(F.Unknowns, F.NumUnknowns)) {
    // Also where both are 0: the reader then knows that control never got there.
    Target.open('{', Row.Symbol);
    Target.number(Add(Row.Counters, Row.NumOver), Sum);
    Target.number(Add(Row.Counters + Row.NumOver, Row.NumUnder), Times);
    Target.close('}');
  }
  Target.close('}');
  if (F.NumSites != 0) {
    Target.open('{', Calls);
    for (const ErgonCallSite &Site : std::span(F.Sites, F.NumSites))
      if (hasRun(Site))
        writeSite(Target, Site, InHandler);
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
    std::fill_n(F.Counters, F.NumCounters, 0);
    for (const ErgonCallSite &Site : std::span(F.Sites, F.NumSites))
      std::ranges::fill(slots(Site), 0);
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
