//===- CommandScale.cpp - ergon scale -------------------------------------===//

#include "formats/json/NumberText.h"
#include "predict/store/ApplicationStore.h"
#include "predict/store/MachineStore.h"
#include "predict/text/Suggest.h"
#include "predict/tune/RecordedWork.h"
#include "tools/base/NumberList.h"
#include "tools/base/Opened.h"
#include "tools/base/SetOptions.h"
#include "tools/scale/Scale.h"

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
static std::optional<Error> addMachine(Scaling &Into, const Machine &M, const Application *Of) {
  const ClusterTerms *Own = nullptr;
  if (Of)
    if (auto Found = Of->Machines.find(M.Name); Found != Of->Machines.end())
      Own = &Found->second;
  if (!M.Topology.Cluster && !Own)
    return Error{"the profile says nothing of a cluster", "",
                 "add /cluster to it, or take another machine: systemg has one", M.Name};
  Into.Document.Machine = M.Name;
  auto Add = [&](const ClusterTerms &Terms, const std::string &From,
                 const std::map<std::string, Source> &Sources) {
    for (const auto &[Which, Amount] : Terms)
      if (Into.Model.Terms.emplace(Which, Amount).second)
        Into.Document.Terms.push_back(
            {Which, Amount, From, Sources.at(Amount.Amount.Source).Reference});
  };
  if (Own)
    Add(*Own, Of->Name, Of->Sources);
  if (M.Topology.Cluster) {
    Add(M.Topology.Cluster->Terms, M.Name, M.Sources);
    if (M.Topology.Cluster->Processors)
      Into.Processors = M.Topology.Cluster->Processors->Value;
  }
  std::ranges::sort(Into.Document.Terms, {}, &ScaleTerm::Which);
  if (Of && !Own)
    Into.Document.Notes.push_back(
        fmt::format("{} has no terms for {}: time and power are the profile's, whatever runs",
                    Of->Name, M.Name));
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
static std::optional<Error> checkClocks(Scaling &Of, const Machine &M,
                                        const std::vector<double> &Clocks) {
  std::vector<double> Listed, Beyond;
  double Least = INFINITY, Most = 0;
  for (const Setting &Each : M.Settings)
    if (Each.CoreMhz) {
      Listed.push_back(*Each.CoreMhz);
      Least = std::min(Least, *Each.CoreMhz);
      Most = std::max(Most, *Each.CoreMhz);
    }
  if (Listed.empty())
    return std::nullopt;
  for (double Mhz : Clocks) {
    if (Mhz < Least / 10 || Mhz > Most * 10)
      return Error{
          fmt::format("{:g} MHz is far from the machine's {:g} MHz", Mhz, fmt::join(Listed, ", ")),
          "", "give clocks in MHz", "--core-mhz"};
    if (std::ranges::none_of(M.Settings, [&](const Setting &Each) { return Each.CoreMhz == Mhz; }))
      Beyond.push_back(Mhz);
  }
  if (!Beyond.empty())
    Of.Document.Notes.push_back(
        fmt::format("{} lists {:g} MHz; at {:g} MHz its terms are taken by their laws", M.Name,
                    fmt::join(Listed, ", "), fmt::join(Beyond, ", ")));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The application's vector
//===----------------------------------------------------------------------===//

/// Values for an application's own parameters. Error: a name that it does not have, or
/// no number; unknowns: a parameter without a value.
static std::expected<Formula::Values, Stop> parametersOf(const Application &Of,
                                                         const std::vector<std::string> &Sets) {
  const std::set<std::string> Names = Of.parameters();
  Formula::Values Result;
  for (const std::string &Set : Sets) {
    const std::size_t Equals = std::min(Set.find('='), Set.size());
    const std::string Name = Set.substr(0, Equals);
    const auto Value = parseNumber(Equals == Set.size() ? "" : Set.substr(Equals + 1));
    if (Name == "n" || Name == "p")
      return stop({"the formulas' own " + Name, "", "give it with -" + Name, "--set " + Set});
    if (!Names.contains(Name))
      return stop({Of.Name + " has no parameter " + inQuotes(Name), "",
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

static std::optional<Stop> useApplication(Scaling &Into, const Application &Of,
                                          const std::vector<std::string> &Sets) {
  ScaleDocument &Document = Into.Document;
  Document.Application = Of.Name;
  auto Given = parametersOf(Of, Sets);
  if (!Given)
    return Given.error();
  Document.Overlap = Of.Overlap.Value;
  Document.OverlapReference = Of.Sources.at(Of.Overlap.Source).Reference;
  for (const auto &[Which, Term] : Of.Terms)
    Document.Work.push_back({std::string(name(Which)), std::string(symbol(Which)),
                             Term.Amount.text(), Of.Sources.at(Term.Source).Reference});
  for (const CollectiveUse &Use : Of.Collectives)
    Document.Work.push_back(
        {std::string(Use.Which->Name), "network",
         fmt::format("{} ({}): {} calls, {} bytes of {} over all calls", Use.Which->Name,
                     Use.Which->Source, Use.Calls.Amount.text(), Use.Bytes.Amount.text(),
                     Use.Which->Bytes),
         Of.Sources.at(Use.Bytes.Source).Reference});
  Document.Notes = Of.Notes;
  Into.Model.HasSteps = Of.hasSteps();
  Into.Model.Work = [&Of, Given = std::move(*Given)](double N, double P) {
    return Of.at(N, P, Given);
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

static std::optional<Error> useRecords(Scaling &Into, const ScaleOptions &Options) {
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
  for (const auto *Each : {&Computation, &Memory})
    if (!*Each)
      return Each->error();
  ScaleDocument &Document = Into.Document;
  Document.Application = Entry.function().Demangled;
  Document.Overlap = *Options.Overlap;
  const std::string Of = fmt::format(" (n is {}, p is {})", fmt::join(Options.NIs, " and "),
                                     fmt::join(Options.PIs, " and "));
  Document.Work = {
      {"computation", "W_c", Computation->text() + " of one process" + Of + " at p = 1", ""},
      {"memory", "W_m", Memory->text() + " of one process at p = 1", ""},
      {"computation_overhead", "W_co", "p times that of one process at p, less W_c", ""},
      {"memory_overhead", "W_mo", "p times that of one process at p, less W_m", ""},
      {"messages", "M", "p times the messages of one process", ""},
      {"message_bytes", "B", "p times the message_bytes of one process", ""}};
  auto Values = readSets(Options.Sets);
  if (!Values)
    return Values.error();
  auto Work = RecordedWork::of(Entry, {std::move(*Computation), std::move(*Memory)},
                               std::move(*Values), Options.NIs, Options.PIs);
  if (!Work)
    return Work.error();
  Into.Recorded = std::move(*Work);
  Into.Model.HasSteps = true;
  Into.Model.Work = [&Into](double N, double P) { return Into.Recorded->at(N, P); };
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
static void addRecordNotes(Scaling &Of) {
  std::vector<std::string> Known;
  for (const auto &[Class, How] : Of.Recorded->known())
    Known.push_back(fmt::format("{} {}", Class, name(How)));
  const auto &Calls = Of.Recorded->libraryCalls();
  if (!Known.empty())
    Of.Document.Notes.push_back(fmt::format("counts are known so: {}", fmt::join(Known, ", ")));
  if (!Calls.empty())
    Of.Document.Notes.push_back(fmt::format(
        "calls that cost what is described in library-costs: {}", fmt::join(Calls, ", ")));
}

static void addNotes(Scaling &Of, const std::vector<double> &Ps) {
  ScaleDocument &Document = Of.Document;
  if (Of.Processors && std::ranges::max(Ps) > *Of.Processors)
    Document.Notes.push_back(fmt::format("{} has {:g} processors: beyond, the model extrapolates",
                                         Document.Machine, *Of.Processors));
  bool Network = false;
  for (const ScaleRow &Row : Document.Rows)
    Network |= Row.Value && Row.Value->overhead(IsoPart::Network).TimeS != 0;
  if (Network && !Of.Model.Terms.contains(ClusterTerm::NetworkW))
    Document.Notes.push_back("the network's own power is not stated and left out (2011, eq. 12)");
  const IsoPoint &First = Document.Rows.front().At;
  const auto Alone = Of.Model.at({First.N, 1, First.Mhz});
  if (Alone && std::abs(Alone->eef()) > 1e-9)
    Document.Notes.push_back(fmt::format(
        "overheads are not 0 at p = 1, so that EE is {:.6g} there and not 1", Alone->efficiency()));
  if (Of.Recorded)
    addRecordNotes(Of);
}

/// Evaluates every point. Nothing has a value: that is what is wrong.
static std::optional<Stop> fillRows(Scaling &Into, const std::vector<double> &Ps,
                                    const std::vector<double> &Ns,
                                    const std::vector<double> &Clocks) {
  for (double Mhz : Clocks)
    for (double N : Ns)
      for (double P : Ps) {
        const IsoPoint At{N, P, Mhz};
        ScaleRow Row{At, Into.Model.at(At), {}};
        if (Row.Value)
          Row.Moves = elasticities(Into.Model, At);
        else if (Row.Value.error().Everywhere)
          return Stop{Error{Row.Value.error().Why, "",
                            "state it in the profile's /cluster/terms or "
                            "in the application's /machines",
                            Into.Document.Machine}};
        Into.Document.Rows.push_back(std::move(Row));
      }
  if (std::ranges::any_of(Into.Document.Rows,
                          [](const ScaleRow &Row) { return Row.Value.has_value(); }))
    return std::nullopt;
  const ScaleRow &First = Into.Document.Rows.front();
  if (Into.Recorded) {
    if (!Into.Recorded->unknowns().empty())
      return Stop{std::nullopt, Into.Recorded->unknowns()};
    if (Into.Recorded->failure())
      return Stop{*Into.Recorded->failure()};
  }
  return Stop{Error{fmt::format("no point has an efficiency; at p = {:g}, n = {:.10g}: {}",
                                First.At.P, First.At.N, First.Value.error().Why),
                    "", "ask for other points", Into.Document.Application}};
}

static void fillKept(Scaling &Into, const std::vector<double> &Ps, const std::vector<double> &Ns,
                     const std::vector<double> &Clocks) {
  ScaleDocument &Document = Into.Document;
  auto Add = [&](IsoPoint At, bool OverP) {
    double IsoPoint::*Member = OverP ? &IsoPoint::P : &IsoPoint::N;
    ScaleKept Next{At,
                   OverP ? processorsThatKeep(*Document.KeepEe, Into.Model, At, Document.MaxP)
                         : sizesThatKeep(*Document.KeepEe, Into.Model, At, Document.MaxN),
                   ""};
    if (!Next.Ranges.empty() && Next.Ranges.back().Why == KeptRange::End::NoValue) {
      At.*Member = Next.Ranges.back().Last + 1;
      Next.WhyNoValue = Into.Model.at(At).error().Why;
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

static std::optional<Stop> scale(Scaling &Into, const ScaleOptions &Options) {
  const bool IsApplication = !Options.Application.empty();
  if (IsApplication != Options.Entry.Directory.empty())
    return Stop{Error{"what scales is either an application or an entry of records", "",
                      "give --app NAME, or DIR and --entry F", "ergon scale"}};
  const bool ForRecords = !Options.Entry.Entry.empty() || Options.Overlap || !Options.NIs.empty() ||
                          !Options.PIs.empty() || !Options.Computation.empty() ||
                          !Options.Memory.empty();
  if (IsApplication && ForRecords)
    return Stop{
        Error{"--entry, --n-is, --p-is, --overlap, --computation and --memory are for records", "",
              "leave them out: the application says all this", "ergon scale"}};
  const auto Ps = parseNumberList("-p", Options.P, /*Whole=*/true);
  const auto Ns = parseNumberList("-n", Options.N, /*Whole=*/true);
  for (const auto *Each : {&Ps, &Ns})
    if (!*Each)
      return Stop{Each->error()};
  if (Options.KeepEe && !(*Options.KeepEe > 0))
    return Stop{
        Error{"an efficiency of 0 or below", "", "give one above 0, such as 0.8", "--keep-ee"}};
  const auto M = loadMachine(Options.Machine);
  if (!M)
    return Stop{M.error()};
  const Application *Of = nullptr;
  if (IsApplication) {
    auto Loaded = loadApplication(Options.Application);
    if (!Loaded)
      return Stop{Loaded.error()};
    Of = &keep(std::move(*Loaded));
    if (auto Stopped = useApplication(Into, *Of, Options.Sets))
      return Stopped;
  } else if (auto Bad = useRecords(Into, Options)) {
    return Stop{std::move(*Bad)};
  }
  if (auto Bad = addMachine(Into, *M, Of))
    return Stop{std::move(*Bad)};
  const auto Clocks = clocksOf(*M, Options.CoreMhz);
  if (!Clocks)
    return Stop{Clocks.error()};
  if (auto Bad = checkClocks(Into, *M, *Clocks))
    return Stop{std::move(*Bad)};
  if (Ps->size() * Ns->size() * Clocks->size() > MaxPoints)
    return Stop{Error{"more than 100000 points", "", "give fewer p, n or clocks", "ergon scale"}};
  Into.Model.Overlap = Into.Document.Overlap;
  Into.Document.HasSteps = Into.Model.HasSteps;
  if (auto Stopped = fillRows(Into, *Ps, *Ns, *Clocks))
    return Stopped;
  Into.Document.KeepEe = Options.KeepEe;
  Into.Document.MaxP = double(Options.MaxP);
  Into.Document.MaxN = double(Options.MaxN);
  if (Options.KeepEe)
    fillKept(Into, *Ps, *Ns, *Clocks);
  addNotes(Into, *Ps);
  return std::nullopt;
}

int runScale(const ScaleOptions &Options) {
  Scaling Result;
  if (auto Stopped = scale(Result, Options)) {
    if (Stopped->Bad)
      return complain(*Stopped->Bad);
    return reportUnbound(Result.Document.Application, Stopped->Unknowns);
  }
  if (Options.Json)
    fmt::print("{}", writeScale(Result.Document));
  else
    printScale(Result.Document);
  return Done;
}

} // namespace ergon
