//===- LineSet.h - sets of cache lines --------------------------*- C++ -*-===//
//
// Lines of memory as sorted ranges, and how a cache's sets share them.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_LINESET_H
#define ERGON_MODEL_LINESET_H

#include <cstdint>
#include <vector>

namespace ergon {

/// The lines First <= line < End, by number.
struct LineRange {
  std::int64_t First, End;
  bool operator==(const LineRange &) const = default;
};

class LineSet {
public:
  /// Adds a range; \p normalize has to be called before anything else is asked.
  void add(LineRange Of) { Ranges.push_back(Of); }
  /// Sorts and joins the ranges.
  void normalize();

  bool empty() const { return Ranges.empty(); }
  void clear() { Ranges.clear(); }
  std::int64_t count() const;
  std::int64_t countIn(LineRange Of) const;
  const std::vector<LineRange> &ranges() const { return Ranges; }
  /// From the first to the last; not of an empty set.
  LineRange hull() const { return {Ranges.front().First, Ranges.back().End}; }

  LineSet &operator|=(const LineSet &Other);
  LineSet &operator-=(const LineSet &Other);
  friend LineSet operator&(const LineSet &Left, const LineSet &Right);
  bool intersects(const LineSet &Other) const;

private:
  std::vector<LineRange> Ranges;
};

/// How many lines of a set of lines share each set of a cache; line l is in set l mod Sets.
class SetLoad {
public:
  SetLoad(const LineSet &Of, std::uint64_t Sets);
  /// The most that one set holds.
  std::int64_t most() const;
  std::int64_t least() const;
  std::int64_t at(std::int64_t Line) const { return Load[std::uint64_t(Line) % Load.size()]; }
  const std::vector<std::int64_t> &loads() const { return Load; }
  /// The lines of \p Of that are in sets with more than \p Ways lines.
  LineSet beyond(std::int64_t Ways, const LineSet &Of) const;

private:
  std::vector<std::int64_t> Load;
};

/// True where it is plain that no set has more than \p Ways lines.
bool plainlyFits(const LineSet &Of, std::uint64_t Sets, std::int64_t Ways);

} // namespace ergon

#endif
