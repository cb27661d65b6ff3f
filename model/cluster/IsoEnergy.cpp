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
  for (const IsoOverhead &Each : Overheads)
    Sum += Each.energy();
  return Sum;
}

std::optional<IsoPart> IsoEnergy::dominant() const {
  const auto *Most = std::ranges::max_element(
      Overheads, {}, [](const IsoOverhead &Each) { return std::abs(Each.energy()); });
  if (Most->energy() == 0)
    return std::nullopt;
  return IsoPart(Most - Overheads.begin());
}

/// What contradicts itself in a workload.
static std::optional<std::string> contradiction(const Workload &Of) {
  const std::pair<double, const char *> Amounts[] = {
      {Of.Computation, "W_c"},
      {Of.Memory, "W_m"},
      {Of.Computation + Of.ComputationOverhead, "W_c + W_co"},
      {Of.Memory + Of.MemoryOverhead, "W_m + W_mo"},
      {Of.Messages, "M"},
      {Of.MessageBytes, "B"},
      {Of.IoS, "T_IO"}};
  for (const auto &[Amount, Name] : Amounts)
    if (!(Amount >= 0))
      return std::string(Name) + " is negative there";
  return std::nullopt;
}

namespace {
/// Terms of a machine at a clock. One that multiplies nothing need not be stated.
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
                                                 const Workload &Of, const IsoPoint &At) {
  if (auto Wrong = contradiction(Of))
    return std::unexpected(NoEfficiency{*Wrong});
  using enum ClusterTerm;
  struct Part {
    double FirstS, OverheadS; // of T_1, of T_o
    ClusterTerm Power;
  };
  TermsAt Term{Terms, At.Mhz};
  // T_1 = W_c·t_c + W_m·t_m, T_o = W_co·t_c + W_mo·t_m + M·t_msg + B·t_Byte (2011, eq. 19);
  // T_IO is the same for one processor and for all together (eq. 5).
  const Part Parts[] = {{Term(ComputationS, Of.Computation),
                         Term(ComputationS, Of.ComputationOverhead), ComputationW},
                        {Term(MemoryS, Of.Memory), Term(MemoryS, Of.MemoryOverhead), MemoryW},
                        {0, Term(MessageS, Of.Messages) + Term(ByteS, Of.MessageBytes), NetworkW},
                        {Of.IoS, 0, IoW}};
  IsoEnergy Result;
  Result.Processors = At.P;
  for (std::size_t I = 0; I != std::size(Parts); ++I) {
    const auto &[FirstS, OverheadS, Power] = Parts[I];
    // Without a power of the network there is none (2011, eq. 12).
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
  auto Of = Work(Point.N, Point.P);
  if (!Of)
    return std::unexpected(Of.error());
  return isoEnergy(Terms, Overlap, *Of, Point);
}

//===----------------------------------------------------------------------===//
// Which parameter dominates
//===----------------------------------------------------------------------===//

/// ln EE and ln x at \p Value of the point's \p Member.
static std::optional<std::pair<double, double>> logarithms(const IsoModel &Of, IsoPoint At,
                                                           double IsoPoint::*Member, double Value) {
  At.*Member = Value;
  auto There = Of.at(At);
  if (!There)
    return std::nullopt;
  return std::pair(std::log(There->efficiency()), std::log(Value));
}

static std::optional<double> elasticity(const IsoModel &Of, const IsoPoint &At,
                                        double IsoPoint::*Member) {
  const bool IsClock = Member == &IsoPoint::Mhz, InSteps = Of.HasSteps && !IsClock;
  const double Factor = InSteps ? 2 : 1.001, Here = At.*Member;
  double Low = Here / Factor, High = Here * Factor;
  if (InSteps)
    Low = std::round(Low);
  if (!IsClock)
    Low = std::max(1.0, Low);
  auto Below = logarithms(Of, At, Member, Low), Above = logarithms(Of, At, Member, High);
  if (!Below)
    Below = logarithms(Of, At, Member, Here);
  if (!Above)
    Above = logarithms(Of, At, Member, Here);
  if (!Below || !Above || Below->second == Above->second)
    return std::nullopt;
  return (Above->first - Below->first) / (Above->second - Below->second);
}

Elasticities elasticities(const IsoModel &Of, const IsoPoint &At) {
  return {elasticity(Of, At, &IsoPoint::P), elasticity(Of, At, &IsoPoint::N),
          elasticity(Of, At, &IsoPoint::Mhz)};
}

std::string_view Elasticities::dominant() const {
  // What rounding leaves of a difference that is none.
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

static std::vector<KeptRange> rangesThatKeep(double Bound, const IsoModel &Of, IsoPoint At,
                                             double IsoPoint::*Member, double Last) {
  auto VerdictAt = [&](double Value) {
    At.*Member = Value;
    auto There = Of.at(At);
    if (!There)
      return Verdict::NoValue;
    return There->efficiency() >= Bound ? Verdict::Kept : Verdict::Below;
  };
  std::vector<KeptRange> Result;
  double Here = 1;
  Verdict What = VerdictAt(Here);
  while (true) {
    if (What == Verdict::Kept && (Result.empty() || Result.back().Last < Here - 1))
      Result.push_back({Here, Here, KeptRange::End::Searched});
    if (Here >= Last)
      return Result;
    double Next = std::min(Last, Here < 256 ? Here + 1 : std::ceil(Here * 65 / 64));
    Verdict Then = VerdictAt(Next);
    for (double Held = Here; Then != What && Next - Held > 1;) {
      const double Middle = std::floor((Held + Next) / 2);
      if (const Verdict There = VerdictAt(Middle); There == What) {
        Held = Middle;
      } else {
        Next = Middle;
        Then = There;
      }
    }
    if (What == Verdict::Kept) {
      Result.back().Last = Then == What ? Next : Next - 1;
      if (Then != What)
        Result.back().Why =
            Then == Verdict::Below ? KeptRange::End::Below : KeptRange::End::NoValue;
    }
    Here = Next;
    What = Then;
  }
}

std::vector<KeptRange> processorsThatKeep(double Bound, const IsoModel &Of, const IsoPoint &At,
                                          double MaxP) {
  return rangesThatKeep(Bound, Of, At, &IsoPoint::P, MaxP);
}

std::vector<KeptRange> sizesThatKeep(double Bound, const IsoModel &Of, const IsoPoint &At,
                                     double MaxN) {
  return rangesThatKeep(Bound, Of, At, &IsoPoint::N, MaxN);
}

} // namespace ergon
