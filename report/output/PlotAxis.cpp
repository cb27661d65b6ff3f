//===- PlotAxis.cpp - from values to coordinates of a plot ----------------===//

#include "report/output/PlotAxis.h"
#include "predict/text/Text.h"

#include <fmt/format.h>

namespace ergon {

/// A twentieth of the range more on each side, but not beyond a 0 that was asked for.
void PlotAxis::widen() {
  const double Largest = std::max(std::abs(Low), std::abs(High));
  double Margin = (High - Low) / 20;
  if (!(High - Low > 1e-9 * Largest)) // one value
    Margin = !isLinear() ? 0.3 : Largest > 1e-290 ? Largest / 2 : 1;
  if (!About.FromZero || Low != 0)
    Low -= Margin;
  if (!About.FromZero || High != 0 || Low == 0)
    High += Margin;
}

void PlotAxis::addDecades() {
  Low = std::floor(Low);
  High = std::max(Low + 1, std::ceil(High));
  for (double Power = Low; Power <= High; ++Power)
    Ticks.push_back({between(Power), fmt::format("1e{:.0f}", Power)});
}

/// At multiples of 1, 2 or 5 times a power of ten: about six, with the same number of digits.
void PlotAxis::addMultiples(double Factor) {
  const double From = value(Low), To = value(High), Rough = (To - From) / 6;
  const double Power = std::pow(10, std::floor(std::log10(Rough))), Digit = Rough / Power;
  const double Step = Power * (Digit < 1.5 ? 1 : Digit < 3 ? 2 : Digit < 7 ? 5 : 10);
  const int Digits = std::clamp(int(-std::floor(std::log10(Step / Factor) + 1e-9)), 0, 300);
  for (double Count = std::ceil(From / Step); Count * Step <= To; ++Count) {
    const double Shown = Count * Step / Factor;
    Ticks.push_back({at(Count * Step), Digits > 12 || std::abs(Shown) >= 1e9
                                           ? fmt::format("{:.10g}", Shown)
                                           : fmt::format("{:.{}f}", Shown, Digits)});
  }
}

/// At 1, 2 and 5 in each decade.
void PlotAxis::addDigits(double Factor) {
  for (double Power = std::floor(Low); Power <= High; ++Power)
    for (const double Digit : {1, 2, 5})
      if (const double Position = Power + std::log10(Digit); Position >= Low && Position <= High)
        Ticks.push_back({between(Position), fmt::format("{:.10g}", value(Position) / Factor)});
}

void PlotAxis::finish() {
  for (const double Value : About.Ticks)
    if (shows(Value))
      include(Value);
  if (About.FromZero && isLinear())
    include(0);
  if (About.Kind == Plot::Scale::Decades)
    return addDecades();
  double Factor = 1;
  if (!About.Unit.empty()) {
    const Prefix P = prefixFor(std::max(std::abs(value(Low)), std::abs(value(High))));
    Label += fmt::format(" in {}{}", P.Name, About.Unit);
    Factor = P.Factor;
  }
  if (About.Ticks.empty() || Low == High)
    widen();
  if (!About.Ticks.empty()) {
    for (const double Value : About.Ticks)
      if (shows(Value))
        Ticks.push_back({at(Value), fmt::format("{:.10g}", Value / Factor)});
  } else if (isLinear() || High - Low < 1) {
    addMultiples(Factor);
  } else {
    addDigits(Factor);
  }
}

} // namespace ergon
