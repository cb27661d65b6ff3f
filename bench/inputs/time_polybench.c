/* PolyBench's allocation, and times around its kernel in the place of its own: PROGRAM SECONDS. Prints `cold` or `warm` and the nanoseconds of one run, a sample a
 * line: of data that clflush took out of all caches, and of data that were copied to their places just before. */
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
  char *Data, *Filled;
  size_t Bytes;
} Arrays[64];
static int Count;
static int64_t Begin, Deadline;
static int Cold, Samples;
static double Seconds;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

void *polybench_alloc_data(unsigned long long int n, int elementBytes) {
  size_t bytes = n * elementBytes;
  Arrays[Count].Data = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  Arrays[Count].Bytes = bytes;
  return Arrays[Count++].Data;
}
void polybench_free_data(void *data) {
  for (int each = 0; each < Count; each++)
    if (Arrays[each].Data == data)
      Arrays[each] = Arrays[--Count];
  free(data);
}
void polybench_flush_cache(void) {}
void polybench_prepare_instruments(void) {}

/* Whether to run once more. The first run is not timed; each begins with the data that the program filled in. */
int timed_runs(int run) {
  for (int each = 0; each < Count; each++) {
    if (run == 0)
      Arrays[each].Filled = malloc(Arrays[each].Bytes);
    memcpy(run == 0 ? Arrays[each].Filled : Arrays[each].Data, run == 0 ? Arrays[each].Data : Arrays[each].Filled, Arrays[each].Bytes);
  }
  if (run > 1 && Samples >= 2 && now() >= Deadline) {
    if (Cold)
      return 0;
    Cold = 1, Samples = 0;
  }
  if (run >= 1 && Samples == 0)
    Deadline = now() + (int64_t)(Seconds * 1e9);
  return 1;
}

void timed_begin(void) {
  if (Cold) {
    for (int each = 0; each < Count; each++)
      for (size_t at = 0; at < Arrays[each].Bytes; at += 64)
        _mm_clflush(Arrays[each].Data + at);
    _mm_mfence();
  }
  Begin = now();
}

void timed_end(void) {
  static int run;
  int64_t end = now();
  if (run++)
    printf("%s %.0f\n", Cold ? "cold" : "warm", (double)(end - Begin)), Samples++;
}

int timed_opaque(int value) {
  volatile int kept = value;
  return kept;
}

__attribute__((constructor)) static void arguments(int argc, char **argv) { Seconds = argc > 1 ? atof(argv[1]) : 1; }
