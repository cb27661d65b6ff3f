//===- FootprintView.cpp - footprints of loops ----------------------------===//

#include "tools/predict/FootprintView.h"
#include "tools/view/CacheView.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

using Json = nlohmann::ordered_json;

const LoopFits *FootprintView::find(const std::string &Variable, const SourceLocation &At) const {
  auto Found = std::ranges::find_if(Loops, [&](const LoopFits &Each) {
    return Each.Of.Variable == Variable && Each.Of.At == At;
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

void printFootprint(const FootprintView &In, const LoopFits &Of, const std::string &Indent) {
  auto Print = [&](const char *What, const Expr &Bytes, const std::vector<CacheFit> &Fits) {
    std::string Text;
    for (std::size_t I = 0; I != Fits.size(); ++I)
      Text += fmt::format("{} {} {}", I ? "," : "", In.Levels[I].Name,
                          condition(Fits[I], Bytes, In.Levels[I].Bytes));
    fmt::print("{}{} touches {} B, fits{}\n", Indent, What, toPretty(Bytes), Text);
  };
  Print("an iteration", Of.Of.PerIteration, Of.PerIteration);
  Print("the loop", Of.Of.Whole, Of.Whole);
  for (const ObjectFootprint &Each : Of.Of.Objects)
    fmt::print("{}  {}: {} B an iteration, {} B in all\n", Indent,
               In.Accesses.Objects[Each.Object].Name, toPretty(Each.PerIteration),
               toPretty(Each.Whole));
  if (!Of.Of.IsComplete)
    fmt::print("{}  and what accesses touch whose place is not known\n", Indent);
}

static Json jsonOf(const CacheFit &Of) {
  static constexpr const char *Names[] = {"always", "never", "up_to", "where"};
  Json Result = {{"when", Names[std::size_t(Of.When)]}};
  if (Of.When == CacheFit::Kind::UpTo)
    Result.update({{"parameter", Of.Parameter}, {"most", Of.Most}});
  return Result;
}

Json jsonOf(const FootprintView &In, const LoopFits &Of) {
  Json Result = {{"per_iteration_bytes", toText(Of.Of.PerIteration)},
                 {"whole_bytes", toText(Of.Of.Whole)},
                 {"complete", Of.Of.IsComplete},
                 {"objects", Json::array()},
                 {"fits", Json::array()}};
  for (const ObjectFootprint &Each : Of.Of.Objects)
    Result["objects"].push_back({{"name", In.Accesses.Objects[Each.Object].Name},
                                 {"per_iteration_bytes", toText(Each.PerIteration)},
                                 {"whole_bytes", toText(Each.Whole)}});
  for (std::size_t I = 0; I != In.Levels.size(); ++I)
    Result["fits"].push_back({{"level", In.Levels[I].Name},
                              {"bytes", In.Levels[I].Bytes},
                              {"per_iteration", jsonOf(Of.PerIteration[I])},
                              {"whole", jsonOf(Of.Whole[I])}});
  return Result;
}

} // namespace ergon
