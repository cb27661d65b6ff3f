//===- PackedText.cpp - long texts without their repetitions --------------===//

#include "formats/record/PackedText.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ergon {

static constexpr std::string_view Digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
static constexpr char Near = '^', Far = '~', Itself = '!';
static constexpr std::size_t Base = 64, NearWindow = Base * Base, FarWindow = NearWindow * Base;
static constexpr std::size_t MinLength = 5, MaxLength = MinLength + Base - 1;

static bool isContinuation(char C) { return (static_cast<unsigned char>(C) & 0xC0) == 0x80; }
static char exchanged(char C) { return C == '"' ? '\'' : C == '\'' ? '"' : C; }

namespace {
/// Where the beginnings of a text's repetitions stood before.
class Repetitions {
public:
  explicit Repetitions(std::string_view Text)
      : Text(Text), Latest(std::size_t(1) << HashBits, None), Before(Text.size(), None) {}

  struct Found {
    std::size_t Length = 0, Distance = 0;
  };
  /// The longest one that begins at \p At, none shorter than a reference to it.
  Found at(std::size_t At) const;
  /// Later texts may repeat what begins at \p At.
  void add(std::size_t At) {
    if (At + MinLength <= Text.size())
      Before[At] = std::exchange(Latest[hash(At)], std::uint32_t(At));
  }

private:
  static constexpr unsigned HashBits = 15, MaxTried = 24;
  static constexpr std::uint32_t None = ~std::uint32_t(0);

  std::string_view Text;
  std::vector<std::uint32_t> Latest, Before; ///< positions of equal hash, the last first

  std::size_t hash(std::size_t At) const {
    std::uint32_t Sum = 0;
    for (std::size_t I = 0; I != MinLength; ++I)
      Sum = Sum * 257 + static_cast<unsigned char>(Text[At + I]);
    return (Sum * 2654435761U) >> (32 - HashBits); // Knuth's multiplicative hash
  }
};
} // namespace

Repetitions::Found Repetitions::at(std::size_t At) const {
  Found Best;
  if (At + MinLength > Text.size() || isContinuation(Text[At]))
    return Best;
  const std::size_t Most = std::min(MaxLength, Text.size() - At);
  std::uint32_t From = Latest[hash(At)];
  for (unsigned Tried = 0; From != None && Tried != MaxTried; ++Tried, From = Before[From]) {
    const std::size_t Distance = At - From;
    if (Distance > FarWindow || Best.Length == Most)
      break;
    std::size_t Length = 0;
    while (Length != Most && Text[From + Length] == Text[At + Length])
      ++Length;
    while (Length && At + Length != Text.size() && isContinuation(Text[At + Length]))
      --Length;
    const bool IsFurther = Distance > NearWindow && Best.Distance <= NearWindow;
    if (Length > Best.Length + (IsFurther && Best.Length ? 1 : 0))
      Best = {Length, Distance};
  }
  return Best.Length >= MinLength + (Best.Distance > NearWindow) ? Best : Found();
}

std::string packText(std::string_view Text) {
  std::string Result;
  Repetitions Known(Text);
  for (std::size_t At = 0; At != Text.size();) {
    Repetitions::Found Found = Known.at(At);
    Known.add(At);
    if (Found.Length && Known.at(At + 1).Length > Found.Length + 1)
      Found = {}; // a longer one begins with the next character
    if (!Found.Length) {
      const char C = exchanged(Text[At++]);
      if (C == Near || C == Far || C == Itself)
        Result += Itself;
      Result += C;
      continue;
    }
    const std::size_t Distance = Found.Distance - 1;
    const bool IsNear = Distance < NearWindow;
    Result += IsNear ? Near : Far;
    Result += Digits[Found.Length - MinLength];
    if (!IsNear)
      Result += Digits[Distance / NearWindow];
    Result += Digits[Distance / Base % Base];
    Result += Digits[Distance % Base];
    for (std::size_t I = 1; I != Found.Length; ++I)
      Known.add(At + I);
    At += Found.Length;
  }
  return Result;
}

/// The value of each digit; Base of what is none.
static constexpr std::array<std::uint8_t, 256> DigitValues = [] {
  std::array<std::uint8_t, 256> Result{};
  Result.fill(Base);
  for (std::size_t I = 0; I != Base; ++I)
    Result[static_cast<unsigned char>(Digits[I])] = std::uint8_t(I);
  return Result;
}();

/// Appends what the digits of a reference refer to; false where that is nothing.
static bool addRepetition(std::string_view Reference, std::string &To) {
  std::size_t Distance = 0;
  for (const char C : Reference) {
    const std::size_t Digit = DigitValues[static_cast<unsigned char>(C)];
    if (Digit == Base)
      return false;
    Distance = Distance * Base + Digit;
  }
  const std::size_t Window = Reference.size() == 3 ? NearWindow : FarWindow;
  const std::size_t Length = Distance / Window + MinLength, Old = To.size();
  Distance = Distance % Window + 1;
  if (Distance > Old)
    return false;
  To.resize(Old + Length);
  char *const End = To.data() + Old;
  if (Distance >= Length)
    std::copy_n(End - Distance, Length, End);
  else // it repeats itself
    for (std::size_t I = 0; I != Length; ++I)
      End[I] = End[I - std::ptrdiff_t(Distance)];
  return true;
}

std::optional<std::string> unpackText(std::string_view Packed) {
  std::string Result;
  Result.reserve(Packed.size() * 8);
  while (!Packed.empty()) {
    const char C = Packed.front();
    if (C == Near || C == Far) {
      const std::size_t NumDigits = C == Near ? 3 : 4;
      if (Packed.size() <= NumDigits || !addRepetition(Packed.substr(1, NumDigits), Result))
        return std::nullopt;
      Packed.remove_prefix(1 + NumDigits);
      continue;
    }
    if (C == Itself)
      Packed.remove_prefix(1);
    if (Packed.empty())
      return std::nullopt;
    Result += exchanged(Packed.front());
    Packed.remove_prefix(1);
  }
  return Result;
}

} // namespace ergon
