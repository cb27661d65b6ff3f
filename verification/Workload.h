//===- Workload.h - a kernel with data to work on ---------------*- C++ -*-===//
#pragma once

#include "verification/Kernels.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ergon {

/// A kernel's arguments for one thread. Run is empty where there was no memory for them.
struct Workload {
  std::map<std::string, std::string> Parameters; ///< by name, as `--set` takes them
  /// Values of the record's unknowns, by their kind: `trips`, `taken`.
  std::map<std::string, std::string> Unknowns;
  /// The bytes of objects that are accessed irregularly.
  std::map<std::string, std::uint64_t> ObjectBytes;
  std::uint64_t Bytes = 0; ///< of all data
  /// Calls the kernel so many times.
  std::function<void(std::uint64_t)> Run;
  std::vector<std::shared_ptr<void>> Memory;
};

struct VerifiedKernel {
  const char *Name;
  const char *Group;
  bool HasData; ///< else it is the same for any number of bytes
  /// Makes data of at most this number of bytes, or the smallest possible data where those are
  /// larger.
  Workload (*Make)(const KernelFunctions &Functions, std::uint64_t Bytes);
};

} // namespace ergon
