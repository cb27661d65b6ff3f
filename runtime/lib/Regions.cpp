//===- Regions.cpp - the regions of all threads ---------------------------===//
//
// Each thread has a tree of nodes, one for each path of names that it came by, with the time that
// it spent there and not further in. The trees' nodes of one path stand in one list of that path,
// which sums them for the run record. A thread that ends leaves its tree, numbers included, to the
// next one. Nothing is ever taken out of a list, so that a signal handler can walk all of them.
//
// Energy: a thread's epoch of a meter goes from the reading that it saw last to the next one that
// it sees. What the meter counted in between is shared among the nodes by the time that they had in
// it. So what the nodes of a thread get adds up to what the meter counted in the thread's life.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Regions.h"
#include "formats/RunKeys.h"
#include "runtime/ergon.h"
#include "runtime/lib/Metering.h"
#include "runtime/lib/Output.h"
#include "runtime/lib/Process.h"
#include "runtime/lib/RunRecord.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>
#include <sched.h>

namespace ergon::runtime {
namespace {

constexpr std::uint32_t MaxDepth = 200;

/// A number of one thread's that others may read.
class Cell {
public:
  operator std::int64_t() const { return Value.load(std::memory_order_relaxed); }
  std::int64_t operator=(std::int64_t Now) {
    Value.store(Now, std::memory_order_relaxed);
    return Now;
  }
  void operator+=(std::int64_t More) { *this = *this + More; }

private:
  std::atomic<std::int64_t> Value = 0;
};

struct Node;

/// A path of names. The sums are scratch of whoever writes the run record.
struct Path {
  Path *Parent;
  Path *Before, *NextSibling;
  std::atomic<Path *> After = nullptr, FirstChild = nullptr;
  std::atomic<Node *> Nodes = nullptr;
  std::uint32_t Depth;
  const char *Name;
  std::int64_t Count = 0, Threads = 0, Time = 0;
  std::int64_t *Energy; ///< by meter
};

/// What a node has of one meter.
struct Share {
  Cell Energy; ///< nJ of epochs that are over
  Cell Time;   ///< in the epoch that is not, without what Node::Counted does not have
};

struct Node {
  Path *Of;
  Node *Parent;
  Node *FirstChild, *NextSibling;
  Node *Recent;      ///< the child that was entered last
  Node *NextOfPath;  ///< of any thread
  Node *NextOfTree;  ///< of this one
  Node *NextInEpoch; ///< of those with time in an epoch that is not over
  bool IsInEpoch;
  Cell Count, Threads, LastThread;
  Cell Time;     ///< ns in it and not further in
  Cell Counted;  ///< how much of Time is in the shares
  Share *Shares; ///< by meter
};

/// A thread's epoch of one meter.
struct Epoch {
  Cell From;      ///< ns
  Cell ReadingAt; ///< the last reading that was shared out; 0: none, as there was none
  Cell Energy;    ///< nJ at that reading

  /// \p Otherwise: when it begins where there is no reading.
  void start(const Reading &Now, std::int64_t Otherwise) {
    From = Now.At ? Now.At : Otherwise;
    ReadingAt = Now.At;
    Energy = Now.Energy;
  }
};

/// The regions of a thread, and of those that had its tree before it.
struct Tree {
  Tree *Next;
  std::atomic<bool> IsOwned = true;
  std::int64_t Thread = 0; ///< a number of its own for each thread
  Node *Root = nullptr;
  std::atomic<Node *> Nodes = nullptr;
  std::atomic<Node *> Current = nullptr; ///< none while no thread owns it
  Cell Last;                             ///< until when time has been given to nodes
  Node *InEpoch = nullptr;
  std::uint32_t Seen = 0, Beyond = 0;
  Cell Mistakes, TooDeep;
  Epoch *Epochs;

  Node *makeNode(Path *Of, Node *Parent);
  Node *child(const char *Name);
  void begin(const char *Name);
  void end(const char *Name);
  void pass();
  std::int64_t settle(std::int64_t Now);
  void shareOut(std::uint32_t Meter);
  void touch(Node *Each) {
    if (Each->IsInEpoch)
      return;
    Each->IsInEpoch = true;
    Each->NextInEpoch = InEpoch;
    InEpoch = Each;
  }
  void enter(Node *Into) {
    if (Into->LastThread != Thread) {
      Into->LastThread = Thread;
      Into->Threads += 1;
    }
    Into->Count += 1;
    Current = Into;
  }
  /// Calls \p Give(node, nJ) for what each node gets of the epoch that \p Now ends. \p Next walks
  /// the nodes. Returns the epoch's end, or 0 where no time has passed.
  template <typename Walk, typename Function>
  std::int64_t forEachShare(std::uint32_t Meter, const Reading &Now, Node *From, Walk Next,
                            Function Give) const;
};

std::atomic<Tree *> Trees;
std::atomic<std::int64_t> NumThreads;
std::atomic<Path *> AllPaths, LastPath; // in the order in which they were made
std::atomic_flag IsMakingPath;
pthread_key_t AtThreadEnd;
[[gnu::tls_model("initial-exec")]] thread_local Tree *Mine;

//===----------------------------------------------------------------------===//
// Paths and nodes
//===----------------------------------------------------------------------===//

/// A T with \p More bytes behind it that are zero; none where memory is used up.
template <typename T> T *allocate(std::size_t More) {
  void *At = std::calloc(1, sizeof(T) + More);
  return At ? new (At) T() : nullptr;
}

/// The path of that name inside \p Parent; none where memory is used up.
Path *findPath(Path *Parent, const char *Name) {
  while (IsMakingPath.test_and_set(std::memory_order_acquire))
    sched_yield();
  Path *Result = Parent ? Parent->FirstChild.load() : AllPaths.load();
  while (Result && Parent && std::strcmp(Result->Name, Name) != 0)
    Result = Result->NextSibling;
  if (!Result) {
    const std::size_t Sums = numMeters() * sizeof(std::int64_t), Length = std::strlen(Name) + 1;
    if ((Result = allocate<Path>(Sums + Length))) {
      Result->Energy = reinterpret_cast<std::int64_t *>(Result + 1);
      Result->Name = reinterpret_cast<char *>(Result->Energy + numMeters());
      std::memcpy(reinterpret_cast<char *>(Result->Energy + numMeters()), Name, Length);
      Result->Parent = Parent;
      Result->Depth = Parent ? Parent->Depth + 1 : 0;
      Result->Before = LastPath;
      (Result->Before ? Result->Before->After : AllPaths) = Result;
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

Node *Tree::makeNode(Path *Of, Node *Parent) {
  Node *Result = Of ? allocate<Node>(numMeters() * sizeof(Share)) : nullptr;
  if (!Result)
    return nullptr;
  Result->Shares = reinterpret_cast<Share *>(Result + 1);
  Result->Of = Of;
  Result->Parent = Parent;
  if (Parent) {
    Result->NextSibling = Parent->FirstChild;
    Parent->FirstChild = Result;
  }
  Result->NextOfTree = Nodes;
  Nodes = Result;
  Result->NextOfPath = Of->Nodes;
  while (!Of->Nodes.compare_exchange_weak(Result->NextOfPath, Result))
    ;
  return Result;
}

/// The node of that name in the current one. Most often it is the one after the child that was
/// entered last, or that one again.
Node *Tree::child(const char *Name) {
  Node *In = Current, *Start = In->Recent;
  if (Node *Each = Start) {
    do {
      if (std::strcmp(Each->Of->Name, Name) == 0)
        return Each;
      Each = Each->NextSibling ? Each->NextSibling : In->FirstChild;
    } while (Each != Start);
  }
  return In->Of->Depth == MaxDepth ? nullptr : makeNode(findPath(In->Of, Name), In);
}

//===----------------------------------------------------------------------===//
// Time and energy
//===----------------------------------------------------------------------===//

template <typename Walk, typename Function>
std::int64_t Tree::forEachShare(std::uint32_t Meter, const Reading &Now, Node *From, Walk Next,
                                Function Give) const {
  const Epoch &Of = Epochs[Meter];
  // What the thread has passed since the reading is in the epoch: it is in the nodes.
  const std::int64_t End = std::max<std::int64_t>(Now.At, Last), Length = End - Of.From;
  if (Length <= 0)
    return 0;
  const __int128 Energy = Now.Energy - (Of.ReadingAt ? Of.Energy : firstReading(Meter).Energy);
  std::int64_t Time = 0, Given = 0; // of all nodes so far: no nJ is lost in rounding
  for (Node *Each = From; Each; Each = Next(Each)) {
    Time += Each->Shares[Meter].Time + Each->Time - Each->Counted;
    if (Each == Current)
      Time += End - Last;
    const auto Sum = std::int64_t(Energy * Time / Length);
    Give(Each, Sum - Given);
    Given = Sum;
  }
  return End;
}

/// Shares out what a meter has counted up to its latest reading. All time is in the shares.
void Tree::shareOut(std::uint32_t Meter) {
  const Reading Now = lastReading(Meter);
  Epoch &Of = Epochs[Meter];
  if (Now.At == Of.ReadingAt)
    return; // or there is none
  Node *Running = Current;
  auto Next = [](Node *Each) { return Each->NextInEpoch; };
  const std::int64_t End =
      forEachShare(Meter, Now, InEpoch, Next, [&](Node *Each, std::int64_t Energy) {
        Each->Shares[Meter].Energy += Energy;
        Each->Shares[Meter].Time = 0;
      });
  if (!End)
    return;
  if (Running)
    Running->Shares[Meter].Time = Last - End; // the rest of its time is in the next epoch
  Of.From = End;
  Of.ReadingAt = Now.At;
  Of.Energy = Now.Energy;
}

/// There are new readings. Returns the time from which on nothing has been given to a node: now, or
/// that of a reading that came after it was told.
std::int64_t Tree::settle(std::int64_t Now) {
  Seen = ReadingsTaken.load(std::memory_order_acquire);
  if (Current)
    touch(Current);
  for (Node *Each = InEpoch; Each; Each = Each->NextInEpoch) {
    const std::int64_t More = Each->Time - Each->Counted;
    for (std::uint32_t I = 0; I != numMeters(); ++I)
      Each->Shares[I].Time += More;
    Each->Counted += More;
  }
  for (std::uint32_t I = 0; I != numMeters(); ++I) {
    shareOut(I);
    Now = std::max<std::int64_t>(Now, Epochs[I].From);
  }
  Node *Each = InEpoch;
  for (InEpoch = nullptr; Each;) {
    Node *Next = Each->NextInEpoch;
    Each->IsInEpoch = false;
    if (std::any_of(Each->Shares, Each->Shares + numMeters(),
                    [](const Share &Of) { return Of.Time != 0; }))
      touch(Each);
    Each = Next;
  }
  return Now;
}

/// The time since the last event has passed in the current node.
void Tree::pass() {
  std::int64_t Now = now();
  if (Now >= NewsAt.load(std::memory_order_relaxed))
    readDueMeters(Now);
  if (ReadingsTaken.load(std::memory_order_acquire) != Seen)
    Now = settle(Now);
  Node *In = Current;
  touch(In);
  In->Time += Now - Last;
  Last = Now;
}

void Tree::begin(const char *Name) {
  if (!Beyond)
    pass();
  Node *Into = Beyond ? nullptr : child(Name);
  if (!Into) {
    ++Beyond;
    TooDeep += 1;
    return;
  }
  Current.load()->Recent = Into;
  enter(Into);
}

void Tree::end(const char *Name) {
  if (Beyond) {
    --Beyond;
    return;
  }
  Node *In = Current;
  if (In == Root || std::strcmp(In->Of->Name, Name) != 0) {
    Mistakes += 1;
    return;
  }
  pass();
  Current = In->Parent;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// A tree that no thread has, or a new one; none where memory is used up.
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
  for (Path *Each = AllPaths; Each; Each = Each->After) {
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
  IsMakingPath.clear();
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
  for (const Path *Each = AllPaths; Each; Each = Each->After) {
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
