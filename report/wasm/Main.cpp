//===- Main.cpp - the program of a report's page --------------------------===//
//
// The functions that the page calls. The page asks input() for memory of a size and writes a text
// there. It calls load() once, then answer() for each request. Both leave their answer at output().
//
//===----------------------------------------------------------------------===//

#include "report/program/ReportProgram.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>

namespace {
struct State {
  std::string Input, Output;
  std::unique_ptr<ergon::ReportProgram> Program;
};
State &state() {
  static State *const Held = new State;
  return *Held;
}
/// The page shows it on the browser's console.
void printNotice(const std::string &Text) { std::fprintf(stderr, "ergon: %s\n", Text.c_str()); }
} // namespace

extern "C" {
// Debian's compiler-rt was compiled with stack protection, for which its C library has no support.
std::uintptr_t __stack_chk_guard = 0x5bd1e995;
[[noreturn]] void __stack_chk_fail() { __builtin_trap(); }

[[clang::export_name("input")]] char *input(std::size_t Size) {
  state().Input.assign(Size, '\0');
  return state().Input.data();
}

[[clang::export_name("output")]] const char *output() { return state().Output.data(); }
[[clang::export_name("output_size")]] std::size_t outputSize() { return state().Output.size(); }

/// The input is a document of ReportData. The output is `{}` or `{"error": …}`.
[[clang::export_name("load")]] void load() {
  auto Data = ergon::parseReportData(state().Input);
  auto Opened = Data ? ergon::ReportProgram::open(std::move(*Data), printNotice)
                     : std::unexpected(std::move(Data.error()));
  nlohmann::json Answer = nlohmann::json::object();
  if (Opened)
    state().Program = std::move(*Opened);
  else
    Answer["error"] = Opened.error().line();
  state().Output = Answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The input is a request.
[[clang::export_name("answer")]] void answer() {
  state().Output = state().Program ? state().Program->answer(state().Input)
                                   : R"({"error":"no report is loaded"})";
}
}
