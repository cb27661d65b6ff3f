//===- IrregularAccesses.cpp - irregular (data-dependent) accesses --------===//

#include "model/traffic/IrregularAccesses.h"
#include "model/access/ObjectExtents.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ergon {

namespace {
/// An object whose lines are all equally likely.
struct Spread {
  std::vector<unsigned> Accesses;
  double Lines = 0;
  double Runs = 0, Stores = 0; ///< runs that reach another line

  /// Expected number of distinct lines that so many accesses touch.
  double met(double Times) const { return Lines * -std::expm1(-Times / Lines); }
};
} // namespace

static bool isSpread(const AccessForm &Form) { return !Form.Offset && !Form.Access->NonTemporal; }

/// Stride in bytes of \p Further; infinite where it is not constant.
static double stepOf(const Expr &Further, const std::string &Variable) {
  const auto Step = constantStride(Further, Variable);
  return Step ? std::abs(Step->get_d()) : std::numeric_limits<double>::infinity();
}

/// Whether \p Form starts less than a line away from where one of the forms before it did that
/// reach \p Lines.
static bool isBeside(const AccessForm &Form, std::span<const AccessForm> Before,
                     const std::vector<double> &Lines, double LineBytes) {
  return std::ranges::any_of(Before, [&](const AccessForm &AF) {
    if (Lines[std::size_t(&AF - Before.data())] <= 0 || !Form.Access->From || !AF.Access->From ||
        AF.Access->From->Number != Form.Access->From->Number || AF.Path != Form.Path)
      return false;
    auto Way = (AF.Access->From->Further - Form.Access->From->Further).constant();
    return Way && std::abs(Way->get_d()) < LineBytes;
  });
}

/// Expected number of lines that \p Form reaches in \p Runs runs: one for each new start, and those
/// that it covers from there.
static double linesFrom(const AccessForm &Form, double Runs, double LineBytes) {
  const auto &From = Form.Access->From;
  if (!From)
    return Runs;
  const std::size_t Loops = Form.Path.size(),
                    Outer = Loops - std::min<std::size_t>(From->Loops, Loops);
  const double Starts = runsAround(Form, Outer);
  double Lines = Starts, Around = Starts, Share = 1;
  for (std::size_t I = Outer; I != Loops && Around > 0; ++I) {
    const double Inside = runsAround(Form, I + 1);
    Share = std::min(1.0, stepOf(From->Further, Form.Path[I]->Variable) / LineBytes);
    Lines *= 1 + (Inside / Around - 1) * Share;
    Around = Inside;
  }
  if (From->GoesOn) // the first line is that of the previous run
    return std::min(Around * Share, Runs);
  return std::min(Lines, Runs);
}

/// How many of these accesses fill a level, so that lines used before them are evicted: H. Che, Y.
/// Tung and Z. Wang, "Hierarchical web caching systems", 2002, eq. 5. \p Others is how many lines
/// one access brings in beside its own. Infinite where everything fits.
static double timeToFill(double Lines, double Others, double All,
                         const std::map<unsigned, Spread> &Objects) {
  auto used = [&](double Time) {
    double Sum = Others * Time;
    for (const auto &[Number, Object] : Objects)
      Sum += Object.met(Time * Object.Runs / All);
    return Sum;
  };
  double High = All;
  if (used(High) <= Lines)
    return std::numeric_limits<double>::infinity();
  double Low = 0;
  for (int I = 0; I != 60; ++I) {
    double Middle = (Low + High) / 2;
    (used(Middle) < Lines ? Low : High) = Middle;
  }
  return Low;
}

/// The number of lines of each object, and what is assumed of them.
static void putSizes(std::map<unsigned, Spread> &Objects, const AccessProgram &Program,
                     double LineBytes, Traffic &Result) {
  const auto Extents = objectExtents(Program);
  for (auto &[Number, Object] : Objects) {
    const std::string Name =
        "accesses to `" + Program.Objects[Number].Name + "` whose place is not known";
    if (const auto &Reach = Extents[Number]) {
      const double Bytes = Rational(Reach->End - Reach->First).get_d();
      Object.Lines = std::max(1.0, std::ceil(Bytes / LineBytes));
      Result.Assumptions.push_back(
          Name +
          (Reach->IsEstimated ? ", nor how large it is (--place NAME=:BYTES says it), go "
                                "anywhere in as many elements as the largest other object "
                                "has: "
                              : " go anywhere in its ") +
          std::to_string(std::int64_t(Bytes)) + " bytes equally often" +
          (Reach->IsEstimated ? "; it may be that all miss, or none" : ""));
    } else {
      Object.Lines = 1e15; // no line is reused
      Result.Assumptions.push_back(
          Name + ", nor how large it is (--place NAME=:BYTES says it), all miss; it may be "
                 "that none does");
    }
  }
}

void addSpreadAccesses(const AccessProgram &Program, const ProgramForm &Form,
                       const CacheHierarchy &Through, const std::vector<double> &Runs,
                       const TrafficAnalysis &Analysis, Traffic &Result) {
  const auto &Accesses = Form.accesses();
  if (std::ranges::none_of(Accesses, isSpread))
    return;
  const double LineBytes = Through.front().LineBytes;
  std::map<unsigned, Spread> Objects;
  double All = 0;
  // By access, the lines that it reaches, and those that it stores to.
  std::vector<double> Lines(Accesses.size()), Stored(Accesses.size());
  for (unsigned A = 0; A != Accesses.size(); ++A) {
    if (!isSpread(Accesses[A]) || Runs[A] <= 0)
      continue;
    const double Found = linesFrom(Accesses[A], Runs[A], LineBytes);
    if (Found <= 0)
      continue;
    if (!isBeside(Accesses[A], std::span(Accesses).first(A), Lines, LineBytes))
      Lines[A] = Found;
    Stored[A] = Accesses[A].Access->What == Access::Kind::Load ? 0 : Found;
    Spread &To = Objects[Accesses[A].Access->Object];
    To.Accesses.push_back(A);
    To.Runs += Lines[A];
    To.Stores += Stored[A];
    All += Lines[A];
  }
  const std::vector<double> Known = Analysis.knownLines();
  putSizes(Objects, Program, LineBytes, Result);
  for (std::size_t L = 0; L != Through.size(); ++L) {
    double Others = 0;
    for (unsigned A = 0; A != Accesses.size(); ++A)
      if (!isSpread(Accesses[A]))
        Others += Result.Accesses[A][L].LoadMisses + Result.Accesses[A][L].StoreMisses;
    const double Time = timeToFill(double(Through[L].lines()), Others / All, All, Objects);
    for (const auto &[Number, Object] : Objects) {
      // The first touch of a line that other accesses touch too belongs to those.
      const double Met = Object.met(Object.Runs),
                   First = Met * std::max(0.0, 1 - Known[Number] / Object.Lines);
      const double Gone = std::isinf(Time) ? 0 : std::exp(-Time * Object.Runs / All / Object.Lines);
      double Missed = 0; // from objects that are covered as a whole
      for (unsigned A : Object.Accesses)
        Missed += Result.Accesses[A][L].LoadMisses + Result.Accesses[A][L].StoreMisses;
      Missed = std::max(Missed, First + (Object.Runs - Met) * Gone);
      // A resident line is dirty where one of its accesses stores.
      const double Dirty = Missed > 0 ? 1 - std::pow(std::max(0.0, 1 - Object.Stores / Object.Runs),
                                                     Object.Runs / Missed)
                                      : 0;
      const double Stay =
          std::min(Missed, std::isinf(Time) ? Met : Object.met(Time * Object.Runs / All));
      for (unsigned A : Object.Accesses) {
        LevelTraffic &Level = Result.Accesses[A][L];
        const Access::Kind What = Accesses[A].Access->What;
        (What == Access::Kind::Store ? Level.StoreMisses : Level.LoadMisses) =
            Missed * Lines[A] / Object.Runs;
        if (What != Access::Kind::Load)
          Level.WriteBacks = (Missed - Stay) * Dirty * Stored[A] / Object.Stores;
      }
    }
  }
}

} // namespace ergon
