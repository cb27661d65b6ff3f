//===- LibraryCalls.cpp - functions of libraries in interpreted code ------===//

#include "model/library/LibraryCall.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace ergon::code {

/// Functions that write no memory of the program and return what nobody knows.
static constexpr std::string_view WritesNothing[] = {
    "printf", "puts", "putchar", "fprintf", "vprintf", "vfprintf", "fputs", "fputc", "fflush",
    "perror", "clock", "rand", "srand", "srand48", "drand48", "lrand48", "random", "srandom",
    "getenv", "fclose", "fopen", "feof", "ferror", "ftell", "access", "usleep", "sleep", "fwrite",
    "getpid", "putc", "isatty", "atexit", "setlocale", "__cxa_atexit", "omp_get_wtime",
    "omp_get_max_threads", "omp_get_num_procs", "omp_get_thread_num", "omp_get_num_threads",
    "localtime", "gmtime", "ctime", "asctime", "mktime", "difftime", "bsearch",
    // libstdc++ and CUDA
    "_ZNSt8ios_base4InitC1Ev", "cublasDestroy_v2", "cudaGetErrorString",
    "_ZNSt13random_device9_M_getvalEv", "_ZNSt13random_device7_M_finiEv"};

bool isRandom(std::string_view Name) {
  return std::ranges::find(WritesNothing, Name) != std::end(WritesNothing);
}

namespace {
/// A function whose results nobody knows, and which of its arguments lead to what it writes, as
/// bits; it keeps none of them.
struct Writer {
  std::string_view Start; ///< of its name
  std::uint64_t Written;
};
} // namespace
static constexpr std::uint64_t AllButFormat = ~std::uint64_t(2);
static constexpr Writer Writers[] = {{"gettimeofday", 1},
                                     {"clock_gettime", 2},
                                     {"time", 1},
                                     {"times", 1},
                                     {"localtime_r", 2},
                                     {"gmtime_r", 2},
                                     {"strftime", 1},
                                     {"qsort", 1}, // its comparison has no other effect
                                     {"stat", 2},
                                     {"fstat", 2},
                                     {"read", 2},
                                     {"fread", 1 | 8},
                                     {"fgets", 1 | 4},
                                     {"getline", 7},
                                     {"fgetc", 1},
                                     {"getc", 1},
                                     {"ungetc", 2},
                                     {"fseek", 1},
                                     {"fseeko", 1},
                                     {"rewind", 1},
                                     {"fscanf", AllButFormat},
                                     {"__isoc99_fscanf", AllButFormat},
                                     {"__isoc23_fscanf", AllButFormat},
                                     {"cublasCreate_v2", 1},
                                     {"_ZNKSt5ctypeIcE13_M_widen_initEv", 1},
                                     {"_ZNSt13random_device7_M_init", 1}};

static std::optional<Value> callWriter(const LibraryCall &Call) {
  const Writer *Found = std::ranges::find_if(Writers, [&](const Writer &Each) {
    return Each.Start.starts_with("_Z") ? Call.Name.starts_with(Each.Start)
                                        : Call.Name == Each.Start;
  });
  if (Found == std::end(Writers))
    return std::nullopt;
  for (std::size_t I = 0; I != Call.Arguments.size(); ++I)
    if (Found->Written >> std::min<std::size_t>(I, 63) & 1)
      Call.Now.Objects.forget(Call.Arguments[I]);
  return Value::unknown();
}

static Value allocated(State &Now, Object::Rest What) {
  return Value::pointer(Now.Objects.add(Object(What)), 0);
}

/// Where a trampoline of x86-64 has the function and the argument, both in instructions.
static constexpr std::int64_t CalleeInTrampoline = 2, ArgumentInTrampoline = 12;

std::optional<Trampoline> trampolineAt(const Value &At, const Memory &Objects) {
  if (!At.isPointer() || !At.HasOffset)
    return std::nullopt;
  const Value Callee = Objects.load(moved(At, CalleeInTrampoline), 8);
  if (!Callee.isFunction())
    return std::nullopt;
  return Trampoline{Callee, Objects.load(moved(At, ArgumentInTrampoline), 8)};
}

static std::optional<Value> callMemory(const LibraryCall &Call) {
  State &Now = Call.Now;
  const std::string_view Name = Call.Name;
  static constexpr std::string_view Allocating[] = {
      "malloc", "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "aligned_alloc",
      "memalign",
      // std::string::_M_create
      "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm"};
  static constexpr std::string_view Freeing[] = {
      "free", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm",
      // std::string::_M_dispose and its destructor
      "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv",
      "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev"};
  // What is larger than addresses are may fail.
  static constexpr std::uint64_t MaxSize = std::uint64_t(1) << 40;
  const auto Fits = [&] {
    return std::ranges::all_of(
        Call.Arguments, [](const Value &Size) { return !Size.isInteger() || Size.Bits < MaxSize; });
  };
  if (std::ranges::find(Allocating, Name) != std::end(Allocating))
    return Fits() ? allocated(Now, Object::Rest::Unknown) : Value::unknown();
  if (Name == "calloc")
    return Fits() ? allocated(Now, Object::Rest::Zero) : Value::unknown();
  if (Name == "posix_memalign") {
    Now.Objects.store(Call.argument(0), 8, allocated(Now, Object::Rest::Unknown));
    return Value::integer(0);
  }
  if (Name == "realloc") {
    const Value Result = allocated(Now, Object::Rest::Unknown);
    if (Call.argument(0) != Value::integer(0))
      Now.Objects.copy(Result, Call.argument(0), Call.argument(1));
    return Result;
  }
  if (Name == "__cxa_guard_acquire") { // of a variable in a function, which is made once
    const Value IsMade = Now.Objects.load(Call.argument(0), 1);
    return IsMade.isInteger() ? Value::integer(IsMade.Bits == 0) : Value::unknown();
  }
  if (Name == "__cxa_guard_release") {
    Now.Objects.store(Call.argument(0), 1, Value::integer(1));
    return Value::unknown();
  }
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
  if (Name == "init.trampoline") {
    Now.Objects.store(moved(Call.argument(0), CalleeInTrampoline), 8, Call.argument(1));
    Now.Objects.store(moved(Call.argument(0), ArgumentInTrampoline), 8, Call.argument(2));
    return Value::unknown();
  }
  if (Name == "adjust.trampoline")
    return Call.argument(0);
  if (Name == "__errno_location")
    return Value::pointer(Call.Library.Errno, 0);
  return std::nullopt;
}

/// OpenMP's runtime: how many threads run regions from here on. Where a region is written out as a
/// loop over its threads, one after the other runs, and waits for none.
static std::optional<Value> callThreads(const LibraryCall &Call) {
  std::optional<Value> &Threads = Call.Now.Threads;
  if (Call.Name == "omp.threads")
    return Threads.value_or(Value::integer(Call.Asked.Has.Threads.value_or(1)));
  static constexpr std::string_view Runtime = "__kmpc_", Starting[] = {"fork", "task", "teams"};
  if (Call.Name.starts_with(Runtime) &&
      std::ranges::none_of(Starting, [&](auto Each) { return Call.Name.contains(Each); }))
    return Value::unknown();
  if (Call.Name != "omp_set_num_threads")
    return std::nullopt;
  Threads =
      Threads.value_or(Call.argument(0)) == Call.argument(0) ? Call.argument(0) : Value::unknown();
  return Value::unknown();
}

/// LLVM's atomic instructions: the place, what is expected there by `cmpxchg`, the operand, and how
/// many bytes. Other threads may change what is there, where there are any.
static std::optional<Value> callAtomic(const LibraryCall &Call) {
  static constexpr std::string_view Change = "atomicrmw.";
  const bool IsExchange = Call.Name == "cmpxchg";
  if (!IsExchange && !Call.Name.starts_with(Change))
    return std::nullopt;
  Memory &Objects = Call.Now.Objects;
  const Value At = Call.argument(0), Given = Call.argument(IsExchange ? 2 : 1);
  const auto Bytes = unsigned(Call.argument(IsExchange ? 3 : 2).Bits);
  const bool IsAlone =
      Objects.load(Value::pointer(Call.Library.SingleThread, 0), 1) == Value::integer(1);
  const Value Old = IsAlone ? Objects.load(At, Bytes) : Value::unknown(),
              Expected = IsExchange ? Call.argument(1) : Given;
  const std::string_view What = IsExchange ? "" : Call.Name.substr(Change.size());
  const bool AreNumbers = Old.isInteger() && Expected.isInteger();
  const bool IsSum = What == "add" || What == "sub";
  if (IsExchange && AreNumbers) {
    if (Old.Bits == lowBits(Expected.Bits, 8 * Bytes))
      Objects.store(At, Bytes, Given);
  } else if (IsSum && AreNumbers) {
    const std::uint64_t Sum = What == "sub" ? Old.Bits - Given.Bits : Old.Bits + Given.Bits;
    Objects.store(At, Bytes, Value::integer(lowBits(Sum, 8 * Bytes)));
  } else if (What == "xchg" && IsAlone) {
    Objects.store(At, Bytes, Given);
  } else {
    Objects.expose(Given);
    Objects.forget(At);
  }
  if (!IsExchange)
    return Old;
  const Value Both = Value::pointer(Objects.add(Object()), 0); // what was there, and a bool
  Objects.store(Both, Bytes, Old);
  if (AreNumbers)
    Objects.store(moved(Both, Bytes), 1,
                  Value::integer(Old.Bits == lowBits(Expected.Bits, 8 * Bytes)));
  return Both;
}

std::optional<Value> callLibrary(const LibraryCall &Call) {
  for (auto Try : {callMemory, callStrings, callCharacters, callFormat, callNumbers, callFiles,
                   callGetopt, callProcessor, callCuda, callCxxStrings, callStreams, callLocale,
                   callContainers, callFortran, callAtomic, callCxx, callThreads, callWriter})
    if (auto Result = Try(Call))
      return Result;
  return isRandom(Call.Name) ? std::optional(Value::unknown()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

using RealFunction = double (*)(double);
using BinaryRealFunction = double (*)(double, double);

static RealFunction realFunction(std::string_view Name) {
  using Entry = std::pair<std::string_view, RealFunction>;
  static constexpr Entry Known[] = {{"sqrt", std::sqrt},   {"cbrt", std::cbrt},
                                    {"ceil", std::ceil},   {"floor", std::floor},
                                    {"round", std::round}, {"trunc", std::trunc},
                                    {"rint", std::rint},   {"nearbyint", std::nearbyint},
                                    {"fabs", std::fabs},   {"log", std::log},
                                    {"log2", std::log2},   {"log10", std::log10},
                                    {"log1p", std::log1p}, {"exp", std::exp},
                                    {"exp2", std::exp2},   {"expm1", std::expm1},
                                    {"sin", std::sin},     {"cos", std::cos},
                                    {"tan", std::tan},     {"asin", std::asin},
                                    {"acos", std::acos},   {"atan", std::atan},
                                    {"sinh", std::sinh},   {"cosh", std::cosh},
                                    {"tanh", std::tanh},   {"erf", std::erf}};
  const Entry *Found = std::ranges::find(Known, Name, &Entry::first);
  return Found == std::end(Known) ? nullptr : Found->second;
}

static BinaryRealFunction binaryRealFunction(std::string_view Name) {
  using Entry = std::pair<std::string_view, BinaryRealFunction>;
  static constexpr Entry Known[] = {{"pow", std::pow},
                                    {"fmin", std::fmin},
                                    {"minnum", std::fmin},
                                    {"fmax", std::fmax},
                                    {"maxnum", std::fmax},
                                    {"fmod", std::fmod},
                                    {"atan2", std::atan2},
                                    {"nextafter", std::nextafter},
                                    {"hypot", std::hypot},
                                    {"copysign", std::copysign},
                                    {"nextafterf", [](double X, double Y) {
                                       return double(std::nextafterf(float(X), float(Y)));
                                     }}};
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
  if (Name == "bswap")
    return std::byteswap(X) >> (64 - Bits);
  return std::nullopt;
}

/// `sadd.with.overflow` and what is like it: whether a sum, a difference or a product of two
/// numbers of a width does not fit in it. Numbers that are not known do.
static std::optional<Value> overflows(const LibraryCall &Call) {
  if (!Call.Name.ends_with(".with.overflow") || Call.Name.size() < 4)
    return std::nullopt;
  const Value X = Call.argument(0), Y = Call.argument(1), Width = Call.argument(2);
  if (!X.isInteger() || !Y.isInteger() || !Width.isInteger() || Width.Bits > 64)
    return Value::integer(0);
  const auto Bits = unsigned(Width.Bits);
  const std::string_view What = Call.Name.substr(1, 3);
  auto Of = [&](auto A, auto B) {
    decltype(A) Result = 0;
    const bool IsLong = What == "add"   ? __builtin_add_overflow(A, B, &Result)
                        : What == "sub" ? __builtin_sub_overflow(A, B, &Result)
                                        : __builtin_mul_overflow(A, B, &Result);
    const auto Low = lowBits(std::uint64_t(Result), Bits);
    const bool IsSame = std::is_signed_v<decltype(A)> ? withSign(Low, Bits) == std::int64_t(Result)
                                                      : Low == std::uint64_t(Result);
    return Value::integer(IsLong || !IsSame);
  };
  return Call.Name.starts_with('s') ? Of(withSign(X.Bits, Bits), withSign(Y.Bits, Bits))
                                    : Of(lowBits(X.Bits, Bits), lowBits(Y.Bits, Bits));
}

/// -1, 0 or 1: how a number compares with another of a width.
static Value threeWay(const LibraryCall &Call) {
  const Value X = Call.argument(0), Y = Call.argument(1), Width = Call.argument(2);
  if (!X.isInteger() || !Y.isInteger() || !Width.isInteger() || Width.Bits > 64)
    return Value::unknown();
  const auto Bits = unsigned(Width.Bits);
  const auto Order = Call.Name == "scmp" ? withSign(X.Bits, Bits) <=> withSign(Y.Bits, Bits)
                                         : lowBits(X.Bits, Bits) <=> lowBits(Y.Bits, Bits);
  return Value::integer(lowBits(std::uint64_t(Order < 0 ? -1 : Order > 0), Call.Result.Bits));
}

/// The high bits of two numbers, one behind the other, shifted left; or the low bits, right.
static Value funnelShift(const LibraryCall &Call, bool IsLeft) {
  const Value High = Call.argument(0), Low = Call.argument(1), Count = Call.argument(2);
  const unsigned Bits = Call.Result.Bits;
  if (!High.isInteger() || !Low.isInteger() || !Count.isInteger() || Bits == 0 || Bits > 64)
    return Value::unknown();
  const auto By = unsigned(lowBits(Count.Bits, Bits) % Bits);
  if (By == 0)
    return IsLeft ? High : Low;
  const unsigned Left = IsLeft ? By : Bits - By;
  return Value::integer(
      lowBits(High.Bits << Left | lowBits(Low.Bits, Bits) >> (Bits - Left), Bits));
}

/// Functions of numbers alone. An intrinsic `llvm.NAME.i32` is called `NAME`.
std::optional<Value> callNumbers(const LibraryCall &Call) {
  std::string_view Name = Call.Name;
  const Value X = Call.argument(0), Y = Call.argument(1);
  if (auto Overflows = overflows(Call))
    return Overflows;
  if (Name == "ucmp" || Name == "scmp")
    return threeWay(Call);
  if (Name == "fshl" || Name == "fshr")
    return funnelShift(Call, Name == "fshl");
  if (!Call.Result.isReal()) {
    if (!integerFunction(Name, 32, 1, 1))
      return std::nullopt;
    const unsigned Bits = Call.Result.Bits;
    if (!X.isInteger() || (!Y.isInteger() && Call.Arguments.size() > 1))
      return Value::unknown();
    return Value::integer(
        lowBits(*integerFunction(Name, Bits, lowBits(X.Bits, Bits), lowBits(Y.Bits, Bits)), Bits));
  }
  if (Name.ends_with('f') && !realFunction(Name) && !binaryRealFunction(Name)) // `sqrtf`
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
    if (!X.isReal() || !Y.isReal() || !Z.isReal())
      return Value::unknown();
    if (Name == "fma")
      return Call.Result.Bits == 32
                 ? Value::real(std::fmaf(float(X.number()), float(Y.number()), float(Z.number())))
                 : Value::real(std::fma(X.number(), Y.number(), Z.number()));
    return Rounded(Rounded(X.number() * Y.number()).number() + Z.number());
  }
  if (!Unary && !Binary)
    return std::nullopt;
  if (!X.isReal() || (Binary && !Y.isReal()))
    return Value::unknown();
  return Rounded(Binary ? Binary(X.number(), Y.number()) : Unary(X.number()));
}

} // namespace ergon::code
