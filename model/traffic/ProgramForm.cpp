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

std::int64_t lastOf(const LoopForm &Form, const Iteration &Around) {
  std::int64_t Last = (*Form.Last)(Around);
  for (const Condition &Bound : Form.Bounds) {
    if (!Bound.affine())
      continue;
    const AffineForm &Affine = *Bound.affine();
    if (Affine.Steps.size() != Form.Depth + 1 || Affine.Steps.back() >= 0)
      continue;
    std::int64_t Rest = Affine.Constant;
    for (std::size_t I = 0; I != Form.Depth; ++I)
      Rest += Affine.Steps[I] * Around[I];
    Last = std::min(Last, floorQuotient(Rest, -Affine.Steps.back()));
  }
  return Last;
}

bool hold(const std::vector<Condition> &All, const Iteration &Around) {
  return std::ranges::all_of(All, [&](const Condition &C) { return C(Around) >= 0; });
}

double lineShareOf(const AccessForm &Form, unsigned LineBytes) {
  if (Form.Share >= 1)
    return 1;
  std::int64_t Shortest = LineBytes;
  if (Form.Offset && Form.Offset->affine())
    for (std::int64_t Step : Form.Offset->affine()->Steps)
      if (Step != 0)
        Shortest = std::min(Shortest, std::abs(Step));
  return 1 - std::pow(1 - Form.Share, double(LineBytes) / double(Shortest));
}

class FormCompiler {
public:
  FormCompiler(const AccessProgram &Program, const Placement &P)
      : Program(Program), Position(P), Extents(objectExtents(Program)) {}

  std::expected<ProgramForm, Error> run() {
    if (!Program.Unbound.empty())
      return std::unexpected(
          Error{"`" + *Program.Unbound.begin() + "` has no value", "", "give it with --set"});
    Result.Accesses.reserve(accessesIn(Program.Body).size());
    fill(*Result.Body, Program.Body);
    if (Failure)
      return std::unexpected(*Failure);
    return std::move(Result);
  }

private:
  /// The context of an item.
  struct Around {
    std::vector<const LoopForm *> Path = {};
    std::vector<Condition> Conditions = {};
    double Share = 1;
    bool IsAffine = true;
    unsigned FirstOfBlock = 0; ///< the first access that directly follows it
  };

  const AccessProgram &Program;
  const Placement &Position;
  const std::vector<std::optional<Extent>> Extents;
  ProgramForm Result;
  std::vector<std::string> Variables;
  SymbolBounds Numbers; ///< bounds of induction variables, where known
  Around Current;
  std::optional<Error> Failure;

  std::optional<IntegerFormula> compile(const Expr &Formula);
  void addBounds(const Expr &NonNegative, std::vector<Condition> &Result, bool &IsAffine);
  void addRuns(const Expr &Runs, Around &To);
  void fill(LoopForm &Target, const AccessNest &From);
  void addAccess(const MemoryAccess &From, const Around &A);
  void checkReach(const Expr &Offset, const MemoryAccess &From, std::int64_t Base);
};

std::optional<IntegerFormula> FormCompiler::compile(const Expr &Formula) {
  auto Compiled = IntegerFormula::compile(Formula, Variables);
  if (!Compiled && !Failure)
    Failure = Error{"`" + toPretty(Formula) + "` is no formula in whole numbers of 64 bits", "",
                    "give the parameters smaller values"};
  return Compiled;
}

bool isSame(const Condition &C, const Condition &Other) {
  if (!C.affine() || !Other.affine() || C.affine()->Constant != Other.affine()->Constant)
    return false;
  auto Steps = C.affine()->Steps, Others = Other.affine()->Steps;
  std::size_t Count = std::max(Steps.size(), Others.size());
  Steps.resize(Count);
  Others.resize(Count);
  return Steps == Others;
}

/// Adds one affine condition or several: a + min(b, c) >= 0 means a + b >= 0 and a + c >= 0; a +
/// floor(b / d) >= 0 means d·a + b >= 0.
void FormCompiler::addBounds(const Expr &NonNegative, std::vector<Condition> &Result,
                             bool &IsAffine) {
  for (const Term &T : NonNegative.terms()) {
    const Atom *Only = onlyFactor(T);
    if (!Only)
      continue;
    Expr Rest = NonNegative - Expr(T.Coefficient) * Expr(T.Factors.front().first);
    bool IsLeast = Only->What == (T.Coefficient > 0 ? Atom::Kind::Min : Atom::Kind::Max);
    if (IsLeast) {
      for (const Expr &Operand : Only->Operands)
        addBounds(Rest + Expr(T.Coefficient) * Operand, Result, IsAffine);
      return;
    }
    if (Only->What == Atom::Kind::FloorDiv && T.Coefficient == 1) {
      auto Divisor = Only->Operands[1].constant();
      if (Divisor && *Divisor > 0 && commonDenominator(Rest) == 1) {
        addBounds(Expr(*Divisor) * Rest + Only->Operands[0], Result, IsAffine);
        return;
      }
    }
  }
  Expr Whole = NonNegative * Expr(commonDenominator(NonNegative));
  if (auto Compiled = compile(Whole)) {
    IsAffine &= Compiled->affine().has_value();
    Result.push_back(std::move(*Compiled));
  }
}

void FormCompiler::addRuns(const Expr &Runs, Around &To) {
  if (Runs.terms().size() == 1) {
    const Term &Only = Runs.terms().front();
    if (std::ranges::all_of(Only.Factors, [](const auto &Item) {
          return Item.first->What == Atom::Kind::Indicator;
        })) {
      To.Share *= Only.Coefficient.get_d();
      for (const auto &[Factor, Power] : Only.Factors)
        addBounds(Factor->Operands[0], To.Conditions, To.IsAffine);
      return;
    }
  }
  // The sum of several paths: it runs where the sum is positive.
  addBounds(Runs * Expr(commonDenominator(Runs)) - 1, To.Conditions, To.IsAffine);
}

static bool isLike(const AccessForm &Form, const AccessForm &Other) {
  return Form.Access->Offset && Other.Access->Offset &&
         Form.Access->Object == Other.Access->Object && Form.Access->Bytes == Other.Access->Bytes &&
         *Form.Access->Offset == *Other.Access->Offset && Form.Share == Other.Share &&
         std::ranges::equal(Form.Conditions, Other.Conditions,
                            [](const Condition &A, const Condition &B) { return isSame(A, B); });
}

/// Leaves room within 64 bits for sums of a few products.
void FormCompiler::checkReach(const Expr &Offset, const MemoryAccess &From, std::int64_t Base) {
  constexpr double Most = 1e14;
  double Farthest = double(Base);
  for (const Term &T : Offset.terms()) {
    double Way = std::abs(T.Coefficient.get_d());
    for (const auto &[Factor, Power] : T.Factors) {
      auto Found = Factor->What == Atom::Kind::Symbol ? Numbers.find(Factor->Name) : Numbers.end();
      if (Found != Numbers.end())
        Way *= std::pow(Found->second.High.get_d(), Power);
    }
    Farthest += Way;
  }
  if (Farthest > Most && !Failure)
    Failure = Error{"the access to `" + Program.Objects[From.Object].Name + "`" +
                        (From.Location.isValid() ? " at " + From.Location.text() : "") +
                        " goes beyond what can be addressed",
                    "", "use smaller sizes"};
}

void FormCompiler::addAccess(const MemoryAccess &From, const Around &A) {
  AccessForm Access{.Access = &From,
                    .Base = std::int64_t(Position[From.Object]),
                    .Path = A.Path,
                    .Offset = {},
                    .Conditions = A.Conditions,
                    .Share = A.Share,
                    .IsAffine = A.IsAffine,
                    .Like = 0};
  if (From.Offset && !From.NonTemporal) {
    Access.Offset = compile(*From.Offset);
    Access.IsAffine &= Access.Offset && Access.Offset->affine();
    checkReach(*From.Offset, From, Access.Base);
  }
  if (!From.Offset && !From.NonTemporal && !(From.From && From.From->GoesOn))
    Access.Anywhere = Extents[From.Object];
  Access.Like = unsigned(Result.Accesses.size());
  for (unsigned Other = Access.Like; Other-- > A.FirstOfBlock;)
    if (isLike(Access, Result.Accesses[Other]))
      Access.Like = Other;
  Result.Accesses.push_back(std::move(Access));
}

/// A condition on the induction variable that all items of a loop share bounds the loop: at -O0 the
/// last iteration only evaluates the exit condition.
void FormCompiler::fill(LoopForm &Target, const AccessNest &From) {
  std::optional<std::vector<Condition>> Common;
  for (const AccessItem &Item : From.Items) {
    Around Outside = Current;
    addRuns(Item.Runs, Current);
    std::vector<Condition> Own(Current.Conditions.begin() +
                                   std::ptrdiff_t(Outside.Conditions.size()),
                               Current.Conditions.end());
    if (!Common)
      Common = Own;
    std::erase_if(*Common, [&](const Condition &C) {
      return std::ranges::none_of(Own, [&](const Condition &Other) { return isSame(C, Other); });
    });
    auto First = unsigned(Result.Accesses.size());
    if (auto *Access = std::get_if<MemoryAccess>(&Item.What)) {
      if (Target.Items.empty() || Target.Items.back().Inner)
        Target.Items.push_back({First, First, nullptr, {}});
      Current.FirstOfBlock = Target.Items.back().FirstAccess;
      addAccess(*Access, Current);
      ++Target.Items.back().EndAccess;
    } else {
      auto &Nest = std::get<AccessNest>(Item.What);
      auto Inner = std::make_unique<LoopForm>();
      Inner->Variable = Nest.Variable;
      Inner->Depth = Variables.size();
      Expr Last = dropOperands(Nest.Last, Numbers);
      if (auto Mean = Last.constant(); Mean && !Mean->isInteger() && *Mean > Rational(-1)) {
        Last = ceilDiv(Last, 1);
        Inner->Mean = Rational(*Mean + 1).get_d() / Rational(*Last.constant() + 1).get_d();
        Current.Share *= Inner->Mean;
      }
      Inner->Last = compile(Last);
      if (auto Highest = lowestOf(-Last, Numbers)) {
        Numbers[Nest.Variable] = {0, std::max(Rational(0), -*Highest)};
        if (-*Highest < Rational(std::int64_t(1) << 40))
          Inner->Highest = floorOf(-*Highest).get_si();
      }
      Variables.push_back(Nest.Variable);
      addBounds(Last - Expr::symbol(Nest.Variable), Inner->Bounds, Inner->IsAffine);
      Current.Path.push_back(Inner.get());
      Current.IsAffine &= Inner->IsAffine;
      fill(*Inner, Nest);
      Variables.pop_back();
      auto End = unsigned(Result.Accesses.size());
      if (First != End) {
        Target.Height = std::max(Target.Height, Inner->Height + 1);
        Target.Items.push_back(
            {First, End, std::move(Inner), std::move(Own), Current.Share / Outside.Share});
      }
    }
    Current = std::move(Outside);
  }
  if (Common && &Target != Result.Body.get())
    std::ranges::move(*Common, std::back_inserter(Target.Bounds));
}

void ProgramForm::loosen(unsigned Access) {
  const AccessForm &First = Accesses[Access];
  const bool HasPlaces = First.Offset && First.Offset->quasiAffine() && !First.IsLoose &&
                         std::ranges::all_of(First.Path, [](const LoopForm *Form) {
                           return Form->Highest.has_value();
                         });
  if (!HasPlaces)
    return forgetPlaces(Access);
  for (AccessForm &Other : Accesses)
    Other.IsLoose |= Other.Like == First.Like;
}

void ProgramForm::forgetPlaces(unsigned Access) {
  const unsigned Like = Accesses[Access].Like;
  for (unsigned A = 0; A != Accesses.size(); ++A)
    if (Accesses[A].Like == Like) {
      Accesses[A].IsLoose = false;
      Accesses[A].Offset.reset();
      Accesses[A].Like = A;
    }
}

std::expected<ProgramForm, Error> ProgramForm::compile(const AccessProgram &Program,
                                                       const Placement &P) {
  return FormCompiler(Program, P).run();
}

} // namespace ergon
