//===- Cubin.cpp - what the assembler of GPUs writes ----------------------===//

#include "passes/device/Cubin.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>

namespace ergon {

namespace {
using ElfFile = llvm::object::ELFFile<llvm::object::ELF64LE>;

/// The sections that positions are in.
struct LineSections {
  StringRef Lines;
  /// Which function begins at a place in them that a relocation has.
  std::map<std::uint64_t, std::string> Begins;
};

/// The number of each instruction's position, by function.
using Positions = std::map<std::string, std::vector<unsigned>>;
} // namespace

static constexpr unsigned InstructionBytes = 16;

/// The value of \p E, or nothing, with its error consumed.
template <typename T> static std::optional<T> valueOf(llvm::Expected<T> E) {
  if (E)
    return std::move(*E);
  llvm::consumeError(E.takeError());
  return std::nullopt;
}

/// Relocations with addends or without.
template <typename Relocations>
static void addBegins(const ElfFile &File, const ElfFile::Elf_Shdr &Section,
                      const std::optional<Relocations> &From, LineSections &To) {
  auto Symbols = valueOf(File.getSection(Section.sh_link));
  if (!From || !Symbols)
    return;
  auto Texts = valueOf(File.getStringTableForSymtab(**Symbols));
  for (const auto &Each : *From) {
    auto Symbol = valueOf(File.getRelocationSymbol(Each, *Symbols));
    auto Named = Symbol && *Symbol && Texts ? valueOf((*Symbol)->getName(*Texts)) : std::nullopt;
    if (Named)
      To.Begins[Each.r_offset] = Named->str();
  }
}

static LineSections lineSections(const ElfFile &File) {
  LineSections Result;
  auto Sections = valueOf(File.sections());
  if (!Sections)
    return Result;
  for (const auto &Section : *Sections) {
    const auto Name = valueOf(File.getSectionName(Section));
    if (Name == ".debug_line") {
      if (auto Bytes = valueOf(File.getSectionContents(Section)))
        Result.Lines = llvm::toStringRef(*Bytes);
    } else if (Name == ".rel.debug_line") {
      addBegins(File, Section, valueOf(File.rels(Section)), Result);
    } else if (Name == ".rela.debug_line") { // from sm_90 on
      addBegins(File, Section, valueOf(File.relas(Section)), Result);
    }
  }
  return Result;
}

/// The addresses in the section are 0, so each function is read by itself: its sequence begins with
/// the address that a relocation has.
static void addPositions(const LineSections &From, Positions &To) {
  llvm::DWARFDataExtractor Data(From.Lines, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  auto Context =
      llvm::DWARFContext::create(llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>>(), 8);
  std::uint64_t Offset = 0;
  while (Offset < From.Lines.size()) {
    llvm::DWARFDebugLine::LineTable Table;
    const std::uint64_t Begin = Offset;
    auto Ignore = [](llvm::Error E) { llvm::consumeError(std::move(E)); };
    if (llvm::Error E = Table.parse(Data, &Offset, *Context, nullptr, Ignore)) {
      llvm::consumeError(std::move(E));
      return;
    }
    auto Next = From.Begins.lower_bound(Begin);
    std::vector<unsigned> *Lines = nullptr;
    unsigned Line = 0;
    for (const llvm::DWARFDebugLine::Row &Row : Table.Rows) {
      if (!Lines) {
        if (Next == From.Begins.end() || Next->first >= Offset)
          return;
        Lines = &To[(Next++)->second];
      }
      const std::uint64_t Until = Row.Address.Address / InstructionBytes;
      if (Until < 1 << 24 && Lines->size() < Until)
        Lines->resize(Until, Line);
      Line = Row.Line;
      if (Row.EndSequence)
        Lines = nullptr;
    }
  }
}

std::map<std::string, MachineFunction> functionsOfCubin(StringRef Text, int Major) {
  std::map<std::string, MachineFunction> Result;
  auto File = valueOf(ElfFile::create(Text));
  auto Sections = File ? valueOf(File->sections()) : std::nullopt;
  if (!Sections)
    return Result;
  Positions Lines;
  if (const LineSections Found = lineSections(*File); !Found.Lines.empty())
    addPositions(Found, Lines);
  for (const auto &Section : *Sections) {
    auto Name = valueOf(File->getSectionName(Section));
    if (!Name || !Name->consume_front(".text."))
      continue;
    auto Bytes = valueOf(File->getSectionContents(Section));
    if (!Bytes)
      continue;
    const std::size_t Count = Bytes->size() / InstructionBytes;
    const std::vector<unsigned> &Of = Lines[Name->str()];
    MachineFunction &Code = Result[Name->str()];
    for (std::size_t I = 0; I != Count; ++I) {
      const std::uint8_t *At = Bytes->data() + I * InstructionBytes;
      Code.push_back(decode(
          {llvm::support::endian::read64le(At), llvm::support::endian::read64le(At + 8), I, Count},
          Major));
      if (I < Of.size())
        Code.back().Position = Of[I];
    }
  }
  return Result;
}

} // namespace ergon
