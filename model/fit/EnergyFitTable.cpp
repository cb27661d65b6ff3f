//===- EnergyFitTable.cpp - samples as the columns of a fit ---------------===//

#include "model/fit/EnergyFitTable.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ergon {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Picojoules of an operation on a Tegra K1 at 852 and 924 MHz: Choi & Vuduc 2016, Table I.
/// Only their ratios are used. Double precision is not among them: from machine to machine
/// there is a unit of it for 2 to 64 of single precision. An instruction of a warp is 32 of
/// the cheapest operations that each instruction is at least, integer ones.
static constexpr std::pair<std::string_view, double> PublishedPj[] = {
    {"flops_f32", 29.0}, {"int_ops", 60.0},     {"bytes_shared", 35.4},
    {"bytes_l2", 90.2},  {"bytes_dram", 377.0}, {"warp_instructions", 32 * 60.0}};

static double publishedPj(std::string_view Class) {
  auto Found = std::ranges::find(PublishedPj, Class, [](auto &Each) { return Each.first; });
  return Found == std::end(PublishedPj) ? 0 : Found->second;
}

FitTable::FitTable(const Samples &Of, const EnergyFitOptions &Options)
    : Watts(Of.Rows.size()), Workload(workloadsOf(Of)), Setting(settingsOf(Of)),
      PricesAlone(Options.PricesAlone), Of(Of) {
  if (Options.PowerCapW)
    CapW = *Options.PowerCapW;
  std::set<double> CoreMv;
  HasVolts = HasMemVolts = true;
  for (std::size_t Row = 0; Row != Of.Rows.size(); ++Row) {
    const Sample &Each = Of.Rows[Row];
    Watts[Row] = *Each.EnergyJ / Each.TimeS;
    // Within a percent of the cap the clock was no longer what was asked for.
    IsFitted.push_back((Options.HeldOut.empty() || !Options.HeldOut[Row]) &&
                       Watts[Row] < 0.99 * CapW);
    HasVolts &= Each.At.CoreMv.has_value();
    HasMemVolts &= Each.At.MemMv.has_value();
    CoreMv.insert(Each.At.CoreMv.value_or(0));
  }
  HasVolts &= CoreMv.size() > 1;
  ReferenceW = Watts.mean() / 2;
  addGroups(Options.Together);
  addConstants();
  Rates.resize(Of.Rows.size(), DynamicColumns);
  for (Index Row = 0; Row != Rates.rows(); ++Row)
    for (Index Column = 0; Column != DynamicColumns; ++Column)
      Rates(Row, Column) = rate(Row, Groups[Column]);
  Scales = VectorXd::Ones(Names.size());
  std::vector<Index> All;
  for (Index Row = 0; Row != Watts.size(); ++Row)
    if (IsFitted[Row])
      All.push_back(Row);
  const MatrixXd Columns = columns(All, {});
  for (Index K = 0; K != Scales.size(); ++K)
    if (const double Mean = Columns.col(K).mean(); Mean > 0)
      Scales[K] = Mean;
  Ratios = VectorXd::Zero(DynamicColumns);
  for (Index K = 0; Options.Published && K != DynamicColumns; ++K)
    for (std::size_t Each = 0; Each != Groups[K].Classes.size(); ++Each)
      Ratios[K] =
          publishedPj(Of.Classes[Groups[K].Classes[Each]]) / Groups[K].Weights[Each] * Scales[K];
  if (Ratios.sum() > 0)
    Ratios *= ReferenceW / Ratios.sum();
  // A constant column has no ratio.
  Ratios.conservativeResize(Names.size());
  Ratios.tail(Constant.size()).setZero();
  addPlaces();
}

void FitTable::addGroups(const std::vector<std::vector<std::string>> &Together) {
  std::set<std::string> Done;
  auto Add = [&](const std::vector<std::string> &Classes) {
    Group Next;
    bool AllPublished = true;
    for (const std::string &Class : Classes)
      AllPublished &= publishedPj(Class) > 0;
    for (const std::string &Class : Classes) {
      const std::size_t Position = std::ranges::find(Of.Classes, Class) - Of.Classes.begin();
      if (Position == Of.Classes.size() || !Done.insert(Class).second)
        continue;
      double Sum = 0;
      for (const Sample &Each : Of.Rows)
        Sum += Each.Counts[Position].value_or(0) / Each.TimeS;
      Next.Classes.push_back(Position);
      // What comes together has published ratios of prices, or equal shares of energy.
      Next.Weights.push_back(Classes.size() == 1 ? 1
                             : AllPublished      ? publishedPj(Class)
                                                 : Of.Rows.size() / Sum);
      Next.OnMemRail = Class == DramBytes;
    }
    if (Next.Classes.empty())
      return;
    Names.push_back("energy." + Of.Classes[Next.Classes.front()]);
    Groups.push_back(std::move(Next));
  };
  for (const std::vector<std::string> &Classes : Together)
    Add(Classes);
  for (const std::string &Class : Of.Classes)
    Add({Class});
  DynamicColumns = Groups.size();
}

void FitTable::addConstants() {
  Constant.emplace_back("misc_w");
  std::set<double> CoreMhz, MemMhz, MemMv;
  bool HasMem = true;
  for (const Sample &Each : Of.Rows) {
    CoreMhz.insert(Each.At.mhz(Domain::Core).value_or(0));
    MemMhz.insert(Each.At.MemMhz.value_or(0));
    MemMv.insert(Each.At.MemMv.value_or(0));
    HasMem &= Each.At.MemMhz.has_value();
  }
  if (CoreMhz.size() > 1) {
    Constant.emplace_back("core_w_per_v");
    Constant.emplace_back("core_w_per_mhz_v2");
  }
  HasMemVolts &= MemMv.size() > 1;
  if (HasMemVolts)
    Constant.emplace_back("mem_w_per_v");
  if (HasMem && MemMhz.size() > 1)
    Constant.emplace_back("mem_w_per_mhz");
  for (const std::string &Key : Constant)
    Names.push_back("constant_power." + Key);
}

double FitTable::coreMhz(Index Row) const { return *Of.Rows[Row].At.mhz(Domain::Core); }

double FitTable::volts(Index Row, const FitShape &By) const {
  if (HasVolts)
    return *Of.Rows[Row].At.volts(Domain::Core);
  return VoltageLaw{{By.FlatToMhz, ""}, {By.RisePerMhz, ""}}.volts(coreMhz(Row));
}

double FitTable::rate(Index Row, const Group &Which) const {
  const Sample &Each = Of.Rows[Row];
  double Sum = 0;
  for (std::size_t K = 0; K != Which.Classes.size(); ++K)
    Sum += *Each.Counts[Which.Classes[K]] * Which.Weights[K];
  return Sum / Each.TimeS;
}

VectorXd FitTable::constantUnits(const std::vector<Index> &Rows, const std::string &Key,
                                 const VectorXd &Volts, const VectorXd &VoltsSquared) const {
  if (Key == "core_w_per_v")
    return Volts;
  VectorXd Result = VectorXd::Ones(Index(Rows.size()));
  for (std::size_t K = 0; K != Rows.size(); ++K)
    if (Key == "core_w_per_mhz_v2")
      Result[K] = coreMhz(Rows[K]) * VoltsSquared[K];
    else if (Key == "mem_w_per_v")
      Result[K] = *Of.Rows[Rows[K]].At.volts(Domain::Mem);
    else if (Key == "mem_w_per_mhz")
      Result[K] = *Of.Rows[Rows[K]].At.MemMhz;
  return Result;
}

MatrixXd FitTable::columns(const std::vector<Index> &Rows, const FitShape &By) const {
  MatrixXd Result(Rows.size(), Names.size());
  Result.leftCols(DynamicColumns) = Rates(Rows, Eigen::all);
  auto Squared = [&](double V) {
    return By.VoltsExponent == 2 ? V * V : std::pow(V, By.VoltsExponent);
  };
  VectorXd Volts(Rows.size()), VoltsSquared(Rows.size()), MemVoltsSquared(Rows.size());
  for (std::size_t K = 0; K != Rows.size(); ++K) {
    Volts[K] = volts(Rows[K], By);
    VoltsSquared[K] = Squared(Volts[K]);
    MemVoltsSquared[K] = HasMemVolts ? Squared(*Of.Rows[Rows[K]].At.volts(Domain::Mem)) : 1;
  }
  for (Index Column = 0; Column != DynamicColumns; ++Column)
    Result.col(Column).array() *=
        (Groups[Column].OnMemRail ? MemVoltsSquared : VoltsSquared).array();
  for (std::size_t C = 0; C != Constant.size(); ++C) {
    auto Column = Result.col(DynamicColumns + Index(C));
    if (By.ClocksAlone && (Constant[C] == "misc_w" || Constant[C] == "core_w_per_v"))
      Column.setZero();
    else
      Column = constantUnits(Rows, Constant[C], Volts, VoltsSquared);
  }
  return Result.array().rowwise() / Scales.transpose().array();
}

std::pair<double, double> FitTable::clockRange(const std::vector<Index> &Rows) const {
  double Low = coreMhz(Rows.front()), High = Low;
  for (Index Row : Rows) {
    Low = std::min(Low, coreMhz(Row));
    High = std::max(High, coreMhz(Row));
  }
  return {Low, High};
}

void FitTable::addPlaces() {
  for (std::size_t Class = 0; Class != Of.Classes.size() && Axes.Axes.size() != Correction::MaxAxes;
       ++Class) {
    double Full = 0;
    for (std::size_t Row = 0; Row != Of.Rows.size(); ++Row)
      if (IsFitted[Row])
        Full = std::max(Full, *Of.Rows[Row].Counts[Class] / Of.Rows[Row].TimeS / coreMhz(Row));
    if (Full > 0)
      Axes.Axes.push_back({Of.Classes[Class], Full});
  }
  for (std::size_t Row = 0; Row != Of.Rows.size(); ++Row)
    Axes.CoreFullMhz = std::max(Axes.CoreFullMhz, coreMhz(Row));
  Places.resize(Of.Rows.size(), Axes.dimensions());
  std::vector<double> Rates, Place(Axes.dimensions());
  for (std::size_t Row = 0; Row != Of.Rows.size(); ++Row) {
    const Sample &Each = Of.Rows[Row];
    Rates.clear();
    for (const Correction::Axis &Axis : Axes.Axes) {
      auto Found = std::ranges::find(Of.Classes, Axis.Class);
      Rates.push_back(*Each.Counts[Found - Of.Classes.begin()] / Each.TimeS);
    }
    Axes.place(Rates, coreMhz(Row), Place);
    Places.row(Row) = Eigen::Map<const VectorXd>(Place.data(), Place.size());
  }
}

Machine FitTable::machine(const VectorXd &Prices, const FitShape &By) const {
  Machine M;
  M.Settings.clear();
  for (const Sample &Each : Of.Rows)
    if (std::ranges::none_of(M.Settings, [&](auto &Other) { return Other.sameClocks(Each.At); }))
      M.Settings.push_back(Each.At);
  std::ranges::sort(M.Settings, {},
                    [](const ergon::Setting &S) { return std::pair(S.CoreMhz, S.MemMhz); });
  M.Default = M.Settings.size() - 1;
  if (!HasVolts)
    M.Power.CoreLaw = {{By.FlatToMhz, ""}, {By.RisePerMhz, ""}};
  if (!HasVolts)
    for (ergon::Setting &S : M.Settings)
      S.CoreMv.reset(); // all the same, or not known at all: 1 by the law
  if (By.VoltsExponent != 2)
    M.Power.VoltageExponent = {By.VoltsExponent, ""};
  if (By.Saturation < 1)
    M.Power.Saturates = {{By.Saturation, ""}, {ReferenceW, ""}};
  for (Index K = 0; K != DynamicColumns; ++K)
    for (std::size_t Each = 0; Each != Groups[K].Classes.size(); ++Each) {
      EnergyCost Cost{{Prices[K] / Scales[K] * Groups[K].Weights[Each], ""}, {}};
      if (!Groups[K].OnMemRail)
        Cost.Rail = Domain::Core;
      else if (HasMemVolts)
        Cost.Rail = Domain::Mem;
      M.Power.Energies[Of.Classes[Groups[K].Classes[Each]]] = Cost;
    }
  const std::pair<std::string_view, std::optional<Quantity> &> Into[] = {
      {"core_w_per_v", M.Power.Constant.CoreWPerV},
      {"core_w_per_mhz_v2", M.Power.Constant.CoreWPerMhzV2},
      {"mem_w_per_v", M.Power.Constant.MemWPerV},
      {"mem_w_per_mhz", M.Power.Constant.MemWPerMhz}};
  M.Power.Constant.MiscW = {Prices[DynamicColumns], ""};
  for (std::size_t C = 1; C != Constant.size(); ++C)
    for (const auto &[Key, Quantity] : Into)
      if (const Index K = DynamicColumns + C; Key == Constant[C] && Prices[K] > 0)
        Quantity = {Prices[K] / Scales[K], ""};
  if (CapW < std::numeric_limits<double>::infinity())
    M.Power.Cap = {CapW, ""};
  return M;
}

std::vector<std::string> FitTable::free(const VectorXd &Prices) const {
  std::vector<std::string> Result;
  for (Index K = 0; K != DynamicColumns; ++K)
    if (Prices[K] == 0)
      for (std::size_t Class : Groups[K].Classes)
        Result.push_back(Of.Classes[Class]);
  return Result;
}

Covariance FitTable::covariance(const MatrixXd &Relative, const Machine &M) const {
  const auto Known = M.coefficients();
  Covariance Result;
  std::vector<Index> Columns;
  for (std::size_t K = 0; K != Names.size(); ++K)
    if (Known.contains(Names[K]) && Relative(K, K) > 0) {
      Result.Coefficients.push_back(Names[K]);
      Columns.push_back(K);
    }
  for (Index Row : Columns) {
    std::vector<double> &Into = Result.Relative.emplace_back();
    for (Index Column : Columns)
      Into.push_back(Relative(Row, Column));
  }
  return Result;
}

} // namespace ergon
