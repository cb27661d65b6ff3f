//===- Function.h - what a function does, as formulas -----------*- C++ -*-===//
//
// A function is a tree of loops. Each loop holds blocks: code with the same execution count per
// iteration, with the counts of one run. All formulas are in the function's parameters, the
// induction variables of the loops around (0, 1, …, Last), on a device in `blockIdx.*`,
// `threadIdx.*` and the launch dimensions, and in named unknowns.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/CostClass.h"
#include "model/program/DeviceResources.h"
#include "model/program/Instructions.h"
#include "model/program/LazyText.h"
#include "model/program/ObjectTypes.h"
#include "model/program/Unknown.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ergon {

/// How a number is known, the best first.
enum class Known {
  Exact,    ///< equals what runs
  Bound,    ///< an upper bound of what runs
  Assumed,  ///< depends on a stated assumption or a value set by the user
  Measured, ///< from a run
  Estimated ///< from an estimate of an unknown, or without the work of a call of unknown cost
};
/// The word in documents, and the value of a word.
std::string_view name(Known How);
std::optional<Known> knownFromName(std::string_view Name);

/// Counts by class: a sparse vector of expressions with `+` and `*`.
class Counts {
public:
  using Entry = std::pair<CostClass, Expr>;

  /// Adds \p Amount units of the class.
  void add(CostClass Class, Expr Amount);
  /// Zero where the class is not counted.
  Expr operator[](CostClass Class) const;
  Counts &operator+=(const Counts &Other);
  friend Counts operator*(const Counts &C, const Expr &Times);

  /// Reserves room for that many classes; whether none is counted; the counted classes, in the
  /// order of CostClass.
  void reserve(std::size_t Classes) { Entries.reserve(Classes); }
  bool empty() const { return Entries.empty(); }
  auto begin() const { return Entries.begin(); }
  auto end() const { return Entries.end(); }

  /// Flops: the sum of the classes that are work.
  Expr work() const;
  /// The least and the most flops in f32 and f64 that a GPU executes, without tensor operations: a
  /// division, a square root or an elementary function is its steps.
  std::pair<Expr, Expr> executedFlops() const;
  /// Requested bytes of loads and stores to main memory.
  Expr requestedBytes() const;

private:
  std::vector<Entry> Entries; // sorted by class
};

/// An unknown start in an object, from which accesses continue with a known stride.
struct UnknownStart {
  unsigned Number; ///< the same for accesses with the same start, in one function
  /// Number of loops, the innermost around the access, in which it is constant.
  unsigned Loops;
  Expr Further; ///< bytes from it
  /// In one loop each start is where the previous run ended, as for matrix rows.
  bool GoesOn = false;
};

/// One load, store or atomic of the code. On a device, adjacent accesses that the back end merges
/// are one, though each is counted.
struct Access {
  enum class Kind { Load, Store, Atomic } What;
  Space Where;
  unsigned Bytes;
  /// The object: a parameter, a global, a local variable, or empty.
  std::string Base;
  /// Bytes from the object's start; nothing where the address is no formula.
  std::optional<Expr> Offset;
  unsigned Line = 0, Column = 0;
  std::string File = {}; ///< empty: the function's
  /// Its position among the accesses, calls and loops of one iteration.
  unsigned Order = 0;
  /// Set for copies and fills: that many bytes from the offset on, in pieces of `Bytes`.
  std::optional<Expr> Length = std::nullopt;
  /// It bypasses the caches.
  bool NonTemporal = false;
  /// Set where `Base` is what all pointers of a table lead to: which bytes of the table hold the
  /// pointer. `Offset` is relative to its target.
  std::optional<Expr> Row = std::nullopt;
  /// Where there is no `Offset`, the known part.
  std::optional<UnknownStart> From = std::nullopt;
  /// Where there is no `Offset`, how many bytes of the object it may touch at most, from its start
  /// on: an index of few bits.
  std::optional<std::uint64_t> Within = std::nullopt;
};

/// The object for variables of unoptimized code.
inline constexpr std::string_view FrameObject = "(frame)";

/// The target of a pointer: an offset in an object. Without an object the target is unknown,
/// without an offset only the distance.
struct PointedLocation {
  std::string Object;
  std::optional<Expr> Offset = std::nullopt;
};

/// An object of which more than the name is known: a global, a local variable, memory returned by a
/// call, or the target of a pointer in memory.
struct SizedObject {
  std::string Name;
  Space Where;
  std::int64_t Bytes = 0; ///< 0: not known
  /// For a global, its name in the whole program: its symbol, after `FILE:` for internal linkage.
  std::string Symbol{};
  /// Whether a call allocated it for the function.
  bool IsAllocated = false;
  /// The pointer, in another object of the function, that leads to it.
  struct Through {
    std::string Object;
    /// Nothing: all pointers of the object lead here, each to a part.
    std::optional<std::int64_t> Offset;
    /// Whether it is the pointer on function entry, rather than at the load.
    bool AtEntry = false;
  };
  std::optional<Through> Via{};
};

/// The code loads the pointer to one of its objects, which from here on is the current target.
struct PointerLoad {
  std::string Object;
  unsigned Order = 0; ///< as for an access
};

/// A store of a pointer at a constant offset in an object.
struct PointerStore {
  std::string Object;
  Expr Offset;
  PointedLocation Value; ///< without an object: another one, or null
  unsigned Order = 0;    ///< as for an access
};

/// `load`, `store` or `atomic`.
std::string_view name(Access::Kind What);

/// The size of a kernel launch: blocks in the grid and threads in a block along x, y and z, and the
/// bytes of dynamic shared memory.
struct LaunchShape {
  std::array<Expr, 3> Grid, Block;
  Expr SharedBytes;

  /// Replaces the symbols of \p S in each formula.
  LaunchShape substitute(const Substitution &S) const;
};

/// Argument \p Number of a call is the result of a call of \p Callee, or what it wrote to a
/// variable passed by address.
struct MadeBy {
  unsigned Number;
  std::string Callee;
  std::vector<std::optional<Expr>> Arguments;
};

/// A scalar in memory that a function uses unchanged since entry. Its symbol belongs to the
/// function; a caller that knows the location substitutes its value.
struct Cell {
  std::string Symbol;
  /// The number of the parameter that leads there.
  unsigned Parameter;
  /// Offsets in bytes from the parameter's target; all but the last locate the pointer to the next
  /// object.
  std::vector<std::int64_t> Path;
  unsigned Bytes;
  /// Not zero: the pointer at the path is this many bytes after another one, and the cell is their
  /// distance in elements of `Bytes` bytes: a vector's size.
  std::int64_t Behind = 0;
  /// True for a signed source type; nothing where unknown.
  std::optional<bool> IsSigned = std::nullopt;
  /// A floating-point number has a symbol of its own form (isReal).
  ScalarType Type{};
};

/// A pointer parameter through which its function itself writes nothing.
struct ReadParameter {
  unsigned Parameter;
  /// Functions that it gives the pointer to: nothing is written if they only read.
  std::vector<PointerTaker> If{};
};

/// What a caller knows of the target object of a pointer argument.
struct PassedObject {
  unsigned Argument;
  /// Set where the object is unchanged since the caller's entry, except for the values below: how
  /// the caller reaches it, from a parameter or (nothing) from a global, and its spelling there:
  /// `*p`, `p->q`, `::g`, or nothing.
  struct Origin {
    std::optional<unsigned> Parameter;
    std::vector<std::int64_t> Path;
    std::string Text;
    /// Functions that had the pointer before: it is so if they only read.
    std::vector<PointerTaker> After{};
  };
  std::optional<Origin> From;
  /// A value that the caller stored there; nothing where that is no formula.
  struct Item {
    std::int64_t Offset;
    unsigned Bytes;
    std::optional<Expr> Value;
    /// Whether the value is an address, meaningful in this object only.
    bool IsAddress = false;
    /// Offsets of the pointers that lead from the object to the one that holds it.
    std::vector<std::int64_t> Through{};
    /// It is a floating-point number.
    bool IsReal = false;
    /// As of an origin.
    std::vector<PointerTaker> After{};
  };
  std::vector<Item> Stored;
};

/// The target of a pointer argument: `Offset` bytes in the caller's object `Base`, if known. In
/// space `generic` it is a parameter of the caller, whose own callers may know the target.
struct PointerArgument {
  unsigned Argument;
  Space Where;
  std::string Base;
  std::optional<Expr> Offset = std::nullopt;
  /// As for an access.
  std::optional<Expr> Row = std::nullopt;
  /// Set where pointers alternate, one per iteration: the share of the calls that have this one, 1
  /// or 0.
  std::optional<Expr> When = std::nullopt;
};

/// A call that was not inlined and that Ergon does not count itself.
struct Call {
  /// The mangled name (a launch: the kernel's); empty for one through a pointer.
  std::string Callee;
  /// A CUDA kernel launch rather than a call.
  bool IsLaunch = false;
  /// Actual arguments; nothing where one is no expression. For a pointer argument, the integer that
  /// it points to, or `&object`.
  std::vector<std::optional<Expr>> Arguments;
  SourceLocation Location;
  /// Set for every launch, and for a call of clang's stub between `<<<…>>>` and the launch, where
  /// it defines `grid.*` and `block.*`.
  std::optional<LaunchShape> Shape = std::nullopt;
  /// The calls that created its handle arguments, such as plans.
  std::vector<MadeBy> Origins = {};
  /// Target objects of pointer arguments, where anything is known.
  std::vector<PassedObject> Objects = {};
  /// By argument, where anything is known.
  std::vector<PointerArgument> Pointers = {};
  /// Values that the caller stored in globals, by their symbols.
  std::map<std::string, Expr> Globals = {};
  /// As for an access.
  unsigned Order = 0;
  /// For a call through a pointer: its symbol, `call@file.c:12:3`.
  std::string Symbol = {};
  /// The object whose address it returns, as named in the caller; may be empty.
  std::string Result = {};
  /// The arguments computed in arithmetic that may wrap around.
  std::vector<unsigned> Wrapping = {};
  /// The symbol for the number that it returns, in formulas of the caller's unknowns; may be empty.
  std::string Value = {};
};

/// A kernel argument. The number after the last one represents memory that the kernel finds itself:
/// pointers in memory, globals.
struct KernelArgument {
  std::string Kernel; ///< mangled
  unsigned Argument;
  auto operator<=>(const KernelArgument &) const = default;
};

/// A possible improvement that only the compiler sees.
struct Hint {
  std::string What; ///< a kind: `double_promotion`
  SourceLocation Location;
  std::string Detail{}; ///< why, or what it concerns; may be empty
  /// The avoidable counts of one run, by class; negative for what would replace them.
  Counts Saves{};
  /// Not 0: once is enough in each run of this many loops around it, counted from the innermost.
  unsigned NeededIn = 0;
  /// It applies if these kernels do not write through these arguments.
  std::vector<KernelArgument> IfOnlyRead{};
};

/// The part of a block's counts that belongs to one source line.
struct LineCost {
  unsigned Line = 0;
  std::string File = {}; ///< empty: the function's
  Counts PerRun = {};
};

/// Code with the same execution count per iteration of the loop that holds it.
struct Block {
  /// Runs in one iteration: 1, or indicators and branch shares.
  Expr Runs;
  /// Counts of one run.
  Counts PerRun{};
  std::vector<Access> Accesses{};
  std::vector<Call> Calls{};
  /// The CPU instructions of one run, before vectorization.
  InstructionMix Instructions{};
  /// Bound: at most this is done, as by a masked store.
  Known How = Known::Exact;
  /// Each as often as the block.
  std::vector<Hint> Hints{};
  /// Parts of `PerRun`, by file and line; excludes what has no known line.
  std::vector<LineCost> Lines{};
  std::vector<PointerLoad> PointerLoads{};
  std::vector<PointerStore> PointerStores{};
  /// The symbol under which a run counts how often it ran in one call of the function; empty where
  /// none does.
  std::string Counted = {};
  /// Its number in the function while that is compiled, from 1; 0 where none is needed. No part of
  /// a record.
  unsigned Number = 0;
};

/// Results of the vectorizers and the unroller for an innermost loop. Zero: unknown, or none.
struct LoopShape {
  /// Lanes of one vector operation; 1 where the loop stays scalar.
  unsigned VectorWidth = 0;
  /// Vectors that one iteration of the vector loop processes in parallel.
  unsigned Interleave = 0;
  /// Lanes of a second vector loop for the remainder.
  unsigned RestWidth = 0;
  /// Source iterations per iteration of the scalar loop.
  unsigned Unroll = 0;
  bool operator==(const LoopShape &) const = default;
};

struct Loop {
  /// The symbol of its induction variable; unique in the function.
  std::string Variable;
  SourceLocation Location;
  /// How often the loop is entered in one iteration of the one around it.
  Expr Entries;
  /// The last iteration: the trip count minus one.
  Expr Last;
  /// How `Last` is known; without a variable, how the counts inside are.
  Known TripsKnown = Known::Exact;
  std::vector<Block> Blocks;
  std::vector<Loop> Loops;
  LoopShape Shape{};
  /// The machine loops generated for it, the one with the largest step first; empty where unknown,
  /// or where it has inner loops.
  std::vector<MachineLoop> Made{};
  /// As for an access, in the loop around.
  unsigned Order = 0;
  /// As for a block, of its iterations, and of how often it was entered.
  std::string Counted = {}, Entered = {};
};

/// The meanings of an argument's values: a handle's text (`1275070475`, `` `&ompi_mpi_double` ``)
/// and its number in formulas.
using Meanings = std::map<std::string, Expr, std::less<>>;

struct Parameter {
  std::string Name;
  /// As LLVM writes it. For type `ptr` the name means an address, unless the function has a cell of
  /// the same name.
  std::string Type;
  /// If not empty, an argument is one of these or an unknown.
  std::shared_ptr<const Meanings> Means = nullptr;
  /// Members of a handle, such as a plan, in formulas: `flops` in `plan.flops`.
  std::vector<std::string> Members = {};
  /// For an integer of the width of `Type`: true for a signed source type; nothing where unknown.
  std::optional<bool> IsSigned = std::nullopt;
  /// In the source. A floating-point number's symbol has a form of its own (isReal).
  ScalarType Scalar = {};

  /// The symbol that formulas have for it.
  std::string symbol() const { return Scalar.Kind == ScalarKind::Real ? realSymbol(Name) : Name; }
};

/// Another name of a function: a constructor of a complete object for that of a base object,
/// `__attribute__((alias))`.
struct Alias {
  std::string Name; ///< mangled
  /// As for a function.
  bool IsLocal = false, IsWeak = false;
};

/// What a library's description says of a function.
struct LibraryNote {
  enum class Kind {
    Counted,     ///< it has counts
    Free,        ///< it costs nothing that is worth a count
    NotDescribed ///< it works, but its work is not known: input and output, say
  };
  Kind What = Kind::Counted;
  std::string Why; ///< why it is free, or what is not described
};
/// `counted`, `free`, `not described`
const char *name(LibraryNote::Kind What);

struct Function {
  std::string Name;      ///< mangled
  std::string Demangled; ///< as the language writes it
  std::string Snapshot;  ///< `source`, `algorithm` or `machine`
  SourceLocation Location;
  bool IsKernel = false;
  /// Of device code, where it was assembled.
  std::optional<DeviceResources> Resources = std::nullopt;
  /// Whether it has internal linkage.
  bool IsLocal = false;
  /// One of several equal definitions in a program (an inline function, a template), or one that a
  /// strong definition replaces.
  bool IsWeak = false;
  std::vector<Alias> Aliases;
  /// The library that describes its counts; empty where the code was analyzed.
  std::string Library;
  LibraryNote Described; ///< with a library
  /// Formulas by name that later calls may use of the handle that it creates.
  std::map<std::string, Expr> Makes;
  std::vector<Parameter> Parameters;
  std::vector<Cell> Cells;
  /// Symbols of members that other units know by name.
  std::vector<DeclaredMember> Declared;
  /// A pointer's target comes after the object of that pointer.
  std::vector<SizedObject> Objects;
  /// The target of the returned pointer, if any.
  std::optional<PointedLocation> Returns = std::nullopt;
  /// The returned number as a formula in parameters, cells and what its calls return, if it is one.
  std::optional<Expr> Value = std::nullopt;
  /// It writes no memory of its caller.
  bool OnlyReads = false;
  /// Parameters through which it writes nothing.
  std::vector<ReadParameter> Reads{};
  /// The function's own code: a loop of one iteration.
  Loop Body;
  std::vector<Unknown> Unknowns;
  std::vector<Assumption> Assumptions;
  std::vector<WrapCheck> WrapChecks;
  /// The source's annotations `[[clang::annotate("ergon:…")]]`, without the `ergon:`.
  std::vector<std::string> Annotations;
  /// Of host code: what decides which of it runs, as text (model/code). Empty: none was recorded.
  LazyText Code;
  /// The function as one run had it: numbers that the run counted in the place of formulas, per
  /// call. Null where no run counted it. Its calls lead to other functions as in the run.
  std::shared_ptr<const Function> AsRun = nullptr;
  /// It is such a one.
  bool IsAsRun = false;
};

/// The source position of an access or line of \p F.
template <typename T> SourceLocation placeOf(const T &Value, const Function &F) {
  SourceLocation Result{Value.File.empty() ? F.Location.File : Value.File, Value.Line};
  if constexpr (requires { Value.Column; })
    Result.Column = Value.Column;
  return Result;
}

/// Renames the parameters of \p F everywhere. Skips names that a loop of the function has.
void renameParameters(Function &F, const std::vector<std::string> &Names);
/// Renames symbols of \p F everywhere, by their current names.
void renameSymbols(Function &F, const std::map<std::string, std::string> &Names);
/// Puts \p Values in for symbols of \p F everywhere.
void substituteSymbols(Function &F, const Substitution &Values);

/// A compiled source file.
struct SourceFile {
  std::string Path; ///< as positions have it
  std::string Md5;  ///< of its bytes, 32 digits in hexadecimal
};

/// What clang compiled: one translation unit for one target and object file.
struct Unit {
  std::string Source;    ///< the main file as the compiler was given it
  std::string Object;    ///< the requested output, in the same way; empty: unknown
  std::string Directory; ///< where the compiler ran
  std::string Target;    ///< triple
  std::string Compiler;  ///< e.g. `LLVM 22.1.8`
  /// Of the code before optimization: an instrumented build tells it to its runs.
  std::string Checksum = {};
  /// Those in positions, by path; without files that have no checksum in the debug information.
  std::vector<SourceFile> Files = {};
  /// Classes described here that other units may only declare, by name.
  std::vector<ObjectType> Types = {};
};

} // namespace ergon
