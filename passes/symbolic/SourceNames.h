//===- SourceNames.h - names in the source ----------------------*- C++ -*-===//
//
// Names and positions of one function from its debug info: parameters, loop variables, local
// objects; and the symbols of unknowns.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/program/Function.h"
#include "model/symbolic/ExprBounds.h"
#include "passes/ir/Probe.h"
#include "passes/ir/SourceTypes.h"
#include "passes/symbolic/EdgeFrequencies.h"
#include "passes/symbolic/StoredValues.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace ergon {

/// The source location of \p Position; invalid where debug info has none.
SourceLocation locationOf(const llvm::DebugLoc &Position);

class SourceNames {
public:
  /// Reads the debug info of the function of \p Analyses, which must outlive it.
  explicit SourceNames(const FunctionAnalyses &Analyses);

  /// The parameter's name; `arg0`, … where debug info has none.
  const std::string &argument(const llvm::Argument &Which) const;
  /// A unique name in the function for the loop's induction variable.
  const std::string &loop(const llvm::Loop &Which);
  /// The variable in \p Object, an alloca or a global. May be empty; in device code `local1`,
  /// `local2`, … where debug info has no name.
  std::string object(const llvm::Value &Object) const;

  /// The value of a parameter; its address for a pointer.
  Expr parameter(const llvm::Argument &Which);
  /// What an integer argument holds: a number, or the fields of a small structure that the calling
  /// convention passes in one register. A 64-bit one without debug info may be either.
  enum class Content { Number, Fields, Either };
  /// What the bits of the argument hold, by debug info and type.
  Content contentOf(const llvm::Argument &Which) const;
  /// The location that the 64-bit \p Wide is loaded from, if it may be two fields: the compiler
  /// copies them together and passes them in one register.
  std::optional<AccessPath> fieldsIn(const llvm::Value &Wide, StoredValues &Memory) const;
  /// What the argument is in the source.
  ScalarType scalarType(const llvm::Argument &Which) const;
  /// True for an integer argument of a signed source type, false for an unsigned one. Nothing for
  /// others, and where neither debug info nor an extension attribute shows it.
  std::optional<bool> isSigned(const llvm::Argument &Which) const;
  /// The value of the \p Bytes bytes at \p Where on function entry: `n` of a parameter by
  /// reference, `p->dims.nx`, `::grid[0]`. A path always has the same symbol. \p IsReal: it is
  /// read as a floating-point number.
  Expr cell(const AccessPath &Where, unsigned Bytes, bool IsReal = false);
  /// The value of \p Bytes bytes that \p What sees at \p Point: a cell; or an unknown if another
  /// write may have reached it, and \p MayName or it has a symbol already.
  std::optional<Expr> seen(const Sight &What, unsigned Bytes, const Instruction &Point,
                           bool MayName);
  /// The same for a pointer, which \p Load loads, if any does. The first pointer to an element type
  /// in its object has an address symbol; others are elements away from it.
  std::optional<Expr> seenPointer(const Sight &What, const llvm::LoadInst *Load, bool MayName);
  /// For the end of a vector's array, a pointer found at \p Pointer on entry: where the pointer to
  /// its start is, and the bytes between them. Nothing for any other pointer.
  std::optional<std::pair<AccessPath, Expr>> followed(const AccessPath &Pointer);
  /// The memory that \p Symbol stands for on function entry: a number of so many bytes; without
  /// bytes the pointer there; with a distance as for a cell.
  struct MemorySymbol {
    AccessPath Where;
    unsigned Bytes;
    long Behind;
    bool IsReal; ///< a floating-point number
  };
  std::optional<MemorySymbol> memoryNamed(StringRef Symbol) const;
  /// What is known of an address, beside that it is one.
  struct Address {
    bool IsNeverNull = false; ///< that of an object
    unsigned Align = 0;       ///< in bytes; 0: that of a pointer of unknown origin
  };
  std::optional<Address> addressNamed(StringRef Symbol) const {
    auto Found = AddressSymbols.find(Symbol);
    return Found == AddressSymbols.end() ? std::nullopt : std::optional(Found->second);
  }
  /// A symbol for an address that a callee leaves.
  Expr calleeAddress(const Address &What) { return freshAddress(What); }
  /// \p Value with each address as a multiple of its alignment: that of memory from `malloc` where
  /// the origin is unknown, and \p IsAssumed becomes true.
  Expr withAlignedAddresses(const Expr &Value, bool &IsAssumed);
  /// The address symbol of \p Value.
  Expr address(const llvm::Value &Value);
  /// The one address symbol in \p Value, if it is that of an object: never null.
  std::optional<std::string> objectAddress(const Expr &Value) const;
  /// True where \p Value depends on an address, so that it is no formula.
  bool hasAddress(const Expr &Value) const;
  /// The source's spelling of the object at \p Where: `*p`, `p->dims`. May be empty.
  std::string object(const AccessPath &Where) const { return spell(Where, 0).Text; }
  /// The source's spelling of the integer of \p Bytes bytes at \p Where.
  std::string nameOf(const AccessPath &Where, unsigned Bytes);
  /// The source's scalar at \p Where, if debug info shows that it is an integer.
  std::optional<Expr> integerAt(const AccessPath &Where);
  /// The cells with a symbol that parameters lead to.
  const std::vector<Cell> &cells() const { return Cells; }
  /// Members named by offset, since this unit only declares their class.
  const std::vector<DeclaredMember> &declared() const { return Declared; }

  /// A fresh symbol `<Kind>@<position>` (`<Kind>@<function>` without debug info) for an unknown.
  /// Adds it to the function's unknowns with \p Why, the probe that measures its value, the value
  /// that a profile has \p Measured, and its maximum \p Most (0: unknown). LLVM's branch
  /// probabilities give the estimate, where the probe counts edges.
  Expr unknown(StringRef Kind, SourceLocation Where, std::string Why, Probe Counted,
               std::optional<Rational> Measured = std::nullopt, std::uint64_t Most = 0);
  /// The integer that \p Point loads, which is \p Formula if all of \p After only read.
  Expr reloaded(const Sight &What, unsigned Bytes, const Instruction &Point, const Expr &Formula,
                const std::vector<PointerTaker> &After);
  /// Loads of numbers that globals lead to, and the symbols that they are: nothing has written
  /// there before in the function.
  const llvm::MapVector<const Instruction *, std::string> &globalLoads() const {
    return GlobalLoads;
  }
  /// Sets the formula of the unknown \p Symbol (Unknown::Formula).
  void explain(const Expr &Symbol, Expr Formula);
  /// Sets the limit of the unknown \p Symbol (Unknown::Limit).
  void limit(const Expr &Symbol, Expr Limit) { unknownNamed(Symbol).Limit = std::move(Limit); }
  /// Sets what the unknown \p Symbol is where numbers are ordinary (Unknown::Usually).
  void usually(const Expr &Symbol, Expr Value) { unknownNamed(Symbol).Usually = std::move(Value); }
  /// Sets the estimate of the unknown \p Symbol, and adds to the text what it comes from.
  void estimate(const Expr &Symbol, Rational Value, StringRef From);
  /// Whether \p Value depends on an unknown without a formula.
  bool hasOpenUnknown(const Expr &Value) const;
  /// The symbol for what \p Site returns, the same as that of an unknown for it.
  Expr callValue(const CallBase &Site);
  /// The name of that symbol; empty where no formula has it.
  std::string callValueName(const CallBase &Site) const { return CallValues.lookup(&Site); }
  /// The symbol of \p Site, a call through a pointer, from now on.
  const std::string &nameCall(const CallBase &Site);
  /// The same; empty before.
  std::string callSymbol(const CallBase &Site) const { return CallSymbols.lookup(&Site); }
  /// Whether \p F belongs to a library that accesses what it is given alone.
  bool isLibraryFunction(const llvm::Function &F) const;
  /// A fresh symbol of that form.
  std::string fresh(StringRef Kind, const SourceLocation &Position);
  const std::vector<Unknown> &unknowns() const { return Unknowns; }
  /// By unknown.
  const std::vector<Probe> &probes() const { return Probes; }
  /// The range of the type of \p Symbol; without a type, its known maximum.
  Bounds rangeOf(StringRef Symbol) const;
  /// An unsigned number of at least `int` size.
  bool isUnsignedWord(StringRef Symbol) const;
  /// Records the assumption \p What of the counts, once.
  /// \p OnlyReads: as for Assumption.
  void assume(SourceLocation Position, std::string What, std::string OnlyReads = {});
  const llvm::Function &function() const { return F; }
  const std::vector<Assumption> &assumptions() const { return Assumptions; }

private:
  const llvm::Function &F;
  std::vector<std::string> Arguments;
  /// What debug info says of an argument: a source parameter, or, where the calling convention
  /// splits a structure, an offset in it or one of its scalars.
  struct Origin {
    std::string Name;
    const llvm::DIType *Type = nullptr; ///< null: unknown
    long Offset = 0;
  };
  std::vector<Origin> Origins;
  static Origin originOf(const llvm::Argument &Which, const llvm::DILocalVariable &Variable,
                         long Offset);
  /// Pointer parameters whose name denotes their address, or their target.
  llvm::DenseSet<const llvm::Argument *> Addresses, References;
  /// Memory that has a symbol. Without bytes it is an address; with a distance between two
  /// pointers, their distance in elements of that many bytes.
  struct InMemory {
    Sight What;
    unsigned Bytes;
    long Behind;
    bool IsReal;
    Expr Symbol;
  };
  std::vector<InMemory> Known;
  /// Indexes of those, by the hash of their location.
  llvm::DenseMap<std::size_t, SmallVector<unsigned, 1>> KnownAt;
  llvm::DenseMap<const llvm::Value *, Expr> ValueAddresses;
  llvm::StringMap<Address> AddressSymbols; ///< and what is known of them
  std::vector<Cell> Cells;
  std::vector<DeclaredMember> Declared;
  llvm::DenseMap<const llvm::Loop *, std::string> Loops;
  llvm::DenseMap<const llvm::Value *, const llvm::DILocalVariable *> Objects;
  llvm::StringSet<> Used;
  struct IntegerType {
    unsigned Bits;
    bool IsUnsigned;
  };
  llvm::StringMap<IntegerType> Types;                         ///< of symbols
  llvm::StringMap<unsigned> NextNumber;                       ///< by name and prefix
  llvm::DenseMap<const llvm::Value *, unsigned> DeviceLocals; ///< allocas, numbered
  const llvm::DominatorTree &DT;
  const llvm::TargetLibraryInfo &TLI;
  llvm::DenseMap<const CallBase *, std::string> CallValues; ///< symbols
  llvm::DenseMap<const CallBase *, std::string> CallSymbols;
  llvm::StringSet<> Explained; ///< unknowns with a formula
  EdgeFrequencies Frequencies;
  std::vector<Unknown> Unknowns;
  std::vector<Probe> Probes;
  llvm::MapVector<const Instruction *, std::string> GlobalLoads;
  std::vector<Assumption> Assumptions;

  Unknown &unknownNamed(const Expr &Symbol);
  std::string unused(std::string Wanted, StringRef BeforeNumber);
  std::string unique(std::string Wanted) { return unused(std::move(Wanted), "_"); }
  void nameInOrder(ArrayRef<const llvm::DILocalVariable *> Declared);
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
  const Expr *known(const Sight &What, unsigned Bytes, long Behind, bool IsReal = false) const;
  const Expr &remember(Sight What, unsigned Bytes, long Behind, Expr Symbol, bool IsReal = false);
  Expr cell(const AccessPath &Where, unsigned Bytes, long Behind, std::string Name,
            std::optional<bool> IsSigned = std::nullopt, ScalarType Type = {});
  Expr freshAddress(const Address &What);
  unsigned alignmentOf(const llvm::Value &Pointer) const;
};

/// How a run, or the interpreter, sees how many elements of \p Bytes bytes lie before what
/// \p Last loads.
Probe distanceProbe(const llvm::LoadInst *Last, long Behind, unsigned Bytes);

/// The position to show for \p Point: its own, or the nearest one before it in its block. Null
/// where there is none.
const llvm::DILocation *nearestPosition(const Instruction &Point);
/// The same as text and numbers.
SourceLocation nearestLocation(const Instruction &I);
/// Sets it for code in \p F; does nothing where the position is unknown.
void setPosition(Access &Result, const SourceLocation &Position, const llvm::Function &F);
/// The other names of \p F in its module.
std::vector<Alias> aliasesOf(const llvm::Function &F);
/// Ergon's annotations of \p F in the source, as in Function.
std::vector<std::string> annotationsOf(const llvm::Function &F);

/// `print<ergon-names>`: the source names of a function's arguments, loops and local variables, and
/// of memory that its loads find unchanged since entry.
void printNames(llvm::Function &F, llvm::FunctionAnalysisManager &AM, raw_ostream &Out);

} // namespace ergon
