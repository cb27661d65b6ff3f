//===- Threads.cpp - variables of threads in the page ---------------------===//
//
// The page has one thread, and what is its own lives as long as the page.
//
//===----------------------------------------------------------------------===//

extern "C" int __cxa_thread_atexit(void (*)(void *), void *, void *);

/// As the C++ ABI has it: registers a destructor for the thread's end, which never comes.
extern "C" int __cxa_thread_atexit(void (*)(void *), void *, void *) { return 0; }
