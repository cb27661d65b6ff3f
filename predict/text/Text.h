//===- Text.h - numbers and names for people --------------------*- C++ -*-===//

#pragma once

#include "model/energy/Cost.h"
#include "model/symbolic/Wording.h" // joined

#include <map>
#include <string>
#include <vector>

namespace ergon {

/// A prefix of the SI, `m`, and what it stands for, 1e-3.
struct Prefix {
  const char *Name;
  double Factor;
};
/// The one with which \p Value has one to three digits before the point; none for 0.
Prefix prefixFor(double Value);
/// `1.23 ms`: four digits and a prefix of the SI.
std::string quantity(double Value, const char *Unit);
/// `698 mJ`: three digits and a prefix of the SI, for headlines and tables.
std::string shortQuantity(double Value, const char *Unit);
/// `1.83 J  (1.62 J … 2.1 J)`, `1.83 J  (1.62 J or more)`; the value alone where the interval is
/// narrower than these digits.
std::string shortInterval(const Interval &I, const char *Unit);
/// `12.3 %`, `< 0.1 %`; \p Share is 0 to 1.
std::string shareText(double Share);
/// quantity() with the interval where there is one: `1.2 ms  (1 ms to 1.5 ms)`.
std::string interval(const Interval &I, const char *Unit);
/// `852/924`, or `852` where there is no clock of memory; MHz. \p Clocks has one of the core.
std::string clocksText(const Setting &Clocks);
/// ` at 852/924 MHz`; empty for a setting without clocks.
std::string at(const Setting &Clocks);
/// `m=3 n=4096 k=1..5`.
std::string names(const std::map<std::string, Rational> &Values, const SymbolBounds &Bounds = {});

} // namespace ergon
