//===- SymbolEstimate.cpp - stand-ins for unknown values ------------------===//

#include "model/program/SymbolEstimate.h"

#include <algorithm>
#include <cstdint>

namespace ergon {

namespace {
/// What is assumed of symbols whose names begin with a prefix.
struct Prior {
  std::string_view Prefix;
  std::int64_t Value, Low;
  std::optional<std::int64_t> High;
};
} // namespace

static constexpr std::int64_t UsualSize = 1000;

// The limits of a launch: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability".
static constexpr Prior Priors[] = {
    {"trips@", 10, 0, std::nullopt},
    {EndlessLoop, 1, 1, 1},
    {"runs@", 1, 0, std::nullopt},
    {"shared_bytes@", 0, 0, 232448},
    {"block.x", 256, 1, 1024},
    {"block.y", 1, 1, 1024},
    {"block.z", 1, 1, 64},
    {"grid.x", 1024, 1, 2147483647},
    {"grid.y", 1, 1, 65535},
    {"grid.z", 1, 1, 65535},
    {"omp.threads", 1, 1, std::nullopt},
    {ProcessCount, 1, 1, std::nullopt},
    {"", UsualSize, 0, std::nullopt},
};

/// An array of the usual size.
static constexpr std::int64_t BytesOfArray = 8 * UsualSize;

SymbolEstimate estimateOf(const Unknown &U) {
  SymbolEstimate Result;
  Result.What = U;
  Result.Source = "assumed";
  if (U.Symbol.starts_with("taken@")) {
    Result.Value = Rational(1) / Rational(2);
    Result.High = 1;
  } else {
    const Prior *Found = std::ranges::find_if(
        Priors, [&](const Prior &P) { return U.Symbol.starts_with(P.Prefix); });
    Result.Value = Found->Value;
    Result.Low = Found->Low;
    if (Found->High)
      Result.High = *Found->High;
  }
  if (U.Address != 0) // of another array each, or where one ends
    Result.Value = Rational(BytesOfArray) * Rational(U.Address);
  if (U.Most)
    Result.High = Rational(U.Most);
  if (auto Limit = U.Limit ? U.Limit->constant() : std::nullopt) {
    *Limit = std::max(*Limit, Result.Low);
    Result.High = Result.High ? std::min(*Result.High, *Limit) : *Limit;
  }
  if (U.Symbol.starts_with(EndlessLoop)) {
    Result.Source = "one iteration";
  } else if (auto Usually = U.Usually ? U.Usually->constant() : std::nullopt;
             Usually && !U.Limit && !U.Most) {
    Result.Value = *Usually;
    Result.Source = "no contention";
  } else if (U.Usually && (U.Limit || U.Most) && Result.High) {
    Result.Value = *Result.High;
    Result.Source = "ordinary numbers";
  } else if (U.Estimate) {
    Result.Value = *U.Estimate;
    Result.Source = "branch probabilities";
  }
  if (Result.High)
    Result.Value = std::min(Result.Value, *Result.High);
  return Result;
}

bool SymbolLimits::add(const std::string &Symbol, const std::optional<Rational> &Most) {
  auto [Slot, New] = Found.try_emplace(Symbol, Most);
  std::optional<Rational> &Limit = Slot->second;
  if (New || !Limit || (Most && *Most <= *Limit))
    return false;
  Limit = Most;
  return true;
}

std::optional<Expr> SymbolLimits::of(const std::string &Symbol) const {
  auto Limit = Found.find(Symbol);
  return Limit == Found.end() || !Limit->second ? std::nullopt
                                                : std::optional(Expr(*Limit->second));
}

} // namespace ergon
