//===- CommandVerify.cpp - ergon verify -----------------------------------===//

#include "calibration/Measure.h"
#include "predict/store/ShippedFiles.h"
#include "predict/text/Suggest.h"
#include "tools/base/HostCaches.h"
#include "tools/base/Opened.h"
#include "tools/base/OwnMachine.h"
#include "tools/verify/ProgramVerification.h"
#include "tools/verify/Verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include <fnmatch.h>

namespace ergon {

static constexpr ShippedFolder Records = {"verification", "ERGON_VERIFICATION"};
/// Of kernels that have no data.
static const std::string NoLevel = "none";

/// The levels that the options name, of those that there are.
static std::expected<std::set<std::string>, Error> levelsOf(const VerifyOptions &Options,
                                                            const ProbedMachine &M) {
  std::vector<std::string> All = {NoLevel};
  for (const Cache &C : M.Caches)
    All.push_back(C.Level);
  All.emplace_back("dram");
  for (const std::string &Level : Options.Levels)
    if (std::ranges::find(All, Level) == All.end())
      return std::unexpected(
          Error{"no level is called " + inQuotes(Level), "",
                suggestName(Level, All) + "; there are: " + fmt::format("{}", fmt::join(All, ", ")),
                "--levels"});
  if (Options.Levels.empty())
    return std::set<std::string>(All.begin(), All.end());
  return std::set<std::string>(Options.Levels.begin(), Options.Levels.end());
}

/// One thread and all; or what is asked for.
static std::expected<std::vector<unsigned>, Error> threadsOf(const VerifyOptions &Options,
                                                             const ProbedMachine &M) {
  for (const unsigned Thread : Options.Threads)
    if (Thread < 1 || Thread > M.Threads)
      return std::unexpected(Error{fmt::format("{} threads have not a processor each", Thread), "",
                                   fmt::format("give 1 to {}", M.Threads), "--threads"});
  if (!Options.Threads.empty())
    return Options.Threads;
  return M.Threads > 1 ? std::vector<unsigned>{1, M.Threads} : std::vector<unsigned>{1};
}

/// All cases that the options leave.
static std::expected<VerificationPlan, Error> plan(const VerifyOptions &Options) {
  VerificationPlan Result;
  Result.Machine = Options.Machine;
  Result.Variant = variantsForThisProcessor().back();
  Result.Records = shippedFolder(Records) + "/" + Result.Variant.Name;
  // The median to 2 %, of samples that are single runs where these are long.
  Result.Goal = Options.Quick ? QuickGoal : SamplingGoal{5e-4, 0.02, 7, 40, 60, 0.25, 2};
  Result.Passes = Options.Quick ? 1 : 3;
  auto Host = findHostCaches();
  if (!Host)
    return std::unexpected(Host.error());
  const ProbedMachine M{Host->Levels, unsigned(allowedProcessors().size()), freeMemoryBytes()};
  const auto Levels = levelsOf(Options, M);
  if (!Levels)
    return std::unexpected(Levels.error());
  const auto Teams = threadsOf(Options, M);
  if (!Teams)
    return std::unexpected(Teams.error());
  for (const unsigned Threads : *Teams) {
    std::vector<DataSize> Places = dataSizes(M, Threads, Result.LeftOut);
    Places.insert(Places.begin(), {NoLevel, 0});
    for (const DataSize &Place : Places)
      for (const VerifiedKernel &Kernel : verifiedKernels())
        if (Kernel.HasData == (Place.Level != NoLevel) && Levels->contains(Place.Level) &&
            (Options.Only.empty() || fnmatch(Options.Only.c_str(), Kernel.Name, 0) == 0))
          Result.Cases.push_back({&Kernel, Place.Level, Threads, Place.Bytes});
  }
  if (Result.Cases.empty())
    return std::unexpected(
        Error{"no kernel is left to measure", "", "give other --only, --levels or --threads", ""});
  return Result;
}

static int runOfProgram(const VerifyOptions &Options) {
  if (!Options.Threads.empty() || !Options.Levels.empty() || !Options.Only.empty() || Options.Quick)
    return complain({"--threads, --levels, --only and --quick are for the shipped kernels", "",
                     "leave them out; --cores K says how many cores a program keeps at work", ""});
  if (Options.Entry.Entry.empty())
    return complain({"is wanted, for what the program does", "", "add --entry F", "--entry"});
  const auto Found = verifyProgram(Options);
  if (!Found)
    return complain(Found.error());
  if (Options.Json)
    printProgramJson(*Found, Options);
  else
    printProgram(*Found, Options);
  if (Found->Predicted.Counts.Unbound.empty())
    return Done;
  return reportUnbound(Found->Predicted.Function, Found->Predicted.Unknowns);
}

int runVerify(const VerifyOptions &Given) {
  VerifyOptions Options = Given;
  auto Name = someMachineOrOwn(Given.Machine);
  if (!Name)
    return complain(Name.error());
  Options.Machine = std::move(*Name);
  if (!Options.Command.empty())
    return runOfProgram(Options);
  if (!Options.Entry.Directory.empty() || !Options.Entry.Entry.empty() || !Options.Region.empty() ||
      !Options.Sets.empty())
    return complain({"there is no program to run", "",
                     "give it and its arguments after --; without DIR and --entry the shipped "
                     "kernels are verified",
                     ""});
  const auto Plan = plan(Options);
  if (!Plan)
    return complain(Plan.error());
  bool HasHeading = Options.Json; // there is none above an error
  const auto Found = verifyKernels(*Plan, [&](const VerifiedCase &Case, bool HasMeter) {
    if (!std::exchange(HasHeading, true))
      printHeading(HasMeter);
    if (!Options.Json)
      printCase(Case, HasMeter);
  });
  if (!Found)
    return complain(Found.error());
  if (Options.Json)
    printVerificationJson(*Found, *Plan);
  else
    printSummary(*Found, *Plan);
  return Done;
}

} // namespace ergon
