//===- CcacheLogTest.cpp - what ccache did in a build ---------------------===//

#include "formats/record/CcacheLog.h"

#include <gtest/gtest.h>

using namespace ergon;

namespace {

TEST(CcacheLog, MixedProcesses) {
  const auto Found =
      parseCcacheLog("[2026-01-31T12:00:00.000001 7] === CCACHE 4.7.5 STARTED ===\n"
                     "[2026-01-31T12:00:00.000002 8] === CCACHE 4.7.5 STARTED ===\n"
                     "[2026-01-31T12:00:00.000003 7] Config: (environment) cache_dir = /cache\n"
                     "[2026-01-31T12:00:00.000003 7] Working directory: /a b\n"
                     "[2026-01-31T12:00:00.000004 8] Working directory: /c\n"
                     "[2026-01-31T12:00:00.000005 8] Source file: y.c\n"
                     "[2026-01-31T12:00:00.000006 7] Source file: x.c\n"
                     "[2026-01-31T12:00:00.000006 7] Object file: x.o\n"
                     "[2026-01-31T12:00:00.000006 8] Object file: y.o\n"
                     "[2026-01-31T12:00:00.000006 7] Result key: 00aa\n"
                     "[2026-01-31T12:00:00.000007 7] Running real compiler\n"
                     "[2026-01-31T12:00:00.000007 8] Result key: 00bb\n"
                     "[2026-01-31T12:00:00.000008 8] Result: direct_cache_hit\n"
                     "[2026-01-31T12:00:00.000008 8] Result: local_storage_hit\n"
                     "[2026-01-31T12:00:00.000009 7] Result: cache_miss\n"
                     "[2026-01-31T12:00:00.000009 7] Result: direct_cache_miss\n");
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[0].Directory, "/c");
  EXPECT_EQ(Found[0].Source, "y.c");
  EXPECT_EQ(Found[0].Key, "00bb");
  EXPECT_EQ(Found[0].CacheDirectory, "");
  EXPECT_TRUE(Found[0].IsHit);
  EXPECT_EQ(Found[1].Directory, "/a b");
  EXPECT_EQ(Found[1].Object, "x.o");
  EXPECT_EQ(Found[1].Key, "00aa");
  EXPECT_EQ(Found[1].CacheDirectory, "/cache");
  EXPECT_FALSE(Found[1].IsHit);
}

TEST(CcacheLog, NoObjectFile) {
  // A compilation that fails, one that is not cached, a log that is cut off, no log.
  EXPECT_TRUE(parseCcacheLog("[t 1] === CCACHE 4.7.5 STARTED ===\n[t 1] Source file: x.c\n"
                             "[t 1] Running real compiler\n[t 1] Result: compile_failed\n"
                             "[t 2] === CCACHE 4.7.5 STARTED ===\n[t 2] Result: called_for_link\n"
                             "[t 3] Result: unsupported_code_directive\n[t 4] Resul")
                  .empty());
  EXPECT_TRUE(parseCcacheLog("").empty());
  EXPECT_TRUE(parseCcacheLog("no log\n]\n[\n").empty());
}

TEST(CcacheLog, ProcessNumbersComeAgain) {
  const auto Found = parseCcacheLog("[t 5] === CCACHE 4.7.5 STARTED ===\n[t 5] Source file: x.c\n"
                                    "[t 5] Result key: 00aa\n[t 5] Result: preprocessed_cache_hit\n"
                                    "[t 5] === CCACHE 4.7.5 STARTED ===\n[t 5] Source file: y.c\n"
                                    "[t 5] Result: direct_cache_hit\n"
                                    "[t 5] === CCACHE 4.7.5 STARTED ===\n[t 5] Source file: z.c\n"
                                    "[t 5] Result key: 00cc\n[t 5] Running real compiler\n"
                                    "[t 5] Result: local_storage_write\n[t 5] Result: recache\n");
  ASSERT_EQ(Found.size(), 3u);
  EXPECT_FALSE(Found[2].IsHit);
  EXPECT_EQ(Found[2].Key, "00cc");
  EXPECT_EQ(Found[1].Source, "y.c");
  EXPECT_EQ(Found[1].Key, ""); // a log that says it in other words
  EXPECT_TRUE(Found[1].IsHit);
}

} // namespace
