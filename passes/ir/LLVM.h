//===- LLVM.h - names of LLVM that all passes use ---------------*- C++ -*-===//
//
// Declares LLVM's classes for headers that only refer to them, and takes its casts, its views of
// text and arrays, and the most frequent classes into namespace ergon, as clang/Basic/LLVM.h does
// for clang.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

namespace llvm {
class AAResults;
class AllocaInst;
class AnyMemIntrinsic;
class Argument;
class AssumptionCache;
class BasicBlock;
class BatchAAResults;
class BranchInst;
class CallBase;
class CallGraph;
class Constant;
class ConstantInt;
class DataLayout;
class DebugLoc;
class DICompositeType;
class DIDerivedType;
class DIFile;
class DILocalVariable;
class DILocation;
class DINode;
class DIType;
class DominatorTree;
class EarliestEscapeAnalysis;
class FCmpInst;
class Function;
class GlobalValue;
class GlobalVariable;
class ICmpInst;
class Instruction;
class IntrinsicInst;
class LLVMContext;
class LoadInst;
class Loop;
class LoopInfo;
class MemoryLocation;
class MemorySSA;
class Module;
class PHINode;
class raw_ostream;
class ScalarEvolution;
class SCEV;
class SCEVAddRecExpr;
class SCEVExpander;
class SCEVNAryExpr;
class SelectInst;
class StoreInst;
class TargetLibraryInfo;
class TargetTransformInfo;
class Type;
class TypeBasedAAResult;
class Value;
} // namespace llvm

namespace ergon {

using llvm::cast;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::isa_and_nonnull;

using llvm::ArrayRef;
using llvm::function_ref;
using llvm::raw_ostream;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;

using llvm::BasicBlock;
using llvm::CallBase;
using llvm::Instruction;

} // namespace ergon
