//===- LibraryFortran.cpp - flang's runtime in interpreted code -----------===//
//
// How a program of Fortran reads its command line: a word is copied to a variable of characters,
// and a number read from there; how it compares texts (flang/Runtime/command.h, io-api.h,
// character.h).
//
//===----------------------------------------------------------------------===//

#include "model/library/LibraryCall.h"
#include "model/library/NumberTexts.h"

#include <algorithm>
#include <array>

namespace ergon::code {

/// Where the object of the command line has what main() was called with.
static constexpr std::int64_t WordCountAt = 0, WordsAt = 8;
/// Where an array's descriptor has the address and the size of an element.
static constexpr std::int64_t ElementsAt = 0, ElementSizeAt = 8;
/// Where the object of an internal READ has the text, its length, and how much of it was read;
/// unknown where nobody knows what was.
static constexpr std::int64_t InputAt = 0, InputLengthAt = 8, InputReadAt = 16;

/// Fills \p To, a variable of \p Size characters.
static void assignPadded(Memory &Objects, const Value &To, const Value &Size,
                         const std::optional<std::string> &Text) {
  static constexpr std::uint64_t MaxSize = 1 << 12;
  if (!Text || !Size.isInteger() || Size.Bits > MaxSize)
    return Objects.forget(To);
  std::string Filled = *Text;
  Filled.resize(Size.Bits, ' ');
  Objects.writeBytes(To, Filled);
}

/// Less than, equal to or greater than 0, as a text compares with another; the shorter one counts
/// as filled with blanks.
static std::optional<Value> callCompare(const LibraryCall &Call) {
  static constexpr std::uint64_t MaxSize = 1 << 12;
  if (Call.Name != "_FortranACharacterCompareScalar1")
    return std::nullopt;
  const Value Lengths[] = {Call.argument(2), Call.argument(3)};
  if (!std::ranges::all_of(
          Lengths, [](const Value &Each) { return Each.isInteger() && Each.Bits <= MaxSize; }))
    return Value::unknown();
  for (std::uint64_t I = 0; I != std::max(Lengths[0].Bits, Lengths[1].Bits); ++I) {
    std::array<Value, 2> Letters;
    for (unsigned Text : {0, 1})
      Letters[Text] = I < Lengths[Text].Bits
                          ? Call.Now.Objects.load(moved(Call.argument(Text), std::int64_t(I)), 1)
                          : Value::integer(' ');
    if (!Letters[0].isInteger() || !Letters[1].isInteger())
      return Value::unknown();
    if (Letters[0].Bits != Letters[1].Bits)
      return Call.returned(Letters[0].Bits < Letters[1].Bits ? -1 : 1);
  }
  return Call.returned(0);
}

static std::optional<Value> callCommandLine(const LibraryCall &Call) {
  Memory &Objects = Call.Now.Objects;
  const Value CommandLine = Value::pointer(Call.Library.CommandLine, 0);
  if (Call.Name == "_FortranAProgramStart") {
    Objects.store(moved(CommandLine, WordCountAt), 4, Call.argument(0));
    Objects.store(moved(CommandLine, WordsAt), 8, Call.argument(1));
    return Value::unknown();
  }
  const Value Count = Objects.load(moved(CommandLine, WordCountAt), 4);
  if (Call.Name == "_FortranAArgumentCount")
    return Count.isInteger() ? Call.returned(withSign(Count.Bits, 32) - 1) : Value::unknown();
  if (Call.Name != "_FortranAGetCommandArgument")
    return std::nullopt;
  const Value Number = Call.argument(0);
  std::optional<std::string> Word;
  // The program's own name is not known.
  if (Number.isInteger() && Count.isInteger() && Number.Bits != 0 && Number.Bits < Count.Bits)
    Word = Objects.text(Objects.load(
        moved(Objects.load(moved(CommandLine, WordsAt), 8), std::int64_t(8 * Number.Bits)), 8));
  auto Result = Word ? Call.returned(0) : Value::unknown();
  for (std::size_t I : {1U, 2U, 3U}) {
    const Value Descriptor = Call.argument(I);
    if (Descriptor == Value::integer(0)) // not asked for
      continue;
    const Value To = Objects.load(moved(Descriptor, ElementsAt), 8),
                Size = Objects.load(moved(Descriptor, ElementSizeAt), 8);
    if (I == 1) {
      assignPadded(Objects, To, Size, Word);
      if (!Word || !Size.isInteger())
        Result = Value::unknown();
      else if (Size.Bits < Word->size())
        Result = Call.returned(-1);
    } else if (I == 2 && Word && Size.isInteger() && Size.Bits <= 8) {
      Objects.store(To, unsigned(Size.Bits), Value::integer(Word->size()));
    } else if (I == 2 || Result != Call.returned(0)) {
      Objects.forget(To);
    }
  }
  return Result;
}

/// The next item of a list-directed READ, behind which \p Rest then begins. Nothing for what is
/// more than letters and digits: a text in quotes, a value that is repeated or left out.
static std::optional<std::string> nextListItem(std::string_view &Rest) {
  Rest.remove_prefix(std::min(Rest.find_first_not_of(" \t"), Rest.size()));
  const std::string_view Item = Rest.substr(0, Rest.find_first_of(" \t,/"));
  if (Item.empty() || Item.find_first_of("*'\"(&;\n") != std::string_view::npos)
    return std::nullopt;
  Rest.remove_prefix(Item.size());
  Rest.remove_prefix(std::min(Rest.find_first_not_of(" \t"), Rest.size()));
  if (Rest.starts_with(','))
    Rest.remove_prefix(1);
  return std::string(Item);
}

static Value realOf(std::string Item, bool IsFloat) {
  for (char &C : Item)
    C = C == 'd' || C == 'D' ? 'e' : C;
  const auto Read = readReal(Item, IsFloat);
  return Read && Read->IsNumber && Read->Length == Item.size() ? Value::real(Read->Number)
                                                               : Value::unknown();
}

static Value integerOf(const std::string &Item, unsigned Bytes) {
  const auto Read = readInteger(Item, 10);
  return Read && Read->IsNumber && Read->Length == Item.size() &&
                 withSign(std::uint64_t(Read->Number), 8 * Bytes) == Read->Number
             ? Value::integer(lowBits(std::uint64_t(Read->Number), 8 * Bytes))
             : Value::unknown();
}

static std::optional<Value> callRead(const LibraryCall &Call) {
  Memory &Objects = Call.Now.Objects;
  const Value Cookie = Call.argument(0);
  if (Call.Name == "_FortranAioBeginInternalListInput") {
    const Value New = Value::pointer(Objects.add(Object()), 0);
    Objects.store(moved(New, InputAt), 8, Call.argument(0));
    Objects.store(moved(New, InputLengthAt), 8, Call.argument(1));
    Objects.store(moved(New, InputReadAt), 8, Value::integer(0));
    return New;
  }
  if (!Cookie.isPointer()) // of another statement
    return std::nullopt;
  const Value Length = Objects.load(moved(Cookie, InputLengthAt), 8),
              Done = Objects.load(moved(Cookie, InputReadAt), 8);
  if (Call.Name == "_FortranAioEnableHandlers")
    return Value::unknown();
  if (Call.Name == "_FortranAioEndIoStatement")
    return Done.isInteger() ? Call.returned(0) : Value::unknown();
  const bool IsInteger = Call.Name == "_FortranAioInputInteger",
             IsFloat = Call.Name == "_FortranAioInputReal32",
             IsText = Call.Name == "_FortranAioInputAscii";
  if (!IsInteger && !IsFloat && !IsText && Call.Name != "_FortranAioInputReal64")
    return std::nullopt;
  std::optional<std::string> Text, Item;
  if (Length.isInteger() && Done.isInteger() && Done.Bits <= Length.Bits)
    Text = Objects.bytes(Objects.load(moved(Cookie, InputAt), 8), Length.Bits);
  std::string_view Rest = Text ? std::string_view(*Text).substr(Done.Bits) : std::string_view();
  Item = nextListItem(Rest);
  const Value To = Call.argument(1), Size = Call.argument(2);
  if (IsText) {
    assignPadded(Objects, To, Size, Item);
  } else {
    const unsigned Bytes = IsInteger ? unsigned(Size.Bits) : IsFloat ? 4 : 8;
    const Value Number = !Item || (IsInteger && (!Size.isInteger() || Size.Bits > 8)) ? Value()
                         : IsInteger ? integerOf(*Item, Bytes)
                                     : realOf(*Item, IsFloat);
    if (!Number.isKnown())
      Item.reset();
    if (Item)
      Objects.store(To, Bytes, Number);
    else
      Objects.forget(To);
  }
  Objects.store(moved(Cookie, InputReadAt), 8,
                Item ? Value::integer(Length.Bits - Rest.size()) : Value::unknown());
  return Item ? Call.returned(1) : Value::unknown();
}

std::optional<Value> callFortran(const LibraryCall &Call) {
  if (!Call.Name.starts_with("_FortranA"))
    return std::nullopt;
  for (auto Try : {callCompare, callCommandLine, callRead})
    if (auto Result = Try(Call))
      return Result;
  return std::nullopt;
}

} // namespace ergon::code
