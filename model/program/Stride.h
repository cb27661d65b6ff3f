//===- Stride.h - how far an access goes in an iteration --------*- C++ -*-===//
//
// The one answer to how an address depends on a loop: lint, traffic and time ask it.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_PROGRAM_STRIDE_H
#define ERGON_MODEL_PROGRAM_STRIDE_H

#include "model/program/Function.h"

#include <optional>
#include <string_view>

namespace ergon {

/// By how many bytes \p Offset goes on when \p Variable, a loop's, grows by 1: zero
/// where it stays, nothing where it is not linear in the variable.
std::optional<Expr> stride(const Expr &Offset, std::string_view Variable);
/// The stride of \p A in an iteration of \p L; nothing where its place is no formula.
std::optional<Expr> stride(const Access &A, const Loop &L);
/// The stride in bytes where it is a number.
std::optional<Rational> constantStride(const Expr &Offset, std::string_view Variable);

} // namespace ergon

#endif
