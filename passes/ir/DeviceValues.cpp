//===- DeviceValues.cpp - a GPU's special registers as formulas -----------===//

#include "passes/ir/DeviceValues.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

namespace ergon {

Expr laneOfThread(long Width) {
  Expr Thread = Expr::symbol("threadIdx.x") +
                Expr::symbol("block.x") * (Expr::symbol("threadIdx.y") +
                                           Expr::symbol("block.y") * Expr::symbol("threadIdx.z"));
  return Thread - Expr(Width) * floorDiv(Thread, Expr(Width));
}

/// The register that \p Site reads, by its name in PTX; empty where it does something else.
static StringRef registerOf(const CallBase &Site) {
  StringRef Text;
  if (auto *Intrinsic = dyn_cast<llvm::IntrinsicInst>(&Site)) {
    Text = llvm::Intrinsic::getBaseName(Intrinsic->getIntrinsicID());
    return Text.consume_front("llvm.nvvm.read.ptx.sreg.") ? Text : "";
  }
  if (!Site.isInlineAsm())
    return "";
  Text = cast<llvm::InlineAsm>(Site.getCalledOperand())->getAsmString();
  Text = Text.trim(" \t\n{};");
  return (Text.consume_front("mov.u32 $0,") || Text.consume_front("mov.b32 $0,")) &&
                 (Text = Text.ltrim(), Text.consume_front("%"))
             ? Text
             : "";
}

std::optional<Expr> deviceRegister(const CallBase &Site) {
  StringRef Name = registerOf(Site);
  if (Name == "warpsize")
    return Expr(32);
  if (Name == "laneid")
    return laneOfThread(32);
  auto [Register, Axis] = Name.split('.');
  StringRef Meaning = llvm::StringSwitch<StringRef>(Register)
                          .Case("tid", "threadIdx.")
                          .Case("ctaid", "blockIdx.")
                          .Case("ntid", "block.")
                          .Case("nctaid", "grid.")
                          .Default("");
  if (Meaning.empty() || (Axis != "x" && Axis != "y" && Axis != "z"))
    return std::nullopt;
  return Expr::symbol((Meaning + Axis).str());
}

/// The registers that hold another number in each thread, or in each thread of another block.
static bool isIndex(StringRef Register) {
  return llvm::is_contained({"tid", "ctaid", "laneid", "warpid"}, Register.split('.').first);
}

bool differsByThread(const Instruction &I) {
  static constexpr unsigned MaxSeen = 1000; // of what is larger, all threads hardly have the same
  llvm::SmallPtrSet<const Instruction *, 16> Seen{&I};
  SmallVector<const Instruction *, 16> Open{&I};
  while (!Open.empty()) {
    const Instruction &Next = *Open.pop_back_val();
    if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(Next) || Seen.size() > MaxSeen)
      return true;
    if (auto *Site = dyn_cast<CallBase>(&Next); Site && isIndex(registerOf(*Site)))
      return true;
    for (const llvm::Use &Operand : Next.operands())
      if (auto *From = dyn_cast<Instruction>(Operand); From && Seen.insert(From).second)
        Open.push_back(From);
  }
  return false;
}

} // namespace ergon
