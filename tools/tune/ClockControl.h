//===- ClockControl.h - settings of a machine for measured runs -*- C++ -*-===//
//
// Sets the clocks that a profile is of: a processor's by cpufreq, a board's by the commands of
// nvidia-smi that `ergon tune` prints. What was found is put back.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "model/machine/Machine.h"

#include <expected>
#include <memory>
#include <string>

namespace ergon {

class ClockControl {
public:
  /// For the clocks of \p M; what is to be put back is kept in \p KeptAt, so that a later run can
  /// do so where this one is killed. Error: the clocks cannot be set, or not by this user.
  static std::expected<std::unique_ptr<ClockControl>, Error> of(const Machine &M,
                                                                const std::string &KeptAt);
  /// Puts back what was found, or says why it cannot.
  virtual ~ClockControl() = default;

  /// Error: the machine does not take the setting.
  virtual std::expected<void, Error> set(const Setting &Clocks) = 0;
};

} // namespace ergon
