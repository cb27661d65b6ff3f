//===- Signals.cpp - signals that end the process -------------------------===//
//
// The runtime installs its handler for signals that the program does not handle. The program does
// not see it: sigaction() reports the default, because programs ask for it and then handle only
// signals that are still at the default. Where the program sets the default it gets the runtime's
// handler, so that a program whose own handler ends by the default action leaves a run record too.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Signals.h"
#include "runtime/lib/RunRecord.h"
#include "runtime/lib/Switch.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <iterator>

namespace ergon::runtime {
namespace {

/// The signals that end a process that does nothing about them, SIGKILL aside.
constexpr int Deadly[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
                          SIGFPE,  SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM,
                          SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGSYS};

using Handler = void (*)(int);

/// The functions that the program would call without the runtime.
std::atomic<decltype(&sigaction)> RealAction;
std::atomic<decltype(&signal)> RealSignal;

template <typename Function> Function real(std::atomic<Function> &Known, const char *Name) {
  Function Result = Known;
  if (!Result)
    Known = Result = reinterpret_cast<Function>(dlsym(RTLD_NEXT, Name));
  return Result;
}

int setAction(int Number, const struct sigaction *Now, struct sigaction *Before) {
  return real(RealAction, "sigaction")(Number, Now, Before);
}

void atSignal(int Number) {
  char Text[16] = "signal ";
  *std::to_chars(Text + std::strlen(Text), std::end(Text) - 1, Number).ptr = 0;
  writeLastRun(Text, /*InHandler=*/true);
  // Then comes what would have happened without the runtime.
  struct sigaction Default{};
  setAction(Number, &Default, nullptr);
  raise(Number);
}

struct sigaction watching() {
  struct sigaction Result{};
  Result.sa_handler = atSignal;
  Result.sa_flags = SA_RESETHAND | SA_ONSTACK;
  return Result;
}

/// Whether the runtime's handler is to stand in the place of \p Asked.
bool isToWatch(int Number, Handler Asked) {
  return Asked == SIG_DFL && RecordingState > 0 &&
         std::ranges::find(Deadly, Number) != std::end(Deadly);
}

} // namespace

void watchSignals() {
  real(RealSignal, "signal"); // not for the first time in a handler
  for (int Number : Deadly) {
    struct sigaction Now{};
    if (setAction(Number, nullptr, &Now) != 0 || Now.sa_handler != SIG_DFL ||
        (Now.sa_flags & SA_SIGINFO))
      continue;
    Now = watching();
    setAction(Number, &Now, nullptr);
  }
}

} // namespace ergon::runtime

using namespace ergon::runtime;

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int Number, const struct sigaction *Now, struct sigaction *Before) noexcept {
  struct sigaction Own;
  if (Now && isToWatch(Number, Now->sa_handler)) {
    Own = watching();
    Now = &Own;
  }
  const int Result = setAction(Number, Now, Before);
  if (Result == 0 && Before && Before->sa_handler == atSignal)
    *Before = {};
  return Result;
}

Handler signal(int Number, Handler Now) noexcept {
  if (isToWatch(Number, Now)) {
    struct sigaction Default{}, Before{};
    return sigaction(Number, &Default, &Before) == 0 ? Before.sa_handler : SIG_ERR;
  }
  const Handler Before = real(RealSignal, "signal")(Number, Now);
  return Before == atSignal ? SIG_DFL : Before;
}
}
#pragma GCC visibility pop
