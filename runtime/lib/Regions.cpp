//===- Regions.cpp - the regions of all threads ---------------------------===//

#include "runtime/lib/Regions.h"
#include "formats/run/RunKeys.h"
#include "runtime/ergon.h"
#include "runtime/lib/Output.h"
#include "runtime/lib/RegionTree.h"
#include "runtime/lib/Switch.h"
#include "runtime/lib/Time.h"

#include <algorithm>
#include <atomic>
#include <pthread.h>

namespace ergon::runtime {
namespace {

std::atomic<Tree *> Trees;
std::atomic<std::int64_t> NumThreads;
pthread_key_t AtThreadEnd;
[[gnu::tls_model("initial-exec")]] thread_local Tree *Mine;

/// A tree without a thread, or a new one; null where memory is used up.
Tree *takeTree() {
  for (Tree *Each = Trees; Each; Each = Each->Next)
    if (bool IsOwned = false; Each->IsOwned.compare_exchange_strong(IsOwned, true))
      return Each;
  Tree *Result = allocate<Tree>(numMeters() * sizeof(Epoch));
  if (!Result)
    return nullptr;
  Result->Epochs = reinterpret_cast<Epoch *>(Result + 1);
  Result->IsOwned = true;
  Result->Root = Result->makeNode(findPath(nullptr, ""), nullptr);
  if (!Result->Root)
    return nullptr;
  for (std::uint32_t I = 0; I != numMeters(); ++I)
    Result->Epochs[I].start(lastReading(I), now());
  Result->Next = Trees;
  while (!Trees.compare_exchange_weak(Result->Next, Result))
    ;
  return Result;
}

/// The calling thread's tree.
Tree *tree() {
  if (Mine)
    return Mine;
  Tree *Result = takeTree();
  if (!Result)
    return nullptr;
  Result->settle(0); // what the thread before has left
  Result->Thread = ++NumThreads;
  Result->Beyond = 0;
  Result->Last = now();
  Result->enter(Result->Root);
  pthread_setspecific(AtThreadEnd, Result);
  return Mine = Result;
}

void leaveTree(void *Of) {
  Tree &Left = *static_cast<Tree *>(Of);
  Left.pass();
  Left.Current = nullptr;
  Mine = nullptr;
  Left.IsOwned.store(false, std::memory_order_release);
}

/// The calling thread has been in its current region since the process began, and for the meters
/// since the first reading of each.
void beginEpochs(Tree &Of) {
  Of.Last = startOfRun();
  for (std::uint32_t I = 0; I != numMeters(); ++I) {
    Of.Epochs[I].start(firstReading(I), Of.Last);
    Of.Current.load()->Shares[I].Time = Of.Last - Of.Epochs[I].From;
  }
}

void clear(Tree &Of) {
  for (Node *In = Of.Nodes; In; In = In->NextOfTree) {
    for (Cell *Each : {&In->Count, &In->Threads, &In->LastThread, &In->Time, &In->Counted})
      *Each = 0;
    for (std::uint32_t I = 0; I != numMeters(); ++I)
      In->Shares[I].Energy = In->Shares[I].Time = 0;
    In->IsInEpoch = false;
  }
  Of.InEpoch = nullptr;
  Of.Mistakes = Of.TooDeep = 0;
  for (std::uint32_t I = 0; I != numMeters(); ++I)
    Of.Epochs[I].start(lastReading(I), now());
}

/// Sums all trees, with what runs in them now, path by path.
void sumUp() {
  for (Path *Each = FirstPath; Each; Each = Each->After) {
    Each->Count = Each->Threads = Each->Time = 0;
    std::fill_n(Each->Energy, numMeters(), 0);
  }
  const std::int64_t Now = now();
  auto Next = [](Node *Each) { return Each->NextOfTree; };
  for (const Tree *In = Trees; In; In = In->Next) {
    for (Node *Each = In->Nodes; Each; Each = Next(Each)) {
      Path &Into = *Each->Of;
      Into.Count += Each->Count;
      Into.Threads += Each->Threads;
      Into.Time += Each->Time + (Each == In->Current ? Now - In->Last : 0);
      for (std::uint32_t I = 0; I != numMeters(); ++I)
        Into.Energy[I] += Each->Shares[I].Energy;
    }
    for (std::uint32_t I = 0; I != numMeters(); ++I)
      if (const Reading Latest = lastReading(I); Latest.At != In->Epochs[I].ReadingAt)
        In->forEachShare(I, Latest, In->Nodes, Next,
                         [&](Node *Each, std::int64_t Energy) { Each->Of->Energy[I] += Energy; });
  }
  // A path is made after the one around it.
  for (const Path *Each = LastPath; Each; Each = Each->Before)
    if (Path *Around = Each->Parent) {
      Around->Time += Each->Time;
      for (std::uint32_t I = 0; I != numMeters(); ++I)
        Around->Energy[I] += Each->Energy[I];
    }
}

} // namespace

void startRegions() {
  static const bool HasKey = pthread_key_create(&AtThreadEnd, leaveTree) == 0;
  if (Tree *First = HasKey ? tree() : nullptr)
    beginEpochs(*First);
}

void restartRegions() {
  restartPaths();
  for (Tree *Each = Trees; Each; Each = Each->Next) {
    clear(*Each);
    if (Each == Mine)
      continue;
    Each->Current = nullptr; // its thread is not in this process
    Each->IsOwned = false;
  }
  if (Tree *First = tree()) {
    for (Node *Each = First->Current; Each; Each = Each->Parent) {
      Each->LastThread = First->Thread;
      Each->Threads = 1;
    }
    beginEpochs(*First);
  }
}

void writeRegions(Output &Into) {
  using run_keys::Count, run_keys::Threads, run_keys::Time, run_keys::Energy, run_keys::Mistakes,
      run_keys::TooDeep;
  sumUp();
  Into.open('[', run_keys::Regions);
  for (const Path *Each = FirstPath; Each; Each = Each->After) {
    if (!Each->Threads)
      continue;
    Into.open('{');
    Into.open('[', run_keys::Path);
    const Path *Names[MaxDepth], *In = Each;
    for (std::uint32_t I = Each->Depth; I != 0; In = In->Parent)
      Names[--I] = In;
    for (std::uint32_t I = 0; I != Each->Depth; ++I)
      Into.text(Names[I]->Name);
    Into.close(']');
    Into.number(Each->Count, Count);
    Into.number(Each->Threads, Threads);
    Into.billionths(Each->Time, Time);
    Into.open('{', Energy);
    for (std::uint32_t I = 0; I != numMeters(); ++I)
      if (lastReading(I).At)
        Into.billionths(Each->Energy[I], meterName(I));
    Into.close('}');
    Into.close('}');
  }
  Into.close(']');
  std::int64_t AllMistakes = 0, AllTooDeep = 0;
  for (const Tree *Each = Trees; Each; Each = Each->Next) {
    AllMistakes += Each->Mistakes;
    AllTooDeep += Each->TooDeep;
  }
  Into.number(AllMistakes, Mistakes);
  Into.number(AllTooDeep, TooDeep);
}

} // namespace ergon::runtime

using namespace ergon::runtime;

void ergon_region_begin(const char *Name) {
  if (isOn())
    if (Tree *Of = tree())
      Of->begin(Name ? Name : "");
}

void ergon_region_end(const char *Name) {
  if (isOn())
    if (Tree *Of = tree())
      Of->end(Name ? Name : "");
}
