//===- CommandRun.cpp - ergon run -----------------------------------------===//
//
// Runs a program with the runtime loaded before it, so that it leaves a run record.
//
//===----------------------------------------------------------------------===//

#include "tools/ChildProcess.h"
#include "tools/Commands.h"
#include "tools/RunStore.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ergon {

/// What is loaded before the program. The library that counts messages stands beside the
/// runtime where Ergon was built with an MPI; in a program without MPI it does nothing.
static std::string preloaded(const std::string &Runtime) {
  std::string Result = Runtime;
  const fs::path Mpi = fs::path(Runtime).replace_filename("libergon_mpi.so");
  if (access(Mpi.c_str(), R_OK) == 0)
    Result += ":" + Mpi.native();
  if (const char *Loaded = std::getenv("LD_PRELOAD"); Loaded && *Loaded)
    Result += std::string(":") + Loaded;
  return Result;
}

int runRun(const RunOptions &Options) {
  std::string Runtime = libraryPath(Options.Runtime, "ERGON_RUNTIME", "libergon_rt.so");
  if (access(Runtime.c_str(), R_OK) != 0)
    return complain(
        {"the runtime is not there", "", "build ergon_rt, or give --runtime FILE", Runtime});
  if (Runtime.find_first_of(" :") != std::string::npos)
    return complain({"the loader takes no library whose path has a space or a colon", "",
                     "put the runtime into another folder, or give --runtime FILE", Runtime});
  auto Directory = openFolder(Options.Directory);
  if (!Directory)
    return complain(Directory.error());
  setenv("LD_PRELOAD", preloaded(Runtime).c_str(), 1);
  setenv("ERGON_RUN_DIR", Directory->c_str(), 1);
  auto Ran = runCommand(Options.Command, *Directory, isRunRecord);
  if (!Ran)
    return complain(Ran.error());
  if (Ran->New == 0)
    return complain({fmt::format("the program left no run record (exit status {})", Ran->Status),
                     "", "is the disk full, was it killed, or is it linked statically?",
                     Options.Directory});
  fmt::print(stderr, "ergon: {} run record{} in {} {} new\n", Ran->New, Ran->New == 1 ? "" : "s",
             Options.Directory, Ran->New == 1 ? "is" : "are");
  return Ran->Status;
}

} // namespace ergon
