//===- AnalyzeTraffic.cpp - traffic of a program, level by level ----------===//

#include "model/traffic/IrregularAccesses.h"
#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>

namespace ergon {

/// What of an access reaches each level, and what goes past it. Where stores bring no line, they
/// find one only of an object that something loads.
static void fillLevels(const AccessForm &Of, double Runs, bool IsLoaded,
                       const CacheHierarchy &Through, std::vector<LevelTraffic> &Levels) {
  const Access::Kind What = Of.Of->What;
  double Loads = What == Access::Kind::Store ? 0 : Runs;
  double Stores = What == Access::Kind::Load ? 0 : Runs;
  const double Bytes = Of.Of->Bytes;
  for (std::size_t L = 0; L != Through.size(); ++L) {
    LevelTraffic &Here = Levels[L];
    Here.Loads = Loads;
    Here.Stores = Stores;
    if (Of.Of->NonTemporal) {
      Here.Bypassed = Stores * Bytes;
      continue;
    }
    // A level cannot miss more often than the level above it asks.
    Here.LoadMisses = std::min(Here.LoadMisses, Loads);
    Here.StoreMisses = std::min(Here.StoreMisses, Stores);
    if (!Through[L].WriteAllocate && !IsLoaded)
      Here.StoreMisses = Stores;
    double GoesOn = Here.StoreMisses;
    if (Through[L].WriteThrough) {
      Here.WriteBacks = 0;
      Here.Bypassed = Stores * Bytes;
      GoesOn = Stores;
    } else if (!Through[L].WriteAllocate) {
      Here.Bypassed = Here.StoreMisses * Bytes;
    }
    if (!Through[L].WriteAllocate) {
      Here.StoreMisses = 0;
      Here.WriteBacks *= IsLoaded;
    }
    Loads = Here.LoadMisses;
    Stores = GoesOn;
  }
}

/// What an access moves that may go anywhere: nothing, or a line each time and one more where a
/// store leaves it dirty. With \p IsMost no more than was found.
static void doubt(const std::vector<LevelTraffic> &Moved, bool IsMost,
                  std::vector<LineDoubt> &Into) {
  const double Most = Moved.front().Loads + 2 * Moved.front().Stores;
  Into.resize(Moved.size());
  for (std::size_t L = 0; L != Moved.size(); ++L) {
    const double Lines = Moved[L].LoadMisses + Moved[L].StoreMisses + Moved[L].WriteBacks;
    Into[L].Fewer += Lines;
    Into[L].More += IsMost ? 0 : std::max(0.0, Most - Lines);
  }
}

std::expected<Traffic, Error> analyzeTraffic(const AccessProgram &Of, const CacheHierarchy &Through,
                                             const Placement &At) {
  if (auto Wrong = checkHierarchy(Through)) {
    auto End = Wrong->find("; ");
    return std::unexpected(Error{Wrong->substr(0, End), "",
                                 End == std::string::npos ? "correct it" : Wrong->substr(End + 2)});
  }
  auto Form = ProgramForm::compile(Of, At);
  if (!Form)
    return std::unexpected(Form.error());
  Traffic Result;
  Result.Levels.resize(Through.size());
  for (const std::string &Each : Of.OpenCalls)
    Result.Assumptions.push_back("what `" + Each + "` accesses is not known and is left out");
  if (Form->accesses().empty())
    return Result;
  auto Analysis = std::make_unique<TrafficAnalysis>(*Form, Through, Of.Objects.size());
  Tally Counts = Analysis->run();
  bool IsLoose = false;
  for (std::vector<unsigned> Unfollowed; !(Unfollowed = Analysis->unfollowed()).empty();) {
    IsLoose = true;
    for (unsigned Each : Unfollowed)
      Form->loosen(Each);
    Analysis = std::make_unique<TrafficAnalysis>(*Form, Through, Of.Objects.size());
    Counts = Analysis->run();
  }
  if (Analysis->isCut())
    return std::unexpected(Error{"there are over two million lines apart from each other", "",
                                 "give smaller values, or simulate the caches"});
  std::vector<double> Runs;
  for (std::size_t A = 0; A != Form->accesses().size(); ++A) {
    const AccessForm &One = Form->accesses()[A];
    Runs.push_back(runsOf(One));
    auto &Levels = Result.Accesses.emplace_back(Through.size());
    for (std::size_t L = 0; L != Through.size(); ++L) {
      const double Missed = Counts.Misses[A * Through.size() + L];
      (One.Of->What == Access::Kind::Store ? Levels[L].StoreMisses : Levels[L].LoadMisses) = Missed;
      Levels[L].WriteBacks = Counts.Dirtied[A * Through.size() + L];
    }
  }
  addSpreadAccesses(Of, *Form, Through, Runs, *Analysis, Result);
  std::vector<bool> IsLoaded(Of.Objects.size());
  for (const AccessForm &Each : Form->accesses())
    if (Each.Of->What != Access::Kind::Store)
      IsLoaded[Each.Of->Object] = true;
  for (std::size_t A = 0; A != Form->accesses().size(); ++A) {
    const AccessForm &One = Form->accesses()[A];
    fillLevels(One, Runs[A], IsLoaded[One.Of->Object], Through, Result.Accesses[A]);
    for (std::size_t L = 0; L != Through.size(); ++L)
      Result.Levels[L] += Result.Accesses[A][L];
    if (One.IsLoose || (!One.Offset && One.Of->Offset && !One.Of->NonTemporal))
      doubt(Result.Accesses[A], One.IsLoose, Result.Doubts);
  }
  if (IsLoose)
    Result.Assumptions.push_back(
        "conditions and places that are not affine in iteration numbers and "
        "quotients of these are too many to look at one by one: conditions "
        "hold, places are any of the object's");
  return Result;
}

} // namespace ergon
