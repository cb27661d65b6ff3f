//===- EstimatesView.cpp - what an answer depends on ----------------------===//

#include "tools/view/EstimatesView.h"
#include "formats/json/PlainText.h"
#include "predict/source/SourceFiles.h"

#include <fmt/format.h>

#include <memory>

namespace ergon {

std::string numeral(const Rational &Value) {
  return Value.isInteger() ? Value.get_str() : fmt::format("{:.6g}", Value.get_d());
}

std::string rangeText(const SymbolEstimate &E) {
  return fmt::format("{} ({} {})", numeral(E.Value), numeral(E.Low),
                     E.High ? "to " + numeral(*E.High) : "or more");
}

SourceText sourceTextOf(const FunctionRef &Ref) {
  return
      [Files = std::make_shared<SourceFiles>(), &U = Ref.File->unit()](const SourceLocation &At) {
        static constexpr std::size_t LongLine = 60; // bytes
        Files->know(U);
        const std::string *Line = At.isValid() ? Files->open(U, At.File).line(At.Line) : nullptr;
        if (!Line)
          return std::string();
        const std::size_t Begin = Line->find_first_not_of(" \t"),
                          End = Line->find_last_not_of(" \t{") + 1;
        return Begin < End && End - Begin <= LongLine ? plainText(Line->substr(Begin, End - Begin))
                                                      : std::string();
      };
}

void printEstimates(const std::vector<SymbolEstimate> &Estimates, const SourceText &TextAt) {
  if (Estimates.empty())
    return;
  static constexpr std::size_t MaxShown = 10;
  fmt::print("  what is estimated, and its share of the spread\n");
  std::size_t Shown = 0;
  for (const SymbolEstimate &E : Estimates) {
    if (E.IsMinor || Shown == MaxShown)
      break;
    ++Shown;
    const std::string Text = E.What.Argument ? fmt::format("argv[{}] (--args)", E.What.Argument)
                             : TextAt        ? TextAt(E.What.Location)
                                             : "";
    fmt::print("    {:>3.0f} %  --set {}={}  {}: {}{}\n", 100 * E.Spread, symbolText(E.What.Symbol),
               rangeText(E), E.Source, E.What.Why, Text.empty() ? "" : ": `" + Text + "`");
  }
  if (const std::size_t Others = Estimates.size() - Shown)
    fmt::print("    {}{} that move{} the answer by less{}\n", Others, Shown ? " more" : "",
               Others == 1 ? "s" : "", Shown == MaxShown ? "" : " than 1 %");
}

} // namespace ergon
