// Preloaded into a compiler: it is killed when half of a cost record is written.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ssize_t write(int File, const void *From, size_t Length) {
  ssize_t (*Next)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  char Link[40], Name[4096] = "";
  snprintf(Link, sizeof Link, "/proc/self/fd/%d", File);
  if (readlink(Link, Name, sizeof Name - 1) > 0 && strstr(Name, ".ergon.json.")) {
    Next(File, From, Length / 2);
    kill(getpid(), SIGKILL);
  }
  return Next(File, From, Length);
}
