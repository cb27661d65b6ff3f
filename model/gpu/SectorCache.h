//===- SectorCache.h - a cache whose lines have sectors ---------*- C++ -*-===//

#pragma once

#include <cstdint>
#include <vector>

namespace ergon {

/// Lines of four sectors with LRU replacement per set. The set is a hash of the line number, as in
/// GPUs (Jia, Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via
/// Microbenchmarking", 2018, section 3.6), so that strides do not map to few sets.
class SectorCache {
public:
  static constexpr std::int64_t SectorsOfLine = 4;

  /// Without lines, where \p Bytes is less than a set.
  SectorCache(std::uint64_t Bytes, unsigned LineBytes, unsigned Ways)
      : Ways(Ways), Sets(Bytes / LineBytes / Ways), Lines(Sets * Ways) {}

  /// Whether the sector hits; inserts it if \p Keeps.
  bool touch(std::int64_t Sector, bool Keeps = true) {
    Line *Found = find(Sector / SectorsOfLine, Keeps);
    if (!Found)
      return false;
    std::uint8_t Bit = std::uint8_t(1u << (Sector % SectorsOfLine));
    bool WasThere = Found->Present & Bit;
    if (Keeps)
      Found->Present |= Bit;
    return WasThere;
  }
  /// After touch(): marks the sector dirty. Returns whether it was clean.
  bool write(std::int64_t Sector) {
    Line *Found = find(Sector / SectorsOfLine, false);
    if (!Found)
      return true; // written through
    std::uint8_t Bit = std::uint8_t(1u << (Sector % SectorsOfLine));
    bool WasClean = !(Found->Dirty & Bit);
    Found->Dirty |= Bit;
    return WasClean;
  }

private:
  struct Line {
    std::int64_t Number = -1;
    std::uint64_t Used = 0;
    std::uint8_t Present = 0, Dirty = 0;
  };
  unsigned Ways;
  std::uint64_t Sets;
  std::vector<Line> Lines;
  std::uint64_t Now = 0;

  Line *find(std::int64_t Number, bool Makes) {
    if (Sets == 0)
      return nullptr;
    // Fibonacci hashing (Knuth, "The Art of Computer Programming" 3, section 6.4).
    std::uint64_t Hash = (std::uint64_t(Number) * 11400714819323198485u) >> 20;
    Line *First = &Lines[Hash % Sets * Ways], *Oldest = First;
    for (Line *L = First; L != First + Ways; ++L) {
      if (L->Number == Number) {
        L->Used = ++Now;
        return L;
      }
      if (L->Used < Oldest->Used)
        Oldest = L;
    }
    if (!Makes)
      return nullptr;
    *Oldest = {Number, ++Now, 0, 0};
    return Oldest;
  }
};

} // namespace ergon
