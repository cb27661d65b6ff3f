//===- KernelTable.cpp - what the kernels for a GPU execute ---------------===//

#include "calibration/cuda/KernelTable.h"

namespace ergon::cuda {

namespace {
// Kernels.cu: an iteration is 8 rounds of 4 pairs, or of 4 tiles.
constexpr double Applied = 8 * 4;
/// What each iteration of each thread's loop is itself: a subtraction and a comparison.
constexpr double LoopOps = 2;

/// One operation on a pair of values.
struct PairWork {
  const char *Operation;
  double Flops, Fma, Div, Sqrt, Special;
  unsigned Constants; ///< that are loaded
};
constexpr PairWork Fuse = {"fma", 4, 2, 0, 0, 0, 2}, Add = {"add", 2, 0, 0, 0, 0, 0},
                   Multiply = {"mul", 4, 0, 0, 0, 0, 2}, Divide = {"div", 2, 0, 2, 0, 0, 2},
                   Root = {"sqrt", 4, 0, 0, 2, 0, 2}, Special = {"special", 0, 0, 0, 0, 4, 0},
                   FuseThenAdd = {"fma_add", 6, 2, 0, 0, 0, 2};

void put(Counts &Result, const std::string &Class, double Units) {
  if (Units)
    Result[Class] = Units;
}

void putLoads(Counts &Result, const std::string &Space, double Loads, double Bytes) {
  put(Result, "loads_" + Space, Loads);
  put(Result, "load_bytes_" + Space, Bytes);
}
void putStores(Counts &Result, const std::string &Space, double Stores, double Bytes) {
  put(Result, "stores_" + Space, Stores);
  put(Result, "store_bytes_" + Space, Bytes);
}

KernelCode computes(const PairWork &Work, const char *Type, Operand O) {
  const double Lanes = O == Operand::F16 ? 2 : 1, Bytes = O == Operand::F64 ? 8 : 4;
  KernelCode New{.Name = std::string(Work.Operation) + "_" + Type,
                 .Operation = Work.Operation,
                 .Type = Type,
                 .Runs = Pattern::Operations,
                 .Inputs = O};
  auto Class = [&](const char *Family) { return std::string(Family) + "_" + Type; };
  // Eight values are added up in the end.
  put(New.Once, Class("flops"), 7 * Lanes);
  putLoads(New.Once, "global", 8 + Work.Constants, (8 + Work.Constants) * Bytes);
  putStores(New.Once, "global", 1, Bytes);
  put(New.Round, Class("flops"), Applied * Lanes * Work.Flops);
  put(New.Round, Class("fma"), Applied * Lanes * Work.Fma);
  put(New.Round, Class("div"), Applied * Lanes * Work.Div);
  put(New.Round, Class("sqrt"), Applied * Lanes * Work.Sqrt);
  put(New.Round, Class("special"), Applied * Lanes * Work.Special);
  put(New.Round, "int_ops", LoopOps);
  const bool IsMixed = Work.Operation == std::string("fma_add");
  New.Measures = IsMixed        ? ""
                 : Work.Div     ? Class("div")
                 : Work.Sqrt    ? Class("sqrt")
                 : Work.Special ? Class("special")
                                : Class("flops");
  return New;
}

KernelCode computesIntegers(const char *Operation, const char *Class, double Others,
                            unsigned Constants) {
  KernelCode New{.Name = std::string(Operation) + "_i32",
                 .Operation = Operation,
                 .Type = "i32",
                 .Runs = Pattern::Operations,
                 .Inputs = Operand::I32};
  putLoads(New.Once, "global", 8 + Constants, (8 + Constants) * 4);
  putStores(New.Once, "global", 1, 4);
  put(New.Round, "int_ops", LoopOps + Applied * Others);
  New.Round[Class] += Applied * 2;
  New.Measures = Class;
  return New;
}

struct TileShape {
  const char *Type;
  Operand Inputs;
  double M, N, K, Bytes, SumBytes;
  ComputeCapability Least;
};

KernelCode multipliesTiles(const TileShape &Shape) {
  constexpr double WarpSize = MultiprocessorLimits::WarpSize;
  KernelCode New{.Name = std::string("matrix_") + Shape.Type,
                 .Operation = "matrix",
                 .Type = Shape.Type,
                 .Runs = Pattern::Tiles,
                 .Inputs = Shape.Inputs,
                 .Least = Shape.Least,
                 .Measures = std::string("flops_matrix_") + Shape.Type};
  // A thread's share of what its warp does: docs/counting-rules.md.
  putLoads(New.Once, "global", 2, (Shape.M + Shape.N) * Shape.K * Shape.Bytes / WarpSize);
  putStores(New.Once, "global", 4, 4 * Shape.M * Shape.N * Shape.SumBytes / WarpSize);
  put(New.Round, New.Measures, Applied * 2 * Shape.M * Shape.N * Shape.K / WarpSize);
  put(New.Round, "int_ops", LoopOps);
  return New;
}

/// \p Arithmetic: of whole numbers, for each four words.
KernelCode streams(const char *Name, Pattern Runs, bool Reads, bool Writes, double Arithmetic) {
  constexpr unsigned Bytes = 16;
  KernelCode New{.Name = Name,
                 .Operation = Runs == Pattern::Near ? "load" : Name,
                 .Type = "i32",
                 .Runs = Runs,
                 .Inputs = Operand::I32,
                 .WordBytes = Bytes,
                 .Reads = Reads,
                 .Writes = Writes,
                 .Measures = Writes ? "store_bytes_global" : "load_bytes_global"};
  if (!Writes)
    putStores(New.Once, "global", 1, 4);
  else if (!Reads)
    putLoads(New.Once, "global", 1, Bytes);
  put(New.Round, "int_ops", LoopOps);
  if (Reads)
    putLoads(New.Chunk, "global", 4, 4 * Bytes);
  if (Writes)
    putStores(New.Chunk, "global", 4, 4 * Bytes);
  put(New.Chunk, "int_ops", Arithmetic);
  return New;
}

KernelCode mixes(unsigned Fused, const char *Type, Operand O) {
  const unsigned Bytes = O == Operand::F64 ? 8 : 4;
  const std::string Operation = "load_fma" + std::to_string(Fused);
  KernelCode New{.Name = Operation + "_" + Type,
                 .Operation = Operation,
                 .Type = Type,
                 .Runs = Pattern::Stream,
                 .Inputs = O,
                 .WordBytes = Bytes,
                 .Reads = true};
  put(New.Once, std::string("flops_") + Type, 3);
  putLoads(New.Once, "global", 2, 2 * Bytes);
  putStores(New.Once, "global", 1, Bytes);
  put(New.Round, "int_ops", LoopOps);
  putLoads(New.Chunk, "global", 4, 4 * Bytes);
  put(New.Chunk, std::string("flops_") + Type, 4 * 2 * Fused);
  put(New.Chunk, std::string("fma_") + Type, 4 * Fused);
  put(New.Chunk, "int_ops", 3);
  return New;
}

KernelCode sharedLoads() {
  KernelCode New{.Name = "load_shared",
                 .Operation = "load",
                 .Type = "i32",
                 .Runs = Pattern::Shared,
                 .Inputs = Operand::I32,
                 .Measures = "bytes_shared"};
  putLoads(New.Once, "global", 16, 16 * 4);
  putStores(New.Once, "shared", 16, 16 * 4);
  put(New.Once, "bytes_shared", 16 * 4);
  put(New.Once, "barriers", 1);
  putStores(New.Once, "global", 1, 4);
  putLoads(New.Round, "shared", 32, 32 * 4);
  put(New.Round, "bytes_shared", 32 * 4);
  put(New.Round, "int_ops", LoopOps + 32);
  return New;
}

KernelCode sharedStores() {
  KernelCode New{.Name = "store_shared",
                 .Operation = "store",
                 .Type = "i32",
                 .Runs = Pattern::Shared,
                 .Inputs = Operand::I32,
                 .Measures = "bytes_shared"};
  putLoads(New.Once, "global", 1, 4);
  putLoads(New.Once, "shared", 1, 4);
  put(New.Once, "bytes_shared", 4);
  put(New.Once, "barriers", 1);
  putStores(New.Once, "global", 1, 4);
  putStores(New.Round, "shared", 32, 32 * 4);
  put(New.Round, "bytes_shared", 32 * 4);
  put(New.Round, "int_ops", LoopOps);
  return New;
}

KernelCode randomLoads() {
  KernelCode New{.Name = "load_random",
                 .Operation = "load_random",
                 .Type = "i32",
                 .Runs = Pattern::Random,
                 .Inputs = Operand::I32,
                 .Measures = "random_sectors"};
  putStores(New.Once, "global", 1, 4);
  putLoads(New.Round, "global", 4, 4 * 4);
  put(New.Round, "random_sectors", 4);
  put(New.Round, "int_mul", 4);
  put(New.Round, "int_ops", LoopOps + 4 * 6);
  return New;
}

KernelCode lineLoads() {
  KernelCode New{.Name = "load_lines",
                 .Operation = "load_lines",
                 .Type = "i32",
                 .Runs = Pattern::Lines,
                 .Inputs = Operand::I32,
                 .Measures = "l1_lines"};
  putStores(New.Once, "global", 1, 4);
  putLoads(New.Round, "global", 32, 32 * 4);
  put(New.Round, "l1_lines", 32);
  put(New.Round, "int_ops", LoopOps + 32 * 5);
  return New;
}

KernelCode walks(const char *Name, Pattern Runs, const char *Space) {
  KernelCode New{
      .Name = Name, .Operation = "walk", .Type = "i32", .Runs = Runs, .Inputs = Operand::I32};
  const bool IsShared = Space == std::string("shared");
  if (IsShared) {
    putLoads(New.Once, "global", 1, 4);
    putStores(New.Once, "shared", 32, 32 * 4);
    put(New.Once, "bytes_shared", 32 * 4);
    put(New.Round, "bytes_shared", 4 * WalkLoads);
    putStores(New.Once, "global", 1, 4);
    put(New.Round, "int_ops", LoopOps + WalkLoads);
  } else {
    putLoads(New.Once, "global", 1, 4);
    putStores(New.Once, "global", 2, 2 * 4);
    put(New.Round, "int_mul", WalkLoads);
    put(New.Round, "int_ops", LoopOps + 6 * WalkLoads);
  }
  putLoads(New.Round, Space, WalkLoads, 4 * WalkLoads);
  return New;
}

std::vector<KernelCode> all() {
  std::vector<KernelCode> Result;
  for (const PairWork &Work : {Fuse, Add, Multiply})
    Result.push_back(computes(Work, "f16", Operand::F16));
  for (const PairWork &PW : {Fuse, Add, Multiply, Divide, Root, Special, FuseThenAdd})
    Result.push_back(computes(PW, "f32", Operand::F32));
  for (const PairWork &W : {Fuse, Add, Multiply, Divide, Root, FuseThenAdd})
    Result.push_back(computes(W, "f64", Operand::F64));
  Result.push_back(computesIntegers("add", "int_ops", 0, 0));
  Result.push_back(computesIntegers("mul", "int_mul", 0, 0));
  Result.push_back(computesIntegers("div", "int_div", 2, 2));
  for (const TileShape &Shape : {TileShape{"f16", Operand::F16, 16, 16, 16, 2, 4, {7, 0}},
                                 TileShape{"i8", Operand::I8, 16, 16, 16, 1, 4, {7, 2}},
                                 TileShape{"bf16", Operand::Bf16, 16, 16, 16, 2, 4, {8, 0}},
                                 TileShape{"tf32", Operand::F32, 16, 16, 8, 4, 4, {8, 0}},
                                 TileShape{"f64", Operand::F64, 8, 8, 4, 8, 8, {8, 0}}})
    Result.push_back(multipliesTiles(Shape));
  Result.push_back(sharedLoads());
  Result.push_back(sharedStores());
  Result.push_back(streams("load_near", Pattern::Near, true, false, 19));
  Result.push_back(streams("load", Pattern::Stream, true, false, 19));
  Result.push_back(streams("store", Pattern::Stream, false, true, 3));
  Result.push_back(streams("copy", Pattern::Stream, true, true, 3));
  Result.push_back(randomLoads());
  Result.push_back(lineLoads());
  Result.push_back(walks("walk_shared", Pattern::Walk, "shared"));
  Result.push_back(walks("walk_near", Pattern::Walk, "global"));
  Result.push_back(walks("walk", Pattern::Walk, "global"));
  for (unsigned Fused : {1, 4, 16, 64}) {
    Result.push_back(mixes(Fused, "f32", Operand::F32));
    Result.push_back(mixes(Fused, "f64", Operand::F64));
  }
  Result.push_back({.Name = "nothing",
                    .Operation = "launch",
                    .Type = "",
                    .Runs = Pattern::Nothing,
                    .Inputs = Operand::I32,
                    .Measures = "launches"});
  Result.push_back({.Name = "nothing",
                    .Operation = "blocks",
                    .Type = "",
                    .Runs = Pattern::Blocks,
                    .Inputs = Operand::I32,
                    .Measures = "blocks"});
  return Result;
}
} // namespace

const std::vector<KernelCode> &kernelTable() {
  static const std::vector<KernelCode> Result = all();
  return Result;
}

Counts countsOf(const KernelCode &Code, double Iterations, double Threads, double Blocks,
                double Words) {
  Counts Result;
  auto Add = [&](const Counts &C, double Times) {
    for (const auto &[Class, Units] : C)
      Result[Class] += Units * Times;
  };
  Add(Code.Once, Threads);
  Add(Code.Round, Threads * Iterations);
  Add(Code.Chunk, Words / 4 * Iterations * (Code.Runs == Pattern::Near ? Blocks : 1));
  if (Code.Runs == Pattern::Nothing)
    Result["launches"] = 1;
  else if (Code.Runs == Pattern::Blocks)
    Result["blocks"] = Blocks;
  return Result;
}

} // namespace ergon::cuda
