/*===- CounterTable.h - the counters of an instrumented module ----*- C -*-===*
 *
 * What the instrumentation pass (passes/instrument/Instrumentation.cpp) puts into a module,
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

/** A call through a pointer (`call@`), or of a library (`args@`). A slot has a target's address,
   the number of calls of it, and the sum of each counted argument. One more slot has the calls of
   targets that found no free one. Of a library's function, a slot has those calls that passed the
   same arguments. */
struct ErgonCallSite {
  const char *Symbol;
  int64_t *Slots;
  const uint32_t *Arguments; /**< the numbers of those that are summed up */
  uint32_t NumSlots, NumArguments;
};

struct ErgonCountedFunction {
  const char *Name; /**< mangled */
  const struct ErgonUnknown *Unknowns;
  int64_t *Counters;
  const struct ErgonCallSite *Sites;
  uint32_t NumUnknowns, NumCounters;
  uint64_t NumSites;
};

/** A function whose address the module takes. */
struct ErgonTarget {
  const void *Address;
  const char *Name; /**< mangled */
  uint64_t IsLocal; /**< of the unit: others may have one of that name */
};

enum { ErgonCounterTableVersion = 3 };

struct ErgonCountedUnit {
  uint32_t Version, NumFunctions;
  const char *Source; /**< as the compiler was given it */
  const struct ErgonCountedFunction *Functions;
  /** 1: one thread runs, and the module adds to its counters as if there were no others. The
      runtime writes 0 before the second one begins. */
  uint8_t *IsAlone;
  const struct ErgonTarget *Targets;
  uint64_t NumTargets;
  const char *Checksum; /**< of its code, as its record has it */
};

/** A module calls it when it is loaded. The runtime ignores a table of another version. */
void ergon_register_counters(const struct ErgonCountedUnit *Unit);
/** A module calls it before it is unloaded: what it has counted is kept. */
void ergon_retire_counters(const struct ErgonCountedUnit *Unit);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
