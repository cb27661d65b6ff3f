//===- TotalsFrames.cpp - the values that totals of a function are for ----===//

#include "model/program/Program.h"

#include <iterator>
#include <string_view>

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

} // namespace ergon
