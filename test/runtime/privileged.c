// A program that has more rights than who started it heeds nothing of its caller's environment: no file is written
// where that says, and no library of the caller's is loaded.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags && %clang -DLIBRARY -O1 -shared -fPIC %s -o %t.so
// RUN: env MARK=%t.loaded ERGON_METERS=nvml ERGON_NVML_LIBRARY=%t.so ERGON_RUN_DIR=%t.runs \
// RUN:   %python %S/Inputs/privileged.py %t %t.runs %t.loaded

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#ifdef LIBRARY
__attribute__((constructor)) static void loaded(void) {
  if (getenv("MARK"))
    fclose(fopen(getenv("MARK"), "w"));
}
#else
int main(void) { printf("%lu\n", getauxval(AT_SECURE)); }
#endif
