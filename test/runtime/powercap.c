// RAPL by a powercap tree whose counters go around several times while the program runs: the record has
// what the tree delivered, to the microjoule, and the regions have it in proportion to their time.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags
// RUN: mkdir -p %t.pc/intel-rapl:0/intel-rapl:0:0 %t.pc/intel-rapl:0/intel-rapl:0:2 %t.pc/intel-rapl:1
// RUN: cd %t.pc && ln -s intel-rapl:0/intel-rapl:0:0 intel-rapl:0:0 && mkdir idle_inject subsystem
// RUN: echo package-0 > intel-rapl:0/name && echo core > intel-rapl:0:0/name
// RUN: echo dram > intel-rapl:0/intel-rapl:0:2/name && echo psys > intel-rapl:1/name
// RUN: %python %S/Inputs/fill.py 20000000 19999000 intel-rapl:0 intel-rapl:0:0 intel-rapl:1
// RUN: %python %S/Inputs/fill.py 60000000 0 intel-rapl:0/intel-rapl:0:2
// RUN: env ERGON_METERS=powercap ERGON_POWERCAP_ROOT=%t.pc ERGON_RUN_DIR=%t.runs \
// RUN:   %python %S/Inputs/fed.py %t.pc %t.fed.json 60 1.5 %t
// RUN: %run_records %t.runs 'is_whole()' 'len(run["meters"]) == 4' \
// RUN:   'all(each["energy_j"] * 10**6 == json.load(open("%t.fed.json"))[each["name"].split("/")[1]] for each in run["meters"])' \
// RUN:   'min(each["energy_j"] for each in run["meters"]) > 80' \
// RUN:   '[each["covers"] for each in run["meters"]] == ["package-0", "package-0/core", "package-0/dram", "psys"]' \
// RUN:   'all(abs(each["energy_j"]["powercap/intel-rapl:0"] / each["time_s"] - 60) < 24 for each in (region("long"), region("short")))'

#include <ergon.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>

static void pass(long Nanoseconds) {
  struct timespec For = {0, Nanoseconds};
  nanosleep(&For, 0);
}

int main(void) {
  puts("ready");
  fflush(stdout);
  // Until the input is closed.
  for (struct pollfd Input = {0, POLLIN, 0}; poll(&Input, 1, 0) == 0;) {
    ergon_region_begin("long");
    pass(7000000);
    ergon_region_end("long");
    ergon_region_begin("short");
    pass(3000000);
    ergon_region_end("short");
  }
  return 0;
}
