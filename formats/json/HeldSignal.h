//===- HeldSignal.h - a signal that a write may cause -----------*- C++ -*-===//
#pragma once

#include <csignal>
#include <ctime>

namespace ergon {

/// While this lives, the signal does not reach the calling thread: the write that causes it returns
/// an error, and the process goes on.
class HeldSignal {
public:
  /// Blocks the signal \p Number in this thread.
  explicit HeldSignal(int Number) {
    sigemptyset(&Held);
    sigaddset(&Held, Number);
    pthread_sigmask(SIG_BLOCK, &Held, &Before);
    WasHeld = sigismember(&Before, Number) == 1;
  }
  /// Takes a signal that came meanwhile off the queue and restores the thread's mask.
  ~HeldSignal() {
    const timespec AtOnce{};
    while (!WasHeld && sigtimedwait(&Held, nullptr, &AtOnce) > 0)
      ;
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  }
  HeldSignal(const HeldSignal &) = delete;

private:
  sigset_t Held, Before;
  bool WasHeld;
};

} // namespace ergon
