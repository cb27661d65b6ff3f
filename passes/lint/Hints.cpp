//===- Hints.cpp - operations that could be cheaper -----------------------===//

#include "passes/lint/Hints.h"
#include "model/machine/CostClass.h"
#include "passes/lint/TransferHints.h"
#include "passes/opcodes/OperationCounts.h"
#include "passes/symbolic/AnalysisContext.h"

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

/// The shortest text with the same value.
static std::string textOf(llvm::APFloat Value) {
  bool Loses = false;
  Value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &Loses);
  char Text[32];
  auto [End, Failure] = std::to_chars(Text, std::end(Text), Value.convertToDouble());
  return {Text, End};
}

/// The name of the mathematical function that is called; empty where none is.
static StringRef functionOf(const Instruction &I, const llvm::TargetLibraryInfo &TLI) {
  auto *Site = dyn_cast<CallBase>(&I);
  if (!Site)
    return {};
  if (auto *Known = dyn_cast<llvm::IntrinsicInst>(Site)) {
    StringRef Name = llvm::Intrinsic::getBaseName(Known->getIntrinsicID());
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

/// Whether \p I is a function with a float version in C, and no processor instruction.
static bool isSpecial(const Instruction &I, const OperationCounts &Opcodes) {
  Tally Counted{};
  if (isa<CallBase>(I))
    Opcodes.add(I, Counted);
  return Counted[of(CostClass::Special, FloatType::F64)] > 0;
}

namespace {
/// Operations in double whose operands are all floats, literals, or such operations.
struct Promoted {
  llvm::SmallPtrSet<const Instruction *, 8> Operations, Widenings;
  std::string Because = "double"; ///< a literal that is no float, else a function

  bool add(const Instruction &I, const llvm::TargetLibraryInfo &TLI,
           const OperationCounts &Opcodes) {
    static constexpr unsigned Most = 32;
    if (!I.getType()->getScalarType()->isDoubleTy() || Operations.size() == Most)
      return false;
    const StringRef Function = functionOf(I, TLI);
    if (!isa<llvm::BinaryOperator, llvm::UnaryOperator>(I) && Function.empty())
      return false;
    if (!Operations.insert(&I).second)
      return true;
    if (isSpecial(I, Opcodes) && Because == "double")
      Because = Function.str();
    for (const llvm::Use &Use : I.operands()) {
      if (isa<llvm::Function>(Use))
        continue;
      if (auto *Literal = dyn_cast<llvm::ConstantFP>(Use)) {
        bool Loses = false;
        llvm::APFloat Narrow = Literal->getValueAPF();
        Narrow.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &Loses);
        if (Loses)
          Because = textOf(Literal->getValueAPF());
        continue;
      }
      auto *Operand = dyn_cast<Instruction>(Use);
      if (!Operand)
        return false;
      if (isWidened(*Operand))
        Widenings.insert(Operand);
      else if (!add(*Operand, TLI, Opcodes))
        return false;
    }
    return true;
  }
};
} // namespace

/// The same class in single precision.
static CostClass inSingle(CostClass Class) {
  std::string Name(name(Class));
  if (auto Position = Name.rfind("_f64"); Position != std::string::npos)
    if (auto Single = costClass(Name.replace(Position, 4, "_f32")))
      return *Single;
  return Class;
}

void HintFinder::addPromotion(const Instruction &I, std::vector<Hint> &Hints) const {
  auto *Narrowing = dyn_cast<llvm::FPTruncInst>(&I);
  if (!Narrowing || !Narrowing->getType()->getScalarType()->isFloatTy())
    return;
  auto *Root = dyn_cast<Instruction>(Narrowing->getOperand(0));
  Promoted Found;
  if (!Root || !Root->hasOneUse() || !Found.add(*Root, Context.TLI, Opcodes) ||
      Found.Widenings.empty())
    return;
  Tally InDouble{}, Conversions{};
  // Operations with other users stay.
  for (const Instruction *Operation : Found.Operations)
    if (Operation->hasOneUse())
      Opcodes.add(*Operation, InDouble);
  Opcodes.add(I, Conversions);
  for (const Instruction *Widening : Found.Widenings)
    if (Widening->hasOneUse())
      Opcodes.add(*Widening, Conversions);
  Hint &New = Hints.emplace_back(Hint{"double_promotion", nearestLocation(*Root), Found.Because});
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

void HintFinder::addDivision(const Instruction &I, std::vector<Hint> &Hints) const {
  const llvm::Loop *L = Context.LI.getLoopFor(I.getParent());
  if (I.getOpcode() != Instruction::FDiv || !L || !L->isInnermost())
    return;
  const llvm::Value *Divisor = I.getOperand(1), *Dividend = I.getOperand(0);
  auto *Constant = dyn_cast<llvm::ConstantFP>(Divisor);
  if (isa<llvm::Constant>(Dividend) || !L->isLoopInvariant(Divisor) || L->isLoopInvariant(Dividend))
    return;
  Hint &New = Hints.emplace_back(
      Hint{Constant ? "constant_division" : "invariant_division", nearestLocation(I),
           Constant                       ? textOf(Constant->getValueAPF())
           : isa<llvm::Argument>(Divisor) ? Context.Names.argument(cast<llvm::Argument>(*Divisor))
                                          : ""});
  Tally Counted{};
  Opcodes.add(I, Counted);
  for (const auto &[Class, Times] : Counted)
    if (family(Class) == ClassFamily::Div) // a multiplication is a flop as well
      New.Saves.add(Class, Expr(Times));
}

/// Multiplications of the shortest binary power.
static long multiplications(unsigned long Exponent) {
  return Exponent < 2 ? 0 : long(std::bit_width(Exponent)) - 1 + std::popcount(Exponent) - 1;
}

void HintFinder::addPower(const Instruction &I, std::vector<Hint> &Hints) const {
  const StringRef Function = functionOf(I, Context.TLI);
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
  Opcodes.add(I, Counted);
  Hint &New = Hints.emplace_back(
      Hint{"constant_power", nearestLocation(I), textOf(Exponent->getValueAPF())});
  for (const auto &[Class, Times] : Counted)
    New.Saves.add(Class, Expr(Times));
  for (const auto &[Class, Times] : Instead)
    New.Saves.add(Class, Expr(-Times));
}

void HintFinder::add(const Instruction &I, std::vector<Hint> &Hints) const {
  addPromotion(I, Hints);
  addDivision(I, Hints);
  addPower(I, Hints);
  Transfers.add(I, Hints);
}

} // namespace ergon
