//===- Instructions.cpp - executed instructions by kind -------------------===//

#include "model/program/Instructions.h"

#include <charconv>

namespace ergon {

std::string InstructionKind::text() const {
  return Operation + " " + Type + " " + std::to_string(Bits);
}

std::optional<InstructionKind> InstructionKind::parse(std::string_view Text) {
  std::size_t First = Text.find(' '), Second = Text.rfind(' ');
  if (First == std::string_view::npos || First == Second || First == 0)
    return std::nullopt;
  InstructionKind Result{std::string(Text.substr(0, First)),
                         std::string(Text.substr(First + 1, Second - First - 1))};
  const char *Begin = Text.data() + Second + 1, *End = Text.data() + Text.size();
  auto [Rest, Bad] = std::from_chars(Begin, End, Result.Bits);
  return Bad == std::errc() && Rest == End ? std::optional(std::move(Result)) : std::nullopt;
}

InstructionMix &InstructionMix::operator+=(const InstructionMix &Other) {
  Slots += Other.Slots;
  for (const auto &[Kind, Times] : Other.Counts)
    Counts[Kind] += Times;
  return *this;
}

InstructionMix operator*(const InstructionMix &Mix, double Times) {
  InstructionMix Result{Mix.Slots * Times, Mix.Counts};
  for (auto &[Kind, Count] : Result.Counts)
    Count *= Times;
  return Result;
}

} // namespace ergon
