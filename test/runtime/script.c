// What a meter counts between two of its readings is shared among the regions that the thread was in
// meanwhile, by their time, to the nanojoule: whatever the meter says, nothing is lost or invented.

// A scripted meter is read by each begin and end, as it never says how long it has no news.
// RUN: rm -rf %t.runs %t.script && %clang -O1 %s -o %t %rt_flags
// RUN: %python -c "print('range 1000003'); [print('later' if i % 7 == 3 else i * 777777 % 1000003) for i in range(3000)]" > %t.script
// RUN: env ERGON_METERS=script:%t.script ERGON_RUN_DIR=%t.runs %t 50000
// RUN: %run_records %t.runs 'is_whole()' 'meter("script")["readings"] > 1000' \
// RUN:   'region("a")["energy_j"][meter("script")["name"]] > 0' 'len(run["regions"]) == 5'
// More readings than lines: the whole file, each step of which is 777777 nJ or, after a line that says
// nothing, twice that, less the one time around that a counter cannot show.
// RUN: %run_records %t.runs 'meter("script")["energy_j"] == Fraction(sum(\
// RUN:   (b - a) * 777777 % 1000003 for a, b in itertools.pairwise(\
// RUN:   i for i in range(3000) if i % 7 != 3)), 10**9)'

// Two meters that have news at different times.
// RUN: rm -rf %t.runs %t.pc && mkdir -p %t.pc/intel-rapl:0 && echo package-0 > %t.pc/intel-rapl:0/name
// RUN: echo 5 > %t.pc/intel-rapl:0/energy_uj && echo 100000 > %t.pc/intel-rapl:0/max_energy_range_uj
// RUN: env ERGON_METERS=script:%t.script,powercap ERGON_POWERCAP_ROOT=%t.pc ERGON_RUN_DIR=%t.runs %t 5000
// RUN: %run_records %t.runs 'is_whole()' 'len(run["meters"]) == 2' 'meter("rapl:0")["energy_j"] == 0' \
// RUN:   'meter("rapl:0")["readings"] < meter("script")["readings"]'

// The meter ends in mid-run: what it had counted is kept, and until when, and why.
// RUN: rm -rf %t.runs && printf '0\n1000000000\n3000000000\nthe plug was drawn\n9000000000\n' > %t.script
// RUN: env ERGON_METERS=script:%t.script ERGON_RUN_DIR=%t.runs %t 5000
// RUN: %run_records %t.runs 'is_whole()' 'meter("script")["energy_j"] == 3' \
// RUN:   'meter("script")["until_s"] < run["duration_s"]' 'meter("script")["why"] == "the plug was drawn"'
// A counter that states no range goes back: it could have been anything.
// RUN: rm -rf %t.runs && printf '5\n1000\n999\n' > %t.script
// RUN: env ERGON_METERS=script:%t.script ERGON_RUN_DIR=%t.runs %t 5000
// RUN: %run_records %t.runs 'is_whole()' 'meter("script")["energy_j"] == Fraction(995, 10**9)' \
// RUN:   '"went back" in meter("script")["why"]'
// It has nothing from the start.
// RUN: rm -rf %t.runs %t.script && env ERGON_METERS=script:%t.script ERGON_RUN_DIR=%t.runs %t 1
// RUN: %run_records %t.runs 'run["meters"] == []' '"No such file" in why("script")' 'region("a")["energy_j"] == {}'

#include <ergon.h>
#include <stdlib.h>

static volatile int Sink;
static void work(int N) {
  for (int I = 0; I != N; ++I)
    Sink = I;
}

int main(int Count, char **Arguments) {
  for (int I = 0; I != atoi(Arguments[1]); ++I) {
    ergon_region_begin("a");
    work(300);
    ergon_region_begin("b");
    work(100);
    ergon_region_end("b");
    ergon_region_end("a");
    work(50);
    ergon_region_begin("c");
    ergon_region_begin("b");
    ergon_region_end("b");
    ergon_region_end("c");
  }
  return 0;
}
