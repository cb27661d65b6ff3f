//===- MemberNames.h - names of members of declared classes -----*- C++ -*-===//
#pragma once

#include "model/program/Function.h"

namespace ergon {

/// Gives the declared members of \p F their names from other units, where these know them and the
/// name is free in the function.
void nameMembers(Function &F, const TypeLookup &Find);

} // namespace ergon
