//===- AccessStream.cpp - the accesses of a program, one by one -----------===//

#include "model/traffic/AccessStream.h"

#include "model/access/ObjectExtents.h"

#include <algorithm>

namespace ergon {

std::int64_t StreamAddress::stepOf(unsigned Variable) const {
  auto Found = std::ranges::find(Steps, Variable, &std::pair<unsigned, std::int64_t>::first);
  return Found == Steps.end() ? 0 : Found->second;
}

bool StreamItem::isPlain() const {
  const auto *One = std::get_if<StreamAccess>(&What);
  return One && !Runs.Formula && One->At.isAffine() && !One->NonTemporal;
}

namespace {
class StreamCompiler {
public:
  StreamCompiler(const AccessProgram &Of, const Placement &At, std::uint64_t AddressLimit,
                 unsigned LineBytes)
      : Program(Of), At(At), AddressLimit(AddressLimit), LineBytes(LineBytes),
        Extents(objectExtents(Of)) {}

  std::expected<AccessStream, Error> compile();

private:
  const AccessProgram &Program;
  const Placement &At;
  std::uint64_t AddressLimit;
  unsigned LineBytes;
  std::vector<std::optional<Extent>> Extents;
  AccessStream Result;
  std::optional<Error> Failure;
  /// The loops around, by name and by what they and their insides depend on.
  std::vector<std::string> Names;
  std::vector<AroundLoop> Loops;
  std::set<std::string> Conditions;
  std::set<unsigned> Spread; // objects of which some places are not known

  void fail(std::string What, std::string Fix) {
    if (!Failure)
      Failure = Error{std::move(What), "", std::move(Fix)};
  }
  bool isOrdinary(const Expr &Of) const;
  std::optional<StreamTimes> timesOf(const Expr &Of, const std::string &What);
  std::optional<StreamItem> itemOf(const Expr &Runs, const std::string &What);
  std::optional<std::vector<StreamCondition>> conditionsOf(const Expr &Runs) const;
  void addNest(const AccessNest &Of, const Expr &Runs, StreamNest &Into);
  void fill(const AccessNest &Of, StreamNest &Into);
  void addAccess(const MemoryAccess &Of, const Expr &Runs, StreamNest &Into);
  StreamAddress addressOf(const MemoryAccess &Of);
  void findAddress(const MemoryAccess &Of, StreamAddress &Into);
  void spread(const MemoryAccess &Of, StreamAddress &Into);
  std::uint64_t goFurther(const UnknownStart &Of, StreamAddress &Into) const;
};
} // namespace

/// Where \p Number lies within what is calculated with.
static bool fits(const Rational &Number) { return abs(Number) <= std::int64_t(1) << 61; }

/// True where neither the formula nor any part of it leaves the 64 bits.
bool StreamCompiler::isOrdinary(const Expr &Of) const {
  auto Range = rangeOf(Of * Expr(Rational(commonDenominator(Of))), Loops);
  if (!Range || !fits(Range->Low) || !fits(Range->High))
    return false;
  return std::ranges::all_of(Of.terms(), [&](const Term &Each) {
    return std::ranges::all_of(Each.Factors, [&](const auto &Factor) {
      return std::ranges::all_of(Factor.first->Operands,
                                 [&](const Expr &Operand) { return isOrdinary(Operand); });
    });
  });
}

static std::string placeOf(const SourceLocation &At) {
  return At.isValid() ? " at " + At.text() : "";
}

std::optional<StreamTimes> StreamCompiler::timesOf(const Expr &Of, const std::string &What) {
  StreamTimes Times{Result.TimesNumbers++, std::nullopt};
  if (Of == Expr(1))
    return Times;
  const Rational Divisor{commonDenominator(Of)};
  if (isOrdinary(Of) && fits(Divisor))
    Times.Formula = IntegerFormula::compile(Of * Expr(Divisor), Names);
  if (!Times.Formula) {
    fail("how often " + What + " runs, " + toPretty(Of) +
             ", is too large or too long a formula to be run through",
         "use smaller sizes");
    return std::nullopt;
  }
  Times.Divisor = Divisor.get_num().get_si();
  return Times;
}

/// \p Runs as conditions that are linear in the variable of the loop right around.
std::optional<std::vector<StreamCondition>> StreamCompiler::conditionsOf(const Expr &Runs) const {
  std::vector<StreamCondition> Found;
  if (Runs.terms().size() != 1 || Runs.terms()[0].Coefficient != 1)
    return std::nullopt;
  for (const auto &[Factor, Power] : Runs.terms()[0].Factors) {
    if (Factor->What != Atom::Kind::Indicator)
      return std::nullopt;
    const Expr &Value = Factor->Operands[0];
    auto Powers = Value.coefficientsOf(Names.back());
    if (!Powers || Powers->size() > 2 || !isOrdinary(Value))
      return std::nullopt;
    Rational Slope;
    if (Powers->size() == 2) {
      auto Number = (*Powers)[1].constant();
      if (!Number || !Number->isInteger() || !fits(*Number))
        return std::nullopt;
      Slope = *Number;
    }
    auto Rest = IntegerFormula::compile((*Powers)[0], Names);
    if (!Rest)
      return std::nullopt;
    Found.push_back({Slope.get_num().get_si(), std::move(*Rest)});
  }
  return Found;
}

std::optional<StreamItem> StreamCompiler::itemOf(const Expr &Runs, const std::string &What) {
  StreamItem Made{{}, {}, StreamNest()};
  auto Conditions = conditionsOf(Runs);
  if (Conditions)
    Made.Conditions = std::move(*Conditions);
  auto Times = timesOf(Conditions ? Expr(1) : Runs, What);
  if (!Times)
    return std::nullopt;
  Made.Runs = std::move(*Times);
  return Made;
}

void StreamCompiler::findAddress(const MemoryAccess &Of, StreamAddress &Into) {
  const MemoryObject &Object = Program.Objects[Of.Object];
  auto Range = Of.Offset ? rangeOf(*Of.Offset, Loops) : std::nullopt;
  std::optional<IntegerFormula> Formula;
  if (Range && isOrdinary(*Of.Offset))
    Formula = IntegerFormula::compile(*Of.Offset, Names);
  if (Range &&
      (!fits(Range->Low) || !fits(Range->High) || At[Of.Object] > AddressLimit ||
       Range->Low + Rational(At[Of.Object]) < 0 ||
       Range->High + Rational(At[Of.Object]) + Rational(Of.Bytes) >= Rational(AddressLimit)))
    return fail("the access to `" + Object.Name + "`" + placeOf(Of.At) + " is " +
                    Rational(Range->Low < 0 ? Range->Low : Range->High).get_str() +
                    " bytes from its start, beyond what can be addressed",
                "use smaller sizes");
  if (!Formula)
    return spread(Of, Into);
  Into.Constant = std::int64_t(At[Of.Object]);
  if (const auto &Affine = Formula->affine()) {
    Into.Constant += Affine->Constant;
    for (std::size_t I = 0; I != Affine->Steps.size(); ++I)
      if (Affine->Steps[I] != 0)
        Into.Steps.emplace_back(unsigned(I), Affine->Steps[I]);
  } else {
    Into.Offset = std::move(Formula);
  }
}

/// How an access goes on from where it starts; the bytes that it reaches over, or 0 where that is
/// no formula.
std::uint64_t StreamCompiler::goFurther(const UnknownStart &Of, StreamAddress &Into) const {
  const auto Range = rangeOf(Of.Further, Loops);
  const auto Way = Range && isOrdinary(Of.Further) ? IntegerFormula::compile(Of.Further, Names)
                                                   : std::optional<IntegerFormula>();
  if (!Way || !Way->affine())
    return 0;
  Into.Constant -= floorOf(Range->Low).get_si() - Way->affine()->Constant;
  for (std::size_t I = 0; I != Way->affine()->Steps.size(); ++I)
    if (Way->affine()->Steps[I] != 0)
      Into.Steps.emplace_back(unsigned(I), Way->affine()->Steps[I]);
  const std::size_t Loops = std::min<std::size_t>(Of.Loops, Names.size());
  Into.From = {Of.Number, unsigned(Names.size() - Loops)};
  return std::uint64_t(floorOf(Range->High - Range->Low).get_si());
}

/// An access of which nobody knows where it goes may go anywhere in its object.
void StreamCompiler::spread(const MemoryAccess &Of, StreamAddress &Into) {
  const auto &Reach = Extents[Of.Object];
  const std::string Name = "`" + Program.Objects[Of.Object].Name + "`";
  if (!Reach)
    return fail("which places of " + Name + " the access" + placeOf(Of.At) +
                    " goes to is not known, nor how large it is",
                "say it, as in --place '" + Program.Objects[Of.Object].Name + "=:8000'");
  const Rational End = Rational(At[Of.Object]) + Reach->End;
  if (At[Of.Object] > AddressLimit || End >= Rational(AddressLimit))
    return fail(Name + " ends at byte " + Reach->End.get_str() + ", beyond what can be addressed",
                "use smaller sizes");
  Into.Constant = std::int64_t(At[Of.Object]) + floorOf(Reach->First).get_si();
  const auto Bytes = std::uint64_t(floorOf(Reach->End - Reach->First).get_si());
  const std::uint64_t Run = Of.From ? goFurther(*Of.From, Into) : 0;
  Into.Places = std::max<std::uint64_t>((Bytes - std::min(Bytes, Run)) / std::max(Of.Bytes, 1U), 1);
  if (Spread.insert(Of.Object).second)
    Result.Assumptions.push_back("accesses to " + Name + " whose place is not known, the first" +
                                 placeOf(Of.At) + ", go anywhere in its " + std::to_string(Bytes) +
                                 " bytes equally often");
}

StreamAddress StreamCompiler::addressOf(const MemoryAccess &Of) {
  StreamAddress Found;
  findAddress(Of, Found);
  return Found;
}

void StreamCompiler::addAccess(const MemoryAccess &Of, const Expr &Runs, StreamNest &Into) {
  const unsigned Number = Result.Accesses++;
  auto Item = itemOf(Runs, "the access" + placeOf(Of.At));
  if (!Item || Of.Bytes == 0)
    return;
  StreamAccess Made{Number, Of.What, Of.Bytes, Of.NonTemporal, addressOf(Of), {}};
  std::set<std::string> Symbols = Conditions;
  if (Item->Runs.Formula)
    Runs.collectSymbols(Symbols);
  if (Of.Offset)
    Of.Offset->collectSymbols(Symbols);
  for (const std::string &Each : Names)
    Made.DependsOn.push_back(Symbols.contains(Each) || Made.At.Places != 0);
  // What is longer than a line goes through the caches line by line.
  const unsigned Bytes = Of.Bytes;
  for (unsigned Done = 0; Done < Bytes; Done += LineBytes) {
    Made.Bytes = std::min(LineBytes, Bytes - Done);
    Item->What = Made;
    Into.Items.push_back(*Item);
    Made.At.Constant += LineBytes;
  }
}

void StreamCompiler::addNest(const AccessNest &Of, const Expr &Runs, StreamNest &Into) {
  auto Range = rangeOf(Of.Last, Loops);
  if (Range && Range->High < 0) {
    Result.Accesses += unsigned(accessesIn(Of).size());
    return;
  }
  StreamNest Made;
  const std::string What = "the loop" + placeOf(Of.At);
  auto Item = itemOf(Runs, What);
  auto Trips = timesOf(Of.Last + Expr(1), What);
  if (!Item || !Trips)
    return;
  Made.Trips = *Trips;
  auto Outside = Conditions;
  if (Item->Runs.Formula)
    Runs.collectSymbols(Conditions);
  fill(Of, Made);
  Conditions = std::move(Outside);
  Item->What = std::move(Made);
  Into.Items.push_back(std::move(*Item));
}

static bool isUneven(const AccessNest &Of, const std::string &Variable) {
  return std::ranges::any_of(Of.Items, [&](const AccessItem &Each) {
    const auto *Inner = std::get_if<AccessNest>(&Each.What);
    return Each.Runs.dependsOn(Variable) ||
           (Inner && (Inner->Last.dependsOn(Variable) || isUneven(*Inner, Variable)));
  });
}

void StreamCompiler::fill(const AccessNest &Of, StreamNest &Into) {
  Into.Variable = unsigned(Names.size());
  Into.FirstAccess = Result.Accesses;
  Into.IsUneven = isUneven(Of, Of.Variable);
  Names.push_back(Of.Variable);
  Loops.push_back({Of.Variable, Of.Last});
  Result.Variables = std::max(Result.Variables, unsigned(Names.size()));
  for (const AccessItem &Each : Of.Items) {
    if (const auto *Inner = std::get_if<AccessNest>(&Each.What))
      addNest(*Inner, Each.Runs, Into);
    else
      addAccess(std::get<MemoryAccess>(Each.What), Each.Runs, Into);
    if (Failure)
      return;
  }
  Names.pop_back();
  Loops.pop_back();
  Into.EndAccess = Result.Accesses;
}

std::expected<AccessStream, Error> StreamCompiler::compile() {
  if (!Program.Unbound.empty())
    return std::unexpected(
        Error{"`" + *Program.Unbound.begin() + "` has no value", "", "give it with --set"});
  Result.Body.Trips = {Result.TimesNumbers++, std::nullopt};
  fill(Program.Body, Result.Body);
  if (Failure)
    return std::unexpected(*Failure);
  for (const std::string &Each : Program.OpenCalls)
    Result.Assumptions.push_back("what `" + Each + "` accesses is not known and is left out");
  return std::move(Result);
}

std::expected<AccessStream, Error> AccessStream::compile(const AccessProgram &Of,
                                                         const Placement &At,
                                                         std::uint64_t AddressLimit,
                                                         unsigned LineBytes) {
  return StreamCompiler(Of, At, AddressLimit, LineBytes).compile();
}

} // namespace ergon
