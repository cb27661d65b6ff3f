//===- HostAssembly.cpp - counts of host inline assembly ------------------===//

#include "passes/opcodes/HostAssembly.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"

namespace ergon {

/// Whether the constraint lets the text reach memory, or vector and floating-point registers.
static bool isBeyondRegisters(const llvm::InlineAsm::ConstraintInfo &Constraint) {
  if (Constraint.isIndirect)
    return true;
  return llvm::any_of(Constraint.Codes, [](StringRef Code) {
    if (Code.starts_with("{")) {
      const StringRef Register = Code.trim("{}");
      // x86 lists these clobbers for any text.
      if (Register == "dirflag" || Register == "fpsr" || Register == "flags" || Register == "cc")
        return false;
      return Register == "memory" || Register.starts_with("st") || Register.starts_with("xmm") ||
             Register.starts_with("ymm") || Register.starts_with("zmm") ||
             Register.starts_with("mm") || Register.starts_with("v");
    }
    static constexpr StringRef Beyond = "moVgXxvftuYw";
    return Code.find_first_of(Beyond) != StringRef::npos;
  });
}

/// \p Text without the marks `$(` and `$)` around alternatives for dialects of assembly.
static std::string withoutMarks(StringRef Text) {
  std::string Result;
  for (; !Text.empty(); Text = Text.drop_front())
    if (Text.starts_with("$(") || Text.starts_with("$)"))
      Text = Text.drop_front();
    else
      Result += Text.front();
  return Result;
}

/// The instructions of \p Text without comments, which begin with # or //.
static SmallVector<StringRef, 4> instructionsOf(StringRef Text) {
  SmallVector<StringRef, 4> Result;
  for (StringRef Line : llvm::split(Text, '\n')) {
    Line = Line.take_front(std::min(Line.find('#'), Line.find("//")));
    for (StringRef Each : llvm::split(Line, ';'))
      if (Each = Each.trim(); !Each.empty())
        Result.push_back(Each);
  }
  return Result;
}

/// Whether the instruction names an address, jumps, calls or repeats; or is a directive or a label.
static bool leavesRegisters(StringRef Instruction) {
  if (Instruction.find_first_of("([") != StringRef::npos || Instruction.ends_with(":") ||
      Instruction.contains("call"))
    return true;
  const StringRef Name = Instruction.take_until(llvm::isSpace);
  static constexpr StringRef Branches[] = {"b", "bl", "blr", "br", "ret", "svc", "int"};
  static constexpr StringRef Beginnings[] = {"j", "b.", "cb", "tb", "loop", "rep", "."};
  return llvm::is_contained(Branches, Name) ||
         llvm::any_of(Beginnings, [&](StringRef Beginning) { return Name.starts_with(Beginning); });
}

std::optional<unsigned> registerInstructions(const CallBase &Site) {
  const auto &Assembly = *cast<llvm::InlineAsm>(Site.getCalledOperand());
  const std::string Text = withoutMarks(Assembly.getAsmString());
  const SmallVector<StringRef, 4> All = instructionsOf(Text);
  if (All.empty())
    return 0;
  if (llvm::any_of(Assembly.ParseConstraints(), isBeyondRegisters))
    return std::nullopt;
  if (llvm::any_of(All, leavesRegisters))
    return std::nullopt;
  return unsigned(All.size());
}

} // namespace ergon
