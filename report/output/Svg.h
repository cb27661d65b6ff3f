//===- Svg.h - plots as SVG -------------------------------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// \p Text on one line, with entities for the characters that HTML, SVG and Markdown interpret.
std::string escaped(std::string_view Text);

/// Points and lines over two logarithmic axes: values above 0, others are left out.
struct Plot {
  using Point = std::pair<double, double>;
  struct Line {
    std::string Label;
    std::vector<Point> Points;
  };
  struct Mark {
    std::string Label;
    Point Position;
    bool IsStrong = true; ///< filled
  };
  std::string Title, XLabel, YLabel;
  std::vector<Line> Lines;
  std::vector<Mark> Marks;
};
/// An SVG element with axes, ticks, lines and marks. Text is escaped; equal plots give equal bytes.
std::string toSvg(const Plot &P);

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
