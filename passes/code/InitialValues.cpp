//===- InitialValues.cpp - what globals hold when the program starts ------===//

#include "passes/code/InitialValues.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace ergon {

/// Initial values above these are unknown.
static constexpr unsigned MaxItems = 600;

namespace {
struct ItemList {
  const llvm::DataLayout &Layout;
  OperandText Operand;
  TypeText TypeName;
  std::string Text;
  unsigned Count = 0;

  bool add(const llvm::Constant &Value, std::uint64_t Offset);
};
} // namespace

/// Adds what is not zero of a global's initial value; false where there is too much.
bool ItemList::add(const llvm::Constant &Value, std::uint64_t Offset) {
  if (Value.isNullValue() || isa<llvm::UndefValue>(Value))
    return true;
  if (++Count > MaxItems)
    return false;
  if (auto *Data = dyn_cast<llvm::ConstantDataSequential>(&Value);
      Data && Data->getElementType()->isIntegerTy(8)) {
    StringRef Bytes = Data->getRawDataValues();
    for (std::size_t I = 0; I < Bytes.size(); I += 8) {
      std::uint64_t Word = 0;
      const StringRef Part = Bytes.substr(I, 8);
      for (std::size_t Byte = 0; Byte != Part.size(); ++Byte)
        Word |= std::uint64_t(static_cast<unsigned char>(Part[Byte])) << (8 * Byte);
      Text += " " + std::to_string(Offset + I) + " i" + std::to_string(8 * Part.size()) + " " +
              std::to_string(std::int64_t(Word));
      if (++Count > MaxItems)
        return false;
    }
    return true;
  }
  const llvm::Type &T = *Value.getType();
  if (auto *Structure = dyn_cast<llvm::StructType>(&T)) {
    const llvm::StructLayout &Places =
        *Layout.getStructLayout(llvm::cast<llvm::StructType>(Value.getType()));
    for (unsigned I = 0; I != Structure->getNumElements(); ++I)
      if (const llvm::Constant *Element = Value.getAggregateElement(I))
        if (!add(*Element, Offset + Places.getElementOffset(I)))
          return false;
    return true;
  }
  if (auto *Array = dyn_cast<llvm::ArrayType>(&T)) {
    const std::uint64_t Step = Layout.getTypeAllocSize(Array->getElementType());
    for (unsigned I = 0; I != Array->getNumElements(); ++I)
      if (const llvm::Constant *Element = Value.getAggregateElement(I))
        if (!add(*Element, Offset + I * Step))
          return false;
    return true;
  }
  const std::string Kind = TypeName(T);
  Text += " " + std::to_string(Offset) + " " + (Kind.empty() ? "i8" : Kind) + " " +
          (Kind.empty() ? "?" : Operand(Value));
  return !Kind.empty();
}

/// True for what C++ runs before main, to construct globals.
static bool isConstructor(const llvm::Function &F) {
  return F.getName().starts_with("_GLOBAL__") || F.getName().starts_with("__cxx_global_");
}

/// Whether code before main may change \p Global: uses it for more than to read it.
static bool isConstructed(const llvm::Value &Global) {
  return llvm::any_of(Global.users(), [](const llvm::User *User) {
    if (auto *I = dyn_cast<Instruction>(User))
      return isConstructor(*I->getFunction()) && !isa<llvm::LoadInst>(I);
    return isa<llvm::ConstantExpr>(User) && isConstructed(*User);
  });
}

/// What runs before main in this unit; null where there is nothing.
static const llvm::Function *constructorOf(const llvm::Module &Unit) {
  for (const llvm::Function &F : Unit)
    if (F.getName().starts_with("_GLOBAL__sub_I_") && !F.isDeclaration())
      return &F;
  return nullptr;
}

std::string initialValue(const llvm::GlobalVariable &Global, OperandText Operand,
                         TypeText TypeName) {
  // Kernels write to what the program shares with the device.
  const bool IsShared = Global.isExternallyInitialized();
  const std::string Unknown = IsShared ? "shared" : "extern";
  const bool IsKnown =
      Global.hasDefinitiveInitializer() || (Global.hasInitializer() && Global.isWeakForLinker());
  if (!IsKnown)
    return Unknown;
  std::string How = IsShared ? "shared" : Global.isConstant() ? "const" : "zero";
  if (!Global.isConstant() && isConstructed(Global)) {
    const llvm::Function *Constructor = constructorOf(*Global.getParent());
    if (IsShared || !Constructor)
      return Unknown;
    How = "constructed " + Operand(*Constructor);
  }
  ItemList Items{Global.getDataLayout(), Operand, TypeName, ""};
  return Items.add(*Global.getInitializer(), 0) ? How + Items.Text : Unknown;
}

} // namespace ergon
