//===- PastWalk.h - cache contents left by skipped iterations ---*- C++ -*-===//
//
// Caches hold the most recent lines, however those were accessed. A sample skips whole iterations
// and replays only the cache lines that they touch, from the last iteration backward until the
// caches are full. An iteration whose lines a later one touches again is skipped where formulas
// show it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/traffic/AccessStream.h"

namespace ergon {

class PastWalk {
public:
  /// \p Runner runs the counted accesses of \p Stream through \p Caches; all must outlive it.
  PastWalk(const AccessStream &Stream, StreamRunner &Runner, CacheSimulator &Caches);

  /// Brings the caches close to their state after the iterations \p First to \p Last. The counts of
  /// these mean nothing. Returns how many accesses take as much time.
  double run(const StreamNest &Nest, std::int64_t First, std::int64_t Last);

private:
  /// For each access of a loop, the next iteration to visit and the last one.
  struct Room {
    std::vector<std::int64_t> Next, Low;
    std::vector<char> Wanted;
  };
  struct Touch {
    CacheSimulator::Reference Touched;
    bool IsStore;
    std::size_t Mark;
  };
  StreamRunner &Runner;
  CacheSimulator &Caches;
  std::vector<Room> Rooms;
  std::vector<std::vector<const StreamAccess *>> Parts; // by access
  std::vector<Touch> History;                           // the most recent first
  /// A hash table of lines: the line number times 2, plus 1 if it was stored to; 0: empty.
  std::vector<std::uint64_t> Marks;
  std::uint64_t Lines; ///< of the largest cache
  std::uint64_t Looks = 0, Idle = 0, Found = 0;

  bool walk(const StreamNest &Nest, std::int64_t First, std::int64_t Last,
            const std::vector<char> &Wanted);
  bool step(const StreamNest &Nest, const std::vector<char> &Wanted);
  bool touch(const StreamAccess &Access);
  std::int64_t before(const StreamNest &Nest, unsigned Access, std::int64_t Position,
                      std::int64_t Low) const;
  bool adds(const StreamAccess &Access, const StreamNest &Nest) const;
  void collect(const StreamNest &Nest);
};

} // namespace ergon
