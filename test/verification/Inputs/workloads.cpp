// Runs each kernel of each variant that this processor has once, on data of so many bytes as the
// argument says, and prints what each was given.

#include "verification/Workloads.h"

#include <cstdio>
#include <cstdlib>

using namespace ergon;

template <typename Map> static void print(const char *Key, const Map &Of) {
  std::printf(", \"%s\": {", Key);
  const char *Comma = "";
  for (const auto &[Name, Value] : Of) {
    std::printf("%s\"%s\": \"%s\"", Comma, Name.c_str(), Value.c_str());
    Comma = ", ";
  }
  std::printf("}");
}

int main(int, char **Words) {
  std::puts("[");
  const char *Comma = "";
  for (const KernelVariant &Variant : variantsForThisProcessor())
    for (const VerifiedKernel &Each : verifiedKernels()) {
      const Workload Of = Each.Make(*Variant.Functions, std::strtoull(Words[1], nullptr, 10));
      Of.Run(1);
      std::printf("%s{\"kernel\": \"%s\", \"variant\": \"%s\", \"bytes\": %llu", Comma, Each.Name,
                  Variant.Name, static_cast<unsigned long long>(Of.Bytes));
      print("set", Of.Parameters);
      print("unknowns", Of.Unknowns);
      std::printf("}\n");
      Comma = ",";
    }
  std::puts("]");
}
