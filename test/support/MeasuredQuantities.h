//===- MeasuredQuantities.h - numbers of a core, without doubt --*- C++ -*-===//

#pragma once

#include "model/machine/Pipeline.h"

namespace ergon {

inline MeasuredQuantity measured(double Value) {
  MeasuredQuantity Result;
  Result.Median.Value = Result.Low = Result.High = Value;
  return Result;
}

} // namespace ergon
