//===- warp_trace.cpp - requests of warps under the shim ------------------===//
//
// Under SHIM_TRACE the lanes of a warp run in step: at each access a lane waits until all
// others of its warp are at one too, at a barrier, or at their end. Those that are at the
// place and in the iterations of loops that come first then go on together: a request. What
// it takes is counted from its addresses: sectors and lines of 32 and 128 bytes, passes
// through 32 banks of 4 bytes, addresses.
//
// A place is the chain of return addresses below the access. Compile what has kernels with
// -O0, so that nothing is inlined and code lies in the source's order; both with frame
// pointers. An access in the condition of a loop is taken for one of the iteration before.
//===----------------------------------------------------------------------===//
#include <set>

#define SHIM_TRACE 1
#include "../cuda_shim.h"

#undef for
#undef while

namespace shim {

/// Outermost first.
using Place = std::vector<std::uintptr_t>;
/// Loops around an access with the number of the iteration, outermost first, then the access.
using Moment = std::vector<std::pair<Place, long>>;

struct Lane {
  bool Waits = false;
  Moment Loops, At;
  const char *Kind, *Space;
  std::uintptr_t Address;
  std::size_t Bytes;
};
static std::vector<Lane> Lanes;

static Lane &mine() {
  Lanes.resize(Fibers.size());
  return Lanes[Current];
}

static Place placeOf(void *Caller) {
  Place Result;
  const char *Stack = Fibers[Current].Stack.get();
  auto *Frame = static_cast<std::uintptr_t *>(Caller);
  auto OnStack = [&] {
    auto *Byte = reinterpret_cast<char *>(Frame);
    return Byte >= Stack && Byte < Stack + StackBytes;
  };
  for (; OnStack(); Frame = reinterpret_cast<std::uintptr_t *>(Frame[0]))
    Result.push_back(Frame[1]);
  std::reverse(Result.begin(), Result.end());
  return Result;
}

Loop::Loop() { mine().Loops.emplace_back(placeOf(__builtin_frame_address(0)), -1); }
Loop::~Loop() { mine().Loops.pop_back(); }
void Loop::next() { ++mine().Loops.back().second; }

static void countRequest(const std::vector<unsigned> &Of) {
  const Lane &Any = Lanes[Of.front()];
  bool IsAtomic = Any.Kind == std::string("atomic"), IsLocal = Any.Space == std::string("local");
  RequestSums &Sums =
      Requests[std::string(Any.Kind) + " " + Any.Space + " " + std::to_string(Any.Bytes)];
  Sums.Requests += 1;
  Sums.Threads += long(Of.size());
  std::set<std::uintptr_t> Sectors, Lines, Addresses;
  // Lanes whose words are fetched at once: all, a half or a quarter of the warp.
  std::map<unsigned, std::map<unsigned, std::multiset<std::uintptr_t>>> Banks;
  unsigned Together = Any.Bytes <= 4 ? 32 : 128 / unsigned(Any.Bytes);
  for (unsigned Number : Of) {
    const Lane &Each = Lanes[Number];
    Addresses.insert(Each.Address);
    for (std::size_t Byte = 0; Byte != Each.Bytes; ++Byte) {
      std::uintptr_t At = Each.Address + Byte;
      if (IsLocal) { // words of the lanes side by side
        At -= reinterpret_cast<std::uintptr_t>(LocalMemory[Number].data());
        At = At / 4 * 128 + Number % 32 * 4 + At % 4;
      }
      Sectors.insert(At / 32);
      Lines.insert(At / 128);
      auto &Words = Banks[Number % 32 / Together][At / 4 % 32];
      if (Byte % 4 == 0 && (IsAtomic || !Words.contains(At / 4)))
        Words.insert(At / 4);
    }
  }
  Sums.Sectors += long(Sectors.size());
  Sums.Lines += long(Lines.size());
  Sums.Addresses += long(Addresses.size());
  for (const auto &[Group, Words] : Banks) {
    std::size_t Most = 0;
    for (const auto &[Bank, In] : Words)
      Most = std::max(Most, In.size());
    Sums.Passes += long(Most);
  }
}

/// Lets those lanes of the warp go on that come first, if none is still on its way.
static void tryRequest(unsigned Warp) {
  unsigned Past = std::min<unsigned>(Warp * 32 + 32, unsigned(Fibers.size()));
  for (unsigned I = Warp * 32; I != Past; ++I)
    if (!Fibers[I].Done && !Lanes[I].Waits && !Fibers[I].isHeld())
      return;
  std::vector<unsigned> First;
  for (unsigned I = Warp * 32; I != Past; ++I) {
    if (!Lanes[I].Waits)
      continue;
    if (!First.empty() && Lanes[I].At < Lanes[First[0]].At)
      First.clear();
    if (First.empty() || Lanes[I].At == Lanes[First[0]].At)
      First.push_back(I);
  }
  countRequest(First);
  for (unsigned I : First)
    Lanes[I].Waits = false;
}

void traceAccess(const char *Kind, const char *Space, const void *Address, std::size_t Bytes) {
  Lane &Me = mine();
  unsigned Number = Current;
  Me.Waits = true;
  Me.At = Me.Loops;
  Me.At.emplace_back(placeOf(__builtin_frame_address(0)), 0);
  Me.Kind = Kind;
  Me.Space = Space;
  Me.Address = reinterpret_cast<std::uintptr_t>(Address);
  Me.Bytes = Bytes;
  while (true) {
    tryRequest(Number / 32);
    if (!Lanes[Number].Waits)
      return;
    yield();
  }
}

} // namespace shim
