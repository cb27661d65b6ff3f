//===- InCoreCosts.cpp - in-core costs of instructions --------------------===//

#include "model/incore/InCoreCosts.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

namespace ergon {

static bool isFloat(std::string_view Type) { return Type.starts_with('f') || Type == "bf16"; }

/// Distance between a measured and a wanted stream: another type of the same kind, another width.
static double distance(unsigned Measured, unsigned Wanted) {
  return std::abs(std::log2(double(Measured)) - std::log2(double(std::max(1u, Wanted))));
}

InCoreCosts::InCoreCosts(const Pipeline &P, unsigned Threads) : Core(P), Threads(Threads) {
  for (const PipelineShare &Share : P.Shares)
    if (Threads > 1 && Share.Threads <= Threads) {
      Busy = std::min(1.0, Share.Busy.Median.Value);
      Waiting = std::min(1.0, Share.Waiting.Median.Value);
    }
}

const PipelineStream *InCoreCosts::find(std::string_view Level, std::string_view Access,
                                        unsigned Threads, std::optional<unsigned> Bits) const {
  assert(std::ranges::find(StreamNames, Access) != std::end(StreamNames) &&
         "a stream that nobody measures");
  const PipelineStream *Best = nullptr;
  auto Rank = [&](const PipelineStream &Stream) {
    return std::tuple(Stream.Threads > Threads, std::abs(double(Stream.Threads) - Threads),
                      Bits ? distance(Stream.Bits, *Bits) : -double(Stream.Bits), Stream.Bits);
  };
  for (const PipelineStream &PS : Core.Streams)
    if (PS.Level == Level && PS.Access == Access && (!Best || Rank(PS) < Rank(*Best)))
      Best = &PS;
  return Best;
}

std::optional<double> InCoreCosts::bytesPerS(std::string_view Level, std::string_view Access,
                                             std::optional<unsigned> Bits,
                                             double FetchedBytes) const {
  const auto Far = farBytesPerS(Level, Access, Bits, Threads);
  if (!Far || Level != "dram" || FetchedBytes <= 0 || !hasPasses())
    return Far;
  // A pass is one thread's: others slow it down as they do in streams.
  const auto Alone = farBytesPerS(Level, Access, Bits, 1);
  const double Slower = Alone ? std::min(1.0, *Far / *Alone) : 1;
  if (auto Pass = passPerS(Access, Bits, FetchedBytes, Alone))
    return *Pass * Slower;
  // What was not measured is as much faster or slower than far away as loads in order are.
  const auto Loads = farBytesPerS(Level, "load", Bits, 1);
  const auto Pass = Loads ? passPerS("load", Bits, FetchedBytes, Loads) : std::nullopt;
  return Pass ? *Far * *Pass / *Loads : *Far;
}

/// So many times the longest measured pass no longer depends on its length: the TLB has none of its
/// pages, and prefetchers ask as far ahead as they do.
static constexpr double FarAway = 16;

/// The passes of an access with the width nearest to \p Bits, or the widest; fewest bytes first.
std::vector<const PipelinePass *> InCoreCosts::passesOf(std::string_view Access,
                                                        std::optional<unsigned> Bits) const {
  std::vector<const PipelinePass *> Result;
  auto Rank = [&](const PipelinePass &Pass) {
    return std::pair(Bits ? distance(Pass.Bits, *Bits) : 0, -double(Pass.Bits));
  };
  for (const PipelinePass &Pass : Core.Passes) {
    if (Pass.Access != Access)
      continue;
    if (!Result.empty() && Rank(Pass) < Rank(*Result.front()))
      Result.clear();
    if (Result.empty() || Rank(Pass) == Rank(*Result.front()))
      Result.push_back(&Pass);
  }
  return Result;
}

double InCoreCosts::farShare(std::string_view Access, unsigned Bits, double FetchedBytes) const {
  const auto Measured = passesOf(Access, Bits);
  if (Measured.size() < 2 || FetchedBytes <= 0)
    return 1;
  const double Times = FetchedBytes / Measured.back()->FetchedBytes;
  return std::clamp(std::log(Times) / std::log(FarAway), 0.0, 1.0);
}

/// Bytes per second of a pass that fetches so many: between those of the passes that were measured,
/// straight in logarithms, and of these and \p FarPerS. Nothing where fewer than two were.
std::optional<double> InCoreCosts::passPerS(std::string_view Access, std::optional<unsigned> Bits,
                                            double FetchedBytes,
                                            std::optional<double> FarPerS) const {
  struct Point {
    double Bytes, PerS;
  };
  std::vector<Point> Points;
  for (const PipelinePass *Pass : passesOf(Access, Bits))
    Points.push_back({Pass->FetchedBytes, Pass->BytesPerS.Median.Value});
  if (Points.size() < 2)
    return std::nullopt;
  if (FarPerS)
    Points.push_back({FarAway * Points.back().Bytes, *FarPerS});
  if (FetchedBytes >= Points.back().Bytes)
    return Points.back().PerS;
  auto Above = std::ranges::upper_bound(Points, FetchedBytes, {}, &Point::Bytes);
  Above = std::clamp(Above, Points.begin() + 1, Points.end() - 1);
  const Point &From = Above[-1], &To = *Above;
  const double Slope = std::log(To.PerS / From.PerS) / std::log(To.Bytes / From.Bytes);
  // Below the smallest: fewer bytes take no longer, and no line is faster.
  const double Used = FetchedBytes < From.Bytes ? std::clamp(Slope, 0.0, 1.0) : Slope;
  return From.PerS * std::pow(FetchedBytes / From.Bytes, Used);
}

/// Of data that no cache holds a part of, for one of so many threads.
std::optional<double> InCoreCosts::farBytesPerS(std::string_view Level, std::string_view Access,
                                                std::optional<unsigned> Bits,
                                                unsigned Together) const {
  const PipelineStream *Best = find(Level, Access, Together, Bits);
  if (!Best)
    return std::nullopt;
  const double Rate = Best->BytesPerS.Median.Value / Best->Threads;
  if (Bits) {
    // With several threads not all widths are measured: the slowdown of one width applies to the
    // others.
    const PipelineStream *Wanted = find(Level, Access, 1, Bits),
                         *Alone = find(Level, Access, 1, Best->Bits);
    return Wanted->Threads == 1 && Alone->Threads == 1 && Alone->Bits == Best->Bits
               ? Rate * Wanted->BytesPerS.Median.Value / Alone->BytesPerS.Median.Value
               : Rate;
  }
  // The vector width with the best lower confidence bound: a noisy measurement may only seem
  // fastest.
  const PipelineStream *Surest = nullptr;
  for (const PipelineStream &Stream : Core.Streams)
    if (Stream.Level == Level && Stream.Access == Access && Stream.Threads == Best->Threads &&
        Stream.Bits >= VectorBits && (!Surest || Stream.BytesPerS.Low > Surest->BytesPerS.Low))
      Surest = &Stream;
  return Surest ? Surest->BytesPerS.Median.Value / Surest->Threads : Rate;
}

/// The unit that an instruction occupies. Empty: none that limits.
static std::string_view unitOf(const InstructionKind &Kind) {
  const std::string &What = Kind.Operation;
  if (What == "load" || What == "gather")
    return "load";
  if (What == "store" || What == "scatter")
    return "store";
  if (What == "div" || What == "sqrt")
    return "divide";
  if (What == "branch" || What == "jump" || What == "atomic")
    return "";
  if (What == "shuffle" || What == "extend")
    return "shuffle";
  if (isFloat(Kind.Type))
    return What == "add" || What == "max"   ? "float add"
           : What == "mul" || What == "fma" ? "float multiply"
           : What == "convert"              ? "convert"
           : What == "logic"                ? "logic"
                                            : "";
  if (What == "mul")
    return Kind.Bits >= VectorBits ? "float multiply" : "integer multiply";
  return Kind.Bits >= VectorBits ? "logic" : "integer";
}

/// A call of the mathematical library, whose instructions are not counted.
static bool isFunction(const InstructionKind &Kind) {
  return isFloat(Kind.Type) && unitOf(Kind).empty();
}

/// The operation of the same kind of unit, or the function of the same method, that replaces one
/// that was not measured; of functions the slowest in the end.
static std::string_view standIn(std::string_view Operation) {
  static const std::map<std::string_view, std::string_view> Known = {
      {"logic", "add"}, {"max", "add"},        {"convert", "add"}, {"shuffle", "add"},
      {"fma", "mul"},   {"extend", "shuffle"}, {"exp2", "exp"},    {"exp10", "exp"},
      {"expm1", "exp"}, {"log2", "log"},       {"log10", "log"},   {"log1p", "log"},
      {"cos", "sin"},   {"sincos", "sin"},     {"sin", "exp"},     {"log", "exp"},
      {"acos", "atan"}, {"asin", "atan"},      {"atan2", "atan"},  {"atan", "tan"},
      {"sinh", "tanh"}, {"cosh", "tanh"},      {"tanh", "exp"},    {"tan", "sin"},
      {"cbrt", "pow"},  {"pow", "tan"}};
  auto Found = Known.find(Operation);
  return Found == Known.end() ? "" : Found->second;
}

const PipelineOperation *
InCoreCosts::find(const InstructionKind &Kind,
                  std::optional<MeasuredQuantity> PipelineOperation::*O) const {
  const PipelineOperation *Best = nullptr;
  auto Rank = [&](const PipelineOperation &Operation) {
    return std::tuple(isFloat(Operation.Type) != isFloat(Kind.Type),
                      distance(Operation.Bits, Kind.Bits), Operation.Type != Kind.Type);
  };
  const bool IsOther = !Kind.Operation.empty() && standIn(Kind.Operation).empty();
  for (std::string_view Name = Kind.Operation; !Name.empty();
       Name = IsOther && isFunction(Kind) && Name == Kind.Operation ? "pow" : standIn(Name)) {
    for (const PipelineOperation &PO : Core.Operations)
      if (PO.Operation == Name && PO.*O && (!Best || Rank(PO) < Rank(*Best)))
        Best = &PO;
    if (Best)
      return Best;
  }
  return nullptr;
}

std::optional<double> InCoreCosts::accessesPerS(std::string_view Stream, unsigned Bits) const {
  auto Bytes = bytesPerS("l1", Stream, Bits);
  // Narrower ones are as fast as the narrowest that was measured.
  static constexpr unsigned Narrowest = 64;
  return Bytes ? std::optional(*Bytes * 8 / std::max(Bits, Narrowest)) : std::nullopt;
}

double InCoreCosts::besideFactor(std::string_view Access, unsigned Bits, double LineBytes) const {
  auto InLine = bytesPerS("l1", Access, Bits),
       Beside = bytesPerS("l1", std::string(Access) + "_beside", Bits);
  if (InLine && Beside)
    return std::max(1.0, *InLine / *Beside);
  return 1 + double(Bits) / 8 / LineBytes; // an access that crosses a line counts twice
}

/// Gathers and scatters of 4- and 8-byte lanes are measured separately; a missing one has the
/// other's cost.
std::optional<double> InCoreCosts::byIndexPerS(std::string_view Access,
                                               const InstructionKind &Kind) const {
  unsigned LaneBits = 64; // for types without a width, such as pointers
  const std::string_view Type = Kind.Type;
  const std::size_t Digits = std::min(Type.find_first_of("0123456789"), Type.size());
  std::from_chars(Type.data() + Digits, Type.data() + Type.size(), LaneBits);
  const bool IsNarrow = LaneBits <= 32;
  const std::string Name(Access);
  auto Rate = accessesPerS(Name + (IsNarrow ? "4" : "8"), Kind.Bits);
  return Rate ? Rate : accessesPerS(Name + (IsNarrow ? "8" : "4"), Kind.Bits);
}

/// Throughput in instructions per second.
std::optional<double> InCoreCosts::perS(const InstructionKind &Kind) const {
  if (Kind.Operation == "gather" || Kind.Operation == "scatter")
    if (auto Rate = byIndexPerS(Kind.Operation, Kind))
      return Rate;
  for (auto [Access, Stream] :
       {std::pair("load", "load"), std::pair("store", "store"), std::pair("scatter", "store")})
    if (Kind.Operation == Access)
      return accessesPerS(Stream, Kind.Bits);
  const PipelineOperation *Found = find(Kind, &PipelineOperation::PerS);
  return Found ? std::optional(Found->PerS->Median.Value * Busy) : std::nullopt;
}

/// Whether the units shared by vectors and floating-point numbers execute it.
static bool isVector(const InstructionKind &Kind) {
  return !unitOf(Kind).empty() && unitOf(Kind) != "load" && unitOf(Kind) != "store" &&
         (isFloat(Kind.Type) || Kind.Bits >= VectorBits);
}

BoundTime InCoreCosts::busyS(const InstructionMix &Mix) const {
  std::map<std::string_view, double> Units;
  double CallsS = 0;
  for (const auto &[Kind, Times] : Mix.Counts) {
    std::string_view Unit = unitOf(Kind);
    if (Unit.empty() && !isFunction(Kind))
      continue;
    auto Rate = perS(Kind);
    if (!Rate)
      Unpriced.insert(Kind.Operation + " " + Kind.Type);
    else
      (isFunction(Kind) ? CallsS : Units[Unit]) += Times / *Rate;
    // Both are many small operations for the same ports.
    if (Rate && (Kind.Operation == "gather" || Kind.Operation == "scatter"))
      Units["indexed"] += Times / *Rate;
    // At most two loads and a store per cycle access the first-level cache.
    if (Unit == "load" || Unit == "store")
      if (auto Any = accessesPerS("triad", Kind.Bits))
        Units["accesses"] += Times / *Any;
    if (isVector(Kind)) // any vector instruction takes one of the vector units
      if (auto Any = perS({"add", "i64", std::max(Kind.Bits, VectorBits)}))
        Units["vector"] += Times / *Any;
  }
  BoundTime Result;
  Result.atLeast(issueS(Mix.Slots, 0), "issue");
  for (const auto &[Unit, S] : Units)
    Result.atLeast(S, Unit);
  // A function call does not overlap with the code around it.
  if (CallsS > 0) {
    Result.atLeast(CallsS, "functions");
    Result.S += Result.Bound == "functions" ? 0 : CallsS;
  }
  return Result;
}

double InCoreCosts::issueS(double Slots, double Pieces) const {
  const double SlotS = Core.IssuePerS ? 1 / (Core.IssuePerS->Median.Value * Busy) : 0;
  auto Jumps = perS({"jump", "i64", 64});
  return std::max(Slots * SlotS, Jumps ? Pieces / *Jumps : 0);
}

double InCoreCosts::chainShare(double Instructions, double Slots) const {
  if (!Core.SchedulerWindow || Instructions <= 0)
    return 1;
  // Waiting instructions take a queue of half a SchedulerWindow. Where a chain is longer than twice
  // that, the next one starts when that much of it is left; of short chains many are in the queue,
  // each with half of its instructions on average.
  const double Queued = Core.SchedulerWindow->Median.Value / Instructions;
  double Share = Queued < 1 ? 1 - Queued / 2 : 1 / (1 + Queued);
  // The reorder buffer keeps everything issued since its oldest waiting instruction.
  if (Core.ReorderWindow && Slots > 0) {
    const double Kept = Core.ReorderWindow->Median.Value / Slots;
    Share = std::max(Share, Kept < 0.5 ? 1 - Kept : 1 / (1 + std::max(1.0, Kept)));
  }
  return Share;
}

double InCoreCosts::mispredictS() const {
  auto Found = std::ranges::find(Core.Operations, "mispredict", &PipelineOperation::Operation);
  return Found == Core.Operations.end() || !Found->LatencyS
             ? 0
             : Found->LatencyS->Median.Value / Waiting;
}

double InCoreCosts::notHidden(double FetchedBytes) const {
  // Measured before sums of streams were probes: 0.1 to 0.6.
  static constexpr double Unmeasured = 1.0 / 3;
  static constexpr unsigned Bits = 64;
  const auto Loads = bytesPerS("dram", "load", Bits, FetchedBytes),
             Sums = bytesPerS("dram", "load_sum", Bits, FetchedBytes);
  const PipelineOperation *Add = find({"add", "f64", Bits}, &PipelineOperation::LatencyS);
  if (!Loads || !Sums || !Add)
    return Unmeasured;
  const double LoadS = Bits / 8 / *Loads, SumS = Bits / 8 / *Sums,
               AddS = Add->LatencyS->Median.Value / Waiting;
  return std::clamp((SumS - std::max(LoadS, AddS)) / std::min(LoadS, AddS), 0.0, 1.0);
}

double InCoreCosts::lookaheadS(double WorkSlots, double FetchedBytes, double LineBytes) const {
  // A vector of the probe is a load and so many additions: the wider, the fewer for each line.
  static constexpr double Additions = 16;
  struct Point {
    double Slots, S;
  };
  const auto Widest = passesOf("load_add16", std::nullopt);
  if (Widest.empty() || FetchedBytes <= 0)
    return 0;
  const auto First = passPerS("load", Widest.front()->Bits, FetchedBytes, std::nullopt);
  if (!First)
    return 0;
  std::vector<Point> Points = {{0, LineBytes / *First}};
  for (unsigned Bits = Widest.front()->Bits; Bits >= 8; Bits /= 2) {
    const auto Measured = passesOf("load_add16", Bits);
    const auto PerS = passPerS("load_add16", Bits, FetchedBytes, std::nullopt);
    if (PerS && Measured.front()->Bits == Bits)
      Points.push_back({Additions * 8 * LineBytes / Bits, LineBytes / *PerS});
  }
  if (Points.size() < 2)
    return 0;
  auto Above = std::ranges::find_if(Points, [&](const Point &P) { return P.Slots > WorkSlots; });
  const bool IsBeyond = Above == Points.end();
  const Point &From = Above[-1];
  // Beyond the last, what is issued more is not hidden by anything.
  const double SlotS = IsBeyond ? issueS(1, 0) : (Above->S - From.S) / (Above->Slots - From.Slots);
  return std::max(0.0, From.S + SlotS * (WorkSlots - From.Slots) - Points.front().S);
}

double InCoreCosts::repeatedShare(double SoMany) const {
  const PipelineRepeated *Below = nullptr;
  for (const PipelineRepeated &Repeated : Core.Repeated) {
    const double Share = Repeated.Mispredicted.Median.Value;
    if (SoMany <= Repeated.Branches) {
      if (!Below)
        return Share;
      const double From = Below->Mispredicted.Median.Value;
      return From + (Share - From) * std::log2(SoMany / Below->Branches) /
                        std::log2(double(Repeated.Branches) / Below->Branches);
    }
    Below = &Repeated;
  }
  return 1;
}

double InCoreCosts::loadS(std::string_view Level, double FetchedBytes) const {
  static constexpr double LoadBytes = 8; // of the next load's address
  auto Found = std::ranges::find(Core.Latencies, Level, &PipelineLatency::Level);
  const bool IsMeasured = Found != Core.Latencies.end();
  const auto FarPerS =
      IsMeasured ? std::optional(LoadBytes / Found->LatencyS.Median.Value) : std::nullopt;
  const auto PerS =
      Level == "dram" && FetchedBytes > 0 ? passPerS("follow", {}, FetchedBytes, FarPerS) : FarPerS;
  return PerS ? LoadBytes / *PerS : 0;
}

double InCoreCosts::chainS(const InstructionMix &Chain, double LoadS) const {
  double Sum = 0;
  for (const auto &[Kind, Times] : Chain.Counts) {
    if (Kind.Operation == "load")
      Sum += Times * LoadS;
    if (Kind.Operation == "load" || Kind.Operation == "branch" || Kind.Operation == "store")
      continue;
    if (const PipelineOperation *Found = find(Kind, &PipelineOperation::LatencyS))
      Sum += Times * Found->LatencyS->Median.Value;
    else if (auto Rate = isFunction(Kind) ? perS(Kind) : std::nullopt)
      Sum += Times / *Rate;
    else
      Unpriced.insert(Kind.Operation + " " + Kind.Type);
  }
  return Sum / Waiting;
}

} // namespace ergon
