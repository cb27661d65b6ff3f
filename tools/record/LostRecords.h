//===- LostRecords.h - records that a build should have left ----*- C++ -*-===//
//
// A build continues if a record cannot be written, and a compiler may be killed. During its
// lifetime, a build's compilers report each record that they begin and finish
// (formats/record/BuildNotes.h); afterwards this is compared with the folder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/json/Error.h"
#include "formats/record/BuildNotes.h"
#include "tools/base/TemporaryFolder.h"

#include <atomic>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ergon {

class BuildNotes {
public:
  /// Sets the environment for a build. Error: no pipe can be made.
  static std::expected<std::unique_ptr<BuildNotes>, Error> open();
  ~BuildNotes();
  BuildNotes(const BuildNotes &) = delete;

  /// What compilers have told until now, in its order; nothing more is read.
  std::vector<BuildNote> end();

private:
  BuildNotes(TemporaryFolder Folder, std::string Path, int Pipe);
  void read();

  TemporaryFolder Folder;
  std::string Path;
  int Pipe;
  std::atomic<bool> IsOver = false;
  std::string Told;
  std::thread Reader; ///< a full pipe would hold compilers up
};

/// The records of \p Notes that are not in \p Folder, each with why, sorted by their names.
std::vector<BuildNote> lostRecords(const std::vector<BuildNote> &Notes,
                                   const std::filesystem::path &Folder);

} // namespace ergon
