//===- DescribedTypes.h - classes described in a module ---------*- C++ -*-===//

#ifndef ERGON_PASSES_IR_DESCRIBEDTYPES_H
#define ERGON_PASSES_IR_DESCRIBEDTYPES_H

#include "model/program/ObjectTypes.h"
#include "passes/ir/LLVM.h"

#include <vector>

namespace ergon {

/// The classes of which \p M defines a member function and has the members, and those that their
/// pointers lead to; sorted by name. clang describes a class only in the unit that defines its
/// constructors or its first virtual function, so other units may lack it.
std::vector<ObjectType> describedTypes(const llvm::Module &M);

} // namespace ergon

#endif
