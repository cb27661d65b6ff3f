//===- RegionTree.h - the regions of one thread -----------------*- C++ -*-===//
//
// Each thread has a tree of nodes. A node stands for a path of region names, and has the time that
// the thread spent in that region outside of inner ones. Paths are common to all threads, so that
// the run record can sum nodes without memory of its own. A thread that ends leaves its tree,
// numbers included, to the next one. Lists only grow, so that a signal handler can walk all of
// them.
//
// Energy: a thread's epoch of a meter goes from the reading that it saw last to the next one that
// it sees. What the meter counted in between is shared among the nodes by the time that they had in
// it. So what the nodes of a thread get adds up to what the meter counted in the thread's life.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/lib/Metering.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace ergon::runtime {

inline constexpr std::uint32_t MaxDepth = 200;

/// A number that one thread writes and others may read.
class Cell {
public:
  /// Reads and writes by the owner; other threads see one of the values that were written, in no
  /// order with other cells.
  operator std::int64_t() const { return Value.load(std::memory_order_relaxed); }
  std::int64_t operator=(std::int64_t Now) {
    Value.store(Now, std::memory_order_relaxed);
    return Now;
  }
  void operator+=(std::int64_t More) { *this = *this + More; }

private:
  std::atomic<std::int64_t> Value = 0;
};

/// A path of names, for all threads. The sums are scratch memory of the writer of the run record.
struct Path {
  Path *Parent;
  Path *Before, *NextSibling;
  std::atomic<Path *> After = nullptr, FirstChild = nullptr;
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
  Path *Region;
  Node *Parent;
  Node *FirstChild, *NextSibling;
  Node *Recent; ///< the child that was entered last
  Node *NextOfTree;
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
    From = Now.TimeNs ? Now.TimeNs : Otherwise;
    ReadingAt = Now.TimeNs;
    Energy = Now.EnergyNj;
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
  std::uint32_t Seen = 0, Excess = 0;
  Cell Mistakes, TooDeep;
  Epoch *Epochs;

  /// A new node of the path \p P below \p Parent; null where memory is used up.
  Node *makeNode(Path *P, Node *Parent);
  /// The node of that name below the current one, made where there is none. Null at MaxDepth, or
  /// where memory is used up.
  Node *child(const char *Name);
  /// Enters a region of that name: the time since the last event goes to the node that is left.
  void begin(const char *Name);
  /// Leaves the current region; a name that is not its own is a mistake and leaves nothing.
  void end(const char *Name);
  /// Gives the time since the last event to the current node, and reads meters that are due.
  void pass();
  /// Begins new epochs after meters were read. Returns the time, in ns, up to which all time is
  /// given to nodes.
  std::int64_t settle(std::int64_t Now);
  /// Gives the energy of one meter's epoch that has ended to the nodes, in proportion to their time
  /// in it.
  void shareOut(std::uint32_t Meter);
  /// Puts a node on the list of those that had time in the current epoch.
  void touch(Node *N) {
    if (N->IsInEpoch)
      return;
    N->IsInEpoch = true;
    N->NextInEpoch = InEpoch;
    InEpoch = N;
  }
  /// Makes it the current node and counts the entry, and the thread if it is new there.
  void enter(Node *Result) {
    if (Result->LastThread != Thread) {
      Result->LastThread = Thread;
      Result->Threads += 1;
    }
    Result->Count += 1;
    Current = Result;
  }
  /// Calls \p Give(node, nJ) for what each node gets of the epoch that \p Now ends. \p Next walks
  /// the nodes. Returns the epoch's end, or 0 where no time has passed.
  template <typename Walk, typename Function>
  std::int64_t forEachShare(std::uint32_t Meter, const Reading &Now, Node *From, Walk Next,
                            Function Give) const;
};

/// All paths, in the order in which they were made.
extern std::atomic<Path *> FirstPath, LastPath;
/// The path of that name inside \p Parent, or that of no name; none where memory is used up.
Path *findPath(Path *Parent, const char *Name);
/// In a process that has just been made: no other thread is making one.
void restartPaths();

/// A T with \p More bytes behind it that are zero; none where memory is used up.
template <typename T> T *allocate(std::size_t More) {
  void *V = std::calloc(1, sizeof(T) + More);
  return V ? new (V) T() : nullptr;
}

template <typename Walk, typename Function>
std::int64_t Tree::forEachShare(std::uint32_t Meter, const Reading &Now, Node *From, Walk Next,
                                Function Give) const {
  const Epoch &E = Epochs[Meter];
  // What the thread has passed since the reading is in the epoch: it is in the nodes.
  const std::int64_t End = std::max<std::int64_t>(Now.TimeNs, Last), Length = End - E.From;
  if (Length <= 0)
    return 0;
  const __int128 Energy = Now.EnergyNj - (E.ReadingAt ? E.Energy : firstReading(Meter).EnergyNj);
  std::int64_t Time = 0, Given = 0; // of all nodes so far: no nJ is lost in rounding
  for (Node *N = From; N; N = Next(N)) {
    Time += N->Shares[Meter].Time + N->Time - N->Counted;
    if (N == Current)
      Time += End - Last;
    const auto Sum = std::int64_t(Energy * Time / Length);
    Give(N, Sum - Given);
    Given = Sum;
  }
  return End;
}

} // namespace ergon::runtime
