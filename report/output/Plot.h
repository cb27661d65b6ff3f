//===- Plot.h - lines and marks over two axes -------------------*- C++ -*-===//
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ergon {

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

} // namespace ergon
