//===- TerminalTest.cpp - colours and progress on a terminal --------------===//

#include "tools/base/Terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace ergon;

namespace {

/// A terminal of 40 columns, whose other end the test reads.
class Terminal : public testing::Test {
protected:
  void SetUp() override {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    Master = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(Master, 0);
    ASSERT_EQ(grantpt(Master), 0);
    ASSERT_EQ(unlockpt(Master), 0);
    Slave = std::fopen(ptsname(Master), "r+");
    ASSERT_NE(Slave, nullptr);
    winsize Size{};
    Size.ws_col = 40;
    ASSERT_EQ(ioctl(fileno(Slave), TIOCSWINSZ, &Size), 0);
  }
  void TearDown() override {
    std::fclose(Slave);
    close(Master);
  }
  /// What came out of the terminal so far; empty where nothing did.
  std::string read() {
    fcntl(Master, F_SETFL, O_NONBLOCK);
    char Buffer[4096];
    const ssize_t Size = ::read(Master, Buffer, sizeof Buffer);
    return Size > 0 ? std::string(Buffer, std::size_t(Size)) : "";
  }
  /// What \p Work prints to the standard error, as this terminal shows it.
  template <typename T> std::string errorsOf(T Work) {
    const int Own = dup(STDERR_FILENO);
    dup2(fileno(Slave), STDERR_FILENO);
    Work();
    std::fflush(stderr);
    dup2(Own, STDERR_FILENO);
    close(Own);
    return read();
  }

  int Master = -1;
  std::FILE *Slave = nullptr;
};

TEST_F(Terminal, HasColor) {
  EXPECT_TRUE(useColor(Slave));
  setenv("NO_COLOR", "", 1); // as if it were not set
  EXPECT_TRUE(useColor(Slave));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(useColor(Slave));
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(useColor(Slave));
}

TEST_F(Terminal, FileHasNoColor) {
  std::FILE *File = std::tmpfile();
  EXPECT_FALSE(useColor(File));
  std::fclose(File);
}

TEST_F(Terminal, Styles) {
  EXPECT_EQ(styled("x", Style::Red, true), "\033[1;31mx\033[0m");
  EXPECT_EQ(styled("x", Style::Bold, true), "\033[1mx\033[0m");
  EXPECT_EQ(styled("x", Style::Red, false), "x");
}

TEST_F(Terminal, ProgressFitsAndGoes) {
  const std::string Shown = errorsOf([] {
    ProgressBar Bar;
    Bar.show(1, 2, "µµµµµµµµµµµµµµµµµµµµ");
    Bar.show(2, 2, "too soon to be drawn");
  });
  // 24 + 2 of the bar and " 1/2  " leave 7 of 39.
  EXPECT_EQ(Shown, "\r\033[K[############            ] 1/2  µµµµµµµ\r\r\033[K");
}

TEST_F(Terminal, ProgressElsewhereIsSilent) {
  testing::internal::CaptureStderr();
  {
    ProgressBar Bar;
    Bar.show(1, 2, "a");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Terminal, ProgressInALogIsLinesFromTimeToTime) {
  testing::internal::CaptureStderr();
  {
    ProgressBar Rare("calibrate", "probes", std::chrono::hours(1));
    Rare.show(0, 3, "add", 61.7);
    Rare.show(1, 3, "too soon to be told", 41);
    ProgressBar Often("fit", "folds", std::chrono::milliseconds(0));
    Often.show(1, 2, "a\033b");
    Often.show(2, 2, "c");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "calibrate: 0 of 3 probes, about 62 s left (add)\n"
            "fit: 1 of 2 folds (a\\u001bb)\n"
            "fit: 2 of 2 folds (c)\n");
}

} // namespace
