/* Runs a program's main several times in one process of valgrind, each time in a child that starts
 * as a new program would.
 *
 * Preloaded. The environment says which program (ERGON_RUNS_OF, its argv[0]) and which runs
 * (ERGON_RUNS, a file with a run in a line: NAME=value words for the environment first, then the
 * arguments, separated by tabs). A line of ERGON_RUNS_DONE for each run has the child's process
 * number and its wait status. Callgrind's instrumentation begins in the child, before main.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

enum { MaxWords = 64 };
typedef int MainFunction(int, char **, char **);
typedef int StartFunction(MainFunction *, int, char **, void (*)(void), void (*)(void),
                          void (*)(void), void *);
static MainFunction *ProgramMain;

static int run(char *Program, char *Line) {
  char *Words[MaxWords] = {Program};
  int Count = 1;
  for (char *Word = strtok(Line, "\t"); Word; Word = strtok(NULL, "\t")) {
    if (Count == 1 && strchr(Word, '=')) {
      putenv(strdup(Word));
      continue;
    }
    if (Count + 1 == MaxWords)
      return 125;
    Words[Count++] = Word;
  }
  CALLGRIND_START_INSTRUMENTATION;
  return ProgramMain(Count, Words, environ);
}

/* The text of a file; nothing where it cannot be read. The file is closed: a child's exit would
 * move the place of an open one. */
static char *contents(const char *Path) {
  FILE *File = fopen(Path, "r");
  char *Text = NULL;
  size_t Size = 0;
  if (File && getdelim(&Text, &Size, 0, File) < 0)
    Text = NULL;
  if (File)
    fclose(File);
  return Text;
}

static int runAll(int Count, char **Words, char **Environment) {
  (void)Count, (void)Environment;
  char *Lines = contents(getenv("ERGON_RUNS"));
  FILE *Done = fopen(getenv("ERGON_RUNS_DONE"), "w");
  if (!Lines || !Done)
    return 125;
  setvbuf(Done, NULL, _IOLBF, 0); /* a child's exit would write what is left */
  for (char *Line; (Line = strsep(&Lines, "\n")) && *Line;) {
    int Status = 0;
    pid_t Child = fork();
    if (Child == 0)
      return run(Words[0], Line);
    if (Child < 0 || waitpid(Child, &Status, 0) != Child)
      return 125;
    fprintf(Done, "%d %d\n", (int)Child, Status);
  }
  return fclose(Done) ? 125 : 0;
}

int __libc_start_main(MainFunction *Main, int Count, char **Words, void (*Init)(void),
                      void (*Fini)(void), void (*Loader)(void), void *Stack) {
  StartFunction *Start;
  *(void **)&Start = dlsym(RTLD_NEXT, "__libc_start_main");
  const char *Program = getenv("ERGON_RUNS_OF");
  if (!Program || strcmp(Program, Words[0]) != 0)
    return Start(Main, Count, Words, Init, Fini, Loader, Stack);
  ProgramMain = Main;
  return Start(runAll, Count, Words, Init, Fini, Loader, Stack);
}
