//===- FunctionComparison.cpp - one function, analyzed twice --------------===//

#include "model/program/FunctionComparison.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ergon {

namespace {
/// Compares part by part; what names stand for is the same where the places that they name are.
class Comparison {
public:
  Comparison(const Function &Left, const Function &Right) : Left(Left), Right(Right) {}
  bool run();

private:
  const Function &Left, &Right;
  Substitution ToLeft;                      ///< symbols of Right as Left has them
  std::map<std::string, std::string> Bases; ///< objects of Right as Left has them
  std::set<std::string> Named;              ///< of Left, those in Bases

  bool pairSymbols();
  bool same(const std::string &LeftBase, const std::string &RightBase);
  bool same(const Expr &One, const Expr &Other) const {
    return One == Other || One == Other.substitute(ToLeft);
  }
  bool same(const std::optional<Expr> &One, const std::optional<Expr> &Other) const {
    return One && Other ? same(*One, *Other) : !One == !Other;
  }
  bool same(const Counts &One, const Counts &Other) const;
  bool same(const Access &One, const Access &Other);
  bool same(const PassedObject &One, const PassedObject &Other) const;
  bool same(const Call &One, const Call &Other);
  bool same(const Block &One, const Block &Other);
  bool same(const Loop &One, const Loop &Other);

  template <typename T> bool all(const std::vector<T> &One, const std::vector<T> &Other) {
    return std::ranges::equal(One, Other, [&](const T &A, const T &B) { return same(A, B); });
  }
};
} // namespace

/// `trips` of `trips@foo.c:12:3`.
static std::string_view kindOf(std::string_view Symbol) {
  return Symbol.substr(0, Symbol.find('@'));
}

bool Comparison::pairSymbols() {
  if (Left.Parameters.size() != Right.Parameters.size() ||
      Left.Cells.size() != Right.Cells.size() || Left.Unknowns.size() != Right.Unknowns.size())
    return false;
  for (std::size_t I = 0; I != Left.Parameters.size(); ++I) {
    const Parameter &One = Left.Parameters[I], &Other = Right.Parameters[I];
    if (One.Type != Other.Type)
      return false;
    if (One.Name != Other.Name)
      ToLeft.emplace(Other.Name, Expr::symbol(One.Name));
    if (!same(One.Name, Other.Name))
      return false;
  }
  for (const Cell &One : Left.Cells) {
    const auto Other = std::ranges::find_if(Right.Cells, [&](const Cell &Each) {
      return Each.Parameter == One.Parameter && Each.Path == One.Path && Each.Bytes == One.Bytes &&
             Each.Behind == One.Behind;
    });
    if (Other == Right.Cells.end())
      return false;
    if (One.Symbol != Other->Symbol)
      ToLeft.emplace(Other->Symbol, Expr::symbol(One.Symbol));
  }
  for (std::size_t I = 0; I != Left.Unknowns.size(); ++I) {
    const std::string &One = Left.Unknowns[I].Symbol, &Other = Right.Unknowns[I].Symbol;
    if (kindOf(One) != kindOf(Other))
      return false;
    if (One != Other)
      ToLeft.emplace(Other, Expr::symbol(One));
  }
  return true;
}

/// One name of Left stands for one of Right, and the other way round.
bool Comparison::same(const std::string &LeftBase, const std::string &RightBase) {
  const auto [Found, IsNew] = Bases.try_emplace(RightBase, LeftBase);
  return IsNew ? Named.insert(LeftBase).second : Found->second == LeftBase;
}

bool Comparison::same(const Counts &One, const Counts &Other) const {
  return std::equal(One.begin(), One.end(), Other.begin(), Other.end(),
                    [&](const Counts::Entry &A, const Counts::Entry &B) {
                      return A.first == B.first && same(A.second, B.second);
                    });
}

bool Comparison::same(const Access &One, const Access &Other) {
  const bool IsFrom = One.From && Other.From ? One.From->Number == Other.From->Number &&
                                                   One.From->Loops == Other.From->Loops &&
                                                   One.From->GoesOn == Other.From->GoesOn &&
                                                   same(One.From->Further, Other.From->Further)
                                             : !One.From == !Other.From;
  return One.What == Other.What && One.Where == Other.Where && One.Bytes == Other.Bytes &&
         One.NonTemporal == Other.NonTemporal && same(One.Base, Other.Base) &&
         same(One.Offset, Other.Offset) && same(One.Length, Other.Length) &&
         same(One.Row, Other.Row) && IsFrom;
}

bool Comparison::same(const PassedObject &One, const PassedObject &Other) const {
  const bool IsFrom = One.From && Other.From ? One.From->Parameter == Other.From->Parameter &&
                                                   One.From->Path == Other.From->Path
                                             : !One.From == !Other.From;
  return One.Argument == Other.Argument && IsFrom &&
         std::ranges::equal(One.Stored, Other.Stored,
                            [&](const PassedObject::Item &A, const PassedObject::Item &B) {
                              return A.Offset == B.Offset && A.Bytes == B.Bytes &&
                                     A.IsAddress == B.IsAddress && same(A.Value, B.Value);
                            });
}

bool Comparison::same(const Call &One, const Call &Other) {
  if (One.Callee != Other.Callee || One.IsLaunch != Other.IsLaunch || !One.Shape != !Other.Shape ||
      !all(One.Arguments, Other.Arguments) || !all(One.Objects, Other.Objects))
    return false;
  for (unsigned Axis = 0; One.Shape && Axis != 3; ++Axis)
    if (!same(One.Shape->Grid[Axis], Other.Shape->Grid[Axis]) ||
        !same(One.Shape->Block[Axis], Other.Shape->Block[Axis]))
      return false;
  return std::ranges::equal(One.Globals, Other.Globals, [&](const auto &A, const auto &B) {
    return A.first == B.first && same(A.second, B.second);
  });
}

bool Comparison::same(const Block &One, const Block &Other) {
  return One.How == Other.How && same(One.Runs, Other.Runs) && same(One.PerRun, Other.PerRun) &&
         all(One.Accesses, Other.Accesses) && all(One.Calls, Other.Calls);
}

bool Comparison::same(const Loop &One, const Loop &Other) {
  if (One.Variable != Other.Variable)
    ToLeft.emplace(Other.Variable, Expr::symbol(One.Variable));
  return One.TripsKnown == Other.TripsKnown && One.Shape == Other.Shape &&
         same(One.Entries, Other.Entries) && same(One.Last, Other.Last) &&
         all(One.Blocks, Other.Blocks) && all(One.Loops, Other.Loops);
}

bool Comparison::run() {
  return Left.IsKernel == Right.IsKernel && pairSymbols() && same(Left.Body, Right.Body);
}

bool isSameButNames(const Function &Left, const Function &Right) {
  return Comparison(Left, Right).run();
}

static bool isOffset(std::string_view Name) {
  return Name.starts_with('(') && Name.find_first_of("+-") != std::string_view::npos;
}

static std::size_t countUnnamed(const Loop &Of) {
  std::size_t Result = 0;
  for (const Block &Each : Of.Blocks)
    Result += std::size_t(
        std::ranges::count_if(Each.Accesses, [](const Access &One) { return isOffset(One.Base); }));
  for (const Loop &Inner : Of.Loops)
    Result += countUnnamed(Inner);
  return Result;
}

std::size_t countUnnamed(const Function &Of) {
  return countUnnamed(Of.Body) + std::size_t(std::ranges::count_if(Of.Cells, [](const Cell &Each) {
           return isOffset(Each.Symbol);
         }));
}

} // namespace ergon
