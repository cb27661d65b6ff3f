// A pipe in the place of a meter's file does not hold up the program: the meter is told as not read.

// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags
// RUN: mkdir -p %t.pc/intel-rapl:0 %t.hw/hwmon0 && mkfifo %t.pipe %t.pc/intel-rapl:0/energy_uj \
// RUN:   %t.pc/intel-rapl:0/name %t.hw/hwmon0/name %t.hw/hwmon0/power1_input
// RUN: env ERGON_METERS=csv:%t.pipe,script:%t.pipe,nvml,powercap,hwmon ERGON_NVML_LIBRARY=%t.pipe \
// RUN:   ERGON_POWERCAP_ROOT=%t.pc ERGON_HWMON_ROOT=%t.hw ERGON_IIO_ROOT=%t.no timeout 20 %same %t.runs %t
// RUN: %run_records %t.runs 'run["meters"] == []' '"its file is a pipe" in why("csv:")' \
// RUN:   '"its file is a pipe" in why("script:")' '"is a pipe" in why("nvml")' \
// RUN:   'why("powercap/")' 'why("hwmon/")'

int main(void) { return 0; }
