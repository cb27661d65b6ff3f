//===- ObjectFile.cpp - the output of the compiler ------------------------===//

#include "passes/ir/ObjectFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/StringSaver.h"

namespace ergon {

using Words = SmallVector<const char *, 64>;

/// The parent process's number; nothing where unknown.
static std::string parent() {
  auto File = llvm::MemoryBuffer::getFileAsStream("/proc/self/status");
  if (!File)
    return "";
  StringRef Rest = (*File)->getBuffer().split("PPid:").second;
  return Rest.take_until([](char C) { return C == '\n'; }).trim().str();
}

/// The command line of a process; empty where unknown.
static Words commandLine(const std::string &Process, llvm::StringSaver &Saver) {
  Words Result;
  auto File = llvm::MemoryBuffer::getFileAsStream("/proc/" + Process + "/cmdline");
  if (!File)
    return Result;
  SmallVector<StringRef, 64> Parts;
  (*File)->getBuffer().split(Parts, '\0');
  for (StringRef Argument : Parts)
    Result.push_back(Saver.save(Argument).data());
  return Result;
}

/// The argument of -o, or the default output.
static std::string outputOf(const Words &Line, StringRef Source) {
  StringRef Result;
  bool OnlyCompiles = false;
  for (std::size_t I = 1; I < Line.size(); ++I) {
    StringRef Word = Line[I];
    if ((Word == "-o" || Word == "--output") && I + 1 < Line.size())
      Result = Line[++I];
    else if (Word.consume_front("--output="))
      Result = Word;
    else if (Word.starts_with("-o") && !Word.starts_with("-obj"))
      Result = Word.drop_front(2);
    OnlyCompiles |= Word == "-c";
  }
  if (Result.empty() && OnlyCompiles)
    return (llvm::sys::path::stem(Source) + ".o").str();
  return Result.str();
}

/// For a command line of the compiler's driver.
static std::string outputOfDriver(StringRef Source) {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  Words Line = commandLine("self", Saver);
  // One of several steps of a driver, which writes a temporary file.
  if (Line.size() > 1 && (Line[1] == StringRef("-cc1") || Line[1] == StringRef("-fc1")))
    Line = commandLine(parent(), Saver);
  llvm::cl::ExpandResponseFiles(Saver, llvm::cl::TokenizeGNUCommandLine, Line);
  return outputOf(Line, Source);
}

std::string sourceOnCommandLine() {
  static constexpr StringRef Endings[] = {".c",   ".cc",  ".cp",  ".cpp", ".cxx", ".c++", ".C",
                                          ".CPP", ".cu",  ".m",   ".mm",  ".i",   ".ii",  ".f",
                                          ".F",   ".f90", ".F90", ".f95", ".ll",  ".bc"};
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  Words Line = commandLine("self", Saver);
  llvm::cl::ExpandResponseFiles(Saver, llvm::cl::TokenizeGNUCommandLine, Line);
  // It is the last word of the driver's command.
  for (StringRef Word : llvm::reverse(Line))
    if (!Word.starts_with("-") && llvm::is_contained(Endings, llvm::sys::path::extension(Word)))
      return Word.str();
  return "";
}

std::string wholePath(StringRef Name) {
  llvm::SmallString<256> Result(Name);
  if (llvm::sys::fs::make_absolute(Result))
    return "";
  llvm::sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

std::vector<std::string> commandLineWords() {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  Words Line = commandLine("self", Saver);
  llvm::cl::ExpandResponseFiles(Saver, llvm::cl::TokenizeGNUCommandLine, Line);
  return {Line.begin(), Line.end()};
}

bool isOnCommandLine(StringRef Name) {
  const std::string Whole = wholePath(Name);
  return !Whole.empty() &&
         llvm::any_of(commandLineWords(), [&](StringRef Word) { return wholePath(Word) == Whole; });
}

std::string objectFile(StringRef Source) {
  auto Given = llvm::sys::Process::GetEnv("ERGON_OBJECT");
  const std::string Result = Given ? *Given : outputOfDriver(Source);
  return Result == "/dev/null" || Result == "-" ? "" : Result;
}

} // namespace ergon
