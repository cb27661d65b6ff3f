//===- InstructionMixes.h - instruction mixes of code -----------*- C++ -*-===//
//
// Maps IR to processor instructions as far as their time depends on it: legalization to registers,
// and folding. Uses LLVM's TargetTransformInfo; it does not model later code generation (addressing
// modes, register allocation).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Instructions.h"
#include "passes/ir/FunctionAnalyses.h"

namespace ergon {

class InstructionMixer {
public:
  explicit InstructionMixer(const FunctionAnalyses &Analyses) : Analyses(Analyses) {}

  /// Adds the instructions of one run of \p I.
  void add(const Instruction &I, InstructionMix &Mix) const;
  InstructionMix mixOf(const BasicBlock &B) const;

private:
  const FunctionAnalyses &Analyses;

  void put(const char *Operation, llvm::Type *T, InstructionMix &Mix, double Times = 1) const;
  void addCall(const Instruction &I, InstructionMix &Mix) const;
  void addConversion(const Instruction &I, InstructionMix &Mix) const;
  void addMask(const llvm::Value &Mask, llvm::Type *To, InstructionMix &Mix) const;
  void addDivision(const Instruction &I, InstructionMix &Mix) const;
  void addByTarget(const Instruction &I, const char *Operation, InstructionMix &Mix) const;
  void addByIndex(const CallBase &Site, bool IsLoad, llvm::Type *Moved, InstructionMix &Mix) const;
};

} // namespace ergon
