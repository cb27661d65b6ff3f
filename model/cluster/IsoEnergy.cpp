//===- IsoEnergy.cpp - energy efficiency at scale -------------------------===//

#include "model/cluster/IsoEnergy.h"

#include <algorithm>
#include <cmath>

namespace ergon {

//===----------------------------------------------------------------------===//
// One point
//===----------------------------------------------------------------------===//

double IsoEnergy::overheadJ() const {
  double Sum = 0;
  for (const IsoOverhead &Overhead : Overheads)
    Sum += Overhead.energy();
  return Sum;
}

std::optional<IsoPart> IsoEnergy::dominant() const {
  const auto *Most = std::ranges::max_element(
      Overheads, {}, [](const IsoOverhead &Overhead) { return std::abs(Overhead.energy()); });
  if (Most->energy() == 0)
    return std::nullopt;
  return IsoPart(Most - Overheads.begin());
}

/// A contradiction in a workload.
static std::optional<std::string> contradiction(const Workload &W) {
  const std::pair<double, const char *> Amounts[] = {
      {W.Computation, "W_c"},
      {W.Memory, "W_m"},
      {W.Computation + W.ComputationOverhead, "W_c + W_co"},
      {W.Memory + W.MemoryOverhead, "W_m + W_mo"},
      {W.Messages, "M"},
      {W.MessageBytes, "B"},
      {W.IoS, "T_IO"}};
  for (const auto &[Amount, Name] : Amounts)
    if (!(Amount >= 0))
      return std::string(Name) + " is negative there";
  return std::nullopt;
}

namespace {
/// Terms of a machine at a clock. A term with factor zero may be absent.
struct TermsAt {
  const ClusterTerms &Terms;
  double Mhz;
  std::optional<ClusterTerm> Missing = {};

  double operator()(ClusterTerm Which, double Times) {
    if (Times == 0)
      return 0;
    if (auto Found = Terms.find(Which); Found != Terms.end())
      return Found->second.at(Mhz) * Times;
    if (!Missing)
      Missing = Which;
    return 0;
  }
};
} // namespace

std::expected<IsoEnergy, NoEfficiency> isoEnergy(const ClusterTerms &Terms, double Overlap,
                                                 const Workload &W, const IsoPoint &Point) {
  if (auto Wrong = contradiction(W))
    return std::unexpected(NoEfficiency{*Wrong});
  using enum ClusterTerm;
  struct Part {
    double FirstS, OverheadS; // of T_1, of T_o
    ClusterTerm Power;
  };
  TermsAt Term{Terms, Point.Mhz};
  // T_1 = W_c·t_c + W_m·t_m, T_o = W_co·t_c + W_mo·t_m + M·t_msg + B·t_Byte (2011, eq. 19);
  // T_IO is the same for one processor and for all together (eq. 5).
  const Part Parts[] = {
      {Term(ComputationS, W.Computation), Term(ComputationS, W.ComputationOverhead), ComputationW},
      {Term(MemoryS, W.Memory), Term(MemoryS, W.MemoryOverhead), MemoryW},
      {0, Term(MessageS, W.Messages) + Term(ByteS, W.MessageBytes), NetworkW},
      {W.IoS, 0, IoW}};
  IsoEnergy Result;
  Result.Processors = Point.P;
  for (std::size_t I = 0; I != std::size(Parts); ++I) {
    const auto &[FirstS, OverheadS, Power] = Parts[I];
    // Without a stated network power there is none (2011, eq. 12).
    const bool HasPower = Power != NetworkW || Terms.contains(NetworkW);
    Result.SequentialS += Overlap * FirstS;
    Result.SequentialJ += Term(IdleW, Overlap * FirstS) + (HasPower ? Term(Power, FirstS) : 0);
    Result.Overheads[I] = {Overlap * OverheadS, HasPower ? Term(Power, OverheadS) : 0,
                           Term(IdleW, Overlap * OverheadS)};
    Result.ParallelS += Overlap * (FirstS + OverheadS);
  }
  if (Term.Missing)
    return std::unexpected(NoEfficiency{"the machine's vector has no " +
                                            std::string(name(*Term.Missing)) + " (" +
                                            std::string(symbol(*Term.Missing)) + ")",
                                        /*Everywhere=*/true});
  if (!(Result.SequentialJ > 0 && Result.parallelJ() > 0 && Result.ParallelS > 0) ||
      !std::isfinite(Result.parallelJ()))
    return std::unexpected(NoEfficiency{"E_1 or E_p is not above 0 there"});
  return Result;
}

std::expected<IsoEnergy, NoEfficiency> IsoModel::at(const IsoPoint &Point) const {
  auto Workload = Work(Point.N, Point.P);
  if (!Workload)
    return std::unexpected(Workload.error());
  return isoEnergy(Terms, Overlap, *Workload, Point);
}

//===----------------------------------------------------------------------===//
// Which parameter dominates
//===----------------------------------------------------------------------===//

/// ln EE and ln x at \p Value of the point's \p Member.
static std::optional<std::pair<double, double>> logarithms(const IsoModel &Model, IsoPoint Point,
                                                           double IsoPoint::*Member, double Value) {
  Point.*Member = Value;
  auto Solution = Model.at(Point);
  if (!Solution)
    return std::nullopt;
  return std::pair(std::log(Solution->efficiency()), std::log(Value));
}

static std::optional<double> elasticity(const IsoModel &Model, const IsoPoint &Point,
                                        double IsoPoint::*Member) {
  const bool IsClock = Member == &IsoPoint::Mhz, InSteps = Model.HasSteps && !IsClock;
  const double Factor = InSteps ? 2 : 1.001, Current = Point.*Member;
  double Low = Current / Factor, High = Current * Factor;
  if (InSteps)
    Low = std::round(Low);
  if (!IsClock)
    Low = std::max(1.0, Low);
  auto Below = logarithms(Model, Point, Member, Low),
       Above = logarithms(Model, Point, Member, High);
  if (!Below)
    Below = logarithms(Model, Point, Member, Current);
  if (!Above)
    Above = logarithms(Model, Point, Member, Current);
  if (!Below || !Above || Below->second == Above->second)
    return std::nullopt;
  return (Above->first - Below->first) / (Above->second - Below->second);
}

Elasticities elasticities(const IsoModel &Model, const IsoPoint &Point) {
  return {elasticity(Model, Point, &IsoPoint::P), elasticity(Model, Point, &IsoPoint::N),
          elasticity(Model, Point, &IsoPoint::Mhz)};
}

std::string_view Elasticities::dominant() const {
  // The rounding error of a zero difference.
  double Most = 1e-9;
  std::string_view Result;
  const std::pair<const std::optional<double> &, std::string_view> All[] = {
      {P, "p"}, {N, "n"}, {Mhz, "f"}};
  for (const auto &[Value, Name] : All)
    if (Value && std::abs(*Value) > Most) {
      Most = std::abs(*Value);
      Result = Name;
    }
  return Result;
}

//===----------------------------------------------------------------------===//
// How far an efficiency is kept
//===----------------------------------------------------------------------===//

namespace {
enum class Verdict { Kept, Below, NoValue };
} // namespace

static std::vector<KeptRange> rangesThatKeep(double Bound, const IsoModel &Model, IsoPoint Point,
                                             double IsoPoint::*Member, double Last) {
  auto VerdictAt = [&](double Value) {
    Point.*Member = Value;
    auto Solution = Model.at(Point);
    if (!Solution)
      return Verdict::NoValue;
    return Solution->efficiency() >= Bound ? Verdict::Kept : Verdict::Below;
  };
  std::vector<KeptRange> Result;
  double Current = 1;
  Verdict What = VerdictAt(Current);
  while (true) {
    if (What == Verdict::Kept && (Result.empty() || Result.back().Last < Current - 1))
      Result.push_back({Current, Current, KeptRange::End::Searched});
    if (Current >= Last)
      return Result;
    double Next = std::min(Last, Current < 256 ? Current + 1 : std::ceil(Current * 65 / 64));
    Verdict Then = VerdictAt(Next);
    for (double Held = Current; Then != What && Next - Held > 1;) {
      const double Middle = std::floor((Held + Next) / 2);
      if (const Verdict V = VerdictAt(Middle); V == What) {
        Held = Middle;
      } else {
        Next = Middle;
        Then = V;
      }
    }
    if (What == Verdict::Kept) {
      Result.back().Last = Then == What ? Next : Next - 1;
      if (Then != What)
        Result.back().Why =
            Then == Verdict::Below ? KeptRange::End::Below : KeptRange::End::NoValue;
    }
    Current = Next;
    What = Then;
  }
}

std::vector<KeptRange> processorsThatKeep(double Bound, const IsoModel &Model,
                                          const IsoPoint &Point, double MaxP) {
  return rangesThatKeep(Bound, Model, Point, &IsoPoint::P, MaxP);
}

std::vector<KeptRange> sizesThatKeep(double Bound, const IsoModel &Model, const IsoPoint &Point,
                                     double MaxN) {
  return rangesThatKeep(Bound, Model, Point, &IsoPoint::N, MaxN);
}

} // namespace ergon
