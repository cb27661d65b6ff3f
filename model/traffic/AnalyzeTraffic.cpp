//===- AnalyzeTraffic.cpp - traffic of a program, level by level ----------===//

#include "model/traffic/IrregularAccesses.h"
#include "model/traffic/TrafficAnalysis.h"

#include <algorithm>

namespace ergon {

/// Fills in how many of an access's runs reach each level, and how many bypass it. Where stores do
/// not allocate, they hit only objects that something loads.
static void fillLevels(const AccessForm &Form, double Runs, bool IsLoaded,
                       const CacheHierarchy &Through, std::vector<LevelTraffic> &Levels) {
  const Access::Kind What = Form.Access->What;
  double Loads = What == Access::Kind::Store ? 0 : Runs;
  double Stores = What == Access::Kind::Load ? 0 : Runs;
  const double Bytes = Form.Access->Bytes;
  for (std::size_t L = 0; L != Through.size(); ++L) {
    LevelTraffic &Traffic = Levels[L];
    Traffic.Loads = Loads;
    Traffic.Stores = Stores;
    if (Form.Access->NonTemporal) {
      Traffic.Bypassed = Stores * Bytes;
      continue;
    }
    // A level misses at most as often as the level above asks it.
    Traffic.LoadMisses = std::min(Traffic.LoadMisses, Loads);
    Traffic.StoreMisses = std::min(Traffic.StoreMisses, Stores);
    if (!Through[L].WriteAllocate && !IsLoaded)
      Traffic.StoreMisses = Stores;
    double GoesOn = Traffic.StoreMisses;
    if (Through[L].WriteThrough) {
      Traffic.WriteBacks = 0;
      Traffic.Bypassed = Stores * Bytes;
      GoesOn = Stores;
    } else if (!Through[L].WriteAllocate) {
      Traffic.Bypassed = Traffic.StoreMisses * Bytes;
    }
    if (!Through[L].WriteAllocate) {
      Traffic.StoreMisses = 0;
      Traffic.WriteBacks *= IsLoaded;
    }
    Loads = Traffic.LoadMisses;
    Stores = GoesOn;
  }
}

/// The range of an irregular access: nothing, or a line each time and a write-back where a store
/// dirties it. With \p IsMost at most what was found.
static void doubt(const std::vector<LevelTraffic> &Moved, bool IsMost,
                  std::vector<LineDoubt> &Result) {
  const double Most = Moved.front().Loads + 2 * Moved.front().Stores;
  Result.resize(Moved.size());
  for (std::size_t L = 0; L != Moved.size(); ++L) {
    const double Lines = Moved[L].LoadMisses + Moved[L].StoreMisses + Moved[L].WriteBacks;
    Result[L].Fewer += Lines;
    Result[L].More += IsMost ? 0 : std::max(0.0, Most - Lines);
  }
}

/// Of runs of words in sets of lines, what takes a second or two, and a tenth of that.
static constexpr std::size_t ManyRuns = 10'000'000, FewRuns = 1'000'000;

std::expected<Traffic, Error> analyzeTraffic(const AccessProgram &Program,
                                             const CacheHierarchy &Through, const Placement &P) {
  if (auto Wrong = checkHierarchy(Through)) {
    auto End = Wrong->find("; ");
    return std::unexpected(Error{Wrong->substr(0, End), "",
                                 End == std::string::npos ? "correct it" : Wrong->substr(End + 2)});
  }
  auto Form = ProgramForm::compile(Program, P);
  if (!Form)
    return std::unexpected(Form.error());
  Traffic Result;
  Result.Levels.resize(Through.size());
  for (const std::string &OpenCall : Program.OpenCalls)
    Result.Assumptions.push_back("what `" + OpenCall + "` accesses is not known and is left out");
  if (Form->accesses().empty())
    return Result;
  std::size_t MostRuns = ManyRuns;
  std::unique_ptr<TrafficAnalysis> Analysis;
  auto Analyze = [&] {
    Analysis = std::make_unique<TrafficAnalysis>(*Form, Through, Program.Objects.size(), MostRuns);
    return Analysis->run();
  };
  Tally Counts = Analyze();
  bool IsLoose = false, IsScattered = false;
  while (true) {
    const std::vector<unsigned> Unfollowed = Analysis->unfollowed(),
                                Scattered = Analysis->scattered();
    if (Unfollowed.empty() && Scattered.empty())
      break;
    for (unsigned Number : Unfollowed)
      Form->loosen(Number);
    for (unsigned Number : Scattered)
      Form->forgetPlaces(Number);
    IsLoose |= !Unfollowed.empty();
    IsScattered |= !Scattered.empty();
    if (Analysis->hasTakenLong()) // no more than twice the time in all
      MostRuns = std::max(MostRuns / 4, FewRuns);
    Counts = Analyze();
  }
  std::vector<double> Runs;
  for (std::size_t A = 0; A != Form->accesses().size(); ++A) {
    const AccessForm &AF = Form->accesses()[A];
    const bool IsSame = AF.Like < A && Form->accesses()[AF.Like].Path == AF.Path;
    Runs.push_back(IsSame ? Runs[AF.Like] : runsOf(AF));
    auto &Levels = Result.Accesses.emplace_back(Through.size());
    for (std::size_t L = 0; L != Through.size(); ++L) {
      const double Missed = Counts.Misses[A * Through.size() + L];
      (AF.Access->What == Access::Kind::Store ? Levels[L].StoreMisses : Levels[L].LoadMisses) =
          Missed;
      Levels[L].WriteBacks = Counts.Dirtied[A * Through.size() + L];
    }
  }
  addSpreadAccesses(Program, *Form, Through, Runs, *Analysis, Result);
  std::vector<bool> IsLoaded(Program.Objects.size());
  for (const AccessForm &F : Form->accesses())
    if (F.Access->What != Access::Kind::Store)
      IsLoaded[F.Access->Object] = true;
  for (std::size_t A = 0; A != Form->accesses().size(); ++A) {
    const AccessForm &Single = Form->accesses()[A];
    fillLevels(Single, Runs[A], IsLoaded[Single.Access->Object], Through, Result.Accesses[A]);
    for (std::size_t L = 0; L != Through.size(); ++L)
      Result.Levels[L] += Result.Accesses[A][L];
    if (Single.IsLoose || (!Single.Offset && Single.Access->Offset && !Single.Access->NonTemporal))
      doubt(Result.Accesses[A], Single.IsLoose, Result.Doubts);
  }
  if (Analysis->isThrifty()) {
    Result.Doubts.resize(Through.size());
    for (std::size_t L = 0; L != Through.size(); ++L) {
      const LevelTraffic &All = Result.Levels[L];
      const double Lines = All.LoadMisses + All.StoreMisses + All.WriteBacks;
      Result.Doubts[L].Fewer +=
          std::min(Lines, 2 * Counts.Doubt[L].Fewer); // a miss, and a write-back
      Result.Doubts[L].More += 2 * Counts.Doubt[L].More;
    }
    Result.Assumptions.push_back(
        "the program has " + std::to_string(Form->accesses().size()) +
        " accesses in its text, which is much: few iterations of each loop stand for the others, "
        "and how much of it may be still in a cache that is nearly full has an interval");
  }
  if (IsLoose)
    Result.Assumptions.push_back(
        "conditions and places that are not affine in iteration numbers and "
        "quotients of these are too many to look at one by one: conditions "
        "hold, places are any of the object's");
  if (IsScattered)
    Result.Assumptions.push_back("some accesses touch too many lines apart from each other to look "
                                 "at each: their places are any of the object's");
  return Result;
}

} // namespace ergon
