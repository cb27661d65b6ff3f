//===- Process.cpp - the life of the process ------------------------------===//
//
// When the run record is written: at exit, and before what ends a program without it.
//
//===----------------------------------------------------------------------===//

#include "runtime/ergon.h"
#include "runtime/lib/Counters.h"
#include "runtime/lib/Messages.h"
#include "runtime/lib/Metering.h"
#include "runtime/lib/Regions.h"
#include "runtime/lib/RunRecord.h"
#include "runtime/lib/Signals.h"
#include "runtime/lib/Switch.h"

#include <cstdarg>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

namespace ergon::runtime {

namespace {

void inChild() {
  clearCounters();
  clearMessages();
  startRun();
  restartMeters();
  resetRegionsAfterFork();
}

bool start() {
  // A process with more rights than its caller ignores the environment, which would choose where
  // files are written and what code is loaded.
  const char *Folder = secure_getenv("ERGON_RUN_DIR");
  if (!Folder || !*Folder || !setFolder(Folder))
    return false;
  startRun();
  startMeters();
  initializeRegions();
  startSignalStacks();
  watchSignals();
  pthread_atfork(nullptr, nullptr, inChild);
  at_quick_exit([] { writeLastRun("exit"); });
  return true;
}

/// Before any constructor of the program's; after its destructors.
__attribute__((constructor(101))) void begin() { isOn(); }
__attribute__((destructor(101))) void end() {
  if (isOn())
    writeLastRun("exit");
}

/// Calls \p Do, which returns only where there is no other program after all.
template <typename Function> int execute(Function Do) {
  if (!isOn())
    return Do();
  writeLastRun("exec");
  const int Result = Do();
  resumeRun();
  return Result;
}

/// How a thread begins.
template <typename Result> struct Beginning {
  Result (*Start)(void *);
  void *Argument;
};

template <typename Result> Result beginThread(void *V) {
  const auto Given = *static_cast<Beginning<Result> *>(V);
  std::free(V);
  takeSignalStack();
  return Given.Start(Given.Argument);
}

/// Calls \p Make(start, argument), which makes a thread.
template <typename Result, typename Function>
int makeThread(Result (*Start)(void *), void *Argument, Function Make) {
  countWithThreads();
  void *Room = RecordingState > 0 ? std::malloc(sizeof(Beginning<Result>)) : nullptr;
  if (!Room)
    return Make(Start, Argument);
  const int Error = Make(beginThread<Result>, new (Room) Beginning<Result>{Start, Argument});
  if (Error)
    std::free(Room);
  return Error;
}

/// The function of that name that a program without the runtime would call.
template <typename Function> Function *next(const char *Name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name));
}

} // namespace

constinit bool (*const StartRuntime)() = start;

} // namespace ergon::runtime

using namespace ergon::runtime;

//===----------------------------------------------------------------------===//
// What makes threads, and what ends a program without its destructors
//===----------------------------------------------------------------------===//

#pragma GCC visibility push(default)
extern "C" {

int pthread_create(pthread_t *Thread, const pthread_attr_t *How, void *(*Start)(void *),
                   void *Argument) {
  return makeThread(Start, Argument, [&](void *(*Begin)(void *), void *V) {
    return next<decltype(pthread_create)>("pthread_create")(Thread, How, Begin, V);
  });
}

int thrd_create(thrd_t *Thread, thrd_start_t Start, void *Argument) {
  return makeThread(Start, Argument, [&](thrd_start_t Begin, void *V) {
    return next<decltype(thrd_create)>("thrd_create")(Thread, Begin, V);
  });
}

void _exit(int Status) {
  if (isOn())
    writeLastRun("exit");
  next<decltype(_exit)>("_exit")(Status);
  __builtin_unreachable();
}

void _Exit(int Status) noexcept { _exit(Status); }

int execve(const char *Path, char *const Arguments[], char *const Environment[]) noexcept {
  return execute([&] { return next<decltype(execve)>("execve")(Path, Arguments, Environment); });
}

int execv(const char *Path, char *const Arguments[]) noexcept {
  return execve(Path, Arguments, environ);
}

int execvpe(const char *File, char *const Arguments[], char *const Environment[]) noexcept {
  return execute([&] { return next<decltype(execvpe)>("execvpe")(File, Arguments, Environment); });
}

int execvp(const char *File, char *const Arguments[]) noexcept {
  return execvpe(File, Arguments, environ);
}

int fexecve(int File, char *const Arguments[], char *const Environment[]) noexcept {
  return execute([&] { return next<decltype(fexecve)>("fexecve")(File, Arguments, Environment); });
}
}

/// Calls \p Do(arguments, rest) with the arguments of execl and its like, of which there is any
/// number.
template <typename Function> static int withList(const char *First, va_list Rest, Function Do) {
  va_list Counted;
  va_copy(Counted, Rest);
  std::size_t Number = 2;
  while (va_arg(Counted, const char *))
    ++Number;
  va_end(Counted);
  // On the stack: between fork and exec nothing may allocate.
  auto **Arguments = static_cast<const char **>(__builtin_alloca(Number * sizeof(char *)));
  Arguments[0] = First;
  for (std::size_t I = 1; I != Number; ++I)
    Arguments[I] = va_arg(Rest, const char *);
  return Do(const_cast<char **>(Arguments), Rest);
}

extern "C" {

int execl(const char *Path, const char *First, ...) noexcept {
  va_list Rest;
  va_start(Rest, First);
  const int Result = withList(
      First, Rest, [&](char **Arguments, va_list) { return execve(Path, Arguments, environ); });
  va_end(Rest);
  return Result;
}

int execlp(const char *File, const char *First, ...) noexcept {
  va_list Rest;
  va_start(Rest, First);
  const int Result = withList(
      First, Rest, [&](char **Arguments, va_list) { return execvpe(File, Arguments, environ); });
  va_end(Rest);
  return Result;
}

int execle(const char *Path, const char *First, ...) noexcept {
  va_list Rest;
  va_start(Rest, First);
  const int Result = withList(First, Rest, [&](char **Arguments, va_list After) {
    return execve(Path, Arguments, va_arg(After, char **));
  });
  va_end(Rest);
  return Result;
}
}
#pragma GCC visibility pop

int ergon_write_run() { return isOn() ? writeRun() : 0; }
