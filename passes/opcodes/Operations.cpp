//===- Operations.cpp - what an operation counts as -----------------------===//

#include "passes/opcodes/Operations.h"

#include "llvm/IR/DerivedTypes.h"

#include <algorithm>

namespace ergon {

FloatType floatTypeOf(const llvm::Type *T) {
  const llvm::Type *Scalar = T->getScalarType();
  return Scalar->isHalfTy()       ? FloatType::F16
         : Scalar->isBFloatTy()   ? FloatType::BF16
         : Scalar->isFloatTy()    ? FloatType::F32
         : Scalar->isDoubleTy()   ? FloatType::F64
         : Scalar->isX86_FP80Ty() ? FloatType::F80
                                  : FloatType::F128;
}

long lanesOf(const llvm::Type *T) {
  if (auto *Vector = dyn_cast<llvm::FixedVectorType>(T))
    return long(Vector->getNumElements());
  return 1;
}

void Tally::add(CostClass Class, long Times) {
  if (Times == 0)
    return;
  auto Found = std::ranges::lower_bound(Counted, Class, {}, &std::pair<CostClass, long>::first);
  if (Found == Counted.end() || Found->first != Class)
    Found = Counted.insert(Found, {Class, 0});
  Found->second += Times;
}

Tally &Tally::operator+=(const Tally &More) {
  for (const auto &[Class, Times] : More)
    add(Class, Times);
  return *this;
}

long Tally::operator[](CostClass Class) const {
  auto Found = std::ranges::find(Counted, Class, &std::pair<CostClass, long>::first);
  return Found == Counted.end() ? 0 : Found->second;
}

void addOperation(Operation What, FloatType Type, Tally &Sum, long Lanes) {
  auto Count = [&](CostClass Class, long Times = 1) { Sum.add(Class, Times * Lanes); };
  auto Float = [&](CostClass Family, long Times = 1) { Count(of(Family, Type), Times); };
  switch (What) {
  case Operation::Free:
    return;
  case Operation::Flop:
    return Float(CostClass::Flops);
  case Operation::Division:
    Float(CostClass::Flops);
    return Float(CostClass::Div);
  case Operation::Root:
    Float(CostClass::Flops);
    return Float(CostClass::Sqrt);
  case Operation::Fused:
    Float(CostClass::Flops, 2);
    return Float(CostClass::Fma);
  case Operation::Special:
    return Float(CostClass::Special);
  case Operation::FloatOther:
    return Float(CostClass::FpOther);
  case Operation::Integer:
    return Count(CostClass::IntOps);
  case Operation::MultiplyAdd:
    Count(CostClass::IntOps);
    return Count(CostClass::IntMul);
  case Operation::Multiply:
    return Count(CostClass::IntMul);
  case Operation::Divide:
    return Count(CostClass::IntDiv);
  case Operation::Barrier:
    return Sum.add(CostClass::Barriers, 1);
  }
}

void addAccess(Space Where, long BytesRead, long BytesWritten, Tally &Sum) {
  Sum.add(of(CostClass::Loads, Where), BytesRead != 0);
  Sum.add(of(CostClass::LoadBytes, Where), BytesRead);
  Sum.add(of(CostClass::Stores, Where), BytesWritten != 0);
  Sum.add(of(CostClass::StoreBytes, Where), BytesWritten);
}

} // namespace ergon
