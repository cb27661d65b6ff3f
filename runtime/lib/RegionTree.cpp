//===- RegionTree.cpp - the regions of one thread -------------------------===//

#include "runtime/lib/RegionTree.h"
#include "runtime/lib/Time.h"

#include <cstring>
#include <sched.h>

namespace ergon::runtime {

std::atomic<Path *> FirstPath, LastPath;
static std::atomic_flag IsMakingPath;

void restartPaths() { IsMakingPath.clear(); }

//===----------------------------------------------------------------------===//
// Paths and nodes
//===----------------------------------------------------------------------===//

Path *findPath(Path *Parent, const char *Name) {
  while (IsMakingPath.test_and_set(std::memory_order_acquire))
    sched_yield();
  Path *Result = Parent ? Parent->FirstChild.load() : FirstPath.load();
  while (Result && Parent && std::strcmp(Result->Name, Name) != 0)
    Result = Result->NextSibling;
  if (!Result) {
    const std::size_t Sums = numMeters() * sizeof(std::int64_t), Length = std::strlen(Name) + 1;
    Result = allocate<Path>(Sums + Length);
    if (Result) {
      Result->Energy = reinterpret_cast<std::int64_t *>(Result + 1);
      Result->Name = reinterpret_cast<char *>(Result->Energy + numMeters());
      std::memcpy(reinterpret_cast<char *>(Result->Energy + numMeters()), Name, Length);
      Result->Parent = Parent;
      Result->Depth = Parent ? Parent->Depth + 1 : 0;
      Result->Before = LastPath;
      (Result->Before ? Result->Before->After : FirstPath) = Result;
      LastPath = Result;
      if (Parent) {
        Result->NextSibling = Parent->FirstChild;
        Parent->FirstChild = Result;
      }
    }
  }
  IsMakingPath.clear(std::memory_order_release);
  return Result;
}

Node *Tree::makeNode(Path *P, Node *Parent) {
  Node *Result = P ? allocate<Node>(numMeters() * sizeof(Share)) : nullptr;
  if (!Result)
    return nullptr;
  Result->Shares = reinterpret_cast<Share *>(Result + 1);
  Result->Region = P;
  Result->Parent = Parent;
  if (Parent) { // in the order in which they come
    Node *&Place = Parent->Recent ? Parent->Recent->NextSibling : Parent->FirstChild;
    Result->NextSibling = Place;
    Place = Result;
  }
  Result->NextOfTree = Nodes;
  Nodes = Result;
  return Result;
}

/// The node of that name in the current one. Most often it is the one after the child that was
/// entered last, or that one again.
Node *Tree::child(const char *Name) {
  Node *N = Current, *Start = N->Recent;
  if (Node *Child = Start) {
    do {
      if (std::strcmp(Child->Region->Name, Name) == 0)
        return Child;
      Child = Child->NextSibling ? Child->NextSibling : N->FirstChild;
    } while (Child != Start);
  }
  return N->Region->Depth == MaxDepth ? nullptr : makeNode(findPath(N->Region, Name), N);
}

//===----------------------------------------------------------------------===//
// Time and energy
//===----------------------------------------------------------------------===//

/// Shares out what a meter has counted up to its latest reading. All time is in the shares.
void Tree::shareOut(std::uint32_t Meter) {
  const Reading Now = lastReading(Meter);
  Epoch &E = Epochs[Meter];
  if (Now.TimeNs == E.ReadingAt)
    return; // or there is none
  Node *Running = Current;
  auto Next = [](Node *N) { return N->NextInEpoch; };
  const std::int64_t End =
      forEachShare(Meter, Now, InEpoch, Next, [&](Node *Child, std::int64_t Energy) {
        Child->Shares[Meter].Energy += Energy;
        Child->Shares[Meter].Time = 0;
      });
  if (!End)
    return;
  if (Running)
    Running->Shares[Meter].Time = Last - End; // the rest of its time is in the next epoch
  E.From = End;
  E.ReadingAt = Now.TimeNs;
  E.Energy = Now.EnergyNj;
}

/// There are new readings. Returns the time from which on nothing has been given to a node: now, or
/// that of a reading that came after it was told.
std::int64_t Tree::settle(std::int64_t Now) {
  Seen = ReadingsTaken.load(std::memory_order_acquire);
  if (Current)
    touch(Current);
  for (Node *N = InEpoch; N; N = N->NextInEpoch) {
    const std::int64_t More = N->Time - N->Counted;
    for (std::uint32_t I = 0; I != numMeters(); ++I)
      N->Shares[I].Time += More;
    N->Counted += More;
  }
  for (std::uint32_t I = 0; I != numMeters(); ++I) {
    shareOut(I);
    Now = std::max<std::int64_t>(Now, Epochs[I].From);
  }
  Node *Child = InEpoch;
  for (InEpoch = nullptr; Child;) {
    Node *Next = Child->NextInEpoch;
    Child->IsInEpoch = false;
    if (std::any_of(Child->Shares, Child->Shares + numMeters(),
                    [](const Share &S) { return S.Time != 0; }))
      touch(Child);
    Child = Next;
  }
  return Now;
}

/// Adds the time since the last event to the current node.
void Tree::pass() {
  std::int64_t Now = now();
  if (Now >= NewsAt.load(std::memory_order_relaxed))
    readDueMeters(Now);
  if (ReadingsTaken.load(std::memory_order_acquire) != Seen)
    Now = settle(Now);
  Node *N = Current;
  touch(N);
  N->Time += Now - Last;
  Last = Now;
}

void Tree::begin(const char *Name) {
  if (!Excess)
    pass();
  Node *Result = Excess ? nullptr : child(Name);
  if (!Result) {
    ++Excess;
    TooDeep += 1;
    return;
  }
  Current.load()->Recent = Result;
  enter(Result);
}

void Tree::end(const char *Name) {
  if (Excess) {
    --Excess;
    return;
  }
  Node *N = Current;
  if (N == Root || std::strcmp(N->Region->Name, Name) != 0) {
    Mistakes += 1;
    return;
  }
  pass();
  Current = N->Parent;
}

} // namespace ergon::runtime
