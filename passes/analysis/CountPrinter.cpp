//===- CountPrinter.cpp - the counts of a function as text ----------------===//

#include "model/program/Program.h"
#include "passes/analysis/CountAnalysis.h"

#include "llvm/Support/raw_ostream.h"

namespace ergon {

static void printCall(raw_ostream &Out, StringRef Callee,
                      const std::vector<std::optional<Expr>> &Arguments) {
  Out << (Callee.empty() ? "?" : Callee) << "(";
  for (std::size_t I = 0; I != Arguments.size(); ++I)
    Out << (I ? ", " : "") << (Arguments[I] ? toText(*Arguments[I]) : "?");
  Out << ")";
}

static void printLoop(raw_ostream &Out, const Loop &L, unsigned Depth) {
  if (!L.Variable.empty()) {
    Out.indent(2 * Depth) << "loop " << L.Variable;
    if (L.Location.isValid())
      Out << " at " << L.Location.text();
    Out << ": entries " << toText(L.Entries) << ", last " << toText(L.Last);
    if (L.TripsKnown != Known::Exact)
      Out << " (" << name(L.TripsKnown) << ")";
    Out << "\n";
  }
  for (const Block &B : L.Blocks) {
    Out.indent(2 * Depth + 2) << "runs " << toText(B.Runs)
                              << (B.How == Known::Bound ? " (at most):" : ":");
    for (const auto &[Class, Amount] : B.PerRun)
      Out << " " << name(Class) << "=" << toText(Amount);
    Out << "\n";
    for (const Access &A : B.Accesses) {
      Out.indent(2 * Depth + 4) << name(A.What) << " " << A.Bytes << " " << name(A.Where) << " "
                                << (A.Base.empty() ? "?" : A.Base) << " "
                                << (A.Offset ? toText(*A.Offset) : "?") << "\n";
    }
    for (const Call &Site : B.Calls) {
      Out.indent(2 * Depth + 4) << (Site.IsLaunch ? "launch " : "call ");
      printCall(Out, Site.Callee, Site.Arguments);
      for (const MadeBy &Origin : Site.Origins) {
        Out << ", argument " << Origin.Number << " made by ";
        printCall(Out, Origin.Callee, Origin.Arguments);
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
    for (const Hint &Shown : B.Hints) {
      Out.indent(2 * Depth + 4) << "hint " << Shown.What << " " << Shown.Detail << " at "
                                << Shown.Location.text() << ":";
      for (const auto &[Class, Amount] : Shown.Saves)
        Out << " " << name(Class) << "=" << toText(Amount);
      Out << "\n";
    }
  }
  for (const Loop &Inner : L.Loops)
    printLoop(Out, Inner, Depth + 1);
}

void printCounts(llvm::Function &F, llvm::FunctionAnalysisManager &AM, raw_ostream &Out) {
  const Function &Summary = AM.getResult<CountAnalysis>(F);
  Out << "counts of " << Summary.Name << (Summary.IsKernel ? " (kernel)" : "") << "\n";
  printLoop(Out, Summary.Body, 0);
  TotalsBuilder Builder([](const std::string &, const Function &) { return nullptr; });
  for (const auto &[Class, Amount] : Builder.of(Summary).Values)
    Out << "  total " << ergon::name(Class) << " = " << toPretty(Amount) << "\n";
  for (const Unknown &Entry : Summary.Unknowns)
    Out << "  unknown " << Entry.Symbol << ": " << Entry.Why << "\n";
  for (const Assumption &Entry : Summary.Assumptions)
    Out << "  assumed: " << Entry.What << "\n";
}

} // namespace ergon
