//===- CommandShow.cpp - ergon show ---------------------------------------===//
//
// One collect() gathers what a function's record says; the text view and the
// JSON view only print it.
//
//===----------------------------------------------------------------------===//

#include "formats/json/PlainText.h"
#include "model/access/AccessWriter.h"
#include "model/program/LoopTotals.h"
#include "tools/base/Opened.h"
#include "model/program/Stride.h"
#include "tools/predict/FootprintView.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ergon {

using Json = nlohmann::ordered_json;

namespace {
struct LoopView {
  const Loop *Of;
  unsigned Depth;
  Counts Totals;
};
struct FunctionView {
  const Function *Of;
  const Unit *In;
  Totals Sum;
  std::vector<LoopView> Loops;
  FootprintView Footprints;
};
} // namespace

static void collectLoops(LoopTotals &Of, const Loop &Around, unsigned Depth,
                         std::vector<LoopView> &Into) {
  for (const Loop &Each : Around.Loops) {
    Into.push_back({&Each, Depth, Of.of(Each)});
    collectLoops(Of, Each, Depth + 1, Into);
  }
}

static FunctionView collect(const Function &Of, const Unit &In, TotalsBuilder &Builder,
                            const FunctionLookup &Find, const CacheHierarchy &Levels) {
  FunctionView Result{&Of, &In, Builder.of(Of), {}, {Levels}};
  LoopTotals Loops(Of);
  collectLoops(Loops, Of.Body, 0, Result.Loops);
  if (!Levels.empty() && !Of.IsKernel) {
    Result.Footprints.Accesses = accessesOf(Of, Find, {});
    Result.Footprints.Loops = loopFits(Result.Footprints.Accesses, Levels);
  }
  return Result;
}

/// The caches that the options name; none where they name none.
static std::expected<CacheHierarchy, Error> cachesOf(const ShowOptions &Options) {
  CacheOptions Caches = Options.Caches;
  if (!Options.Machine.empty()) // what is asked for is an error where it is not there
    Caches.Method = name(TrafficMethod::Analytic);
  const auto On = openTarget(Options.Machine, Caches);
  if (!On)
    return std::unexpected(On.error());
  if (!On->Asked)
    return CacheHierarchy();
  auto Path = pathOfOneCore(On->Asked->Caches);
  if (!Path)
    return std::unexpected(Error{Path.error().What, "", Path.error().Fix, Options.Machine});
  return std::move(Path->Levels);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `2·n³ + 3·n² flop   for n ≥ 1`.
static std::string formula(const Expr &Value, const char *Unit = "") {
  static constexpr std::size_t MaxSize = 60; // about three lines
  if (Value.size() > MaxSize)
    return fmt::format("a formula of {} terms (--json has it){}", Value.terms().size(), Unit);
  ConditionalFormula Split = splitConditions(Value);
  std::string Result = toPretty(Split.Formula) + Unit;
  for (std::size_t I = 0; I != Split.Conditions.size(); ++I)
    Result += (I ? ", " : "   for ") + prettyCondition(Split.Conditions[I]);
  return Result;
}

/// `once   for n ≥ 1`, `n² times`.
static std::string times(const Expr &Value) {
  std::string Result = formula(Value, " times");
  return Result.starts_with("1 times") ? "once" + Result.substr(std::size("1 times") - 1) : Result;
}

/// W/Q in its leading terms is a matter of both; the quotient is shown as it is.
static std::string intensity(const Counts &Of) {
  Expr Work = splitConditions(Of.work()).Formula,
       Bytes = splitConditions(Of.requestedBytes()).Formula;
  if (Bytes.isZero())
    return Work.isZero() ? "" : "∞ (no traffic)";
  auto W = Work.constant(), Q = Bytes.constant();
  if (W && Q)
    return fmt::format("{:.4g}", Rational(*W / *Q).get_d());
  if (Work.size() + Bytes.size() > 60)
    return "W/Q";
  Rational Ratio = Work.isZero()
                       ? Rational(0)
                       : Rational(Work.terms()[0].Coefficient / Bytes.terms()[0].Coefficient);
  if (Work == Bytes * Expr(Ratio))
    return fmt::format("{:.4g}", Ratio.get_d());
  return fmt::format("({}) / ({})", toPretty(Work), toPretty(Bytes));
}

static void printTotals(const Counts &Of, const std::string &Indent) {
  fmt::print("{}W = {}\n", Indent, formula(Of.work(), " flop"));
  fmt::print("{}Q = {}\n", Indent, formula(Of.requestedBytes(), " B requested"));
  if (std::string I = intensity(Of); !I.empty())
    fmt::print("{}I = {} flop/B\n", Indent, I);
}

static void printAccesses(const Loop &Of, const std::string &Indent) {
  for (const Block &Each : Of.Blocks)
    for (const Access &One : Each.Accesses) {
      std::string Stride;
      if (One.Offset && !Of.Variable.empty())
        if (auto Step = stride(One, Of))
          Stride = Step->isZero() ? ", stride 0" : ", stride " + toPretty(*Step) + " B";
      fmt::print("{}{} {} B {} {}{}{}{}\n", Indent, name(One.What), One.Bytes, name(One.Where),
                 One.Base.empty() ? "(computed address)" : One.Base,
                 One.Offset ? " + " + toPretty(*One.Offset) : " + (not affine)", Stride,
                 One.Line ? fmt::format("  line {}", One.Line) : "");
    }
}

/// `; 4 lanes × 4, then 2` of what became of a loop.
static std::string shape(const LoopShape &Of) {
  std::string Result;
  if (Of.VectorWidth > 1)
    Result = fmt::format("; {} lanes", Of.VectorWidth);
  else if (Of.VectorWidth == 1)
    Result = "; scalar";
  if (Of.Interleave > 1)
    Result += fmt::format(" × {}", Of.Interleave);
  if (Of.RestWidth)
    Result += fmt::format(", then {}", Of.RestWidth);
  if (Of.Unroll > 1)
    Result += fmt::format(", unrolled {} times", Of.Unroll);
  return Result;
}

static void printText(const FunctionView &View) {
  const Function &Of = *View.Of;
  fmt::print("{}{}  [{}{}]\n", Of.IsKernel ? "kernel " : "", plainText(Of.Demangled),
             Of.At.isValid() ? fmt::format("{}:{}, ", Of.At.File, Of.At.Line) : "", Of.Snapshot);
  printTotals(View.Sum.Values, "  ");
  for (const auto &[Class, Amount] : View.Sum.Values)
    fmt::print("    {:<20} {}\n", name(Class), formula(Amount));
  printAccesses(Of.Body, "    ");
  for (const LoopView &Each : View.Loops) {
    std::string Indent(2 * Each.Depth + 2, ' ');
    fmt::print("{}loop {}{}: {} iterations{}{}{}\n", Indent, Each.Of->Variable,
               Each.Of->At.isValid() ? " at " + Each.Of->At.text() : "",
               toPretty(Each.Of->Last + 1),
               Each.Of->Entries == Expr(1) ? "" : ", entered " + times(Each.Of->Entries),
               Each.Of->TripsKnown == Known::Exact
                   ? ""
                   : fmt::format(" ({}: the induction variable does not wrap around)",
                                 name(Each.Of->TripsKnown)),
               shape(Each.Of->Shape));
    printTotals(Each.Totals, Indent + "  ");
    printAccesses(*Each.Of, Indent + "    ");
    if (auto *Fits = View.Footprints.find(Each.Of->Variable, Each.Of->At))
      printFootprint(View.Footprints, *Fits, Indent + "  ");
  }
  for (const auto &[Name, Times] : View.Sum.OpenCalls)
    fmt::print("  not counted: {}, {}\n", Name, times(Times));
  for (const auto &[Name, Times] : View.Sum.LibraryCalls)
    fmt::print("  as its library's description says: {}, {}\n", Name, times(Times));
  for (const Unknown &Each : Of.Unknowns)
    fmt::print("  unknown {}: {}; {}bind it with --set {}=…\n", Each.Symbol, Each.Why,
               Each.Measured
                   ? "a profile has measured " + toText(Expr(*Each.Measured)) + "; to change it "
                   : "",
               Each.Symbol);
  auto At = [](const SourceLocation &Of) { return Of.isValid() ? " at " + Of.text() : ""; };
  for (const Assumption &Each : Of.Assumptions)
    fmt::print("  assumed{}: {}\n", At(Each.At), Each.What);
  for (const WrapCheck &Each : Of.WrapChecks)
    fmt::print("  range check{}: exact for {}\n", At(Each.At), prettyZero(Each.Wraps));
  fmt::print("\n");
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json countsJson(const Counts &Of) {
  Json Result = Json::object();
  for (const auto &[Class, Amount] : Of)
    Result[std::string(name(Class))] = toText(Amount);
  return Result;
}

static Json orNull(unsigned Number) { return Number ? Json(Number) : Json(nullptr); }

static Json toJson(const FunctionView &View) {
  const Function &Of = *View.Of;
  Json Result = {{"name", Of.Name},         {"demangled", Of.Demangled},
                 {"unit", View.In->Source}, {"target", View.In->Target},
                 {"snapshot", Of.Snapshot}, {"at", Of.At.text()},
                 {"kernel", Of.IsKernel}};
  Json &Parameters = Result["params"] = Json::array();
  for (const Parameter &Each : Of.Parameters)
    Parameters.push_back({{"name", Each.Name}, {"type", Each.Type}});
  Result["work"] = toText(View.Sum.Values.work());
  Result["traffic"] = toText(View.Sum.Values.requestedBytes());
  Result["work_text"] = formula(View.Sum.Values.work());
  Result["traffic_text"] = formula(View.Sum.Values.requestedBytes());
  Result["counts"] = countsJson(View.Sum.Values);
  Json &KnownAs = Result["known"] = Json::object();
  for (const auto &[Class, How] : View.Sum.KnownAs)
    KnownAs[std::string(name(Class))] = name(How);
  Json &Loops = Result["loops"] = Json::array();
  for (const LoopView &Each : View.Loops) {
    Json Accesses = Json::array();
    for (const Block &One : Each.Of->Blocks)
      for (const Access &A : One.Accesses)
        Accesses.push_back({{"op", name(A.What)},
                            {"bytes", A.Bytes},
                            {"space", name(A.Where)},
                            {"base", A.Base},
                            {"offset", A.Offset ? Json(toText(*A.Offset)) : Json(nullptr)},
                            {"line", A.Line}});
    Loops.push_back({{"variable", Each.Of->Variable},
                     {"at", Each.Of->At.text()},
                     {"depth", Each.Depth},
                     {"entries", toText(Each.Of->Entries)},
                     {"trips", toText(Each.Of->Last + 1)},
                     {"known", name(Each.Of->TripsKnown)},
                     {"vector_width", orNull(Each.Of->Shape.VectorWidth)},
                     {"interleave", orNull(Each.Of->Shape.Interleave)},
                     {"rest_width", orNull(Each.Of->Shape.RestWidth)},
                     {"unroll", orNull(Each.Of->Shape.Unroll)},
                     {"counts", countsJson(Each.Totals)},
                     {"accesses", std::move(Accesses)}});
    if (auto *Fits = View.Footprints.find(Each.Of->Variable, Each.Of->At))
      Loops.back()["footprint"] = jsonOf(View.Footprints, *Fits);
  }
  Json &Calls = Result["open_calls"] = Json::object();
  for (const auto &[Name, Times] : View.Sum.OpenCalls)
    Calls[Name] = toText(Times);
  Json &Described = Result["library_calls"] = Json::object();
  for (const auto &[Name, Times] : View.Sum.LibraryCalls)
    Described[Name] = toText(Times);
  Json &Unknowns = Result["unknowns"] = Json::array();
  for (const Unknown &Each : Of.Unknowns) {
    Unknowns.push_back({{"symbol", Each.Symbol}, {"at", Each.At.text()}, {"why", Each.Why}});
    if (Each.Measured)
      Unknowns.back()["measured"] = toText(Expr(*Each.Measured));
  }
  Json &Assumptions = Result["assumptions"] = Json::array();
  for (const Assumption &Each : Of.Assumptions)
    Assumptions.push_back({{"at", Each.At.text()}, {"what", Each.What}});
  Json &Checks = Result["range_checks"] = Json::array();
  for (const WrapCheck &Each : Of.WrapChecks)
    Checks.push_back({{"at", Each.At.text()}, {"exact_for", prettyZero(Each.Wraps)}});
  return Result;
}

int runShow(const ShowOptions &Options) {
  auto Levels = cachesOf(Options);
  if (!Levels)
    return complain(Levels.error());
  auto Opened = openRecords(Options.Entry, Detail::All);
  if (!Opened)
    return complain(Opened.error());
  CountedRecords &Records = **Opened;
  std::vector<FunctionRef> Chosen = Records.select(Options.Entry);
  if (Chosen.empty() && !Options.Entry.Entry.empty()) {
    auto None = Records.findRef(Options.Entry);
    return complain(None.error());
  }
  const bool AnyFunction = !Records.select(FunctionQuery{}).empty();
  if (Chosen.empty() && AnyFunction)
    return complain({"no function fits", "",
                     "leave out --snapshot, --unit and --target to see all there are",
                     Options.Entry.Directory});
  if (Chosen.empty()) // a unit of data alone has nothing to show, and nothing is wrong with it
    fmt::print(stderr, "ergon: {}: there is no function in its records\n", Options.Entry.Directory);
  std::optional<Error> Failure;
  const FunctionLookup Find = Records.lookup(Failure);
  TotalsBuilder Builder(Find); // one for all: callees are summed once
  Json Functions = Json::array();
  for (const FunctionRef &Ref : Chosen) {
    auto Of = Records.store().load(Ref);
    if (!Of)
      return complain(Of.error());
    FunctionView View = collect(**Of, Ref.File->unit(), Builder, Find, *Levels);
    if (Failure)
      return complain(*Failure);
    if (Options.Json)
      Functions.push_back(toJson(View));
    else
      printText(View);
  }
  if (Options.Json)
    fmt::print("{}\n", Json({{"schema", "ergon-show/1"}, {"functions", Functions}})
                           .dump(2, ' ', false, Json::error_handler_t::replace));
  return Done;
}

} // namespace ergon
