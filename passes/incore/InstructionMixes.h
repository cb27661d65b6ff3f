//===- InstructionMixes.h - what a CPU executes of some code ----*- C++ -*-===//
//
// From the IR to the processor's instructions, as far as their time depends on it: what is legal
// in one register, what is folded into what. LLVM's TargetTransformInfo says what it knows; what
// the code generator does after the IR (its addressing modes, its registers) is not there.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_INCORE_INSTRUCTIONMIXES_H
#define ERGON_PASSES_INCORE_INSTRUCTIONMIXES_H

#include "model/program/Instructions.h"
#include "passes/ir/FunctionAnalyses.h"

namespace llvm {
class BasicBlock;
class Instruction;
class Type;
class Value;
} // namespace llvm

namespace ergon {

class InstructionMixer {
public:
  explicit InstructionMixer(const FunctionAnalyses &Analyses) : Analyses(Analyses) {}

  /// Adds what one run of \p I executes.
  void add(const llvm::Instruction &I, InstructionMix &Mix) const;
  InstructionMix mixOf(const llvm::BasicBlock &B) const;

private:
  const FunctionAnalyses &Analyses;

  void put(const char *Operation, llvm::Type *T, InstructionMix &Mix, double Times = 1) const;
  void addCall(const llvm::Instruction &I, InstructionMix &Mix) const;
  void addConversion(const llvm::Instruction &I, InstructionMix &Mix) const;
  void addMask(const llvm::Value &Mask, llvm::Type *To, InstructionMix &Mix) const;
  void addDivision(const llvm::Instruction &I, InstructionMix &Mix) const;
  void addByTarget(const llvm::Instruction &I, const char *Operation, InstructionMix &Mix) const;
  unsigned unitsOf(const llvm::Instruction &I) const;
  double unitsOfShuffle(const llvm::Instruction &I) const;
};

} // namespace ergon

#endif
