//===- CommandShow.cpp - ergon show ---------------------------------------===//
//
// One collect() gathers what a function's record says; the text view and the
// JSON view only print it.
//
//===----------------------------------------------------------------------===//

#include "formats/json/PlainText.h"
#include "formats/prediction/Demangle.h"
#include "model/access/AccessWriter.h"
#include "model/evaluation/ProgramSites.h"
#include "model/program/LoopTotals.h"
#include "model/program/Stride.h"
#include "predict/answer/ArgumentCases.h"
#include "tools/base/Opened.h"
#include "tools/predict/FootprintView.h"
#include "tools/view/EstimatesView.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace ergon {

using Json = nlohmann::ordered_json;

namespace {
struct LoopView {
  const Loop *Shown;
  unsigned Depth;
  Counts Totals;
};
struct FunctionView {
  const Function *Shown;
  const Unit *Input;
  Totals Sum;
  std::map<std::string, Expr> LargeCalls;
  std::vector<LoopView> Loops;
  FootprintView Footprints;
  std::map<std::string, LibraryNote> Described{}; ///< of the totals' library calls
  std::vector<ArgumentCase> Cases{};
};
} // namespace

static void collectLoops(LoopTotals &Totals, const Loop &Around, unsigned Depth,
                         std::vector<LoopView> &Result) {
  for (const Loop &L : Around.Loops) {
    Result.push_back({&L, Depth, Totals.of(L)});
    collectLoops(Totals, L, Depth + 1, Result);
  }
}

namespace {
/// Finds callees whose formulas are small enough to be put into their callers'.
class SmallCallees {
public:
  explicit SmallCallees(const FunctionLookup &Find) : Find(Find), Sites(Find) {}

  FunctionLookup lookup() {
    return [this](const std::string &Name, const Function &Caller) -> const Function * {
      const Function *Callee = Find(Name, Caller);
      if (!Callee || Callee->IsKernel || !Sites.isLarge(*Callee))
        return Callee;
      Large.insert("call:" + Name);
      return nullptr;
    };
  }
  bool isLarge(const Function &F) { return Sites.isLarge(F); }
  /// Moves calls of the others out of \p OpenCalls.
  std::map<std::string, Expr> takeLarge(std::map<std::string, Expr> &OpenCalls) const {
    std::map<std::string, Expr> Result;
    for (const std::string &Name : Large)
      if (auto Found = OpenCalls.extract(Name))
        Result.emplace(Name.substr(Name.find(':') + 1), std::move(Found.mapped()));
    return Result;
  }

private:
  const FunctionLookup &Find;
  ProgramSites Sites;
  std::set<std::string> Large;
};
} // namespace

static FunctionView collect(const Function &F, const Unit &U, TotalsBuilder &Builder,
                            const FunctionLookup &Find, const CacheHierarchy &Levels) {
  FunctionView Result{&F, &U, Builder.of(F), {}, {}, {Levels}};
  for (const auto &[Name, Times] : Result.Sum.LibraryCalls)
    if (const Function *Callee = Find(Name, F))
      Result.Described.emplace(Name, Callee->Described);
  LoopTotals Loops(F);
  collectLoops(Loops, F.Body, 0, Result.Loops);
  if (!Levels.empty() && !F.IsKernel) {
    Result.Footprints.Accesses = accessesOf(F, Find, {});
    Result.Footprints.Loops = loopFits(Result.Footprints.Accesses, Levels);
  }
  return Result;
}

/// The caches that the options name; none where they name none.
static std::expected<CacheHierarchy, Error> cachesOf(const ShowOptions &Options) {
  CacheOptions Caches = Options.Caches;
  if (!Options.Machine.empty()) // what is asked for is an error where it is not there
    Caches.Method = name(TrafficMethod::Analytic);
  const auto Target = openTarget(Options.Machine, Caches);
  if (!Target)
    return std::unexpected(Target.error());
  if (!Target->Asked)
    return CacheHierarchy();
  auto Path = pathOfOneCore(Target->Asked->Caches);
  if (!Path)
    return std::unexpected(Error{Path.error().What, "", Path.error().Fix, Options.Machine});
  return std::move(Path->Levels);
}

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
static std::string intensity(const Counts &C) {
  Expr Work = splitConditions(C.work()).Formula,
       Bytes = splitConditions(C.requestedBytes()).Formula;
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

static void printTotals(const Counts &C, const std::string &Indent) {
  fmt::print("{}W = {}\n", Indent, formula(C.work(), " flop"));
  fmt::print("{}Q = {}\n", Indent, formula(C.requestedBytes(), " B requested"));
  if (std::string I = intensity(C); !I.empty())
    fmt::print("{}I = {} flop/B\n", Indent, I);
}

/// `transa=N, beta=0`, or `else`.
static std::string conditionText(const ArgumentCase &Case) {
  std::string Result;
  for (const auto &[Argument, Value] : Case.When)
    Result += fmt::format("{}{}={}", Result.empty() ? "" : ", ", Argument, Value);
  return Result.empty() ? "always" : Result;
}

/// A line for each case: for which arguments which formula.
static void printCases(const std::vector<ArgumentCase> &Cases) {
  if (Cases.empty())
    return;
  std::size_t Width = 0;
  for (const ArgumentCase &Case : Cases)
    Width = std::max(Width, conditionText(Case).size());
  fmt::print("  cases of its arguments:\n");
  for (const ArgumentCase &Case : Cases)
    fmt::print("    {:<{}}  W = {}\n", conditionText(Case), Width, formula(Case.Work, " flop"));
}

static void printAccesses(const Loop &L, const std::string &Indent) {
  for (const Block &B : L.Blocks)
    for (const Access &A : B.Accesses) {
      std::string Stride;
      if (A.Offset && !L.Variable.empty())
        if (auto Step = stride(A, L))
          Stride = Step->isZero() ? ", stride 0" : ", stride " + toPretty(*Step) + " B";
      fmt::print("{}{} {} B {} {}{}{}{}\n", Indent, name(A.What), A.Bytes, name(A.Where),
                 A.Base.empty() ? "(computed address)" : A.Base,
                 A.Offset ? " + " + toPretty(*A.Offset) : " + (not affine)", Stride,
                 A.Line ? fmt::format("  line {}", A.Line) : "");
    }
}

/// `; 4 lanes × 4, then 2` of what became of a loop.
static std::string shape(const LoopShape &Shape) {
  std::string Result;
  if (Shape.VectorWidth > 1)
    Result = fmt::format("; {} lanes", Shape.VectorWidth);
  else if (Shape.VectorWidth == 1)
    Result = "; scalar";
  if (Shape.Interleave > 1)
    Result += fmt::format(" × {}", Shape.Interleave);
  if (Shape.RestWidth)
    Result += fmt::format(", then {}", Shape.RestWidth);
  if (Shape.Unroll > 1)
    Result += fmt::format(", unrolled {} times", Shape.Unroll);
  return Result;
}

static void printText(const FunctionView &View) {
  const Function &F = *View.Shown;
  fmt::print("{}{}  [{}{}]\n", F.IsKernel ? "kernel " : "", plainText(F.Demangled),
             F.Location.isValid() ? fmt::format("{}:{}, ", F.Location.File, F.Location.Line) : "",
             F.Snapshot);
  printTotals(View.Sum.Values, "  ");
  printCases(View.Cases);
  for (const auto &[Class, Amount] : View.Sum.Values)
    fmt::print("    {:<20} {}\n", name(Class), formula(Amount));
  printAccesses(F.Body, "    ");
  for (const LoopView &Loop : View.Loops) {
    std::string Indent(2 * Loop.Depth + 2, ' ');
    fmt::print("{}loop {}{}: {} iterations{}{}{}\n", Indent, Loop.Shown->Variable,
               Loop.Shown->Location.isValid() ? " at " + Loop.Shown->Location.text() : "",
               toPretty(Loop.Shown->Last + 1),
               Loop.Shown->Entries == Expr(1) ? "" : ", entered " + times(Loop.Shown->Entries),
               Loop.Shown->TripsKnown == Known::Exact
                   ? ""
                   : fmt::format(" ({}: the induction variable does not wrap around)",
                                 name(Loop.Shown->TripsKnown)),
               shape(Loop.Shown->Shape));
    printTotals(Loop.Totals, Indent + "  ");
    printAccesses(*Loop.Shown, Indent + "    ");
    if (auto *Fits = View.Footprints.find(Loop.Shown->Variable, Loop.Shown->Location))
      printFootprint(View.Footprints, *Fits, Indent + "  ");
  }
  for (const auto &[Name, Times] : View.Sum.OpenCalls)
    fmt::print("  not counted: {}, {}\n", shortName(Name), times(Times));
  for (const auto &[Name, Times] : View.LargeCalls)
    fmt::print("  calls {}, whose formulas are too large to stand here, {}\n", shortName(Name),
               times(Times));
  for (const auto &[Name, Times] : View.Sum.LibraryCalls) {
    const auto Found = View.Described.find(Name);
    const LibraryNote Note = Found == View.Described.end() ? LibraryNote() : Found->second;
    const bool IsCounted = Note.What == LibraryNote::Kind::Counted;
    fmt::print("  {}: {}, {}{}\n",
               IsCounted ? "as its library's description says" : name(Note.What), shortName(Name),
               times(Times), IsCounted || Note.Why.empty() ? "" : " (" + Note.Why + ")");
  }
  for (const Unknown &U : F.Unknowns)
    fmt::print(
        "  unknown {}: {}; {}bind it with --set {}=…\n", U.Symbol, U.Why,
        U.Measured ? "a profile has measured " + toText(Expr(*U.Measured)) + "; to change it "
        : U.Symbol.starts_with("formula:") ? ""
                                           : "estimated as " + rangeText(estimateOf(U)) + "; ",
        U.Symbol);
  auto LocationText = [](const SourceLocation &L) { return L.isValid() ? " at " + L.text() : ""; };
  for (const Assumption &A : F.Assumptions)
    fmt::print("  assumed{}: {}\n", LocationText(A.Location), A.What);
  for (const WrapCheck &Check : F.WrapChecks)
    fmt::print("  range check{}: exact for {}\n", LocationText(Check.Location),
               prettyZero(Check.Wraps));
  fmt::print("\n");
}

static Json countsJson(const Counts &C) {
  Json Result = Json::object();
  for (const auto &[Class, Amount] : C)
    Result[std::string(name(Class))] = toText(Amount);
  return Result;
}

static Json orNull(unsigned Number) { return Number ? Json(Number) : Json(nullptr); }

static Json toJson(const FunctionView &View) {
  const Function &F = *View.Shown;
  Json Result = {{"name", F.Name},
                 {"demangled", F.Demangled},
                 {"unit", View.Input->Source},
                 {"target", View.Input->Target},
                 {"snapshot", F.Snapshot},
                 {"at", F.Location.text()},
                 {"kernel", F.IsKernel}};
  Json &Parameters = Result["params"] = Json::array();
  for (const Parameter &P : F.Parameters)
    Parameters.push_back({{"name", P.Name}, {"type", P.Type}});
  Result["work"] = toText(View.Sum.Values.work());
  Result["traffic"] = toText(View.Sum.Values.requestedBytes());
  Result["work_text"] = formula(View.Sum.Values.work());
  Result["traffic_text"] = formula(View.Sum.Values.requestedBytes());
  Result["counts"] = countsJson(View.Sum.Values);
  Json &KnownAs = Result["known"] = Json::object();
  for (const auto &[Class, How] : View.Sum.KnownAs)
    KnownAs[std::string(name(Class))] = name(How);
  Json &Cases = Result["cases"] = Json::array();
  for (const ArgumentCase &Case : View.Cases) {
    Json When = Json::object();
    for (const auto &[Argument, Value] : Case.When)
      When[Argument] = Value;
    Cases.push_back({{"when", std::move(When)}, {"work", toText(Case.Work)}});
  }
  Json &Loops = Result["loops"] = Json::array();
  for (const LoopView &Loop : View.Loops) {
    Json Accesses = Json::array();
    for (const Block &B : Loop.Shown->Blocks)
      for (const Access &A : B.Accesses)
        Accesses.push_back({{"op", name(A.What)},
                            {"bytes", A.Bytes},
                            {"space", name(A.Where)},
                            {"base", A.Base},
                            {"offset", A.Offset ? Json(toText(*A.Offset)) : Json(nullptr)},
                            {"line", A.Line}});
    Loops.push_back({{"variable", Loop.Shown->Variable},
                     {"at", Loop.Shown->Location.text()},
                     {"depth", Loop.Depth},
                     {"entries", toText(Loop.Shown->Entries)},
                     {"trips", toText(Loop.Shown->Last + 1)},
                     {"known", name(Loop.Shown->TripsKnown)},
                     {"vector_width", orNull(Loop.Shown->Shape.VectorWidth)},
                     {"interleave", orNull(Loop.Shown->Shape.Interleave)},
                     {"rest_width", orNull(Loop.Shown->Shape.RestWidth)},
                     {"unroll", orNull(Loop.Shown->Shape.Unroll)},
                     {"counts", countsJson(Loop.Totals)},
                     {"accesses", std::move(Accesses)}});
    if (auto *Fits = View.Footprints.find(Loop.Shown->Variable, Loop.Shown->Location))
      Loops.back()["footprint"] = jsonOf(View.Footprints, *Fits);
  }
  Json &Calls = Result["open_calls"] = Json::object();
  for (const auto &[Name, Times] : View.Sum.OpenCalls)
    Calls[Name] = toText(Times);
  Json &Large = Result["large_calls"] = Json::object();
  for (const auto &[Name, Times] : View.LargeCalls)
    Large[Name] = toText(Times);
  Json &Described = Result["library_calls"] = Json::object();
  for (const auto &[Name, Times] : View.Sum.LibraryCalls)
    Described[Name] = toText(Times);
  Json &Names = Result["names"] = Json::object();
  for (const auto *Calls : {&View.Sum.OpenCalls, &View.Sum.LibraryCalls})
    for (const auto &[Name, Times] : *Calls)
      if (const std::string Callee = Name.substr(Name.find(':') + 1); demangled(Callee) != Callee)
        Names[Callee] = demangled(Callee);
  Json &Unknowns = Result["unknowns"] = Json::array();
  for (const Unknown &U : F.Unknowns) {
    Unknowns.push_back({{"symbol", U.Symbol}, {"at", U.Location.text()}, {"why", U.Why}});
    if (U.Argument)
      Unknowns.back()["argument"] = U.Argument;
    if (U.Measured)
      Unknowns.back()["measured"] = toText(Expr(*U.Measured));
  }
  Json &Assumptions = Result["assumptions"] = Json::array();
  for (const Assumption &Element : F.Assumptions)
    Assumptions.push_back({{"at", Element.Location.text()}, {"what", Element.What}});
  Json &Checks = Result["range_checks"] = Json::array();
  for (const WrapCheck &Check : F.WrapChecks)
    Checks.push_back({{"at", Check.Location.text()}, {"exact_for", prettyZero(Check.Wraps)}});
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
  SmallCallees Callees(Find);
  TotalsBuilder Small(Callees.lookup()); // one for all callees, which are summed once
  Json Functions = Json::array();
  for (const FunctionRef &Ref : Chosen) {
    auto Function = Records.store().load(Ref);
    if (!Function)
      return complain(Function.error());
    TotalsBuilder OfOne(Callees.lookup()); // no caller takes a large one's totals
    TotalsBuilder &Builder = Callees.isLarge(**Function) ? OfOne : Small;
    FunctionView View = collect(**Function, Ref.File->unit(), Builder, Find, *Levels);
    View.LargeCalls = Callees.takeLarge(View.Sum.OpenCalls);
    if (!Options.Entry.Entry.empty() && !(*Function)->IsKernel)
      View.Cases = argumentCases(**Function, Callees.lookup());
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
