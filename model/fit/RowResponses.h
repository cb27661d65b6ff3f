//===- RowResponses.h - what a profile makes of rows of samples -*- C++ -*-===//
#pragma once

#include "model/energy/PreparedMachine.h"
#include "model/fit/Samples.h"

#include <cstddef>
#include <vector>

namespace ergon {

/// The setting of \p M for that of a row: with its voltages, and the clock that is really set.
Setting profileSetting(const Machine &M, const Setting &OfRow);

/// Prices the rows of a table as one program each, with errors.
class RowResponses {
public:
  RowResponses(const Machine &M, const Samples &S);

  const PreparedMachine &machine() const { return Prepared; }
  Response of(std::size_t Row) const;

private:
  const Samples &S;
  std::vector<std::size_t> Settings; ///< of each row, by its number
  PreparedMachine Prepared;
};

} // namespace ergon
