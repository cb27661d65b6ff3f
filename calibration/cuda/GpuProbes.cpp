//===- GpuProbes.cpp - what is measured to know a GPU ---------------------===//

#include "calibration/cuda/GpuProbes.h"
#include "model/machine/CostClass.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace ergon::cuda {

/// Threads of a block, as Kernels.cu has it.
static constexpr unsigned BlockThreads = 256;
/// Operands of one of the sections that Kernels.cu asks for.
static constexpr std::uint64_t Operands = 1 << 14;
static constexpr std::uint64_t Sections = 3;
/// Main memory is measured with this multiple of the bytes of L2. Even with random replacement
/// almost no line is still there when it is used again.
static constexpr std::uint64_t BeyondL2 = 16;
/// L2 is measured with this part of its bytes: where it has two halves, each may hold a copy of the
/// other's lines.
static constexpr std::uint64_t PartOfL2 = 4;
/// L1 is measured with this number of bytes, which it has whatever the size of shared memory.
static constexpr std::uint64_t NearBytes = 16 << 10;
static constexpr std::uint64_t SectorBytes = 32;
/// Of each multiprocessor, where blocks that do nothing are measured: enough for a millisecond.
static constexpr unsigned EmptyBlocks = 4096;
static constexpr std::uint64_t CopiedBytes = 16 << 20, SmallCopy = 4;

Counts GpuProbe::counts(double Iterations, double Launches) const {
  Counts Result;
  if (Code) {
    Result = countsOf(*Code, Iterations, double(Blocks) * Threads, Blocks, double(Words));
    const double Moved = double(Words) * Code->WordBytes * Iterations *
                         (unsigned(Code->Reads) + unsigned(Code->Writes));
    if (Level == "l2" || Level == "dram")
      if (Code->Runs == Pattern::Stream)
        Result["bytes_l2"] = Moved;
    if (Level == "dram" && Code->Runs == Pattern::Stream)
      Result["bytes_dram"] = Moved;
    if (Code->Runs == Pattern::Walk)
      Result[std::string(WalkPrefix) + Level] = WalkLoads * Iterations;
  } else {
    const char *Direction = Copies == CopyKind::ToDevice ? "h2d"
                            : Copies == CopyKind::ToHost ? "d2h"
                                                         : "d2d";
    Result[std::string(Direction) + "_bytes"] = double(Words);
    if (Words == SmallCopy)
      Result[std::string(Direction) + "_copies"] = 1;
  }
  for (auto &[Class, Units] : Result)
    Units *= Launches;
  return Result;
}

namespace {
class Builder {
public:
  Builder(const Properties &P, const Residents &Resident) : Matches(P), Resident(Resident) {}

  GpuProbeTable build() {
    for (const KernelCode &Code : kernelTable()) {
      const bool IsSingle = Code.Runs == Pattern::Nothing || Code.Runs == Pattern::Blocks ||
                            Code.Runs == Pattern::Walk;
      const unsigned Threads = IsSingle ? 1 : BlockThreads;
      Fit = Resident(Code, Threads);
      if (Fit == 0)
        Table.LeftOut.push_back(Code.Name + ": this GPU has no such instructions");
      else
        add(Code);
    }
    addCopies();
    return std::move(Table);
  }

private:
  const Properties &Matches;
  const Residents &Resident;
  GpuProbeTable Table;
  unsigned Fit = 0; ///< blocks of a multiprocessor

  void add(const KernelCode &Code);
  void addStream(const KernelCode &Code, const char *Level, std::uint64_t Bytes);
  void addWalk(const KernelCode &Code, const char *Level, std::uint64_t Bytes);
  void addCopies();
  void put(GpuProbe New, bool ZerosToo, bool HalfToo = false);
  GpuProbe filling(const KernelCode &Code) const {
    return {.Name = {},
            .Code = &Code,
            .Blocks = Fit * Matches.Multiprocessors,
            .Threads = BlockThreads,
            .Measures = Code.Measures};
  }
  bool fits(const std::string &What, std::uint64_t Bytes) {
    // The driver keeps some for itself.
    if (Bytes <= Matches.FreeBytes / 10 * 9)
      return true;
    Table.LeftOut.push_back(What + ": data of " + std::to_string(Bytes >> 20) +
                            " MiB are needed, and only " + std::to_string(Matches.FreeBytes >> 20) +
                            " MiB of the GPU's memory are free");
    return false;
  }
};
} // namespace

void Builder::put(GpuProbe New, bool ZerosToo, bool HalfToo) {
  New.Name = New.Code->Operation + (New.Code->Type.empty() ? "" : "-" + New.Code->Type) +
             (New.Level.empty() ? "" : "-" + New.Level);
  Table.Probes.push_back(New);
  // The same work at another power: what is drawn whatever runs shows. Blocks are dealt out to
  // multiprocessors in turn, so that more than these would keep all of them busy.
  if (HalfToo && Matches.Multiprocessors > 1) {
    GpuProbe Half = New;
    Half.IsHalf = true;
    Half.Blocks = Matches.Multiprocessors / 2;
    Half.Name += "-half";
    Table.Probes.push_back(std::move(Half));
  }
  if (!ZerosToo)
    return;
  New.Zeros = true;
  New.Name += "-zero";
  Table.Probes.push_back(std::move(New));
}

void Builder::add(const KernelCode &Code) {
  GpuProbe New = filling(Code);
  const std::uint64_t Threads = std::uint64_t(New.Blocks) * New.Threads;
  switch (Code.Runs) {
  case Pattern::Operations: {
    const std::uint64_t Bytes = Code.Inputs == Operand::F64 ? 8 : 4;
    New.Words = Operands;
    New.InBytes = Sections * Operands * Bytes;
    New.OutBytes = Threads * Bytes;
    const std::string &Text = Code.Operation;
    return put(New,
               Text == "fma" || Text == "add" || (Text == "mul" && Code.Inputs != Operand::I32),
               Code.Inputs == Operand::I32 || Text == "fma" || Text == "div" || Text == "sqrt" ||
                   Text == "special");
  }
  case Pattern::Tiles:
    New.InBytes = 2 * 16 * 16 * 8;
    New.OutBytes = Threads / MultiprocessorLimits::WarpSize * 4 * 16 * 16 * 8;
    return put(New, true, true);
  case Pattern::Shared:
    New.InBytes = 16 * BlockThreads * 4;
    New.OutBytes = Threads * 4;
    New.Level = "shared";
    return put(New, true, true);
  case Pattern::Near:
    New.Level = "l1";
    New.Words = NearBytes / Code.WordBytes;
    New.InBytes = NearBytes;
    New.OutBytes = Threads * 4;
    if (Matches.LoadsInL1)
      return put(New, true, true);
    Table.LeftOut.push_back("l1: this GPU has no global memory there");
    return;
  case Pattern::Stream:
    if (Matches.L2Bytes == 0) {
      Table.LeftOut.push_back(Code.Name + ": the driver does not tell how large L2 is");
      return;
    }
    if (!Code.Measures.empty())
      addStream(Code, "l2", Matches.L2Bytes / PartOfL2);
    return addStream(Code, "dram", Matches.L2Bytes * BeyondL2);
  case Pattern::Random: {
    const std::uint64_t Bytes = std::bit_ceil(Matches.L2Bytes * BeyondL2);
    New.Words = Bytes / SectorBytes;
    New.InBytes = Bytes;
    New.OutBytes = Threads * 4;
    New.Level = "dram";
    if (Matches.L2Bytes && fits(Code.Name, New.InBytes + New.OutBytes))
      put(New, false);
    return;
  }
  case Pattern::Lines:
    New.InBytes = NearBytes;
    New.OutBytes = Threads * 4;
    New.Level = "l1";
    return Matches.LoadsInL1 ? put(New, false) : void();
  case Pattern::Walk:
    if (Code.Name == "walk_shared")
      return addWalk(Code, "shared", SectorBytes);
    if (Code.Name == "walk_near")
      return Matches.LoadsInL1 ? addWalk(Code, "l1", NearBytes) : void();
    if (Matches.L2Bytes) {
      addWalk(Code, "l2", std::bit_floor(Matches.L2Bytes / PartOfL2));
      addWalk(Code, "dram", std::bit_ceil(Matches.L2Bytes * BeyondL2));
    }
    return;
  case Pattern::Nothing:
    New.Blocks = New.Threads = 1;
    return put(New, false);
  case Pattern::Blocks:
    New.Threads = MultiprocessorLimits::WarpSize;
    New.Blocks = EmptyBlocks * Matches.Multiprocessors;
    return put(New, false);
  }
}

/// What is loaded must be zero.
void Builder::addWalk(const KernelCode &Code, const char *Level, std::uint64_t Bytes) {
  GpuProbe New = filling(Code);
  New.Level = Level;
  New.Blocks = New.Threads = 1;
  New.Zeros = true;
  New.Words = Bytes / SectorBytes;
  New.InBytes = Bytes;
  New.OutBytes = 2 * 4;
  New.Measures = std::string(WalkPrefix) + Level;
  if (!fits(Code.Name + " in " + Level, Bytes))
    return;
  New.Name = "walk-" + New.Level;
  Table.Probes.push_back(std::move(New));
}

/// As many blocks as have four words for each thread.
void Builder::addStream(const KernelCode &Code, const char *Level, std::uint64_t Bytes) {
  GpuProbe New = filling(Code);
  New.Level = Level;
  const unsigned Streams = unsigned(Code.Reads) + unsigned(Code.Writes);
  // Streams share the bytes of a cache.
  const std::uint64_t Words = Bytes / (Level[0] == 'l' ? Streams : 1) / Code.WordBytes;
  const std::uint64_t BlockWords = 4 * std::uint64_t(BlockThreads);
  New.Blocks = unsigned(std::clamp<std::uint64_t>(Words / BlockWords, 1, New.Blocks));
  const std::uint64_t Step = BlockWords * New.Blocks;
  New.Words = std::max(Words / Step, std::uint64_t(1)) * Step;
  const std::uint64_t Stream = New.Words * Code.WordBytes,
                      Threads = std::uint64_t(New.Blocks) * New.Threads;
  if (Words < BlockWords || New.Words > UINT32_MAX / 2) {
    Table.LeftOut.push_back(Code.Name + " in " + Level + ": L2 of " +
                            std::to_string(Matches.L2Bytes) +
                            " bytes is of no size that is known how to measure");
    return;
  }
  New.InBytes = Code.Reads ? Stream : Threads * Code.WordBytes;
  New.OutBytes = Code.Writes ? Stream : Threads * Code.WordBytes;
  if (!Code.Measures.empty())
    New.Measures = levelBytes(Level);
  if (fits(Code.Name + " in " + Level, New.InBytes + New.OutBytes))
    put(New, !Code.Measures.empty());
}

void Builder::addCopies() {
  constexpr struct {
    const char *Name, *Class;
    CopyKind Copies;
    std::uint64_t Bytes;
  } All[] = {{"copy-h2d", "h2d_bytes", CopyKind::ToDevice, CopiedBytes},
             {"copy-d2h", "d2h_bytes", CopyKind::ToHost, CopiedBytes},
             {"copy-d2d", "d2d_bytes", CopyKind::OnDevice, 0},
             {"copy-h2d-small", "h2d_copies", CopyKind::ToDevice, SmallCopy},
             {"copy-d2h-small", "d2h_copies", CopyKind::ToHost, SmallCopy}};
  for (const auto &Function : All) {
    const std::uint64_t Bytes = Function.Bytes ? Function.Bytes : Matches.L2Bytes * BeyondL2;
    GpuProbe New{.Name = Function.Name,
                 .Copies = Function.Copies,
                 .Words = Bytes,
                 .InBytes = Bytes,
                 .OutBytes = Bytes,
                 .Measures = Function.Class};
    if (Bytes && fits(Function.Name, Function.Copies == CopyKind::OnDevice ? 2 * Bytes : Bytes))
      Table.Probes.push_back(std::move(New));
  }
}

GpuProbeTable probesFor(const Properties &P, const Residents &Resident) {
  return Builder(P, Resident).build();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The bits of the half that is nearest to this value, a normal number: IEEE 754, binary16. A
/// reciprocal that is always too small would let products vanish.
static std::uint16_t halfBits(double Value) {
  const auto Exact = std::bit_cast<std::uint32_t>(float(Value));
  const std::uint32_t Bits = Exact + 0xfff + (Exact >> 13 & 1); // to even where two are as near
  const std::uint32_t Exponent = (Bits >> 23 & 0xff) - 127 + 15;
  return std::uint16_t((Bits >> 16 & 0x8000) | Exponent << 10 | (Bits >> 13 & 0x3ff));
}

template <class T>
static void write(std::vector<unsigned char> &Result, std::size_t Position, T Value) {
  std::memcpy(Result.data() + Position * sizeof(T), &Value, sizeof(T));
}

static void writeValue(std::vector<unsigned char> &Result, std::size_t Position, Operand O,
                       double Value) {
  switch (O) {
  case Operand::F16:
    return write(Result, Position, halfBits(Value));
  case Operand::Bf16:
    return write(Result, Position, std::uint16_t(std::bit_cast<std::uint32_t>(float(Value)) >> 16));
  case Operand::F32:
    return write(Result, Position, float(Value));
  case Operand::F64:
    return write(Result, Position, Value);
  case Operand::I8:
  case Operand::I32:
    return;
  }
}

static std::size_t bytesOf(Operand O) {
  static constexpr std::size_t Bytes[] = {2, 2, 4, 8, 1, 1}; // of whole numbers any bits will do
  return Bytes[std::size_t(O)];
}

std::vector<unsigned char> operandsFor(const GpuProbe &Probe, std::size_t Bytes) {
  std::vector<unsigned char> Result(Bytes, 0);
  if (Probe.Zeros || !Probe.Code)
    return Result;
  std::mt19937_64 Random(1); // the same each time
  const Operand Kind = Probe.Code->Inputs;
  if (Kind == Operand::I8 || Kind == Operand::I32) {
    for (unsigned char &Byte : Result)
      Byte = static_cast<unsigned char>(Random());
    if (Probe.Code->Runs == Pattern::Operations) // odd factors stay odd, and none becomes 0
      for (std::size_t Position = 0; Position < Bytes; Position += 4)
        Result[Position] |= 1;
    return Result;
  }
  const std::size_t Values = Bytes / bytesOf(Kind),
                    Section = Probe.Code->Runs == Pattern::Operations ? Values / Sections : Values;
  // Of tensor cores and mixtures, in [-1, 1); of operations, between a half and one, with
  // reciprocals and negatives behind them.
  for (std::size_t Index = 0; Index != Section; ++Index) {
    const double Part = double(Random() >> 11) * 0x1p-53;
    if (Probe.Code->Runs != Pattern::Operations) {
      const double Value = 2 * Part - 1;
      writeValue(Result, Index, Kind, std::abs(Value) < 0x1p-10 ? 0.5 : Value);
      continue;
    }
    const double Value = 0.5 + Part / 2;
    writeValue(Result, Index, Kind, Value);
    writeValue(Result, Section + Index, Kind, 1 / Value);
    writeValue(Result, 2 * Section + Index, Kind, -Value);
  }
  return Result;
}

} // namespace ergon::cuda
