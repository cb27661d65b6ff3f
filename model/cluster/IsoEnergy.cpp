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

double IsoMachine::nodes(double P) const { return std::ceil(P / PerNode); }

double IsoMachine::onFullest(double P) const { return std::min(P, PerNode); }

double IsoMachine::partnersInNode(double P) const {
  return P > 1 ? (onFullest(P) - 1) / (P - 1) : 1;
}

namespace {
/// Seconds of a run on P processors, summed over them, before α.
struct IsoTimes {
  double Computation, Memory, Waiting, InNode, Network, Io;
};
} // namespace

/// \p W is summed over all processors, and has no overheads beside.
static IsoTimes timesOf(TermsAt &Term, const IsoMachine &Machine, const Workload &W, double P) {
  using enum ClusterTerm;
  const double Inside = Machine.partnersInNode(P);
  auto OfNode = [&](ClusterTerm OnNode, ClusterTerm OnNetwork, double Amount) {
    return Term(Machine.Terms.contains(OnNode) ? OnNode : OnNetwork, Amount);
  };
  IsoTimes Result{.Computation = Term(ComputationS, W.Computation),
                  .Memory = Term(MemoryS, W.Memory),
                  .Waiting = 0,
                  .InNode = OfNode(NodeMessageS, MessageS, Inside * W.Messages) +
                            OfNode(NodeByteS, ByteS, Inside * W.MessageBytes),
                  .Network = Term(MessageS, (1 - Inside) * W.Messages) +
                             Term(ByteS, (1 - Inside) * W.MessageBytes),
                  .Io = W.IoS};
  // A node's memory serves the accesses of all its processors one after the other.
  if (Machine.Terms.contains(NodeMemoryS))
    Result.Waiting = std::max(0.0, Machine.onFullest(P) * Term(NodeMemoryS, W.Memory) -
                                       Result.Computation - Result.Memory);
  return Result;
}

std::expected<IsoEnergy, NoEfficiency> isoEnergy(const IsoMachine &Machine, double Overlap,
                                                 const Workload &W, const IsoPoint &Point) {
  if (auto Wrong = contradiction(W))
    return std::unexpected(NoEfficiency{*Wrong});
  using enum ClusterTerm;
  TermsAt Term{Machine.Terms, Point.Mhz};
  Workload Parallel = W;
  Parallel.Computation += W.ComputationOverhead;
  Parallel.Memory += W.MemoryOverhead;
  Workload Sequential = W;
  Sequential.Messages = Sequential.MessageBytes = 0;
  const IsoTimes First = timesOf(Term, Machine, Sequential, 1),
                 All = timesOf(Term, Machine, Parallel, Point.P);
  // T_1 = W_c·t_c + W_m·t_m, T_o = W_co·t_c + W_mo·t_m + M·t_msg + B·t_Byte (2011, eq. 19);
  // T_IO is the same for one processor and for all together (eq. 5). Active seconds are those in
  // which a part's own device is busy: not while a processor waits for its turn at the memory.
  struct Part {
    double FirstS, OverheadS, FirstActiveS, OverheadActiveS;
    ClusterTerm Power;
  };
  const Part Parts[] = {{First.Computation, All.Computation - First.Computation, First.Computation,
                         All.Computation - First.Computation, ComputationW},
                        {First.Memory + First.Waiting,
                         All.Memory + All.Waiting - First.Memory - First.Waiting, First.Memory,
                         All.Memory - First.Memory, MemoryW},
                        {0, All.InNode + All.Network, 0, All.Network, NetworkW},
                        {W.IoS, 0, W.IoS, 0, IoW}};
  IsoEnergy Result;
  Result.Processors = Point.P;
  // Without them, a node has no power of its own, and without a stated network power the network
  // has none (2011, eq. 12).
  const bool HasNodes = Machine.Terms.contains(NodeIdleW),
             HasNetwork = Machine.Terms.contains(NetworkW);
  const double Nodes = Machine.nodes(Point.P) / Point.P;
  auto NodeJ = [&](double Seconds) { return HasNodes ? Term(NodeIdleW, Seconds) : 0; };
  for (std::size_t I = 0; I != std::size(Parts); ++I) {
    const auto &[FirstS, OverheadS, FirstActiveS, OverheadActiveS, Power] = Parts[I];
    const bool HasPower = Power != NetworkW || HasNetwork;
    Result.SequentialS += Overlap * FirstS;
    Result.SequentialJ += Term(IdleW, Overlap * FirstS) + NodeJ(Overlap * FirstS) +
                          (HasPower ? Term(Power, FirstActiveS) : 0);
    Result.Overheads[I] = {Overlap * OverheadS, HasPower ? Term(Power, OverheadActiveS) : 0,
                           Term(IdleW, Overlap * OverheadS) + NodeJ(Nodes * Overlap * OverheadS)};
    Result.ParallelS += Overlap * (FirstS + OverheadS);
  }
  Result.Overheads[std::size_t(IsoPart::Sharing)].IdleJ = NodeJ((Nodes - 1) * Result.SequentialS);
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
  return isoEnergy(Machine, Overlap, *Workload, Point);
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

std::vector<KeptRange>
rangesThatKeep(double Bound, double Last,
               const std::function<std::optional<double>(double)> &Efficiency) {
  auto VerdictAt = [&](double Value) {
    const auto Found = Efficiency(Value);
    if (!Found)
      return Verdict::NoValue;
    return *Found >= Bound ? Verdict::Kept : Verdict::Below;
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

static std::vector<KeptRange> rangesOver(double IsoPoint::*Member, double Bound, double Last,
                                         const IsoModel &Model, IsoPoint Point) {
  return rangesThatKeep(Bound, Last, [&](double Value) -> std::optional<double> {
    Point.*Member = Value;
    const auto Solution = Model.at(Point);
    return Solution ? std::optional(Solution->efficiency()) : std::nullopt;
  });
}

std::vector<KeptRange> processorsThatKeep(double Bound, const IsoModel &Model,
                                          const IsoPoint &Point, double MaxP) {
  return rangesOver(&IsoPoint::P, Bound, MaxP, Model, Point);
}

std::vector<KeptRange> sizesThatKeep(double Bound, const IsoModel &Model, const IsoPoint &Point,
                                     double MaxN) {
  return rangesOver(&IsoPoint::N, Bound, MaxN, Model, Point);
}

} // namespace ergon
