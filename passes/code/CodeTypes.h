//===- CodeTypes.h - types and names in a function's code -------*- C++ -*-===//
#pragma once

#include "passes/ir/LLVM.h"

#include <cstdint>
#include <string>

namespace ergon {

/// True for structures and arrays in registers: in code, pointers to objects that hold them, which
/// nothing writes to again.
bool isHeld(const llvm::Type &T);

/// A type as model/code/Code.h has it; empty for one that the interpreter does not have.
std::string typeInCode(const llvm::Type &T);

/// The interpreter's name of an arithmetic operation or a cast; empty for others.
llvm::StringRef operationInCode(unsigned Opcode);

/// The bits of \p What that the interpreter holds.
unsigned widthInCode(const llvm::Value &What);

/// The offset in bytes of the part of \p T that \p Path leads to.
std::uint64_t offsetOf(llvm::Type &T, llvm::ArrayRef<unsigned> Path,
                       const llvm::DataLayout &Layout);

/// \p Name without what separates words.
std::string wordInCode(llvm::StringRef Name);

/// Whether the interpreter runs an intrinsic for what it writes to memory.
bool writesInCode(const llvm::IntrinsicInst &Site);
/// The interpreter's name of an intrinsic: `fma` for `fmuladd` where the target fuses it.
llvm::StringRef intrinsicInCode(const llvm::IntrinsicInst &Site);

/// The code of one result of \p Site: the number, or \p Overflows, whether it does not fit.
std::string checkedInCode(const llvm::WithOverflowInst &Site, bool Overflows,
                          llvm::function_ref<std::string(const llvm::Value &)> Operand);

/// An atomic instruction that changes memory, as a call.
std::string atomicInCode(const llvm::Instruction &I,
                         llvm::function_ref<std::string(const llvm::Value &)> Operand);

/// A name that is unique in the program.
std::string nameInCode(const llvm::GlobalValue &What);

/// True for the virtual call in libstdc++'s std::ctype<char>::widen, which std::endl and getline
/// contain: it fills the table of the same object first, and is no call of the program's code.
bool isWiden(const CallBase &Site);

/// A real constant: its bits as a double.
std::string realInCode(double Number);

/// A constant number or null; `?` for one that the interpreter does not have, and empty for what is
/// no constant number.
std::string numberInCode(const llvm::Value &What);

} // namespace ergon
