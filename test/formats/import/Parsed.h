//===- Parsed.h - what the tests of logs share ------------------*- C++ -*-===//
#pragma once

#include "formats/import/ImportFormat.h"

#include <gtest/gtest.h>

namespace ergon {

/// The log \p Text, which must be one.
inline ToolLog parsed(std::string_view Text, LogTool Tool, const ImportOptions &Options = {}) {
  auto Result = parseLog(Text, Tool, "log.csv", Options);
  EXPECT_TRUE(Result) << (Result ? "" : Result.error().line());
  return Result ? std::move(*Result) : ToolLog();
}

/// The message of \p Text, which must be none.
inline std::string errorOf(std::string_view Text, LogTool Tool, const ImportOptions &Options = {}) {
  const auto Result = parseLog(Text, Tool, "log.csv", Options);
  return Result ? "no error" : Result.error().line();
}

/// The counter \p Name of \p Run; -1 where it has none.
inline double metricOf(const LoggedRun &Run, std::string_view Name) {
  for (const Metric &M : Run.Metrics)
    if (M.Name == Name)
      return M.Value;
  return -1;
}

} // namespace ergon
