//===- AccessStream.cpp - the accesses of a program, compiled to be run ---===//

#include "model/traffic/AccessStream.h"

#include "model/access/ObjectExtents.h"

#include <algorithm>

namespace ergon {

std::int64_t StreamAddress::stepOf(unsigned Variable) const {
  auto Found = std::ranges::find(Steps, Variable, &std::pair<unsigned, std::int64_t>::first);
  return Found == Steps.end() ? 0 : Found->second;
}

bool StreamItem::isPlain() const {
  const auto *Access = std::get_if<StreamAccess>(&What);
  return Access && !Runs.Formula && Access->Address.isAffine() && !Access->NonTemporal;
}

namespace {
class StreamCompiler {
public:
  StreamCompiler(const AccessProgram &AP, const Placement &P, std::uint64_t AddressLimit,
                 unsigned LineBytes)
      : Program(AP), Position(P), AddressLimit(AddressLimit), LineBytes(LineBytes),
        Extents(objectExtents(AP)) {}

  std::expected<AccessStream, Error> compile();

private:
  const AccessProgram &Program;
  const Placement &Position;
  std::uint64_t AddressLimit;
  unsigned LineBytes;
  std::vector<std::optional<Extent>> Extents;
  AccessStream Result;
  std::optional<Error> Failure;
  /// The loops around, by name and by what they and the code inside depend on.
  std::vector<std::string> Names;
  std::vector<AroundLoop> Loops;
  std::set<std::string> Conditions;
  std::set<unsigned> Spread; // objects with accesses to unknown addresses

  void fail(std::string What, std::string Fix) {
    if (!Failure)
      Failure = Error{std::move(What), "", std::move(Fix)};
  }
  bool isOrdinary(const Expr &E) const;
  std::optional<StreamTimes> timesOf(const Expr &E, const std::string &What);
  std::optional<StreamItem> itemOf(const Expr &Runs, const std::string &What);
  std::optional<std::vector<StreamCondition>> conditionsOf(const Expr &Runs) const;
  void addNest(const AccessNest &Nest, const Expr &Runs, StreamNest &Target);
  void fill(const AccessNest &Nest, StreamNest &Target);
  void addAccess(const MemoryAccess &Access, const Expr &Runs, StreamNest &Target);
  StreamAddress addressOf(const MemoryAccess &Access);
  void findAddress(const MemoryAccess &Access, StreamAddress &Result);
  void spread(const MemoryAccess &Access, StreamAddress &Target);
  std::uint64_t goFurther(const UnknownStart &Start, StreamAddress &Result) const;
};
} // namespace

/// Whether \p Number is within the supported range.
static bool fits(const Rational &Number) { return abs(Number) <= std::int64_t(1) << 61; }

/// Whether the formula and all parts of it fit 64 bits.
bool StreamCompiler::isOrdinary(const Expr &E) const {
  auto Range = rangeOf(E * Expr(commonDenominator(E)), Loops);
  if (!Range || !fits(Range->Low) || !fits(Range->High))
    return false;
  return std::ranges::all_of(E.terms(), [&](const Term &T) {
    return std::ranges::all_of(T.Factors, [&](const auto &Factor) {
      return std::ranges::all_of(Factor.first->Operands,
                                 [&](const Expr &Operand) { return isOrdinary(Operand); });
    });
  });
}

static std::string placeOf(const SourceLocation &Location) {
  return Location.isValid() ? " at " + Location.text() : "";
}

std::optional<StreamTimes> StreamCompiler::timesOf(const Expr &E, const std::string &What) {
  StreamTimes Times{Result.TimesNumbers++, std::nullopt};
  if (E == Expr(1))
    return Times;
  const Rational Divisor = commonDenominator(E);
  if (isOrdinary(E) && fits(Divisor))
    Times.Formula = IntegerFormula::compile(E * Expr(Divisor), Names);
  if (!Times.Formula) {
    fail("how often " + What + " runs, " + toPretty(E) +
             ", is too large or too long a formula to be run through",
         "use smaller sizes");
    return std::nullopt;
  }
  Times.Divisor = Divisor.get_si();
  return Times;
}

/// \p Runs as conditions that are linear in the innermost induction variable.
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
    Found.push_back({Slope.get_si(), std::move(*Rest)});
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

void StreamCompiler::findAddress(const MemoryAccess &Access, StreamAddress &Result) {
  const MemoryObject &Object = Program.Objects[Access.Object];
  auto Range = Access.Offset ? rangeOf(*Access.Offset, Loops) : std::nullopt;
  std::optional<IntegerFormula> Formula;
  if (Range && isOrdinary(*Access.Offset))
    Formula = IntegerFormula::compile(*Access.Offset, Names);
  if (Range && (!fits(Range->Low) || !fits(Range->High) || Position[Access.Object] > AddressLimit ||
                Range->Low + Rational(Position[Access.Object]) < 0 ||
                Range->High + Rational(Position[Access.Object]) + Rational(Access.Bytes) >=
                    Rational(AddressLimit)))
    return fail("the access to `" + Object.Name + "`" + placeOf(Access.Location) + " is " +
                    Rational(Range->Low < 0 ? Range->Low : Range->High).get_str() +
                    " bytes from its start, beyond what can be addressed",
                "use smaller sizes");
  if (!Formula)
    return spread(Access, Result);
  Result.Constant = std::int64_t(Position[Access.Object]);
  if (const auto &Affine = Formula->affine()) {
    Result.Constant += Affine->Constant;
    for (std::size_t I = 0; I != Affine->Steps.size(); ++I)
      if (Affine->Steps[I] != 0)
        Result.Steps.emplace_back(unsigned(I), Affine->Steps[I]);
  } else {
    Result.Offset = std::move(Formula);
  }
}

/// The offset of an access relative to its start. Returns the bytes that it spans, or 0 where that
/// is no formula.
std::uint64_t StreamCompiler::goFurther(const UnknownStart &Start, StreamAddress &Result) const {
  const auto Range = rangeOf(Start.Further, Loops);
  const auto Way = Range && isOrdinary(Start.Further)
                       ? IntegerFormula::compile(Start.Further, Names)
                       : std::optional<IntegerFormula>();
  if (!Way || !Way->affine())
    return 0;
  Result.Constant -= floorOf(Range->Low).get_si() - Way->affine()->Constant;
  for (std::size_t I = 0; I != Way->affine()->Steps.size(); ++I)
    if (Way->affine()->Steps[I] != 0)
      Result.Steps.emplace_back(unsigned(I), Way->affine()->Steps[I]);
  const std::size_t Loops = std::min<std::size_t>(Start.Loops, Names.size());
  Result.From = {Start.Number, unsigned(Names.size() - Loops)};
  return std::uint64_t(floorOf(Range->High - Range->Low).get_si());
}

/// Lets an access with an unknown address go anywhere in its object.
void StreamCompiler::spread(const MemoryAccess &Access, StreamAddress &Target) {
  const auto &Reach = Extents[Access.Object];
  const std::string Name = "`" + Program.Objects[Access.Object].Name + "`";
  if (!Reach)
    return fail("which places of " + Name + " the access" + placeOf(Access.Location) +
                    " goes to is not known, nor how large it is",
                "say it, as in --place '" + Program.Objects[Access.Object].Name + "=:8000'");
  const Rational End = Rational(Position[Access.Object]) + Reach->End;
  if (Position[Access.Object] > AddressLimit || End >= Rational(AddressLimit))
    return fail(Name + " ends at byte " + Reach->End.get_str() + ", beyond what can be addressed",
                "use smaller sizes");
  Target.Constant = std::int64_t(Position[Access.Object]) + floorOf(Reach->First).get_si();
  const auto Bytes = std::uint64_t(floorOf(Reach->End - Reach->First).get_si());
  const std::uint64_t Run = Access.From ? goFurther(*Access.From, Target) : 0;
  Target.Places =
      std::max<std::uint64_t>((Bytes - std::min(Bytes, Run)) / std::max(Access.Bytes, 1U), 1);
  if (Spread.insert(Access.Object).second)
    Result.Assumptions.push_back("accesses to " + Name + " whose place is not known, the first" +
                                 placeOf(Access.Location) + ", go anywhere in " +
                                 (Reach->IsEstimated ? "as many elements as the largest other "
                                                       "object has (--place NAME=:BYTES says how "
                                                       "large it is): "
                                                     : "its ") +
                                 std::to_string(Bytes) + " bytes equally often");
}

StreamAddress StreamCompiler::addressOf(const MemoryAccess &Access) {
  StreamAddress Found;
  findAddress(Access, Found);
  return Found;
}

void StreamCompiler::addAccess(const MemoryAccess &Access, const Expr &Runs, StreamNest &Target) {
  const unsigned Number = Result.Accesses++;
  auto Item = itemOf(Runs, "the access" + placeOf(Access.Location));
  if (!Item || Access.Bytes == 0)
    return;
  StreamAccess Made{Number, Access.What, Access.Bytes, Access.NonTemporal, addressOf(Access), {}};
  std::set<std::string> Symbols = Conditions;
  if (Item->Runs.Formula)
    Runs.collectSymbols(Symbols);
  if (Access.Offset)
    Access.Offset->collectSymbols(Symbols);
  for (const std::string &Name : Names)
    Made.DependsOn.push_back(Symbols.contains(Name) || Made.Address.Places != 0);
  // Accesses longer than a line are split into lines.
  const unsigned Bytes = Access.Bytes;
  for (unsigned Done = 0; Done < Bytes; Done += LineBytes) {
    Made.Bytes = std::min(LineBytes, Bytes - Done);
    Item->What = Made;
    Target.Items.push_back(*Item);
    Made.Address.Constant += LineBytes;
  }
}

void StreamCompiler::addNest(const AccessNest &Nest, const Expr &Runs, StreamNest &Target) {
  auto Range = rangeOf(Nest.Last, Loops);
  if (Range && Range->High < 0) {
    Result.Accesses += unsigned(accessesIn(Nest).size());
    return;
  }
  StreamNest Made;
  const std::string What = "the loop" + placeOf(Nest.Location);
  auto Item = itemOf(Runs, What);
  auto Trips = timesOf(Nest.Last + Expr(1), What);
  if (!Item || !Trips)
    return;
  Made.Trips = *Trips;
  auto Outside = Conditions;
  if (Item->Runs.Formula)
    Runs.collectSymbols(Conditions);
  fill(Nest, Made);
  Conditions = std::move(Outside);
  Item->What = std::move(Made);
  Target.Items.push_back(std::move(*Item));
}

static bool isUneven(const AccessNest &Nest, const std::string &Variable) {
  return std::ranges::any_of(Nest.Items, [&](const AccessItem &Item) {
    const auto *Inner = std::get_if<AccessNest>(&Item.What);
    return Item.Runs.dependsOn(Variable) ||
           (Inner && (Inner->Last.dependsOn(Variable) || isUneven(*Inner, Variable)));
  });
}

void StreamCompiler::fill(const AccessNest &Nest, StreamNest &Target) {
  Target.Variable = unsigned(Names.size());
  Target.FirstAccess = Result.Accesses;
  Target.IsUneven = isUneven(Nest, Nest.Variable);
  Names.push_back(Nest.Variable);
  Loops.push_back({Nest.Variable, Nest.Last});
  Result.Variables = std::max(Result.Variables, unsigned(Names.size()));
  for (const AccessItem &Item : Nest.Items) {
    if (const auto *Inner = std::get_if<AccessNest>(&Item.What))
      addNest(*Inner, Item.Runs, Target);
    else
      addAccess(std::get<MemoryAccess>(Item.What), Item.Runs, Target);
    if (Failure)
      return;
  }
  Names.pop_back();
  Loops.pop_back();
  Target.EndAccess = Result.Accesses;
}

std::expected<AccessStream, Error> StreamCompiler::compile() {
  if (!Program.Unbound.empty())
    return std::unexpected(
        Error{"`" + *Program.Unbound.begin() + "` has no value", "", "give it with --set"});
  Result.Body.Trips = {Result.TimesNumbers++, std::nullopt};
  fill(Program.Body, Result.Body);
  if (Failure)
    return std::unexpected(*Failure);
  for (const std::string &OpenCall : Program.OpenCalls)
    Result.Assumptions.push_back("what `" + OpenCall + "` accesses is not known and is left out");
  return std::move(Result);
}

std::expected<AccessStream, Error> AccessStream::compile(const AccessProgram &Program,
                                                         const Placement &P,
                                                         std::uint64_t AddressLimit,
                                                         unsigned LineBytes) {
  return StreamCompiler(Program, P, AddressLimit, LineBytes).compile();
}

} // namespace ergon
