//===- NeighbourAccesses.cpp - loads and stores that are merged -----------===//

#include "passes/access/NeighbourAccesses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

namespace ergon {

namespace {

/// PTX ISA, "Vectors": at most 128 bits.
constexpr long MaxBytes = 16;

/// A load or store at a constant distance from the group's base.
struct Member {
  const Instruction *I;
  long Offset, Bytes;
  llvm::Align Aligned;
};

class Groups {
public:
  explicit Groups(llvm::DenseMap<const Instruction *, unsigned> &JoinedBytes)
      : JoinedBytes(JoinedBytes) {}

  void add(const Instruction &I, const llvm::DataLayout &Layout) {
    const llvm::Value *Pointer = llvm::getLoadStorePointerOperand(&I);
    llvm::APInt Offset(Layout.getIndexTypeSizeInBits(Pointer->getType()), 0);
    const llvm::Value *Base = Pointer->stripAndAccumulateConstantOffsets(Layout, Offset, true);
    long Bytes = long(Layout.getTypeStoreSize(llvm::getLoadStoreType(&I)).getKnownMinValue());
    Member Next{&I, long(Offset.getSExtValue()), Bytes, llvm::getLoadStoreAlignment(&I)};
    auto &Functions = Members[{Base, Bytes}];
    Functions.insert(llvm::upper_bound(Functions, Next, isBefore), Next);
  }

  /// Ends the groups: later accesses cannot join them.
  void close() {
    for (auto &[Key, Group] : Members)
      join(Group);
    Members.clear();
  }

private:
  llvm::DenseMap<const Instruction *, unsigned> &JoinedBytes;
  /// By offset.
  llvm::MapVector<std::pair<const llvm::Value *, long>, SmallVector<Member>> Members;

  static bool isBefore(const Member &A, const Member &B) { return A.Offset < B.Offset; }

  void join(SmallVector<Member> &Group) {
    // The alignment of one member implies that of all.
    for (Member &Element : Group)
      for (const Member &Other : Group)
        Element.Aligned = std::max(
            Element.Aligned,
            llvm::commonAlignment(Other.Aligned, std::uint64_t(Element.Offset - Other.Offset)));
    for (std::size_t First = 0; First < Group.size();) {
      std::size_t Past = First + 1;
      while (Past != Group.size() &&
             Group[Past].Offset == Group[Past - 1].Offset + Group[First].Bytes)
        ++Past;
      long Bytes = MaxBytes;
      while (Bytes > long(Past - First) * Group[First].Bytes ||
             Bytes > long(Group[First].Aligned.value()))
        Bytes /= 2;
      auto Count = std::max(Bytes / Group[First].Bytes, 1L);
      if (Count > 1) {
        JoinedBytes[Group[First].I] = unsigned(Bytes);
        for (long I = 1; I != Count; ++I)
          JoinedBytes[Group[First + std::size_t(I)].I] = 0;
      }
      First += std::size_t(Count);
    }
  }
};

} // namespace

llvm::DenseMap<const Instruction *, unsigned> neighboursIn(const BasicBlock &B) {
  llvm::DenseMap<const Instruction *, unsigned> Result;
  const llvm::DataLayout &Layout = B.getDataLayout();
  Groups Loads(Result), Stores(Result);
  for (const Instruction &I : B) {
    auto *Load = dyn_cast<llvm::LoadInst>(&I);
    auto *Store = dyn_cast<llvm::StoreInst>(&I);
    bool IsPlain = (Load && Load->isSimple()) || (Store && Store->isSimple());
    // A write ends groups of loads that may read it, a read ends groups of stores.
    if (I.mayWriteToMemory())
      Loads.close();
    if (I.mayReadFromMemory() || (I.mayWriteToMemory() && !(Store && IsPlain)))
      Stores.close();
    if (IsPlain)
      (Load ? Loads : Stores).add(I, Layout);
  }
  Loads.close();
  Stores.close();
  return Result;
}

} // namespace ergon
