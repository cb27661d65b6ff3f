//===- Operations.h - arithmetic of interpreted code ------------*- C++ -*-===//
#pragma once

#include "model/code/Code.h"

namespace ergon::code {

/// `add`, `fadd`-like operations on real types have the same names.
Value binary(std::size_t Operation, Type Of, const Value &Left, const Value &Right);
Value compare(std::size_t Operation, Type Of, const Value &Left, const Value &Right);
Value cast(std::size_t Operation, Type From, Type To, const Value &What);

} // namespace ergon::code
