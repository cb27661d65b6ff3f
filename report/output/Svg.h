//===- Svg.h - plots as SVG -------------------------------------*- C++ -*-===//
#pragma once

#include "report/output/Plot.h"

#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// \p Text on one line, with entities for the characters that HTML, SVG and Markdown interpret.
std::string escaped(std::string_view Text);

/// An SVG document: axes, ticks, lines, marks and a legend beside them. Text is escaped, and
/// shortened where it has no room; a label that would cover another is left out. Equal plots give
/// equal bytes. How many points a line has does not matter to the size.
std::string toSvg(const Plot &P);
/// Several plots, one below the other.
std::string toSvg(const std::vector<Plot> &Plots);

/// Bars beside each other's names, with their values as text.
struct Bars {
  struct Bar {
    std::string Label, Value;
    double Size; ///< 0 or above
  };
  std::string Title;
  std::vector<Bar> All;
};
/// An SVG element with a row for each bar; bars are in proportion to the largest of them.
std::string toSvg(const Bars &B);

} // namespace ergon
