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
  for (const Kernel *Each : runnableKernels()) {
    Probe Of{.Name = Each->Operation, .Of = Each, .Level = Each->StepBytes ? "l1" : ""};
    Of.Visit = 2 * Each->StepBytes;
    Of.Bytes = Of.Visit * Each->Columns;
    std::size_t At = 0;
    std::memset(Streams, 0, sizeof(Streams));
    void *Next[] = {
        Streams[1]}; // the list of the kernel that follows one: a node that is its own next
    std::memcpy(Streams[1], Next, sizeof(Next));
    if (Each->InChain && Each->Reads)
      std::memcpy(Streams[1] + 64, Next, sizeof(Next));
    Each->Run({.Iterations = std::strtoull(Words[1], nullptr, 10),
               .A = Streams[0],
               .B = Streams[1],
               .C = Streams[2],
               .D = Streams[3],
               .E = Streams[4],
               .Bytes = Of.Bytes,
               .Visit = Of.Visit,
               .At = &At});
    std::printf("%s{\"name\": \"%s-%s-%u%s\", \"at\": %ju, \"counts\": {", Comma, Each->Operation,
                std::string(name(Each->Type)).c_str(), Each->Bits, Each->InChain ? "-chain" : "",
                std::uintmax_t(reinterpret_cast<std::uintptr_t>(Each->Run)));
    const char *Inner = "";
    for (const auto &[Class, Units] : Of.counts(1, 64)) {
      std::printf("%s\"%s\": %.0f", Inner, Class.c_str(), Units);
      Inner = ", ";
    }
    std::printf("}}\n");
    Comma = ",";
  }
  std::puts("]");
}
