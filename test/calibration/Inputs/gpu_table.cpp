// Prints what each kernel for GPUs is said to execute.

#include "calibration/cuda/KernelTable.h"

#include <cstdio>

using namespace ergon::cuda;

static void print(const char *Name, const Counts &Of) {
  std::printf(", \"%s\": {", Name);
  const char *Comma = "";
  for (const auto &[Class, Units] : Of) {
    std::printf("%s\"%s\": %.17g", Comma, Class.c_str(), Units);
    Comma = ", ";
  }
  std::printf("}");
}

int main() {
  std::printf("[");
  const char *Comma = "";
  for (const KernelCode &Each : kernelTable()) {
    std::printf("%s{\"name\": \"%s\", \"near\": %s, \"words\": %s", Comma, Each.Name.c_str(),
                Each.Runs == Pattern::Near ? "true" : "false", Each.WordBytes ? "true" : "false");
    print("once", Each.Once);
    print("round", Each.Round);
    print("chunk", Each.Chunk);
    std::printf("}\n");
    Comma = ",";
  }
  std::printf("]\n");
}
