//===- LibraryCalls.cpp - functions of libraries in interpreted code ------===//

#include "model/code/Machine.h"

#include <algorithm>
#include <cmath>

namespace ergon::code {

/// Functions that write no memory of the program and return what nobody knows.
static constexpr std::string_view WritesNothing[] = {
    "printf",   "puts",   "putchar",   "fprintf",      "vprintf",
    "vfprintf", "fputs",  "fputc",     "fflush",       "perror",
    "clock",    "rand",   "srand",     "srand48",      "drand48",
    "lrand48",  "random", "srandom",   "getenv",       "fclose",
    "fopen",    "feof",   "ferror",    "fseek",        "ftell",
    "rewind",   "fgetc",  "getc",      "access",       "usleep",
    "sleep",    "fwrite", "getpid",    "putc",         "isatty",
    "atexit",   "system", "setlocale", "__cxa_atexit", "_ZNSt8ios_base4InitC1Ev"};

static Value allocated(State &Now, Object::Rest What) {
  return Value::pointer(Now.Objects.add(Object(What)), 0);
}

static std::optional<Value> callMemory(const LibraryCall &Call) {
  State &Now = Call.Now;
  const std::string_view Name = Call.Name;
  static constexpr std::string_view Allocating[] = {
      "malloc", "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "aligned_alloc",
      // std::string::_M_create
      "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm"};
  static constexpr std::string_view Freeing[] = {
      "free", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm",
      // std::string::_M_dispose and its destructor
      "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv",
      "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev"};
  if (std::ranges::find(Allocating, Name) != std::end(Allocating))
    return allocated(Now, Object::Rest::Unknown);
  if (Name == "calloc")
    return allocated(Now, Object::Rest::Zero);
  if (std::ranges::find(Freeing, Name) != std::end(Freeing))
    return Value::unknown();
  if (Name == "memcpy" || Name == "memmove") {
    Now.Objects.copy(Call.argument(0), Call.argument(1), Call.argument(2));
    return Call.argument(0);
  }
  if (Name == "memset") {
    Now.Objects.set(Call.argument(0), Call.argument(1), Call.argument(2));
    return Call.argument(0);
  }
  if (Name == "__errno_location")
    return Value::pointer(Call.Errno, 0);
  return std::nullopt;
}

std::optional<Value> callLibrary(const LibraryCall &Call) {
  for (auto Try : {callMemory, callStrings, callNumbers, callFiles, callGetopt, callCuda,
                   callCxxStrings, callStreams, callCxx})
    if (auto Result = Try(Call))
      return Result;
  if (std::ranges::find(WritesNothing, Call.Name) != std::end(WritesNothing))
    return Value::unknown();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

using RealFunction = double (*)(double);
using BinaryRealFunction = double (*)(double, double);

static RealFunction realFunction(std::string_view Name) {
  using Entry = std::pair<std::string_view, RealFunction>;
  static constexpr Entry Known[] = {
      {"sqrt", std::sqrt},   {"cbrt", std::cbrt},   {"ceil", std::ceil},   {"floor", std::floor},
      {"round", std::round}, {"trunc", std::trunc}, {"rint", std::rint},   {"fabs", std::fabs},
      {"log", std::log},     {"log2", std::log2},   {"log10", std::log10}, {"log1p", std::log1p},
      {"exp", std::exp},     {"exp2", std::exp2},   {"expm1", std::expm1}, {"sin", std::sin},
      {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},   {"acos", std::acos},
      {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},   {"tanh", std::tanh},
      {"erf", std::erf}};
  const Entry *Found = std::ranges::find(Known, Name, &Entry::first);
  return Found == std::end(Known) ? nullptr : Found->second;
}

static BinaryRealFunction binaryRealFunction(std::string_view Name) {
  using Entry = std::pair<std::string_view, BinaryRealFunction>;
  static constexpr Entry Known[] = {
      {"pow", std::pow},     {"fmin", std::fmin},           {"minnum", std::fmin},
      {"fmax", std::fmax},   {"maxnum", std::fmax},         {"fmod", std::fmod},
      {"atan2", std::atan2}, {"nextafter", std::nextafter}, {"hypot", std::hypot}};
  const Entry *Found = std::ranges::find(Known, Name, &Entry::first);
  return Found == std::end(Known) ? nullptr : Found->second;
}

static std::optional<std::uint64_t> integerFunction(std::string_view Name, unsigned Bits,
                                                    std::uint64_t X, std::uint64_t Y) {
  const std::int64_t A = withSign(X, Bits), B = withSign(Y, Bits);
  if (Name == "smax")
    return A > B ? X : Y;
  if (Name == "smin")
    return A < B ? X : Y;
  if (Name == "umax")
    return std::max(X, Y);
  if (Name == "umin")
    return std::min(X, Y);
  if (Name == "abs" || Name == "labs" || Name == "llabs")
    return A < 0 ? std::uint64_t(0) - X : X;
  if (Name == "ctlz")
    return std::uint64_t(std::countl_zero(lowBits(X, Bits))) - (64 - Bits);
  if (Name == "cttz")
    return std::min<std::uint64_t>(std::uint64_t(std::countr_zero(X)), Bits);
  if (Name == "ctpop")
    return std::uint64_t(std::popcount(X));
  if (Name == "usub.sat")
    return X > Y ? X - Y : 0;
  return std::nullopt;
}

/// Functions of numbers alone. An intrinsic `llvm.NAME.i32` is called `NAME`.
std::optional<Value> callNumbers(const LibraryCall &Call) {
  std::string_view Name = Call.Name;
  const Value X = Call.argument(0), Y = Call.argument(1);
  if (!Call.Result.isReal()) {
    if (!integerFunction(Name, 32, 1, 1))
      return std::nullopt;
    const unsigned Bits = Call.Result.Bits;
    if (!X.isInteger() || (!Y.isInteger() && Call.Arguments.size() > 1))
      return Value::unknown();
    return Value::integer(
        lowBits(*integerFunction(Name, Bits, lowBits(X.Bits, Bits), lowBits(Y.Bits, Bits)), Bits));
  }
  if (Name.ends_with('f')) // `sqrtf`
    Name.remove_suffix(1);
  auto Rounded = [&](double Number) {
    return Value::real(Call.Result.Bits == 32 ? double(float(Number)) : Number);
  };
  const RealFunction Unary = realFunction(Name);
  const BinaryRealFunction Binary = binaryRealFunction(Name);
  if (Name == "powi" || Name == "ldexp") {
    if (!X.isReal() || !Y.isInteger())
      return Value::unknown();
    const auto Power = int(withSign(Y.Bits, 32));
    return Rounded(Name == "powi" ? std::pow(X.number(), Power) : std::ldexp(X.number(), Power));
  }
  if (Name == "fmuladd" || Name == "fma") {
    const Value Z = Call.argument(2);
    return X.isReal() && Y.isReal() && Z.isReal()
               ? Rounded(std::fma(X.number(), Y.number(), Z.number()))
               : Value::unknown();
  }
  if (!Unary && !Binary)
    return std::nullopt;
  if (!X.isReal() || (Binary && !Y.isReal()))
    return Value::unknown();
  return Rounded(Binary ? Binary(X.number(), Y.number()) : Unary(X.number()));
}

} // namespace ergon::code
