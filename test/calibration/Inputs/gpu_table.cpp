// Prints what each kernel for GPUs is said to execute.

#include "calibration/cuda/KernelTable.h"

#include <cstdio>

using namespace ergon::cuda;

static void print(const char *Name, const Counts &C) {
  std::printf(", \"%s\": {", Name);
  const char *Comma = "";
  for (const auto &[Class, Units] : C) {
    std::printf("%s\"%s\": %.17g", Comma, Class.c_str(), Units);
    Comma = ", ";
  }
  std::printf("}");
}

int main() {
  std::printf("[");
  const char *Comma = "";
  for (const KernelCode &Code : kernelTable()) {
    std::printf("%s{\"name\": \"%s\", \"near\": %s, \"words\": %s", Comma, Code.Name.c_str(),
                Code.Runs == Pattern::Near ? "true" : "false", Code.WordBytes ? "true" : "false");
    print("once", Code.Once);
    print("round", Code.Round);
    print("chunk", Code.Chunk);
    std::printf("}\n");
    Comma = ",";
  }
  std::printf("]\n");
}
