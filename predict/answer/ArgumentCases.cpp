//===- ArgumentCases.cpp - formulas by values of arguments ----------------===//

#include "predict/answer/ArgumentCases.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace ergon {

namespace {
/// An argument that decides, and its values: special ones, then one for each range between these.
struct Decider {
  std::string Symbol;
  std::vector<std::pair<std::string, Rational>> Values;
  std::size_t Special = 0; ///< how many have a name

  std::uint32_t all() const { return (std::uint32_t(1) << Values.size()) - 1; }
};
/// A case: of each decider a set of values.
struct Row {
  std::vector<std::uint32_t> Sets;
  Expr Work;
};
} // namespace

static void collectFormulas(const Loop &L, std::vector<const Expr *> &Result) {
  for (const Expr *Formula : {&L.Entries, &L.Last})
    Result.push_back(Formula);
  for (const Block &B : L.Blocks) {
    Result.push_back(&B.Runs);
    for (const auto &[Class, Amount] : B.PerRun)
      Result.push_back(&Amount);
  }
  for (const Loop &Inner : L.Loops)
    collectFormulas(Inner, Result);
}

std::optional<SymbolLimit> limitIn(const Expr &Margin, const std::string &Symbol) {
  const auto Parts = Margin.coefficientsOf(Symbol);
  if (!Parts || Parts->size() != 2)
    return std::nullopt;
  const auto Rest = (*Parts)[0].constant(), Slope = (*Parts)[1].constant();
  if (!Rest || !Slope)
    return std::nullopt;
  return SymbolLimit{-*Rest / *Slope, *Slope > 0 ? 1U : 2U};
}

/// Adds the numbers that \p Value compares \p Symbol with.
static void collectLimits(const Expr &Value, const std::string &Symbol,
                          std::map<Rational, unsigned> &Result) {
  for (const Term &T : Value.terms())
    for (const auto &[Factor, Power] : T.Factors) {
      const bool IsCondition = Factor->What == Atom::Kind::Indicator;
      if (auto Found = IsCondition ? limitIn(Factor->Operands[0], Symbol) : std::nullopt)
        Result[Found->Number] |= Found->Side;
      for (const Expr &Operand : Factor->Operands)
        collectLimits(Operand, Symbol, Result);
    }
}

/// The special numbers of a real argument, and one number of each range between them; one for all
/// ranges where it is only asked whether the argument is equal to them.
static Decider realDecider(const std::string &Symbol, const std::vector<const Expr *> &Formulas) {
  std::map<Rational, unsigned> Sides; // from above, from below
  for (const Expr *Formula : Formulas)
    collectLimits(*Formula, Symbol, Sides);
  Decider Result{Symbol, {}, Sides.size()};
  for (const auto &[Limit, Side] : Sides)
    Result.Values.emplace_back(toPretty(Expr(Limit)), Limit);
  if (Sides.empty())
    return Result;
  const bool OnlyEqual = std::ranges::all_of(Sides, [](const auto &S) { return S.second == 3; });
  if (!OnlyEqual)
    for (auto Next = Sides.begin(); Next != Sides.end(); ++Next)
      Result.Values.emplace_back("other", Next == Sides.begin()
                                              ? Next->first - 1
                                              : (std::prev(Next)->first + Next->first) / 2);
  Result.Values.emplace_back("other", Sides.rbegin()->first + 1);
  return Result;
}

/// The letters that formulas tell apart from what is no letter.
static Decider characterDecider(const std::string &Symbol,
                                const std::vector<const Expr *> &Formulas) {
  static constexpr char NoLetter = '?';
  auto Under = [&](char Code) {
    std::string Result;
    for (const Expr *Formula : Formulas)
      if (Formula->dependsOn(Symbol))
        Result += toText(Formula->substitute({{Symbol, Expr(std::int64_t(Code))}})) + ";";
    return Result;
  };
  Decider Result{Symbol, {}};
  const std::string Other = Under(NoLetter);
  for (char Letter = 'A'; Letter <= 'Z'; ++Letter)
    if (Under(Letter) != Other)
      Result.Values.emplace_back(std::string(1, Letter), Rational(std::int64_t(Letter)));
  Result.Special = Result.Values.size();
  if (Result.Special != 0)
    Result.Values.emplace_back("other", Rational(std::int64_t(NoLetter)));
  return Result;
}

static Decider deciderOf(const std::string &Symbol, const ScalarType &Type,
                         const std::vector<const Expr *> &Formulas) {
  if (Type.Kind == ScalarKind::Real)
    return realDecider(Symbol, Formulas);
  if (Type.Kind == ScalarKind::Character)
    return characterDecider(Symbol, Formulas);
  if (Type.Kind == ScalarKind::Logical)
    return {Symbol, {{"true", 1}, {"false", 0}}, 2};
  Decider Result{Symbol, {}, Type.Names.size()};
  for (const Enumerator &Named : Type.Names)
    Result.Values.emplace_back(Named.Name, Rational(Named.Value));
  return Result;
}

/// The arguments of few values that formulas of \p F depend on, in their order.
static std::vector<Decider> decidersOf(const Function &F) {
  std::vector<const Expr *> Formulas;
  collectFormulas(F.Body, Formulas);
  std::vector<Decider> Result;
  auto Add = [&](const std::string &Symbol, const ScalarType &Type) {
    if (Type == ScalarType() || std::ranges::none_of(Formulas, [&](const Expr *Formula) {
          return Formula->dependsOn(Symbol);
        }))
      return;
    Result.push_back(deciderOf(Symbol, Type, Formulas));
    if (Result.back().Values.size() < 2)
      Result.pop_back();
  };
  for (std::size_t I = 0; I != F.Parameters.size(); ++I) {
    if (F.Parameters[I].Type != "ptr")
      Add(F.Parameters[I].symbol(), F.Parameters[I].Scalar);
    for (const Cell &C : F.Cells)
      if (C.Parameter == I)
        Add(C.Symbol, C.Type);
  }
  return Result;
}

std::vector<Rational> caseValues(const Function &F, const std::string &Symbol) {
  std::vector<const Expr *> Formulas;
  collectFormulas(F.Body, Formulas);
  const ScalarType *Type = nullptr;
  for (const Parameter &P : F.Parameters)
    if (P.symbol() == Symbol && P.Type != "ptr")
      Type = &P.Scalar;
  for (const Cell &C : F.Cells)
    if (C.Symbol == Symbol)
      Type = &C.Type;
  std::vector<Rational> Result;
  if (!Type || *Type == ScalarType())
    return Result;
  for (const auto &[Text, Value] : deciderOf(Symbol, *Type, Formulas).Values)
    Result.push_back(Value);
  if (Type->Kind == ScalarKind::Real) // the special ones come first
    std::ranges::reverse(Result);
  return Result;
}

/// Joins two rows of equal work that differ in one argument; false where there are none.
static bool joinOnce(std::vector<Row> &Rows) {
  for (std::size_t I = 0; I != Rows.size(); ++I)
    for (std::size_t J = I + 1; J != Rows.size(); ++J) {
      if (!(Rows[I].Work == Rows[J].Work))
        continue;
      std::optional<std::size_t> Differs;
      unsigned Number = 0;
      for (std::size_t K = 0; K != Rows[I].Sets.size(); ++K)
        if (Rows[I].Sets[K] != Rows[J].Sets[K]) {
          Differs = K;
          ++Number;
        }
      if (Number != 1)
        continue;
      Rows[I].Sets[*Differs] |= Rows[J].Sets[*Differs];
      Rows.erase(Rows.begin() + std::ptrdiff_t(J));
      return true;
    }
  return false;
}

/// `L or U`, `0 or other`.
static std::string wordsFor(const Decider &D, std::uint32_t Set) {
  std::string Result;
  for (std::size_t I = 0; I != D.Values.size(); ++I) {
    const bool IsSaid = I > D.Special && (Set >> D.Special & ((1U << (I - D.Special)) - 1)) != 0;
    if ((Set >> I & 1) == 0 || IsSaid)
      continue;
    Result += (Result.empty() ? "" : " or ") + D.Values[I].first;
  }
  return Result;
}

/// Adds a row for each combination of values of the deciders after those of \p Sets, which \p
/// Bound,
/// \p F with their values, has already.
static void addRows(const Function &F, const Function &Bound, const std::vector<Decider> &Deciders,
                    const std::vector<std::uint32_t> &Sets, const FunctionLookup &Find,
                    std::vector<Row> &Result) {
  if (Sets.size() == Deciders.size()) {
    const FunctionLookup FromOriginal = [&](const std::string &Name, const Function &Caller) {
      return Find(Name, &Caller == &Bound ? F : Caller);
    };
    return Result.push_back({Sets, TotalsBuilder(FromOriginal).of(Bound).Values.work()});
  }
  const Decider &D = Deciders[Sets.size()];
  for (std::size_t I = 0; I != D.Values.size(); ++I) {
    Function Next = Bound;
    substituteSymbols(Next, {{D.Symbol, Expr(D.Values[I].second)}});
    std::vector<std::uint32_t> More = Sets;
    More.push_back(std::uint32_t(1) << I);
    addRows(F, Next, Deciders, More, Find, Result);
  }
}

std::vector<ArgumentCase> argumentCases(const Function &F, const FunctionLookup &Find) {
  static constexpr std::size_t MaxCases = 256, MaxValues = 16;
  const std::vector<Decider> Deciders = decidersOf(F);
  std::size_t Cases = Deciders.empty() ? 0 : 1;
  for (const Decider &D : Deciders)
    Cases *= D.Values.size() > MaxValues ? MaxCases + 1 : D.Values.size();
  if (Cases == 0 || Cases > MaxCases)
    return {};
  std::vector<Row> Rows;
  addRows(F, F, Deciders, {}, Find, Rows);
  while (joinOnce(Rows))
    ;
  if (Rows.size() < 2)
    return {};
  std::vector<ArgumentCase> Result;
  for (Row &Next : Rows) {
    ArgumentCase &Case = Result.emplace_back(ArgumentCase{{}, std::move(Next.Work)});
    for (std::size_t I = 0; I != Deciders.size(); ++I)
      if (Next.Sets[I] != Deciders[I].all())
        Case.When.emplace_back(std::string(symbolText(Deciders[I].Symbol)),
                               wordsFor(Deciders[I], Next.Sets[I]));
  }
  return Result;
}

bool isArgumentCount(const std::string &Symbol, const Function &Entry) {
  return Entry.Name == "main" && !Entry.Parameters.empty() && Entry.Parameters[0].Name == Symbol;
}

} // namespace ergon
