// GPUs by NVML: the energy counter, power where there is none, and what clocks did; a GPU that falls off the bus
// ends its meter. After a fork the library is not asked any more.

// ALLOW_RETRIES: 2
// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags && %clang -shared -fPIC %S/Inputs/nvml_stub.c -o %t.so
// RUN: %clang -DLOST -shared -fPIC %S/Inputs/nvml_stub.c -o %t.lost.so
// RUN: env ERGON_METERS=nvml ERGON_NVML_LIBRARY=%t.so %same %t.runs %t 0

// The first look is whether there is a counter. 450 ms are 4 readings of the runtime's own, and two are at
// the ends.
// RUN: %run_records %t.runs 'is_whole()' '[each["name"] for each in run["meters"]] == ["nvml/GPU-0", "nvml/GPU-1"]' \
// RUN:   'meter("GPU-0")["energy_j"] == 2 * (meter("GPU-0")["readings"] - 1)' 'meter("GPU-0")["readings"] >= 4' \
// RUN:   'meter("GPU-0")["covers"] == "A Stub"' 'meter("GPU-0")["held_down_by"] == ["power cap", "hot hardware"]' \
// RUN:   'meter("GPU-0")["clock_hz"]["least"] == 10**9' 'meter("GPU-0")["clock_hz"]["most"] == 1980 * 10**6' \
// RUN:   'meter("GPU-1")["held_down_by"] == []' '"perhaps a mean" in meter("GPU-1")["quantity"]' \
// RUN:   'Fraction(200) < meter("GPU-1")["energy_j"] / (meter("GPU-1")["until_s"] - meter("GPU-1")["from_s"]) < 300' \
// RUN:   'why("nvml/GPU-2") == "Not Supported"'

// RUN: rm -rf %t.runs && env ERGON_METERS=nvml ERGON_NVML_LIBRARY=%t.lost.so %same %t.runs %t 1
// RUN: %run_records %t.runs 'len(runs) == 2' 'runs[0]["meters"][0]["why"] == "GPU is lost"' 'runs[0]["meters"][0]["energy_j"] == 4' \
// RUN:   'runs[1]["meters"] == []' '"after a fork" in why("nvml/GPU-1", of=runs[1])' 'is_whole(runs[1])'

// Some other library.
// RUN: rm -rf %t.runs && env ERGON_METERS=nvml ERGON_NVML_LIBRARY=libm.so.6 %same %t.runs %t 0
// RUN: %run_records %t.runs '"is no NVML" in why("nvml")'

#include <ergon.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int Count, char **Arguments) {
  ergon_region_begin("all");
  usleep(700000);
  if (atoi(Arguments[1]) && fork() == 0)
    return 0;
  wait(0);
  ergon_region_end("all");
  return 0;
}
