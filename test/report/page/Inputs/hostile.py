#!/usr/bin/python3
"""Writes sources whose names, comments and bytes are meant to harm a page: hostile.py FOLDER

Prints the path of the one to compile. Its directory and name make `</script><img …>` of its path. Another, odd*/name*.c,
has a path that is not UTF-8.
"""

import os
import pathlib
import sys

MARKUP = "</script><img src=x onerror=alert(1)><!-- <script>alert(2)</script> '\"&lt;"


def main():
    folder = pathlib.Path(sys.argv[1], "<")
    folder.mkdir(parents=True)
    (folder / "latin1.h").write_bytes(b"static inline double latin1(double X) { return X * 3.5; } // caf\xe9\n")
    (folder / "changed.h").write_text("static inline double changed(double X) { return X * 2.5; }\n")
    (folder / "missing.h").write_text("static inline double missing(double X) { return X * 1.5; }\n")
    name = MARKUP.replace('"', '\\"')
    main_file = folder / "script><img src=x onerror=alert(3)>'\".c"
    main_file.write_text(f'''#include "latin1.h"
#include "changed.h"
#include "missing.h"
void evil(long n, double *A) __asm__("{name}");
void evil(long n, double *A) {{ // {MARKUP}
  /* \u202eright to left\u202c, \u05d0\u05d1\u05d2 and an invisible \u200b space */
  for (long I = 0; I < n; ++I) {{ // `${{alert(4)}}` \u2028 javascript:alert(5)
    A[I] = latin1(changed(missing(A[I])));
    const char *Text = "</script><script>alert(6)</script>"; (void)Text;
  }}
}}
''', encoding="utf-8")
    odd = os.path.join(os.fsencode(sys.argv[1]), b"odd\xff")
    os.makedirs(odd)
    with open(os.path.join(odd, b"name\xe9.c"), "w", encoding="utf-8") as out:
        out.write("void odd(long n, double *A) { for (long I = 0; I < n; ++I) A[I] *= 2.5; }\n")
    print(main_file)


if __name__ == "__main__":
    main()
