//===- Function.h - what a function does, as formulas -----------*- C++ -*-===//
//
// A function is a tree of loops. Each loop holds blocks: code that runs equally
// often in one iteration, with what one run of it costs. All formulas are in
// the function's parameters, in the iteration numbers of the loops around them
// (0, 1, …, Last), on a device in `blockIdx.*`, `threadIdx.*` and the launch
// dimensions, and in named unknowns.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_MODEL_PROGRAM_FUNCTION_H
#define ERGON_MODEL_PROGRAM_FUNCTION_H

#include "model/machine/CostClass.h"
#include "model/program/Instructions.h"
#include "model/program/ObjectTypes.h"
#include "model/symbolic/Expr.h"

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
  Assumed,  ///< rests on a stated assumption or on a value that somebody set
  Measured, ///< from a run
};
/// The word in documents, and the one that a word stands for.
std::string_view name(Known How);
std::optional<Known> knownFromName(std::string_view Name);

struct SourceLocation {
  std::string File;
  unsigned Line = 0, Column = 0;

  /// Whether there is a line; a default one has none.
  bool isValid() const { return Line != 0; }
  /// `foo.c:12:3`, `foo.c:12` where the column is not known, or nothing.
  std::string text() const;
  bool operator==(const SourceLocation &) const = default;
};

/// Costs by class: a sparse vector of expressions with `+` and `*`.
class Counts {
public:
  using Entry = std::pair<CostClass, Expr>;

  /// Adds \p Amount units of the class.
  void add(CostClass Class, const Expr &Amount);
  /// Zero where the class is not counted.
  Expr operator[](CostClass Class) const;
  Counts &operator+=(const Counts &Other);
  friend Counts operator*(const Counts &C, const Expr &Times);

  /// Room for so many classes; whether none is counted; the classes that are, in the order of
  /// CostClass.
  void reserve(std::size_t Classes) { Entries.reserve(Classes); }
  bool empty() const { return Entries.empty(); }
  auto begin() const { return Entries.begin(); }
  auto end() const { return Entries.end(); }

  /// Flops: the sum of the classes that are work.
  Expr work() const;
  /// Requested bytes of loads and stores that main memory backs.
  Expr requestedBytes() const;

private:
  std::vector<Entry> Entries; // sorted by class
};

/// A place of an object that is no formula, and from which accesses go on by one.
struct UnknownStart {
  unsigned Number; ///< the same for accesses that start at the same place, in one function
  /// It stays while so many loops run, the innermost ones around the access.
  unsigned Loops;
  Expr Further; ///< bytes from it
  /// Of one loop: each start is where the run before ended, as of a matrix's rows.
  bool GoesOn = false;
};

/// One load, store or atomic of the code. On a device neighbours that the back end makes one
/// instruction of are one, though each is counted.
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
  /// Its place among the accesses, calls and loops of one iteration.
  unsigned Order = 0;
  /// Set for copies and fills: so many bytes from the offset on, in pieces of `Bytes`.
  std::optional<Expr> Length = std::nullopt;
  /// It goes around the caches.
  bool NonTemporal = false;
  /// Set where `Base` is all that pointers of one table lead to: which of the table's bytes
  /// has the pointer. `Offset` is from where that points.
  std::optional<Expr> Row = std::nullopt;
  /// Where there is no `Offset`, as far as is known.
  std::optional<UnknownStart> From = std::nullopt;
};

/// The object in which unoptimized code keeps its variables.
inline constexpr std::string_view FrameObject = "(frame)";

/// Where a pointer leads: so many bytes into an object. Without an object it is not known, without
/// an offset how far.
struct PointedLocation {
  std::string Object;
  std::optional<Expr> Offset = std::nullopt;
};

/// An object of which the code says more than its name: a global, a local variable, memory that a
/// call returned, or what a pointer in memory leads to.
struct SizedObject {
  std::string Name;
  Space Where;
  std::int64_t Bytes = 0; ///< 0: not known
  /// Of a global, what it is called in the whole program: its symbol, behind `FILE:` where other
  /// files do not see it.
  std::string Symbol{};
  /// A call gave this memory to the function.
  bool IsAllocated = false;
  /// It is where the pointer leads that lies in another object of the function.
  struct Through {
    std::string Object;
    /// Nothing: all pointers of the object lead here, each to a part.
    std::optional<std::int64_t> Offset;
    /// As the function finds the pointer on entry, rather than where it loads it.
    bool AtEntry = false;
  };
  std::optional<Through> Via{};
};

/// The code loads the pointer that leads to one of its objects: from here on that is what is there
/// now.
struct PointerLoad {
  std::string Object;
  unsigned Order = 0; ///< as of an access
};

/// A pointer that the code puts into memory, a fixed number of bytes into an object.
struct PointerStore {
  std::string Object;
  Expr Offset;
  PointedLocation Value; ///< without an object: another one, or null
  unsigned Order = 0;    ///< as of an access
};

/// `load`, `store` or `atomic`.
std::string_view name(Access::Kind What);

/// How large a kernel launch is: blocks in the grid and threads in a block along
/// x, y and z, and the bytes of shared memory that are given at the launch.
struct LaunchShape {
  std::array<Expr, 3> Grid, Block;
  Expr SharedBytes;

  /// Each formula with the symbols of \p S replaced.
  LaunchShape substitute(const Substitution &S) const;
};

/// Argument \p Number of a call is what a call of \p Callee returned, or left in the
/// variable whose address it was given.
struct MadeBy {
  unsigned Number;
  std::string Callee;
  std::vector<std::optional<Expr>> Arguments;
};

/// An integer in memory that a function uses as it was on entry. Its symbol
/// belongs to the function; a caller that knows the place puts its own value in.
struct Cell {
  std::string Symbol;
  /// The number of the parameter that leads there.
  unsigned Parameter;
  /// Bytes from where the parameter points; with several, each but the last is
  /// where the pointer to the next object lies.
  std::vector<std::int64_t> Path;
  unsigned Bytes;
  /// Not zero: the pointer at the path lies so many bytes behind another one, and the
  /// cell is the distance from that one in elements of `Bytes` bytes: a vector's size.
  std::int64_t Behind = 0;
  /// True for a signed integer type of the source; nothing where that is not known.
  std::optional<bool> IsSigned = std::nullopt;
};

/// What a caller knows of the object that a pointer argument points into.
struct PassedObject {
  unsigned Argument;
  /// Set where the object is as it was when the caller was entered, but for the
  /// values below: how the caller finds it, from a parameter or (nothing) from a
  /// global, and how it would write it: `*p`, `p->q`, `::g`, or nothing.
  struct Origin {
    std::optional<unsigned> Parameter;
    std::vector<std::int64_t> Path;
    std::string Text;
  };
  std::optional<Origin> From;
  /// What the caller stored there; nothing where that is no formula.
  struct Item {
    std::int64_t Offset;
    unsigned Bytes;
    std::optional<Expr> Value;
    /// The value is an address; what it depends on means something in this object alone.
    bool IsAddress = false;
  };
  std::vector<Item> Stored;
};

/// Where a pointer argument points: `Offset` bytes into the caller's object `Base`, if
/// that is known. Of space `generic` it is a parameter of the caller's, and whoever calls
/// the caller may know where it points.
struct PointerArgument {
  unsigned Argument;
  Space Where;
  std::string Base;
  std::optional<Expr> Offset = std::nullopt;
  /// As of an access.
  std::optional<Expr> Row = std::nullopt;
  /// Set where pointers take turns, one in each iteration: the share of the calls that have this
  /// one, 1 or 0.
  std::optional<Expr> When = std::nullopt;
};

/// A call of something that was not inlined and that Ergon does not count itself.
struct Call {
  /// The mangled name (a launch: the kernel's); empty for one through a pointer.
  std::string Callee;
  /// A CUDA kernel launch rather than a call.
  bool IsLaunch = false;
  /// Actual arguments; nothing where one is no expression. Of a pointer argument
  /// it is the integer that it points to, or `&object`.
  std::vector<std::optional<Expr>> Arguments;
  SourceLocation Location;
  /// Every launch has one, and so has a call of the function that clang puts
  /// between `<<<…>>>` and the launch: there it says what `grid.*` and `block.*` are.
  std::optional<LaunchShape> Shape = std::nullopt;
  /// The calls that made its arguments, where those are handles: a plan.
  std::vector<MadeBy> Origins = {};
  /// More of pointer arguments, by argument, where anything is known.
  std::vector<PassedObject> Objects = {};
  /// By argument, those of which something is known.
  std::vector<PointerArgument> Pointers = {};
  /// What the caller has put into globals, by their symbols.
  std::map<std::string, Expr> Globals = {};
  /// As of an access.
  unsigned Order = 0;
  /// Of a call through a pointer: what stands for it, `call@file.c:12:3`.
  std::string Symbol = {};
  /// The object that it returns the address of, as the caller's code calls it; may be empty.
  std::string Result = {};
  /// Which of the arguments the machine computes in arithmetic that may wrap around.
  std::vector<unsigned> Wrapping = {};
};

/// An argument that launches of a kernel have. The number after the last one stands for what the
/// kernel finds by itself: pointers in memory, globals.
struct KernelArgument {
  std::string Kernel; ///< mangled
  unsigned Argument;
  auto operator<=>(const KernelArgument &) const = default;
};

/// What only the compiler sees and somebody might want to change.
struct Hint {
  std::string What; ///< a kind: `double_promotion`
  SourceLocation Location;
  std::string Detail{}; ///< why, or what it is about; may be empty
  /// What one run of it costs more than it had to, by class; less than 0 of what would be there
  /// in its place.
  Counts Saves{};
  /// Not 0: in each run of so many loops around it, the innermost ones, it is needed once.
  unsigned NeededIn = 0;
  /// It holds where these kernels do not write through these arguments.
  std::vector<KernelArgument> IfOnlyRead{};
};

/// The part of a block's cost that one line of the source has.
struct LineCost {
  unsigned Line = 0;
  std::string File = {}; ///< empty: the function's
  Counts PerRun = {};
};

/// Code that runs equally often in one iteration of the loop that holds it.
struct Block {
  /// Runs in one iteration: 1, or indicators and branch shares.
  Expr Runs;
  /// Cost of one run.
  Counts PerRun{};
  std::vector<Access> Accesses{};
  std::vector<Call> Calls{};
  /// What one run makes a CPU execute, as the code stands before it is vectorized.
  InstructionMix Instructions{};
  /// Bound: at most this is done, as by a masked store.
  Known How = Known::Exact;
  /// Each of them as often as the block.
  std::vector<Hint> Hints{};
  /// Parts of `PerRun`, by file and line; what no line is known of is in none.
  std::vector<LineCost> Lines{};
  std::vector<PointerLoad> PointerLoads{};
  std::vector<PointerStore> PointerStores{};
};

/// What the vectorizers and the unroller made of an innermost loop. Zero: not known,
/// or there is none.
struct LoopShape {
  /// Lanes of one vector operation; 1 where the loop stays scalar.
  unsigned VectorWidth = 0;
  /// Vectors that one iteration of the vector loop works on side by side.
  unsigned Interleave = 0;
  /// Lanes of a second vector loop, for what the first one leaves.
  unsigned RestWidth = 0;
  /// Iterations of the source that one iteration of the scalar loop does.
  unsigned Unroll = 0;
  bool operator==(const LoopShape &) const = default;
};

struct Loop {
  /// The iteration number's symbol; unique in the function.
  std::string Variable;
  SourceLocation Location;
  /// How often the loop is entered in one iteration of the one around it.
  Expr Entries;
  /// The last iteration's number: the trip count less one.
  Expr Last;
  /// How `Last` is known; without a variable, how the counts inside are.
  Known TripsKnown = Known::Exact;
  std::vector<Block> Blocks;
  std::vector<Loop> Loops;
  LoopShape Shape{};
  /// What the compiler made of it, that with the largest step first; nothing where that is not
  /// known, or where it has loops inside.
  std::vector<MachineLoop> Made{};
  /// As of an access, in the loop around.
  unsigned Order = 0;
};

/// What the analysis could not resolve: a symbol that somebody has to bind.
struct Unknown {
  std::string Symbol;
  SourceLocation Location;
  /// What the symbol stands for, and why it is not known.
  std::string Why;
  /// What a profile of an earlier run says, where clang was given one.
  std::optional<Rational> Measured = std::nullopt;
  /// It is no more than that, by the compiler's analysis; 0: not known.
  std::uint64_t Most = 0;
};

/// What the values of an argument stand for: a handle's text (`1275070475`,
/// `` `&ompi_mpi_double` ``) and the number that formulas are to have for it.
using Meanings = std::map<std::string, Expr, std::less<>>;

/// What the counts of a function rest on beside its formulas: then all are assumed.
struct Assumption {
  SourceLocation Location;
  std::string What;
  bool operator==(const Assumption &) const = default;
};

/// A number that the counts rest on, in arithmetic that may wrap around: where it does, the machine
/// has another number than the formulas.
struct WrapCheck {
  SourceLocation Location;
  /// Not zero where the type of the number cannot hold it.
  Expr Wraps;
};

struct Parameter {
  std::string Name;
  /// As LLVM writes it. Of type `ptr` the name means an address, unless a cell of
  /// the function has it too.
  std::string Type;
  /// Where there are some, an argument is one of these or an unknown.
  std::shared_ptr<const Meanings> Means = nullptr;
  /// What formulas name of a handle, such as a plan: `flops` in `plan.flops`.
  std::vector<std::string> Members = {};
  /// Of an integer, whose width is that of `Type`: true for a signed type of the source; nothing
  /// where that is not known.
  std::optional<bool> IsSigned = std::nullopt;
};

/// Another name of a function: a constructor of a complete object for that of a base object,
/// `__attribute__((alias))`.
struct Alias {
  std::string Name; ///< mangled
  /// As of a function.
  bool IsLocal = false, IsWeak = false;
};

struct Function {
  std::string Name;      ///< mangled
  std::string Demangled; ///< as the language writes it
  std::string Snapshot;  ///< `source`, `algorithm` or `machine`
  SourceLocation Location;
  bool IsKernel = false;
  /// Visible in its translation unit only.
  bool IsLocal = false;
  /// One of several equal definitions that a program may have (an inline
  /// function, a template), or one that a strong definition takes the place of.
  bool IsWeak = false;
  std::vector<Alias> Aliases;
  /// The library that says what this costs; empty where the code was analyzed.
  std::string Library;
  /// What later calls may ask of the handle that it makes: formulas by name.
  std::map<std::string, Expr> Makes;
  std::vector<Parameter> Parameters;
  std::vector<Cell> Cells;
  /// Of its symbols, those of members that other units know by name.
  std::vector<DeclaredMember> Declared;
  /// One that a pointer leads to is behind the object of that pointer.
  std::vector<SizedObject> Objects;
  /// Where the pointer leads that it returns, if it does.
  std::optional<PointedLocation> Returns = std::nullopt;
  /// The function's own code: a loop of one iteration.
  Loop Body;
  std::vector<Unknown> Unknowns;
  std::vector<Assumption> Assumptions;
  std::vector<WrapCheck> WrapChecks;
  /// What the source says to Ergon, `[[clang::annotate("ergon:…")]]`, without the `ergon:`.
  std::vector<std::string> Annotations;
};

/// Where an access or the cost of a line of \p F stands.
template <typename T> SourceLocation placeOf(const T &Value, const Function &F) {
  SourceLocation Result{Value.File.empty() ? F.Location.File : Value.File, Value.Line};
  if constexpr (requires { Value.Column; })
    Result.Column = Value.Column;
  return Result;
}

/// Gives the parameters of \p F other names, everywhere. A name that a loop of the
/// function has is left out.
void renameParameters(Function &F, const std::vector<std::string> &Names);
/// Gives symbols of \p F other names, everywhere; by the names that they have.
void renameSymbols(Function &F, const std::map<std::string, std::string> &Names);

/// A file of source code as it was compiled.
struct SourceFile {
  std::string Path; ///< as positions have it
  std::string Md5;  ///< of its bytes, 32 digits in hexadecimal
};

/// What clang compiled: one translation unit for one target and object file.
struct Unit {
  std::string Source;    ///< the main file as the compiler was given it
  std::string Object;    ///< what it was to write, in the same way; empty: not known
  std::string Directory; ///< where the compiler ran
  std::string Target;    ///< triple
  std::string Compiler;  ///< e.g. `LLVM 22.1.8`
  /// Those that positions name, by path; without the ones that the debug information says no
  /// checksum of.
  std::vector<SourceFile> Files = {};
  /// Classes that it describes and that other units may only declare, by name.
  std::vector<ObjectType> Types = {};
};

} // namespace ergon

#endif
