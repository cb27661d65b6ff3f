/*===- CounterTable.h - the counters of an instrumented module ----*- C -*-===*
 *
 * What the instrumentation pass (passes/Instrumentation.cpp) puts into a module,
 * and how the module tells the runtime of it.
 *
 *===----------------------------------------------------------------------===*/
#ifndef ERGON_RUNTIME_COUNTERTABLE_H
#define ERGON_RUNTIME_COUNTERTABLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** An unknown's mean is a sum of counters divided by a sum of counters. */
struct ErgonUnknown {
  const char *Symbol;
  const uint32_t *Counters; /**< the numbers of those over the line, then of those below */
  uint32_t NumOver, NumUnder;
};

struct ErgonCountedFunction {
  const char *Name; /**< mangled */
  const struct ErgonUnknown *Unknowns;
  int64_t *Counters;
  uint32_t NumUnknowns, NumCounters;
};

enum { ErgonCounterTableVersion = 2 };

struct ErgonCountedUnit {
  uint32_t Version, NumFunctions;
  const char *Source; /**< as the compiler was given it */
  const struct ErgonCountedFunction *Functions;
  /** 1: one thread runs, and the module adds to its counters as if there were no others. The
      runtime writes 0 before the second one begins. */
  uint8_t *IsAlone;
};

/** A module calls it when it is loaded. A table of another version is left alone. */
void ergon_register_counters(const struct ErgonCountedUnit *Unit);
/** And this before it is unloaded: what it has counted is kept. */
void ergon_retire_counters(const struct ErgonCountedUnit *Unit);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
