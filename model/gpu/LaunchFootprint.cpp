//===- LaunchFootprint.cpp - the footprint of a launch --------------------===//

#include "model/gpu/LaunchFootprint.h"
#include "model/symbolic/ExprBounds.h"

#include <algorithm>
#include <cmath>

namespace ergon {

namespace {
class Walk {
public:
  Walk(const AccessProgram &Program, const LaunchSize &Launch)
      : Program(Program), Objects(Program.Objects.size()) {
    static constexpr const char *Axes[] = {"x", "y", "z"};
    for (unsigned D = 0; D != 3; ++D) {
      Ranges[std::string("threadIdx.") + Axes[D]] = {0, Rational(Launch.Block[D] - 1)};
      Ranges[std::string("blockIdx.") + Axes[D]] = {0, Rational(Launch.Grid[D] - 1)};
    }
  }
  std::optional<std::vector<double>> run();

private:
  static constexpr std::uint64_t MaxSteps = 1000;
  const AccessProgram &Program;
  SymbolBounds Ranges;
  /// Of an object: its bytes from the first to the last, and its offsets with the most sectors that
  /// these may be, each by itself.
  struct Footprint {
    std::optional<Bounds> Span;
    std::vector<std::pair<Expr, double>> Places{};
  };
  std::vector<Footprint> Objects;

  bool add(const MemoryAccess &Access);
  bool add(const std::vector<AccessItem> &Items);
};
} // namespace

bool Walk::add(const MemoryAccess &Access) {
  const Space Where = Program.Objects[Access.Object].Where;
  if (servedBy(Where) != ServedBy::Sectors)
    return true;
  if (Where == Space::Local || !Access.Offset)
    return false;
  auto Found = boundsOf(*Access.Offset, Ranges, MaxSteps);
  if (!Found)
    return false;
  auto &[Span, Places] = Objects[Access.Object];
  if (std::ranges::find(Places, *Access.Offset, &std::pair<Expr, double>::first) == Places.end()) {
    double Sectors = double((Access.Bytes - 1) / SectorBytes + 1);
    for (const auto &[Variable, Range] : Ranges)
      if (Access.Offset->dependsOn(Variable))
        Sectors *= Rational(Range.High - Range.Low + 1).get_d();
    Places.emplace_back(*Access.Offset, Sectors);
  }
  Found->High += Rational(Access.Bytes - 1);
  Span = Span ? Bounds{std::min(Span->Low, Found->Low), std::max(Span->High, Found->High)} : *Found;
  return true;
}

bool Walk::add(const std::vector<AccessItem> &Items) {
  return std::ranges::all_of(Items, [&](const AccessItem &Item) {
    if (auto *Access = std::get_if<MemoryAccess>(&Item.What))
      return add(*Access);
    const auto &Nest = std::get<AccessNest>(Item.What);
    auto Last = boundsOf(Nest.Last, Ranges, MaxSteps);
    if (!Last)
      return false;
    if (Last->High < 0) // it never runs
      return true;
    Ranges[Nest.Variable] = {0, Last->High};
    return add(Nest.Items);
  });
}

std::optional<std::vector<double>> Walk::run() {
  if (!add(Program.Body.Items))
    return std::nullopt;
  std::vector<double> Result;
  for (const auto &[Span, Places] : Objects) {
    double Apart = 0;
    for (const auto &[_, Sectors] : Places)
      Apart += Sectors;
    Result.push_back(Span ? std::min(Apart, std::floor(Span->High.get_d() / SectorBytes) -
                                                std::floor(Span->Low.get_d() / SectorBytes) + 1)
                          : 0);
  }
  return Result;
}

std::optional<std::vector<double>> sectorsTouched(const AccessProgram &Program,
                                                  const LaunchSize &Launch) {
  return Walk(Program, Launch).run();
}

} // namespace ergon
