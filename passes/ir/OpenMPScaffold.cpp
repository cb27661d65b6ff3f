//===- OpenMPScaffold.cpp - scaffolding in unfolded copies ----------------===//

#include "passes/ir/OpenMPScaffold.h"
#include "passes/ir/DirectCallee.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace ergon {

using llvm::Function;

// Uses LLVM's annotation metadata: a kind of our own would be registered in the context, which
// writes the names of all its kinds into bitcode and assembly.
static constexpr const char *ScaffoldMark = "ergon.scaffold";
static constexpr const char *ThreadLoopMark = "ergon.threads";

static bool isMarked(const Instruction &I, StringRef Mark) {
  const llvm::MDNode *Marks = I.getMetadata(llvm::LLVMContext::MD_annotation);
  return Marks && llvm::any_of(Marks->operands(), [&](const llvm::MDOperand &Operand) {
           auto *Text = dyn_cast<llvm::MDString>(Operand.get());
           return Text && Text->getString() == Mark;
         });
}

bool isScaffold(const Instruction &I) { return isMarked(I, ScaffoldMark); }

bool isThreadLoop(const llvm::Loop &L) {
  return llvm::any_of(L.getHeader()->phis(),
                      [](const llvm::PHINode &Phi) { return isMarked(Phi, ThreadLoopMark); });
}

ScaffoldBuilder::ScaffoldBuilder(Instruction *Before)
    : IRBuilder(Before->getContext(), llvm::ConstantFolder(),
                llvm::IRBuilderCallbackInserter([](Instruction *I) { mark(*I); })) {
  SetInsertPoint(Before);
  SetCurrentDebugLocation(Before->getDebugLoc());
}

void ScaffoldBuilder::mark(Instruction &I) { I.addAnnotationMetadata(ScaffoldMark); }

llvm::CallInst *ScaffoldBuilder::marker(const char *Name) {
  llvm::Module *M = GetInsertBlock()->getModule();
  return CreateCall(M->getOrInsertFunction(Name, getInt32Ty()));
}
llvm::Value *ScaffoldBuilder::thread() { return marker(ThreadSymbol); }
llvm::Value *ScaffoldBuilder::threads() { return marker(ThreadsSymbol); }

std::optional<Expr> threadSymbol(const CallBase &Site) {
  StringRef Name = directCallee(Site);
  if (Name == ThreadSymbol || Name == ThreadsSymbol)
    return Expr::symbol(Name.str());
  return std::nullopt;
}

bool isRuntimeCall(StringRef Callee) {
  static constexpr StringRef Names[] = {"barrier",
                                        "cancel_barrier",
                                        "flush",
                                        "global_thread_num",
                                        "push_num_threads",
                                        "push_proc_bind",
                                        "master",
                                        "end_master",
                                        "masked",
                                        "end_masked",
                                        "critical",
                                        "critical_with_hint",
                                        "end_critical",
                                        "reduce",
                                        "reduce_nowait",
                                        "end_reduce",
                                        "end_reduce_nowait",
                                        "ordered",
                                        "end_ordered",
                                        "single",
                                        "end_single",
                                        "for_static_fini",
                                        "dispatch_deinit",
                                        "dispatch_fini_4",
                                        "dispatch_fini_4u",
                                        "dispatch_fini_8",
                                        "dispatch_fini_8u",
                                        "serialized_parallel",
                                        "end_serialized_parallel"};
  if (Callee.consume_front("__kmpc_"))
    return llvm::is_contained(Names, Callee);
  return Callee == ThreadSymbol || Callee == ThreadsSymbol || Callee.starts_with("omp_get_") ||
         Callee.starts_with("omp_set_") || Callee.starts_with("omp_init_") ||
         Callee.starts_with("omp_destroy_") || Callee.starts_with("omp_unset_") ||
         Callee.starts_with("omp_test_") || Callee.starts_with("omp_in_");
}

void markThreadLoop(llvm::PHINode &Phi) { Phi.addAnnotationMetadata(ThreadLoopMark); }

} // namespace ergon
