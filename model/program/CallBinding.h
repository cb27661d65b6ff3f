//===- CallBinding.h - a callee's symbols in its caller's terms -*- C++ -*-===//

#pragma once

#include "model/program/Function.h"

namespace ergon {

/// The value of a callee's cell at \p Site, in symbols of \p Owner. A location that the owner
/// passes on is a cell of its own too, in \p OwnerCells or added there. Nothing where the owner
/// does not know the value.
std::optional<Expr> valueOfCell(const Cell &C, const Function &Callee, const Call &Site,
                                const Function &Owner, std::vector<Cell> &OwnerCells);

/// The signed number in bits Low … Low + Bits - 1 of \p Packed, a register of \p AllBits bits with
/// several fields, where the formula shows it: each coefficient is a small number plus a multiple
/// of 2^Low. Nothing where one is no integer.
std::optional<Expr> fieldOf(const Expr &Packed, unsigned Low, unsigned Bits, unsigned AllBits);

/// The width of an integer parameter in bits; 0 for others.
unsigned integerBits(const Parameter &P);

/// Converts \p Value, that of \p Argument, to a parameter of \p Formal's type: -1 is 4294967295 for
/// an unsigned one of 32 bits. For a formula, returns a range check that is not zero where the type
/// cannot represent it, unless it \p MayWrap, or \p Owner has it as a signed number or one that
/// depends on an unsigned parameter.
Expr fitInto(const Parameter &Formal, const Expr &Argument, bool MayWrap, const Function &Owner,
             Expr &Value);

/// A symbol of a global, which means the same in every function: `::n`, `file.c::n`.
bool isGlobalSymbol(std::string_view Symbol);

} // namespace ergon
