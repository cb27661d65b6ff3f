//===- Svg.h - plots as SVG -------------------------------------*- C++ -*-===//
#ifndef ERGON_REPORT_OUTPUT_SVG_H
#define ERGON_REPORT_OUTPUT_SVG_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// \p Text with what HTML, SVG and Markdown read as theirs written as entities, on one line.
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
    Point At;
    bool IsStrong = true; ///< filled
  };
  std::string Title, XLabel, YLabel;
  std::vector<Line> Lines;
  std::vector<Mark> Marks;
};
std::string toSvg(const Plot &Of);

/// Bars beside each other's names, with their values as text.
struct Bars {
  struct Bar {
    std::string Label, Value;
    double Size; ///< 0 or above
  };
  std::string Title;
  std::vector<Bar> All;
};
std::string toSvg(const Bars &Of);

} // namespace ergon

#endif
