//===- Stride.h - strides of accesses ---------------------------*- C++ -*-===//
//
// How an address depends on a loop: shared by lint, traffic and time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"

#include <optional>
#include <string_view>

namespace ergon {

/// The stride in bytes of \p Offset per increment of the induction variable \p Variable: zero where
/// it is constant, nothing where it is not linear.
std::optional<Expr> stride(const Expr &Offset, std::string_view Variable);
/// The stride of \p A per iteration of \p L; nothing where its address is no formula.
std::optional<Expr> stride(const Access &A, const Loop &L);
/// The stride in bytes where it is a number.
std::optional<Rational> constantStride(const Expr &Offset, std::string_view Variable);

} // namespace ergon
