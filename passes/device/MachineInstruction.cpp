//===- MachineInstruction.cpp - machine code of NVIDIA's GPUs -------------===//

#include "passes/device/MachineInstruction.h"

#include <algorithm>
#include <bit>

namespace ergon {

// clang-format off: tables, several codes to a line.
namespace {
/// Codes without the forms of operands: the low nine bits.
enum Opcode : unsigned {
  Mov = 0x002, P2R = 0x003, R2P = 0x004, CS2R = 0x005, Vote = 0x006, Sel = 0x007, FSel = 0x008,
  FMnmx = 0x009, FSet = 0x00a, FSetp = 0x00b, ISetp = 0x00c, IAdd3 = 0x010, Lea = 0x011,
  Lop3 = 0x012, IAbs = 0x013, Prmt = 0x016, IMnmx = 0x017, Shf = 0x019, PLop3 = 0x01c,
  FMul = 0x020, FAdd = 0x021, FSwzAdd = 0x022, FFma = 0x023, IMad = 0x024, IMadWide = 0x025,
  Idp = 0x026, IMadHi = 0x027, DMul = 0x028, DAdd = 0x029, DSetp = 0x02a, DFma = 0x02b,
  HAdd2 = 0x030, HFma2 = 0x031, HMul2 = 0x032, HSet2 = 0x033, HSetp2 = 0x034, HFma2Mma = 0x035,
  HMma = 0x036, IMma = 0x037, LdsM = 0x03b, HMma16 = 0x03c, BMma = 0x03d, F2FP = 0x03e,
  DMma = 0x03f, HMnmx2 = 0x040, I2FP = 0x045, VImnmx = 0x048, Nop = 0x118, S2R = 0x119,
  Flo = 0x100, BRev = 0x101, FChk = 0x102, F2F = 0x104, F2I = 0x105, I2F = 0x106, FRnd = 0x107,
  Mufu = 0x108, Popc = 0x109, F2F64 = 0x110, F2I64 = 0x111, I2F64 = 0x112, FRnd64 = 0x113,
  CallRel = 0x144, Bra = 0x147, Brx = 0x149, Jmp = 0x14a, Jmx = 0x14c,
  Exit = 0x14d, Ret = 0x150, Kill = 0x15b, TexFirst = 0x160, TexLast = 0x16f, Ld = 0x180,
  Ldg = 0x181, Ldc = 0x182, Ldl = 0x183, Lds = 0x184, St = 0x185, Stg = 0x186, Stl = 0x187,
  Sts = 0x188, Shfl = 0x189, AtomAny = 0x18a, AtomCas = 0x18b, AtomS = 0x18c, AtomSCas = 0x18d,
  Red = 0x18e, Ccl = 0x18f, SuFirst = 0x199, SuLast = 0x19f, Match = 0x1a1, Qspc = 0x1aa,
  AtomG = 0x1a8, AtomGCas = 0x1a9, LdgSts = 0x1ae, LdgDepBar = 0x1af, UniformFirst = 0x080,
  UniformLast = 0x0bf, R2UR = 0x1c2, S2UR = 0x1c3, Redux = 0x1c4
};
} // namespace

static constexpr unsigned ZeroRegister = 255, Always = 7;

static unsigned bits(std::uint64_t Word, unsigned From, unsigned Number) {
  return unsigned(Word >> From) & ((1u << Number) - 1);
}

/// The assembler writes moves, shifts and sums as multiply-adds too.
static IssuePipe pipeOfMultiplyAdd(std::uint64_t Low, std::uint64_t High) {
  if (bits(Low, 24, 8) == ZeroRegister) {
    const bool AddsCarry = bits(High, 10, 1) != 0;
    return AddsCarry ? IssuePipe::Int : IssuePipe::Move;
  }
  const bool HasNumber = bits(Low, 9, 3) == 4; // in place of the second factor
  const auto Number = std::uint32_t(Low >> 32);
  const bool IsSum = Number == 1;
  const bool IsShift = std::has_single_bit(Number) && bits(High, 0, 8) == ZeroRegister;
  return HasNumber && (IsSum || IsShift) ? IssuePipe::Int : IssuePipe::Imad;
}

static IssuePipe pipeOf(unsigned Code, std::uint64_t Low, std::uint64_t High, int Major) {
  if (Code == HMma && Major >= 8) // a sum, VIADD: products of tiles have other codes there
    return IssuePipe::Int;
  switch (Code) {
  case HAdd2: case HFma2: case HMul2: case HSet2: case HSetp2: case HFma2Mma: case HMnmx2:
    return IssuePipe::FP16;
  case FSet: case FSetp: case FMul: case FAdd: case FSwzAdd: case FFma: case FMnmx: case FSel:
  case FChk:
    return IssuePipe::FP32;
  case F2F64: case F2I64: case I2F64: case FRnd64: // 16 a cycle on boards with many units for f64
    return Major == 9 || Major == 10 ? IssuePipe::Sfu : IssuePipe::FP64;
  case DMul: case DAdd: case DSetp: case DFma:
    return IssuePipe::FP64;
  case ISetp: case IAdd3: case Lea: case Lop3: case IAbs: case IMnmx: case Shf: case VImnmx:
  case Prmt: case Idp: case Vote: case I2FP:
    return IssuePipe::Int;
  case IMad: case IMadWide: case IMadHi:
    return pipeOfMultiplyAdd(Low, High);
  case Flo: case BRev: case F2F: case F2I: case I2F: case FRnd: case Mufu: case Popc:
    return IssuePipe::Sfu;
  case HMma: case IMma: case HMma16: case BMma: case DMma:
    return IssuePipe::Tensor;
  case Mov: case P2R: case R2P: case CS2R: case Sel: case PLop3: case S2R: case F2FP: case R2UR:
  case S2UR: case Ldc: // of a constant: from no data cache
    return IssuePipe::Move;
  case LdsM: case Ld: case Ldg: case Ldl: case Lds: case St: case Stg: case Stl:
  case Sts: case Shfl: case AtomAny: case AtomCas: case AtomS: case AtomSCas: case Red: case AtomG:
  case AtomGCas: case LdgSts: case Match: case Qspc: case Ccl: case Redux:
    return IssuePipe::Lsu;
  default:
    if (Code >= UniformFirst && Code <= UniformLast)
      return IssuePipe::Uniform;
    return (Code >= TexFirst && Code <= TexLast) || (Code >= SuFirst && Code <= SuLast)
               ? IssuePipe::Lsu : IssuePipe::Control;
  }
}

static unsigned flopsOf(unsigned Code) {
  switch (Code) {
  case FMul: case FAdd: case DMul: case DAdd:
    return 1;
  case FFma: case DFma:
    return 2;
  default:
    return 0;
  }
}

/// Of an access of a thread's data, by its size.
static unsigned bytesOf(unsigned Code, std::uint64_t High) {
  static constexpr unsigned Bytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  switch (Code) {
  case Ld: case Ldc: case Ldg: case Ldl: case Lds: case St: case Stg: case Stl: case Sts:
    return Bytes[bits(High, 9, 3)];
  case AtomAny: case AtomCas: case AtomS: case AtomSCas: case Red: case AtomG: case AtomGCas:
    return 4;
  default:
    return 0;
  }
}

/// Results from beyond a multiprocessor take long.
static MachineInstruction::Delay delayOf(unsigned Code) {
  switch (Code) {
  case Ld: case Ldg: case Ldl: case AtomAny: case AtomCas: case AtomG: case AtomGCas: case LdgSts:
  case LdgDepBar:
    return MachineInstruction::Delay::Long;
  default:
    return (Code >= TexFirst && Code <= TexLast) || (Code >= SuFirst && Code <= SuLast)
               ? MachineInstruction::Delay::Long
               : MachineInstruction::Delay::Short;
  }
}

// clang-format on

static std::optional<unsigned> flagOf(unsigned Bits) {
  static constexpr unsigned None = 7;
  return Bits == None ? std::nullopt : std::optional(Bits);
}

/// Of a jump, in bytes from the next instruction.
static std::int64_t distanceOf(std::uint64_t Low, int Major) {
  if (Major < 9)
    return std::int32_t(std::uint32_t(Low >> 32));
  return (std::int64_t(Low) >> 34) * 1024 + std::int64_t(bits(Low, 16, 8)) * 4;
}

MachineInstruction decode(const EncodedInstruction &Encoded, int Major) {
  const auto [Low, High, Number, Count] = Encoded;
  const unsigned Code = bits(Low, 0, 9);
  const bool IsAlways = bits(Low, 12, 4) == Always;
  MachineInstruction Result{.Pipe = pipeOf(Code, Low, High, Major),
                            .IsWait = Code == Nop,
                            .MemoryBytes = bytesOf(Code, High),
                            .Flops = flopsOf(Code),
                            .StallCycles = std::max(1u, bits(High, 41, 4)),
                            .Takes = delayOf(Code),
                            .Sets = flagOf(bits(High, 46, 3)),
                            .Frees = flagOf(bits(High, 49, 3)),
                            .Awaits = bits(High, 52, 6)};
  switch (Code) { // clang-format off
  case CallRel: // a subroutine; where it has a condition, a jump out of a loop
    Result.IsCall = IsAlways;
    if (IsAlways)
      break;
    [[fallthrough]];
  case Bra: {
    const std::int64_t Target = std::int64_t(Number) + 1 + distanceOf(Low, Major) / 16;
    if (Target >= 0 && Target < std::int64_t(Count))
      Result.Target = std::size_t(Target);
    const bool HasSecond = bits(High, 23, 4) != Always; // a second predicate
    Result.Falls = !IsAlways || HasSecond;
    break;
  }
  case Exit: case Ret: case Brx: case Jmp: case Jmx: case Kill:
    Result.Falls = !IsAlways;
    break;
  default:
    break;
  } // clang-format on
  return Result;
}

} // namespace ergon
