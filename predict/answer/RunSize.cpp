//===- RunSize.cpp - what estimates are compared by -----------------------===//

#include "predict/answer/RunSize.h"

namespace ergon {

RunSize sizeOn(const Machine *M, const Setting &Clocks) {
  return [M, Clocks](const CountValues &Counts) {
    if (M) {
      const Cost C = costOn(*M, Clocks, Counts);
      if (C.Missing.empty() && C.TimeS.Value > 0)
        return C.TimeS.Value;
    }
    double Result = 0;
    for (const auto &[Class, Value] : Counts.Values)
      Result += Value.get_d();
    return Result;
  };
}

std::map<CostClass, double> weightsOf(const Totals &T, double Size,
                                      const std::function<double(const Totals &)> &SizeOf) {
  static const Rational Step(1, 1000);
  std::map<CostClass, double> Result;
  for (const auto &[Class, Amount] : T.Values)
    if (auto Value = Amount.constant(); Value && *Value > 0) {
      Totals More = T;
      More.Values.add(Class, Expr(*Value * Step));
      Result[Class] = (SizeOf(More) - Size) / Rational(*Value * Step).get_d();
    }
  return Result;
}

} // namespace ergon
