// Runs every kernel that this processor has, so many iterations as the argument says, on streams of
// two steps; prints where each is and what an iteration is said to execute.

#include "calibration/Probes.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ergon;

alignas(4096) static unsigned char Streams[5][131072];

int main(int, char **Words) {
  std::puts("[");
  const char *Comma = "";
  for (const Kernel *RunnableKernel : runnableKernels()) {
    Probe P{.Name = RunnableKernel->Operation,
            .Code = RunnableKernel,
            .Level = RunnableKernel->StepBytes ? "l1" : ""};
    P.Visit = 2 * RunnableKernel->StepBytes;
    P.Bytes = P.Visit * RunnableKernel->Columns;
    std::size_t Index = 0;
    std::memset(Streams, 0, sizeof(Streams));
    void *Next[] = {
        Streams[1]}; // the list of the kernel that follows one: a node that is its own next
    std::memcpy(Streams[1], Next, sizeof(Next));
    if (RunnableKernel->InChain && RunnableKernel->Reads)
      std::memcpy(Streams[1] + 64, Next, sizeof(Next));
    RunnableKernel->Run({.Iterations = std::strtoull(Words[1], nullptr, 10),
                         .A = Streams[0],
                         .B = Streams[1],
                         .C = Streams[2],
                         .D = Streams[3],
                         .E = Streams[4],
                         .Bytes = P.Bytes,
                         .Visit = P.Visit,
                         .Offset = &Index});
    std::printf("%s{\"name\": \"%s-%s-%u%s\", \"at\": %ju, \"counts\": {", Comma,
                RunnableKernel->Operation, std::string(name(RunnableKernel->Type)).c_str(),
                RunnableKernel->Bits, RunnableKernel->InChain ? "-chain" : "",
                std::uintmax_t(reinterpret_cast<std::uintptr_t>(RunnableKernel->Run)));
    const char *Inner = "";
    for (const auto &[Class, Units] : P.counts(1, 64)) {
      std::printf("%s\"%s\": %.0f", Inner, Class.c_str(), Units);
      Inner = ", ";
    }
    std::printf("}}\n");
    Comma = ",";
  }
  std::puts("]");
}
