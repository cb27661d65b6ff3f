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

/// Reasons that a pragma, a keyword or an option takes away.
static bool canBeHelped(llvm::StringRef Name) {
  static const llvm::StringSet<> Names = {"CantReorderFPOps", "CantReorderMemOps",
                                          "CantIdentifyArrayBounds", "CantVectorizeLibcall"};
  return Names.contains(Name);
}

struct VectorRemarks::Listener : llvm::DiagnosticHandler {
  std::unique_ptr<llvm::DiagnosticHandler> Before;
  std::map<Place, std::string> &Into;
  std::string Reason; ///< the first that can be helped, of the loop that is being looked at

  Listener(std::unique_ptr<llvm::DiagnosticHandler> Of, std::map<Place, std::string> &Into)
      : Before(std::move(Of)), Into(Into) {
    HasErrors = Before->HasErrors;
  }

  /// The vectorizer tells a reason at what is in its way, and then at the loop that it missed it.
  void hear(const llvm::DiagnosticInfoIROptimization &Remark) {
    if (Remark.getKind() == llvm::DK_OptimizationRemarkMissed && Remark.isLocationAvailable()) {
      const llvm::DiagnosticLocation At = Remark.getLocation();
      if (!Reason.empty())
        Into[{Remark.getFunction().getName().str(), At.getLine(), At.getColumn()}] = Reason;
    } else if (Remark.getKind() != llvm::DK_OptimizationRemark) {
      const std::string Message = Remark.getMsg();
      llvm::StringRef Text = Message;
      Text.consume_front("loop not vectorized: ");
      if (Reason.empty() && canBeHelped(Remark.getRemarkName()))
        Reason = Text.str();
      return;
    }
    Reason.clear();
  }
  bool handleDiagnostics(const llvm::DiagnosticInfo &DI) override {
    auto *Remark = llvm::dyn_cast<llvm::DiagnosticInfoIROptimization>(&DI);
    if (Remark && Remark->getPassName() == PassName) {
      hear(*Remark);
      if (!wasWanted(*Remark))
        return true;
    }
    return Before->handleDiagnostics(DI);
  }
  bool isAnalysisRemarkEnabled(llvm::StringRef Pass) const override {
    return Pass == PassName || Before->isAnalysisRemarkEnabled(Pass);
  }
  bool isMissedOptRemarkEnabled(llvm::StringRef Pass) const override {
    return Pass == PassName || Before->isMissedOptRemarkEnabled(Pass);
  }
  bool isPassedOptRemarkEnabled(llvm::StringRef Pass) const override {
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

/// Mathematical functions and no others: of these there are some for vectors.
static bool callsMathAlone(const Loop &Of) {
  return llvm::none_of(Of.Blocks, [](const Block &Each) { return !Each.Calls.empty(); }) &&
         llvm::any_of(Of.Blocks, [](const Block &Each) {
           return llvm::any_of(Each.PerRun, [](const Counts::Entry &One) {
             return family(One.first) == ClassFamily::Special;
           });
         });
}

/// Whether data ends it: no keyword lets the compiler know how far it goes.
static bool hangsOnData(const Loop &Of) {
  std::set<std::string> Symbols;
  Of.Last.collectSymbols(Symbols);
  return llvm::any_of(Symbols, [](const std::string &Each) { return Each.starts_with("trips@"); });
}

/// Whether its stores go to places that do not follow from the iteration, such as the next free
/// one, or through an object in two directions: iterations may need each other's then, whatever is
/// known of the pointers.
static bool scatters(const Loop &Of) {
  std::map<std::string, std::set<std::string>> Steps; // of objects
  std::set<std::string> Stored;
  for (const Block &Each : Of.Blocks)
    for (const Access &One : Each.Accesses) {
      const bool IsStore = One.What != Access::Kind::Load;
      auto Factors = One.Offset ? One.Offset->coefficientsOf(Of.Variable) : std::nullopt;
      if (IsStore && (!Factors || Factors->size() > 2))
        return true;
      if (IsStore)
        Stored.insert(One.Base);
      if (Factors)
        Steps[One.Base].insert(Factors->size() == 2 ? toText((*Factors)[1]) : "0");
    }
  return llvm::any_of(Stored, [&](const std::string &Each) { return Steps[Each].size() > 1; });
}

/// Whether it loads from places that data decides. Without an instruction for that LLVM leaves such
/// loops scalar, whatever it may reorder.
static bool gathers(const Loop &Of) {
  return llvm::any_of(Of.Blocks, [&](const Block &Each) {
    return llvm::any_of(Each.Accesses, [&](const Access &One) {
      return One.What == Access::Kind::Load &&
             !(One.Offset && One.Offset->coefficientsOf(Of.Variable));
    });
  });
}

static bool hasGathers(const llvm::Function &F) {
  llvm::StringRef Features = F.getFnAttribute("target-features").getValueAsString();
  return Features.contains("+avx2") || Features.contains("+sve");
}

void VectorRemarks::apply(const llvm::Function &F, Loop &Into) const {
  for (Loop &Inner : Into.Loops)
    apply(F, Inner);
  const std::string Name = F.getName().str();
  const auto Found = Reasons.find({Name, Into.At.Line, Into.At.Column});
  if (Found != Reasons.end() && Into.Shape.VectorWidth <= 1 && !Into.Blocks.empty() &&
      (Found->second.find("call") == std::string::npos || callsMathAlone(Into)) &&
      (Found->second.find("floating-point") != std::string::npos
           ? hasGathers(F) || !gathers(Into)
           : !scatters(Into) && !hangsOnData(Into)))
    Into.Blocks.front().Hints.push_back({"not_vectorized", Into.At, Found->second});
}

void VectorRemarks::apply(const llvm::Function &F, Function &Cost) const { apply(F, Cost.Body); }

} // namespace ergon
