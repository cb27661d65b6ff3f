/*===- ergon.h - what a program may ask of the runtime -------------*- C -*-===*
 *
 * Link with -lergon_rt, or run the program with `ergon run`. Where ERGON_RUN_DIR names no folder,
 * all functions here do nothing. Otherwise the process leaves one run record there,
 * run-PID-START.json, when it ends: by exit, _exit, exec or a signal that it does not handle
 * (SIGKILL aside). A forked child has a record of its own. Nothing is printed.
 *
 *===----------------------------------------------------------------------===*/
#ifndef ERGON_RUNTIME_ERGON_H
#define ERGON_RUNTIME_ERGON_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** Enters a region of this thread; inside another it is that one's child. Regions of one name in
 *  one place are one. \p Name is copied when it is new. Not to be called in a signal handler. */
void ergon_region_begin(const char *Name);
/** Leaves the innermost region of this thread; where that has another name, or there is none,
 *  nothing is left and the run record counts the mistake. */
void ergon_region_end(const char *Name);

/** Writes the run record as it is now, in the place of an earlier one of this process.
 *  Returns 0, or an errno value; then nothing was written. */
int ergon_write_run(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
