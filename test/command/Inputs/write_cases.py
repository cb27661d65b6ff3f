"""write_cases.py FIXTURE CASES: a program with one function per case, which its first argument chooses."""
import re
import sys
fixture, cases = (open(path).read() for path in sys.argv[1:])
found = re.findall(r"^(\d+): (.*)$", cases, re.MULTILINE)
head, locals_ = fixture.split("/* locals */\n")
print(head)
for number, body in found:
    print(f"static long case{number}(int argc, char **argv) {{\n{locals_}{body}\nreturn r;\n}}")
print("int main(int argc, char **argv) {\nlong r = 0;\nswitch (atoi(argv[1])) {")
for number, _ in found:
    print(f"case {number}: r = case{number}(argc, argv); break;")
print('}\nscale(r);\nprintf("%ld\\n", executed);\nreturn 0;\n}')
