//===- Text.cpp - numbers and names for people ----------------------------===//

#include "predict/text/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ergon {

Prefix prefixFor(double Value) {
  static constexpr const char *Prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
  if (Value == 0 || !std::isfinite(Value))
    return {"", 1};
  const int Thousands = std::clamp(int(std::floor(std::log10(std::abs(Value)) / 3)), -4, 5);
  return {Prefixes[Thousands + 4], std::pow(1000.0, Thousands)};
}

std::string quantity(double Value, const char *Unit) {
  if (Value == 0 || !std::isfinite(Value))
    return fmt::format("{:g} {}", Value, Unit);
  const auto [Name, Factor] = prefixFor(Value);
  return fmt::format("{:.4g} {}{}", Value / Factor, Name, Unit);
}

std::string shortQuantity(double Value, const char *Unit) {
  if (Value == 0 || !std::isfinite(Value))
    return fmt::format("{:g} {}", Value, Unit);
  // What is rounded to 1000 has the next prefix.
  const auto [Name, Factor] = prefixFor(std::strtod(fmt::format("{:.3g}", Value).c_str(), nullptr));
  const double Number = std::abs(Value / Factor);
  return fmt::format("{:.{}f} {}{}", Value / Factor,
                     Number >= 99.95   ? 0
                     : Number >= 9.995 ? 1
                                       : 2,
                     Name, Unit);
}

std::string shortInterval(const Interval &I, const char *Unit) {
  const std::string Value = shortQuantity(I.Value, Unit), Low = shortQuantity(I.Low, Unit);
  if (std::isinf(I.High))
    return fmt::format("{}  ({} or more)", Value, Low);
  const std::string High = shortQuantity(I.High, Unit);
  return Low == High ? Value : fmt::format("{}  ({} … {})", Value, Low, High);
}

std::string shareText(double Share) {
  const double Value = 100 * Share;
  return Value != 0 && Value < 0.05 ? "< 0.1 %" : fmt::format("{:.1f} %", Value);
}

std::string interval(const Interval &I, const char *Unit) {
  const std::string Value = quantity(I.Value, Unit), Low = quantity(I.Low, Unit),
                    High = quantity(I.High, Unit);
  if (std::isinf(I.High))
    return fmt::format("{}  ({} or more)", Value, Low);
  // An interval smaller than the printed digits is not shown.
  if (Low == High)
    return Value;
  return fmt::format("{}  ({} to {})", Value, Low, High);
}

std::string names(const std::map<std::string, Rational> &Values, const SymbolBounds &Bounds) {
  std::string Result;
  for (const auto &[Name, Value] : Values)
    Result += fmt::format("{}{}={}", Result.empty() ? "" : " ", Name, Value.get_str());
  for (const auto &[Name, Range] : Bounds)
    Result += fmt::format("{}{}={}..{}", Result.empty() ? "" : " ", Name, Range.Low.get_str(),
                          Range.High.get_str());
  return Result;
}

std::string clocksText(const Setting &Clocks) {
  return Clocks.MemMhz ? fmt::format("{:g}/{:g}", *Clocks.CoreMhz, *Clocks.MemMhz)
                       : fmt::format("{:g}", *Clocks.CoreMhz);
}

std::string at(const Setting &Clocks) {
  return Clocks.CoreMhz ? fmt::format(" at {} MHz", clocksText(Clocks)) : "";
}

} // namespace ergon
