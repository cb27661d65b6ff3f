//===- TripCountPrinter.cpp - trip counts as text -------------------------===//

#include "passes/symbolic/AnalysisContext.h"
#include "passes/tripcount/ExecutionCounts.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"

namespace ergon {

static void printRegion(raw_ostream &Out, const Region &R, AnalysisContext &Context,
                        unsigned Depth) {
  if (R.Loop) {
    Out.indent(2 * Depth) << "loop " << Context.Names.loop(*R.Loop) << ": entries "
                          << toText(R.Entries) << ", last " << toText(R.Last);
    if (R.TripsKnown != Known::Exact)
      Out << " (" << name(R.TripsKnown) << ")";
    Out << "\n";
  }
  for (const auto &[Block, Runs] : R.Blocks) {
    Out.indent(2 * Depth + 2) << "block ";
    Block->printAsOperand(Out, /*PrintType=*/false);
    Out << ": runs " << toText(Runs) << "\n";
  }
  for (const Region &Inner : R.Loops)
    printRegion(Out, Inner, Context, Depth + 1);
}

void printTripCounts(llvm::Function &F, llvm::FunctionAnalysisManager &AM, raw_ostream &Out) {
  AnalysisContext Context(F, AM, "algorithm", /*Callees=*/nullptr);
  const Region Body = ExecutionCounts(Context).compute(/*ByBlock=*/false);
  Out << "trip counts of " << F.getName() << "\n";
  printRegion(Out, Body, Context, 0);
  for (const Unknown &Open : Context.Names.unknowns())
    Out << "  unknown " << Open.Symbol << ": " << Open.Why << "\n";
  for (const Assumption &Assumed : Context.Names.assumptions())
    Out << "  assumed: " << Assumed.What << "\n";
}

} // namespace ergon
