//===- Svg.h - plots as SVG -------------------------------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// \p Text on one line, with entities for the characters that HTML, SVG and Markdown interpret.
std::string escaped(std::string_view Text);

/// Lines and marks over two axes. What an axis cannot show is left out: infinities, and values of 0
/// and below on a logarithmic axis.
struct Plot {
  using Point = std::pair<double, double>;
  enum class Scale { Decades, Logarithmic, Linear };
  struct Axis {
    std::string Label;
    /// Of the values, with a prefix of the SI that fits them: `time in ms`. Empty, and on whole
    /// decades: none.
    std::string Unit = "";
    Scale Kind = Scale::Decades;
    bool FromZero = false;          ///< a linear axis has 0 too
    std::vector<double> Ticks = {}; ///< empty: round numbers
  };
  struct Line {
    std::string Label;              ///< in the legend; empty: not there
    std::vector<Point> Points = {}; ///< the line has a gap where one cannot be shown
    bool IsStep = false;            ///< each value holds up to the next point
    bool IsThin = false;            ///< dashed, in the colour of the line before
  };
  enum class Shape { Dot, Ring, Disc, Cross, Chosen };
  struct Mark {
    std::string Label;
    Point Position;
    Shape Drawn = Shape::Disc;
    std::string Note = ""; ///< shown where a mouse rests on it
  };
  std::string Title;
  Axis X, Y;
  std::vector<Line> Lines = {};
  std::vector<Mark> Marks = {}; ///< the first are labelled first, and lie above the others
  std::vector<std::pair<Shape, std::string>> Meanings = {}; ///< of marks, in the legend
};
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
