// A stack that overflows, the first thread's or another's, leaves a run record; the process ends as it would
// without. What threads get for that is given back, however they end, and a stack of the program's own is left alone.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags
// RUN: env ERGON_METERS=none %same %t.main %t main && %run_records %t.main 'run["ended"] == "signal 11"'
// RUN: env ERGON_METERS=none %same %t.thread %t thread && %run_records %t.thread 'run["ended"] == "signal 11"' \
// RUN:   'region("deep")["count"] == 1'
// RUN: env ERGON_METERS=none %same %t.c11 %t c11 && %run_records %t.c11 'run["ended"] == "signal 11"'
// RUN: env ERGON_METERS=none %same %t.own %t own && %run_records %t.own 'run["ended"] == "exit"'
// RUN: env ERGON_METERS=none %same %t.again %t again && %run_records %t.again 'run["ended"] == "signal 11"'
// RUN: env ERGON_METERS=none %same %t.many %t many && %run_records %t.many 'run["ended"] == "exit"'

#include <ergon.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

static int fall(volatile int Depth) {
  volatile char Frame[4096];
  Frame[0] = (char)Depth;
  return fall(Depth + 1) + Frame[0];
}

static void *deep(void *Unused) {
  ergon_region_begin("deep");
  fall(0);
  return Unused;
}

static int deepToo(void *Unused) {
  deep(Unused);
  return 0;
}

static char Stack[65536];

static void handle(int Number) {
  char Here;
  // Where the program said, with and without the runtime.
  _exit(&Here >= Stack && &Here < Stack + sizeof Stack ? 5 : 6);
}

static void *withOwnStack(void *Unused) {
  stack_t Own = {.ss_sp = Stack, .ss_size = sizeof Stack}, Before;
  sigaltstack(&Own, &Before);
  struct sigaction How = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &How, NULL);
  fall(0);
  return Unused;
}

/// As Rust's library and others do: a handler where nobody has one, which ends by the default.
static void tell(int Number) {
  write(1, "told\n", 5);
  signal(Number, SIG_DFL);
}

static void *again(void *Unused) {
  struct sigaction Before;
  sigaction(SIGSEGV, NULL, &Before);
  if (Before.sa_handler == SIG_DFL && signal(SIGTERM, SIG_DFL) == SIG_DFL)
    signal(SIGSEGV, tell);
  *(volatile int *)Unused = 1;
  return Unused;
}

/// Ends in one of three ways.
static void *end(void *How) {
  if (How == (void *)1)
    pthread_exit(NULL);
  while (How == (void *)2)
    pause(); // until it is cancelled
  return NULL;
}

static int numMappings(void) {
  FILE *Maps = fopen("/proc/self/maps", "r");
  int Lines = 0;
  for (int Each; (Each = getc(Maps)) != EOF;)
    Lines += Each == '\n';
  fclose(Maps);
  return Lines;
}

static int many(void) {
  int Before = 0;
  for (int I = 0; I != 600; ++I) {
    pthread_t Thread;
    pthread_create(&Thread, NULL, end, (void *)(long)(I % 3));
    if (I % 3 == 2)
      pthread_cancel(Thread);
    pthread_join(Thread, NULL);
    if (I == 2)
      Before = numMappings();
  }
  return numMappings() < Before + 50 ? 0 : 1;
}

int main(int Count, char **Arguments) {
  pthread_t Thread;
  thrd_t Other;
  if (strcmp(Arguments[1], "main") == 0)
    fall(0);
  if (strcmp(Arguments[1], "again") == 0)
    again(NULL);
  if (strcmp(Arguments[1], "many") == 0)
    return many();
  if (strcmp(Arguments[1], "c11") == 0)
    return thrd_create(&Other, deepToo, NULL) == thrd_success ? thrd_join(Other, NULL) : 1;
  pthread_create(&Thread, NULL, strcmp(Arguments[1], "own") == 0 ? withOwnStack : deep, NULL);
  pthread_join(Thread, NULL);
  return 0;
}
