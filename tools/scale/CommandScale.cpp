//===- CommandScale.cpp - ergon scale -------------------------------------===//

#include "formats/json/NumberText.h"
#include "formats/json/TextFile.h"
#include "model/symbolic/Wording.h"
#include "predict/store/ApplicationStore.h"
#include "predict/store/MachineStore.h"
#include "predict/text/Suggest.h"
#include "predict/tune/RecordedWork.h"
#include "tools/base/NumberList.h"
#include "tools/base/Opened.h"
#include "tools/base/SetOptions.h"
#include "tools/scale/Scale.h"
#include "tools/scale/ScalePlot.h"
#include "tools/scale/ScaleRuns.h"
#include "tools/view/EstimatesView.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergon {

static constexpr std::size_t MaxPoints = 100'000;
/// One process's instructions and accesses where the user does not say what they are.
static constexpr const char *Instructions =
                                "flops + special + fp_other + int_ops + int_mul + int_div + "
                                "address_ops + branches",
                            *Accesses = "loads_memory + stores_memory";

namespace {
/// Why a command ends: an input that is bad, or values that are missing.
struct Stop {
  std::optional<Error> Bad;
  std::vector<Unknown> Unknowns = {};
};

/// Where the application's vector is from, and the model it makes with a machine.
struct Scaling {
  ScaleDocument Document;
  IsoModel Model;
  std::optional<double> Processors; ///< the machine's
  std::optional<RecordedWork> Recorded;
};
} // namespace

static std::unexpected<Stop> stop(Error Bad) { return std::unexpected(Stop{std::move(Bad)}); }

//===----------------------------------------------------------------------===//
// The machine's vector
//===----------------------------------------------------------------------===//

/// The profile's terms, and in their place those that the application has for the machine.
static std::optional<Error> addMachine(Scaling &Result, const Machine &M, const Application *A) {
  const ClusterTerms *Own = nullptr;
  if (A)
    if (auto Found = A->Machines.find(M.Name); Found != A->Machines.end())
      Own = &Found->second;
  if (!M.Topology.Cluster && !Own)
    return Error{"the profile says nothing of a cluster", "",
                 "add /cluster to it, or take another machine: systemg has one", M.Name};
  Result.Document.Machine = M.Name;
  auto Add = [&](const ClusterTerms &Terms, const std::string &From,
                 const std::map<std::string, Source> &Sources) {
    for (const auto &[Which, Amount] : Terms)
      if (Result.Model.Machine.Terms.emplace(Which, Amount).second)
        Result.Document.Terms.push_back(
            {Which, Amount, From, Sources.at(Amount.Amount.Source).Reference});
  };
  if (Own)
    Add(*Own, A->Name, A->Sources);
  if (M.Topology.Cluster) {
    Add(M.Topology.Cluster->Terms, M.Name, M.Sources);
    if (M.Topology.Cluster->Processors)
      Result.Processors = M.Topology.Cluster->Processors->Value;
    if (M.Topology.Cluster->ProcessorsPerNode)
      Result.Model.Machine.PerNode = M.Topology.Cluster->ProcessorsPerNode->Value;
  }
  std::ranges::sort(Result.Document.Terms, {}, &ScaleTerm::Which);
  if (A && !Own)
    Result.Document.Notes.push_back(
        fmt::format("{} has no terms for {}: time and power are the profile's, whatever runs",
                    A->Name, M.Name));
  return std::nullopt;
}

/// The clocks that are asked for, or the profile's default.
static std::expected<std::vector<double>, Error> clocksOf(const Machine &M,
                                                          const std::string &List) {
  if (List.empty()) {
    if (M.defaultSetting().CoreMhz)
      return std::vector{*M.defaultSetting().CoreMhz};
    return std::unexpected(
        Error{"the profile lists no clock", "", "give one with --core-mhz", M.Name});
  }
  return parseNumberList("--core-mhz", List, /*Whole=*/false);
}

/// Clocks that the profile does not list follow the terms' laws; one that is far from all
/// is in another unit.
static std::optional<Error> checkClocks(Scaling &S, const Machine &M,
                                        const std::vector<double> &Clocks) {
  std::vector<double> Listed, Values;
  double Least = INFINITY, Most = 0;
  for (const Setting &Element : M.Settings)
    if (Element.CoreMhz) {
      Listed.push_back(*Element.CoreMhz);
      Least = std::min(Least, *Element.CoreMhz);
      Most = std::max(Most, *Element.CoreMhz);
    }
  if (Listed.empty())
    return std::nullopt;
  for (double Mhz : Clocks) {
    if (Mhz < Least / 10 || Mhz > Most * 10)
      return Error{
          fmt::format("{:g} MHz is far from the machine's {:g} MHz", Mhz, fmt::join(Listed, ", ")),
          "", "give clocks in MHz", "--core-mhz"};
    if (std::ranges::none_of(M.Settings,
                             [&](const Setting &Entry) { return Entry.CoreMhz == Mhz; }))
      Values.push_back(Mhz);
  }
  if (!Values.empty())
    S.Document.Notes.push_back(
        fmt::format("{} lists {:g} MHz; at {:g} MHz its terms are taken by their laws", M.Name,
                    fmt::join(Listed, ", "), fmt::join(Values, ", ")));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The application's vector
//===----------------------------------------------------------------------===//

/// Values for an application's own parameters. Error: a name that it does not have, or
/// no number; unknowns: a parameter without a value.
static std::expected<Formula::Values, Stop> parametersOf(const Application &A,
                                                         const std::vector<std::string> &Sets) {
  const std::set<std::string> Names = A.parameters();
  Formula::Values Result;
  for (const std::string &Set : Sets) {
    const std::size_t Equals = std::min(Set.find('='), Set.size());
    const std::string Name = Set.substr(0, Equals);
    const auto Value = parseNumber(Equals == Set.size() ? "" : Set.substr(Equals + 1));
    if (Name == "n" || Name == "p")
      return stop({"the formulas' own " + Name, "", "give it with -" + Name, "--set " + Set});
    if (!Names.contains(Name))
      return stop({A.Name + " has no parameter " + inQuotes(Name), "",
                   Names.empty() ? "its formulas are in n and p alone"
                                 : suggestName(Name, std::vector(Names.begin(), Names.end())),
                   "--set " + Set});
    if (!Value)
      return stop({"not NAME=NUMBER", "", "write for example --set m=75", "--set " + Set});
    if (!Result.emplace(Name, Value->get_d()).second)
      return stop({"the name is given twice", "", "give each name once", "--set " + Set});
  }
  Stop Missing;
  for (const std::string &Name : Names)
    if (!Result.contains(Name))
      Missing.Unknowns.push_back({Name, {}, "a parameter of the application's formulas"});
  if (!Missing.Unknowns.empty())
    return std::unexpected(std::move(Missing));
  return Result;
}

static std::optional<Stop> useApplication(Scaling &Result, const Application &A,
                                          const std::vector<std::string> &Sets) {
  ScaleDocument &Document = Result.Document;
  Document.Application = A.Name;
  auto Given = parametersOf(A, Sets);
  if (!Given)
    return Given.error();
  Document.Overlap = A.Overlap.Value;
  Document.OverlapReference = A.Sources.at(A.Overlap.Source).Reference;
  for (const auto &[Which, Term] : A.Terms)
    Document.Work.push_back({std::string(name(Which)), std::string(symbol(Which)),
                             Term.Amount.text(), A.Sources.at(Term.Source).Reference});
  for (const CollectiveUse &Use : A.Collectives)
    Document.Work.push_back(
        {std::string(Use.Which->Name), "network",
         fmt::format("{} ({}): {} calls, {} bytes of {} over all calls", Use.Which->Name,
                     Use.Which->Source, Use.Calls.Amount.text(), Use.Bytes.Amount.text(),
                     Use.Which->Bytes),
         A.Sources.at(Use.Bytes.Source).Reference});
  Document.Notes = A.Notes;
  Result.Model.HasSteps = A.hasSteps();
  Result.Model.Work = [&A, Given = std::move(*Given)](double N, double P) {
    return A.at(N, P, Given);
  };
  return std::nullopt;
}

static std::expected<Formula, Error> parseClasses(const std::string &Option,
                                                  const std::string &Text) {
  auto Parsed = Formula::parse(Text);
  if (Parsed)
    return std::move(*Parsed);
  return std::unexpected(Error{fmt::format("formula {}: {} at {}", inQuotes(Text),
                                           Parsed.error().What, Parsed.error().Where),
                               "", "write it like \"flops + int_ops\"", Option});
}

static std::optional<Error> useRecords(Scaling &Result, const ScaleOptions &Options) {
  if (Options.Entry.Entry.empty() || !Options.Overlap || Options.NIs.empty() || Options.PIs.empty())
    return Error{"--entry, --n-is, --p-is and --overlap are required with records", "",
                 "name the symbols that are n and p, e.g. --n-is n --p-is mpi.size, and give "
                 "--overlap 1 where nothing overlaps",
                 "ergon scale"};
  auto Records = openRecords(Options.Entry);
  if (!Records)
    return Records.error();
  auto Found = (*Records)->find(Options.Entry);
  if (!Found)
    return Found.error();
  CountedEntry &Entry = *keep(std::move(*Found));
  auto Computation = parseClasses("--computation",
                                  Options.Computation.empty() ? Instructions : Options.Computation);
  auto Memory = parseClasses("--memory", Options.Memory.empty() ? Accesses : Options.Memory);
  for (const auto *Formula : {&Computation, &Memory})
    if (!*Formula)
      return Formula->error();
  ScaleDocument &Document = Result.Document;
  Document.Application = Entry.function().Demangled;
  Document.Overlap = *Options.Overlap;
  const std::string Text = fmt::format(" (n is {}, p is {})", fmt::join(Options.NIs, " and "),
                                       fmt::join(Options.PIs, " and "));
  Document.Work = {
      {"computation", "W_c", Computation->text() + " of one process" + Text + " at p = 1", ""},
      {"memory", "W_m", Memory->text() + " of one process at p = 1", ""},
      {"computation_overhead", "W_co", "p times that of one process at p, less W_c", ""},
      {"memory_overhead", "W_mo", "p times that of one process at p, less W_m", ""},
      {"messages", "M", "p times the messages of one process", ""},
      {"message_bytes", "B", "p times the message_bytes of one process", ""}};
  auto Values = readSets(Options.Sets);
  if (!Values)
    return Values.error();
  auto Work = RecordedWork::of(Entry, {std::move(*Computation), std::move(*Memory)},
                               std::move(*Values), Options.NIs, Options.PIs, Options.Strict);
  if (!Work)
    return Work.error();
  Result.Recorded = std::move(*Work);
  Result.Model.HasSteps = true;
  Result.Model.Work = [&Result](double N, double P) { return Result.Recorded->at(N, P); };
  Document.Notes.push_back("a record counts one process: all p are taken to do as much as it does, "
                           "and sums are p times that");
  if (Options.Memory.empty())
    Document.Notes.push_back("accesses are those that the code requests: at most that many leave "
                             "the chip; --memory takes a formula");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

/// What records say beside numbers, once they were asked.
static void addRecordNotes(Scaling &S) {
  std::vector<std::string> Known;
  for (const auto &[Class, How] : S.Recorded->known())
    Known.push_back(fmt::format("{} {}", Class, name(How)));
  const auto &Calls = S.Recorded->libraryCalls();
  if (!Known.empty())
    S.Document.Notes.push_back(fmt::format("counts are known so: {}", fmt::join(Known, ", ")));
  if (!Calls.empty())
    S.Document.Notes.push_back(fmt::format("calls that cost what is described in library-costs: {}",
                                           fmt::join(Calls, ", ")));
  std::vector<std::string> Estimates;
  for (const auto &[Symbol, E] : S.Recorded->estimates())
    Estimates.push_back(fmt::format("{}={}", Symbol, numeral(E.Value)));
  if (!Estimates.empty())
    S.Document.Notes.push_back(fmt::format("estimated, the same at each n and p: {}; --set gives "
                                           "other values, --strict refuses",
                                           listed(Estimates)));
}

static void addNotes(Scaling &S, const std::vector<double> &Ps) {
  ScaleDocument &Document = S.Document;
  if (S.Processors && std::ranges::max(Ps) > *S.Processors)
    Document.Notes.push_back(fmt::format("{} has {:g} processors: beyond, the model extrapolates",
                                         Document.Machine, *S.Processors));
  bool Network = false;
  for (const ScaleRow &Row : Document.Rows)
    Network |= Row.Value && Row.Value->overhead(IsoPart::Network).TimeS != 0;
  if (Network && !S.Model.Machine.Terms.contains(ClusterTerm::NetworkW))
    Document.Notes.push_back("the network's own power is not stated and left out (2011, eq. 12)");
  const IsoPoint &First = Document.Rows.front().Point;
  const auto Alone = S.Model.at({First.N, 1, First.Mhz});
  if (Alone && std::abs(Alone->eef()) > 1e-9)
    Document.Notes.push_back(fmt::format(
        "overheads are not 0 at p = 1, so that EE is {:.6g} there and not 1", Alone->efficiency()));
  if (S.Recorded)
    addRecordNotes(S);
}

/// Evaluates every point. Nothing has a value: that is what is wrong.
static std::optional<Stop> fillRows(Scaling &Result, const std::vector<double> &Ps,
                                    const std::vector<double> &Ns,
                                    const std::vector<double> &Clocks) {
  for (double Mhz : Clocks)
    for (double N : Ns)
      for (double P : Ps) {
        const IsoPoint IP{N, P, Mhz};
        ScaleRow Row{IP, Result.Model.at(IP), {}};
        if (Row.Value)
          Row.Exponents = elasticities(Result.Model, IP);
        else if (Row.Value.error().Everywhere)
          return Stop{Error{Row.Value.error().Why, "",
                            "state it in the profile's /cluster/terms or "
                            "in the application's /machines",
                            Result.Document.Machine}};
        Result.Document.Rows.push_back(std::move(Row));
      }
  if (std::ranges::any_of(Result.Document.Rows,
                          [](const ScaleRow &Row) { return Row.Value.has_value(); }))
    return std::nullopt;
  const ScaleRow &First = Result.Document.Rows.front();
  if (Result.Recorded) {
    if (!Result.Recorded->unknowns().empty())
      return Stop{std::nullopt, Result.Recorded->unknowns()};
    if (Result.Recorded->failure())
      return Stop{*Result.Recorded->failure()};
  }
  return Stop{Error{fmt::format("no point has an efficiency; at p = {:g}, n = {:.10g}: {}",
                                First.Point.P, First.Point.N, First.Value.error().Why),
                    "", "ask for other points", Result.Document.Application}};
}

static void fillKept(Scaling &Result, const std::vector<double> &Ps, const std::vector<double> &Ns,
                     const std::vector<double> &Clocks) {
  ScaleDocument &Document = Result.Document;
  auto Add = [&](IsoPoint Point, bool OverP) {
    double IsoPoint::*Member = OverP ? &IsoPoint::P : &IsoPoint::N;
    ScaleKept Next{Point,
                   OverP ? processorsThatKeep(*Document.KeepEe, Result.Model, Point, Document.MaxP)
                         : sizesThatKeep(*Document.KeepEe, Result.Model, Point, Document.MaxN),
                   ""};
    if (!Next.Ranges.empty() && Next.Ranges.back().Why == KeptRange::End::NoValue) {
      Point.*Member = Next.Ranges.back().Last + 1;
      Next.WhyNoValue = Result.Model.at(Point).error().Why;
    }
    Document.Kept.push_back(std::move(Next));
  };
  for (double Mhz : Clocks) {
    for (double N : Ns)
      Add({N, 0, Mhz}, /*OverP=*/true);
    for (double P : Ps)
      Add({0, P, Mhz}, /*OverP=*/false);
  }
}

/// The vectors of an application, or of records, and of the machine.
static std::optional<Stop> useVectors(Scaling &Result, const ScaleOptions &Options,
                                      const Machine &M) {
  const bool IsApplication = !Options.Application.empty();
  if (IsApplication != Options.Entry.Directory.empty())
    return Stop{Error{"what scales is either an application or an entry of records", "",
                      "give --app NAME, DIR and --entry F, or --runs FILE", "ergon scale"}};
  const bool ForRecords = !Options.Entry.Entry.empty() || Options.Overlap || !Options.NIs.empty() ||
                          !Options.PIs.empty() || !Options.Computation.empty() ||
                          !Options.Memory.empty();
  if (IsApplication && ForRecords)
    return Stop{
        Error{"--entry, --n-is, --p-is, --overlap, --computation and --memory are for records", "",
              "leave them out: the application says all this", "ergon scale"}};
  const Application *A = nullptr;
  if (IsApplication) {
    auto Loaded = loadApplication(Options.Application);
    if (!Loaded)
      return Stop{Loaded.error()};
    A = &keep(std::move(*Loaded));
    if (auto Stopped = useApplication(Result, *A, Options.Sets))
      return Stopped;
  } else if (auto Bad = useRecords(Result, Options)) {
    return Stop{std::move(*Bad)};
  }
  if (auto Bad = addMachine(Result, M, A))
    return Stop{std::move(*Bad)};
  if (Options.PerNode)
    Result.Model.Machine.PerNode = *Options.PerNode;
  Result.Model.Overlap = Result.Document.Overlap;
  Result.Document.HasSteps = Result.Model.HasSteps;
  return std::nullopt;
}

static std::optional<Stop> scale(Scaling &Result, const ScaleOptions &Options) {
  const std::pair<const char *, const std::string &> Required[] = {
      {"-p", Options.P}, {"-n", Options.N}, {"--machine", Options.Machine}};
  for (const auto &[Name, Value] : Required)
    if (Value.empty())
      return Stop{Error{fmt::format("{} is required", Name), "",
                        "give it, or measured runs with --runs", "ergon scale"}};
  const auto Ps = parseNumberList("-p", Options.P, /*Whole=*/true);
  const auto Ns = parseNumberList("-n", Options.N, /*Whole=*/true);
  for (const auto *Values : {&Ps, &Ns})
    if (!*Values)
      return Stop{Values->error()};
  const auto M = loadMachine(Options.Machine);
  if (!M)
    return Stop{M.error()};
  if (auto Stopped = useVectors(Result, Options, *M))
    return Stopped;
  const auto Clocks = clocksOf(*M, Options.CoreMhz);
  if (!Clocks)
    return Stop{Clocks.error()};
  if (auto Bad = checkClocks(Result, *M, *Clocks))
    return Stop{std::move(*Bad)};
  if (Ps->size() * Ns->size() * Clocks->size() > MaxPoints)
    return Stop{Error{"more than 100000 points", "", "give fewer p, n or clocks", "ergon scale"}};
  if (auto Stopped = fillRows(Result, *Ps, *Ns, *Clocks))
    return Stopped;
  Result.Document.KeepEe = Options.KeepEe;
  Result.Document.MaxP = double(Options.MaxP);
  Result.Document.MaxN = double(Options.MaxN);
  if (Options.KeepEe)
    fillKept(Result, *Ps, *Ns, *Clocks);
  addNotes(Result, *Ps);
  return std::nullopt;
}

/// What the vectors say of time at \p Clock, where a run does not know its own.
static VectorLaw lawOf(const Scaling &S, double Clock) {
  return {S.Document.Application,
          [&S, Clock](double N, double P, std::optional<double> Mhz) -> std::optional<double> {
            const auto All = S.Model.at({N, P, Mhz.value_or(Clock)}),
                       First = S.Model.at({N, 1, Mhz.value_or(Clock)});
            if (!All || !First)
              return std::nullopt;
            return std::log(All->ParallelS / First->ParallelS);
          }};
}

/// Measured runs, with the vectors as far as they are given.
static std::expected<ScaledRunsDocument, Stop> scaleMeasured(Scaling &Result,
                                                             const ScaleOptions &Options) {
  std::optional<VectorLaw> Law;
  std::optional<double> PerNode = Options.PerNode;
  const bool HasVector = !Options.Application.empty() || !Options.Entry.Directory.empty();
  if (HasVector && Options.Machine.empty())
    return stop({"a vector needs a machine", "", "give --machine, or the runs alone", "--runs"});
  if (!Options.Machine.empty()) {
    const auto M = loadMachine(Options.Machine);
    if (!M)
      return stop(M.error());
    if (M->Topology.Cluster && M->Topology.Cluster->ProcessorsPerNode && !PerNode)
      PerNode = M->Topology.Cluster->ProcessorsPerNode->Value;
    if (HasVector) {
      if (auto Stopped = useVectors(Result, Options, *M))
        return std::unexpected(std::move(*Stopped));
      const auto Clock = clocksOf(*M, "");
      if (!Clock)
        return stop(Clock.error());
      Law = lawOf(Result, Clock->front());
    }
  }
  auto Document = scaleRuns(Options, PerNode, Law);
  if (!Document)
    return stop(Document.error());
  return std::move(*Document);
}

/// The status for why a command ends.
static int complain(const Scaling &S, const Stop &Why) {
  return Why.Bad ? complain(*Why.Bad) : reportUnbound(S.Document.Application, Why.Unknowns);
}

/// Prints a document, and draws it where that is asked for.
template <typename Document>
static int show(const Document &D, const ScaleOptions &Options,
                std::string (*Write)(const Document &), void (*Print)(const Document &)) {
  if (!Options.Svg.empty())
    if (auto Written = writeTextFile(Options.Svg, toSvg(scalePlot(D))); !Written)
      return complain(Written.error());
  if (Options.Json)
    fmt::print("{}", Write(D));
  else
    Print(D);
  return Done;
}

int runScale(const ScaleOptions &Options) {
  Scaling Result;
  if (Options.KeepEe && !(*Options.KeepEe > 0))
    return complain(
        Error{"an efficiency of 0 or below", "", "give one above 0, such as 0.8", "--keep-ee"});
  if (!Options.Runs.empty()) {
    const auto Document = scaleMeasured(Result, Options);
    return Document ? show(*Document, Options, writeScaledRuns, printScaledRuns)
                    : complain(Result, Document.error());
  }
  if (auto Stopped = scale(Result, Options))
    return complain(Result, *Stopped);
  return show(Result.Document, Options, writeScale, printScale);
}

} // namespace ergon
