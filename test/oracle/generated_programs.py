"""Random functions and kernels whose loops and conditions are made of their parameters alone.

generate(category, seed) gives a Program. The same two words give the same program on every machine.
A program is a tree of tuples, so that a part can be left out or replaced (`smaller`); `text` writes it as C that is C++ too.

What is counted are the stores TICK_A to TICK_D, of 1, 2, 4 and 8 bytes. They are volatile: the optimizer neither merges nor
removes nor speculates them, so that how often each runs is a matter of the source alone. ROUND stands in each iteration with all
variables that change: the executed twin sees there that they are as they were before, so that the loop has no end.
"""
import random

# name: bits, signed
TYPES = {"signed char": (8, True), "char": (8, True), "unsigned char": (8, False), "short": (16, True),
         "unsigned short": (16, False), "int": (32, True), "unsigned": (32, False), "long": (64, True),
         "unsigned long": (64, False), "size_t": (64, False), "bool": (1, False)}
PARAMETERS = ["int"] * 14 + ["unsigned"] * 7 + ["long"] * 3 + ["size_t"] * 3 + ["unsigned long"] + ["short"] * 2 + [
    "unsigned short"] * 2 + ["signed char"] * 2 + ["unsigned char"] * 3 + ["char", "bool"]
COUNTERS = ["int"] * 12 + ["unsigned"] * 6 + ["long"] * 2 + ["size_t"] * 3 + ["short", "unsigned short", "signed char",
                                                                             "unsigned char"]
CATEGORIES = ["guards", "clamps", "floors", "casts", "exits", "wraps", "pointers", "masks", "switches", "nests", "calls",
              "floats", "carried", "fields", "mixed"]
DEVICE_CATEGORIES = ["guards", "clamps", "floors", "casts", "exits", "wraps", "masks", "nests", "floats", "strides", "mixed"]

# How an expression is made, by category: weights over the ones that every category has.
PLAIN = {"shift by number": 8, "sum": 3, "product": 1, "bits": 1, "division": 1, "bit shift": 1, "cast": 1, "clamp": 1,
         "unary": 1, "comparison": 0.3, "idiom": 0.5, "float": 0.1}
FAVOURED = {"guards": {}, "clamps": {"clamp": 12}, "floors": {"division": 10, "bit shift": 4}, "casts": {"cast": 14},
            "exits": {}, "wraps": {"shift by number": 10, "sum": 6, "product": 8, "bit shift": 3, "cast": 2},
            "masks": {"bits": 12, "bit shift": 6, "unary": 2}, "floats": {"float": 10}, "mixed": {"division": 2, "cast": 2,
            "clamp": 2, "bits": 2}}
TESTS = {"compare": 8, "range": 4, "outside": 3, "equal": 2, "bit": 1, "both": 1.5, "either": 1.5, "not": 0.7, "truth": 0.5,
         "unsigned range": 1.5, "joint": 1}
FAVOURED_TESTS = {"guards": {"range": 8, "outside": 8, "unsigned range": 4}, "exits": {"outside": 6, "range": 5},
                  "masks": {"bit": 8, "joint": 3}, "strides": {"joint": 4}}


class Program:
    """`helper` is None, or (parameters, body) of a function that the body calls. `passed`: parameters, or members of one that is
    a structure (value) or points to one (pointer)."""

    def __init__(self, name, category, parameters, body, helper=None, is_kernel=False, passed="parameters"):
        self.name, self.category, self.parameters, self.body = name, category, parameters, body
        self.helper, self.is_kernel, self.passed = helper, is_kernel, passed

    def with_body(self, name, body, helper):
        return Program(name, self.category, self.parameters, body, helper, self.is_kernel, self.passed)

    def text(self):
        space = "__device__ " if self.is_kernel else ""
        result = ""
        if self.helper:
            result += (f"{space}static __attribute__((noinline)) void {self.name}_helper(SINK v, {declared(self.helper[0])}) "
                       f"{{\n{statements(self.helper[1], self.name)}}}\n")
        own = declared(self.parameters)
        if self.passed != "parameters":
            result += f"struct {self.name}_s {{ {declared(self.parameters, '; ')}; }};\n"
            own = f"struct {self.name}_s s" if self.passed == "value" else f"const struct {self.name}_s *restrict s"
        return result + f"{'KERNEL ' if self.is_kernel else ''}void {self.name}(SINK v, {own}) {{\n{statements(self.body, self.name)}}}\n"

    def call(self, values):
        """C that runs it with expressions as values."""
        if self.passed == "parameters":
            return f"{self.name}(0, {', '.join(values)});"
        return f"struct {self.name}_s s = {{{', '.join(values)}}}; {self.name}(0, {'s' if self.passed == 'value' else '&s'});"


def declared(parameters, separator=", "):
    return separator.join(f"{kind} {name}" for kind, name in parameters)


# Text of a tree -------------------------------------------------------------------------------------------------------------

def literal(value):
    if value == -2**63:
        return "(-9223372036854775807L - 1)"
    if value < 0:
        return f"(-{literal(-value)})"
    if value >= 2**63:
        return f"{value}ul"
    return f"{value}L" if value >= 2**31 else str(value)


def expression(tree):
    match tree:
        case ("number", value):
            return literal(value)
        case ("unsigned", value):
            return f"{value}u"
        case ("float", text) | ("name", text):
            return text
        case ("binary", operator, left, right):
            return f"({expression(left)} {operator} {expression(right)})"
        case ("unary", operator, inner):
            return f"({operator}{expression(inner)})"
        case ("cast", kind, inner):
            return f"(({kind}){expression(inner)})"
        case ("choice", test, left, right):
            return f"({expression(test)} ? {expression(left)} : {expression(right)})"
    raise ValueError(tree)


def statements(trees, name, indent="  ", scope=()):
    scope, result = list(scope), ""
    for tree in trees:
        result += statement(tree, name, indent, scope)
        if tree[0] == "let":
            scope.append(tree[2])
    return result


def block(body, name, indent, scope, is_loop=False):
    first = f"{indent}  ROUND({', '.join(f'(long){each}' for each in scope) or 0});\n" if is_loop else ""
    return "{\n" + first + statements(body, name, indent + "  ", scope) + indent + "}"


def statement(tree, name, indent, scope):
    match tree:
        case ("tick", which):
            return f"{indent}TICK_{which};\n"
        case ("if", test, body, other):
            rest = f" else {block(other, name, indent, scope)}" if other else ""
            return f"{indent}if ({expression(test)}) {block(body, name, indent, scope)}{rest}\n"
        case ("for", start, test, step, body):
            inner = block(body, name, indent, [*scope, start[1]] if start[0] else scope, True)
            return f"{indent}for ({start_text(start)}; {expression(test)}; {step_text(step)}) {inner}\n"
        case ("while", test, body):
            return f"{indent}while ({expression(test)}) {block(body, name, indent, scope, True)}\n"
        case ("do", test, body):
            return f"{indent}do {block(body, name, indent, scope, True)} while ({expression(test)});\n"
        case ("let", kind, variable, value):
            return f"{indent}{kind} {variable} = {expression(value)};\n"
        case ("set", variable, operator, value):
            return f"{indent}{step_text((variable, operator, value))};\n"
        case ("switch", value, cases):
            arms = "".join(f"{indent}{'default' if label is None else 'case ' + str(label)}: {block(body, name, indent, scope)} break;\n"
                           for label, body in cases)
            return f"{indent}switch ({expression(value)}) {{\n{arms}{indent}}}\n"
        case ("call", arguments):
            return f"{indent}{name}_helper(v, {', '.join(map(expression, arguments))});\n"
        case ("leave", how):
            return f"{indent}{how};\n"
    raise ValueError(tree)


def start_text(start):
    kind, variable, value = start
    return f"{kind} {variable} = {expression(value)}" if kind else f"{variable} = {expression(value)}"


def step_text(step):
    variable, operator, value = step
    return f"{variable}{operator}" if value is None else f"{variable} {operator} {expression(value)}"


# Making one -----------------------------------------------------------------------------------------------------------------

def weighted(r, weights):
    names = list(weights)
    at = r.random() * sum(weights.values())
    for name in names:
        at -= weights[name]
        if at < 0:
            return name
    return names[-1]


def number(value):
    return ("number", value)


def name(text):
    return ("name", text)


def binary(operator, left, right):
    return ("binary", operator, left, right)


class Maker:
    def __init__(self, category, seed, is_kernel):
        self.r = random.Random(f"{'device ' if is_kernel else ''}{category} {seed}")
        self.category, self.is_kernel = category, is_kernel
        self.made = {**PLAIN, **FAVOURED.get(category, {})}
        self.tests = {**TESTS, **FAVOURED_TESTS.get(category, {})}
        self.names = 0
        self.loops = 0
        self.parts = 0
        self.helper = None

    def fresh(self, start):
        self.names += 1
        return f"{start}{self.names}"

    def constant(self):
        r = self.r
        pick = r.random()
        if pick < 0.75:
            return number(r.randint(-6, 40))
        if pick < 0.88:
            return ("unsigned", r.randint(0, 40))
        return number(r.choice([63, 64, 100, 127, 128, 255, 256, 1000, 65535, 2**31 - 1, 2**32 - 5, -128, -1]))

    def variable(self, scope):
        return name(self.r.choice(scope)) if scope else self.constant()

    def expression(self, scope, depth):
        """Of the names in scope; the last of them are likelier."""
        r = self.r
        if depth <= 0 or r.random() < 0.25:
            return self.variable(scope) if r.random() < 0.85 else self.constant()
        kind = weighted(r, self.made)
        inner = self.expression(scope, depth - 1) if depth > 1 else self.variable(scope)
        if kind == "shift by number":
            return binary(r.choice("+-"), inner, self.constant())
        if kind == "sum":
            return binary(r.choice("+-"), inner, self.expression(scope, depth - 1))
        if kind == "product":
            return binary("*", inner, self.variable(scope) if r.random() < 0.4 else number(r.choice([2, 3, 4, 5, 7, 8, -1, 16, 100])))
        if kind == "bits":
            mask = number(r.choice([1, 3, 7, 15, 31, 63, 255, 6, 12, -2, -4, -8, 0x7ffffff8, 2**32 - 8]))
            return binary(r.choice("&&&|^"), inner, mask if r.random() < 0.75 else self.variable(scope))
        if kind == "division":
            by = number(r.choice([2, 3, 4, 5, 7, 8, 16, -3])) if r.random() < 0.6 else ("unsigned", r.choice([2, 3, 4, 8, 10]))
            if r.random() < 0.2:
                by = binary("+", binary("&", self.variable(scope), number(7)), number(1))
            return binary(r.choice("//%"), inner, by)
        if kind == "bit shift":
            by = number(r.choice([1, 1, 2, 3, 4, 5])) if r.random() < 0.85 else binary("&", self.variable(scope), number(7))
            return binary(r.choice(["<<", ">>", ">>"]), inner, by)
        if kind == "cast":
            return ("cast", r.choice(list(TYPES)), inner)
        if kind == "clamp":
            return self.clamp(scope, inner)
        if kind == "unary":
            return ("unary", r.choice("-~-~!"), inner)
        if kind == "float":
            by = ("float", r.choice(["2.f", "32.f", "0.5f", "4.0", "1.5", "0.25", "3.f"]))
            return ("cast", "int", binary(r.choice("*/+-"), inner, by))
        if kind == "idiom":
            return self.idiom(scope, inner)
        return self.test(scope, 0)

    def idiom(self, scope, inner):
        """What the optimizer has an instruction for: absolute values, differences that stay at 0, rotations, the lowest bit."""
        r = self.r
        other = self.variable(scope) if r.random() < 0.5 else self.constant()
        kind = r.randint(0, 5)
        if kind == 0:
            return ("choice", binary("<", inner, number(0)), ("unary", "-", inner), inner)
        if kind == 1:
            return ("choice", binary(">", inner, other), binary("-", inner, other), number(0))
        if kind == 2:
            wide, by = ("cast", "unsigned", inner), r.randint(1, 30)
            return binary("|", binary("<<", wide, number(by)), binary(">>", wide, number(32 - by)))
        if kind == 3:
            return binary("&", inner, ("unary", "-", inner) if r.random() < 0.5 else binary("-", inner, number(1)))
        if kind == 4:  # did the sum wrap around?
            return binary("<", binary("+", ("cast", "unsigned", inner), other), ("cast", "unsigned", inner))
        return binary("+", binary("*", inner, number(r.choice([2, 4, 8]))), binary("&", other, number(r.choice([1, 3, 7]))))

    def clamp(self, scope, inner):
        r = self.r
        low, high = number(r.randint(-4, 8)), number(r.randint(5, 40))
        if r.random() < 0.25:
            high = self.variable(scope)
        kind = r.randint(0, 4)
        if kind == 0:
            return ("choice", binary("<", inner, low), low, inner)
        if kind == 1:
            return ("choice", binary(r.choice(["<", "<="]), inner, high), inner, high)
        if kind == 2:
            return ("choice", binary("<", inner, low), low, ("choice", binary(">", inner, high), high, inner))
        if kind == 3:
            return ("choice", binary("||", binary("<", inner, number(0)), binary(">", inner, high)),
                    high if r.random() < 0.6 else number(r.randint(0, 20)), inner)
        return ("choice", binary(">", inner, high), high, inner)

    def test(self, scope, depth):
        r = self.r
        kind = weighted(r, self.tests)
        if depth <= 0 and kind in ("both", "either", "not"):
            kind = "compare"
        value = self.expression(scope, r.choice([1, 1, 2])) if r.random() < 0.75 else self.variable(scope)
        order = r.choice(["<", "<=", ">", ">="])
        if kind == "compare":
            right = self.expression(scope, r.choice([0, 0, 1]))
            if r.random() < 0.06 + 0.4 * (self.category == "floats"):
                right = binary(r.choice("/*"), right, ("float", r.choice(["2.f", "32.f", "0.5f", "4.0", "0.25"])))
            return binary(order, value, right)
        low, high = self.constant() if r.random() < 0.8 else self.variable(scope), self.expression(scope, r.choice([0, 0, 1]))
        if kind == "range":
            return binary("&&", binary(r.choice([">", ">="]), value, low), binary(r.choice(["<", "<="]), value, high))
        if kind == "outside":
            return binary("||", binary(r.choice(["<", "<="]), value, low if r.random() < 0.4 else number(0)),
                          binary(r.choice([">", ">="]), value, high))
        if kind == "unsigned range":
            unsigned = r.choice(["unsigned", "unsigned", "unsigned char", "size_t", "unsigned short"])
            return binary(order, ("cast", unsigned, binary("-", value, low)), high)
        if kind == "equal":
            return binary(r.choice(["==", "!="]), value, self.expression(scope, r.choice([0, 0, 1])))
        if kind == "bit":
            return binary("&", value, number(r.choice([1, 2, 3, 4, 7, 8, 16])))
        if kind == "joint":  # one comparison will do for both
            other, all_of = self.variable(scope), r.random() < 0.6
            order, limit = r.choice([("<", ("unsigned", r.choice([8, 16, 32, 2048]))), ("<", number(r.choice([16, 32]))), (">=", number(0)),
                                     ("==", number(0)), ("==", number(-1))])
            return binary("&&", binary(order, value, limit), binary(order, other, limit)) if all_of else binary(
                "||", binary({"<": ">=", ">=": "<", "==": "!="}[order], value, limit), binary({"<": ">=", ">=": "<", "==": "!="}[order], other, limit))
        if kind in ("both", "either"):
            return binary("&&" if kind == "both" else "||", self.test(scope, depth - 1), self.test(scope, depth - 1))
        if kind == "not":
            return ("unary", "!", self.test(scope, depth - 1))
        return value

    def tick(self):
        return ("tick", self.r.choice("AAABBCD"))

    def body(self, scope, depth, in_loop, length=None):
        """A list of statements with at least one tick."""
        r = self.r
        scope = list(scope)
        result = []
        for _ in range(length or r.choice([1, 1, 2, 2, 3])):
            result += self.part(scope, depth, in_loop)
        if not any(tree[0] in ("tick", "for", "while", "do", "call") for tree in result) and r.random() < 0.8:
            result.insert(r.randint(0, len(result)), self.tick())
        return result

    def part(self, scope, depth, in_loop):
        r = self.r
        weights = {"tick": 4, "if": 3, "loop": 3 if depth > 0 and self.loops < 3 else 0, "let": 1,
                   "leave": 2 if in_loop else 0.7, "set": 0.6 if in_loop else 0.2, "switch": 0.2,
                   "call": 1 if self.helper and depth > 0 else 0}
        weights.update({"exits": {"leave": 6 if in_loop else 1.5}, "switches": {"switch": 5}, "clamps": {"let": 4},
                        "calls": {"call": 6 if self.helper else 0}, "carried": {"set": 5 if in_loop else 1}}.get(self.category, {}))
        self.parts += 1
        kind = weighted(r, weights)
        if kind == "tick" or depth < -1 or self.parts > 14:
            return [self.tick()]
        if kind == "if":
            return [("if", self.test(scope, 1), self.body(scope, depth - 1, in_loop, r.choice([1, 1, 2])),
                     self.body(scope, depth - 1, in_loop, 1) if r.random() < 0.25 else [])]
        if kind == "loop":
            return self.loop(scope, depth - 1)
        if kind == "let":
            variable, kind = self.fresh("x"), r.choice(COUNTERS)
            tree = ("let", kind, variable, self.expression(scope, 2))
            scope += [variable, variable]
            return [tree]
        if kind == "leave":
            how = r.choice(["break", "break", "break", "continue", "return"]) if in_loop else "return"
            return [("if", self.test(scope, 1), ([self.tick()] if r.random() < 0.2 else []) + [("leave", how)], [])]
        if kind == "set":
            mine = [each for each in scope if each[0] in "xyi"]
            if not mine:
                return [self.tick()]
            tree = ("set", r.choice(mine), *r.choice([("+=", number(r.randint(1, 4))), ("-=", number(1)), ("=", self.expression(scope, 1)),
                                                      ("+=", self.variable(scope))]))
            return [("if", self.test(scope, 1), [tree], [])] if r.random() < 0.6 else [tree]
        if kind == "call":
            return [("call", [self.expression(scope, 2) for _ in self.helper[0]])]
        labels = r.sample(range(-3, 12), r.randint(2, 4))
        cases = [(label, self.body(scope, depth - 1, False, 1)) for label in sorted(labels)]
        if r.random() < 0.5:
            cases.append((None, self.body(scope, depth - 1, False, 1)))
        value = self.expression(scope, r.choice([0, 1, 1, 2]))
        return [("switch", ("cast", "int", value) if self.is_kernel else value, cases)]  # C++ has no case -1 of an unsigned value

    def loop(self, scope, depth):
        r = self.r
        self.loops += 1
        kind = r.choice(COUNTERS)
        variable = self.fresh("i")
        inner = scope + [variable] * max(1, len(scope))
        start = number(0) if r.random() < 0.45 else self.expression(scope, r.choice([0, 0, 1]))
        bound = self.expression(scope, r.choice([0, 1, 1, 2]))
        if r.random() < 0.25:
            bound = number(r.randint(0, 40))
        step = number(1) if r.random() < 0.6 else number(r.choice([2, 2, 3, 4, 5, 7])) if r.random() < 0.7 else self.variable(scope)
        body = self.body(inner, depth, True)
        shape = weighted(r, {"up": 10, "down": 4, "unequal": 2, "times": 2, "while": 1.5, "do": 1.5, "factor": 1.5, "lowest bit": 0.4,
                             "stride": 5 if self.category == "strides" else 0, "pointer": 12 if self.category == "pointers" else 0})
        if shape == "stride":
            own = binary("+", binary("*", name("blockIdx.x"), name("blockDim.x")), name("threadIdx.x"))
            return [("for", (kind, variable, own), binary("<", name(variable), bound),
                     (variable, "+=", binary("*", name("gridDim.x"), name("blockDim.x"))), body)]
        if shape == "pointer":
            return self.pointer_loop(scope, variable, start, bound, step, depth)
        test = self.test(inner, 0) if r.random() < 0.12 else None
        if shape == "up":
            test = test or binary(r.choice(["<", "<", "<", "<="]), name(variable), bound)
            step = (variable, "++", None) if step == number(1) and r.random() < 0.8 else (variable, "+=", step)
        elif shape == "down":
            if r.random() < 0.4:  # n-- > 0
                return [("for", (kind, variable, bound), binary(">", name(variable + "--"), start), ("", "", None), body)]
            test = test or binary(r.choice([">", ">="]), name(variable), start)
            start, step = bound, (variable, "-=", step)
        elif shape == "unequal":
            test = binary("!=", name(variable), bound)
            step = (variable, r.choice(["+=", "+=", "-="]), step)
        elif shape == "lowest bit":  # as many rounds as bits are set
            start, test = bound, name(variable)
            step = (variable, "&=", binary("-", name(variable), number(1)))
        elif shape == "factor":
            start = number(1) if r.random() < 0.6 else start
            up = r.random() < 0.5
            test = binary("<" if up else ">", name(variable), bound if up else number(0))
            start = start if up else bound
            step = (variable, *(r.choice([("*=", number(2)), ("*=", number(3)), ("<<=", number(1))]) if up
                                else r.choice([("/=", number(2)), (">>=", number(1)), ("/=", number(3))])))
        elif shape == "times":  # a counter of its own, so that the variable is a second induction variable
            counted = self.fresh("y")
            return [("let", kind, counted, start),
                    ("for", (r.choice(COUNTERS), variable, number(0)), binary("<", name(variable), bound), (variable, "++", None),
                     body + [("set", counted, r.choice(["+=", "-="]), step),
                             ("if", self.test(inner + [counted, counted], 0), [self.tick()], [])])]
        elif shape in ("while", "do"):
            test = test or binary(r.choice(["<", "<=", "!="]), name(variable), bound)
            move = [("set", variable, "+=", step)]
            return [("let", kind, variable, start), (shape, test, move + body if r.random() < 0.5 else body + move)]
        return [("for", (kind, variable, start), test, step, body)]

    def pointer_loop(self, scope, variable, start, bound, step, depth):
        """From one place of an object to another; `Object` is large, and its middle is where it is counted from."""
        r = self.r
        kind = r.choice(["float", "char", "double", "int"])
        place = lambda value, mask: binary("+", name("OBJECT(" + kind + ")"), binary("&", value, number(mask)))
        end = self.fresh("e")
        lets = [("let", f"{kind} *", variable, place(start, r.choice([31, 63, 15]))), ("let", f"{kind} *", end, place(bound, r.choice([31, 63, 127])))]
        body = self.body(scope, depth, True, r.choice([1, 1, 2]))
        steps = ("cast", "int", binary("&", step, number(3))) if step[0] == "name" else step
        at = binary("-", name(variable), name("OBJECT(" + kind + ")"))
        if r.random() < 0.6:
            body.insert(r.randint(0, len(body)), ("if", r.choice([
                binary(r.choice(["==", ">=", "<"]), name(variable), place(self.variable(scope), 31)),
                binary(r.choice(["==", ">", "<"]), at, self.expression(scope, 1)),
                binary(r.choice([">", "<"]), ("cast", r.choice(["unsigned", "int", "unsigned char"]), at), self.expression(scope, 1))]),
                r.choice([[("leave", "break")], [self.tick()], [("leave", "continue")]]) if r.random() < 0.9 else [self.tick()], []))
        order = r.choice(["<", "<", "<=", "!=", ">", ">="])
        step = (variable, "-=" if order[0] == ">" else "+=", steps)
        return lets + [("for", ("", variable, name(variable)), binary(order, name(variable), name(end)), step, body)]

    def program(self, title):
        r = self.r
        parameters = [(r.choice(PARAMETERS), each) for each in "nmk"[:r.choice([1, 2, 2, 2, 3])]]
        passed = r.choice(["value", "pointer"]) if self.category == "fields" else "parameters"
        before = {"parameters": "", "value": "s.", "pointer": "s->"}[passed]
        scope = [before + each for _, each in parameters]
        body = []
        if self.is_kernel:
            flat = binary("+", binary("*", name("blockIdx.x"), name("blockDim.x")), name("threadIdx.x"))
            own = r.choice([flat, flat, flat, name("threadIdx.x"), binary("-", name("threadIdx.x"), number(1)),
                            binary("-", flat, self.variable(scope)), binary("*", flat, number(r.choice([2, 3, 4])))])
            body.append(("let", r.choice(["int", "int", "unsigned", "unsigned", "size_t", "long"]), "t", own))
            scope += ["t"] * len(scope) + [r.choice(["threadIdx.x", "blockDim.x", "blockIdx.x", "threadIdx.y", "gridDim.x"])]
            if r.random() < 0.3:
                body.append(("let", r.choice(["int", "unsigned"]), "u",
                             binary("+", binary("*", name("blockIdx.y"), name("blockDim.y")), name("threadIdx.y"))))
                scope += ["u", "u"]
        if self.category == "calls":
            of = [(r.choice(PARAMETERS), each) for each in "ab"[:r.choice([1, 2])]]
            inside = self.body([each for _, each in of], 1, False)
            self.helper = (of, inside)
        self.loops = 0
        body += self.body(scope, 2 if self.category in ("nests", "mixed", "strides") else r.choice([1, 1, 2]), False)
        if self.loops == 0 and (not self.is_kernel or r.random() < 0.5):
            body += self.loop(scope, 1)
        if self.category == "calls" and not any("call" in repr(tree) for tree in body):
            body.append(("call", [self.expression(scope, 2) for _ in self.helper[0]]))
        return Program(title, self.category, parameters, body, self.helper, self.is_kernel, passed)


def generate(category, seed, title, is_kernel=False):
    return Maker(category, seed, is_kernel).program(title)
