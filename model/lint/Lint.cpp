//===- Lint.cpp - lint rules on code --------------------------------------===//

#include "model/lint/Lint.h"
#include "model/lint/LintRules.h"
#include "model/lint/SampledRuns.h"
#include "model/program/Program.h"
#include "model/program/Stride.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace ergon {

static constexpr std::array LevelNames = {"note", "warning", "error"};

std::string_view name(FindingLevel Level) { return LevelNames[std::size_t(Level)]; }

std::optional<FindingLevel> findingLevel(std::string_view Name) {
  const auto Found = std::ranges::find(LevelNames, Name);
  if (Found == LevelNames.end())
    return std::nullopt;
  return FindingLevel(Found - LevelNames.begin());
}

static constexpr LintRule Rules[] = {
    {"bank-conflict", FindingLevel::Warning,
     "threads of a warp meet in the same banks of shared memory"},
    {"budget", FindingLevel::Error, "a function takes more than its budget"},
    {"column-walk", FindingLevel::Warning, "walks a column of a matrix that is stored by rows"},
    {"constant-division", FindingLevel::Note, "division by a constant in a loop"},
    {"constant-power", FindingLevel::Warning, "`pow` with a small constant exponent"},
    {"data-energy", FindingLevel::Note, "data takes more of the energy than arithmetic"},
    {"divergent-branch", FindingLevel::Note,
     "neighbouring threads of a warp go different ways in a loop"},
    {"double-promotion", FindingLevel::Warning, "arithmetic in double between floats"},
    {"generic-address", FindingLevel::Note, "access of a generic address in a loop on the device"},
    {"improvement", FindingLevel::Note, "a function costs less than it did"},
    {"invariant-division", FindingLevel::Note, "division by what a loop does not change"},
    {"invariant-transfer", FindingLevel::Warning,
     "copy between host and device that a loop repeats"},
    {"low-residency", FindingLevel::Note, "small blocks leave residency of multiprocessors unused"},
    {"power-cap", FindingLevel::Note, "the power cap bounds the time"},
    {"race-to-halt", FindingLevel::Note, "the fastest setting is not the one of least energy"},
    {"redundant-copy", FindingLevel::Warning,
     "copy between host and device of what is there already"},
    {"regression", FindingLevel::Warning, "a function costs more than it did"},
    {"scalar-loop", FindingLevel::Note,
     "loop that stays scalar for a reason that can be taken away"},
    {"slow-double", FindingLevel::Warning, "double on hardware that is slow at it"},
    {"small-launch", FindingLevel::Note, "a launch leaves multiprocessors idle"},
    {"streaming-store", FindingLevel::Note, "stores fetch lines that nothing reads"},
    {"strided-access", FindingLevel::Note, "uses little of each cache line that it fetches"},
    {"uncoalesced-access", FindingLevel::Warning, "threads of a warp go to sectors of their own"},
};

std::optional<Saving> excessOf(const Finding &F) {
  std::optional<Saving> Result = F.Saved;
  if (Result && F.Rule == "regression") {
    Result->TimeS = -Result->TimeS;
    Result->EnergyJ = -Result->EnergyJ;
  }
  return Result;
}

std::vector<std::string> LintReport::openTexts() const {
  std::vector<std::string> Result;
  for (const UncheckedRule &Open : Unchecked)
    Result.push_back(Open.Text);
  Result.insert(Result.end(), NotChecked.begin(), NotChecked.end());
  return Result;
}

std::span<const LintRule> lintRules() { return Rules; }

const LintRule *findRule(std::string_view Id) {
  const auto Found = std::ranges::find(Rules, Id, &LintRule::Id);
  return Found == std::end(Rules) ? nullptr : &*Found;
}

/// Fewer iterations are not reported: the remainder of a vectorized loop.
static constexpr double Worthwhile = 4;

namespace {
/// Checks a function's code.
class Linter {
public:
  Linter(const Function &F, const FunctionLookup &Find, const BlockShapes &Launches)
      : Linted(F), Find(Find), Runs(F) {
    if (const auto Found = Launches.find(F.Name); Found != Launches.end())
      Launched = Found->second;
  }
  std::vector<Finding> run();

private:
  const Function &Linted;
  const FunctionLookup &Find;
  SampledRuns Runs;
  std::set<BlockShape> Launched;    ///< of a kernel
  std::vector<const Loop *> Around; ///< the function's own code first
  std::vector<Finding> Result;

  Finding &report(std::string_view Rule, const SourceLocation &Location, std::string Message,
                  const Block &B, const Counts &Saves = {}, unsigned NeededIn = 0);
  Finding &reportAccess(std::string_view Rule, const Access &A, std::string Message,
                        const Block &B) {
    Finding &Result = report(Rule, placeOf(A, Linted), std::move(Message), B);
    Result.Object = A.Base;
    return Result;
  }
  void visit(const Loop &Region);
  void addHint(const Hint &Shown, const Block &B);
  void addStride(const Access &A, const Block &B);
  void addGeneric(const Access &A, const Block &B);
  void addDivergence(const Loop &Region);
};
} // namespace

Expr timesInCall(Expr E, const Function &F, std::span<const Loop *const> Around) {
  for (auto Found = Around.rbegin(); Found != Around.rend(); ++Found)
    if (!(*Found)->Variable.empty())
      E = sum((*Found)->Variable, 0, (*Found)->Last, E) * (*Found)->Entries;
  return simplifyConditions(F.IsKernel ? sumOverThreads(E, {}) : E);
}

Finding &Linter::report(std::string_view Rule, const SourceLocation &Location, std::string Message,
                        const Block &B, const Counts &Saves, unsigned NeededIn) {
  Counts All;
  const std::span<const Loop *const> Outer(Around.data(), Around.size() - NeededIn);
  for (const auto &[Class, Amount] : Saves) {
    All.add(Class, timesInCall(Amount * B.Runs, Linted, Around));
    if (NeededIn)
      All.add(Class, -timesInCall(Amount * Around[Outer.size()]->Entries, Linted, Outer));
  }
  const Expr Times = timesInCall(B.Runs, Linted, Around);
  const auto Found = std::ranges::find_if(
      Result, [&](const Finding &F) { return F.Rule == Rule && F.Location == Location; });
  if (Found != Result.end()) {
    // Of an unrolled loop and what it leaves: as the source has it.
    if (Message.size() < Found->Message.size())
      Found->Message = std::move(Message);
    Found->Times += Times;
    Found->Saves += All;
    return *Found;
  }
  return Result.emplace_back(Finding{.Rule = std::string(Rule),
                                     .How = findRule(Rule)->Default,
                                     .Location = Location,
                                     .Function = Linted.Demangled,
                                     .Mangled = Linted.Name,
                                     .Message = std::move(Message),
                                     .Loop = Around.back()->Location,
                                     .Times = Times,
                                     .Saves = std::move(All)});
}

static bool callsOthers(const Loop &L) {
  return std::ranges::any_of(L.Blocks, [](const Block &B) { return !B.Calls.empty(); });
}

void Linter::addHint(const Hint &Shown, const Block &B) {
  auto Report = [&](std::string_view Rule, std::string Message) {
    report(Rule, Shown.Location, std::move(Message), B, Shown.Saves, Shown.NeededIn);
  };
  if (auto Found = remarkOnTransfer(Shown, Linted, Find, Around))
    Report(Found->Rule, std::move(Found->Message));
  const std::string &Detail = Shown.Detail;
  // What a function does once beside its loops does not matter.
  const bool IsBeside = !Linted.IsKernel && Around.size() == 1 && !Linted.Body.Loops.empty();
  if (Shown.What == "double_promotion" && !IsBeside) {
    const bool IsLiteral =
        !Detail.empty() && Detail.find_first_not_of("-+.eE0123456789") == std::string::npos;
    Report("double-promotion",
           IsLiteral ? "the literal " + Detail + " makes this double between floats: write " +
                           Detail + "f"
           : Detail == "double"
               ? "this is done in double between floats: do it in float, or keep the double"
               : "`" + Detail + "` is a function of double, and is between floats: call `" +
                     Detail + "f`");
  } else if (Shown.What.ends_with("_division") &&
             (callsOthers(*Around.back()) || !Runs.mayBeLong(Around, Worthwhile))) {
    return; // next to a call a division is cheap
  } else if (Shown.What == "constant_division") {
    Report("constant-division", "division by " + Detail + " in a loop: multiply by 1/" + Detail +
                                    ", where the last bit does not matter");
  } else if (Shown.What == "invariant_division") {
    Report("invariant-division",
           "division by " +
               (Detail.empty() ? "what the loop does not change" : "`" + Detail + "`") +
               ": divide 1 by it once before the loop, where the last bit does not matter");
  } else if (Shown.What == "not_vectorized" && Runs.mayBeLong(Around, Worthwhile)) {
    // LLVM's remarks, and the remedies.
    static constexpr std::pair<std::string_view, std::string_view> Helps[] = {
        {"floating-point", "`#pragma clang fp reassociate(on)` at the start of its body lets it, "
                           "where the last bits do not matter"},
        {"memory", "`restrict`, or `#pragma clang loop vectorize(assume_safety)` where no "
                   "iteration needs another one's stores"},
        {"array bounds", "`restrict`, or pointers that the loop does not load"},
        {"call", "`-fveclib=` has some functions for vectors"}};
    std::string Message = "the loop stays scalar: " + Detail;
    for (const auto &[Word, Help] : Helps)
      if (Detail.find(Word) != std::string::npos) {
        Message += ": " + std::string(Help);
        break;
      }
    Report("scalar-loop", std::move(Message));
  } else if (Shown.What == "constant_power") {
    Report("constant-power",
           "`pow` with the exponent " + Detail + ": multiply, where the last bit does not matter");
  }
}

double usedOf(double Stride, const Access &A, const Loop &L) {
  std::set<std::pair<double, unsigned>> Used;
  for (const Block &B : L.Blocks)
    for (const Access &Other : B.Accesses)
      if (Other.Base == A.Base && Other.Offset)
        if (auto Apart = (*Other.Offset - *A.Offset).constant();
            Apart && std::abs(Apart->get_d()) < Stride)
          Used.insert({Apart->get_d(), Other.Bytes});
  double Sum = 0;
  for (const auto &[Apart, Bytes] : Used)
    Sum += Bytes;
  return Sum;
}

void Linter::addStride(const Access &A, const Block &B) {
  const Loop &Inner = *Around.back();
  // Outside an inner loop it is rarely important.
  if (Linted.IsKernel || Inner.Variable.empty() || !Inner.Loops.empty() ||
      A.Where != Space::Memory || A.Base.empty() || !A.Line)
    return;
  const auto Stride = stride(A, Inner);
  if (!Stride || Stride->isZero())
    return;
  static constexpr double LineBytes = 64;
  const auto Bytes = Stride->constant();
  double Used = A.Bytes; // of a line
  if (Bytes) {
    const double Far = std::abs(Bytes->get_d());
    Used = usedOf(Far, A, Inner);
    if (Far < LineBytes || Used >= LineBytes / 2)
      return;
  }
  static constexpr double SmallestL1 = 16384;
  if (!Runs.mayBeLong(Around, Worthwhile) ||
      Runs.farthest(*A.Offset, Around) + A.Bytes <= SmallestL1)
    return;
  // An outer loop with the access's stride would be the better inner loop.
  const Loop *Better = nullptr;
  for (std::size_t K = 0; K + 1 < Around.size(); ++K)
    if (!Around[K]->Variable.empty())
      if (auto Outer = stride(A, *Around[K]);
          Outer && *Outer == Expr(std::int64_t(A.Bytes)) &&
          Runs.mayBeLong(std::span(Around).first(K + 1), Worthwhile))
        Better = Around[K];
  static constexpr std::size_t MaxSize = 12;
  const std::string Distance = Stride->size() <= MaxSize ? toPretty(*Stride) + " bytes" : "far";
  // Interchanging the loops may only change which access has a long stride.
  const bool IsEitherWay = Better && std::ranges::any_of(Inner.Blocks, [&](const Block &B) {
                             return std::ranges::any_of(B.Accesses, [&](const Access &Other) {
                               auto Then = stride(Other, *Better);
                               auto Bytes = Then ? Then->constant() : std::nullopt;
                               return Then && (!Bytes || std::abs(Bytes->get_d()) >= LineBytes);
                             });
                           });
  const double Unused = 1 - Used / LineBytes;
  if (Better)
    reportAccess("column-walk", A,
                 "each iteration of the loop over " + Inner.Variable + " goes " + Distance +
                     " on in `" + A.Base + "`: " +
                     (IsEitherWay
                          ? "work in blocks, as others go far in the loop over " + Better->Variable
                          : "make the loop over " + Better->Variable + " the inner one"),
                 B)
        .Unused = Unused;
  else if (Bytes)
    reportAccess("strided-access", A,
                 "each iteration goes " + Distance + " on in `" + A.Base + "` and uses " +
                     std::to_string(A.Bytes) + " of each line's 64",
                 B)
        .Unused = Unused;
}

void Linter::addGeneric(const Access &A, const Block &B) {
  // Outside of a loop the look-up is cheaper than what a change costs its author, and what a device
  // function is given its callers know.
  const Loop &Inner = *Around.back();
  if (A.Where == Space::Generic &&
      std::ranges::find(Linted.Parameters, A.Base, &Parameter::Name) == Linted.Parameters.end() &&
      !Inner.Variable.empty() && Inner.Loops.empty() && Runs.mayBeLong(Around, Worthwhile))
    reportAccess("generic-address", A,
                 "the address may be of any memory" +
                     (A.Base.empty() || A.Base.starts_with('(') ? "" : " (`" + A.Base + "`)") +
                     ": let the compiler see where the pointer comes from",
                 B);
}

void Linter::addDivergence(const Loop &Region) {
  if (!Linted.IsKernel || Region.Variable.empty() || !Runs.mayBeLong(Around, Worthwhile))
    return;
  struct Side {
    const Block *Code;
    const LineCost *First;
    Remark Said;
  };
  std::map<std::uint32_t, Side> Branches; // the two sides of one are one
  for (const Block &B : Region.Blocks) {
    std::uint32_t Lanes = 0;
    auto Found = remarkOnDivergence(B, Around, Launched, Lanes);
    if (!Found || B.Lines.empty())
      continue;
    Side Next{&B, &*std::ranges::min_element(B.Lines, {}, &LineCost::Line), std::move(*Found)};
    const auto [Known, IsFirst] = Branches.try_emplace(std::min(Lanes, ~Lanes), Next);
    if (!IsFirst && Next.First->Line < Known->second.First->Line)
      Known->second = std::move(Next);
  }
  for (auto &[Lanes, S] : Branches) {
    const SourceLocation Place = placeOf(*S.First, Linted);
    report(S.Said.Rule, {Place.File, Place.Line, 0}, std::move(S.Said.Message), *S.Code);
  }
}

void Linter::visit(const Loop &Region) {
  Around.push_back(&Region);
  addDivergence(Region);
  for (const Block &B : Region.Blocks) {
    for (const Hint &Shown : B.Hints)
      addHint(Shown, B);
    for (const Access &A : B.Accesses) {
      addStride(A, B);
      if (Linted.IsKernel && A.Line)
        if (auto Found = remarkOnWarps(A, B, Around, Launched))
          reportAccess(Found->Rule, A, std::move(Found->Message), B);
      addGeneric(A, B);
    }
  }
  for (const Loop &Inner : Region.Loops)
    visit(Inner);
  Around.pop_back();
}

std::vector<Finding> Linter::run() {
  visit(Linted.Body);
  std::ranges::sort(Result, {}, [](const Finding &F) {
    return std::tuple(F.Location.File, F.Location.Line, F.Location.Column, F.Rule);
  });
  return std::move(Result);
}

std::vector<Finding> lintFunction(const Function &F, const FunctionLookup &Find,
                                  const BlockShapes &Launched) {
  return Linter(F, Find, Launched).run();
}

} // namespace ergon
