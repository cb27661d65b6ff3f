//===- RunCount.cpp - how often an access runs ----------------------------===//

#include "model/traffic/ProgramForm.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ergon {

namespace {
class RunCounter {
public:
  explicit RunCounter(const AccessForm &Form) : Form(Form), Position(Form.Path.size()) {
    for (const Condition &C : Form.Conditions)
      if (!C.affine())
        HasOthers = true;
  }

  double inside(std::size_t Loop);

private:
  const AccessForm &Form;
  Iteration Position;
  bool HasOthers = false;
  unsigned Effort = 0;
  std::size_t Windowed = 0; ///< loops around that are sampled by windows

  Iterations rangeAt(std::size_t Loop);
  bool standsFor(std::size_t Loop) const;
  double count(std::size_t Loop, std::int64_t Number) {
    Position[Loop] = Number;
    return inside(Loop + 1);
  }
  double sum(std::size_t Loop, std::int64_t First, std::int64_t Last);
  double sumOfAny(std::size_t Loop, std::int64_t First, std::int64_t Last);
};
} // namespace

/// Conditions bound the range of the innermost loop that they depend on.
Iterations RunCounter::rangeAt(std::size_t Loop) {
  Iterations Range{0, lastOf(*Form.Path[Loop], Position)};
  for (const Condition &C : Form.Conditions) {
    if (!C.affine())
      continue;
    const auto &Steps = C.affine()->Steps;
    auto Innermost = std::ranges::find_if(Steps.rbegin(), Steps.rend(),
                                          [](std::int64_t Step) { return Step != 0; });
    if (Innermost == Steps.rend() || std::size_t(Steps.rend() - Innermost) != Loop + 1)
      continue;
    std::int64_t Rest = C.affine()->Constant;
    for (std::size_t I = 0; I != Loop; ++I)
      Rest += Steps[I] * Position[I];
    cutRange(Range, *Innermost, Rest);
  }
  return Range;
}

/// True where no inner loop depends on this loop's induction variable.
bool RunCounter::standsFor(std::size_t Loop) const {
  auto IsFree = [&](const Condition &C) {
    if (!C.affine())
      return false;
    const auto &Steps = C.affine()->Steps;
    return Steps.size() <= Loop || Steps[Loop] == 0 ||
           std::all_of(Steps.begin() + std::ptrdiff_t(Loop) + 1, Steps.end(),
                       [](std::int64_t Step) { return Step == 0; });
  };
  for (std::size_t I = Loop + 1; I < Form.Path.size(); ++I)
    if (!Form.Path[I]->IsAffine || !std::ranges::all_of(Form.Path[I]->Bounds, IsFree))
      return false;
  return std::ranges::all_of(Form.Conditions, IsFree);
}

/// Σ over First … Last: exact where it is piecewise a polynomial of degree 3, as in triangles and
/// tetrahedra.
double RunCounter::sum(std::size_t Loop, std::int64_t First, std::int64_t Last) {
  std::int64_t Steps = Last - First;
  if (Steps < 8) {
    double Sum = 0;
    for (std::int64_t I = First; I <= Last; ++I)
      Sum += count(Loop, I);
    return Sum;
  }
  // Newton's forward differences with step h, and the sum of their polynomial.
  std::int64_t H = Steps / 4;
  std::array<double, 5> F;
  for (std::int64_t I = 0; I != 5; ++I)
    F[std::size_t(I)] = count(Loop, First + I * H);
  double Scale = std::max({1.0, std::abs(F[0]), std::abs(F[4])});
  for (std::size_t Order = 1; Order != 5; ++Order)
    for (std::size_t I = 4; I >= Order; --I)
      F[I] -= F[I - 1];
  auto Value = [&](double X) {
    double T = X / double(H);
    return F[0] + T * (F[1] + (T - 1) / 2 * (F[2] + (T - 2) / 3 * F[3]));
  };
  bool Fits = std::abs(F[4]) <= 1e-9 * Scale;
  for (std::int64_t Probe : {Steps, H / 2, Steps / 2 + 1})
    Fits = Fits && std::abs(Value(double(Probe)) - count(Loop, First + Probe)) <= 1e-6 * Scale;
  if (!Fits && ++Effort < 2000) {
    std::int64_t Middle = First + Steps / 2;
    return sum(Loop, First, Middle) + sum(Loop, Middle + 1, Last);
  }
  // Sums a polynomial of degree 3 exactly from its values at both ends and in the middle: Simpson's
  // rule with Euler-Maclaurin end corrections.
  double N = double(Steps);
  double A = Value(0), M = Value(N / 2), B = Value(N);
  double Integral = N / 6 * (A + 4 * M + B);
  double SlopeDifference = 4 * (A - 2 * M + B) / N;
  return Integral + (A + B) / 2 + SlopeDifference / 12;
}

/// The same for conditions that are not affine and may alternate: samples windows of iterations,
/// each for a part of a long loop. Of a single loop every period up to 8 divides their length; of
/// nests they are shorter, as each iteration runs the loops inside.
double RunCounter::sumOfAny(std::size_t Loop, std::int64_t First, std::int64_t Last) {
  struct Part {
    std::int64_t Window, Windows;
  };
  // By the number of loops around that are sampled.
  constexpr std::array<Part, 2> OfTwo = {{{60, 8}, {60, 2}}};
  constexpr std::array<Part, 4> OfMore = {{{12, 3}, {12, 2}, {12, 4}, {1, 1}}};
  const std::size_t Sampled = Windowed + Form.Path.size() - Loop;
  const auto [Window, Windows] = Sampled == 1   ? Part{840, 4}
                                 : Sampled == 2 ? OfTwo[Windowed]
                                                : OfMore[std::min(Windowed, OfMore.size() - 1)];
  auto sumUp = [&](std::int64_t From, std::int64_t End) {
    double Sum = 0;
    ++Windowed;
    for (std::int64_t I = From; I < End; ++I)
      Sum += count(Loop, I);
    --Windowed;
    return Sum;
  };
  const std::int64_t Trips = Last - First + 1;
  if (Trips <= Window * Windows)
    return sumUp(First, Last + 1);
  double Sum = 0;
  for (std::int64_t W = 0; W != Windows; ++W) {
    const std::int64_t From = First + Trips * W / Windows,
                       Deadline = First + Trips * (W + 1) / Windows,
                       Middle = From + (Deadline - From - Window) / 2;
    Sum += sumUp(Middle, Middle + Window) * double(Deadline - From) / double(Window);
  }
  return Sum;
}

double RunCounter::inside(std::size_t Loop) {
  if (Loop == Form.Path.size())
    return !HasOthers || hold(Form.Conditions, Position) ? 1 : 0;
  Iterations Range = rangeAt(Loop);
  if (Range.First > Range.Last)
    return 0;
  if (standsFor(Loop))
    return double(Range.Last - Range.First + 1) * count(Loop, Range.First);
  return HasOthers ? sumOfAny(Loop, Range.First, Range.Last) : sum(Loop, Range.First, Range.Last);
}

double runsOf(const AccessForm &Form) {
  if (std::ranges::any_of(Form.Conditions, [](const Condition &C) {
        return C.affine() && C.affine()->Constant < 0 &&
               std::ranges::all_of(C.affine()->Steps, [](std::int64_t Step) { return Step == 0; });
      }))
    return 0;
  return Form.Share * RunCounter(Form).inside(0);
}

double runsAround(const AccessForm &Form, std::size_t Loops) {
  AccessForm Outer = Form;
  Outer.Path.resize(Loops);
  for (std::size_t I = Loops; I != Form.Path.size(); ++I)
    Outer.Share /= Form.Path[I]->Mean;
  std::erase_if(Outer.Conditions, [&](const Condition &C) {
    return !C.affine() ||
           std::any_of(C.affine()->Steps.begin() +
                           std::ptrdiff_t(std::min(Loops, C.affine()->Steps.size())),
                       C.affine()->Steps.end(), [](std::int64_t Step) { return Step != 0; });
  });
  return runsOf(Outer);
}

} // namespace ergon
