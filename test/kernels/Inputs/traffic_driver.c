/* Calls functions of the program by name, with data at given addresses of a pool: what check_traffic.py builds kernels with.

   driver call NAME WORD… call NAME WORD… …
   A word is [-]KIND@ADDRESS:COUNT[:BELOW] or =INTEGER. Data of COUNT elements are put at the address; unless there is a minus sign
   the address is the next argument. KIND: double float long int short char; ramp and random of int, the latter
   less than BELOW; words of 8 bytes, whose values follow, separated by commas. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { POOL = 0x20000000, POOL_BYTES = 1 << 28, PAGE = 4096, MOST = 12 };
enum { BEYOND = 8 * (MOST - 6) }; /* arguments that are not in registers */

static void fill(const char *kind, char *to, long count, const char *more) {
  unsigned long state = 1;
  for (long i = 0; i < count; i++) {
    long small = 1 + i % 7;
    if (!strcmp(kind, "double")) ((double *)to)[i] = small;
    if (!strcmp(kind, "float")) ((float *)to)[i] = small;
    if (!strcmp(kind, "long")) ((long *)to)[i] = small;
    if (!strcmp(kind, "int")) ((int *)to)[i] = small;
    if (!strcmp(kind, "short")) ((short *)to)[i] = small;
    if (!strcmp(kind, "char")) to[i] = small;
    if (!strcmp(kind, "ramp")) ((int *)to)[i] = i;
    if (!strcmp(kind, "random")) {
      state = state * 6364136223846793005UL + 1442695040888963407UL; /* Knuth's, of MMIX */
      ((int *)to)[i] = (state >> 33) % atol(more);
    }
    if (!strcmp(kind, "words")) {
      ((long *)to)[i] = strtol(more, (char **)&more, 0);
      more++;
    }
  }
}

/* The address of data, which are put there. */
static long place(char *word) {
  char *kind = strtok(word, "@"), *at = strtok(0, ":"), *count = strtok(0, ":"), *more = strtok(0, ":");
  fill(kind, (char *)strtol(at, 0, 0), atol(count), more);
  return strtol(at, 0, 0);
}

/* Calls a function with the stack at a given place: on another its lines compete with other data. Stands before the end of a page,
   where those of arrays that begin with a page are the fewest. */
void callOn(char *stack, void *function, const long *values);
asm(".text\n.globl callOn\n.type callOn, @function\n"
    "callOn:\n"
    "  push %rbp\n  mov %rsp, %rbp\n  mov %rdi, %rsp\n"
    "  mov %rsi, %rax\n  mov %rdx, %r10\n"
    "  push 88(%r10)\n  push 80(%r10)\n  push 72(%r10)\n  push 64(%r10)\n  push 56(%r10)\n  push 48(%r10)\n"
    "  mov (%r10), %rdi\n  mov 8(%r10), %rsi\n  mov 16(%r10), %rdx\n  mov 24(%r10), %rcx\n  mov 32(%r10), %r8\n"
    "  mov 40(%r10), %r9\n"
    "  call *%rax\n"
    "  mov %rbp, %rsp\n  pop %rbp\n  ret\n"
    ".size callOn, .-callOn\n");

int main(int count, char **words) {
  if (mmap((void *)POOL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) ==
      MAP_FAILED)
    return 2;
  for (int w = 1; w < count;) {
    const char *name = words[++w];
    void *function = dlsym(0, name);
    if (!function) {
      fprintf(stderr, "no function %s\n", name);
      return 2;
    }
    long values[MOST] = {0};
    int next = 0;
    for (w++; w < count && strcmp(words[w], "call"); w++) {
      int hidden = words[w][0] == '-';
      long value = words[w][0] == '=' ? atol(words[w] + 1) : place(words[w] + hidden);
      if (!hidden)
        values[next++] = value;
    }
    callOn((char *)POOL + POOL_BYTES - PAGE + BEYOND, function, values);
  }
  return 0;
}
