// Counters are exact where threads add to them, however those began; counts of threads that nobody told the runtime of are
// left out, and the one who reads is told.

// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -ergon-dir=%t -mllvm -ergon-instrument %s -o %t/threads -pthread -ldl
// RUN: %ergon run -d %t/posix --runtime %ergon_rt -- %t/threads posix
// RUN: cat %t/posix/run-*.json | FileCheck %s --check-prefix=EXACT
// RUN: %ergon predict -v %t --entry path --set At=1 --bindings %t/posix | FileCheck %s
// RUN: %ergon run -d %t/standard --runtime %ergon_rt -- %t/threads standard
// RUN: %ergon predict -v %t --entry path --set At=1 --bindings %t/standard | FileCheck %s
// RUN: %ergon run -d %t/hidden --runtime %ergon_rt -- %t/threads hidden
// RUN: not %ergon predict -v --strict %t --entry path --set At=1 --bindings %t/hidden 2>&1 | FileCheck %s --check-prefix=HIDDEN

// 400000 walks of 5 steps, and 1 at the start.
// EXACT: "sum":2000001,
// EXACT-NEXT: "times":400001}
// CHECK: flops_f64 {{ *}}4.99999  measured
// HIDDEN: run-{{.*}}: /uncounted: the process counted nothing: threads began that the runtime did not see

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

struct node {
  double value;
  const struct node *next;
};
static struct node Nodes[] = {{1, Nodes + 1}, {2, Nodes + 2}, {3, Nodes + 3}, {4, Nodes + 4}, {5, 0}};

__attribute__((noinline)) double path(const struct node *At) {
  double Sum = 0;
  for (; At; At = At->next)
    Sum += At->value;
  return Sum;
}

static double Sums[4];
static void *walk(void *Into) {
  double Sum = 0;
  for (int I = 0; I != 100000; ++I) {
    Sum += path(Nodes);
    __asm__ volatile("" ::: "memory");
  }
  *(double *)Into = Sum;
  return Into;
}
static int walkOnce(void *Into) {
  walk(Into);
  return 0;
}

int main(int Count, char **Words) {
  path(Nodes + 4);
  if (Count > 1 && !strcmp(Words[1], "standard")) {
    thrd_t Threads[4];
    for (int I = 0; I != 4; ++I)
      thrd_create(&Threads[I], walkOnce, Sums + I);
    for (int I = 0; I != 4; ++I)
      thrd_join(Threads[I], 0);
    return 0;
  }
  int (*Create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = pthread_create;
  if (!strcmp(Words[1], "hidden"))
    *(void **)&Create = dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_create");
  pthread_t Threads[4];
  for (int I = 0; I != 4; ++I)
    Create(&Threads[I], 0, walk, Sums + I);
  for (int I = 0; I != 4; ++I)
    pthread_join(Threads[I], 0);
  return 0;
}
