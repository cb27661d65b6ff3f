//===- RuntimeRun.cpp - programs with the runtime -------------------------===//

#include "tools/record/RuntimeRun.h"
#include "formats/record/DraftFile.h"
#include "predict/store/RunStore.h"
#include "predict/store/ShippedFiles.h"

#include <fmt/format.h>

#include <cstdlib>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

/// The preloaded libraries. The one that counts messages is beside the runtime if Ergon was built
/// with MPI; in a program without MPI it does nothing.
static std::string preloaded(const std::string &Runtime) {
  std::string Result = Runtime;
  const fs::path Mpi = fs::path(Runtime).replace_filename("libergon_mpi.so");
  if (access(Mpi.c_str(), R_OK) == 0)
    Result += ":" + Mpi.native();
  if (const char *Loaded = std::getenv("LD_PRELOAD"); Loaded && *Loaded)
    Result += std::string(":") + Loaded;
  return Result;
}

std::expected<Ended, Error> runWithRuntime(const std::vector<std::string> &Command,
                                           const std::string &Folder, const std::string &Runtime,
                                           Output To) {
  std::string Library = libraryPath(Runtime, "ERGON_RUNTIME", "libergon_rt.so");
  if (access(Library.c_str(), R_OK) != 0) {
    const std::string Build = buildCommand("ergon_rt");
    return std::unexpected(Error{
        "the runtime is not there", "",
        (Build.empty() ? "install it" : "run " + Build) + ", or give --runtime FILE", Library});
  }
  if (Library.find_first_of(" :") != std::string::npos)
    return std::unexpected(Error{"the loader takes no library whose path has a space or a colon",
                                 "", "put the runtime into another folder, or give --runtime FILE",
                                 Library});
  auto Directory = openFolder(Folder);
  if (!Directory)
    return std::unexpected(Directory.error());
  removeLeftDrafts(*Directory);
  setenv("LD_PRELOAD", preloaded(Library).c_str(), 1);
  setenv("ERGON_RUN_DIR", Directory->c_str(), 1);
  auto Ran = runCommand(Command, *Directory, isRunRecord, To);
  if (Ran && Ran->New == 0)
    return std::unexpected(
        Error{fmt::format("the program left no run record (exit status {})", Ran->Status), "",
              "is the disk full, was it killed, or is it linked statically?", Folder});
  return Ran;
}

} // namespace ergon
