//===- MemberNames.h - names of members of declared classes -----*- C++ -*-===//
#ifndef ERGON_MODEL_PROGRAM_MEMBERNAMES_H
#define ERGON_MODEL_PROGRAM_MEMBERNAMES_H

#include "model/program/Function.h"

namespace ergon {

/// Gives the declared members of \p F the names that they have in other units, as far as these say
/// them and nothing else in the function has the name.
void nameMembers(Function &F, const TypeLookup &Find);

} // namespace ergon

#endif
