//===- Inputs.h - the numbers that calls and launches pass ------*- C++ -*-===//
#pragma once

#include "model/code/Code.h"
#include "model/code/Memory.h"

namespace ergon::code {

/// The number that \p I is, of a call that passes \p Argument; unknown where it is not known.
Value inputOf(const Value &Argument, const Input &I, const Memory &Objects);

/// The same of a launch: \p Address leads to the argument, which may be a structure.
Value inputAt(const Value &Address, const Input &I, const Memory &Objects);

} // namespace ergon::code
