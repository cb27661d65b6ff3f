//===- FootprintView.cpp - footprints of loops ----------------------------===//

#include "tools/predict/FootprintView.h"
#include "tools/view/CacheView.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

using Json = nlohmann::ordered_json;

const LoopFits *FootprintView::find(const std::string &Variable,
                                    const SourceLocation &Location) const {
  auto Found = std::ranges::find_if(Loops, [&](const LoopFits &Fits) {
    return Fits.Footprint.Variable == Variable && Fits.Footprint.Location == Location;
  });
  return Found == Loops.end() ? nullptr : &*Found;
}

static std::string condition(const CacheFit &Fit, const Expr &Bytes, std::uint64_t Capacity) {
  switch (Fit.When) {
  case CacheFit::Kind::Always:
    return "always";
  case CacheFit::Kind::Never:
    return "never";
  case CacheFit::Kind::UpTo:
    return fmt::format("while {} ≤ {}", Fit.Parameter, Fit.Most);
  case CacheFit::Kind::Where:
    break;
  }
  return fmt::format("where {} ≤ {}", toPretty(Bytes), Capacity);
}

void printFootprint(const FootprintView &View, const LoopFits &Fits, const std::string &Indent) {
  auto Print = [&](const char *What, const Expr &Bytes, const std::vector<CacheFit> &ByLevel) {
    std::string Text;
    for (std::size_t I = 0; I != ByLevel.size(); ++I)
      Text += fmt::format("{} {} {}", I ? "," : "", View.Levels[I].Name,
                          condition(ByLevel[I], Bytes, View.Levels[I].Bytes));
    fmt::print("{}{} touches {} B, fits{}\n", Indent, What, toPretty(Bytes), Text);
  };
  Print("an iteration", Fits.Footprint.IterationBytes, Fits.PerIteration);
  Print("the loop", Fits.Footprint.LoopBytes, Fits.Whole);
  for (const ObjectFootprint &Object : Fits.Footprint.Objects)
    fmt::print("{}  {}: {} B an iteration, {} B in all\n", Indent,
               View.Accesses.Objects[Object.ObjectIndex].Name, toPretty(Object.IterationBytes),
               toPretty(Object.LoopBytes));
  if (!Fits.Footprint.IsComplete)
    fmt::print("{}  and what accesses touch whose place is not known\n", Indent);
}

static Json jsonOf(const CacheFit &Fit) {
  static constexpr const char *Names[] = {"always", "never", "up_to", "where"};
  Json Result = {{"when", Names[std::size_t(Fit.When)]}};
  if (Fit.When == CacheFit::Kind::UpTo)
    Result.update({{"parameter", Fit.Parameter}, {"most", Fit.Most}});
  return Result;
}

Json jsonOf(const FootprintView &View, const LoopFits &Fits) {
  Json Result = {{"per_iteration_bytes", toText(Fits.Footprint.IterationBytes)},
                 {"whole_bytes", toText(Fits.Footprint.LoopBytes)},
                 {"complete", Fits.Footprint.IsComplete},
                 {"objects", Json::array()},
                 {"fits", Json::array()}};
  for (const ObjectFootprint &Object : Fits.Footprint.Objects)
    Result["objects"].push_back({{"name", View.Accesses.Objects[Object.ObjectIndex].Name},
                                 {"per_iteration_bytes", toText(Object.IterationBytes)},
                                 {"whole_bytes", toText(Object.LoopBytes)}});
  for (std::size_t I = 0; I != View.Levels.size(); ++I)
    Result["fits"].push_back({{"level", View.Levels[I].Name},
                              {"bytes", View.Levels[I].Bytes},
                              {"per_iteration", jsonOf(Fits.PerIteration[I])},
                              {"whole", jsonOf(Fits.Whole[I])}});
  return Result;
}

} // namespace ergon
