// Sensors of boards, and a trace that another program wrote.

// ALLOW_RETRIES: 2
// RUN: rm -rf %t.* && %clang -O1 %s -o %t %rt_flags && mkdir -p %t.hw/hwmon0 %t.hw/hwmon1 %t.hw/hwmon2 %t.iio/iio:device0
// RUN: echo amd_energy > %t.hw/hwmon0/name && echo Esocket0 > %t.hw/hwmon0/energy1_label && echo 7000000 > %t.hw/hwmon0/energy1_input
// RUN: echo 20 > %t.hw/hwmon1/update_interval && echo acpi > %t.hw/hwmon1/name && echo 40000000 > %t.hw/hwmon1/power1_average
// RUN: echo ina3221 > %t.hw/hwmon2/name && echo VDD_GPU > %t.hw/hwmon2/in2_label && echo 5000 > %t.hw/hwmon2/in2_input
// RUN: echo 400 > %t.hw/hwmon2/curr2_input && echo 12000 > %t.hw/hwmon2/in3_input
// RUN: echo ina3221x > %t.iio/iio:device0/name && echo VDD_IN > %t.iio/iio:device0/rail_name_0 && echo 3000 > %t.iio/iio:device0/in_power0_input
// RUN: env ERGON_METERS=hwmon ERGON_HWMON_ROOT=%t.hw ERGON_IIO_ROOT=%t.iio ERGON_RUN_DIR=%t.runs %t %t.hw/hwmon0/energy1_input
// RUN: %run_records %t.runs 'is_whole()' 'meter("hwmon0/energy1")["energy_j"] == 5' \
// RUN:   '[each["covers"] for each in run["meters"]] == ["amd_energy/Esocket0", "acpi/power1", "ina3221/VDD_GPU", "ina3221x/VDD_IN"]' \
// RUN:   'meter("hwmon1/power1")["update_period_s"] == Fraction("0.02")' \
// RUN:   'all(abs(each["energy_j"] - watts * (each["until_s"] - each["from_s"])) < Fraction(1, 10**8) for each, watts in \
// RUN:     [(meter("hwmon1/power1"), 40), (meter("hwmon2/in2"), 2), (meter("device0/in_power0"), 3)])' \
// RUN:   'region("all")["energy_j"][meter("hwmon1/power1")["name"]] > 39 * region("all")["time_s"]'

// A trace from 1 s before to 10 s later: power goes up from 100 W by 20 W a second.
// RUN: %python -c "import time; t = time.time(); print('time_s,power_w'); [print(f'{t - 1 + i},{100 + 20 * i}') for i in range(11)]" > %t.csv
// RUN: rm -rf %t.runs && env ERGON_METERS=csv:%t.csv ERGON_RUN_DIR=%t.runs %t %t.hw/hwmon0/energy1_input
// RUN: %run_records %t.runs 'is_whole()' '110 < meter("csv")["energy_j"] / (meter("csv")["until_s"] - meter("csv")["from_s"]) < 240' \
// RUN:   'meter("csv")["from_s"] >= 0' 'meter("csv")["until_s"] <= run["duration_s"]' 'meter("csv")["energy_j"] > 20'
// It ends here before the program begins.
// RUN: rm -rf %t.runs && printf 'time_s,power_w\n1000,5\n1001,5\n' > %t.csv
// RUN: env ERGON_METERS=csv:%t.csv ERGON_RUN_DIR=%t.runs %t %t.hw/hwmon0/energy1_input
// RUN: %run_records %t.runs 'run["meters"] == []' '"nothing of this time" in why("csv")'
// Another program is writing it: it has 100 W from 0.1 s to 0.2 s after the start, and half a line.
// RUN: rm -rf %t.runs && env ERGON_METERS=csv:%t.csv ERGON_RUN_DIR=%t.runs %python %S/Inputs/logger.py %t.csv %t %t.hw/hwmon0/energy1_input
// RUN: %run_records %t.runs 'is_whole()' 'meter("csv")["energy_j"] == 100 * (meter("csv")["until_s"] - meter("csv")["from_s"])' \
// RUN:   'Fraction("0.05") < meter("csv")["until_s"] - meter("csv")["from_s"] < Fraction("0.1001")' 'meter("csv")["from_s"] > 0'
// RUN: rm -rf %t.runs && printf 'seconds;watts\n' > %t.csv
// RUN: env ERGON_METERS=csv:%t.csv ERGON_RUN_DIR=%t.runs %t %t.hw/hwmon0/energy1_input
// RUN: %run_records %t.runs '"its first line is not" in why("csv")'
// RUN: rm -rf %t.runs && printf 'time_s,power_w\n1000,5 W\n' > %t.csv
// RUN: env ERGON_METERS=csv:%t.csv ERGON_RUN_DIR=%t.runs %t %t.hw/hwmon0/energy1_input
// RUN: %run_records %t.runs '"a line of it is not" in why("csv")'

#include <ergon.h>
#include <stdio.h>
#include <unistd.h>

static void set(const char *Path, const char *To) {
  FILE *File = fopen(Path, "r+");
  fputs(To, File);
  fclose(File);
}

int main(int Count, char **Arguments) {
  set(Arguments[1], "7000000\n");
  ergon_region_begin("all");
  usleep(150000);
  set(Arguments[1], "9500000\n");
  usleep(150000);
  ergon_region_end("all");
  set(Arguments[1], "12000000\n");
  return 0;
}
