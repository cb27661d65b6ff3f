"""Writes sources whose names, comments and functions would end a script, a cell or a string: hostile.py FOLDER"""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
(folder / "<").mkdir()
(folder / "</script><!--.c").write_text(
    '// </script><script>alert(1)</script> <!-- ]]> \u2028 " \\ `|` &amp; é\n'
    "void hostile(int n, double *x) {\n"
    "  for (int i = 0; i < n; i++)\n"
    "    x[i] = x[i] * 2.0; // </SCRIPT> <img src=x onerror=alert(1)> | `code` [a](javascript:b) \u2028\n"
    "}\n"
    'void odd(int n, double *x) __asm__("</script><b>|`odd");\n'
    "void odd(int n, double *x) {\n"
    "  for (int i = 0; i < n; i++)\n"
    "    x[i] = x[i] + 1.0;\n"
    "}\n", encoding="utf-8")
(folder / "latin1.c").write_bytes(
    b"// caf\xe9\nvoid latin1(int n, double *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = x[i] * 2.0;\n}\n")
