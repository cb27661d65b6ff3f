// Perf events, by way of an event of the kernel's own that every machine has: a clock, whose nanoseconds
// this tree says are counts of 2^-32 J. Where perf events are refused that is said.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags && mkdir -p %t.power/events
// RUN: echo 1 > %t.power/type && echo 0 > %t.power/cpumask && echo event=0x00 > %t.power/events/energy-pkg
// RUN: echo 2.3283064365386962890625e-10 > %t.power/events/energy-pkg.scale && echo Joules > %t.power/events/energy-pkg.unit
// RUN: echo event=0x03 > %t.power/events/energy-ram
// RUN: env ERGON_METERS=perf ERGON_PERF_ROOT=%t.power %same %t.runs %t
// RUN: %run_records %t.runs 'is_whole()' '"states no event" in why("perf/energy-ram")' \
// RUN:   '"permission refused: set kernel.perf_event_paranoid" in why("perf/energy-pkg") if not run["meters"] else \
// RUN:     Fraction("0.01") < meter("energy-pkg@cpu0")["energy_j"] < Fraction("1")'

// They stand in for the powercap tree where that has nothing.
// RUN: rm -rf %t.runs && env -u ERGON_METERS ERGON_POWERCAP_ROOT=%t.none ERGON_PERF_ROOT=%t.power ERGON_NVML_LIBRARY=%t.none \
// RUN:   ERGON_HWMON_ROOT=%t.none ERGON_IIO_ROOT=%t.none ERGON_RUN_DIR=%t.runs %t
// RUN: %run_records %t.runs 'len(run["unread_meters"]) + len(run["meters"]) == 5' 'why("powercap")' 'why("perf/energy-ram")'

#include <unistd.h>

int main(void) { usleep(100000); }
