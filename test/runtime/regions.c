// Regions are nested, and those of one name in one place are one. A name is copied. Ends that fit no
// begin are counted and change nothing. Beyond 200 levels a region is part of the one around.

// RUN: rm -rf %t.runs && %clang -O1 %s -o %t %rt_flags
// RUN: env ERGON_METERS=none %same %t.runs %t
// RUN: %run_records %t.runs 'run["ended"] == "exit"' 'run["meters"] == run["unread_meters"] == []' \
// RUN:   'region("solve")["count"] == 3' 'region("solve", "inner")["count"] == 6' \
// RUN:   'region("inner")["count"] == 1' \
// RUN:   'region("step0")["count"] == region("step1")["count"] == 1' \
// RUN:   'region("solve")["time_s"] >= region("solve", "inner")["time_s"] >= Fraction("0.0060")' \
// RUN:   'region()["time_s"] >= region("solve")["time_s"] + region("inner")["time_s"]' \
// RUN:   'abs(region()["time_s"] - run["duration_s"]) < Fraction("0.05")' 'region()["threads"] == region()["count"] == 1' \
// RUN:   'region("\"quoted\"\n")["count"] == 1' 'region("open")["count"] == 1' \
// RUN:   'run["region_mistakes"] == 3' 'run["regions_too_deep"] == 100' \
// RUN:   'max(len(each["path"]) for each in run["regions"]) == 200'

// Where no folder is given nothing is left, and no folder is made.
// RUN: rm -rf %t.off && mkdir %t.off && cd %t.off && env ERGON_RUN_DIR= not %t && %run_records %t.off 'runs == []'

#include <ergon.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  for (int I = 0; I != 3; ++I) {
    ergon_region_begin("solve");
    for (int J = 0; J != 2; ++J) {
      ergon_region_begin("inner");
      usleep(1000);
      ergon_region_end("inner");
    }
    ergon_region_end("solve");
  }
  ergon_region_begin("inner");
  ergon_region_end("inner");

  char Name[16];
  for (int I = 0; I != 2; ++I) {
    snprintf(Name, sizeof Name, "step%d", I);
    ergon_region_begin(Name);
    ergon_region_end(Name);
  }
  ergon_region_begin("\"quoted\"\n");
  ergon_region_end("\"quoted\"\n");

  ergon_region_end("inner"); // there is none
  ergon_region_begin("open");
  ergon_region_end("solve"); // another name
  ergon_region_end(0);
  for (int I = 0; I != 299; ++I)
    ergon_region_begin("deep");
  for (int I = 0; I != 299; ++I)
    ergon_region_end("deep");
  puts("done");
  return 7;
}
