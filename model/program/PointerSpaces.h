//===- PointerSpaces.h - generic pointers over calls ------------*- C++ -*-===//
//
// A device function that is not inlined does not know the address space of its pointer arguments;
// its callers often do. This information travels with the values of a call's arguments, and
// resolves the callee's generic accesses.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"

namespace ergon {

/// Adds the address spaces of pointer parameters to \p Inside, the callee's values, as far as \p
/// Site or \p Frame, the caller's values, knows them. Without \p OfHost those of a host are left
/// out: no count depends on them, as it has no generic accesses.
void passSpaces(const Call &Site, const Function &Callee, const Substitution &Frame,
                Substitution &Inside, bool OfHost = true);

/// The counts of one run of \p B, with accesses through parameters counted in the spaces of \p
/// Frame; nothing where that has none.
std::optional<Counts> countsIn(const Block &B, const Substitution &Frame);

} // namespace ergon
