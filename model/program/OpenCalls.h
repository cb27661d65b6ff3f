//===- OpenCalls.h - calls of unknown cost ----------------------*- C++ -*-===//
//
// Calls without a record and a description, and calls of functions that are active already. They
// have a name, by which they are left out or declared free.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"

#include <string>
#include <string_view>

namespace ergon {

/// The name of \p Site, a call in \p Owner: a key of Totals::OpenCalls.
std::string openCallName(const Call &Site, const Function &Owner, bool IsRecursion);

/// What a call of unknown cost is, in words; null where \p Symbol does not name one.
const char *openCallMeaning(std::string_view Symbol);

/// True for the name of a call of unknown cost.
inline bool isOpenCall(std::string_view Symbol) { return openCallMeaning(Symbol) != nullptr; }

} // namespace ergon
