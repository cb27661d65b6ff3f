//===- PlotAxis.cpp - from values to coordinates of a plot ----------------===//

#include "report/output/PlotAxis.h"
#include "predict/text/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {

/// A twentieth of the range more on each side, but not beyond 0 where that is the end asked for.
/// Ticks are at multiples of 1, 2 or 5 times a power of ten.
void PlotAxis::roundLinear() {
  if (About.FromZero)
    include(0);
  const double Largest = std::max(std::abs(Low), std::abs(High));
  const bool Ends = About.FromZero && Low == 0;
  double Margin = (High - Low) / 20;
  if (!(High - Low > 1e-9 * Largest)) // one value
    Margin = Largest > 1e-290 ? Largest / 2 : 1;
  High += Margin;
  if (!Ends)
    Low -= Margin;
  const double Rough = (High - Low) / 6, Power = std::floor(std::log10(Rough)),
               Digit = Rough / std::pow(10, Power);
  const double Step = std::pow(10, Power) * (Digit <= 1 + 1e-9 ? 1
                                             : Digit <= 2      ? 2
                                             : Digit <= 5      ? 5
                                                               : 10);
  const Prefix Unit = About.Unit.empty() ? Prefix{"", 1} : prefixFor(Largest);
  if (!About.Unit.empty())
    Label += fmt::format(" in {}{}", Unit.Name, About.Unit);
  const double Shown = Step / Unit.Factor;
  const int Digits = std::clamp(int(-std::floor(std::log10(Shown) + 1e-9)), 0, 300);
  for (double Count = std::ceil(Low / Step); Count * Step <= High; ++Count)
    Ticks.push_back({between(Count * Step), Digits > 12 || std::abs(Count * Shown) >= 1e9
                                                ? fmt::format("{:.10g}", Count * Shown)
                                                : fmt::format("{:.{}f}", Count * Shown, Digits)});
}

void PlotAxis::roundDecades() {
  Low = std::floor(Low);
  High = std::max(Low + 1, std::ceil(High));
  for (double Power = Low; Power <= High; ++Power)
    Ticks.push_back({between(Power), fmt::format("1e{:.0f}", Power)});
}

void PlotAxis::finish() {
  if (About.Ticks.empty())
    return About.IsLinear ? roundLinear() : roundDecades();
  for (const double Value : About.Ticks)
    if (shows(Value))
      include(Value);
  if (Low == High)
    Low -= 1, High += 1;
  for (const double Value : About.Ticks)
    if (shows(Value))
      Ticks.push_back({at(Value), fmt::format("{:.10g}", Value)});
}

} // namespace ergon
