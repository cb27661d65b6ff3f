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

/// Visits the words of two sets: \p Visit(First, End, Left's bits, Right's bits). Skips words in
/// only one of them where that is not wanted.
template <bool WantsLeft, bool WantsRight>
static void sweep(const std::vector<WordRun> &Left, const std::vector<WordRun> &Right, auto Visit) {
  constexpr std::int64_t Far = std::numeric_limits<std::int64_t>::max();
  auto L = Left.begin(), R = Right.begin();
  // Where one set has few runs and the other many, skips the gap by one search.
  auto pass = [](auto &Found, auto End, std::int64_t Deadline) {
    if (Found != End && Found->End <= Deadline && ++Found != End && Found->End <= Deadline)
      Found =
          std::partition_point(Found, End, [&](const WordRun &Run) { return Run.End <= Deadline; });
  };
  for (std::int64_t Position = std::numeric_limits<std::int64_t>::min();;) {
    if constexpr (!WantsRight) {
      if (L == Left.end())
        return;
      pass(R, Right.end(), L->First);
    }
    if constexpr (!WantsLeft) {
      if (R == Right.end())
        return;
      pass(L, Left.end(), R->First);
    }
    const bool HasLeft = L != Left.end(), HasRight = R != Right.end();
    if (!HasLeft && !HasRight)
      return;
    const std::int64_t LeftFirst = HasLeft ? std::max(Position, L->First) : Far,
                       RightFirst = HasRight ? std::max(Position, R->First) : Far,
                       First = std::min(LeftFirst, RightFirst);
    const bool InLeft = LeftFirst == First, InRight = RightFirst == First;
    Position = std::min(InLeft ? L->End : LeftFirst, InRight ? R->End : RightFirst);
    Visit(First, Position, InLeft ? L->Bits : 0, InRight ? R->Bits : 0);
    if (InLeft && L->End == Position)
      ++L;
    if (InRight && R->End == Position)
      ++R;
  }
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
  std::vector<WordRun> Result;
  Result.reserve(Runs.size() + Other.Runs.size() + 2);
  sweep<true, true>(Runs, Other.Runs,
                    [&](std::int64_t First, std::int64_t End, std::uint64_t Left,
                        std::uint64_t Right) { append(Result, First, End, Left | Right); });
  Runs = std::move(Result);
  return *this;
}

LineSet &LineSet::operator-=(const LineSet &Other) {
  if (empty() || Other.empty())
    return *this;
  std::vector<WordRun> Result;
  Result.reserve(Runs.size() + 2);
  sweep<true, false>(
      Runs, Other.Runs,
      [&](std::int64_t First, std::int64_t End, std::uint64_t Left, std::uint64_t Right) {
        if (Left & ~Right)
          append(Result, First, End, Left & ~Right);
      });
  Runs = std::move(Result);
  return *this;
}

std::int64_t LineSet::take(const LineSet &Lines) {
  const std::int64_t Before = count();
  *this -= Lines;
  return Before - count();
}

LineSet operator&(const LineSet &Left, const LineSet &Right) {
  LineSet Result;
  Result.Runs.reserve(std::min(Left.Runs.size(), Right.Runs.size()) + 2);
  sweep<false, false>(
      Left.Runs, Right.Runs,
      [&](std::int64_t First, std::int64_t End, std::uint64_t Single, std::uint64_t Other) {
        if (Single & Other)
          append(Result.Runs, First, End, Single & Other);
      });
  return Result;
}

LineSet &LineSet::operator&=(const LineSet &Other) { return *this = *this & Other; }

CrowdedSets::CrowdedSets(const LineSet &Set, const LineSet &Other, std::uint64_t Sets,
                         std::uint64_t Ways)
    : Sets(std::int64_t(Sets)), Period(std::int64_t(Sets / std::gcd(Sets, WordLines))),
      Digits(unsigned(std::bit_width(Ways))), Load((Sets + 63) / 64 * (Digits + 1)) {
  sweep<true, true>(Set.Runs, Other.Runs,
                    [&](std::int64_t First, std::int64_t End, std::uint64_t Left,
                        std::uint64_t Right) { add(First, End, Left | Right); });
  compare(Ways);
}

/// The set of a word's first line.
std::int64_t CrowdedSets::setOf(std::int64_t Word) const {
  if (std::has_single_bit(std::uint64_t(Sets)))
    return Word * WordLines & (Sets - 1);
  const std::int64_t Set = Word * WordLines % Sets;
  return Set < 0 ? Set + Sets : Set;
}

void CrowdedSets::add(std::int64_t First, std::int64_t End, std::uint64_t Lines) {
  for (std::int64_t Word = First; Word != std::min(End, First + Period); ++Word) {
    const auto Times = std::uint64_t(Word + Period < End ? (End - 1 - Word) / Period + 1 : 1);
    std::int64_t Set = setOf(Word);
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

/// Adds binary digits of 64 sets at once.
void CrowdedSets::addTimes(std::size_t Column, std::uint64_t Lines, std::uint64_t Times) {
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

void CrowdedSets::compare(std::uint64_t Ways) {
  const std::size_t Columns = Load.size() / (Digits + 1);
  Bits.resize(Columns + 1);
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
