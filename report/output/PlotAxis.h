//===- PlotAxis.h - from values to coordinates of a plot --------*- C++ -*-===//
#pragma once

#include "report/output/Plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ergon {

/// An axis between two coordinates. Its range is what was included, rounded.
class PlotAxis {
public:
  struct Tick {
    double Coordinate;
    std::string Text;
  };
  /// From the coordinate \p Begin to \p End, which may lie before it. \p About must outlive it.
  PlotAxis(const Plot::Axis &About, double Begin, double End)
      : About(About), Begin(Begin), End(End), Label(About.Label) {}

  /// Whether the axis has a place for it.
  bool shows(double Value) const {
    return std::abs(Value) < 1e300 && (isLinear() || Value > 1e-300);
  }
  /// Extends the range to a value that the axis shows.
  void include(double Value) {
    Low = std::min(Low, position(Value));
    High = std::max(High, position(Value));
  }
  /// Nothing is included.
  bool isEmpty() const { return Low > High; }
  /// Fixes the range and the ticks, once something is included.
  void finish();
  /// The coordinate of a value.
  double at(double Value) const { return between(position(Value)); }
  /// In order; their texts may need more room than there is.
  const std::vector<Tick> &ticks() const { return Ticks; }
  /// With the unit.
  const std::string &label() const { return Label; }

private:
  const Plot::Axis &About;
  double Begin, End;
  std::string Label;
  double Low = std::numeric_limits<double>::infinity(), High = -Low; ///< as positions
  std::vector<Tick> Ticks;

  bool isLinear() const { return About.Kind == Plot::Scale::Linear; }
  double position(double Value) const { return isLinear() ? Value : std::log10(Value); }
  double value(double Position) const { return isLinear() ? Position : std::pow(10, Position); }
  double between(double Position) const {
    return Begin + (Position - Low) / (High - Low) * (End - Begin);
  }
  void widen();
  void addDecades();
  void addMultiples(double Factor);
  void addDigits(double Factor);
};

} // namespace ergon
