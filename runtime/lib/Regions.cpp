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
  for (Tree *T = Trees; T; T = T->Next)
    if (bool IsOwned = false; T->IsOwned.compare_exchange_strong(IsOwned, true))
      return T;
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
  Result->Excess = 0;
  Result->Last = now();
  Result->enter(Result->Root);
  pthread_setspecific(AtThreadEnd, Result);
  return Mine = Result;
}

void leaveTree(void *V) {
  Tree &Left = *static_cast<Tree *>(V);
  Left.pass();
  Left.Current = nullptr;
  Mine = nullptr;
  Left.IsOwned.store(false, std::memory_order_release);
}

/// The calling thread has been in its current region since the process began, and for the meters
/// since the first reading of each.
void beginEpochs(Tree &T) {
  T.Last = startOfRun();
  for (std::uint32_t I = 0; I != numMeters(); ++I) {
    T.Epochs[I].start(firstReading(I), T.Last);
    T.Current.load()->Shares[I].Time = T.Last - T.Epochs[I].From;
  }
}

void clear(Tree &T) {
  for (Node *N = T.Nodes; N; N = N->NextOfTree) {
    for (Cell *C : {&N->Count, &N->Threads, &N->LastThread, &N->Time, &N->Counted})
      *C = 0;
    for (std::uint32_t I = 0; I != numMeters(); ++I)
      N->Shares[I].Energy = N->Shares[I].Time = 0;
    N->IsInEpoch = false;
  }
  T.InEpoch = nullptr;
  T.Mistakes = T.TooDeep = 0;
  for (std::uint32_t I = 0; I != numMeters(); ++I)
    T.Epochs[I].start(lastReading(I), now());
}

/// Sums all trees, with what runs in them now, path by path.
void sumUp() {
  for (Path *P = FirstPath; P; P = P->After) {
    P->Count = P->Threads = P->Time = 0;
    std::fill_n(P->Energy, numMeters(), 0);
  }
  const std::int64_t Now = now();
  auto Next = [](Node *N) { return N->NextOfTree; };
  for (const Tree *T = Trees; T; T = T->Next) {
    for (Node *Element = T->Nodes; Element; Element = Next(Element)) {
      Path &Result = *Element->Region;
      Result.Count += Element->Count;
      Result.Threads += Element->Threads;
      Result.Time += Element->Time + (Element == T->Current ? Now - T->Last : 0);
      for (std::uint32_t I = 0; I != numMeters(); ++I)
        Result.Energy[I] += Element->Shares[I].Energy;
    }
    for (std::uint32_t I = 0; I != numMeters(); ++I)
      if (const Reading Latest = lastReading(I); Latest.TimeNs != T->Epochs[I].ReadingAt)
        T->forEachShare(I, Latest, T->Nodes, Next, [&](Node *Entry, std::int64_t Energy) {
          Entry->Region->Energy[I] += Energy;
        });
  }
  // A path is made after the one around it.
  for (const Path *Current = LastPath; Current; Current = Current->Before)
    if (Path *Around = Current->Parent) {
      Around->Time += Current->Time;
      for (std::uint32_t I = 0; I != numMeters(); ++I)
        Around->Energy[I] += Current->Energy[I];
    }
}

} // namespace

void initializeRegions() {
  static const bool HasKey = pthread_key_create(&AtThreadEnd, leaveTree) == 0;
  if (Tree *First = HasKey ? tree() : nullptr)
    beginEpochs(*First);
}

void resetRegionsAfterFork() {
  restartPaths();
  for (Tree *T = Trees; T; T = T->Next) {
    clear(*T);
    if (T == Mine)
      continue;
    T->Current = nullptr; // its thread is not in this process
    T->IsOwned = false;
  }
  if (Tree *First = tree()) {
    for (Node *N = First->Current; N; N = N->Parent) {
      N->LastThread = First->Thread;
      N->Threads = 1;
    }
    beginEpochs(*First);
  }
}

void writeRegions(Output &Out) {
  using run_keys::Count, run_keys::Threads, run_keys::Time, run_keys::Energy, run_keys::Mistakes,
      run_keys::TooDeep;
  sumUp();
  Out.open('[', run_keys::Regions);
  for (const Path *P = FirstPath; P; P = P->After) {
    if (!P->Threads)
      continue;
    Out.open('{');
    Out.open('[', run_keys::Path);
    const Path *Names[MaxDepth], *Input = P;
    for (std::uint32_t I = P->Depth; I != 0; Input = Input->Parent)
      Names[--I] = Input;
    for (std::uint32_t I = 0; I != P->Depth; ++I)
      Out.text(Names[I]->Name);
    Out.close(']');
    Out.number(P->Count, Count);
    Out.number(P->Threads, Threads);
    Out.billionths(P->Time, Time);
    Out.open('{', Energy);
    for (std::uint32_t I = 0; I != numMeters(); ++I)
      if (lastReading(I).TimeNs)
        Out.billionths(P->Energy[I], meterName(I));
    Out.close('}');
    Out.close('}');
  }
  Out.close(']');
  std::int64_t AllMistakes = 0, AllTooDeep = 0;
  for (const Tree *T = Trees; T; T = T->Next) {
    AllMistakes += T->Mistakes;
    AllTooDeep += T->TooDeep;
  }
  Out.number(AllMistakes, Mistakes);
  Out.number(AllTooDeep, TooDeep);
}

} // namespace ergon::runtime

using namespace ergon::runtime;

void ergon_region_begin(const char *Name) {
  if (isOn())
    if (Tree *T = tree())
      T->begin(Name ? Name : "");
}

void ergon_region_end(const char *Name) {
  if (isOn())
    if (Tree *T = tree())
      T->end(Name ? Name : "");
}
