//===- PointerSpaces.h - generic pointers over calls ------------*- C++ -*-===//
//
// A device function that is not inlined knows nothing of where its pointer
// arguments point; its callers often do. What they know travels with the values
// of a call's arguments, and makes the callee's generic accesses those of a space.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_PROGRAM_POINTERSPACES_H
#define ERGON_MODEL_PROGRAM_POINTERSPACES_H

#include "model/program/Function.h"

namespace ergon {

/// Adds to \p Inside, the callee's values, in which spaces its pointer parameters
/// lie, as far as \p Site says so or \p Frame, the caller's values, does.
void passSpaces(const Call &Site, const Function &Callee, const Substitution &Frame,
                Substitution &Inside);

/// What one run of \p B counts, with the accesses through the parameters whose
/// spaces are in \p Frame counted in those.
Counts countsIn(const Block &B, const Substitution &Frame);

} // namespace ergon

#endif
