//===- PointerSpaces.cpp - generic pointers over calls --------------------===//

#include "model/program/PointerSpaces.h"

namespace ergon {

/// No formula has a symbol with this prefix.
static constexpr std::string_view Mark = "&space of ";

static std::optional<Space> spaceIn(const Substitution &Frame, const std::string &Parameter) {
  auto Found = Frame.find(std::string(Mark) + Parameter);
  if (Found == Frame.end())
    return std::nullopt;
  return Space(Found->second.constant()->get_d());
}

void passSpaces(const Call &Site, const Function &Callee, const Substitution &Frame,
                Substitution &Inside, bool OfHost) {
  for (const PointerArgument &To : Site.Pointers) {
    if (To.Argument >= Callee.Parameters.size())
      continue;
    auto Where = To.Where == Space::Generic ? spaceIn(Frame, To.Base) : To.Where;
    if (Where && (OfHost || (*Where != Space::Memory && *Where != Space::Stack)))
      Inside.insert_or_assign(std::string(Mark) + Callee.Parameters[To.Argument].Name,
                              Expr(std::int64_t(*Where)));
  }
}

std::optional<Counts> countsIn(const Block &B, const Substitution &Frame) {
  auto First = Frame.lower_bound(Mark);
  if (First == Frame.end() || !First->first.starts_with(Mark))
    return std::nullopt;
  Counts Result = B.PerRun;
  for (const Access &A : B.Accesses) {
    auto Where = A.Where == Space::Generic ? spaceIn(Frame, A.Base) : std::nullopt;
    if (!Where)
      continue;
    auto Move = [&](CostClass Family, const Expr &Amount) {
      Result.add(of(Family, Space::Generic), -Amount);
      Result.add(of(Family, *Where), Amount);
    };
    if (A.Length) { // a copy is counted in bytes only
      Move(A.What == Access::Kind::Load ? CostClass::LoadBytes : CostClass::StoreBytes, *A.Length);
      continue;
    }
    if (A.What != Access::Kind::Store) {
      Move(CostClass::Loads, 1);
      Move(CostClass::LoadBytes, std::int64_t(A.Bytes));
    }
    if (A.What != Access::Kind::Load) {
      Move(CostClass::Stores, 1);
      Move(CostClass::StoreBytes, std::int64_t(A.Bytes));
    }
  }
  return Result;
}

} // namespace ergon
