//===- Interpreter.cpp - runs code on a program's arguments ---------------===//

#include "model/interpreter/Interpreter.h"
#include "model/code/Inputs.h"
#include "model/interpreter/Machine.h"
#include "model/interpreter/Operations.h"

#include <algorithm>
#include <span>

namespace ergon::code {

/// How many slots of memory take as long as a step where ways meet and compare them.
static constexpr std::uint64_t SlotsOfStep = 2;
/// How many objects, of those that a way begins with, take as long as a step to copy and compare.
static constexpr std::size_t ObjectsOfStep = 64;
/// A way copies the state, which is merged where it meets others; as measured.
static constexpr std::uint64_t StepsOfWay = 100;
static constexpr unsigned MaxDepth = 60, MaxForked = 200, MaxRounds = 30;
/// Of so many loops that are too long, what was known when they were left is kept.
static constexpr unsigned MaxBeginnings = 100;
/// A function that calls itself this often under branches on unknown values would not end.
static constexpr std::ptrdiff_t MaxForkedFrames = 2;
static constexpr std::uint32_t MaxObjects = 1'000'000;

//===----------------------------------------------------------------------===//
// Objects and values
//===----------------------------------------------------------------------===//

/// Of a run that does not end, only the launches are known for sure: without any, its beginning is
/// enough for estimates.
static std::uint64_t mostSteps(const Program &Whole) {
  return Whole.Numbers.contains("cudaLaunchKernel") ? MaxSteps : MaxSteps / 3;
}

Machine::Machine(Program &Whole, UnknownNumbers Are)
    : Whole(Whole), Numbers(Are), Run{0, mostSteps(Whole)} {
  addLocaleNames(Whole);
}

Value Machine::valueOf(const Operand &What, const Frame &F) const {
  switch (What.What) {
  case Operand::Kind::Register:
    return F.Registers[What.Number];
  case Operand::Kind::Constant:
    return What.Constant;
  case Operand::Kind::Global: {
    auto Found = GlobalObjects.find(What.Number);
    return Found == GlobalObjects.end() ? Value::unknown()
                                        : Value::pointer(Found->second, What.Offset);
  }
  case Operand::Kind::Function:
    return Value::function(What.Number);
  }
  return Value::unknown();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static Value ofWidth(const Value &What, Type Of) {
  Value Result = What;
  if (What.isInteger() && Of.What == Type::Kind::Integer)
    Result.Bits = lowBits(What.Bits, Of.Bits);
  return Result;
}

/// A truth value is known as what it is computed from.
static Value truth(const Value &Result, Type Of, std::uint32_t How) {
  const bool IsTruth = Of.What == Type::Kind::Integer && Of.Bits == 1 && Result.isInteger();
  return How != Value::Sure && IsTruth ? Value::truth(Result.Bits != 0, How) : Result;
}

/// Something reads at \p From, or is given it to read.
void Machine::read(const Value &From) { ReadsName |= From.isPointer() && OwnName == From.Object; }

/// Runs one instruction that ends no block; false where the program ends in it.
bool Machine::step(const Instruction &I, Frame &F, State &Now) {
  auto At = [&](std::size_t Number) { return ofWidth(valueOf(I.Operands[Number], F), I.Of); };
  Value Result;
  switch (I.What) {
  case Opcode::Binary: {
    const Value Left = At(0), Right = At(1);
    Result =
        truth(binary(I.Operation, I.Of, Left, Right), I.Of, std::max(Left.trust(), Right.trust()));
    if (!Result.isKnown()) // an address may be in it
      for (const Value &Lost : {Left, Right})
        Now.Objects.expose(Lost);
    break;
  }
  case Opcode::Compare:
    if (!Now.Objects.mayBeEqual(At(0), At(1)))
      Result = compare(I.Operation, I.Of, At(0), At(1));
    if (!Result.isKnown())
      Result = compareUnknown(I, F);
    break;
  case Opcode::Cast:
    Result = cast(I.Operation, I.Of, I.To, At(0));
    if (!Result.isKnown())
      Now.Objects.expose(At(0));
    break;
  case Opcode::Select: {
    const Value Chosen = valueOf(I.Operands[0], F), Left = At(1), Right = At(2);
    if (Chosen.isInteger())
      Result = truth(Chosen.Bits & 1 ? Left : Right, I.Of, Chosen.trust());
    else if (Left == Right)
      Result = Left;
    else
      for (const Value &Lost : {Left, Right})
        Now.Objects.expose(Lost);
    break;
  }
  case Opcode::Local:
    Result = Value::pointer(Now.Objects.add(Object()), 0);
    break;
  case Opcode::Load:
    read(At(0));
    Result = Now.Objects.load(At(0), I.Of.bytes(), I.Of.isReal());
    if (!Result.isKnown())
      Now.Objects.exposeRead(At(0), I.Of.bytes());
    break;
  case Opcode::Store:
    Now.Objects.store(valueOf(I.Operands[1], F), I.Of.bytes(), At(0));
    break;
  case Opcode::Address: {
    Result = valueOf(I.Operands[0], F);
    if (!Result.isPointer())
      break;
    Result.Bits += std::uint64_t(I.Numbers[0]);
    for (std::size_t Index = 1; Index != I.Operands.size(); ++Index) {
      const Value Step = valueOf(I.Operands[Index], F);
      Result.HasOffset &= Step.isInteger();
      Result.Bits += Step.Bits * std::uint64_t(I.Numbers[Index]);
    }
    if (!Result.HasOffset)
      Result.Bits = 0;
    break;
  }
  case Opcode::Call: {
    std::vector<Value> Arguments;
    for (std::size_t Number = 1; Number < I.Operands.size(); ++Number)
      Arguments.push_back(valueOf(I.Operands[Number], F));
    Value Callee = valueOf(I.Operands[0], F);
    if (auto Through = trampolineAt(Callee, Now.Objects)) {
      Callee = Through->Callee;
      Arguments.push_back(Through->Argument);
    }
    auto Returned = Callee.What == Value::Kind::Function
                        ? call(Callee.Object, std::move(Arguments), I.Of, Now)
                        : callUnknown(Arguments, /*IsOpaque=*/true, Now);
    if (!Returned)
      return false;
    Result = ofWidth(*Returned, I.Of);
    break;
  }
  case Opcode::Forget:
    Now.Objects.forget(valueOf(I.Operands[0], F));
    break;
  case Opcode::Note: {
    Value Noted = valueOf(I.Operands[0], F);
    if (Noted.isInteger())
      Noted.Bits = std::uint64_t(withSign(Noted.Bits >> I.Numbers[0], unsigned(I.Numbers[1])));
    Now.note({F.Number, I.Symbol}, Noted, F.CalledWith);
    break;
  }
  case Opcode::Called: {
    const Value Callee = valueOf(I.Operands[0], F);
    const auto Through = trampolineAt(Callee, Now.Objects);
    Now.callThrough({F.Number, I.Symbol}, Through ? Through->Callee : Callee);
    break;
  }
  case Opcode::Count: {
    State::Share &Counted = Now.Shares.changePageOf(F.Number)[{F.Number, I.Symbol}];
    Counted.count(std::uint64_t(I.Numbers[0]), std::uint64_t(I.Numbers[1]));
    if (F.IsNested) { // the loop of a call inside of it is counted as its own
      Counted.IsSame = false;
      Counted.IsKnown &= Numbers == UnknownNumbers::Ordinary; // its mean is an estimate
    }
    break;
  }
  default:
    break;
  }
  if (I.HasResult)
    F.Registers[I.Result] = Result;
  return true;
}

/// Goes to \p Block: its phi nodes get their values together.
void Machine::enter(Frame &F, std::int64_t Block, std::int64_t Previous) const {
  std::vector<std::pair<std::uint32_t, Value>> Values;
  for (const Instruction &I : F.Code->Blocks[std::size_t(Block)]) {
    if (I.What != Opcode::Phi)
      break;
    auto From = std::ranges::find(I.Numbers, Previous);
    Values.emplace_back(
        I.Result,
        From == I.Numbers.end()
            ? Value::unknown()
            : ofWidth(valueOf(I.Operands[std::size_t(From - I.Numbers.begin())], F), I.Of));
  }
  for (const auto &[Register, What] : Values)
    F.Registers[Register] = What;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

Machine::Target Machine::targetOf(const Instruction &I, const Frame &F) const {
  if (I.What == Opcode::Jump)
    return {I.Numbers[0], {}, AtEnd};
  const Value On = ofWidth(valueOf(I.Operands[0], F), I.Of);
  if (I.What == Opcode::Branch) {
    Target Result{{}, {I.Numbers[0], I.Numbers[1]}, I.Numbers[2]};
    if (On.isInteger())
      Result.Block = I.Numbers[On.Bits & 1 ? 0 : 1];
    Result.How = On.trust();
    return Result;
  }
  Target Result{{}, {I.Numbers.begin() + 1, I.Numbers.end()}, I.Numbers[0]};
  if (!On.isInteger())
    return Result;
  Result.Block = I.Numbers[1];
  for (std::size_t Case = 1; Case < I.Operands.size(); ++Case)
    if (lowBits(I.Operands[Case].Constant.Bits, I.Of.Bits) == On.Bits)
      Result.Block = I.Numbers[Case + 1];
  return Result;
}

/// What is compared for the branch at the end of \p Block, in it.
std::pair<Value, Value> Machine::comparedFor(const std::vector<Instruction> &Block,
                                             const Frame &F) const {
  const Instruction &Last = Block.back();
  if (Last.What != Opcode::Branch || Last.Operands[0].What != Operand::Kind::Register)
    return {};
  const auto Found = std::ranges::find_if(Block, [&](const Instruction &I) {
    return I.What == Opcode::Compare && I.Result == Last.Operands[0].Number;
  });
  if (Found == Block.end())
    return {};
  return {valueOf(Found->Operands[0], F), valueOf(Found->Operands[1], F)};
}

/// What memory took is work as instructions are: else programs that fill large objects before a
/// branch take minutes.
void Machine::charge(State &Now) { Run.Taken += Now.Objects.takeWork() / SlotsOfStep; }

/// Makes what differs from \p Other unknown; returns whether anything changed, of objects in the
/// first \p NumOld.
bool Machine::join(Frame &F, State &Now, const End &Other, std::size_t NumOld) {
  bool Changed = Now.merge(Other.Now, NumOld);
  charge(Now);
  for (std::size_t I = 0; I != F.Registers.size(); ++I)
    Changed |= Now.Objects.join(F.Registers[I], Other.Registers[I]);
  return Changed;
}

void Machine::stop(State Now) {
  if (!Stopped)
    Stopped = std::move(Now);
  else
    Stopped->merge(Now);
}

void Machine::giveUp(const State &Now) {
  if (IsOver)
    return;
  if (Forked == 0)
    AtOver = Now;
  keepBeginning(AtOver);
  IsOver = true;
}

/// Follows all ways of a branch at the end of \p Block whose condition is unknown. Returns where
/// they meet, with what is known there in \p F and \p Now; nothing where they do not.
std::optional<Machine::Way> Machine::fork(Frame &F, State &Now, std::int64_t Block,
                                          const Target &To, std::vector<End> &Ends) {
  if (Forked == 0)
    AtOver = Now;
  if (++Forked > MaxForked)
    giveUp(Now);
  F.Forks.push_back(Block);
  std::vector<End> Found;
  // A way that leads back here does so with more unknown, until nothing changes.
  for (unsigned Round = 0;; ++Round) {
    if (Round == MaxRounds)
      giveUp(Now);
    Found.clear();
    const std::vector<Value> Registers = F.Registers;
    for (std::size_t I = 0; I != To.Blocks.size() && !IsOver; ++I) {
      const std::span Before = std::span(To.Blocks).first(I);
      if (std::ranges::find(Before, To.Blocks[I]) != Before.end())
        continue;
      F.Registers = Registers;
      Run.Taken += StepsOfWay + Now.Objects.size() / ObjectsOfStep;
      follow(F, Now, {To.Blocks[I], Block, To.Meeting}, Found);
    }
    F.Registers = Registers;
    bool Changed = false;
    // What a way made since then, nothing leads to: values that differ are unknown.
    const std::size_t NumOld = Now.Objects.size();
    for (const End &E : Found)
      if (E.What == End::Kind::Again && E.Block == Block)
        Changed |= join(F, Now, E, NumOld);
    if (!Changed || IsOver)
      break;
  }
  F.Forks.pop_back();
  --Forked;
  if (IsOver)
    return std::nullopt;
  bool Meet = false;
  for (End &E : Found) {
    if (E.What == End::Kind::Again && E.Block == Block)
      continue;
    if (E.What != End::Kind::Meeting || To.Meeting == AtEnd) {
      Ends.push_back(std::move(E));
    } else if (Meet) {
      join(F, Now, E, Now.Objects.size());
    } else {
      Now = std::move(E.Now);
      F.Registers = std::move(E.Registers);
      Meet = true;
    }
  }
  return Meet ? std::optional(Way{To.Meeting, Block, AtEnd}) : std::nullopt;
}

/// Runs \p F from a block until it ends, or to the block where this way meets others.
void Machine::follow(Frame &F, State Now, Way Where, std::vector<End> &Ends) {
  bool HasEntered = false; // where ways met, each has entered the block already
  for (;;) {
    if (!HasEntered)
      enter(F, Where.Block, Where.Previous);
    HasEntered = false;
    if (Where.Block == Where.Meeting) {
      Ends.push_back({End::Kind::Meeting, Where.Block, std::move(Now), F.Registers, {}});
      return;
    }
    const std::vector<Instruction> &Block = F.Code->Blocks[std::size_t(Where.Block)];
    Run.Taken += Block.size();
    if (Run.Taken > Run.Most || Now.Objects.size() > MaxObjects)
      giveUp(Now);
    for (std::size_t I = 0; I + 1 < Block.size() && !IsOver; ++I)
      if (Block[I].What != Opcode::Phi && !step(Block[I], F, Now))
        return;
    charge(Now);
    const Instruction &Last = Block.back();
    if (!IsOver && Last.What == Opcode::Stop)
      stop(std::move(Now));
    if (IsOver || Last.What == Opcode::Stop)
      return;
    if (Last.What == Opcode::Return) {
      Value Result = Last.Operands.empty() ? Value::unknown() : valueOf(Last.Operands[0], F);
      Ends.push_back({End::Kind::Returned, AtEnd, std::move(Now), F.Registers, Result});
      return;
    }
    if (std::ranges::find(F.Forks, Where.Block) != F.Forks.end()) {
      Ends.push_back({End::Kind::Again, Where.Block, std::move(Now), F.Registers, {}});
      return;
    }
    Target To = targetOf(Last, F);
    if (To.How != Value::Sure && !F.Branches.trust(std::size_t(Where.Block)))
      To.Block.reset();
    else if (To.How == Value::Positive && !leavesEarly(*F.Code, Where.Block))
      forgetShares(F, To.Blocks, Now);
    if (To.Block == Where.Block && Last.What == Opcode::Branch)
      skipPasses(F, Now, Where.Block);
    if (To.Blocks.size() > 1 &&
        F.Branches.pass(std::size_t(Where.Block), Run, [&] { return comparedFor(Block, F); })) {
      To.Block.reset();
      if (Forked == 0 && ++LoopsLeft <= MaxBeginnings)
        keepBeginning(Now);
    }
    if (To.Block) {
      if (*To.Block == AtEnd)
        return;
      Where = {*To.Block, Where.Block, Where.Meeting};
      continue;
    }
    auto Met = fork(F, Now, Where.Block, To, Ends);
    if (!Met)
      return;
    Where = {Met->Block, Met->Previous, Where.Meeting};
    HasEntered = true;
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Other code may write to all that its arguments lead to; code of the program to all globals too.
std::optional<Value> Machine::callUnknown(const std::vector<Value> &Arguments, bool IsOpaque,
                                          State &Now) {
  for (const Value &Each : Arguments) {
    IsOpaque |= Each.isFunction() || trampolineAt(Each, Now.Objects); // may be called
    CallsUnseen = CallsUnseen || Now.Objects.leadsToFunction(Each);
    Now.Objects.giveAway(Each);
  }
  CallsUnseen |= IsOpaque;
  Now.Objects.forgetExposed();
  Now.Objects.forget(Value::pointer(Library.SingleThread, 0));
  if (IsOpaque)
    for (const auto &[Name, Number] : GlobalObjects)
      if (auto Known = Whole.Globals.find(Name);
          Known == Whole.Globals.end() || !Known->second.IsConstant)
        Now.Objects.giveAway(Value::pointer(Number, 0));
  return Value::unknown();
}

/// What formulas of the function that begins use of what it is called with.
void Machine::noteInputs(Frame &F, State &Now) const {
  auto Found = Whole.Inputs.find(F.Number);
  if (Found == Whole.Inputs.end())
    return;
  for (const Input &I : Found->second) {
    if (I.Parameter >= F.Code->Parameters)
      continue;
    const Value Passed = inputOf(F.Registers[I.Parameter], I, Now.Objects);
    Now.note({F.Number, I.Symbol}, Passed);
    if (Numbers == UnknownNumbers::Ordinary && Passed.isInteger())
      F.CalledWith.emplace_back(I.Symbol, std::int64_t(Passed.Bits));
  }
}

bool Machine::isTooDeep(std::uint32_t Name) const {
  return Active.size() == MaxDepth || std::ranges::count_if(Active, [&](const Frame *Each) {
                                        return Each->Number == Name && !Each->Forks.empty();
                                      }) == MaxForkedFrames;
}

std::optional<Value> Machine::call(std::uint32_t Name, std::vector<Value> Arguments, Type Result,
                                   State &Now) {
  auto Found = Whole.FunctionOf.find(Name);
  if (Found == Whole.FunctionOf.end()) {
    std::ranges::for_each(Arguments, [this](const Value &Each) { read(Each); });
    if (auto Returned =
            callLibrary({Whole.Names[Name], Result, Arguments, Now, Whole, Disk, Asked, Library}))
      return Returned;
    return callUnknown(Arguments, Whole.Opaque.contains(Name), Now);
  }
  const Function &Code = Whole.Functions[Found->second];
  Frame F{&Code,
          Whole.Numbers.at(Code.Name),
          std::vector<Value>(Code.Registers),
          BranchPasses(Code.Blocks.size()),
          {}};
  for (std::size_t I = 0; I != std::min<std::size_t>(Arguments.size(), Code.Parameters); ++I)
    F.Registers[I] = Arguments[I];
  if (isTooDeep(F.Number))
    return callUnknown(Arguments, /*IsOpaque=*/true, Now);
  noteInputs(F, Now);
  F.IsNested = std::ranges::any_of(Active, [&](const Frame *Each) { return Each->Code == &Code; });
  Active.push_back(&F);
  std::vector<End> Ends;
  follow(F, std::move(Now), {0, AtEnd, AtEnd - 1}, Ends);
  Active.pop_back();
  std::optional<Value> Returned;
  for (End &E : Ends) {
    if (E.What != End::Kind::Returned)
      continue;
    if (!Returned) {
      Returned = E.Result;
      Now = std::move(E.Now);
      continue;
    }
    Now.merge(E.Now);
    charge(Now);
    Now.Objects.join(*Returned, E.Result);
  }
  return IsOver ? std::nullopt : Returned;
}

} // namespace ergon::code
