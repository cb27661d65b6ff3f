//===- InThreads.h - work of a loop by several threads ----------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <functional>

namespace ergon {

/// Calls \p Work for each number below \p Count, by as many threads as the machine has; one after
/// the other where the caller is such a thread itself. \p Work must not throw.
void forEachInThreads(std::size_t Count, const std::function<void(std::size_t)> &Work);

} // namespace ergon
