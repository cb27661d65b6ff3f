//===- LibraryGetopt.cpp - getopt in interpreted code ---------------------===//
//
// POSIX' getopt and GNU's getopt_long, for options that stand before the other arguments: what GNU
// moves to the end stays unknown.
//
//===----------------------------------------------------------------------===//

#include "model/library/LibraryCall.h"

namespace ergon::code {

namespace {
class OptionReader {
public:
  explicit OptionReader(const LibraryCall &Call) : Call(Call), Objects(Call.Now.Objects) {}
  Value next();

private:
  const LibraryCall &Call;
  Memory &Objects;
  std::uint64_t Index = 0;
  std::string Word;

  Value optionText() const { return Value::pointer(Call.Library.OptionText, 0); }
  Value wordAt(std::uint64_t Number) const {
    Value At = Call.argument(1);
    At.Bits += 8 * Number;
    return Objects.load(At, 8);
  }
  void setIndex(std::uint64_t Number) {
    Objects.store(Value::pointer(Call.Library.OptionIndex, 0), 4, Value::integer(Number));
    Call.Now.LettersRead = 0;
  }
  static Value result(int Letter) {
    return Value::integer(lowBits(std::uint64_t(std::int64_t(Letter)), 32));
  }
  Value unknown();
  Value letter(std::string_view Known);
  Value longOption();
  Value found(const Value &Entry, std::int64_t Number, std::size_t NameLength);
};
} // namespace

/// Nothing is known of what getopt writes.
Value OptionReader::unknown() {
  Objects.forget(Value::pointer(Call.Library.OptionIndex, 0));
  Objects.forget(optionText());
  if (Call.Arguments.size() > 4)
    Objects.giveAway(Call.Arguments[4]);
  return Value::unknown();
}

Value OptionReader::next() {
  const Value Count = Call.argument(0),
              Start = Objects.load({Value::pointer(Call.Library.OptionIndex, 0)}, 4);
  auto Known = Objects.text(Call.argument(2));
  if (!Count.isInteger() || !Start.isInteger() || !Known)
    return unknown();
  Index = Start.Bits;
  if (Index >= Count.Bits)
    return result(-1);
  auto Text = Objects.text(wordAt(Index));
  if (!Text)
    return unknown();
  Word = std::move(*Text);
  if (!Word.starts_with('-') || Word == "-") {
    // Options behind it would be moved in front of it.
    for (std::uint64_t Later = Index + 1; Later < Count.Bits; ++Later)
      if (auto Other = Objects.text(wordAt(Later)); !Other || Other->starts_with('-'))
        return unknown();
    return result(-1);
  }
  if (Word == "--") {
    setIndex(Index + 1);
    return result(-1);
  }
  const bool HasLong = Call.Name != "getopt";
  if (HasLong && (Word.starts_with("--") || Call.Name == "getopt_long_only"))
    return longOption();
  return letter(*Known);
}

Value OptionReader::letter(std::string_view Known) {
  if (Known.starts_with('+') || Known.starts_with(':'))
    Known.remove_prefix(1);
  const std::size_t At = 1 + Call.Now.LettersRead;
  const bool IsLast = At + 1 >= Word.size();
  const std::size_t Found = Word[At] == ':' ? Known.npos : Known.find(Word[At]);
  auto Advance = [&] {
    if (IsLast)
      setIndex(Index + 1);
    else
      ++Call.Now.LettersRead;
  };
  if (Found == Known.npos) {
    Advance();
    return result('?');
  }
  const char Letter = Word[At];
  if (Found + 1 >= Known.size() || Known[Found + 1] != ':') {
    Objects.store(optionText(), 8, Value::integer(0));
    Advance();
    return result(Letter);
  }
  Value Text = wordAt(Index);
  Text.Bits += At + 1;
  const bool IsOptional = Found + 2 < Known.size() && Known[Found + 2] == ':';
  if (!IsLast) {
    setIndex(Index + 1);
  } else if (IsOptional) {
    Text = Value::integer(0);
    setIndex(Index + 1);
  } else {
    Text = wordAt(Index + 1);
    setIndex(Index + 2);
    if (!Text.isPointer())
      return result('?');
  }
  Objects.store(optionText(), 8, Text);
  return result(Letter);
}

/// Finds it in the array of `struct option`: name, has_arg, flag, val.
Value OptionReader::longOption() {
  const std::size_t Dashes = Word.starts_with("--") ? 2 : 1;
  const std::size_t End = std::min(Word.find('='), Word.size());
  const std::string Name = Word.substr(Dashes, End - Dashes);
  static constexpr unsigned EntryBytes = 32, MaxEntries = 200;
  Value Entry = Call.argument(3);
  for (std::int64_t Number = 0; Number != MaxEntries; ++Number, Entry.Bits += EntryBytes) {
    const Value Held = Objects.load(Entry, 8);
    if (!Held.isPointer())
      return Held.isInteger() && Name.size() == 1 && Dashes == 1
                 ? letter(*Objects.text(Call.argument(2)))
                 : unknown(); // an abbreviation, or none
    auto Text = Objects.text(Held);
    if (!Text)
      return unknown();
    if (*Text == Name)
      return found(Entry, Number, End);
  }
  return unknown();
}

Value OptionReader::found(const Value &Entry, std::int64_t Number, std::size_t NameLength) {
  auto Field = [&](unsigned Offset, unsigned Bytes) {
    Value At = Entry;
    At.Bits += Offset;
    return Objects.load(At, Bytes);
  };
  const Value Takes = Field(8, 4), Flag = Field(16, 8), What = Field(24, 4);
  if (!Takes.isInteger() || !What.isInteger() || !Flag.isKnown())
    return unknown();
  Value Text = Value::integer(0);
  std::uint64_t After = Index + 1;
  if (NameLength != Word.size()) {
    Text = wordAt(Index);
    Text.Bits += NameLength + 1;
  } else if (Takes.Bits == 1) {
    Text = wordAt(After++);
  }
  setIndex(After);
  Objects.store(optionText(), 8, Text);
  if (const Value At = Call.argument(4); At.isPointer())
    Objects.store(At, 4, Value::integer(std::uint64_t(Number)));
  if (!Flag.isPointer())
    return Value::integer(What.Bits);
  Objects.store(Flag, 4, What);
  return result(0);
}

std::optional<Value> callGetopt(const LibraryCall &Call) {
  if (Call.Name != "getopt" && Call.Name != "getopt_long" && Call.Name != "getopt_long_only")
    return std::nullopt;
  return OptionReader(Call).next();
}

} // namespace ergon::code
