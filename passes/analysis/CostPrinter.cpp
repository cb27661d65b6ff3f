//===- CostPrinter.cpp - the cost of a function as text -------------------===//

#include "model/program/Program.h"
#include "passes/analysis/CostAnalysis.h"

#include "llvm/Support/raw_ostream.h"

namespace ergon {

static void printCall(llvm::raw_ostream &Out, llvm::StringRef Callee,
                      const std::vector<std::optional<Expr>> &Arguments) {
  Out << (Callee.empty() ? "?" : Callee) << "(";
  for (std::size_t I = 0; I != Arguments.size(); ++I)
    Out << (I ? ", " : "") << (Arguments[I] ? toText(*Arguments[I]) : "?");
  Out << ")";
}

static void printLoop(llvm::raw_ostream &Out, const Loop &Each, unsigned Depth) {
  if (!Each.Variable.empty()) {
    Out.indent(2 * Depth) << "loop " << Each.Variable;
    if (Each.At.isValid())
      Out << " at " << Each.At.text();
    Out << ": entries " << toText(Each.Entries) << ", last " << toText(Each.Last);
    if (Each.TripsKnown != Known::Exact)
      Out << " (" << name(Each.TripsKnown) << ")";
    Out << "\n";
  }
  for (const Block &One : Each.Blocks) {
    Out.indent(2 * Depth + 2) << "runs " << toText(One.Runs)
                              << (One.How == Known::Bound ? " (at most):" : ":");
    for (const auto &[Class, Amount] : One.PerRun)
      Out << " " << name(Class) << "=" << toText(Amount);
    Out << "\n";
    for (const Access &A : One.Accesses) {
      Out.indent(2 * Depth + 4) << name(A.What) << " " << A.Bytes << " " << name(A.Where) << " "
                                << (A.Base.empty() ? "?" : A.Base) << " "
                                << (A.Offset ? toText(*A.Offset) : "?") << "\n";
    }
    for (const Call &Site : One.Calls) {
      Out.indent(2 * Depth + 4) << (Site.IsLaunch ? "launch " : "call ");
      printCall(Out, Site.Callee, Site.Arguments);
      for (const MadeBy &Each : Site.Origins) {
        Out << ", argument " << Each.Number << " made by ";
        printCall(Out, Each.Callee, Each.Arguments);
      }
      if (Site.Shape) {
        Out << " shape";
        for (const Expr &Extent : Site.Shape->Grid)
          Out << " " << toText(Extent);
        Out << " x";
        for (const Expr &Extent : Site.Shape->Block)
          Out << " " << toText(Extent);
        Out << ", shared " << toText(Site.Shape->SharedBytes);
      }
      for (const PointerArgument &To : Site.Pointers)
        Out << ", " << To.Argument << " to "
            << (To.Where == Space::Generic ? std::string_view(To.Base) : name(To.Where));
      Out << "\n";
    }
    for (const Hint &Shown : One.Hints) {
      Out.indent(2 * Depth + 4) << "hint " << Shown.What << " " << Shown.Detail << " at "
                                << Shown.At.text() << ":";
      for (const auto &[Class, Amount] : Shown.Saves)
        Out << " " << name(Class) << "=" << toText(Amount);
      Out << "\n";
    }
  }
  for (const Loop &Inner : Each.Loops)
    printLoop(Out, Inner, Depth + 1);
}

llvm::PreservedAnalyses CostPrinterPass::run(llvm::Function &F, llvm::FunctionAnalysisManager &AM) {
  const Function &Cost = AM.getResult<CostAnalysis>(F);
  Out << "cost of " << Cost.Name << (Cost.IsKernel ? " (kernel)" : "") << "\n";
  printLoop(Out, Cost.Body, 0);
  TotalsBuilder Builder([](const std::string &, const Function &) { return nullptr; });
  for (const auto &[Class, Amount] : Builder.of(Cost).Values)
    Out << "  total " << ergon::name(Class) << " = " << toPretty(Amount) << "\n";
  for (const Unknown &Each : Cost.Unknowns)
    Out << "  unknown " << Each.Symbol << ": " << Each.Why << "\n";
  for (const Assumption &Each : Cost.Assumptions)
    Out << "  assumed: " << Each.What << "\n";
  return llvm::PreservedAnalyses::all();
}

} // namespace ergon
