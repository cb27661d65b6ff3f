//===- RunCalls.cpp - targets of calls through pointers -------------------===//

#include "model/program/Run.h"

#include <algorithm>
#include <set>

namespace ergon {

namespace {
using Target = std::pair<std::string, std::string>; ///< unit, or nothing, and name

class CallBinder {
public:
  CallBinder(Function &F, const std::string &Unit,
             const std::vector<const FunctionRun *> &FunctionRuns)
      : Input(F), Unit(Unit), FunctionRuns(FunctionRuns) {}

  void bind(Loop &Region) {
    std::vector<Block> Called;
    for (Block &B : Region.Blocks)
      for (std::size_t I = 0; I != B.Calls.size();)
        if (split(B.Calls[I], B, Called))
          B.Calls.erase(B.Calls.begin() + std::ptrdiff_t(I));
        else
          ++I;
    std::ranges::move(Called, std::back_inserter(Region.Blocks));
    for (Loop &Inner : Region.Loops)
      bind(Inner);
  }

private:
  Function &Input;
  const std::string &Unit;
  const std::vector<const FunctionRun *> &FunctionRuns;

  bool split(const Call &Site, const Block &Around, std::vector<Block> &Result);
  bool splitByArguments(const Call &Site, const Block &Around, std::vector<Block> &Result) const;
  Expr unknown(std::string Symbol, const Call &Site, std::string Why,
               const std::vector<Rational> &Values);
};
} // namespace

Expr CallBinder::unknown(std::string Symbol, const Call &Site, std::string Why,
                         const std::vector<Rational> &Values) {
  auto Measured = agreed(Values, Why);
  Input.Unknowns.push_back({Symbol, Site.Location, std::move(Why), std::move(Measured)});
  return Expr::symbol(std::move(Symbol));
}

/// Adds the targets that runs saw at \p Site to \p Result. False where no run reached it: then the
/// call stays.
bool CallBinder::split(const Call &Site, const Block &Around, std::vector<Block> &Result) {
  if (Site.Symbol.empty())
    return false;
  if (isArgumentSymbol(Site.Symbol))
    return splitByArguments(Site, Around, Result);
  std::set<Target> Seen;
  std::vector<const std::map<Target, CalledFunction> *> CameBy;
  for (const FunctionRun *Run : FunctionRuns)
    if (auto Called = Run->Calls.find(Site.Symbol); Called != Run->Calls.end()) {
      CameBy.push_back(&Called->second);
      for (const auto &[Which, Times] : Called->second)
        Seen.insert(Which);
    }
  if (CameBy.empty()) {
    unknown(Site.Symbol, Site, "a call through a pointer; =0 where its cost does not matter", {});
    return false;
  }
  const std::string Place = Site.Symbol.substr(Site.Symbol.find('@'));
  for (const Target &Which : Seen) {
    const bool IsElsewhere = !Which.first.empty() && Which.first != Unit;
    const std::string Name = IsElsewhere ? Which.first + ":" + Which.second : Which.second;
    const std::string Text = Name.empty() ? "functions that the run cannot name" : Name;
    std::vector<Rational> Shares;
    std::map<unsigned, std::vector<Rational>> Means;
    for (const auto *Run : CameBy) {
      std::int64_t All = 0;
      for (const auto &[Any, Called] : *Run)
        All += Called.Times;
      auto Found = Run->find(Which);
      const std::int64_t Times = Found == Run->end() ? 0 : Found->second.Times;
      Shares.emplace_back(Times, All);
      if (Times != 0)
        for (const auto &[Number, Sum] : Found->second.Sums)
          Means[Number].emplace_back(Sum, Times);
    }
    Block Next{.Runs = Around.Runs *
                       unknown("taken" + Place + ":" + (Name.empty() ? "others" : Name), Site,
                               "share of the calls here that are of " + Text, Shares),
               .Calls = {Site},
               .How = Around.How};
    if (Name.empty())
      Input.Unknowns.push_back(
          {Site.Symbol, Site.Location,
           "calls through a pointer of functions that the run cannot name, as it "
           "met too many; =0 where their cost does not matter"});
    Call &Known = Next.Calls.front();
    Known.Callee = Name;
    for (const auto &[Number, Values] : Means)
      if (Number < Known.Arguments.size() && !Name.empty())
        Known.Arguments[Number] = unknown(
            "value" + Place + ":" + Name + ":" + std::to_string(Number), Site,
            "mean of argument " + std::to_string(Number) + " in the calls here of " + Text, Values);
    Result.push_back(std::move(Next));
  }
  return true;
}

/// The same of a library's function, by arguments; where all runs passed the same ones.
bool CallBinder::splitByArguments(const Call &Site, const Block &Around,
                                  std::vector<Block> &Result) const {
  const std::map<Target, CalledFunction> *Passed = nullptr;
  for (const FunctionRun *Run : FunctionRuns) {
    auto Found = Run->Calls.find(Site.Symbol);
    if (Found == Run->Calls.end())
      continue;
    auto IsSame = [](const auto &Left, const auto &Right) {
      return Left.first == Right.first && Left.second.Times == Right.second.Times;
    };
    if (Passed && !std::ranges::equal(*Passed, Found->second, IsSame))
      return false;
    Passed = &Found->second;
  }
  if (!Passed)
    return false;
  std::int64_t All = 0;
  for (const auto &[Text, Called] : *Passed)
    All += Called.Times;
  bool IsKnown = !Input.IsAsRun;
  for (const auto &[Number, Sum] : Passed->begin()->second.Sums)
    IsKnown &= Number < Site.Arguments.size() && Site.Arguments[Number];
  if (IsKnown || All == 0)
    return false;
  for (const auto &[Text, Called] : *Passed) {
    Block Next{.Runs = Around.Runs * Expr(Rational(Called.Times, All)),
               .Calls = {Site},
               .How = std::max(Around.How, Known::Measured)};
    for (const auto &[Number, Sum] : Called.Sums)
      if (auto &Arguments = Next.Calls.front().Arguments;
          Number < Arguments.size() && (Input.IsAsRun || !Arguments[Number]))
        Arguments[Number] = Expr(Rational(Sum, Called.Times));
    Result.push_back(std::move(Next));
  }
  return true;
}

void bindCalls(Function &F, const std::string &Unit,
               const std::vector<const FunctionRun *> &FunctionRuns) {
  CallBinder(F, Unit, FunctionRuns).bind(F.Body);
}

} // namespace ergon
