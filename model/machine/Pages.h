//===- Pages.h - the pages of memory ----------------------------*- C++ -*-===//
#ifndef ERGON_MODEL_MACHINE_PAGES_H
#define ERGON_MODEL_MACHINE_PAGES_H

namespace ergon {

/// Whose place a processor looks up at once: the smallest page of x86-64 and of AArch64.
inline constexpr unsigned PageBytes = 4096;

} // namespace ergon

#endif
