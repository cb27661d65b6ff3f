//===- OwnMachine.cpp - the profile of the machine at hand ----------------===//

#include "tools/base/OwnMachine.h"
#include "predict/store/MachineStore.h"
#include "tools/base/Commands.h"
#include "tools/base/HostCaches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

namespace fs = std::filesystem;

namespace ergon {

/// The folder that an environment variable names. A relative one would depend on the folder that
/// the command runs in, and is ignored.
static std::optional<fs::path> folderIn(const char *Variable) {
  const char *Value = std::getenv(Variable);
  if (!Value || !fs::path(Value).is_absolute())
    return std::nullopt;
  return fs::path(Value);
}

static std::optional<fs::path> ownFolder() {
  const fs::path Below = fs::path("ergon") / "calibrated";
  if (const auto Data = folderIn("XDG_DATA_HOME"))
    return *Data / Below;
  if (const auto Home = folderIn("HOME"))
    return *Home / ".local" / "share" / Below;
  return std::nullopt;
}

/// `amd-epyc-9654-96-core-processor-96-cores`
static std::string ownName(const HostCaches &Host) {
  std::string Result;
  for (const char C : Host.Processor.empty() ? "processor" : Host.Processor)
    if (std::isalnum(static_cast<unsigned char>(C)))
      Result += char(std::tolower(static_cast<unsigned char>(C)));
    else if (!Result.empty() && Result.back() != '-')
      Result += '-';
  if (Result.ends_with('-'))
    Result.pop_back();
  return fmt::format("{}-{}-core{}", Result, Host.Cores, Host.Cores == 1 ? "" : "s");
}

std::expected<std::string, Error> ownProfilePath(const HostCaches &Host) {
  const auto Folder = ownFolder();
  if (!Folder)
    return std::unexpected(Error{"neither XDG_DATA_HOME nor HOME is the absolute path of a folder",
                                 "", "say where the profile shall be", "-o"});
  return (*Folder / (ownName(Host) + ".json")).string();
}

static bool isSame(const Cache &A, const Cache &B) {
  return A.Level == B.Level && A.Bytes == B.Bytes && A.Ways == B.Ways &&
         A.LineBytes == B.LineBytes && A.SharedBy == B.SharedBy;
}

/// The path of this machine's profile in a folder that has profiles; empty where it has none of it.
static std::string ownProfileIn(const fs::path &Folder) {
  const auto Host = findHostCaches();
  const auto Path = Host ? ownProfilePath(*Host) : std::unexpected(Host.error());
  std::error_code Ignored;
  if (!Path || !fs::exists(*Path, Ignored)) {
    printNotice(fmt::format("the profiles in {} are of other machines: none is used; `ergon "
                            "calibrate` measures this one",
                            Folder.string()));
    return "";
  }
  // One that cannot be read is an error where it is used.
  const auto Profile = loadMachineFile(*Path);
  if (Profile && !std::ranges::equal(Profile->Topology.Caches, Host->Levels, isSame)) {
    printNotice(fmt::format("{} is not used: its caches are not those of this machine; `ergon "
                            "calibrate` measures this one",
                            *Path));
    return "";
  }
  return *Path;
}

std::string machineOrOwn(const std::string &Given) {
  if (!Given.empty())
    return Given == NoMachine ? "" : Given;
  const auto Folder = ownFolder();
  std::error_code Failed;
  if (Folder)
    for (fs::directory_iterator File(*Folder, Failed), End; !Failed && File != End;
         File.increment(Failed))
      if (File->path().extension() == ".json")
        return ownProfileIn(*Folder);
  return "";
}

std::expected<std::string, Error> someMachineOrOwn(const std::string &Given) {
  std::string Result = machineOrOwn(Given);
  if (Result.empty())
    return std::unexpected(Error{
        "is required", "", "name one, or let `ergon calibrate` measure this one", "--machine"});
  return Result;
}

} // namespace ergon
