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

static bool isShown(const Plot::Point &At) {
  return At.first > 0 && At.second > 0 && std::isfinite(At.first) && std::isfinite(At.second);
}

std::string toSvg(const Plot &Of) {
  Axis X, Y;
  auto Include = [&](const Plot::Point &At) {
    if (isShown(At)) {
      X.include(At.first);
      Y.include(At.second);
    }
  };
  for (const Plot::Line &Each : Of.Lines)
    std::ranges::for_each(Each.Points, Include);
  for (const Plot::Mark &Each : Of.Marks)
    Include(Each.At);
  if (X.High == 0)
    return frame(Height, Of.Title,
                 text(Width / 2, Height / 2, "middle", "nothing is known to show here"));
  X.round();
  Y.round();
  auto XOf = [&](double Value) { return Left + X.share(Value) * (Width - Left - Right); };
  auto YOf = [&](double Value) {
    return Height - Bottom - Y.share(Value) * (Height - Top - Bottom);
  };
  std::string Result;
  for (double Log = X.Low; Log <= X.High; ++Log) {
    const double At = XOf(std::pow(10, Log));
    Result += fmt::format("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#dddddd\"/>\n", At, Top,
                          Height - Bottom);
    Result += text(At, Height - Bottom + 18, "middle", fmt::format("1e{:.0f}", Log));
  }
  for (double Log = Y.Low; Log <= Y.High; ++Log) {
    const double At = YOf(std::pow(10, Log));
    Result +=
        fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#dddddd\"/>\n", Left, At, Width - Right);
    Result += text(Left - 8, At + 4, "end", fmt::format("1e{:.0f}", Log));
  }
  Result += text((Left + Width - Right) / 2, Height - 14, "middle", Of.XLabel);
  Result += text(0, 0, "middle", Of.YLabel,
                 fmt::format(" transform=\"translate(18 {:.1f}) rotate(-90)\"", Height / 2));
  for (std::size_t I = 0; I != Of.Lines.size(); ++I) {
    const char *const Color = Colors[I % Colors.size()];
    std::string Path;
    for (const Plot::Point &At : Of.Lines[I].Points)
      if (isShown(At))
        Path +=
            fmt::format("{}{:.1f} {:.1f}", Path.empty() ? "M" : "L", XOf(At.first), YOf(At.second));
    Result += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", Path,
                          Color);
    Result += text(Width - Right - 4, Top + 14 + 15 * double(I), "end", Of.Lines[I].Label,
                   fmt::format(" fill=\"{}\"", Color));
  }
  for (const Plot::Mark &Each : Of.Marks)
    if (isShown(Each.At)) {
      const double At = XOf(Each.At.first), High = YOf(Each.At.second);
      Result += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" "
                            "stroke=\"#000000\"/>\n",
                            At, High, Each.IsStrong ? "#000000" : "#ffffff");
      Result += text(At + 7, High - 5, "start", Each.Label);
    }
  return frame(Height, Of.Title, Result);
}

std::string toSvg(const Bars &Of) {
  static constexpr double Row = 24, Names = 200, Values = 140;
  double Most = 0;
  for (const Bars::Bar &Each : Of.All)
    Most = std::max(Most, Each.Size);
  std::string Result;
  double At = Top;
  for (const Bars::Bar &Each : Of.All) {
    const double Long = Most > 0 ? Each.Size / Most * (Width - Names - Values) : 0;
    Result += text(Names - 8, At + 16, "end", Each.Label);
    Result += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n",
                          Names, At + 2, Long, Row - 6, Colors[0]);
    Result += text(Names + Long + 6, At + 16, "start", Each.Value);
    At += Row;
  }
  if (Of.All.empty())
    Result += text(Width / 2, At + 16, "middle", "nothing is known to show here");
  return frame(At + Row, Of.Title, Result);
}

} // namespace ergon
