//===- Code.h - code of a program as data -----------------------*- C++ -*-===//
//
// The part of a program's host code that decides what it does: what its launches, loops and calls
// depend on. The plugin writes it as text; the interpreter runs it on the program's arguments.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/code/Value.h"
#include "model/symbolic/Error.h"

#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ergon::code {

/// The type of a value: an integer of so many bits, a real number, a pointer, or nothing.
struct Type {
  enum class Kind : std::uint8_t { Void, Integer, Real, Pointer };
  Kind What = Kind::Void;
  unsigned Bits = 0;

  /// What it takes in memory.
  unsigned bytes() const { return (Bits + 7) / 8; }
  /// A float or a double.
  bool isReal() const { return What == Kind::Real; }
};

/// `%3`, `7`, `0x1.8p+1`, `@name`, `@name+8`, `&function` or `?`, which is unknown.
struct Operand {
  enum class Kind : std::uint8_t { Register, Constant, Global, Function };
  Kind What = Kind::Constant;
  std::uint32_t Number = 0; ///< of the register, or of the name
  std::int64_t Offset = 0;  ///< in the global
  Value Constant{};
};

enum class Opcode : std::uint8_t {
  Binary,  ///< `%r = add i32 a b`
  Compare, ///< `%r = icmp.slt i32 a b`
  Cast,    ///< `%r = zext i32 i64 a`: from, to
  Select,  ///< `%r = select i1 c a b`
  Phi,     ///< `%r = phi i32 value block …`
  Local,   ///< `%r = local`: a new object
  Load,    ///< `%r = load i32 pointer`
  Store,   ///< `store i32 value pointer`
  Address, ///< `%r = address pointer bytes index scale …`
  Call,    ///< `%r = call i32 &name arguments…`; without a result `call void …`
  Forget,  ///< `forget pointer`: its object is unknown from here on
  Note,    ///< `note SYMBOL value low bits`: the symbol's value is so many bits of this one, with a
           ///< sign
  Called,  ///< `called SYMBOL pointer`: what the call of the symbol calls
  Count,   ///< `count SYMBOL numerator denominator`: both are added
  Jump,    ///< `jump block`
  Branch,  ///< `branch condition block block meeting`, where all ways meet again; `-` for the end
  Switch,  ///< `switch i32 value meeting default case block …`
  Return,  ///< `return value`
  Stop     ///< `stop`: the program ends here
};

struct Instruction {
  Opcode What{};
  std::uint32_t Result = 0; ///< a register; where the instruction has one
  bool HasResult = false;
  std::uint8_t Operation = 0; ///< an index of operationNames()
  Type Of{}, To{};
  std::vector<Operand> Operands{};
  /// Blocks of a jump, branch, switch or phi; the numbers of an address or a note.
  std::vector<std::int64_t> Numbers{};
  std::uint32_t Symbol = 0;
};

/// Where all ways meet at the end of the function.
inline constexpr std::int64_t AtEnd = -1;

struct Function {
  std::string Name;
  unsigned Parameters = 0, Registers = 0;
  /// Parameters that lead to memory which nothing else leads to: Fortran's, and `restrict`.
  std::vector<std::int64_t> Alone{};
  std::vector<std::vector<Instruction>> Blocks;
};

/// A global variable, with what it holds when the program starts.
struct Global {
  bool IsKnown = false; ///< false: defined elsewhere
  bool IsShared = false;
  bool IsConstant = false;
  struct Item {
    std::int64_t Offset;
    Type Of;
    Operand What;
  };
  std::vector<Item> Items{};
  /// The name of what may change it before main.
  std::optional<std::uint32_t> Constructor{};
};

/// An integer that is noted where a function is called or a kernel launched: a parameter, or what
/// lies in memory where one points to.
struct Input {
  std::uint32_t Symbol; ///< its name
  unsigned Parameter;
  /// Offsets in bytes, as of a Cell; empty for the parameter itself.
  std::vector<std::int64_t> Path{};
  std::int64_t Behind = 0; ///< as of a Cell
  unsigned Bytes = 0;
  bool HasSign = true;
};

/// The names of operations: `add`, `slt`, `zext`, ….
std::size_t operationOf(std::string_view Name);

/// The name of the function that \p Text is the code of, unique in its program; empty where it is
/// no code.
std::string nameIn(std::string_view Text);
/// The same, then its aliases.
std::vector<std::string> namesIn(std::string_view Text);
/// The names of functions that it does not call where the program does, as nothing depends on
/// what they return: lines `skips NAME`.
std::vector<std::string> skippedIn(std::string_view Text);
/// The names of the functions that it mentions, sorted.
std::vector<std::string> functionsIn(std::string_view Text);

/// A program's code, to which the code of its functions is added.
struct Program {
  std::map<std::string, std::uint32_t, std::less<>> Numbers; ///< of names
  std::vector<std::string> Names;
  std::vector<Function> Functions;
  std::map<std::uint32_t, std::size_t> FunctionOf; ///< by name
  std::map<std::uint32_t, Global> Globals;         ///< by name
  std::map<std::uint32_t, std::vector<Input>> Inputs;
  std::set<std::uint32_t> Opaque; ///< names of its functions that have no code here
  std::map<std::uint32_t, std::uint32_t> KernelOf; ///< names, by that of what clang calls for it

  /// The number of \p Name, a new one for a new name.
  std::uint32_t number(std::string_view Name);
  /// Adds a function from its text. The first of a name is kept. Error: what the text has wrong,
  /// and in which line.
  std::expected<void, Error> add(std::string_view Text);
};

} // namespace ergon::code
