// Names that are not UTF-8, of a region and of the program: the record has their bytes as `\xe9`, and is read.

// RUN: rm -rf %t.* && mkdir %t.d && %clang -O1 %s -o %t %rt_flags
// RUN: env ERGON_METERS=none sh -c 'n=%t.d/$(printf "caf\351"); cp %t "$n" && ERGON_RUN_DIR=%t.runs "$n"'
// RUN: %run_records %t.runs 'run["program"].endswith("/caf\\xe9")' \
// RUN:   '[each["path"] for each in run["regions"][1:]] == [["na\u00efve"], ["\\xff\\xc0\\xaf\\xed\\xa0\\x80"], ["cut \\xe2\\x82"]]'

#include <ergon.h>

int main(void) {
  // UTF-8; bytes that are never in it, a form that is too long, half of a pair; a character that is cut off.
  static const char *const Names[] = {"na\xc3\xafve", "\xff\xc0\xaf\xed\xa0\x80", "cut \xe2\x82"};
  for (int I = 0; I != 3; ++I) {
    ergon_region_begin(Names[I]);
    ergon_region_end(Names[I]);
  }
}
