//===- MetricClasses.cpp - counters of tools as cost classes --------------===//
//
// nvprof and Nsight Compute: CUDA toolkit, "Profiler User's Guide", section "Metrics reference",
// and "Nsight Compute CLI", section "Metric comparison". A transaction of L2 and of device memory
// is a sector of 32 bytes there, one of shared memory a row of 32 banks of 4 bytes. On a GTX 1080
// Ti the throughputs that nvprof prints are these sizes times the transactions, of up to 43 kernels
// to 0.2 %; of gld_transactions the size is 8 to 32 bytes, so that they are no bytes of any level
// (bench/results/2026-11-28-importing.md). Intel's FP_ARITH_INST_RETIRED counts an instruction for
// each vector, and twice for a fused multiply-add (Intel, "Performance Monitoring Events").
//
//===----------------------------------------------------------------------===//

#include "model/measurements/MetricClasses.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace ergon {

namespace {
/// A counter and the units that one of it is.
struct Term {
  std::string_view Metric;
  double Units;
  bool Optional = false; ///< the others alone are the class where this is absent
};

/// One way to count a class.
struct Way {
  std::string_view Class;
  std::array<Term, 8> Terms;
};
} // namespace

static constexpr double Sector = 32, BankRow = 128;

// Of a class the first way is taken of which all terms are there. Where no way is complete, the
// first with any of them says what is missing.
static constexpr Way Ways[] = {
    {"flops_f32", {{{"flop_count_sp", 1}}}},
    {"flops_f32", {{{"flop_count_sp_add", 1}, {"flop_count_sp_mul", 1}, {"flop_count_sp_fma", 2}}}},
    {"flops_f32",
     {{{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1},
       {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 1},
       {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2}}}},
    {"flops_f32",
     {{{"fp_arith_inst_retired.scalar_single", 1},
       {"fp_arith_inst_retired.128b_packed_single", 4},
       {"fp_arith_inst_retired.256b_packed_single", 8},
       {"fp_arith_inst_retired.512b_packed_single", 16, true}}}},
    {"flops_f32", {{{"SP flops", 1}}}},
    {"flops_f64", {{{"flop_count_dp", 1}}}},
    {"flops_f64", {{{"flop_count_dp_add", 1}, {"flop_count_dp_mul", 1}, {"flop_count_dp_fma", 2}}}},
    {"flops_f64",
     {{{"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 1},
       {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 1},
       {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 2}}}},
    {"flops_f64",
     {{{"fp_arith_inst_retired.scalar_double", 1},
       {"fp_arith_inst_retired.128b_packed_double", 2},
       {"fp_arith_inst_retired.256b_packed_double", 4},
       {"fp_arith_inst_retired.512b_packed_double", 8, true}}}},
    {"flops_f64", {{{"DP flops", 1}}}},
    {"flops_f16", {{{"flop_count_hp", 1}}}},
    {"flops_f16", {{{"flop_count_hp_add", 1}, {"flop_count_hp_mul", 1}, {"flop_count_hp_fma", 2}}}},
    {"flops_f16",
     {{{"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 1},
       {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 1},
       {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 2}}}},
    {"special_f32", {{{"flop_count_sp_special", 1}}}},
    {"int_ops", {{{"inst_integer", 1}}}},
    {"int_ops", {{{"smsp__sass_thread_inst_executed_op_integer_pred_on.sum", 1}}}},
    {"warp_instructions", {{{"inst_executed", 1}}}},
    {"warp_instructions", {{{"smsp__inst_executed.sum", 1}}}},
    {"warp_instructions", {{{"Executed Instructions", 1}}}},
    {"branches", {{{"branch-instructions", 1}}}},
    {"branches", {{{"branches", 1}}}},
    {"branches", {{{"BR_INST_RETIRED_ALL_BRANCHES", 1}}}},
    {"bytes_shared",
     {{{"shared_load_transactions", BankRow}, {"shared_store_transactions", BankRow}}}},
    {"bytes_shared", {{{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", BankRow}}}},
    {"bytes_shared",
     {{{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", BankRow},
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", BankRow}}}},
    {"bytes_l1", {{{"l1tex__t_bytes.sum", 1}}}},
    {"bytes_l1", {{{"l1tex__t_sectors.sum", Sector}}}},
    {"bytes_l2", {{{"l2_read_transactions", Sector}, {"l2_write_transactions", Sector}}}},
    {"bytes_l2", {{{"lts__t_bytes.sum", 1}}}},
    {"bytes_l2", {{{"lts__t_sectors.sum", Sector}}}},
    {"bytes_l2",
     {{{"lts__t_sectors_op_read.sum", Sector},
       {"lts__t_sectors_op_write.sum", Sector},
       {"lts__t_sectors_op_atom.sum", Sector, true},
       {"lts__t_sectors_op_red.sum", Sector, true}}}},
    {"bytes_l2", {{{"L2 data volume", 1}}}},
    {"bytes_l3", {{{"L3 data volume", 1}}}},
    {"bytes_dram", {{{"dram_read_transactions", Sector}, {"dram_write_transactions", Sector}}}},
    {"bytes_dram", {{{"dram_read_bytes", 1}, {"dram_write_bytes", 1}}}},
    {"bytes_dram", {{{"dram__bytes.sum", 1}}}},
    {"bytes_dram", {{{"dram__bytes_read.sum", 1}, {"dram__bytes_write.sum", 1}}}},
    {"bytes_dram", {{{"dram__sectors_read.sum", Sector}, {"dram__sectors_write.sum", Sector}}}},
    {"bytes_dram", {{{"Memory data volume", 1}}}},
    {"bytes_dram", {{{"Memory read data volume", 1}, {"Memory write data volume", 1}}}},
    {"bytes_dram", {{{"uncore_imc/cas_count_read/", 1}, {"uncore_imc/cas_count_write/", 1}}}},
    {"bytes_dram", {{{"uncore_imc/data_reads/", 1}, {"uncore_imc/data_writes/", 1}}}},
    {"h2d_bytes", {{{"[CUDA memcpy HtoD]", 1}}}},
    {"d2h_bytes", {{{"[CUDA memcpy DtoH]", 1}}}},
    {"d2d_bytes", {{{"[CUDA memcpy DtoD]", 1}}}},
};

/// The name that the table has for a counter: sm__sass_… and smsp__sass_… are the same sums, and
/// likwid writes FP_ARITH_INST_RETIRED_SCALAR_DOUBLE.
static std::string tableName(std::string_view Name) {
  std::string Result(Name);
  if (Result.starts_with("sm__sass_thread_inst_executed") || Result == "sm__inst_executed.sum")
    return "smsp" + Result.substr(2);
  if (Result.starts_with("FP_ARITH_INST_RETIRED_")) {
    std::ranges::transform(Result, Result.begin(),
                           [](unsigned char C) { return char(std::tolower(C)); });
    Result[std::string_view("fp_arith_inst_retired").size()] = '.';
  }
  return Result;
}

ClassifiedMetrics classifyMetrics(const std::vector<Metric> &Metrics,
                                  const std::vector<TakenMetric> &Taken) {
  ClassifiedMetrics Result;
  std::map<std::string, const Metric *, std::less<>> ByName;
  std::set<std::string, std::less<>> Used, Done;
  for (const Metric &M : Metrics)
    ByName.try_emplace(tableName(M.Name), &M);
  for (const TakenMetric &Own : Taken)
    for (const Metric &M : Metrics)
      if (M.Name == Own.Metric) {
        Result.Counts.push_back({Own.Class, M.Value, {M.Name}});
        Used.insert(tableName(M.Name));
        Done.insert(Own.Class);
        break;
      }
  std::map<std::string_view, std::vector<std::string>> Missing; // by class, of its first way
  for (const Way &W : Ways) {
    ClassCount Count{std::string(W.Class), 0, {}};
    std::vector<std::string> Absent;
    for (const Term &T : W.Terms) {
      if (T.Metric.empty())
        break;
      if (auto Found = ByName.find(T.Metric); Found != ByName.end()) {
        Count.Units += T.Units * Found->second->Value;
        Count.From.push_back(Found->second->Name);
        Used.insert(Found->first);
      } else if (!T.Optional) {
        Absent.emplace_back(T.Metric);
      }
    }
    if (Count.From.empty() || Done.contains(W.Class))
      continue;
    if (!Absent.empty()) {
      Missing.try_emplace(W.Class, std::move(Absent));
      continue;
    }
    Done.insert(Count.Class);
    Result.Counts.push_back(std::move(Count));
  }
  for (auto &[Class, Absent] : Missing)
    if (!Done.contains(Class))
      Result.Partly.push_back({std::string(Class), std::move(Absent)});
  for (const auto &[Name, M] : ByName)
    if (!Used.contains(Name))
      Result.Unmapped.push_back(M->Name);
  std::ranges::sort(Result.Unmapped);
  return Result;
}

} // namespace ergon
