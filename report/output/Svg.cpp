//===- Svg.cpp - plots as SVG ---------------------------------------------===//

#include "report/output/Svg.h"
#include "formats/json/PlainText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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
// Okabe and Ito's colours, which are told apart without red or green.
static constexpr std::array Colors = {"#0072b2", "#d55e00", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9"};

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
                     text(Width / 2, 24, "middle", Title, " font-size=\"15\""), Inside);
}

namespace {
/// A logarithmic axis over whole decades.
struct Axis {
  double Low = std::numeric_limits<double>::infinity(), High = 0;

  void include(double Value) {
    Low = std::min(Low, Value);
    High = std::max(High, Value);
  }
  void round() {
    Low = std::floor(std::log10(Low));
    High = std::max(Low + 1, std::ceil(std::log10(High)));
  }
  double share(double Value) const { return (std::log10(Value) - Low) / (High - Low); }
};
} // namespace

static bool isShown(const Plot::Point &P) {
  return P.first > 0 && P.second > 0 && std::isfinite(P.first) && std::isfinite(P.second);
}

std::string toSvg(const Plot &P) {
  Axis X, Y;
  auto Include = [&](const Plot::Point &Location) {
    if (isShown(Location)) {
      X.include(Location.first);
      Y.include(Location.second);
    }
  };
  for (const Plot::Line &L : P.Lines)
    std::ranges::for_each(L.Points, Include);
  for (const Plot::Mark &M : P.Marks)
    Include(M.Position);
  if (X.High == 0)
    return frame(Height, P.Title,
                 text(Width / 2, Height / 2, "middle", "nothing is known to show here"));
  X.round();
  Y.round();
  auto XOf = [&](double Value) { return Left + X.share(Value) * (Width - Left - Right); };
  auto YOf = [&](double Value) {
    return Height - Bottom - Y.share(Value) * (Height - Top - Bottom);
  };
  std::string Result;
  for (double Log = X.Low; Log <= X.High; ++Log) {
    const double V = XOf(std::pow(10, Log));
    Result +=
        fmt::format("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#dddddd\"/>\n", V, Top, Height - Bottom);
    Result += text(V, Height - Bottom + 18, "middle", fmt::format("1e{:.0f}", Log));
  }
  for (double Log = Y.Low; Log <= Y.High; ++Log) {
    const double Coordinate = YOf(std::pow(10, Log));
    Result += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#dddddd\"/>\n", Left, Coordinate,
                          Width - Right);
    Result += text(Left - 8, Coordinate + 4, "end", fmt::format("1e{:.0f}", Log));
  }
  Result += text((Left + Width - Right) / 2, Height - 14, "middle", P.XLabel);
  Result += text(0, 0, "middle", P.YLabel,
                 fmt::format(" transform=\"translate(18 {:.1f}) rotate(-90)\"", Height / 2));
  for (std::size_t I = 0; I != P.Lines.size(); ++I) {
    const char *const Color = Colors[I % Colors.size()];
    std::string Path;
    for (const Plot::Point &Corner : P.Lines[I].Points)
      if (isShown(Corner))
        Path += fmt::format("{}{:.1f} {:.1f}", Path.empty() ? "M" : "L", XOf(Corner.first),
                            YOf(Corner.second));
    Result += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", Path,
                          Color);
    Result += text(Width - Right - 4, Top + 14 + 15 * double(I), "end", P.Lines[I].Label,
                   fmt::format(" fill=\"{}\"", Color));
  }
  for (const Plot::Mark &Element : P.Marks)
    if (isShown(Element.Position)) {
      const double Left = XOf(Element.Position.first), High = YOf(Element.Position.second);
      Result += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" "
                            "stroke=\"#000000\"/>\n",
                            Left, High, Element.IsStrong ? "#000000" : "#ffffff");
      Result += text(Left + 7, High - 5, "start", Element.Label);
    }
  return frame(Height, P.Title, Result);
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
