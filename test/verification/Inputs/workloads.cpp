// Runs each kernel of each variant that this processor has once, on data of so many bytes as the
// argument says, and prints what each was given.

#include "verification/Workloads.h"

#include <cstdio>
#include <cstdlib>

using namespace ergon;

template <typename Map> static void print(const char *Key, const Map &BS) {
  std::printf(", \"%s\": {", Key);
  const char *Comma = "";
  for (const auto &[Name, Value] : BS) {
    std::printf("%s\"%s\": \"%s\"", Comma, Name.c_str(), Value.c_str());
    Comma = ", ";
  }
  std::printf("}");
}

int main(int, char **Words) {
  std::puts("[");
  const char *Comma = "";
  for (const KernelVariant &Variant : variantsForThisProcessor())
    for (const VerifiedKernel &Kernel : verifiedKernels()) {
      const Workload W = Kernel.Make(*Variant.Functions, std::strtoull(Words[1], nullptr, 10));
      W.Run(1);
      std::printf("%s{\"kernel\": \"%s\", \"variant\": \"%s\", \"bytes\": %llu", Comma, Kernel.Name,
                  Variant.Name, static_cast<unsigned long long>(W.Bytes));
      print("set", W.Parameters);
      print("unknowns", W.Unknowns);
      std::printf("}\n");
      Comma = ",";
    }
  std::puts("]");
}
