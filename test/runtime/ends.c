// However a process ends, it leaves its record, and ends as it would without: same output, same status. A
// forked child counts from zero, in the region that it was forked in; a program that becomes another one by
// exec leaves a record of each.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags
// RUN: %python %S/Inputs/fill.py 9000000000 1000000 %t.pc/intel-rapl:0 && chmod -R a+w %t.pc
// RUN: env ERGON_METERS=powercap ERGON_POWERCAP_ROOT=%t.pc %python %S/Inputs/ends.py %t %same %run_records %t.runs

#include <ergon.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int NumRunning;

static void *spin(void *Name) {
  ergon_region_begin(Name);
  for (++NumRunning;;) {
    ergon_region_end(Name);
    ergon_region_begin(Name);
  }
}

static int is(const char *What, char **Arguments) { return strcmp(Arguments[1], What) == 0; }

int main(int Count, char **Arguments) {
  ergon_region_begin("before");
  printf("%s\n", Arguments[1]);
  fflush(stdout);
  if (is("_exit", Arguments))
    _exit(5);
  if (is("_Exit", Arguments))
    _Exit(6);
  if (is("exit", Arguments))
    exit(7);
  if (is("abort", Arguments))
    abort();
  if (is("term", Arguments))
    raise(SIGTERM);
  if (is("null", Arguments))
    *(volatile int *)0 = 1;
  if (is("quick_exit", Arguments))
    quick_exit(9);
  if (is("execl", Arguments))
    execl(Arguments[0], Arguments[0], "return", (char *)0);
  if (is("execlp", Arguments))
    execlp(Arguments[0], Arguments[0], "return", (char *)0);
  if (is("execle", Arguments)) {
    extern char **environ;
    execle(Arguments[0], Arguments[0], "return", (char *)0, environ);
  }
  if (is("execv", Arguments)) {
    Arguments[1] = "return";
    execv(Arguments[0], Arguments);
  }
  if (is("no exec", Arguments))
    return execl("/no/such/file", "", (char *)0) == -1 ? 8 : 9;
  if (is("system", Arguments))
    return system("exit 3") >> 8;
  if (is("busy", Arguments)) { // the record is written while other threads go on
    pthread_t Thread;
    for (int I = 0; I != 20; ++I)
      pthread_create(&Thread, 0, spin, (void *)(I % 2 ? "odd" : "even"));
    while (NumRunning != 20)
      usleep(1000);
    raise(SIGTERM);
  }
  if (is("fork", Arguments)) {
    usleep(20000);
    pid_t Child = fork();
    if (Child == 0) {
      ergon_region_end("before");
      ergon_region_begin("child");
      ergon_region_end("child");
      return 3;
    }
    int Status = 0;
    waitpid(Child, &Status, 0);
    ergon_region_end("before");
    return WEXITSTATUS(Status);
  }
  if (is("demand", Arguments)) { // on demand, then again at the end
    if (ergon_write_run() != 0)
      return 1;
    ergon_region_begin("after");
    ergon_region_end("after");
  }
  return 0;
}
