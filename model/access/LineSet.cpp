//===- LineSet.cpp - sets of cache lines ----------------------------------===//

#include "model/access/LineSet.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace ergon {

static constexpr std::int64_t WordLines = 64;

static void append(std::vector<WordRun> &To, std::int64_t First, std::int64_t End,
                   std::uint64_t Bits) {
  if (!To.empty() && To.back().End == First && To.back().Bits == Bits)
    To.back().End = End;
  else
    To.push_back({First, End, Bits});
}

void LineSet::assign(std::vector<LineRange> &Ranges) {
  Runs.clear();
  if (!std::ranges::is_sorted(Ranges, {}, &LineRange::First))
    std::ranges::sort(Ranges, {}, &LineRange::First);
  // The last word is held back until it is complete.
  std::int64_t Word = std::numeric_limits<std::int64_t>::min();
  std::uint64_t Bits = 0;
  auto put = [&](std::int64_t Result, std::uint64_t Some) {
    if (Result != Word && Bits != 0)
      append(Runs, Word, Word + 1, Bits);
    Bits = Result == Word ? Bits | Some : Some;
    Word = Result;
  };
  std::int64_t Done = std::numeric_limits<std::int64_t>::min();
  for (LineRange Range : Ranges) {
    Range.First = std::max(Range.First, Done);
    if (Range.First >= Range.End)
      continue;
    Done = Range.End;
    const std::int64_t First = Range.First >> 6, Last = (Range.End - 1) >> 6;
    const std::uint64_t Head = ~std::uint64_t(0) << (Range.First & 63),
                        Tail = ~std::uint64_t(0) >> (-Range.End & 63);
    put(First, First == Last ? Head & Tail : Head);
    if (First == Last)
      continue;
    if (First + 1 != Last) {
      append(Runs, Word, Word + 1, Bits);
      append(Runs, First + 1, Last, ~std::uint64_t(0));
      Bits = 0;
    }
    put(Last, Tail);
  }
  if (Bits != 0)
    append(Runs, Word, Word + 1, Bits);
}

std::int64_t LineSet::count() const {
  std::int64_t Sum = 0;
  for (const WordRun &Run : Runs)
    Sum += (Run.End - Run.First) * std::popcount(Run.Bits);
  return Sum;
}

LineRange LineSet::hull() const {
  return {WordLines * Runs.front().First + std::countr_zero(Runs.front().Bits),
          WordLines * Runs.back().End - std::countl_zero(Runs.back().Bits)};
}

namespace {
/// Runs of a result of known size at most, in memory that all results use in turn: it is reserved
/// once, and a result takes what it has.
class RunWriter {
public:
  explicit RunWriter(std::size_t Most) {
    if (Buffer.size() < Most)
      Buffer.resize(Most);
    Next = Buffer.data();
  }
  void add(std::int64_t First, std::int64_t End, std::uint64_t Bits) {
    if (Next != Buffer.data() && Next[-1].End == First && Next[-1].Bits == Bits)
      Next[-1].End = End;
    else
      *Next++ = {First, End, Bits};
  }
  void put(std::vector<WordRun> &To) const { To.assign(Buffer.data(), Next); }

private:
  static thread_local std::vector<WordRun> Buffer;
  WordRun *Next;
};
thread_local std::vector<WordRun> RunWriter::Buffer;

/// The runs of one set, of which a front part has been passed.
struct Position {
  const WordRun *Run, *End;
  std::int64_t First = Run == End ? 0 : Run->First; ///< of the words that are left

  explicit Position(const std::vector<WordRun> &Runs) : Run(Runs.data()), End(Run + Runs.size()) {}
  bool isEnd() const { return Run == End; }
  void next() {
    if (++Run != End)
      First = Run->First;
  }
  /// Passes words up to \p To, which is at most the run's end.
  void pass(std::int64_t To) {
    First = To;
    if (To == Run->End)
      next();
  }
  /// Passes the runs that end in front of \p To. Where one set has few runs and the other many,
  /// one search skips the gap.
  void skip(std::int64_t To) {
    next();
    if (!isEnd() && Run->End <= To) {
      Run = std::partition_point(Run, End, [&](const WordRun &R) { return R.End <= To; });
      if (!isEnd())
        First = Run->First;
    }
  }
};
} // namespace

/// Visits the words of two sets: \p Visit(First, End, Left's bits, Right's bits), until it returns
/// false. Skips words in only one of them where that is not wanted.
template <bool WantsLeft, bool WantsRight>
static void sweep(const std::vector<WordRun> &Left, const std::vector<WordRun> &Right, auto Visit) {
  Position L(Left), R(Right);
  while (!L.isEnd() && !R.isEnd()) {
    if (L.First < R.First) {
      if (!WantsLeft && L.Run->End <= R.First) {
        L.skip(R.First);
        continue;
      }
      const std::int64_t First = L.First, End = std::min(L.Run->End, R.First);
      if (WantsLeft && !Visit(First, End, L.Run->Bits, 0))
        return;
      L.pass(End);
    } else if (R.First < L.First) {
      if (!WantsRight && R.Run->End <= L.First) {
        R.skip(L.First);
        continue;
      }
      const std::int64_t First = R.First, End = std::min(R.Run->End, L.First);
      if (WantsRight && !Visit(First, End, 0, R.Run->Bits))
        return;
      R.pass(End);
    } else {
      const std::int64_t First = L.First, End = std::min(L.Run->End, R.Run->End);
      if (!Visit(First, End, L.Run->Bits, R.Run->Bits))
        return;
      L.pass(End);
      R.pass(End);
    }
  }
  for (; WantsLeft && !L.isEnd(); L.next())
    if (!Visit(L.First, L.Run->End, L.Run->Bits, 0))
      return;
  for (; WantsRight && !R.isEnd(); R.next())
    if (!Visit(R.First, R.Run->End, 0, R.Run->Bits))
      return;
}

/// The most runs that a sweep over the two visits.
static std::size_t mostRuns(const std::vector<WordRun> &Left, const std::vector<WordRun> &Right) {
  return 2 * (Left.size() + Right.size());
}

bool LineSet::contains(const LineSet &Other) const {
  auto Found = Runs.begin();
  for (const WordRun &Run : Other.Runs) {
    Found = std::partition_point(Found, Runs.end(),
                                 [&](const WordRun &WR) { return WR.End <= Run.First; });
    for (std::int64_t First = Run.First; First < Run.End; First = Found++->End)
      if (Found == Runs.end() || Found->First > First || (Run.Bits & ~Found->Bits) != 0)
        return false;
    --Found;
  }
  return true;
}

LineSet &LineSet::operator|=(const LineSet &Other) {
  if (contains(Other))
    return *this;
  if (empty() || Runs.back().End <= Other.Runs.front().First) { // adjacent objects
    Runs.insert(Runs.end(), Other.Runs.begin(), Other.Runs.end());
    return *this;
  }
  RunWriter Result(mostRuns(Runs, Other.Runs));
  sweep<true, true>(
      Runs, Other.Runs,
      [&](std::int64_t First, std::int64_t End, std::uint64_t Left, std::uint64_t Right) {
        Result.add(First, End, Left | Right);
        return true;
      });
  Result.put(Runs);
  return *this;
}

LineSet &LineSet::operator-=(const LineSet &Other) {
  take(Other);
  return *this;
}

std::int64_t LineSet::take(const LineSet &Lines) {
  if (empty() || Lines.empty())
    return 0;
  std::int64_t Taken = 0;
  RunWriter Result(mostRuns(Runs, Lines.Runs));
  sweep<true, false>(
      Runs, Lines.Runs,
      [&](std::int64_t First, std::int64_t End, std::uint64_t Left, std::uint64_t Right) {
        if (Left & Right)
          Taken += (End - First) * std::popcount(Left & Right);
        if (Left & ~Right)
          Result.add(First, End, Left & ~Right);
        return true;
      });
  if (Taken != 0)
    Result.put(Runs);
  return Taken;
}

LineSet operator&(const LineSet &Left, const LineSet &Right) {
  RunWriter Result(mostRuns(Left.Runs, Right.Runs));
  sweep<false, false>(
      Left.Runs, Right.Runs,
      [&](std::int64_t First, std::int64_t End, std::uint64_t Single, std::uint64_t Other) {
        if (Single & Other)
          Result.add(First, End, Single & Other);
        return true;
      });
  LineSet Both;
  Result.put(Both.Runs);
  return Both;
}

LineSet &LineSet::operator&=(const LineSet &Other) { return *this = *this & Other; }

CrowdedSets::CrowdedSets(const LineSet &Set, const LineSet &Other, std::uint64_t Sets,
                         std::uint64_t Ways)
    : Sets(std::int64_t(Sets)), Period(std::int64_t(Sets / std::gcd(Sets, WordLines))),
      Digits(unsigned(std::bit_width(Ways))), Load((Sets + 63) / 64 * (Digits + 1)) {
  // No fewer words crowd all sets; further ones then change nothing.
  const std::size_t Enough = (Sets + 63) / 64 * (Ways + 1);
  std::size_t Left = Enough;
  sweep<true, true>(
      Set.Runs, Other.Runs,
      [&](std::int64_t First, std::int64_t End, std::uint64_t Single, std::uint64_t Second) {
        add(First, End, Single | Second);
        if (--Left != 0)
          return true;
        Left = Enough;
        compare(Ways);
        return !IsAll;
      });
  compare(Ways);
}

/// The set of a word's first line.
std::int64_t CrowdedSets::setOf(std::int64_t Word) const {
  if (std::has_single_bit(std::uint64_t(Sets)))
    return Word * WordLines & (Sets - 1);
  const std::int64_t Set = Word * WordLines % Sets;
  return Set < 0 ? Set + Sets : Set;
}

/// Adds binary digits of 64 sets at once.
inline void CrowdedSets::addTimes(std::size_t Column, std::uint64_t Lines, std::uint64_t Times) {
  std::uint64_t *Digit = Load.data() + Column * (Digits + 1);
  for (unsigned D = 0; Times != 0; ++D, Times >>= 1) {
    std::uint64_t Carry = Times & 1 ? Lines : 0;
    for (unsigned Next = std::min(D, Digits); Carry != 0; ++Next) {
      if (Next == Digits) {
        Digit[Next] |= Carry;
        break;
      }
      const std::uint64_t Value = Digit[Next] & Carry;
      Digit[Next] ^= Carry;
      Carry = Value;
    }
  }
}

void CrowdedSets::add(std::int64_t First, std::int64_t End, std::uint64_t Lines) {
  for (std::int64_t Word = First; Word != std::min(End, First + Period); ++Word) {
    const auto Times = std::uint64_t(Word + Period < End ? (End - 1 - Word) / Period + 1 : 1);
    std::int64_t Set = setOf(Word);
    if (Sets % WordLines == 0) {
      addTimes(std::size_t(Set / WordLines), Lines, Times);
      continue;
    }
    for (std::uint64_t Rest = Lines; Rest != 0;) {
      // Adjacent sets with the same number of lines, within one word of sets.
      const std::int64_t Count = std::min(WordLines - Set % WordLines, Sets - Set);
      addTimes(std::size_t(Set / WordLines),
               (Rest & ~std::uint64_t(0) >> (WordLines - Count)) << Set % WordLines, Times);
      Rest = Count == WordLines ? 0 : Rest >> Count;
      Set = Set + Count == Sets ? 0 : Set + Count;
    }
  }
}

void CrowdedSets::compare(std::uint64_t Ways) {
  const std::size_t Columns = Load.size() / (Digits + 1);
  Bits.assign(Columns + 1, 0);
  IsNone = IsAll = true;
  for (std::size_t C = 0; C != Columns; ++C) {
    const std::uint64_t *Digit = Load.data() + C * (Digits + 1);
    std::uint64_t Greater = Digit[Digits], Equal = ~std::uint64_t(0);
    for (unsigned D = Digits; D-- != 0;) {
      if (!(Ways >> D & 1))
        Greater |= Equal & Digit[D];
      Equal &= Ways >> D & 1 ? Digit[D] : ~Digit[D];
    }
    Bits[C] = Greater;
    IsNone &= Greater == 0;
    const std::uint64_t Wanted =
        ~std::uint64_t(0) >> std::max<std::int64_t>(0, WordLines * std::int64_t(C + 1) - Sets);
    IsAll &= Greater == Wanted;
  }
  for (std::size_t I = 0; Sets % WordLines != 0 && I != 64; ++I) {
    const std::size_t To = std::size_t(Sets) + I;
    Bits[To / 64] |= (Bits[I / 64] >> I % 64 & 1) << To % 64;
  }
}

/// The bits of 64 lines that are in these sets.
std::uint64_t CrowdedSets::bitsOf(std::int64_t Word) const {
  const std::int64_t Set = setOf(Word);
  const std::uint64_t *Position = Bits.data() + Set / WordLines;
  const std::int64_t Shift = Set % WordLines;
  return Shift == 0 ? Position[0] : Position[0] >> Shift | Position[1] << (WordLines - Shift);
}

LineSet CrowdedSets::linesOf(const LineSet &Set) const {
  if (IsNone)
    return {};
  if (IsAll)
    return Set;
  LineSet Result;
  for (const WordRun &Run : Set.Runs)
    for (std::int64_t Word = Run.First; Word != Run.End;) {
      const std::int64_t Next = Period == 1 ? Run.End : Word + 1;
      if (const std::uint64_t Some = Run.Bits & bitsOf(Word))
        append(Result.Runs, Word, Next, Some);
      Word = Next;
    }
  return Result;
}

bool plainlyFits(const LineSet &Set, std::uint64_t Sets, std::int64_t Ways) {
  std::int64_t Most = 0;
  const auto &Runs = Set.runs();
  for (std::size_t First = 0, Next; First != Runs.size() && Most <= Ways; First = Next) {
    for (Next = First + 1; Next != Runs.size() && Runs[Next].First == Runs[Next - 1].End;)
      ++Next;
    const std::int64_t Lines = WordLines * (Runs[Next - 1].End - Runs[First].First) -
                               std::countr_zero(Runs[First].Bits) -
                               std::countl_zero(Runs[Next - 1].Bits);
    Most += (Lines + std::int64_t(Sets) - 1) / std::int64_t(Sets);
  }
  return Most <= Ways;
}

} // namespace ergon
