// Runs each kernel for GPUs on the CPU, on 2 blocks, with 1 and with 2 iterations, and prints what
// all threads did.
#include "test/calibration/Inputs/gpu_shim_kernels.h"

int main() {
  using namespace gpu_shim;
  auto *const Data = reinterpret_cast<std::uint64_t *>(shim::Arena.data() + shim::ArenaUsed);
  for (std::size_t K = 0; K != std::size_t(4) << 20; ++K)
    Data[K] = 0x3ff0'0000'3f80'3c01 | K << 40; // ordinary numbers of all types, and odd ones
  const auto In = reinterpret_cast<std::uint64_t>(Data), Out = In + (32 << 20),
             Zeros = Out + (16 << 20);
  std::printf("{");
  const char *Comma = "";
  for (const Code &Each : Codes) {
    if (Each.Name == "clocks")
      continue;
    std::printf("%s\"%s\": [", Comma, Each.Name.c_str());
    for (unsigned Iterations : {1, 2}) {
      std::printf("%s", Iterations == 2 ? ", {" : "{");
      const char *Inner = "";
      for (const auto &[Class, Units] : execute(
               Each, 2, 256, Iterations, Each.Name.starts_with("walk") ? Zeros : In, Out, 4096)) {
        std::printf("%s\"%s\": %ld", Inner, Class.c_str(), Units);
        Inner = ", ";
      }
      std::printf("}");
    }
    std::printf("]\n");
    Comma = ",";
  }
  std::printf("}\n");
}
