// What a library counted before it was unloaded is kept; it may be loaded again.

// RUN: rm -rf %t.* && %clang -DLIBRARY -O1 -fPIC -shared %s -o %t.so %rt_flags && %clang -O1 %s -o %t -ldl
// RUN: env ERGON_METERS=none %same %t.runs %t %t.so
// RUN: %run_records %t.runs 'region("in the library")["count"] == 30' 'run["ended"] == "exit"'

#ifdef LIBRARY
#include <ergon.h>
void work(void) {
  char Name[] = "in the library"; // on the stack
  ergon_region_begin(Name);
  ergon_region_end(Name);
}
#else
#include <dlfcn.h>
int main(int Count, char **Arguments) {
  for (int I = 0; I != 10; ++I) {
    void *Library = dlopen(Arguments[1], RTLD_NOW);
    if (!Library)
      return 1;
    for (int J = 0; J != 3; ++J)
      ((void (*)(void))dlsym(Library, "work"))();
    dlclose(Library);
  }
  return 0;
}
#endif
