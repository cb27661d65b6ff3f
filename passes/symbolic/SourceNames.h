//===- SourceNames.h - what the programmer calls things ---------*- C++ -*-===//
//
// Names and positions of one function from its debug info: parameters, loop
// variables, local objects; and the symbols of what analysis cannot resolve.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_PASSES_SYMBOLIC_SOURCENAMES_H
#define ERGON_PASSES_SYMBOLIC_SOURCENAMES_H

#include "model/program/Function.h"
#include "model/symbolic/ExprBounds.h"
#include "passes/ir/Probe.h"
#include "passes/ir/SourceTypes.h"
#include "passes/symbolic/StoredValues.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace llvm {
class Argument;
class BasicBlock;
class DILocalVariable;
class DILocation;
class DIType;
class DebugLoc;
class Function;
class Instruction;
class Loop;
class Value;
} // namespace llvm

namespace ergon {

/// The position that \p Location stands for; not valid where debug info has none.
SourceLocation locationOf(const llvm::DebugLoc &Location);

class SourceNames {
public:
  /// Reads the debug info of \p F, which must outlive it.
  explicit SourceNames(const llvm::Function &F);

  /// The parameter's name; `arg0`, … where debug info has none.
  const std::string &argument(const llvm::Argument &Which) const;
  /// A name for the loop's iteration number that nothing else in the function has.
  const std::string &loop(const llvm::Loop &Which);
  /// The variable that lives in \p Object: an alloca or a global. May be empty; in device code
  /// `local1`, `local2`, … where debug info has no name.
  std::string object(const llvm::Value &Object) const;

  /// The value of a parameter. Of a pointer it is the address.
  Expr parameter(const llvm::Argument &Which);
  /// What an integer argument holds: a number, or the fields of a small structure that
  /// the calling convention passes in one register. Without debug info one of 64 bits
  /// may be either.
  enum class Content { Number, Fields, Either };
  /// What the bits of the argument hold, by debug info and type.
  Content contentOf(const llvm::Argument &Which) const;
  /// Where \p Wide, of 64 bits, comes from that may be two fields: the compiler copies them
  /// together, and passes them in one register.
  std::optional<AccessPath> fieldsIn(const llvm::Value &Wide, StoredValues &Memory) const;
  /// True for an integer argument of a signed type of the source, false for one of an unsigned
  /// type. Nothing for others, and where neither debug info nor an extending attribute says.
  std::optional<bool> isSigned(const llvm::Argument &Which) const;
  /// What the \p Bytes bytes at \p Where held when the function was entered: `n` of
  /// a parameter by reference, `p->dims.nx`, `::grid[0]`. The same path always has
  /// the same symbol.
  Expr cell(const AccessPath &Where, unsigned Bytes);
  /// What \p What says was found in \p Bytes bytes at \p Point: a cell; an unknown if
  /// another write may have reached it, and \p MayName or it has been asked for before.
  std::optional<Expr> seen(const Sight &What, unsigned Bytes, const llvm::Instruction &Point,
                           bool MayName);
  /// The same of a pointer. Its object's first pointer to that kind of element has an
  /// address for a symbol, another one is so many elements behind it.
  std::optional<Expr> seenPointer(const Sight &What, const SourceLocation &Location, bool MayName);
  /// The address that \p Value is, for itself.
  Expr address(const llvm::Value &Value);
  /// The one address that \p Value depends on, if that is of an object: never null.
  std::optional<std::string> objectAddress(const Expr &Value) const;
  /// True where \p Value depends on where something lies, so that it is no formula.
  bool hasAddress(const Expr &Value) const;
  /// How the source would write the object at \p Where: `*p`, `p->dims`. May be empty.
  std::string object(const AccessPath &Where) const { return spell(Where, 0).Text; }
  /// How the source would write the integer of \p Bytes bytes at \p Where.
  std::string nameOf(const AccessPath &Where, unsigned Bytes);
  /// The scalar of the source at \p Where, if debug info says that it is an integer.
  std::optional<Expr> integerAt(const AccessPath &Where);
  /// The cells that have a symbol and that parameters lead to.
  const std::vector<Cell> &cells() const { return Cells; }
  /// What has been named by offsets since this unit only declares its class.
  const std::vector<DeclaredMember> &declared() const { return Declared; }

  /// A fresh symbol `<Kind>@<position>` (`<Kind>@<function>` without debug info)
  /// for something that analysis cannot resolve; it is added to the function's
  /// unknowns with \p Why, how a run would find its value, what a profile has \p Measured, and the
  /// \p Most that it can be (0: not known).
  Expr unknown(llvm::StringRef Kind, SourceLocation Location, std::string Why, Probe Counted,
               std::optional<Rational> Measured = std::nullopt, std::uint64_t Most = 0);
  /// A fresh symbol of that form.
  std::string fresh(llvm::StringRef Kind, const SourceLocation &Location);
  const std::vector<Unknown> &unknowns() const { return Unknowns; }
  /// By unknown.
  const std::vector<Probe> &probes() const { return Probes; }
  /// What the type of \p Symbol can hold; of one that has no type, what it may be at most.
  Bounds rangeOf(llvm::StringRef Symbol) const;
  /// An unsigned number of an `int` or more.
  bool isUnsignedWord(llvm::StringRef Symbol) const;
  /// Notes that the counts rest on \p What; each is noted once.
  void assume(SourceLocation Location, std::string What);
  const llvm::Function &function() const { return F; }
  const std::vector<Assumption> &assumptions() const { return Assumptions; }

private:
  const llvm::Function &F;
  std::vector<std::string> Arguments;
  /// What debug info says an argument is: a parameter of the source, or, where the calling
  /// convention takes a structure apart, so many bytes into it or one of its scalars.
  struct Origin {
    std::string Name;
    const llvm::DIType *Type = nullptr; ///< null: not known
    long Offset = 0;
  };
  std::vector<Origin> Origins;
  static Origin originOf(const llvm::Argument &Which, const llvm::DILocalVariable &Variable,
                         long Offset);
  /// Pointer parameters whose name is taken for their address, or for what is there.
  llvm::DenseSet<const llvm::Argument *> Addresses, References;
  /// What of memory has a symbol. Without bytes it is an address; with a number of bytes
  /// that a pointer lies behind another, the distance in elements of so many bytes.
  struct InMemory {
    Sight What;
    unsigned Bytes;
    long Behind;
    Expr Symbol;
  };
  std::vector<InMemory> Known;
  /// Where those are, by the hash of what memory they are of.
  llvm::DenseMap<std::size_t, llvm::SmallVector<unsigned, 1>> KnownAt;
  llvm::DenseMap<const llvm::Value *, Expr> ValueAddresses;
  llvm::StringMap<bool> AddressSymbols; ///< and whether they are never null
  std::vector<Cell> Cells;
  std::vector<DeclaredMember> Declared;
  llvm::DenseMap<const llvm::Loop *, std::string> Loops;
  llvm::DenseMap<const llvm::Value *, const llvm::DILocalVariable *> Objects;
  llvm::StringSet<> Used;
  struct IntegerType {
    unsigned Bits;
    bool IsUnsigned;
  };
  llvm::StringMap<IntegerType> Types;   ///< of symbols
  llvm::StringMap<unsigned> NextNumber; ///< by name and what stands before the number
  llvm::DenseMap<const llvm::Value *, unsigned> DeviceLocals; ///< allocas, numbered
  std::vector<Unknown> Unknowns;
  std::vector<Probe> Probes;
  std::vector<Assumption> Assumptions;

  std::string unused(std::string Wanted, llvm::StringRef BeforeNumber);
  std::string unique(std::string Wanted) { return unused(std::move(Wanted), "_"); }
  void nameArguments();
  void nameStored(const llvm::Value &Home, const llvm::DILocalVariable &Variable);
  struct Spelling {
    std::string Text;
    std::optional<Part> Found; ///< of the last object, where debug info has it
    std::optional<DeclaredMember> Declared = std::nullopt; ///< still without its symbol
  };
  /// The base of an access path, and its offsets from there.
  struct Root {
    std::string Text{};
    std::vector<long> Path{};
    const llvm::DIType *Type = nullptr;
    bool IsObject = false;  ///< the text is the object itself rather than a pointer to it
    bool IsStepped = false; ///< a pointer into an array
  };
  Root rootOf(const AccessPath &Where) const;
  Spelling spell(const AccessPath &Where, unsigned Bytes) const;
  void note(const Spelling &Spelled, const std::string &Symbol);
  std::string distanceName(const AccessPath &To, const AccessPath &From) const;
  const Expr *known(const Sight &What, unsigned Bytes, long Behind) const;
  const Expr &remember(Sight What, unsigned Bytes, long Behind, Expr Symbol);
  Expr cell(const AccessPath &Where, unsigned Bytes, long Behind, std::string Name,
            std::optional<bool> IsSigned = std::nullopt);
  Expr freshAddress(bool IsObject);
};

/// What a reader would look for \p Point at: its own position, or the nearest one before it in its
/// block. Null where there is none.
const llvm::DILocation *nearestPosition(const llvm::Instruction &Point);
/// The same as text and numbers.
SourceLocation nearestLocation(const llvm::Instruction &I);
/// Puts it there, of code in \p F; nothing where the position is not known.
void setPosition(Access &Result, const SourceLocation &Location, const llvm::Function &F);
/// The other names of \p F in its module.
std::vector<Alias> aliasesOf(const llvm::Function &F);
/// What the source says to Ergon of \p F, as Function has it.
std::vector<std::string> annotationsOf(const llvm::Function &F);

} // namespace ergon

#endif
