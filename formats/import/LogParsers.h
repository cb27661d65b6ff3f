//===- LogParsers.h - one reader for each tool ------------------*- C++ -*-===//
//
// Each adds to \p Result what its tool's log has. Errors have no file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "formats/import/ImportOptions.h"
#include "formats/import/LogNumbers.h"
#include "formats/import/LogText.h"
#include "model/measurements/ToolLog.h"

#include <set>
#include <span>

namespace ergon {

using LogLines = std::span<const LogLine>;

/// `nvprof --csv`: GPU traces, summaries, metrics and events, of all launches or of each; and the
/// tables `cuda_gpu_trace` and `cuda_gpu_kern_sum` of `nsys stats --format csv`.
std::optional<Error> readNvprof(LogLines Lines, ToolLog &Result);
/// `ncu --csv`, `--page raw` and `--page details`.
std::optional<Error> readNcu(LogLines Lines, ToolLog &Result);
/// `nvidia-smi --query-gpu=… --format=csv`, and `nvidia-smi dmon -o DT`.
std::optional<Error> readNvidiaSmi(LogLines Lines, const ImportOptions &Options, ToolLog &Result);
/// `dcgmi dmon`.
std::optional<Error> readDcgm(LogLines Lines, const ImportOptions &Options, ToolLog &Result);
/// `perf stat -x`.
std::optional<Error> readPerf(LogLines Lines, const ImportOptions &Options, ToolLog &Result);
/// `likwid-perfctr -O`.
std::optional<Error> readLikwid(LogLines Lines, ToolLog &Result);
/// A cache file of Kernel Tuner, finished or not.
std::optional<Error> readKernelTuner(std::string_view Text, ToolLog &Result);

/// Adds a reading to its device's log, in the place of another of the same moment. Error: it is
/// earlier than the one before.
std::optional<Error> addReading(ToolLog &Result, const std::string &Device,
                                const PowerReading &Reading, const LogLine &Line);

/// The error of \p Value, of \p Name and in SI units, where no run has it: below 0, or beyond
/// PlausibleRanges.h.
std::optional<Error> impossible(const LogLine &Line, const std::string &Name, LogQuantity Quantity,
                                double Value);
/// The same of a value at \p Position of a JSON document.
std::optional<Error> impossibleAt(const std::string &Position, const std::string &Name,
                                  LogQuantity Quantity, double Value);

/// Whether a counter's cell says that there is no value: `<OVERFLOW>`, `n/a`, `nan`.
bool isNoValue(std::string_view Cell);
/// Finds that \p Counters have no value in a log, and rows none of their classes.
void noteLost(const std::set<std::string> &Counters, ToolLog &Result);

/// What is said of energies of memory or cores, \p Parts, where \p Package is missing: they alone
/// are no energy of the run.
LogFinding energyInPart(const std::string &Package, const std::vector<std::string> &Parts);

/// Notes what a power log has beside readings: \p NoPower without a power, \p Other lines.
void noteLeftOut(std::size_t NoPower, std::size_t Other, ToolLog &Result);

} // namespace ergon
