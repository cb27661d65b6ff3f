//===- CallBinding.h - a callee's symbols in its caller's words -*- C++ -*-===//

#ifndef ERGON_MODEL_PROGRAM_CALLBINDING_H
#define ERGON_MODEL_PROGRAM_CALLBINDING_H

#include "model/program/Function.h"

namespace ergon {

/// The value of one of the callee's cells at \p Site, in symbols of \p Owner. A
/// place that the owner passes on is a cell of its own too: of \p OwnerCells, or a
/// new one that is added there. Nothing where the owner does not know the value.
std::optional<Expr> valueOfCell(const Cell &C, const Function &Callee, const Call &Site,
                                const Function &Owner, std::vector<Cell> &OwnerCells);

/// The signed number in bits Low … Low + Bits - 1 of \p Packed, a register of \p AllBits
/// bits with several fields, where the formula shows it: each coefficient is a small
/// number plus a multiple of 2^Low. Nothing where one is no whole number.
std::optional<Expr> fieldOf(const Expr &Packed, unsigned Low, unsigned Bits, unsigned AllBits);

/// How many bits an integer parameter has; 0 of any other.
unsigned integerBits(const Parameter &P);

/// Makes \p Value, that of \p Argument, what a parameter of \p Formal's type has of it: -1 is
/// 4294967295 for an unsigned one of 32 bits. Of a formula, returns what is not zero where the type
/// cannot hold it: unless it \p MayWrap, \p Owner has it as a signed number, or as one that
/// depends on an unsigned parameter.
Expr fitInto(const Parameter &Formal, const Expr &Argument, bool MayWrap, const Function &Owner,
             Expr &Value);

/// A symbol of a global, which means the same in every function: `::n`, `file.c::n`.
bool isGlobalSymbol(std::string_view Symbol);

} // namespace ergon

#endif
