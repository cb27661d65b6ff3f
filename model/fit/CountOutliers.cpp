//===- CountOutliers.cpp - single counts that are off ---------------------===//

#include "model/fit/CountOutliers.h"
#include "model/fit/ColumnChecks.h"
#include "model/fit/Statistics.h"
#include "model/symbolic/Wording.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace ergon {

// Bounds beside the largest of sweeps of others: of a GTX 980 at two memory clocks, a GTX 1080 Ti,
// an RTX 2070 Super, a Quadro RTX 8000, a P100, a V100 and a Cortex-A15 (docs/fitting.md).
namespace {
/// A count over that of the workload's other rows, where these agree; honest: 1.88, and two rows of
/// 2.02 and 2.49 alone.
constexpr double CountOff = 2;
/// Counts that agree; bytes of main memory differ by what caches keep.
constexpr double CountsAgree = 1.2;
/// A difference matters from this share of the highest rate of the class. What little the caches
/// let through differs by factors: honest, by up to 2300 times below this share.
constexpr double RateMatters = 0.05;
/// The share of a workload's rows that may be off, one at least: more are other work.
constexpr double FewRows = 0.125;
/// The share of the workloads that are off at one setting from which it is the setting.
constexpr double WholeSetting = 0.25;

/// Positions of rows, by class.
using RowsOff = std::map<std::size_t, std::vector<std::size_t>>;

/// Looks at one class after the other.
class OutlierSearch {
public:
  explicit OutlierSearch(const Samples &S) : S(S) {
    for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
      Workloads[S.Rows[Row].Workload].push_back(Row);
  }
  void look(std::size_t Class);

  RowsOff Off;    ///< from the others of their workload
  RowsOff Differ; ///< the two rows of a workload, from each other

private:
  using Rows = std::vector<std::size_t>;
  const Samples &S;
  std::map<std::string, Rows> Workloads;
  double HighestRate = 0; ///< of the class, in the median of a workload's rows

  double count(std::size_t Row, std::size_t Class) const { return *S.Rows[Row].Counts[Class]; }
  /// Whether two counts of a row are apart by \p Factor, and by a share that matters.
  bool isApart(std::size_t Row, double Count, double Other, double Factor) const {
    return std::max(Count, Other) > Factor * std::min(Count, Other) &&
           std::abs(Count - Other) > RateMatters * HighestRate * S.Rows[Row].TimeS;
  }
  Rows offRows(const Rows &OfWorkload, std::size_t Class) const;
  void leaveSettings(Rows &Found) const;
};
} // namespace

/// The rows of a workload whose counts are off, where they are few and the others agree.
std::vector<std::size_t> OutlierSearch::offRows(const Rows &OfWorkload, std::size_t Class) const {
  std::vector<double> Counts;
  for (std::size_t Row : OfWorkload)
    Counts.push_back(count(Row, Class));
  const double Middle = median(Counts);
  Rows Result;
  for (std::size_t Row : OfWorkload)
    if (isApart(Row, count(Row, Class), Middle, CountOff))
      Result.push_back(Row);
    else if (isApart(Row, count(Row, Class), Middle, CountsAgree))
      return {};
  const double Most = std::max(1.0, FewRows * double(OfWorkload.size()));
  return double(Result.size()) <= Most ? Result : Rows();
}

/// Removes the rows of settings at which many workloads are off.
void OutlierSearch::leaveSettings(Rows &Found) const {
  auto Clocks = [&](std::size_t Row) {
    return std::pair(S.Rows[Row].Clocks.CoreMhz, S.Rows[Row].Clocks.MemMhz);
  };
  std::map<decltype(Clocks(0)), std::size_t> Times;
  for (std::size_t Row : Found)
    ++Times[Clocks(Row)];
  std::erase_if(Found, [&](std::size_t Row) {
    const std::size_t Here = Times[Clocks(Row)];
    return Here > 1 && double(Here) > WholeSetting * double(Workloads.size());
  });
}

void OutlierSearch::look(std::size_t Class) {
  HighestRate = 0;
  std::size_t Agreeing = 0;
  for (const auto &[Workload, OfWorkload] : Workloads) {
    std::vector<double> Rates;
    for (std::size_t Row : OfWorkload)
      Rates.push_back(count(Row, Class) / S.Rows[Row].TimeS);
    // Of two, the lower one: the other may be the one that is off.
    HighestRate =
        std::max(HighestRate, Rates.size() == 2 ? std::ranges::min(Rates) : median(Rates));
  }
  Rows Found, Pairs;
  for (const auto &[Workload, OfWorkload] : Workloads) {
    const std::size_t First = OfWorkload.front(), Last = OfWorkload.back();
    if (OfWorkload.size() > 2)
      std::ranges::move(offRows(OfWorkload, Class), std::back_inserter(Found));
    else if (OfWorkload.size() == 2 &&
             isApart(First, count(First, Class), count(Last, Class), CountOff))
      Pairs.insert(Pairs.end(), {First, Last});
    else
      Agreeing += OfWorkload.size() == 2;
  }
  leaveSettings(Found);
  if (!Found.empty())
    Off[Class] = std::move(Found);
  if (!Pairs.empty() && Pairs.size() / 2 <= std::size_t(WholeSetting * double(Agreeing)))
    Differ[Class] = std::move(Pairs);
}

/// `line 5 (bytes_dram), lines 7 and 9 (flops_f32)`.
static std::string places(const Samples &S, const RowsOff &Found) {
  std::string Result;
  for (const auto &[Class, Rows] : Found) {
    std::vector<std::size_t> Lines;
    for (std::size_t Row : Rows)
      Lines.push_back(S.Rows[Row].Line);
    std::ranges::sort(Lines);
    Result += (Result.empty() ? "" : ", ") + inLines(Lines) + " (" + S.Classes[Class] + ")";
  }
  return Result;
}

std::vector<SampleFinding> dropCountOutliers(Samples &S) {
  OutlierSearch Search(S);
  for (std::size_t Class = 0; Class != S.Classes.size(); ++Class)
    if (!countsTime(S.Classes[Class]))
      Search.look(Class);
  std::vector<SampleFinding> Result;
  if (!Search.Differ.empty())
    Result.push_back({"count-outlier", Severity::Warning,
                      places(S, Search.Differ) +
                          ": counts of the same workload differ by more than twice, and only two "
                          "rows have it: check which one is right"});
  if (Search.Off.empty())
    return Result;
  Result.push_back({"count-outlier", Severity::Warning,
                    places(S, Search.Off) +
                        ": a count is more than twice off that of the other rows of the same "
                        "workload, which agree: left out; correct it"});
  std::vector<bool> IsOff(S.Rows.size());
  for (const auto &[Class, Rows] : Search.Off)
    for (std::size_t Row : Rows)
      IsOff[Row] = true;
  std::vector<Sample> Kept;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row)
    if (!IsOff[Row])
      Kept.push_back(std::move(S.Rows[Row]));
  S.Rows = std::move(Kept);
  return Result;
}

} // namespace ergon
