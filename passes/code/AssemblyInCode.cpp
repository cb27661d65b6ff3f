//===- AssemblyInCode.cpp - inline assembly in a function's code ----------===//

#include "passes/code/AssemblyInCode.h"
#include "passes/code/CodeTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"

#include <array>

namespace ergon {

using Constraint = llvm::InlineAsm::ConstraintInfo;

static bool reachesMemory(const Constraint &C) {
  return C.isIndirect || llvm::is_contained(C.Codes, "{memory}");
}

/// The number of the output that \p C, an input, shares a register with.
static std::optional<unsigned> tiedOutput(const Constraint &C) {
  return C.Codes.size() == 1 && llvm::all_of(C.Codes[0], llvm::isDigit)
             ? std::optional(unsigned(std::stoul(C.Codes[0])))
             : std::nullopt;
}

namespace {
/// The parts of inline assembly.
struct Assembly {
  SmallVector<Constraint, 8> Outputs;
  SmallVector<std::pair<Constraint, const llvm::Value *>, 8> Inputs;
  StringRef Text;

  explicit Assembly(const CallBase &Site)
      : Text(cast<llvm::InlineAsm>(Site.getCalledOperand())->getAsmString()) {
    unsigned Argument = 0;
    for (const Constraint &C : cast<llvm::InlineAsm>(Site.getCalledOperand())->ParseConstraints())
      if (C.Type == llvm::InlineAsm::isOutput)
        Outputs.push_back(C);
      else if (C.Type == llvm::InlineAsm::isInput)
        Inputs.emplace_back(C, Site.getArgOperand(Argument++));
  }

  bool hasInstruction() const {
    return llvm::any_of(llvm::split(Text, '\n'), [](StringRef Line) {
      return !Line.trim().empty() && !Line.trim().starts_with("#");
    });
  }
  /// What goes in by the register of output \p Number; null where nothing does.
  const llvm::Value *tiedTo(unsigned Number) const {
    for (const auto &[C, What] : Inputs)
      if (tiedOutput(C) == Number)
        return What;
    return nullptr;
  }
};
} // namespace

/// `cpuid`, also between exchanges that save rbx: the result has four registers, of which the one
/// without a name is ebx. The interpreter gets the question, and which register each part is.
static std::optional<std::string> processorQuestion(const Assembly &Asm, const llvm::Type &Result,
                                                    const std::string &Register,
                                                    OperandText Operand) {
  static constexpr std::array<StringRef, 4> Names = {"{ax}", "{bx}", "{cx}", "{dx}"};
  if (!Asm.Text.contains("cpuid") || !isHeld(Result) || Asm.Outputs.size() != Names.size())
    return std::nullopt;
  std::array<std::string, 2> Question; // in eax and ecx
  std::string Order;
  for (unsigned Part = 0; Part != Asm.Outputs.size(); ++Part) {
    if (!Result.getStructElementType(Part)->isIntegerTy(32))
      return std::nullopt;
    const auto *Found = llvm::find(Names, Asm.Outputs[Part].Codes.front());
    const auto Number = Found == Names.end() ? 1 : unsigned(Found - Names.begin());
    Order += ' ' + std::to_string(Number);
    if (const llvm::Value *In = Asm.tiedTo(Part); In && Number % 2 == 0)
      Question[Number / 2] = Operand(*In);
  }
  for (const auto &[C, What] : Asm.Inputs)
    for (unsigned Number : {0U, 2U})
      if (C.Codes.front() == Names[Number])
        Question[Number / 2] = Operand(*What);
  for (std::string &Each : Question)
    if (Each.empty())
      Each = "?";
  return Register + " = local\ncall void &cpuid " + Register + ' ' + Question[0] + ' ' +
         Question[1] + Order + '\n';
}

std::optional<std::string> assemblyInCode(const CallBase &Site, const std::string &Result,
                                          OperandText Operand) {
  const auto Constraints = cast<llvm::InlineAsm>(Site.getCalledOperand())->ParseConstraints();
  if (llvm::any_of(Constraints, reachesMemory) ||
      llvm::any_of(Site.args(), [](const llvm::Use &U) { return U->getType()->isPointerTy(); }))
    return std::nullopt;
  const llvm::Type &Type = *Site.getType();
  if (Type.isVoidTy())
    return "";
  const Assembly Asm(Site);
  if (auto Question = processorQuestion(Asm, Type, Result, Operand))
    return Question;
  if (isHeld(Type))
    return Result + " = local\n";
  const llvm::Value *Through = Asm.hasInstruction() ? nullptr : Asm.tiedTo(0);
  const std::string Name = typeInCode(Type);
  return Result + (Through && !Name.empty()
                       ? " = select " + Name + " 1 " + Operand(*Through) + " 0\n"
                       : " = select i1 ? ? ?\n");
}

} // namespace ergon
