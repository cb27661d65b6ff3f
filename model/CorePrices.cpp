//===- CorePrices.cpp - seconds of instructions on one core ---------------===//

#include "model/CorePrices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace ergon {

static bool isFloat(std::string_view Type) { return Type.starts_with('f') || Type == "bf16"; }

/// How far \p Measured is from what is asked for: another type of its kind, another width.
static double distance(unsigned Measured, unsigned Wanted) {
  return std::abs(std::log2(double(Measured)) - std::log2(double(std::max(1u, Wanted))));
}

CorePrices::CorePrices(const Pipeline &Of, unsigned Threads) : Of(Of), Threads(Threads) {
  // Threads that share a core do together no more than one: first-level loads tell.
  static constexpr unsigned Bits = 256;
  if (Threads > 1)
    if (auto One = CorePrices(Of).bytesPerS("l1", "load", Bits),
        Each = bytesPerS("l1", "load", Bits);
        One && Each)
      Share = std::min(1.0, *Each / *One);
}

std::optional<double> CorePrices::bytesPerS(std::string_view Level, std::string_view Access,
                                            unsigned Bits) const {
  const PipelineStream *Best = nullptr;
  auto Rank = [&](const PipelineStream &Each) {
    return std::tuple(Each.Threads > Threads, std::abs(double(Each.Threads) - Threads),
                      distance(Each.Bits, Bits), Each.Bits);
  };
  for (const PipelineStream &Each : Of.Streams)
    if (Each.Level == Level && Each.Access == Access && (!Best || Rank(Each) < Rank(*Best)))
      Best = &Each;
  if (!Best)
    return std::nullopt;
  return Best->BytesPerS.Of.Value / Best->Threads;
}

/// What does an operation's work where it was not measured itself: units of the same kind.
static std::string_view standIn(std::string_view Operation) {
  if (Operation == "logic" || Operation == "max" || Operation == "convert" ||
      Operation == "shuffle")
    return "add";
  if (Operation == "fma")
    return "mul";
  return "";
}

const PipelineOperation *
CorePrices::find(const InstructionKind &Kind,
                 std::optional<MeasuredQuantity> PipelineOperation::*Has) const {
  const PipelineOperation *Best = nullptr;
  auto Rank = [&](const PipelineOperation &Each) {
    return std::tuple(isFloat(Each.Type) != isFloat(Kind.Type), distance(Each.Bits, Kind.Bits),
                      Each.Type != Kind.Type);
  };
  for (std::string_view Name : {std::string_view(Kind.Operation), standIn(Kind.Operation)}) {
    for (const PipelineOperation &Each : Of.Operations)
      if (Each.Operation == Name && Each.*Has && (!Best || Rank(Each) < Rank(*Best)))
        Best = &Each;
    if (Best)
      return Best;
  }
  return nullptr;
}

/// Instructions a second.
std::optional<double> CorePrices::perS(const InstructionKind &Kind) const {
  for (auto [Access, Stream] : {std::pair("load", "load"), std::pair("store", "store"),
                                std::pair("gather", "gather"), std::pair("scatter", "store")})
    if (Kind.Operation == Access) {
      auto Bytes = bytesPerS("l1", Stream, Kind.Bits);
      // Narrow ones are as many as those of the narrowest that was measured.
      static constexpr unsigned Narrowest = 64;
      return Bytes ? std::optional(*Bytes * 8 / std::max(Kind.Bits, Narrowest)) : std::nullopt;
    }
  const PipelineOperation *Found = find(Kind, &PipelineOperation::PerS);
  return Found ? std::optional(Found->PerS->Of.Value * Share) : std::nullopt;
}

/// Units that do nothing else at the same time. Empty: none that anybody waits for.
static std::string_view unitOf(const InstructionKind &Kind) {
  const std::string &What = Kind.Operation;
  static constexpr unsigned VectorBits = 128;
  if (What == "load" || What == "gather")
    return "load";
  if (What == "store" || What == "scatter")
    return "store";
  if (What == "div" || What == "sqrt")
    return "divide";
  if (What == "branch" || What == "atomic")
    return "";
  if (What == "shuffle")
    return "shuffle";
  if (isFloat(Kind.Type))
    return What == "add" || What == "max"   ? "float add"
           : What == "mul" || What == "fma" ? "float multiply"
           : What == "convert"              ? "convert"
           : What == "logic"                ? "vector"
                                            : "";
  if (What == "mul")
    return Kind.Bits >= VectorBits ? "float multiply" : "integer multiply";
  return Kind.Bits >= VectorBits ? "vector" : "integer";
}

/// A call of the mathematical library: instructions that nobody counted.
static bool isFunction(const InstructionKind &Kind) {
  return isFloat(Kind.Type) && unitOf(Kind).empty();
}

BoundTime CorePrices::busyS(const InstructionMix &Mix) const {
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
  }
  BoundTime Result;
  if (Of.IssuePerS)
    Result.atLeast(Mix.Slots / (Of.IssuePerS->Of.Value * Share), "issue");
  for (const auto &[Unit, S] : Units)
    Result.atLeast(S, Unit);
  // A function is not overlapped with what is around it.
  if (CallsS > 0) {
    Result.atLeast(CallsS, "functions");
    Result.S += Result.Bound == "functions" ? 0 : CallsS;
  }
  return Result;
}

double CorePrices::chainS(const InstructionMix &Chain) const {
  double Sum = 0;
  for (const auto &[Kind, Times] : Chain.Counts) {
    if (Kind.Operation == "load") {
      auto L1 = std::ranges::find(Of.Latencies, "l1", &PipelineLatency::Level);
      if (L1 != Of.Latencies.end()) {
        Sum += Times * L1->LatencyS.Of.Value;
        continue;
      }
    }
    if (Kind.Operation == "branch" || Kind.Operation == "store")
      continue;
    if (const PipelineOperation *Found = find(Kind, &PipelineOperation::LatencyS))
      Sum += Times * Found->LatencyS->Of.Value;
    else if (auto Rate = isFunction(Kind) ? perS(Kind) : std::nullopt)
      Sum += Times / *Rate;
    else
      Unpriced.insert(Kind.Operation + " " + Kind.Type);
  }
  return Sum;
}

} // namespace ergon
