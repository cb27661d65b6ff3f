//===- ProgramArguments.cpp - values from a program's arguments -----------===//

#include "tools/base/ProgramArguments.h"
#include "formats/json/Error.h"
#include "formats/record/CompilationFormat.h"
#include "model/program/CallBinding.h"
#include "predict/answer/EntryPredictor.h"
#include "predict/store/RunStore.h"
#include "predict/values/ArgumentValues.h"
#include "tools/base/Opened.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>

namespace ergon {

/// The whole number at the beginning of \p Text, as strtol reads it in base 10; with \p IsReal the
/// whole part of the number that strtod reads.
static std::optional<Rational> leadingNumber(std::string_view Text, bool IsReal) {
  Text.remove_prefix(std::min(Text.find_first_not_of(" \t"), Text.size()));
  if (Text.starts_with('+'))
    Text.remove_prefix(1);
  const char *End = Text.data() + Text.size();
  if (!IsReal) {
    std::int64_t Result = 0;
    return std::from_chars(Text.data(), End, Result).ec == std::errc()
               ? std::optional(Rational(Result))
               : std::nullopt;
  }
  double Result = 0;
  if (std::from_chars(Text.data(), End, Result).ec != std::errc() || std::abs(Result) >= 0x1p63)
    return std::nullopt;
  return Rational(std::int64_t(Result));
}

/// What is larger holds data, not sizes.
static constexpr std::uintmax_t MaxFileBytes = 16 << 20;

ProgramArguments ProgramArguments::given(const std::string &Text) {
  ProgramArguments Result{{wordsOf(Text)}, "--args \"" + Text + "\""};
  for (const std::string &Word : Result.Line.Words) {
    std::error_code None;
    if (!std::filesystem::is_regular_file(Word, None) ||
        std::filesystem::file_size(Word, None) > MaxFileBytes)
      continue;
    if (auto Held = readTextFile(Word))
      Result.Line.Files.emplace(Word, std::move(*Held));
  }
  return Result;
}

/// The number of arguments, and those that \p Main reads as numbers (`atoi(argv[1])`). \p Found has
/// what its code makes of them: what it does not read, it may leave unread.
static std::expected<std::vector<GivenValue>, Error>
readArguments(const ProgramArguments &Arguments, const Function &Main,
              const code::ProgramValues &Found) {
  const std::map<std::string, std::int64_t> Values = commonValues(Found);
  const std::vector<std::string> &Words = Arguments.Line.Words;
  const std::string &Source = Arguments.Source;
  if (Main.Name == "main" && Main.Parameters.size() < 2 && Words.empty())
    return {};
  if (Main.Name != "main" || Main.Parameters.size() < 2)
    return std::unexpected(Error{Main.Demangled + " takes no arguments of a program", "",
                                 "leave --args out, or give --entry main", Source});
  std::vector<GivenValue> Result;
  Result.emplace_back(Main.Parameters[0].Name, Rational(Words.size() + 1));
  for (const Unknown &U : Main.Unknowns) {
    if (U.Argument == 0 || U.Argument > Words.size() || Found.Unvisited.contains(U.Symbol))
      continue;
    const std::string &Word = Words[U.Argument - 1];
    const auto Number = leadingNumber(Word, U.IsReal);
    // Code may have moved the arguments before it reads them: its run knows better.
    const auto Known = Values.find(U.Symbol);
    if (Known != Values.end() && !U.IsReal &&
        (Number ? *Number != Rational(Known->second) : Known->second != 0))
      continue;
    if (Number) {
      Result.emplace_back(U.Symbol, Bounds{*Number, *Number});
      Result.back().Source = Source;
    } else if (Values.empty() || Known != Values.end()) {
      return std::unexpected(
          Error{fmt::format("argument {} is no number", U.Argument), "",
                "main reads it as one at " + U.Location.text() + ": give a number", Source});
    }
  }
  return Result;
}

static std::string quoted(const std::vector<std::string> &Words) {
  return fmt::format("\"{}\"", fmt::join(Words, " "));
}

std::expected<ProgramRuns, Error> runsOf(const std::vector<std::string> &Paths,
                                         std::optional<ProgramArguments> Wanted) {
  ProgramRuns Result{.Paths = Paths, .Arguments = std::move(Wanted)};
  std::vector<std::string> Same, Others;
  for (const std::string &Path : Paths) {
    auto Had = argumentsOf(Path);
    if (!Had)
      return std::unexpected(Had.error());
    if (!*Had)
      continue;
    if (!Result.Arguments)
      Result.Arguments = {{**Had}, Path};
    if (Result.Arguments->Line.Words == **Had)
      Same.push_back(Path);
    else
      Others.push_back(fmt::format("{} {}", Path, quoted(**Had)));
  }
  Result.Others = fmt::format("{}", fmt::join(Others, ", "));
  const bool IsAsked = Result.Arguments && Result.Arguments->Source.starts_with("--args");
  if (!Same.empty() && (IsAsked || Others.empty())) {
    Result.Paths = std::move(Same);
    Result.AreSame = Result.Arguments->Line.HasRun = true;
  } else if (!IsAsked) {
    Result.Arguments.reset();
  }
  return Result;
}

/// Whether \p Symbol can have the value: a program that fails may have others.
static bool canHave(const std::string &Symbol, const Rational &Value) {
  return Symbol.starts_with("value@") || isPassedToAll(Symbol) || isGlobalSymbol(Symbol) ||
         Value >= (isLaunchDimension(Symbol) || Symbol == "omp.threads" ? 1 : 0);
}

static void setOptional(const code::ProgramValues &Known, const std::string &Source,
                        EntryPredictor &Entry) {
  std::map<std::string, Rational> Values = meanValues(Known);
  for (const auto &[Symbol, Number] : commonValues(Known))
    Values.emplace(Symbol, Rational(Number));
  for (const auto &[Symbol, Number] : Values)
    if (canHave(Symbol, Number)) {
      GivenValue Value(Symbol, Number);
      Value.Source = Source;
      Value.IsOptional = true;
      Entry.set(std::move(Value));
    }
}

static void noticeOfCaches(const code::ProgramValues &Found, const EntryPredictor &Entry) {
  if (Found.AsksForCaches)
    printNotice(Entry.hasCaches()
                    ? "the code asks the processor for its caches: the machine's, by Intel's cpuid"
                    : "the code asks the processor for its caches, which are not known: 32 KiB, "
                      "256 KiB and 8 MiB are assumed");
}

static void noticeOfGpu(const code::ProgramValues &Found, const EntryPredictor &Entry) {
  if (const Device *Gpu = Entry.gpu(); Gpu && Found.AsksForGpu)
    printNotice(fmt::format("the code asks CUDA for the GPU: the machine's, {} multiprocessors "
                            "({}), compute capability {} ({})",
                            Gpu->Multiprocessors.Value, Gpu->Multiprocessors.Source,
                            Gpu->Capability.text(), Gpu->CapabilitySource));
}

static void noticeOfCode(const code::ProgramValues &Found, const EntryPredictor &Entry) {
  noticeOfCaches(Found, Entry);
  noticeOfGpu(Found, Entry);
  if (const auto &Damaged = Entry.withDamagedCode(); !Damaged.empty())
    printNotice(fmt::format("the recorded code of {} is damaged, and left out: compile it again",
                            fmt::join(Damaged, ", ")));
}

void setValuesFromCode(EntryPredictor &Entry) {
  const code::ProgramValues Found = Entry.knowFromValues();
  noticeOfCode(Found, Entry);
  setOptional(Found, "the code of " + Entry.function().Demangled, Entry);
}

std::optional<Error> setArguments(const ProgramArguments &Arguments, EntryPredictor &Entry) {
  const code::ProgramValues Found = Entry.know(Arguments.Line);
  auto Read = readArguments(Arguments, Entry.function(), Found);
  if (!Read)
    return Read.error();
  for (GivenValue &Value : *Read)
    Entry.set(std::move(Value));
  if (!Found.FilesRead.empty())
    printNotice(fmt::format("the program reads {}", fmt::join(Found.FilesRead, ", ")));
  if (Found.ReadsName)
    printNotice(fmt::format("the program reads its own name: {} is assumed", code::AssumedName));
  noticeOfCode(Found, Entry);
  setOptional(Found, Arguments.Source, Entry);
  return std::nullopt;
}

} // namespace ergon
