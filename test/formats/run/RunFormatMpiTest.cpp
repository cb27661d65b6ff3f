//===- RunFormatMpiTest.cpp - messages in run records ---------------------===//

#include "formats/run/RunFormat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ergon;
using testing::HasSubstr;

/// A run record whose member `mpi` is \p Mpi.
static std::expected<ProcessRun, Error> parse(const std::string &Mpi) {
  return parseRun(R"({"schema": "ergon-run/1", "program": "/p", "process": 1, "parent": 1,
    "started": "2024-01-01T00:00:00Z", "duration_s": 1, "ended": "exit", "functions": [],
    "meters": [], "unread_meters": [], "regions": [], "region_mistakes": 0, "regions_too_deep": 0)" +
                  (Mpi.empty() ? "" : ", \"mpi\": " + Mpi) + "}");
}

TEST(MpiRun, IsRead) {
  auto Run = parse(R"({"rank": 3, "size": 4, "sites": [{"call": "MPI_Send", "at": "p(+0x2f), p",
    "times": 5, "messages": 4, "message_bytes": 9007199254740993}]})");
  ASSERT_TRUE(Run) << Run.error().What;
  ASSERT_TRUE(Run->Mpi);
  EXPECT_EQ(Run->Mpi->Rank, 3);
  EXPECT_EQ(Run->Mpi->Size, 4);
  ASSERT_EQ(Run->Mpi->Sites.size(), 1u);
  const MpiSite &Site = Run->Mpi->Sites[0];
  EXPECT_EQ(Site.Call, "MPI_Send");
  EXPECT_EQ(Site.Position, "p(+0x2f), p");
  EXPECT_EQ(Site.Times, 5);
  EXPECT_EQ(Site.Messages, 4);
  EXPECT_EQ(Site.MessageBytes, 9007199254740993); // 2^53 + 1: no floating-point number
}

TEST(MpiRun, IsNotThereWithoutMpi) {
  auto Run = parse("");
  ASSERT_TRUE(Run) << Run.error().What;
  EXPECT_FALSE(Run->Mpi);
}

TEST(MpiRun, SaysWhatIsWrong) {
  auto Says = [](const std::string &Mpi, const char *What, const char *Where) {
    auto Run = parse(Mpi);
    ASSERT_FALSE(Run) << Mpi;
    EXPECT_THAT(Run.error().What, HasSubstr(What)) << Mpi;
    EXPECT_EQ(Run.error().Where, Where) << Mpi;
  };
  Says(R"({"rank": 4, "size": 4, "sites": []})", "not below the size", "/mpi/rank");
  Says(R"({"rank": -1, "size": 4, "sites": []})", "below zero", "/mpi/rank");
  Says(R"({"rank": 0, "size": 1, "sites": [{"call": "MPI_Send", "at": "p", "times": 1,
    "messages": 1, "message_bytes": -8}]})",
       "below zero", "/mpi/sites/0/message_bytes");
  Says(R"({"rank": 0, "size": 1})", "sites", "/mpi");
}
