//===- TotalsFrames.cpp - what totals of a function are for ---------------===//
//
// The values of its symbols, and what symbols without one mean.
//
//===----------------------------------------------------------------------===//

#include "model/program/CallBinding.h"
#include "model/program/Program.h"

#include <iterator>
#include <string_view>
#include <utility>

namespace ergon {

/// Tells frames of one builder apart: by what differs from what is bound for all of them.
TotalsBuilder::Key TotalsBuilder::keyOf(const Function &Which, const Substitution &Frame) const {
  std::string Values;
  auto Base = Bound.begin();
  auto Left = [&](std::string_view UpTo) {
    for (; Base != Bound.end() && Base->first < UpTo; ++Base)
      Values += "-" + Base->first + ";";
  };
  for (const auto &[Name, Value] : Frame) {
    Left(Name);
    const bool IsBound = Base != Bound.end() && Base->first == Name;
    if (!IsBound || !(Base->second == Value))
      Values += Name + "=" + toText(Value) + ";";
    Base = std::next(Base, IsBound);
  }
  for (; Base != Bound.end(); ++Base)
    Values += "-" + Base->first + ";";
  return {&Which, std::move(Values)};
}

/// \p Frame and the measured values of the function's unknowns.
Substitution TotalsBuilder::withMeasured(const Function &Which, const Substitution &Frame) const {
  Substitution Result = Frame;
  for (const Unknown &U : Which.Unknowns)
    if (UseMeasured && U.Measured)
      Result.emplace(U.Symbol, Expr(*U.Measured));
  return Result;
}

Unknown TotalsBuilder::explain(const std::string &Symbol) const {
  if (auto Found = Explained.find(Symbol); Found != Explained.end()) {
    Unknown Result = *Found->second;
    Result.Limit = Limits.of(Symbol);
    return Result;
  }
  if (const char *Why = openCallMeaning(Symbol))
    return {Symbol, {}, Why};
  static constexpr std::pair<std::string_view, const char *> OtherPrefixes[] = {
      {"formula:", "a formula that is too large to be worked out, or a sum of too many terms"},
      {"value@", "an argument that is no formula of the parameters, or a handle of unknown "
                 "meaning"}};
  for (const auto &[Prefix, Why] : OtherPrefixes)
    if (Symbol.starts_with(Prefix)) {
      Unknown Result{Symbol, {}, Why};
      Frames.explain(Result);
      return Result;
    }
  return {Symbol,
          {},
          Symbol == "omp.threads"     ? "how many threads run a parallel region"
          : isLaunchDimension(Symbol) ? "a dimension of the launch"
          : isGlobalSymbol(Symbol)    ? "a global's value when the entry is called"
          : Symbol == ProcessCount    ? "how many processes the program has"
                                      : "a parameter"};
}

} // namespace ergon
