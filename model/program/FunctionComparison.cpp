//===- FunctionComparison.cpp - compares analyses of one function ---------===//

#include "model/program/FunctionComparison.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ergon {

namespace {
/// Compares part by part; names are equal where their positions are.
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
  bool same(const Expr &E, const Expr &Other) const {
    return E == Other || E == Other.substitute(ToLeft);
  }
  bool same(const std::optional<Expr> &E, const std::optional<Expr> &Other) const {
    return E && Other ? same(*E, *Other) : !E == !Other;
  }
  bool same(const Counts &C, const Counts &Other) const;
  bool same(const Access &A, const Access &Other);
  bool same(const PassedObject &Object, const PassedObject &Other) const;
  bool same(const Call &C, const Call &Other);
  bool same(const Block &B, const Block &Other);
  bool same(const Loop &L, const Loop &Other);

  template <typename T> bool all(const std::vector<T> &Loops, const std::vector<T> &Other) {
    return std::ranges::equal(Loops, Other, [&](const T &A, const T &B) { return same(A, B); });
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
    const Parameter &P = Left.Parameters[I], &Other = Right.Parameters[I];
    if (P.Type != Other.Type)
      return false;
    if (P.Name != Other.Name)
      ToLeft.emplace(Other.Name, Expr::symbol(P.Name));
    if (!same(P.Name, Other.Name))
      return false;
  }
  for (const Cell &C : Left.Cells) {
    const auto Other = std::ranges::find_if(Right.Cells, [&](const Cell &Element) {
      return Element.Parameter == C.Parameter && Element.Path == C.Path &&
             Element.Bytes == C.Bytes && Element.Behind == C.Behind;
    });
    if (Other == Right.Cells.end())
      return false;
    if (C.Symbol != Other->Symbol)
      ToLeft.emplace(Other->Symbol, Expr::symbol(C.Symbol));
  }
  for (std::size_t I = 0; I != Left.Unknowns.size(); ++I) {
    const std::string &Single = Left.Unknowns[I].Symbol, &Other = Right.Unknowns[I].Symbol;
    if (kindOf(Single) != kindOf(Other))
      return false;
    if (Single != Other)
      ToLeft.emplace(Other, Expr::symbol(Single));
  }
  return true;
}

/// One name of Left corresponds to one of Right, and vice versa.
bool Comparison::same(const std::string &LeftBase, const std::string &RightBase) {
  const auto [Found, IsNew] = Bases.try_emplace(RightBase, LeftBase);
  return IsNew ? Named.insert(LeftBase).second : Found->second == LeftBase;
}

bool Comparison::same(const Counts &C, const Counts &Other) const {
  return std::equal(C.begin(), C.end(), Other.begin(), Other.end(),
                    [&](const Counts::Entry &A, const Counts::Entry &B) {
                      return A.first == B.first && same(A.second, B.second);
                    });
}

bool Comparison::same(const Access &A, const Access &Other) {
  const bool IsFrom = A.From && Other.From ? A.From->Number == Other.From->Number &&
                                                 A.From->Loops == Other.From->Loops &&
                                                 A.From->GoesOn == Other.From->GoesOn &&
                                                 same(A.From->Further, Other.From->Further)
                                           : !A.From == !Other.From;
  return A.What == Other.What && A.Where == Other.Where && A.Bytes == Other.Bytes &&
         A.NonTemporal == Other.NonTemporal && same(A.Base, Other.Base) &&
         same(A.Offset, Other.Offset) && same(A.Length, Other.Length) && same(A.Row, Other.Row) &&
         IsFrom;
}

bool Comparison::same(const PassedObject &Object, const PassedObject &Other) const {
  const bool IsFrom = Object.From && Other.From ? Object.From->Parameter == Other.From->Parameter &&
                                                      Object.From->Path == Other.From->Path
                                                : !Object.From == !Other.From;
  return Object.Argument == Other.Argument && IsFrom &&
         std::ranges::equal(Object.Stored, Other.Stored,
                            [&](const PassedObject::Item &A, const PassedObject::Item &B) {
                              return A.Offset == B.Offset && A.Bytes == B.Bytes &&
                                     A.IsAddress == B.IsAddress && A.Through == B.Through &&
                                     same(A.Value, B.Value);
                            });
}

bool Comparison::same(const Call &C, const Call &Other) {
  if (C.Callee != Other.Callee || C.IsLaunch != Other.IsLaunch || !C.Shape != !Other.Shape ||
      !all(C.Arguments, Other.Arguments) || !all(C.Objects, Other.Objects))
    return false;
  for (unsigned Axis = 0; C.Shape && Axis != 3; ++Axis)
    if (!same(C.Shape->Grid[Axis], Other.Shape->Grid[Axis]) ||
        !same(C.Shape->Block[Axis], Other.Shape->Block[Axis]))
      return false;
  return std::ranges::equal(C.Globals, Other.Globals, [&](const auto &A, const auto &B) {
    return A.first == B.first && same(A.second, B.second);
  });
}

bool Comparison::same(const Block &B, const Block &Other) {
  return B.How == Other.How && same(B.Runs, Other.Runs) && same(B.PerRun, Other.PerRun) &&
         all(B.Accesses, Other.Accesses) && all(B.Calls, Other.Calls);
}

bool Comparison::same(const Loop &L, const Loop &Other) {
  if (L.Variable != Other.Variable)
    ToLeft.emplace(Other.Variable, Expr::symbol(L.Variable));
  return L.TripsKnown == Other.TripsKnown && L.Shape == Other.Shape &&
         same(L.Entries, Other.Entries) && same(L.Last, Other.Last) &&
         all(L.Blocks, Other.Blocks) && all(L.Loops, Other.Loops);
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

static std::size_t countUnnamed(const Loop &L) {
  std::size_t Result = 0;
  for (const Block &B : L.Blocks)
    Result += std::size_t(
        std::ranges::count_if(B.Accesses, [](const Access &A) { return isOffset(A.Base); }));
  for (const Loop &Inner : L.Loops)
    Result += countUnnamed(Inner);
  return Result;
}

std::size_t countUnnamed(const Function &F) {
  return countUnnamed(F.Body) + std::size_t(std::ranges::count_if(
                                    F.Cells, [](const Cell &C) { return isOffset(C.Symbol); }));
}

} // namespace ergon
