//===- Stride.cpp - strides of accesses -----------------------------------===//

#include "model/program/Stride.h"

namespace ergon {

std::optional<Expr> stride(const Expr &Offset, std::string_view Variable) {
  auto Factors = Offset.coefficientsOf(Variable);
  if (!Factors || Factors->size() > 2)
    return std::nullopt;
  return Factors->size() == 2 ? (*Factors)[1] : Expr();
}

std::optional<Expr> stride(const Access &A, const Loop &L) {
  return A.Offset ? stride(*A.Offset, L.Variable) : std::nullopt;
}

std::optional<Rational> constantStride(const Expr &Offset, std::string_view Variable) {
  const std::optional<Expr> Step = stride(Offset, Variable);
  return Step ? Step->constant() : std::nullopt;
}

} // namespace ergon
