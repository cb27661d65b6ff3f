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

/// Picojoules of an operation on a Tegra K1 at 852 and 924 MHz: Choi & Vuduc 2016, Table I. Only
/// their ratios are used. Double precision is not included: machines have one unit of it for 2 to
/// 64 of single precision. A warp instruction counts as 32 of the cheapest operations, integer
/// ones.
static constexpr std::pair<std::string_view, double> PublishedPj[] = {
    {"flops_f32", 29.0}, {"int_ops", 60.0},     {"bytes_shared", 35.4},
    {"bytes_l2", 90.2},  {"bytes_dram", 377.0}, {"warp_instructions", 32 * 60.0}};

static double publishedPj(std::string_view Class) {
  auto Found = std::ranges::find(PublishedPj, Class, [](auto &Item) { return Item.first; });
  return Found == std::end(PublishedPj) ? 0 : Found->second;
}

FitTable::FitTable(const Samples &S, const EnergyFitOptions &Options)
    : Watts(S.Rows.size()), Workload(workloadsOf(S)), Family(familiesOf(S)), Setting(settingsOf(S)),
      PricesAlone(Options.PricesAlone), Fitted(S), Mhz(Watts.size()), MemMhz(Watts.size()),
      CoreVolts(Watts.size()), MemVolts(Watts.size()) {
  if (Options.PowerCapW)
    CapW = *Options.PowerCapW;
  std::set<double> CoreMv;
  HasVolts = HasMemVolts = true;
  for (std::size_t Row = 0; Row != S.Rows.size(); ++Row) {
    const Sample &Element = S.Rows[Row];
    Watts[Row] = *Element.EnergyJ / Element.TimeS;
    Mhz[Row] = *Element.Clocks.mhz(Domain::Core);
    MemMhz[Row] = Element.Clocks.MemMhz.value_or(0);
    CoreVolts[Row] = Element.Clocks.volts(Domain::Core).value_or(1);
    MemVolts[Row] = Element.Clocks.volts(Domain::Mem).value_or(1);
    // Within a percent of the cap the clock was no longer the requested one.
    IsFitted.push_back((Options.HeldOut.empty() || !Options.HeldOut[Row]) &&
                       Watts[Row] < 0.99 * CapW);
    HasVolts &= Element.Clocks.CoreMv.has_value();
    HasMemVolts &= Element.Clocks.MemMv.has_value();
    CoreMv.insert(Element.Clocks.CoreMv.value_or(0));
  }
  HasVolts &= CoreMv.size() > 1;
  ReferenceW = Watts.mean() / 2;
  addWeights();
  addGroups(Options.Together);
  addConstants();
  addBase();
  Ratios = VectorXd::Zero(DynamicColumns);
  for (Index K = 0; Options.Published && K != DynamicColumns; ++K)
    for (std::size_t I = 0; I != Groups[K].Classes.size(); ++I)
      Ratios[K] = publishedPj(S.Classes[Groups[K].Classes[I]]) / Groups[K].Weights[I] * Scales[K];
  if (Ratios.sum() > 0)
    Ratios *= ReferenceW / Ratios.sum();
  // A constant column has no ratio.
  Ratios.conservativeResize(Names.size());
  Ratios.tail(Constant.size()).setZero();
  addPlaces();
}

void FitTable::addWeights() {
  std::map<std::size_t, std::size_t> RowsOf;
  for (Index Row = 0; Row != Watts.size(); ++Row)
    if (IsFitted[Row])
      ++RowsOf[Family[Row]];
  std::size_t All = 0;
  for (const auto &[Number, Count] : RowsOf)
    All += Count;
  RootWeights = VectorXd::Ones(Watts.size());
  if (PricesAlone) // samples that were designed to separate costs
    return;
  for (Index Row = 0; Row != Watts.size(); ++Row)
    if (IsFitted[Row])
      RootWeights[Row] = std::sqrt(double(All) / double(RowsOf.size() * RowsOf.at(Family[Row])));
}

void FitTable::addGroups(const std::vector<std::vector<std::string>> &Together) {
  std::set<std::string> Done;
  auto Add = [&](const std::vector<std::string> &Classes) {
    Group Next;
    bool AllPublished = true;
    for (const std::string &Class : Classes)
      AllPublished &= publishedPj(Class) > 0;
    for (const std::string &Class : Classes) {
      const std::size_t Position =
          std::ranges::find(Fitted.Classes, Class) - Fitted.Classes.begin();
      if (Position == Fitted.Classes.size() || !Done.insert(Class).second)
        continue;
      double Sum = 0;
      for (const Sample &Row : Fitted.Rows)
        Sum += Row.Counts[Position].value_or(0) / Row.TimeS;
      Next.Classes.push_back(Position);
      // Grouped classes have published cost ratios, or equal shares of energy.
      Next.Weights.push_back(Classes.size() == 1 ? 1
                             : AllPublished      ? publishedPj(Class)
                                                 : Fitted.Rows.size() / Sum);
      Next.OnMemRail = Class == DramBytes;
    }
    if (Next.Classes.empty())
      return;
    Names.push_back("energy." + Fitted.Classes[Next.Classes.front()]);
    Groups.push_back(std::move(Next));
  };
  for (const std::vector<std::string> &Classes : Together)
    Add(Classes);
  for (const std::string &Class : Fitted.Classes)
    Add({Class});
  DynamicColumns = Groups.size();
}

void FitTable::addConstants() {
  Constant.emplace_back("misc_w");
  std::set<double> CoreMhz, MemMhz, MemMv;
  bool HasMem = true;
  for (const Sample &Row : Fitted.Rows) {
    CoreMhz.insert(Row.Clocks.mhz(Domain::Core).value_or(0));
    MemMhz.insert(Row.Clocks.MemMhz.value_or(0));
    MemMv.insert(Row.Clocks.MemMv.value_or(0));
    HasMem &= Row.Clocks.MemMhz.has_value();
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

double FitTable::coreMhz(Index Row) const { return Mhz[Row]; }

VectorXd FitTable::volts(const std::vector<Index> &Rows, const FitShape &Shape) const {
  if (HasVolts)
    return CoreVolts(Rows);
  const VoltageLaw Law{{Shape.FlatToMhz, ""}, {Shape.RisePerMhz, ""}};
  return Mhz(Rows).unaryExpr([&](double AtMhz) { return Law.volts(AtMhz); });
}

double FitTable::rate(Index Row, const Group &Which) const {
  const Sample &S = Fitted.Rows[Row];
  double Sum = 0;
  for (std::size_t K = 0; K != Which.Classes.size(); ++K)
    Sum += *S.Counts[Which.Classes[K]] * Which.Weights[K];
  return Sum / S.TimeS;
}

void FitTable::addBase() {
  Base = MatrixXd::Ones(Watts.size(), Index(Names.size()));
  for (Index Column = 0; Column != DynamicColumns; ++Column) {
    for (Index Row = 0; Row != Base.rows(); ++Row)
      Base(Row, Column) = rate(Row, Groups[Column]);
    Voltages.push_back(!Groups[Column].OnMemRail ? Follows::CoreVoltsSquared
                       : HasMemVolts             ? Follows::MemVoltsSquared
                                                 : Follows::Nothing);
  }
  for (const std::string &Key : Constant) {
    auto Column = Base.col(Index(Voltages.size()));
    Follows &Next = Voltages.emplace_back(Follows::Nothing);
    if (Key == "core_w_per_v") {
      Next = Follows::CoreVolts;
    } else if (Key == "core_w_per_mhz_v2") {
      Next = Follows::CoreVoltsSquared;
      Column = Mhz;
    } else if (Key == "mem_w_per_v") {
      Column = MemVolts;
    } else if (Key == "mem_w_per_mhz") {
      Column = MemMhz;
    }
  }
  std::vector<Index> All;
  for (Index Row = 0; Row != Watts.size(); ++Row)
    if (IsFitted[Row])
      All.push_back(Row);
  Scales = columns(All, {}).colwise().mean();
  Scales = (Scales.array() > 0).select(Scales, 1);
  Base.array().rowwise() /= Scales.transpose().array();
}

MatrixXd FitTable::columns(const std::vector<Index> &Rows, const FitShape &Shape) const {
  MatrixXd Result(Rows.size(), Names.size());
  for (Index K = 0; K != Result.rows(); ++K)
    for (Index Column = 0; Column != Result.cols(); ++Column)
      Result(K, Column) = Base(Rows[K], Column);
  auto Squared = [&](double V) {
    return Shape.VoltsExponent == 2 ? V * V : std::pow(V, Shape.VoltsExponent);
  };
  const VectorXd Volts = volts(Rows, Shape), VoltsSquared = Volts.unaryExpr(Squared);
  for (Index Column = 0; Column != Result.cols(); ++Column) {
    auto Target = Result.col(Column);
    switch (Voltages[Column]) {
    case Follows::Nothing:
      break;
    case Follows::CoreVolts:
      Target.array() *= Volts.array();
      break;
    case Follows::CoreVoltsSquared:
      Target.array() *= VoltsSquared.array();
      break;
    case Follows::MemVoltsSquared:
      Target.array() *= MemVolts(Rows).unaryExpr(Squared).array();
      break;
    }
  }
  for (std::size_t C = 0; Shape.ClocksAlone && C != Constant.size(); ++C)
    if (Constant[C] == "misc_w" || Constant[C] == "core_w_per_v")
      Result.col(DynamicColumns + Index(C)).setZero();
  return Result;
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
  for (std::size_t Class = 0;
       Class != Fitted.Classes.size() && Axes.Axes.size() != Correction::MaxAxes; ++Class) {
    double Full = 0;
    for (std::size_t Row = 0; Row != Fitted.Rows.size(); ++Row)
      if (IsFitted[Row])
        Full =
            std::max(Full, *Fitted.Rows[Row].Counts[Class] / Fitted.Rows[Row].TimeS / coreMhz(Row));
    if (Full > 0)
      Axes.Axes.push_back({Fitted.Classes[Class], Full});
  }
  for (std::size_t Row = 0; Row != Fitted.Rows.size(); ++Row)
    Axes.CoreFullMhz = std::max(Axes.CoreFullMhz, coreMhz(Row));
  Places.resize(Fitted.Rows.size(), Axes.dimensions());
  std::vector<double> Rates, Place(Axes.dimensions());
  for (std::size_t Row = 0; Row != Fitted.Rows.size(); ++Row) {
    const Sample &S = Fitted.Rows[Row];
    Rates.clear();
    for (const Correction::Axis &Axis : Axes.Axes) {
      auto Found = std::ranges::find(Fitted.Classes, Axis.Class);
      Rates.push_back(*S.Counts[Found - Fitted.Classes.begin()] / S.TimeS);
    }
    Axes.place(Rates, coreMhz(Row), Place);
    Places.row(Row) = Eigen::Map<const VectorXd>(Place.data(), Place.size());
  }
}

Machine FitTable::machine(const VectorXd &Prices, const FitShape &Shape) const {
  Machine M;
  M.Settings.clear();
  for (const Sample &Row : Fitted.Rows)
    if (std::ranges::none_of(M.Settings, [&](auto &Other) { return Other.sameClocks(Row.Clocks); }))
      M.Settings.push_back(Row.Clocks);
  std::ranges::sort(M.Settings, {},
                    [](const ergon::Setting &S) { return std::pair(S.CoreMhz, S.MemMhz); });
  M.Default = M.Settings.size() - 1;
  if (!HasVolts)
    M.Power.CoreLaw = {{Shape.FlatToMhz, ""}, {Shape.RisePerMhz, ""}};
  if (!HasVolts)
    for (ergon::Setting &S : M.Settings)
      S.CoreMv.reset(); // all equal or unknown: 1 by the law
  if (Shape.VoltsExponent != 2)
    M.Power.VoltageExponent = {Shape.VoltsExponent, ""};
  if (Shape.Saturation < 1)
    M.Power.Saturates = {{Shape.Saturation, ""}, {ReferenceW, ""}};
  for (Index K = 0; K != DynamicColumns; ++K)
    for (std::size_t I = 0; I != Groups[K].Classes.size(); ++I) {
      EnergyCost Cost{{Prices[K] / Scales[K] * Groups[K].Weights[I], ""}, {}};
      if (!Groups[K].OnMemRail)
        Cost.Rail = Domain::Core;
      else if (HasMemVolts)
        Cost.Rail = Domain::Mem;
      M.Power.Energies[Fitted.Classes[Groups[K].Classes[I]]] = Cost;
    }
  const std::pair<std::string_view, std::optional<Quantity> &> Result[] = {
      {"core_w_per_v", M.Power.Constant.CoreWPerV},
      {"core_w_per_mhz_v2", M.Power.Constant.CoreWPerMhzV2},
      {"mem_w_per_v", M.Power.Constant.MemWPerV},
      {"mem_w_per_mhz", M.Power.Constant.MemWPerMhz}};
  M.Power.Constant.MiscW = {Prices[DynamicColumns], ""};
  for (std::size_t C = 1; C != Constant.size(); ++C)
    for (const auto &[Key, Quantity] : Result)
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
        Result.push_back(Fitted.Classes[Class]);
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
    std::vector<double> &Target = Result.Relative.emplace_back();
    for (Index Column : Columns)
      Target.push_back(Relative(Row, Column));
  }
  return Result;
}

} // namespace ergon
