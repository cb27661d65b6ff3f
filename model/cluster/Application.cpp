//===- Application.cpp - work of a parallel program by n and p ------------===//

#include "model/cluster/Application.h"

#include <algorithm>

namespace ergon {

/// Every formula of an application.
static std::vector<const Formula *> formulasOf(const Application &A) {
  std::vector<const Formula *> Result;
  for (const auto &[Term, SF] : A.Terms)
    Result.push_back(&SF.Amount);
  for (const CollectiveUse &Use : A.Collectives)
    for (const Formula *F : {&Use.Starts, &Use.Shares, &Use.Calls.Amount, &Use.Bytes.Amount})
      Result.push_back(F);
  return Result;
}

std::set<std::string> Application::parameters() const {
  std::set<std::string> Result;
  for (const Formula *F : formulasOf(*this))
    Result.insert(F->symbols().begin(), F->symbols().end());
  Result.erase("n");
  Result.erase("p");
  return Result;
}

bool Application::hasSteps() const {
  return std::ranges::any_of(formulasOf(*this), &Formula::hasSteps);
}

namespace {
/// Values of formulas at one point; keeps the first error.
struct Evaluator {
  Formula::Values Given;
  std::optional<NoEfficiency> Failure = {};

  double operator()(const Formula &F) {
    auto Value = F.evaluate(Given);
    if (Value)
      return *Value;
    if (!Failure)
      Failure =
          Value.error().Why == EvaluationError::Kind::Unbound
              ? NoEfficiency{"no value for " + Value.error().What, /*Everywhere=*/true}
              : NoEfficiency{F.text() + " is undefined at this n and p: " + Value.error().What};
    return 0;
  }
};
} // namespace

std::expected<Workload, NoEfficiency> Application::at(double N, double P,
                                                      Formula::Values Given) const {
  Given.insert_or_assign("n", N);
  Given.insert_or_assign("p", P);
  Evaluator Evaluate{std::move(Given)};
  auto Amount = [&](ApplicationTerm Term) {
    auto Found = Terms.find(Term);
    return Found == Terms.end() ? 0 : Evaluate(Found->second.Amount);
  };
  using enum ApplicationTerm;
  Workload Result{.Computation = Amount(Computation),
                  .Memory = Amount(Memory),
                  .ComputationOverhead = Amount(ComputationOverhead),
                  .MemoryOverhead = Amount(MemoryOverhead),
                  .Messages = Amount(Messages),
                  .MessageBytes = Amount(MessageBytes),
                  .IoS = Amount(Io)};
  // Each of the p processes takes Starts·t_msg + Shares·H·t_byte (2011, section V.B.1, for
  // the pairwise exchange): as much as p·Starts messages and p·Shares·H bytes of eq. 17.
  for (const CollectiveUse &Use : Collectives) {
    Result.Messages += P * Evaluate(Use.Starts) * Evaluate(Use.Calls.Amount);
    Result.MessageBytes += P * Evaluate(Use.Shares) * Evaluate(Use.Bytes.Amount);
  }
  if (Evaluate.Failure)
    return std::unexpected(std::move(*Evaluate.Failure));
  return Result;
}

} // namespace ergon
