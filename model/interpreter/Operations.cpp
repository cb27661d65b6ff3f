//===- Operations.cpp - arithmetic of interpreted code --------------------===//

#include "model/interpreter/Operations.h"

#include <cmath>
#include <limits>
#include <optional>

namespace ergon::code {

/// Values of `float` are kept as doubles that a float can hold.
static Value asReal(Type Of, double Number) {
  return Value::real(Of.Bits == 32 ? double(float(Number)) : Number);
}

static Value realBinary(std::string_view Name, Type Of, double Left, double Right) {
  if (Name == "add")
    return asReal(Of, Left + Right);
  if (Name == "sub")
    return asReal(Of, Left - Right);
  if (Name == "mul")
    return asReal(Of, Left * Right);
  if (Name == "sdiv")
    return asReal(Of, Left / Right);
  if (Name == "srem")
    return asReal(Of, std::fmod(Left, Right));
  return Value::unknown();
}

/// Division; nothing where it has no value.
static std::optional<std::uint64_t> divided(std::string_view Name, unsigned Bits,
                                            std::uint64_t Left, std::uint64_t Right) {
  if (Right == 0)
    return std::nullopt;
  if (Name == "udiv")
    return Left / Right;
  if (Name == "urem")
    return Left % Right;
  const std::int64_t Above = withSign(Left, Bits), Below = withSign(Right, Bits);
  if (Below == -1 && Above == std::numeric_limits<std::int64_t>::min())
    return std::nullopt;
  return std::uint64_t(Name == "sdiv" ? Above / Below : Above % Below);
}

static std::optional<std::uint64_t> integerBinary(std::string_view Name, unsigned Bits,
                                                  std::uint64_t Left, std::uint64_t Right) {
  if (Name == "add")
    return Left + Right;
  if (Name == "sub")
    return Left - Right;
  if (Name == "mul")
    return Left * Right;
  if (Name == "and")
    return Left & Right;
  if (Name == "or")
    return Left | Right;
  if (Name == "xor")
    return Left ^ Right;
  if (Name.ends_with("div") || Name.ends_with("rem"))
    return divided(Name, Bits, Left, Right);
  if (Right >= Bits)
    return std::nullopt;
  if (Name == "shl")
    return Left << Right;
  if (Name == "lshr")
    return Left >> Right;
  return std::uint64_t(withSign(Left, Bits) >> Right);
}

/// Differences and sums of pointers, which integers of 64 bits can be.
static Value pointerBinary(std::string_view Name, const Value &Left, const Value &Right) {
  if (Name == "sub" && Left.isPointer() && Right.isPointer() && Left.Object == Right.Object &&
      Left.HasOffset && Right.HasOffset)
    return Value::integer(Left.Bits - Right.Bits);
  Value Result = Left.isPointer() ? Left : Right;
  const Value &Distance = Left.isPointer() ? Right : Left;
  if (Distance.isPointer() || (Name != "add" && (Name != "sub" || !Left.isPointer())))
    return Value::unknown();
  Result.HasOffset &= Distance.isInteger();
  Result.Bits = !Result.HasOffset ? 0
                : Name == "add"   ? Result.Bits + Distance.Bits
                                  : Result.Bits - Distance.Bits;
  return Result;
}

/// Bytes of a result that are known though not all of the operands are: nothing where none is.
static Value partlyKnown(std::string_view Name, unsigned Bytes, const Value &Left,
                         const Value &Right) {
  if (Name == "shl" || Name == "lshr") {
    if (!Right.isInteger() || Right.Bits % 8 != 0 || Right.Bits >= 8 * Bytes)
      return Value::unknown();
    const auto Shifted = std::uint32_t(Right.Bits / 8), All = (1U << Bytes) - 1;
    return Name == "shl"
               ? Value::partly(Left.Bits << Right.Bits,
                               Left.knownBytes() << Shifted | ((1U << Shifted) - 1), Bytes)
               : Value::partly(Left.Bits >> Right.Bits,
                               Left.knownBytes() >> Shifted | ~(All >> Shifted), Bytes);
  }
  if (Name != "and" && Name != "or" && Name != "xor")
    return Value::unknown();
  const auto Bits = integerBinary(Name, 8 * Bytes, Left.Bits, Right.Bits);
  std::uint32_t Known = Left.knownBytes() & Right.knownBytes();
  for (unsigned I = 0; I != Bytes && Name != "xor"; ++I)
    for (const Value &Each : {Left, Right}) // which decides alone
      if (Each.knownBytes() >> I & 1 && (Each.Bits >> (8 * I) & 0xff) == (Name == "and" ? 0 : 0xff))
        Known |= 1U << I;
  return Value::partly(*Bits, Known, Bytes);
}

/// Operations in the order of their table.
static constexpr std::string_view BinaryNames[] = {
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"};

Value binary(std::size_t Operation, Type Of, const Value &Left, const Value &Right) {
  if (Operation >= std::size(BinaryNames))
    return Value::unknown();
  const std::string_view Name = BinaryNames[Operation];
  if (Of.isReal())
    return Left.isReal() && Right.isReal() ? realBinary(Name, Of, Left.number(), Right.number())
                                           : Value::unknown();
  if (Left.isPointer() || Right.isPointer())
    return pointerBinary(Name, Left, Right);
  if (!Left.isInteger() || !Right.isInteger()) {
    // What is known whatever the other is.
    const bool IsZero =
        (Left.isInteger() && Left.Bits == 0) || (Right.isInteger() && Right.Bits == 0);
    // Functions have even addresses: the Itanium C++ ABI tells virtual ones from them so.
    const bool IsEven = Name == "and" && (Left.isFunction() || Right.isFunction()) &&
                        (Left == Value::integer(1) || Right == Value::integer(1));
    if ((IsZero && (Name == "mul" || Name == "and")) || IsEven)
      return Value::integer(0);
    return Of.Bits % 8 == 0 && Of.Bits <= 64 && Left.knownBytes() && Right.knownBytes()
               ? partlyKnown(Name, Of.Bits / 8, Left, Right)
               : Value::unknown();
  }
  auto Result = integerBinary(Name, Of.Bits, Left.Bits, Right.Bits);
  return Result ? Value::integer(lowBits(*Result, Of.Bits)) : Value::unknown();
}

static constexpr std::string_view CompareNames[] = {"eq",  "ne",  "ugt", "uge", "ult", "ule", "sgt",
                                                    "sge", "slt", "sle", "oeq", "ogt", "oge", "olt",
                                                    "ole", "one", "ord", "uno", "ueq", "une"};

static bool compareReals(std::string_view Name, double A, double B) {
  const bool Unordered = std::isnan(A) || std::isnan(B);
  if (Name == "ord" || Name == "uno")
    return Unordered == (Name == "uno");
  if (Unordered)
    return Name.starts_with('u');
  const std::string_view How = Name.substr(1);
  return How == "eq"   ? A == B
         : How == "ne" ? A != B
         : How == "gt" ? A > B
         : How == "ge" ? A >= B
         : How == "lt" ? A < B
                       : A <= B;
}

static bool compareIntegers(std::string_view Name, unsigned Bits, std::uint64_t A,
                            std::uint64_t B) {
  if (Name == "eq" || Name == "ne")
    return (A == B) == (Name == "eq");
  const std::string_view How = Name.substr(1);
  auto Ordered = [&](auto Left, auto Right) {
    return How == "gt"   ? Left > Right
           : How == "ge" ? Left >= Right
           : How == "lt" ? Left < Right
                         : Left <= Right;
  };
  return Name.starts_with('u') ? Ordered(A, B) : Ordered(withSign(A, Bits), withSign(B, Bits));
}

/// Two pointers, or a pointer and null.
static Value comparePointers(std::string_view Name, const Value &Left, const Value &Right) {
  const bool IsEqual = Name == "eq";
  if (Left.isPointer() != Right.isPointer()) {
    const Value &Other = Left.isPointer() ? Right : Left;
    const bool CanTell = Other.isInteger() && Other.Bits == 0 && !Name.starts_with('s');
    return CanTell ? Value::integer(compareIntegers(Name, 1, Left.isPointer(), Right.isPointer()))
                   : Value::unknown();
  }
  if (!Left.HasOffset || !Right.HasOffset)
    return Value::unknown();
  if (Left.Object != Right.Object)
    return IsEqual || Name == "ne" ? Value::integer(!IsEqual) : Value::unknown();
  const std::int64_t A = Left.offset(), B = Right.offset();
  const std::string_view How = Name.size() == 3 ? Name.substr(1) : Name;
  return Value::integer(How == "eq"   ? A == B
                        : How == "ne" ? A != B
                        : How == "gt" ? A > B
                        : How == "ge" ? A >= B
                        : How == "lt" ? A < B
                                      : A <= B);
}

/// A function and null, or itself: a function may have two names.
static Value compareFunctions(std::string_view Name, const Value &Left, const Value &Right) {
  const Value &Other = Left.isFunction() ? Right : Left;
  const bool AreSame = Other.isFunction() && Left.Object == Right.Object;
  if ((Name != "eq" && Name != "ne") || !(AreSame || (Other.isInteger() && Other.Bits == 0)))
    return Value::unknown();
  return Value::integer(AreSame == (Name == "eq"));
}

Value compare(std::size_t Operation, Type Of, const Value &Left, const Value &Right) {
  const std::size_t Index = Operation - std::size(BinaryNames);
  if (Index >= std::size(CompareNames) || !Left.isKnown() || !Right.isKnown())
    return Value::unknown();
  const std::string_view Name = CompareNames[Index];
  if (Of.isReal())
    return Left.isReal() && Right.isReal()
               ? Value::integer(compareReals(Name, Left.number(), Right.number()))
               : Value::unknown();
  if (Left.isPointer() || Right.isPointer())
    return comparePointers(Name, Left, Right);
  if (Left.isFunction() || Right.isFunction())
    return compareFunctions(Name, Left, Right);
  if (!Left.isInteger() || !Right.isInteger())
    return Value::unknown();
  return Value::integer(compareIntegers(Name, Of.Bits, Left.Bits, Right.Bits));
}

/// A real number's whole part, in an integer of \p Bits bits.
static Value wholePart(double Number, unsigned Bits, bool IsSigned) {
  const double Limit = std::ldexp(1.0, int(Bits) - (IsSigned ? 1 : 0));
  const double Whole = std::trunc(Number);
  if (!(Whole < Limit) || !(Whole >= (IsSigned ? -Limit : 0.0)))
    return Value::unknown();
  return Value::integer(
      lowBits(IsSigned ? std::uint64_t(std::int64_t(Whole)) : std::uint64_t(Whole), Bits));
}

Value cast(std::size_t Operation, Type From, Type To, const Value &What) {
  static const std::size_t First = operationOf("zext");
  static constexpr std::string_view Names[] = {"zext",   "sext",   "trunc",   "fptosi", "fptoui",
                                               "sitofp", "uitofp", "fptrunc", "fpext"};
  if (Operation - First >= std::size(Names))
    return Value::unknown();
  const std::string_view Name = Names[Operation - First];
  if (Name.starts_with("fp")) {
    if (!What.isReal())
      return Value::unknown();
    return To.isReal() ? asReal(To, What.number())
                       : wholePart(What.number(), To.Bits, Name == "fptosi");
  }
  if (const std::uint32_t Known = What.isInteger() ? 0 : What.knownBytes()) {
    const unsigned Bytes = (To.Bits + 7) / 8, Had = From.Bits / 8;
    if (Name == "trunc" && (Known & ((1U << Bytes) - 1)) == (1U << Bytes) - 1)
      return Value::integer(lowBits(What.Bits, To.Bits));
    return Name == "zext" && 8 * Had == From.Bits && 8 * Bytes == To.Bits
               ? Value::partly(What.Bits, Known | ~((1U << Had) - 1), Bytes)
               : Value::unknown();
  }
  if (!What.isInteger())
    return (What.isPointer() || What.isFunction()) && From.Bits == 64 && To.Bits == 64
               ? What
               : Value::unknown();
  if (Name == "sitofp")
    return asReal(To, To.Bits == 32 ? float(withSign(What.Bits, From.Bits))
                                    : double(withSign(What.Bits, From.Bits)));
  if (Name == "uitofp")
    return asReal(To, To.Bits == 32 ? float(What.Bits) : double(What.Bits));
  return Value::integer(
      lowBits(Name == "sext" ? std::uint64_t(withSign(What.Bits, From.Bits)) : What.Bits, To.Bits));
}

} // namespace ergon::code
