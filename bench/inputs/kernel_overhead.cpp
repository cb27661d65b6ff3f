//===- kernel_overhead.cpp - two builds of the shipped kernels in turns ---===//
//
// Linked with the kernels as variant `base`, plain, and as variant `v3`, with counters, both
// compiled with the same options. For each kernel the name, and the least nanoseconds of a run of
// both.
//
//===----------------------------------------------------------------------===//

#include "verification/Workloads.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace ergon;

static double secondsOf(const Workload &Of, std::uint64_t Runs) {
  using Clock = std::chrono::steady_clock;
  const auto Begin = Clock::now();
  Of.Run(Runs);
  return std::chrono::duration<double>(Clock::now() - Begin).count();
}

int main(int, char **Words) {
  const int Rounds = std::atoi(Words[1]);
  constexpr std::uint64_t Bytes = 64 << 10;
  for (const VerifiedKernel &Each : verifiedKernels()) {
    const Workload Both[] = {Each.Make(ergon_functions_base, Bytes),
                             Each.Make(ergon_functions_v3, Bytes)};
    const double Once = std::min(secondsOf(Both[0], 1), secondsOf(Both[0], 3) / 3);
    const auto Runs = std::uint64_t(std::max(1.0, 3e-4 / Once));
    double Least[] = {1e9, 1e9};
    for (int Round = 0; Round != 2 * Rounds; ++Round)
      Least[Round % 2] =
          std::min(Least[Round % 2], secondsOf(Both[Round % 2], Runs) / double(Runs));
    std::printf("%s %.3f %.3f\n", Each.Name, 1e9 * Least[0], 1e9 * Least[1]);
  }
  return 0;
}
