// A meter that cannot be read is told with the reason, and nothing is in its place; one that disappears in
// mid-run is kept until then.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags
// RUN: %python %S/Inputs/fill.py 9000000000 1000000 %t.pc/intel-rapl:0 %t.pc/intel-rapl:1 %t.pc/intel-rapl:2
// RUN: rm %t.pc/intel-rapl:2/energy_uj && mkdir %t.pc/intel-rapl:2/energy_uj && chmod 000 %t.pc/intel-rapl:1/energy_uj
// RUN: env ERGON_METERS=powercap ERGON_POWERCAP_ROOT=%t.pc %python %S/Inputs/unprivileged.py \
// RUN:   %same %t.runs %t %t.pc/intel-rapl:0/energy_uj
// RUN: %run_records %t.runs 'is_whole()' '[each["name"] for each in run["meters"]] == ["powercap/intel-rapl:0"]' \
// RUN:   'meter(":0")["energy_j"] == Fraction("2.5")' '"energy_uj: No such file" in meter(":0")["why"]' \
// RUN:   'meter(":0")["until_s"] + Fraction("0.05") < run["duration_s"]' \
// RUN:   'region("with")["energy_j"][meter(":0")["name"]] > 0' \
// RUN:   'region("without")["energy_j"][meter(":0")["name"]] < Fraction("0.5")' \
// RUN:   '"energy_uj: permission refused: let this user read it, or run as root" in why("powercap/intel-rapl:1")' \
// RUN:   '"Is a directory" in why("powercap/intel-rapl:2")'

// Neither a meter that is not there nor one that nobody knows.
// RUN: rm -rf %t.runs && env ERGON_METERS=powercap,hwmon,nvml,perf,rapl,csv:%t.no ERGON_POWERCAP_ROOT=%t.no \
// RUN:   ERGON_HWMON_ROOT=%t.no ERGON_IIO_ROOT=%t.no ERGON_NVML_LIBRARY=%t.no ERGON_PERF_ROOT=%t.no \
// RUN:   %same %t.runs %t %t.pc/intel-rapl:0/energy_uj
// RUN: %run_records %t.runs 'run["meters"] == []' '"no zone with an energy_uj" in why("powercap")' \
// RUN:   '"no sensor" in why("hwmon")' '"cannot open shared object" in why("nvml")' '"is not there" in why("perf")' \
// RUN:   '"knows no such meter" in why("rapl")' '"No such file" in why("csv:")' 'region("with")["energy_j"] == {}'

#include <ergon.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void set(const char *Path, const char *To) {
  char Draft[4096];
  snprintf(Draft, sizeof Draft, "%s.next", Path);
  FILE *File = fopen(Draft, "w");
  fputs(To, File);
  fclose(File);
  rename(Draft, Path);
}

int main(int Count, char **Arguments) {
  set(Arguments[1], "1000000\n");
  ergon_region_begin("with");
  set(Arguments[1], "3000000\n");
  usleep(20000);
  ergon_region_end("with");
  set(Arguments[1], "3500000\n");
  usleep(20000);
  ergon_region_begin("without");
  unlink(Arguments[1]);
  usleep(50000);
  ergon_region_end("without");
  usleep(50000);
  set(Arguments[1], "1000000\n"); // too late
  return 3;
}
