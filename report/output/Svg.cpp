//===- Svg.cpp - plots as SVG ---------------------------------------------===//

#include "report/output/Svg.h"
#include "formats/json/PlainText.h"
#include "report/output/PlotAxis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

namespace ergon {

std::string escaped(std::string_view Text) {
  static constexpr std::string_view Special = "&<>\"'`|\\*_[]()#~!$:@";
  std::string Result;
  for (const char C : plainText(Text))
    if (C == '\t')
      Result += ' ';
    else if (Special.contains(C))
      Result += fmt::format("&#{};", int(C));
    else
      Result += C;
  return Result;
}

static constexpr double Width = 720, Height = 440, Left = 80, Right = 20, Top = 40, Bottom = 60;
static constexpr double LetterWidth = 6.7, LetterHeight = 12; // of the 12 pixel font, about
// Okabe and Ito's colours, which are told apart without red or green.
static constexpr std::array Colors = {"#0072b2", "#d55e00", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9"};
// Of lines beyond the first six.
static constexpr std::array Dashes = {"", "8 4", "2 4", "8 4 2 4"};

/// The number of letters of UTF-8.
static std::size_t lengthOf(std::string_view Text) {
  return std::size_t(std::ranges::count_if(
      Text, [](char C) { return (static_cast<unsigned char>(C) & 0xc0) != 0x80; }));
}

/// At most \p Most letters of \p Text, the last one `…` where some are left out.
static std::string shortened(std::string_view Text, std::size_t Most) {
  std::string Plain = plainText(Text);
  if (lengthOf(Plain) <= Most)
    return Plain;
  std::size_t End = 0;
  for (std::size_t Letters = 0; Letters + 1 < Most; ++Letters)
    End += std::max<std::size_t>(firstCharacter(std::string_view(Plain).substr(End)).Bytes, 1);
  return Plain.substr(0, End) + "…";
}

static double widthOf(std::string_view Text) { return LetterWidth * double(lengthOf(Text)); }

static std::string text(double X, double Y, std::string_view Anchor, std::string_view Text,
                        std::string_view More = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", X, Y,
                     Anchor, More, escaped(Text));
}

static std::string frame(double Tall, std::string_view Title, const std::string &Inside) {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                     "width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"sans-serif\" "
                     "font-size=\"12\" role=\"img\">\n<title>{2}</title>\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{3}{4}</svg>\n",
                     Width, Tall, escaped(Title),
                     text(Width / 2, 24, "middle", shortened(Title, 84), " font-size=\"15\""),
                     Inside);
}

//===----------------------------------------------------------------------===//
// Plots
//===----------------------------------------------------------------------===//

namespace {
struct Box {
  double Left, Top, Right, Bottom;
  bool meets(const Box &Other) const {
    return Left < Other.Right && Other.Left < Right && Top < Other.Bottom && Other.Top < Bottom;
  }
};

/// One plot while it is drawn.
class Drawing {
public:
  explicit Drawing(const Plot &P);
  std::string draw();

private:
  const Plot &P;
  double LegendWidth; ///< 0: there is none
  PlotAxis X, Y;
  std::string Result;

  double areaEnd() const { return Width - Right - LegendWidth; }
  bool isShown(const Plot::Point &Location) const {
    return X.shows(Location.first) && Y.shows(Location.second);
  }
  void drawTicks();
  void drawLine(const Plot::Line &Line, const std::string &Look);
  void drawPath(const std::vector<Plot::Point> &Corners, const std::string &Look);
  void drawLines();
  void drawShape(Plot::Shape Drawn, double AtX, double AtY, std::string_view Note);
  void drawMarks();
  void drawLabels();
  void drawLegend();
};
} // namespace

static constexpr std::size_t MaxLegendLetters = 32;
static constexpr double LegendRow = 17, LegendSample = 24;

/// Wide enough for the longest label, or 0.
static double legendWidth(const Plot &P) {
  double Longest = 0;
  auto Add = [&](const std::string &Label) {
    Longest = std::max(Longest, widthOf(shortened(Label, MaxLegendLetters)));
  };
  for (const Plot::Line &Line : P.Lines)
    Add(Line.Label);
  for (const auto &[Drawn, Meaning] : P.Meanings)
    Add(Meaning);
  return Longest > 0 ? std::round(Longest) + LegendSample + 20 : 0;
}

Drawing::Drawing(const Plot &P)
    : P(P), LegendWidth(legendWidth(P)), X(P.X, Left, areaEnd()), Y(P.Y, Height - Bottom, Top) {
  auto Include = [&](const Plot::Point &Location) {
    if (isShown(Location)) {
      X.include(Location.first);
      Y.include(Location.second);
    }
  };
  for (const Plot::Line &Line : P.Lines)
    std::ranges::for_each(Line.Points, Include);
  for (const Plot::Mark &Mark : P.Marks)
    Include(Mark.Position);
}

/// Ticks whose text would touch the one before have neither.
void Drawing::drawTicks() {
  double Until = -1;
  for (const auto &[Coordinate, Text] : X.ticks()) {
    const double Half = widthOf(Text) / 2 + 3;
    if (Coordinate - Half < Until)
      continue;
    Until = Coordinate + Half;
    Result += fmt::format("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#dddddd\"/>\n", Coordinate, Top,
                          Height - Bottom);
    Result += text(Coordinate, Height - Bottom + 18, "middle", Text);
  }
  double Above = Height;
  for (const auto &[Coordinate, Text] : Y.ticks()) {
    if (Coordinate + LetterHeight > Above)
      continue;
    Above = Coordinate;
    Result += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#dddddd\"/>\n", Left, Coordinate,
                          areaEnd());
    Result += text(Left - 8, Coordinate + 4, "end", Text);
  }
  Result += text((Left + areaEnd()) / 2, Height - 14, "middle", X.label());
  Result += text(
      0, 0, "middle", Y.label(),
      fmt::format(" transform=\"translate(18 {:.1f}) rotate(-90)\"", (Top + Height - Bottom) / 2));
}

/// Of corners in one column of tenths of a pixel the first, lowest, highest and last are enough.
void Drawing::drawPath(const std::vector<Plot::Point> &Corners, const std::string &Look) {
  std::string Path;
  std::string Before;
  auto Add = [&](const Plot::Point &Corner) {
    const std::string Next = fmt::format("{:.1f} {:.1f}", Corner.first, Corner.second);
    if (Next != Before)
      Path += (Path.empty() ? "M" : "L") + Next;
    Before = Next;
  };
  auto Column = [](const Plot::Point &Corner) { return std::round(Corner.first * 10); };
  for (auto First = Corners.begin(); First != Corners.end();) {
    const auto End = std::find_if(First, Corners.end(), [&](const Plot::Point &Corner) {
      return Column(Corner) != Column(*First);
    });
    const auto [Low, High] = std::ranges::minmax_element(First, End, {}, &Plot::Point::second);
    Add(*First);
    Add(*Low);
    Add(*High);
    Add(*std::prev(End));
    First = End;
  }
  if (Path.contains('L'))
    Result +=
        fmt::format("<path d=\"{}\" fill=\"none\" stroke-linejoin=\"round\" {}/>\n", Path, Look);
  else if (!Path.empty()) // one point between gaps
    Result += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"none\" {}/>\n",
                          Corners.front().first, Corners.front().second, Look);
}

void Drawing::drawLine(const Plot::Line &Line, const std::string &Look) {
  std::vector<Plot::Point> Corners;
  for (const Plot::Point &Point : Line.Points) {
    if (!isShown(Point)) {
      drawPath(Corners, Look);
      Corners.clear();
      continue;
    }
    const Plot::Point Corner = {X.at(Point.first), Y.at(Point.second)};
    if (Line.IsStep && !Corners.empty())
      Corners.emplace_back(Corner.first, Corners.back().second);
    Corners.push_back(Corner);
  }
  drawPath(Corners, Look);
}

/// The stroke of a line, of which so many up to this one are not thin.
static std::string lookOf(const Plot::Line &Line, std::size_t Number) {
  const std::size_t Index = Number - std::min<std::size_t>(Number, 1);
  const std::string_view Dash = Line.IsThin ? "4 3" : Dashes[Index / Colors.size() % Dashes.size()];
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", Colors[Index % Colors.size()],
                     Line.IsThin ? 1 : 2,
                     Dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", Dash));
}

void Drawing::drawLines() {
  std::size_t Number = 0;
  for (const Plot::Line &Line : P.Lines) {
    Number += !Line.IsThin;
    drawLine(Line, lookOf(Line, Number));
  }
}

void Drawing::drawShape(Plot::Shape Drawn, double AtX, double AtY, std::string_view Note) {
  const std::string Title = Note.empty() ? "" : fmt::format("<title>{}</title>", escaped(Note));
  if (Drawn == Plot::Shape::Cross) {
    Result += fmt::format("<path d=\"M{:.1f} {:.1f}l16 16m0 -16l-16 16\" fill=\"none\" "
                          "stroke=\"#0072b2\" stroke-width=\"2.5\">{}</path>\n",
                          AtX - 8, AtY - 8, Title);
    return;
  }
  struct Look {
    double Radius;
    const char *Fill, *Stroke;
  };
  static constexpr Look Looks[] = {{2, "#999999", "#999999"},
                                   {4, "#ffffff", "#000000"},
                                   {4, "#000000", "#000000"},
                                   {0, "", ""}, // a cross
                                   {6, "#d55e00", "#000000"}};
  const Look &L = Looks[std::size_t(Drawn)];
  Result += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" "
                        "stroke=\"{}\">{}</circle>\n",
                        AtX, AtY, L.Radius, L.Fill, L.Stroke, Title);
}

void Drawing::drawMarks() {
  for (const Plot::Mark &Mark : P.Marks | std::views::reverse)
    if (isShown(Mark.Position))
      drawShape(Mark.Drawn, X.at(Mark.Position.first), Y.at(Mark.Position.second), Mark.Note);
}

/// Beside its mark, at the first place where a label covers no mark and no other label.
void Drawing::drawLabels() {
  struct Place {
    double Right, Down; ///< from the mark
    const char *Anchor;
    double Share; ///< of the text that is left of the anchor
  };
  static constexpr Place Places[] = {
      {10, 4, "start", 0},    {10, -1, "start", 0}, {8, -9, "start", 0}, {8, 18, "start", 0},
      {-10, 4, "end", 1},     {-10, -1, "end", 1},  {-8, -9, "end", 1},  {-8, 18, "end", 1},
      {0, -11, "middle", .5}, {0, 21, "middle", .5}};
  std::vector<Box> Taken;
  for (const Plot::Mark &Mark : P.Marks)
    if (isShown(Mark.Position)) {
      const double AtX = X.at(Mark.Position.first), AtY = Y.at(Mark.Position.second);
      Taken.push_back({AtX - 4, AtY - 4, AtX + 4, AtY + 4});
    }
  for (const Plot::Mark &Mark : P.Marks) {
    if (Mark.Label.empty() || !isShown(Mark.Position))
      continue;
    const std::string Label = shortened(Mark.Label, 60);
    const double AtX = X.at(Mark.Position.first), AtY = Y.at(Mark.Position.second);
    for (const Place &Try : Places) {
      const double Begin = AtX + Try.Right - Try.Share * widthOf(Label);
      const Box Own = {Begin, AtY + Try.Down - LetterHeight + 2, Begin + widthOf(Label),
                       AtY + Try.Down + 3};
      if (Own.Left < Left || Own.Right > areaEnd() || Own.Top < Top ||
          Own.Bottom > Height - Bottom ||
          std::ranges::any_of(Taken, [&](const Box &Other) { return Own.meets(Other); }))
        continue;
      Taken.push_back(Own);
      Result += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                            "fill=\"#ffffff\" fill-opacity=\"0.7\"/>\n",
                            Own.Left, Own.Top, Own.Right - Own.Left, Own.Bottom - Own.Top);
      Result += text(AtX + Try.Right, AtY + Try.Down, Try.Anchor, Label);
      break;
    }
  }
}

void Drawing::drawLegend() {
  const double Begin = areaEnd() + 14;
  std::size_t Row = 0, Left = 0;
  const auto MostRows = std::size_t((Height - Top - Bottom) / LegendRow);
  auto Add = [&](const std::string &Label, auto Sample) {
    if (Row == MostRows) {
      ++Left;
      return;
    }
    const double AtY = Top + 10 + LegendRow * double(Row++);
    Sample(AtY);
    Result += text(Begin + LegendSample, AtY + 4, "start", shortened(Label, MaxLegendLetters));
  };
  std::size_t Number = 0;
  for (const Plot::Line &Line : P.Lines) {
    Number += !Line.IsThin;
    if (!Line.Label.empty())
      Add(Line.Label, [&](double AtY) {
        Result += fmt::format("<path d=\"M{:.1f} {:.1f}h18\" fill=\"none\" {}/>\n", Begin, AtY,
                              lookOf(Line, Number));
      });
  }
  for (const auto &[Drawn, Meaning] : P.Meanings)
    Add(Meaning, [&](double AtY) { drawShape(Drawn, Begin + 9, AtY, ""); });
  if (Left)
    Result += text(Begin + LegendSample, Top + 10 + LegendRow * double(Row) + 4, "start",
                   fmt::format("and {} more", Left));
}

std::string Drawing::draw() {
  if (X.isEmpty())
    return frame(Height, P.Title,
                 text(Width / 2, Height / 2, "middle", "nothing is known to show here"));
  X.finish();
  Y.finish();
  drawTicks();
  drawLines();
  drawMarks();
  drawLabels();
  drawLegend();
  return frame(Height, P.Title, Result);
}

std::string toSvg(const Plot &P) { return Drawing(P).draw(); }

std::string toSvg(const std::vector<Plot> &Plots) {
  if (Plots.size() == 1)
    return toSvg(Plots.front());
  std::string Inside;
  for (std::size_t I = 0; I != Plots.size(); ++I)
    Inside += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", Height * double(I),
                          toSvg(Plots[I]));
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
                     "width=\"{0}\" height=\"{1}\">\n{2}</svg>\n",
                     Width, Height * double(Plots.size()), Inside);
}

std::string toSvg(const Bars &B) {
  static constexpr double Row = 24, Names = 200, Values = 140;
  double Most = 0;
  for (const Bars::Bar &Element : B.All)
    Most = std::max(Most, Element.Size);
  std::string Result;
  double Value = Top;
  for (const Bars::Bar &Entry : B.All) {
    const double Long = Most > 0 ? Entry.Size / Most * (Width - Names - Values) : 0;
    Result += text(Names - 8, Value + 16, "end", Entry.Label);
    Result += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n",
                          Names, Value + 2, Long, Row - 6, Colors[0]);
    Result += text(Names + Long + 6, Value + 16, "start", Entry.Value);
    Value += Row;
  }
  if (B.All.empty())
    Result += text(Width / 2, Value + 16, "middle", "nothing is known to show here");
  return frame(Value + Row, B.Title, Result);
}

} // namespace ergon
