//===- Machine.h - a program's code as it runs ------------------*- C++ -*-===//
#pragma once

#include "model/interpreter/BranchPasses.h"
#include "model/library/LibraryCall.h"

#include <optional>
#include <vector>

namespace ergon::code {

/// Runs a program's functions.
class Machine {
public:
  /// For \p Whole, which must outlive this; adds names of library functions to it.
  Machine(Program &Whole, UnknownNumbers Are);
  /// Runs main once: what it makes of how it is called.
  ProgramValues run(const CommandLine &How);
  /// Runs a function once: the same.
  ProgramValues run(const EntryCall &How);
  /// The names of the files that it opened.
  const std::set<std::string> &filesRead() const { return Disk.opened(); }
  /// Whether it read its own name.
  bool readsName() const { return ReadsName; }
  /// Whether it matters for it whether unknown numbers are ordinary.
  bool ordinaryMatters() const { return OrdinaryMatters; }
  /// Whether code that it did not see may have called functions whose address is taken.
  bool callsUnseen() const { return CallsUnseen; }
  /// The hardware, and what it asked it for.
  const AskedHardware &asked() const { return Asked; }

private:
  struct Frame {
    const Function *Code;
    std::uint32_t Number; ///< of the function's name
    std::vector<Value> Registers;
    BranchPasses Branches;
    std::vector<std::int64_t> Forks; ///< blocks whose branch is followed on all ways
    bool IsNested = false;           ///< in another call of the same function
    Inputs CalledWith{};             ///< where what it notes is compared with them
  };
  /// Where a way through a function ended.
  struct End {
    enum class Kind { Meeting, Again, Returned } What;
    std::int64_t Block; ///< of a meeting, or of the fork that was reached again
    State Now;
    std::vector<Value> Registers;
    Value Result;
  };
  struct Way {
    std::int64_t Block, Previous;
    std::int64_t Meeting; ///< ends in front of this block
  };

  const Program &Whole;
  UnknownNumbers Numbers;
  bool OrdinaryMatters = false, CallsUnseen = false;
  std::map<std::uint32_t, std::uint32_t> GlobalObjects; ///< by name
  LibraryObjects Library;
  Files Disk;
  AskedHardware Asked;
  std::optional<std::uint32_t> OwnName; ///< the object that holds the program's name
  bool ReadsName = false;
  Steps Run;
  std::vector<const Frame *> Active; ///< what is called
  unsigned Forked = 0;
  std::optional<State> Stopped; ///< on all ways on which the program ended itself
  bool IsOver = false;          ///< too many steps
  /// What was known when that happened, or before the branch that is followed then.
  Observations AtOver;
  /// By symbol, what was known when a loop was left that is too long, or at the end.
  std::map<std::uint32_t, ProgramValues::Mean> Begun;
  unsigned LoopsLeft = 0; ///< those that are too long, on the way that is surely taken

  void addGlobals(State &Now, bool IsProgram);
  ProgramValues enterAt(std::uint32_t Name, std::vector<Value> Arguments, State Now);
  Value pointerTo(const std::vector<EntryCall::Held> &Behind, bool IsAlone, State &Now);
  bool construct(State &Now);
  void noteInputs(Frame &F, State &Now) const;
  void addUnvisited(const State &All, ProgramValues &Result) const;
  void addPointerCalls(const Observations &All, ProgramValues &Result) const;
  void keepBeginning(const Observations &Seen);
  void addBeginning(ProgramValues &Result) const;
  std::map<std::string, std::int64_t> AtStart; ///< numbers of globals when main begins
  std::map<std::string, std::int64_t> globalNumbers(const State &Now) const;
  Value valueOf(const Operand &What, const Frame &F) const;
  /// Calls \p Name; nothing where no way returns.
  std::optional<Value> call(std::uint32_t Name, std::vector<Value> Arguments, Type Result,
                            State &Now);
  std::optional<Value> callUnknown(const std::vector<Value> &Arguments, bool IsOpaque, State &Now);
  bool isTooDeep(std::uint32_t Name) const;
  void follow(Frame &F, State Now, Way Where, std::vector<End> &Ends);
  void enter(Frame &F, std::int64_t Block, std::int64_t Previous) const;
  bool step(const Instruction &I, Frame &F, State &Now);
  struct Target {
    std::optional<std::int64_t> Block; ///< known
    std::vector<std::int64_t> Blocks;  ///< else all that are possible
    std::int64_t Meeting = AtEnd;
    std::uint32_t How = Value::Sure; ///< Block is known
  };
  Value compareUnknown(const Instruction &I, const Frame &F);
  bool areSame(const Instruction &Compare, const Frame &F) const;
  void forgetShares(const Frame &F, const std::vector<std::int64_t> &Ways, State &Now) const;
  bool leavesEarly(const Function &Code, std::int64_t Block);
  std::map<std::pair<const Function *, std::int64_t>, bool> EarlyLeaves; ///< as far as looked at
  Target targetOf(const Instruction &I, const Frame &F) const;
  std::optional<Way> fork(Frame &F, State &Now, std::int64_t Block, const Target &To,
                          std::vector<End> &Ends);
  std::pair<Value, Value> comparedFor(const std::vector<Instruction> &Block, const Frame &F) const;
  void skipPasses(Frame &F, State &Now, std::int64_t Block);
  void charge(State &Now);
  void read(const Value &From);
  bool join(Frame &F, State &Now, const End &Other, std::size_t NumOld);
  void giveUp(const State &Now);
  void stop(State Now);
};

} // namespace ergon::code
