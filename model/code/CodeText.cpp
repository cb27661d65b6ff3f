//===- CodeText.cpp - code of a program from its text ---------------------===//

#include "model/code/Code.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ergon::code {

static constexpr std::string_view Operations[] = {
    "add",    "sub",    "mul",    "udiv",   "sdiv",    "urem", "srem", "shl",  "lshr",
    "ashr",   "and",    "or",     "xor",    "eq",      "ne",   "ugt",  "uge",  "ult",
    "ule",    "sgt",    "sge",    "slt",    "sle",     "oeq",  "ogt",  "oge",  "olt",
    "ole",    "one",    "ord",    "uno",    "ueq",     "une",  "zext", "sext", "trunc",
    "fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext"};

std::size_t operationOf(std::string_view Name) {
  return std::size_t(std::ranges::find(Operations, Name) - std::begin(Operations));
}

std::uint32_t Program::number(std::string_view Name) {
  if (auto Found = Numbers.find(Name); Found != Numbers.end())
    return Found->second;
  Names.emplace_back(Name);
  return Numbers[std::string(Name)] = std::uint32_t(Names.size() - 1);
}

static std::optional<std::int64_t> wholeNumber(std::string_view Word) {
  std::int64_t Result = 0;
  auto [End, Bad] = std::from_chars(Word.data(), Word.data() + Word.size(), Result);
  return Bad == std::errc() && End == Word.data() + Word.size() ? std::optional(Result)
                                                                : std::nullopt;
}

/// A name without escapes: `%43;` is the character with this number.
static std::string plainWord(std::string_view Word) {
  std::string Result;
  while (!Word.empty()) {
    const std::size_t End = Word.starts_with('%') ? Word.find(';') : Word.npos;
    const auto Character = End == Word.npos ? std::nullopt : wholeNumber(Word.substr(1, End - 1));
    Result += Character ? char(*Character) : Word.front();
    Word.remove_prefix(Character ? End + 1 : 1);
  }
  return Result;
}

namespace {
/// Reads the text of one function.
class CodeReader {
public:
  CodeReader(Program &Target, Function &Result) : Target(Target), Result(Result) {}
  bool line(std::string_view Text);
  bool check() const;

private:
  Program &Target;
  Function &Result;
  std::vector<std::string_view> Words;
  std::size_t Next = 0;
  bool IsBad = false;

  std::string_view word() {
    IsBad |= Next >= Words.size();
    return IsBad ? std::string_view() : Words[Next++];
  }
  std::int64_t number();
  std::uint32_t registerNumber(std::string_view Word);
  Type type();
  Operand operand();
  void operands(Instruction &I) {
    while (!IsBad && Next < Words.size())
      I.Operands.push_back(operand());
  }
  void operation(Instruction &I, std::string_view Name);
  std::uint32_t symbol();
  void global();
  bool instruction();
  void rest(Instruction &I, std::string_view Name);
};
} // namespace

/// `-` is the end of the function.
std::int64_t CodeReader::number() {
  const std::string_view Word = word();
  if (Word == "-")
    return AtEnd;
  auto Result = wholeNumber(Word);
  IsBad |= !Result;
  return Result.value_or(0);
}

std::uint32_t CodeReader::registerNumber(std::string_view Word) {
  static constexpr std::int64_t MaxRegisters = 1'000'000;
  auto Number = Word.starts_with('%') ? wholeNumber(Word.substr(1)) : std::nullopt;
  if (!Number || *Number < 0 || *Number >= MaxRegisters) {
    IsBad = true;
    return 0;
  }
  Result.Registers = std::max(Result.Registers, unsigned(*Number) + 1);
  return std::uint32_t(*Number);
}

/// A symbol as formulas have it.
std::uint32_t CodeReader::symbol() { return Target.number(plainWord(word())); }

Type CodeReader::type() {
  const std::string_view Word = word();
  if (Word == "void")
    return {};
  if (Word == "ptr")
    return {Type::Kind::Pointer, 64};
  auto Bits = Word.empty() ? std::nullopt : wholeNumber(Word.substr(1));
  const bool IsReal = Word.starts_with('f');
  IsBad |= !Bits || *Bits < 1 || *Bits > 64 || (!IsReal && !Word.starts_with('i')) ||
           (IsReal && *Bits != 32 && *Bits != 64);
  return {IsReal ? Type::Kind::Real : Type::Kind::Integer, unsigned(Bits.value_or(1))};
}

Operand CodeReader::operand() {
  using Kind = Operand::Kind;
  std::string_view Word = word();
  if (Word.empty() || Word == "?")
    return {};
  if (Word.starts_with('%'))
    return {.What = Kind::Register, .Number = registerNumber(Word)};
  if (Word.starts_with('&'))
    return {.What = Kind::Function, .Number = Target.number(plainWord(Word.substr(1)))};
  if (Word.starts_with('@')) {
    const std::size_t Plus = Word.rfind('+');
    auto Offset =
        Plus == Word.npos ? std::optional(std::int64_t(0)) : wholeNumber(Word.substr(Plus + 1));
    IsBad |= !Offset;
    return {Kind::Global,
            Target.number(plainWord(Word.substr(1, Plus == Word.npos ? Plus : Plus - 1))),
            Offset.value_or(0)};
  }
  if (Word.starts_with("f:")) { // the bits of a double
    std::uint64_t Bits = 0;
    IsBad |=
        std::from_chars(Word.data() + 2, Word.data() + Word.size(), Bits, 16).ec != std::errc();
    return {.What = Kind::Constant, .Constant = Value::real(std::bit_cast<double>(Bits))};
  }
  auto Number = wholeNumber(Word);
  IsBad |= !Number;
  return {.What = Kind::Constant, .Constant = Value::integer(std::uint64_t(Number.value_or(0)))};
}

void CodeReader::operation(Instruction &I, std::string_view Name) {
  const std::size_t Index = operationOf(Name);
  IsBad |= Index == std::size(Operations);
  I.Operation = std::uint8_t(Index);
}

/// `global NAME extern`, or `global NAME zero|const|shared` and items: offset, type and value.
void CodeReader::global() {
  const std::uint32_t Name = Target.number(plainWord(word()));
  const std::string_view How = word();
  Global Read;
  Read.IsKnown = How != "extern";
  Read.IsShared = How == "shared";
  Read.IsConstant = How == "const";
  if (How == "constructed")
    Read.Constructor = operand().Number;
  while (!IsBad && Next < Words.size()) {
    const std::int64_t Offset = number();
    const Type Of = type();
    Read.Items.push_back({Offset, Of, operand()});
  }
  auto [Slot, New] = Target.Globals.try_emplace(Name);
  if (!IsBad && (New || !Slot->second.IsKnown))
    Slot->second = std::move(Read);
}

void CodeReader::rest(Instruction &I, std::string_view Name) {
  static const std::map<std::string_view, Opcode> Others = {
      {"select", Opcode::Select}, {"phi", Opcode::Phi},       {"local", Opcode::Local},
      {"load", Opcode::Load},     {"store", Opcode::Store},   {"address", Opcode::Address},
      {"call", Opcode::Call},     {"forget", Opcode::Forget}, {"note", Opcode::Note},
      {"count", Opcode::Count},   {"called", Opcode::Called}, {"jump", Opcode::Jump},
      {"branch", Opcode::Branch}, {"switch", Opcode::Switch}, {"return", Opcode::Return},
      {"stop", Opcode::Stop}};
  auto Found = Others.find(Name);
  if (Found == Others.end()) {
    if (Name.starts_with("icmp.") || Name.starts_with("fcmp.")) {
      I.What = Opcode::Compare;
      operation(I, Name.substr(5));
    } else {
      operation(I, Name);
      I.What = I.Operation >= operationOf("zext") ? Opcode::Cast : Opcode::Binary;
    }
    I.Of = type();
    if (I.What == Opcode::Cast)
      I.To = type();
    return operands(I);
  }
  switch (I.What = Found->second) {
  case Opcode::Select:
  case Opcode::Load:
  case Opcode::Store:
  case Opcode::Call:
    I.Of = type();
    break;
  case Opcode::Phi:
    I.Of = type();
    while (!IsBad && Next < Words.size()) {
      I.Operands.push_back(operand());
      I.Numbers.push_back(number());
    }
    return;
  case Opcode::Address: // the base and a number of bytes, then an index and its scale, …
    I.Operands.push_back(operand());
    I.Numbers.push_back(number());
    while (!IsBad && Next < Words.size()) {
      I.Operands.push_back(operand());
      I.Numbers.push_back(number());
    }
    return;
  case Opcode::Note:
    I.Symbol = symbol();
    I.Operands.push_back(operand());
    I.Numbers = {number(), number()};
    return;
  case Opcode::Called:
    I.Symbol = symbol();
    I.Operands.push_back(operand());
    return;
  case Opcode::Count:
    I.Symbol = symbol();
    I.Numbers = {number(), number()};
    return;
  case Opcode::Jump:
    I.Numbers = {number()};
    return;
  case Opcode::Branch:
    I.Operands.push_back(operand());
    I.Numbers = {number(), number(), number()};
    return;
  case Opcode::Switch: // where ways meet, the default; then values and blocks
    I.Of = type();
    I.Operands.push_back(operand());
    I.Numbers = {number(), number()};
    while (!IsBad && Next < Words.size()) {
      I.Operands.push_back(operand());
      I.Numbers.push_back(number());
    }
    return;
  default:
    break;
  }
  operands(I);
}

bool CodeReader::instruction() {
  Instruction I;
  if (Words.size() > 2 && Words[1] == "=") {
    I.HasResult = true;
    I.Result = registerNumber(Words[0]);
    Next = 2;
  }
  rest(I, word());
  static const std::map<Opcode, std::size_t> Needed = {
      {Opcode::Binary, 2}, {Opcode::Compare, 2}, {Opcode::Cast, 1}, {Opcode::Select, 3},
      {Opcode::Load, 1},   {Opcode::Store, 2},   {Opcode::Call, 1}, {Opcode::Forget, 1}};
  auto Least = Needed.find(I.What);
  IsBad |= (Least != Needed.end() && I.Operands.size() < Least->second) || Result.Blocks.empty();
  if (!IsBad)
    Result.Blocks.back().push_back(std::move(I));
  return !IsBad;
}

bool CodeReader::line(std::string_view Text) {
  Words.clear();
  Next = 0;
  while (!Text.empty()) {
    const std::size_t End = std::min(Text.find(' '), Text.size());
    if (End != 0)
      Words.push_back(Text.substr(0, End));
    Text.remove_prefix(std::min(End + 1, Text.size()));
  }
  if (Words.empty())
    return true;
  if (Words[0] == "block") {
    Result.Blocks.emplace_back();
  } else if (Words[0] == "global") {
    Next = 1;
    global();
  } else if (Words[0] == "function") {
    Next = 1;
    Result.Name = plainWord(word());
    Result.Registers = Result.Parameters = unsigned(number());
    while (!IsBad && Next < Words.size())
      Result.Alone.push_back(number());
    IsBad |= Result.Parameters > 1000;
  } else if (Words[0] == "alias") {
    return Words.size() == 2; // read by namesIn
  } else if (Words[0] == "skips") {
    return Words.size() == 2; // read by skippedIn
  } else {
    return instruction();
  }
  return !IsBad;
}

/// Each block ends once, and leads to blocks that there are.
bool CodeReader::check() const {
  auto IsEnd = [](const Instruction &I) { return I.What >= Opcode::Jump; };
  auto IsBlock = [&](std::int64_t Number) {
    return Number == AtEnd || (Number >= 0 && std::size_t(Number) < Result.Blocks.size());
  };
  return !Result.Blocks.empty() && std::ranges::all_of(Result.Blocks, [&](const auto &Block) {
    return !Block.empty() && std::ranges::count_if(Block, IsEnd) == 1 && IsEnd(Block.back()) &&
           (std::ranges::all_of(Block.back().Numbers, IsBlock));
  });
}

std::string nameIn(std::string_view Text) {
  static constexpr std::string_view Start = "function ";
  return Text.starts_with(Start)
             ? plainWord(Text.substr(Start.size(),
                                     Text.find_first_of(" \n", Start.size()) - Start.size()))
             : "";
}

std::vector<std::string> namesIn(std::string_view Text) {
  std::vector<std::string> Result;
  for (std::string_view Start = "function "; Text.starts_with(Start); Start = "alias ") {
    Text.remove_prefix(Start.size());
    Result.push_back(plainWord(Text.substr(0, Text.find_first_of(" \n"))));
    Text.remove_prefix(std::min(Text.find('\n'), Text.size() - 1) + 1);
  }
  return Result;
}

/// The words behind each \p Mark.
static std::vector<std::string> wordsBehind(std::string_view Mark, std::string_view Text) {
  std::vector<std::string> Result;
  for (std::size_t At = Text.find(Mark); At != Text.npos; At = Text.find(Mark, At + 1)) {
    const std::string_view Rest = Text.substr(At + Mark.size());
    Result.push_back(plainWord(Rest.substr(0, Rest.find_first_of(" \n"))));
  }
  return Result;
}

std::vector<std::string> functionsIn(std::string_view Text) {
  std::vector<std::string> Result = wordsBehind(" &", Text);
  std::ranges::sort(Result);
  const auto Twice = std::ranges::unique(Result);
  Result.erase(Twice.begin(), Twice.end());
  return Result;
}

std::vector<std::string> skippedIn(std::string_view Text) { return wordsBehind("\nskips ", Text); }

std::expected<void, Error> Program::add(std::string_view Text) {
  const std::vector<std::string> Known = namesIn(Text);
  const std::string Name = Known.empty() ? "" : Known[0];
  const std::uint32_t Number = number(Name);
  if (FunctionOf.contains(Number))
    return {};
  Function Result;
  CodeReader Reader(*this, Result);
  unsigned Line = 0;
  while (!Text.empty()) {
    const std::size_t End = std::min(Text.find('\n'), Text.size());
    ++Line;
    if (!Reader.line(Text.substr(0, End)))
      return std::unexpected(Error{
          "the code of " + Name + " has no such instruction: " + std::string(Text.substr(0, End)),
          "line " + std::to_string(Line), "record the program again"});
    Text.remove_prefix(std::min(End + 1, Text.size()));
  }
  if (!Reader.check())
    return std::unexpected(Error{"the code of " + Name + " has a block without an end", "",
                                 "record the program again"});
  if (Known.size() > 1 && Name.contains("__device_stub__"))
    KernelOf.emplace(Number, number(Known[1]));
  for (const std::string &Other : Known)
    FunctionOf.try_emplace(number(Other), Functions.size());
  Functions.push_back(std::move(Result));
  return {};
}

} // namespace ergon::code
