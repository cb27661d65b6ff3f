//===- VectorRemarks.cpp - why loops were not vectorized ------------------===//

#include "passes/incore/VectorRemarks.h"
#include "model/machine/CostClass.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"

#include <memory>
#include <set>

namespace ergon {

static constexpr llvm::StringLiteral PassName = "loop-vectorize";

/// Reasons that a pragma, a keyword or an option removes.
static bool canBeHelped(StringRef Name) {
  static const llvm::StringSet<> Names = {"CantReorderFPOps", "CantReorderMemOps",
                                          "CantIdentifyArrayBounds", "CantVectorizeLibcall"};
  return Names.contains(Name);
}

struct VectorRemarks::Listener : llvm::DiagnosticHandler {
  std::unique_ptr<llvm::DiagnosticHandler> Before;
  std::map<LoopPosition, std::string> &Reasons;
  std::string Reason; ///< the first removable reason for the current loop

  Listener(std::unique_ptr<llvm::DiagnosticHandler> Previous,
           std::map<LoopPosition, std::string> &Reasons)
      : Before(std::move(Previous)), Reasons(Reasons) {
    HasErrors = Before->HasErrors;
  }

  /// The vectorizer reports a reason at the obstacle, and then a missed loop.
  void hear(const llvm::DiagnosticInfoIROptimization &Remark) {
    if (Remark.getKind() == llvm::DK_OptimizationRemarkMissed && Remark.isLocationAvailable()) {
      const llvm::DiagnosticLocation Position = Remark.getLocation();
      if (!Reason.empty())
        Reasons[{Remark.getFunction().getName().str(), Position.getLine(), Position.getColumn()}] =
            Reason;
    } else if (Remark.getKind() != llvm::DK_OptimizationRemark) {
      const std::string Message = Remark.getMsg();
      StringRef Text = Message;
      Text.consume_front("loop not vectorized: ");
      if (Reason.empty() && canBeHelped(Remark.getRemarkName()))
        Reason = Text.str();
      return;
    }
    Reason.clear();
  }
  bool handleDiagnostics(const llvm::DiagnosticInfo &DI) override {
    auto *Remark = dyn_cast<llvm::DiagnosticInfoIROptimization>(&DI);
    if (Remark && Remark->getPassName() == PassName) {
      hear(*Remark);
      if (!wasWanted(*Remark))
        return true;
    }
    return Before->handleDiagnostics(DI);
  }
  bool isAnalysisRemarkEnabled(StringRef Pass) const override {
    return Pass == PassName || Before->isAnalysisRemarkEnabled(Pass);
  }
  bool isMissedOptRemarkEnabled(StringRef Pass) const override {
    return Pass == PassName || Before->isMissedOptRemarkEnabled(Pass);
  }
  bool isPassedOptRemarkEnabled(StringRef Pass) const override {
    return Pass == PassName || Before->isPassedOptRemarkEnabled(Pass);
  }
  bool isAnyRemarkEnabled() const override { return true; }

private:
  bool wasWanted(const llvm::DiagnosticInfoOptimizationBase &Remark) const {
    switch (Remark.getKind()) {
    case llvm::DK_OptimizationRemark:
      return Before->isPassedOptRemarkEnabled(PassName);
    case llvm::DK_OptimizationRemarkMissed:
      return Before->isMissedOptRemarkEnabled(PassName);
    default:
      return Before->isAnalysisRemarkEnabled(PassName);
    }
  }
};

void VectorRemarks::begin(llvm::LLVMContext &C) {
  if (Heard || !C.getDiagHandlerPtr())
    return;
  auto New = std::make_unique<Listener>(C.getDiagnosticHandler(), Reasons);
  Heard = New.get();
  C.setDiagnosticHandler(std::move(New));
}

void VectorRemarks::end(llvm::LLVMContext &C) {
  if (!Heard || C.getDiagHandlerPtr() != Heard)
    return;
  std::unique_ptr<llvm::DiagnosticHandler> Before = std::move(Heard->Before);
  Before->HasErrors |= Heard->HasErrors;
  Heard = nullptr;
  C.setDiagnosticHandler(std::move(Before));
}

/// Whether all calls are mathematical functions, some of which have vector versions.
static bool callsMathAlone(const Loop &L) {
  return llvm::none_of(L.Blocks, [](const Block &Code) { return !Code.Calls.empty(); }) &&
         llvm::any_of(L.Blocks, [](const Block &Code) {
           return llvm::any_of(Code.PerRun, [](const Counts::Entry &E) {
             return family(E.first) == ClassFamily::Special;
           });
         });
}

/// Whether its exit is data-dependent: no keyword can give its trip count.
static bool hangsOnData(const Loop &L) {
  std::set<std::string> Symbols;
  L.Last.collectSymbols(Symbols);
  return llvm::any_of(Symbols,
                      [](const std::string &Symbol) { return Symbol.starts_with("trips@"); });
}

/// Whether its stores are irregular, such as to the next free element, or go through an object in
/// two directions: iterations may depend on each other, whatever is known of the pointers.
static bool scatters(const Loop &L) {
  std::map<std::string, std::set<std::string>> Steps; // of objects
  std::set<std::string> Stored;
  for (const Block &Code : L.Blocks)
    for (const Access &A : Code.Accesses) {
      const bool IsStore = A.What != Access::Kind::Load;
      auto Factors = A.Offset ? A.Offset->coefficientsOf(L.Variable) : std::nullopt;
      if (IsStore && (!Factors || Factors->size() > 2))
        return true;
      if (IsStore)
        Stored.insert(A.Base);
      if (Factors)
        Steps[A.Base].insert(Factors->size() == 2 ? toText((*Factors)[1]) : "0");
    }
  return llvm::any_of(Stored, [&](const std::string &Name) { return Steps[Name].size() > 1; });
}

/// Whether it has data-dependent loads. Without a gather instruction LLVM leaves such loops scalar.
static bool gathers(const Loop &L) {
  return llvm::any_of(L.Blocks, [&](const Block &Code) {
    return llvm::any_of(Code.Accesses, [&](const Access &A) {
      return A.What == Access::Kind::Load && !(A.Offset && A.Offset->coefficientsOf(L.Variable));
    });
  });
}

static bool hasGathers(const llvm::Function &F) {
  StringRef Features = F.getFnAttribute("target-features").getValueAsString();
  return Features.contains("+avx2") || Features.contains("+sve");
}

void VectorRemarks::apply(const llvm::Function &F, Loop &L) const {
  for (Loop &Inner : L.Loops)
    apply(F, Inner);
  const std::string Name = F.getName().str();
  const auto Found = Reasons.find({Name, L.Location.Line, L.Location.Column});
  if (Found != Reasons.end() && L.Shape.VectorWidth <= 1 && !L.Blocks.empty() &&
      (Found->second.find("call") == std::string::npos || callsMathAlone(L)) &&
      (Found->second.find("floating-point") != std::string::npos ? hasGathers(F) || !gathers(L)
                                                                 : !scatters(L) && !hangsOnData(L)))
    L.Blocks.front().Hints.push_back({"not_vectorized", L.Location, Found->second});
}

} // namespace ergon
