"""Values of formulas in the syntax of records, in exact arithmetic, apart from the code of model/ that has another.

compiled(text)(values) is a whole number or a Fraction; the grammar stands in model/symbolic/ExprParse.cpp. A product is 0 where one of
its conditions is not met, whatever its other factors would be.
"""
import functools
import re
from fractions import Fraction

TOKEN = re.compile(r"\s*(?:(\d+)|`([^`]*)`|([A-Za-z_][A-Za-z0-9_.]*)|(.))")
LIMIT = 60_000  # terms of sums without a closed form, of one value


class Budget:
    terms = 0


class NoValue(Exception):
    """Names a symbol without a value, or says why there is none."""


class Values(dict):
    def __missing__(self, key):
        raise NoValue(key)


def floor(numerator, denominator):
    if denominator == 0:
        raise NoValue("division by zero")
    return numerator // denominator


def power(base, exponent):
    if exponent != int(exponent) or abs(exponent) > 4096:
        raise NoValue("power")
    return Fraction(base) ** int(exponent) if exponent < 0 else base ** int(exponent)


def log(base, value):
    result = -1
    if base < 2:
        raise NoValue("logarithm")
    while value >= 1:
        value = value // base
        result += 1
    return result


def total(first, last, term):
    if last < first:
        return 0
    Budget.terms += int(last - first) + 1
    if Budget.terms > LIMIT:
        raise NoValue("too many terms")
    result = 0
    while first <= last:
        result += term(first)
        first += 1
    return result


class Parser:
    """Makes one Python expression of a formula."""

    def __init__(self, text):
        self.tokens = [match.groups() for match in TOKEN.finditer(text)] + [(None, None, None, "")]
        self.at = 0
        self.bound = {}

    def peek(self):
        return self.tokens[self.at][3]

    def accept(self, sign):
        if self.peek() != sign:
            return False
        self.at += 1
        return True

    def expect(self, sign):
        if not self.accept(sign):
            raise ValueError(f"expected {sign} at token {self.at}")

    def sum(self):
        minus = self.accept("-")
        result = ("-" if minus else "") + self.product()
        while self.peek() in ("+", "-") and self.peek():
            sign = self.peek()
            self.at += 1
            result += sign + self.product()
        return f"({result})"

    def product(self):
        conditions, others = [], []
        while True:
            is_condition = self.peek() == "["
            (conditions if is_condition else others).append(self.factor())
            if not self.accept("*"):
                break
        value = "*".join(others) or "1"
        return f"({' and '.join([*conditions, value])})" if conditions else value

    def factor(self):
        base = self.atom()
        if self.accept("^"):
            base = f"{base}**{self.tokens[self.at][0]}"
            self.at += 1
        return base

    def atom(self):
        number, quoted, name, sign = self.tokens[self.at]
        self.at += 1
        if number is not None:
            if self.accept("/"):
                self.at += 1
                return f"Fraction({number},{self.tokens[self.at - 1][0]})"
            return number
        if sign == "(":
            inner = self.sum()
            self.expect(")")
            return inner
        if sign == "[":
            inner = self.sum()
            self.expect("]")
            return f"({inner}>=0)"
        if name is not None and self.accept("("):
            return self.call(name)
        symbol = quoted if quoted is not None else name
        if symbol is None:
            raise ValueError(f"unexpected {sign!r}")
        return self.bound.get(symbol) or f"values[{symbol!r}]"

    def call(self, function):
        if function == "sum":
            _, quoted, name, _ = self.tokens[self.at]
            symbol = quoted if quoted is not None else name
            self.at += 1
            self.expect(",")
            first = self.sum()
            self.expect(",")
            last = self.sum()
            self.expect(",")
            before = dict(self.bound)
            self.bound[symbol] = variable = f"v{len(self.bound)}_{self.at}"
            inner = self.sum()
            self.bound = before
            self.expect(")")
            return f"total({first},{last},lambda {variable}: {inner})"
        operands = [self.sum()]
        while self.accept(","):
            operands.append(self.sum())
        self.expect(")")
        if function not in ("floor", "max", "min", "pow", "log"):
            raise ValueError(f"no function {function}")
        return f"{'power' if function == 'pow' else function}({','.join(operands)})"


@functools.lru_cache(4096)
def compiled(text):
    parser = Parser(text)
    code = parser.sum()
    if parser.at != len(parser.tokens) - 1:
        raise ValueError(f"rest of a formula at token {parser.at}: {text}")
    scope = {"Fraction": Fraction, "floor": floor, "power": power, "log": log, "total": total, "max": max, "min": min}
    function = eval(f"lambda values: {code}", scope)  # the text is our own: every token was looked at

    def value(values):
        Budget.terms = 0
        return +function(Values(values))

    return value


def symbols(text):
    """The symbols without those that sums bind."""
    parser = Parser(text)
    return set(re.findall(r"values\['([^']*)'\]", parser.sum()))
