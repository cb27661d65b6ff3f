//===- Pages.h - the pages of memory ----------------------------*- C++ -*-===//
#pragma once

namespace ergon {

/// The page size of a TLB entry: the smallest one of x86-64 and AArch64.
inline constexpr unsigned PageBytes = 4096;

} // namespace ergon
