//===- Inputs.cpp - the numbers that calls and launches pass --------------===//

#include "model/code/Inputs.h"

namespace ergon::code {

static Value loadAt(const Value &Address, std::int64_t Offset, unsigned Bytes,
                    const Memory &Objects) {
  return Address.isPointer() && Address.HasOffset ? Objects.load(moved(Address, Offset), Bytes)
                                                  : Value::unknown();
}

/// As many bytes of \p Number as \p I has, with their sign.
static Value inWidthOf(const Input &I, Value Number) {
  if (Number.isInteger() && I.Bytes < 8)
    Number.Bits = I.HasSign ? std::uint64_t(withSign(Number.Bits, 8 * I.Bytes))
                            : lowBits(Number.Bits, 8 * I.Bytes);
  return Number;
}

Value inputOf(const Value &Argument, const Input &I, const Memory &Objects) {
  if (I.Path.empty())
    return inWidthOf(I, Argument);
  Value In = Argument;
  for (std::size_t Step = 0; Step + 1 < I.Path.size(); ++Step)
    In = loadAt(In, I.Path[Step], 8, Objects);
  if (I.Behind == 0)
    return inWidthOf(I, loadAt(In, I.Path.back(), I.Bytes, Objects));
  const auto Distance = bytesBetween(loadAt(In, I.Path.back() - I.Behind, 8, Objects),
                                     loadAt(In, I.Path.back(), 8, Objects));
  return Distance ? Value::integer(std::uint64_t(*Distance) / I.Bytes) : Value::unknown();
}

Value inputAt(const Value &Address, const Input &I, const Memory &Objects) {
  return I.Path.empty() ? inWidthOf(I, loadAt(Address, 0, I.Bytes, Objects))
                        : inputOf(Address, I, Objects);
}

} // namespace ergon::code
