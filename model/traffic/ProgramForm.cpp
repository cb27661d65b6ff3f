//===- ProgramForm.cpp - an access program, compiled ----------------------===//

#include "model/traffic/ProgramForm.h"
#include "model/symbolic/LoopBounds.h"

#include <algorithm>
#include <cmath>

namespace ergon {

void cutRange(Iterations &Range, std::int64_t Step, std::int64_t Rest) {
  if (Step > 0)
    Range.First = std::max(Range.First, -floorQuotient(Rest, Step));
  else
    Range.Last = std::min(Range.Last, floorQuotient(Rest, -Step));
}

std::int64_t lastOf(const LoopForm &Of, const Iteration &Around) {
  std::int64_t Last = (*Of.Last)(Around);
  for (const Condition &Each : Of.Bounds) {
    if (!Each.affine())
      continue;
    const AffineForm &Form = *Each.affine();
    if (Form.Steps.size() != Of.Depth + 1 || Form.Steps.back() >= 0)
      continue;
    std::int64_t Rest = Form.Constant;
    for (std::size_t I = 0; I != Of.Depth; ++I)
      Rest += Form.Steps[I] * Around[I];
    Last = std::min(Last, floorQuotient(Rest, -Form.Steps.back()));
  }
  return Last;
}

bool hold(const std::vector<Condition> &All, const Iteration &Around) {
  return std::ranges::all_of(All, [&](const Condition &Each) { return Each(Around) >= 0; });
}

double lineShareOf(const AccessForm &Of, unsigned LineBytes) {
  if (Of.Share >= 1)
    return 1;
  std::int64_t Shortest = LineBytes;
  if (Of.Offset && Of.Offset->affine())
    for (std::int64_t Step : Of.Offset->affine()->Steps)
      if (Step != 0)
        Shortest = std::min(Shortest, std::abs(Step));
  return 1 - std::pow(1 - Of.Share, double(LineBytes) / double(Shortest));
}

class FormCompiler {
public:
  FormCompiler(const AccessProgram &Of, const Placement &At)
      : Of(Of), At(At), Extents(objectExtents(Of)) {}

  std::expected<ProgramForm, Error> run() {
    if (!Of.Unbound.empty())
      return std::unexpected(
          Error{"`" + *Of.Unbound.begin() + "` has no value", "", "give it with --set"});
    Result.Accesses.reserve(accessesIn(Of.Body).size());
    fill(*Result.Body, Of.Body);
    if (Failure)
      return std::unexpected(*Failure);
    return std::move(Result);
  }

private:
  /// What is around an item.
  struct Around {
    std::vector<const LoopForm *> Path = {};
    std::vector<Condition> Conditions = {};
    double Share = 1;
    bool IsAffine = true;
    unsigned FirstOfBlock = 0; ///< the first access that directly follows it
  };

  const AccessProgram &Of;
  const Placement &At;
  const std::vector<std::optional<Extent>> Extents;
  ProgramForm Result;
  std::vector<std::string> Variables;
  SymbolBounds Numbers; ///< of iterations, as far as they are known
  Around Here;
  std::optional<Error> Failure;

  std::optional<IntegerFormula> compile(const Expr &Formula);
  void addBounds(const Expr &NonNegative, std::vector<Condition> &Into, bool &IsAffine);
  void addRuns(const Expr &Runs, Around &To);
  void fill(LoopForm &Into, const AccessNest &From);
  void addAccess(const MemoryAccess &From, const Around &In);
  void checkReach(const Expr &Offset, const MemoryAccess &From, std::int64_t Base);
};

std::optional<IntegerFormula> FormCompiler::compile(const Expr &Formula) {
  auto Compiled = IntegerFormula::compile(Formula, Variables);
  if (!Compiled && !Failure)
    Failure = Error{"`" + toPretty(Formula) + "` is no formula in whole numbers of 64 bits", "",
                    "give the parameters smaller values"};
  return Compiled;
}

bool isSame(const Condition &One, const Condition &Other) {
  if (!One.affine() || !Other.affine() || One.affine()->Constant != Other.affine()->Constant)
    return false;
  auto Steps = One.affine()->Steps, Others = Other.affine()->Steps;
  std::size_t Count = std::max(Steps.size(), Others.size());
  Steps.resize(Count);
  Others.resize(Count);
  return Steps == Others;
}

/// An affine condition, or several: a + min(b, c) >= 0 says a + b >= 0 and a + c >= 0;
/// and a + floor(b / d) >= 0 says d·a + b >= 0.
void FormCompiler::addBounds(const Expr &NonNegative, std::vector<Condition> &Into,
                             bool &IsAffine) {
  for (const Term &Each : NonNegative.terms()) {
    const Atom *Only = onlyFactor(Each);
    if (!Only)
      continue;
    Expr Rest = NonNegative - Expr(Each.Coefficient) * Expr(Each.Factors.front().first);
    bool IsLeast = Only->What == (Each.Coefficient > 0 ? Atom::Kind::Min : Atom::Kind::Max);
    if (IsLeast) {
      for (const Expr &Operand : Only->Operands)
        addBounds(Rest + Expr(Each.Coefficient) * Operand, Into, IsAffine);
      return;
    }
    if (Only->What == Atom::Kind::FloorDiv && Each.Coefficient == 1) {
      auto Divisor = Only->Operands[1].constant();
      if (Divisor && *Divisor > 0 && commonDenominator(Rest) == 1) {
        addBounds(Expr(*Divisor) * Rest + Only->Operands[0], Into, IsAffine);
        return;
      }
    }
  }
  Expr Whole = NonNegative * Expr(Rational{commonDenominator(NonNegative)});
  if (auto Compiled = compile(Whole)) {
    IsAffine &= Compiled->affine().has_value();
    Into.push_back(std::move(*Compiled));
  }
}

void FormCompiler::addRuns(const Expr &Runs, Around &To) {
  if (Runs.terms().size() == 1) {
    const Term &Only = Runs.terms().front();
    if (std::ranges::all_of(Only.Factors, [](const auto &Each) {
          return Each.first->What == Atom::Kind::Indicator;
        })) {
      To.Share *= Only.Coefficient.get_d();
      for (const auto &[Factor, Power] : Only.Factors)
        addBounds(Factor->Operands[0], To.Conditions, To.IsAffine);
      return;
    }
  }
  // Conditions of several ways: it runs where the whole is above zero.
  addBounds(Runs * Expr(Rational{commonDenominator(Runs)}) - 1, To.Conditions, To.IsAffine);
}

static bool isLike(const AccessForm &One, const AccessForm &Other) {
  return One.Of->Offset && Other.Of->Offset && One.Of->Object == Other.Of->Object &&
         One.Of->Bytes == Other.Of->Bytes && *One.Of->Offset == *Other.Of->Offset &&
         One.Share == Other.Share && std::ranges::equal(One.Conditions, Other.Conditions, isSame);
}

/// Far enough from the ends of 64 bits for sums of a few products.
void FormCompiler::checkReach(const Expr &Offset, const MemoryAccess &From, std::int64_t Base) {
  constexpr double Most = 1e14;
  double Farthest = double(Base);
  for (const Term &Each : Offset.terms()) {
    double Way = std::abs(Each.Coefficient.get_d());
    for (const auto &[Factor, Power] : Each.Factors) {
      auto Found = Factor->What == Atom::Kind::Symbol ? Numbers.find(Factor->Name) : Numbers.end();
      if (Found != Numbers.end())
        Way *= std::pow(Found->second.High.get_d(), Power);
    }
    Farthest += Way;
  }
  if (Farthest > Most && !Failure)
    Failure = Error{"the access to `" + Of.Objects[From.Object].Name + "`" +
                        (From.At.isValid() ? " at " + From.At.text() : "") +
                        " goes beyond what can be addressed",
                    "", "use smaller sizes"};
}

void FormCompiler::addAccess(const MemoryAccess &From, const Around &In) {
  AccessForm Access{.Of = &From,
                    .Base = std::int64_t(At[From.Object]),
                    .Path = In.Path,
                    .Offset = {},
                    .Conditions = In.Conditions,
                    .Share = In.Share,
                    .IsAffine = In.IsAffine,
                    .Like = 0};
  if (From.Offset && !From.NonTemporal) {
    Access.Offset = compile(*From.Offset);
    Access.IsAffine &= Access.Offset && Access.Offset->affine();
    checkReach(*From.Offset, From, Access.Base);
  }
  if (!From.Offset && !From.NonTemporal && !(From.From && From.From->GoesOn))
    Access.Anywhere = Extents[From.Object];
  Access.Like = unsigned(Result.Accesses.size());
  for (unsigned Other = Access.Like; Other-- > In.FirstOfBlock;)
    if (isLike(Access, Result.Accesses[Other]))
      Access.Like = Other;
  Result.Accesses.push_back(std::move(Access));
}

/// What all items of a loop ask of its iteration number bounds the loop: at -O0 the last
/// round only finds that it is over.
void FormCompiler::fill(LoopForm &Into, const AccessNest &From) {
  std::optional<std::vector<Condition>> Common;
  for (const AccessItem &Each : From.Items) {
    if (Each.Runs.isZero())
      continue;
    Around Outside = Here;
    addRuns(Each.Runs, Here);
    std::vector<Condition> Own(Here.Conditions.begin() + std::ptrdiff_t(Outside.Conditions.size()),
                               Here.Conditions.end());
    if (!Common)
      Common = Own;
    std::erase_if(*Common, [&](const Condition &One) {
      return std::ranges::none_of(Own, [&](const Condition &Other) { return isSame(One, Other); });
    });
    auto First = unsigned(Result.Accesses.size());
    if (auto *Access = std::get_if<MemoryAccess>(&Each.What)) {
      if (Into.Items.empty() || Into.Items.back().Inner)
        Into.Items.push_back({First, First, nullptr, {}});
      Here.FirstOfBlock = Into.Items.back().FirstAccess;
      addAccess(*Access, Here);
      ++Into.Items.back().EndAccess;
    } else {
      auto &Nest = std::get<AccessNest>(Each.What);
      auto Inner = std::make_unique<LoopForm>();
      Inner->Variable = Nest.Variable;
      Inner->Depth = Variables.size();
      Expr Last = dropOperands(Nest.Last, Numbers);
      if (auto Mean = Last.constant(); Mean && !Mean->isInteger() && *Mean > Rational(-1)) {
        Last = ceilDiv(Last, 1);
        Inner->Mean = Rational(*Mean + 1).get_d() / Rational(*Last.constant() + 1).get_d();
        Here.Share *= Inner->Mean;
      }
      Inner->Last = compile(Last);
      if (auto Highest = lowestOf(-Last, Numbers)) {
        Numbers[Nest.Variable] = {0, std::max(Rational(0), -*Highest)};
        if (-*Highest < Rational(std::int64_t(1) << 40))
          Inner->Highest = floorOf(-*Highest).get_si();
      }
      Variables.push_back(Nest.Variable);
      addBounds(Last - Expr::symbol(Nest.Variable), Inner->Bounds, Inner->IsAffine);
      Here.Path.push_back(Inner.get());
      Here.IsAffine &= Inner->IsAffine;
      fill(*Inner, Nest);
      Variables.pop_back();
      auto End = unsigned(Result.Accesses.size());
      if (First != End) {
        Into.Height = std::max(Into.Height, Inner->Height + 1);
        Into.Items.push_back(
            {First, End, std::move(Inner), std::move(Own), Here.Share / Outside.Share});
      }
    }
    Here = std::move(Outside);
  }
  if (Common && &Into != Result.Body.get())
    std::ranges::move(*Common, std::back_inserter(Into.Bounds));
}

void ProgramForm::loosen(unsigned Access) {
  const AccessForm &First = Accesses[Access];
  const unsigned Like = First.Like;
  const bool HasPlaces = First.Offset && First.Offset->quasiAffine() && !First.IsLoose &&
                         std::ranges::all_of(First.Path, [](const LoopForm *Each) {
                           return Each->Highest.has_value();
                         });
  for (unsigned A = 0; A != Accesses.size(); ++A)
    if (Accesses[A].Like == Like) {
      Accesses[A].IsLoose = HasPlaces;
      if (!HasPlaces) {
        Accesses[A].Offset.reset();
        Accesses[A].Like = A;
      }
    }
}

std::expected<ProgramForm, Error> ProgramForm::compile(const AccessProgram &Of,
                                                       const Placement &At) {
  return FormCompiler(Of, At).run();
}

} // namespace ergon
