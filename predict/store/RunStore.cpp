//===- RunStore.cpp - run records on the command line ---------------------===//

#include "predict/store/RunStore.h"
#include "formats/run/RunFormat.h"
#include "predict/store/ParsedFile.h"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace ergon {

bool isRunRecord(const fs::path &File) {
  return File.filename().native().starts_with("run-") && File.extension() == ".json";
}

static std::expected<std::vector<fs::path>, Error> recordsOf(const std::string &Path) {
  std::error_code Failed;
  if (!fs::is_directory(Path, Failed))
    return std::vector<fs::path>{Path};
  std::vector<fs::path> Result;
  for (fs::directory_iterator File(Path, Failed), End; !Failed && File != End;
       File.increment(Failed))
    if (isRunRecord(File->path()))
      Result.push_back(File->path());
  if (Failed)
    return std::unexpected(Error{Failed.message(), "", "make the folder readable", Path});
  if (Result.empty())
    return std::unexpected(Error{
        "there is no run record in it", "",
        "build with `ergon record --instrument` and run with `ergon run -d DIR -- PROGRAM`", Path});
  std::ranges::sort(Result);
  return Result;
}

static std::expected<ProcessRun, Error> readRecord(const fs::path &File, bool HasToCount) {
  auto Run = parseFile(File, parseRun);
  if (Run && HasToCount && !Run->Uncounted.empty())
    return std::unexpected(Error{"the process counted nothing: " + Run->Uncounted, "/uncounted",
                                 "run it with `ergon run`, which sees to that", File});
  return Run;
}

static std::expected<std::vector<ProcessRun>, Error> readRun(const std::string &Path,
                                                             bool HasToCount) {
  auto Records = recordsOf(Path);
  if (!Records)
    return std::unexpected(Records.error());
  std::vector<ProcessRun> Processes;
  for (const fs::path &Record : *Records) {
    auto Run = readRecord(Record, HasToCount);
    if (!Run)
      return std::unexpected(Run.error());
    Processes.push_back(std::move(*Run));
  }
  return Processes;
}

std::expected<std::vector<ProcessRun>, Error> readRun(const std::string &Path) {
  return readRun(Path, false);
}

std::expected<Runs, Error> openRuns(const std::vector<std::string> &Paths) {
  Runs Result;
  for (const std::string &Path : Paths) {
    auto Processes = readRun(Path, true);
    if (!Processes)
      return std::unexpected(Processes.error());
    Result.add(*Processes);
  }
  return Result;
}

std::expected<std::optional<std::vector<std::string>>, Error> argumentsOf(const std::string &Path) {
  auto Processes = readRun(Path);
  if (!Processes)
    return std::unexpected(Processes.error());
  std::optional<std::vector<std::string>> Result;
  for (const ProcessRun &Process : *Processes) {
    if (Process.Functions.empty())
      continue;
    if (!Process.Arguments || (Result && *Result != *Process.Arguments))
      return std::nullopt;
    Result = Process.Arguments;
  }
  return Result;
}

} // namespace ergon
