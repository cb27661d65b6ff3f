//===- Hints.cpp - what somebody might want to change ---------------------===//

#include "passes/lint/Hints.h"
#include "model/machine/CostClass.h"
#include "passes/lint/TransferHints.h"
#include "passes/opcodes/OperationCosts.h"
#include "passes/symbolic/SourceNames.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace ergon {

using llvm::dyn_cast;
using llvm::isa;

/// The shortest text that reads as the same.
static std::string textOf(llvm::APFloat Value) {
  bool Loses = false;
  Value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &Loses);
  char Text[32];
  auto [End, Failure] = std::to_chars(Text, std::end(Text), Value.convertToDouble());
  return {Text, End};
}

/// The name of the mathematical function that is called; empty where none is.
static llvm::StringRef functionOf(const llvm::Instruction &I, const llvm::TargetLibraryInfo &TLI) {
  auto *Site = dyn_cast<llvm::CallBase>(&I);
  if (!Site)
    return {};
  if (auto *Known = dyn_cast<llvm::IntrinsicInst>(Site)) {
    llvm::StringRef Name = llvm::Intrinsic::getBaseName(Known->getIntrinsicID());
    return Name.starts_with("llvm.nvvm") || !Name.consume_front("llvm.") ? "" : Name;
  }
  llvm::LibFunc Which;
  const llvm::Function *Callee = Site->getCalledFunction();
  return Callee && TLI.getLibFunc(*Callee, Which) && TLI.has(Which) ? Callee->getName() : "";
}

//===----------------------------------------------------------------------===//
// Double between floats
//===----------------------------------------------------------------------===//

static bool isWidened(const llvm::Value &V) {
  auto *Wider = dyn_cast<llvm::FPExtInst>(&V);
  return Wider && Wider->getSrcTy()->getScalarType()->isFloatTy();
}

/// Whether \p I is a function that C has another one of for float, and no operation of processors.
static bool isSpecial(const llvm::Instruction &I, const OperationCosts &Costs) {
  Tally Counted{};
  if (isa<llvm::CallBase>(I))
    Costs.add(I, Counted);
  return Counted[of(CostClass::Special, FloatType::F64)] > 0;
}

namespace {
/// Operations in double of which all operands are floats, literals, or such operations.
struct Promoted {
  llvm::SmallPtrSet<const llvm::Instruction *, 8> Operations, Widenings;
  std::string Because = "double"; ///< a literal that is no float, else a function

  bool add(const llvm::Instruction &I, const llvm::TargetLibraryInfo &TLI,
           const OperationCosts &Costs) {
    static constexpr unsigned Most = 32;
    if (!I.getType()->getScalarType()->isDoubleTy() || Operations.size() == Most)
      return false;
    const llvm::StringRef Function = functionOf(I, TLI);
    if (!isa<llvm::BinaryOperator, llvm::UnaryOperator>(I) && Function.empty())
      return false;
    if (!Operations.insert(&I).second)
      return true;
    if (isSpecial(I, Costs) && Because == "double")
      Because = Function.str();
    for (const llvm::Use &Each : I.operands()) {
      if (isa<llvm::Function>(Each))
        continue;
      if (auto *Literal = dyn_cast<llvm::ConstantFP>(Each)) {
        bool Loses = false;
        llvm::APFloat Narrow = Literal->getValueAPF();
        Narrow.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &Loses);
        if (Loses)
          Because = textOf(Literal->getValueAPF());
        continue;
      }
      auto *Operand = dyn_cast<llvm::Instruction>(Each);
      if (!Operand)
        return false;
      if (isWidened(*Operand))
        Widenings.insert(Operand);
      else if (!add(*Operand, TLI, Costs))
        return false;
    }
    return true;
  }
};
} // namespace

/// The same class of single precision.
static CostClass inSingle(CostClass Of) {
  std::string Name(name(Of));
  if (auto At = Name.rfind("_f64"); At != std::string::npos)
    if (auto Single = costClass(Name.replace(At, 4, "_f32")))
      return *Single;
  return Of;
}

void HintFinder::addPromotion(const llvm::Instruction &I, std::vector<Hint> &Into) const {
  auto *Narrowing = dyn_cast<llvm::FPTruncInst>(&I);
  if (!Narrowing || !Narrowing->getType()->getScalarType()->isFloatTy())
    return;
  auto *Root = dyn_cast<llvm::Instruction>(Narrowing->getOperand(0));
  Promoted Found;
  if (!Root || !Root->hasOneUse() || !Found.add(*Root, TLI, Costs) || Found.Widenings.empty())
    return;
  Tally InDouble{}, Conversions{};
  // What others use as well stays as it is.
  for (const llvm::Instruction *Each : Found.Operations)
    if (Each->hasOneUse())
      Costs.add(*Each, InDouble);
  Costs.add(I, Conversions);
  for (const llvm::Instruction *Each : Found.Widenings)
    if (Each->hasOneUse())
      Costs.add(*Each, Conversions);
  Hint &New = Into.emplace_back(Hint{"double_promotion", nearestLocation(*Root), Found.Because});
  for (const auto &[Class, Times] : Conversions)
    New.Saves.add(Class, Expr(Times));
  for (const auto &[Class, Times] : InDouble) {
    New.Saves.add(Class, Expr(Times));
    New.Saves.add(inSingle(Class), Expr(-Times));
  }
}

//===----------------------------------------------------------------------===//
// Divisions and powers
//===----------------------------------------------------------------------===//

void HintFinder::addDivision(const llvm::Instruction &I, std::vector<Hint> &Into) const {
  const llvm::Loop *In = LI.getLoopFor(I.getParent());
  if (I.getOpcode() != llvm::Instruction::FDiv || !In || !In->isInnermost())
    return;
  const llvm::Value *By = I.getOperand(1), *Of = I.getOperand(0);
  auto *Constant = dyn_cast<llvm::ConstantFP>(By);
  if (isa<llvm::Constant>(Of) || !In->isLoopInvariant(By) || In->isLoopInvariant(Of))
    return;
  Hint &New = Into.emplace_back(
      Hint{Constant ? "constant_division" : "invariant_division", nearestLocation(I),
           Constant                  ? textOf(Constant->getValueAPF())
           : isa<llvm::Argument>(By) ? Names.argument(llvm::cast<llvm::Argument>(*By))
                                     : ""});
  Tally Counted{};
  Costs.add(I, Counted);
  for (const auto &[Class, Times] : Counted)
    if (family(Class) == ClassFamily::Div) // a multiplication is a flop as well
      New.Saves.add(Class, Expr(Times));
}

/// Multiplications of the shortest binary power.
static long multiplications(unsigned long Exponent) {
  return Exponent < 2 ? 0 : long(std::bit_width(Exponent)) - 1 + std::popcount(Exponent) - 1;
}

void HintFinder::addPower(const llvm::Instruction &I, std::vector<Hint> &Into) const {
  const llvm::StringRef Function = functionOf(I, TLI);
  if (Function != "pow" && Function != "powf")
    return;
  auto *Exponent = dyn_cast<llvm::ConstantFP>(I.getOperand(1));
  if (!Exponent)
    return;
  const double Value = Exponent->getValueAPF().convertToDouble();
  const double Halves = 2 * std::abs(Value);
  if (Halves == 0 || Halves > 32 || Halves != std::floor(Halves))
    return;
  const auto Whole = static_cast<unsigned long>(Halves) / 2;
  const bool HasRoot = Halves != 2 * double(Whole), IsInverse = Value < 0;
  const FloatType Type = floatTypeOf(I.getType());
  const long Lanes = lanesOf(I.getType());
  Tally Instead{}, Counted{};
  addOperation(Operation::Flop, Type, Instead,
               Lanes * (multiplications(Whole) + (HasRoot && Whole ? 1 : 0)));
  if (HasRoot)
    addOperation(Operation::Root, Type, Instead, Lanes);
  if (IsInverse)
    addOperation(Operation::Division, Type, Instead, Lanes);
  Costs.add(I, Counted);
  Hint &New = Into.emplace_back(
      Hint{"constant_power", nearestLocation(I), textOf(Exponent->getValueAPF())});
  for (const auto &[Class, Times] : Counted)
    New.Saves.add(Class, Expr(Times));
  for (const auto &[Class, Times] : Instead)
    New.Saves.add(Class, Expr(-Times));
}

void HintFinder::add(const llvm::Instruction &I, std::vector<Hint> &Into) const {
  addPromotion(I, Into);
  addDivision(I, Into);
  addPower(I, Into);
  Transfers.add(I, Into);
}

} // namespace ergon
