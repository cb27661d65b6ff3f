//===- TuneOptions.h - limits and candidates from the command line --------===//

#ifndef ERGON_TOOLS_TUNE_TUNEOPTIONS_H
#define ERGON_TOOLS_TUNE_TUNEOPTIONS_H

#include "formats/json/Error.h"
#include "model/machine/Machine.h"

#include <expected>
#include <string>
#include <vector>

namespace ergon {

/// Values for what `--try` names.
struct TryCandidate {
  std::string Label;             ///< `block.x=64 grid.x=32`
  std::vector<std::string> Sets; ///< NAME=VALUE
};

/// `5%` or `0.05`. Error: no number, below 0, or a number above 1 without a percent sign.
std::expected<double, Error> parseShare(const std::string &Text);

/// All combinations of the values of each \p Tries, `NAME=V1,V2 [OTHER=W1,W2]`, whose names
/// move together; one without values where none are tried. Error: no such list, or names of
/// one list with different numbers of values.
std::expected<std::vector<TryCandidate>, Error> readTries(const std::vector<std::string> &Tries);

/// ` at 852/924 MHz`; empty for a setting without clocks.
std::string at(const Setting &Of);

} // namespace ergon

#endif
