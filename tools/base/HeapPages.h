//===- HeapPages.h - the command's heap in large pages ----------*- C++ -*-===//
#pragma once

namespace ergon {

/// Asks the kernel for large pages under the heap, before it is used. A program's records are many
/// small objects that live until the end: in a virtual machine the faults of their pages take as
/// long as reading them. Does nothing where the system has no such pages.
void useLargeHeapPages();

} // namespace ergon
