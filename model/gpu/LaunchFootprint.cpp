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
      : Program(Program), Spans(Program.Objects.size()) {
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
  std::vector<std::optional<Bounds>> Spans; ///< bytes, by object

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
  Found->High += Rational(Access.Bytes - 1);
  std::optional<Bounds> &Span = Spans[Access.Object];
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
  for (const std::optional<Bounds> &Span : Spans)
    Result.push_back(Span ? std::floor(Span->High.get_d() / SectorBytes) -
                                std::floor(Span->Low.get_d() / SectorBytes) + 1
                          : 0);
  return Result;
}

std::optional<std::vector<double>> sectorsTouched(const AccessProgram &Program,
                                                  const LaunchSize &Launch) {
  return Walk(Program, Launch).run();
}

} // namespace ergon
