"""Programs of generated_programs.py with one part less: what is left out until only the fault remains."""
from generated_programs import number


def leaves_loop(trees):
    text = repr(trees)
    return "'break'" in text or "'continue'" in text


def smaller_expression(tree):
    """Trees that may stand in its place."""
    match tree:
        case ("binary", operator, left, right):
            if operator not in ("<", "<=", ">", ">=", "==", "!=") or "OBJECT" not in repr(tree):
                yield left
                yield right
            for less in smaller_expression(left):
                yield ("binary", operator, less, right)
            if operator not in ("/", "%", "<<", ">>"):
                for less in smaller_expression(right):
                    yield ("binary", operator, left, less)
        case ("unary", operator, inner):
            yield inner
            for less in smaller_expression(inner):
                yield ("unary", operator, less)
        case ("cast", kind, inner):
            yield inner
            for less in smaller_expression(inner):
                yield ("cast", kind, less)
        case ("choice", test, left, right):
            yield left
            yield right
            for less in smaller_expression(test):
                yield ("choice", less, left, right)
            for less in smaller_expression(left):
                yield ("choice", test, less, right)
            for less in smaller_expression(right):
                yield ("choice", test, left, less)
        case ("number", value) if value not in (0, 1):
            yield number(0)
            yield number(1)


def smaller_list(trees):
    for at, tree in enumerate(trees):
        before, after = trees[:at], trees[at + 1:]
        if tree[0] != "let" or f"'{tree[2]}'" not in repr(after) and f"'{tree[2]}--'" not in repr(after):
            yield before + after
        if tree[0] == "if":
            yield before + list(tree[2]) + after
            yield before + list(tree[3]) + after
        if tree[0] in ("for", "while", "do") and not leaves_loop(tree[-1]):
            yield before + list(tree[-1]) + after
        for less in smaller_statement(tree):
            yield before + [less] + after


def smaller_statement(tree):
    match tree:
        case ("if", test, body, other):
            yield from (("if", less, body, other) for less in smaller_expression(test))
            yield from (("if", test, less, other) for less in smaller_list(body))
            yield from (("if", test, body, less) for less in smaller_list(other))
        case ("for", (kind, variable, start), test, step, body):
            yield from (("for", (kind, variable, less), test, step, body) for less in smaller_expression(start))
            yield from (("for", (kind, variable, start), less, step, body) for less in smaller_expression(test))
            if step[2] is not None:
                yield from (("for", (kind, variable, start), test, (step[0], step[1], less), body) for less in smaller_expression(step[2]))
                if step[2] != number(1):
                    yield ("for", (kind, variable, start), test, (step[0], step[1], number(1)), body)
            if kind not in ("", "int", "float *", "char *", "double *", "int *"):
                yield ("for", ("int", variable, start), test, step, body)
            yield from (("for", (kind, variable, start), test, step, less) for less in smaller_list(body))
        case ("while" | "do" as which, test, body):
            yield from ((which, less, body) for less in smaller_expression(test))
            yield from ((which, test, less) for less in smaller_list(body))
        case ("let", kind, variable, value):
            if "*" not in kind:
                yield from (("let", kind, variable, less) for less in smaller_expression(value))
                if kind != "int":
                    yield ("let", "int", variable, value)
        case ("set", variable, operator, value):
            yield from (("set", variable, operator, less) for less in smaller_expression(value))
        case ("switch", value, cases):
            if value[0] != "cast":
                yield from (("switch", less, cases) for less in smaller_expression(value))
            for at, (label, body) in enumerate(cases):
                yield ("switch", value, cases[:at] + cases[at + 1:])
                yield from (("switch", value, cases[:at] + [(label, less)] + cases[at + 1:]) for less in smaller_list(body))
        case ("call", arguments):
            for at, argument in enumerate(arguments):
                yield from (("call", arguments[:at] + [less] + arguments[at + 1:]) for less in smaller_expression(argument))


def smaller(program, titles):
    """Programs with one part less, each with a name from \p titles."""
    for body in smaller_list(program.body):
        yield program.with_body(next(titles), body, program.helper)
    if program.helper:
        for inside in smaller_list(program.helper[1]):
            yield program.with_body(next(titles), program.body, (program.helper[0], inside))
