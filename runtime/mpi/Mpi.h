//===- Mpi.h - the functions of MPI that are counted ------------*- C++ -*-===//
//
// Each of them is defined here twice, as MPI_Name and as PMPI_Name, and calls the one that would
// have been called without this library. Nothing here links to MPI: in a program that does
// not use it nothing of it is loaded.
//
// MPI_Name is what programs in C and C++ call. PMPI_Name is what Open MPI's Fortran bindings call,
// of mpif.h, mpi and mpi_f08 alike; any other caller of it is a tool, or MPI itself, and is not
// counted.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/mpi/Library.h"
#include "runtime/mpi/Sent.h"

#include <atomic>
#include <type_traits>

namespace ergon::runtime {

/// One name of one function.
class Entry {
public:
  /// \p Name lives as long as the program: `MPI_Send`.
  constexpr explicit Entry(const char *Name) : Name(Name) {}

  /// The function that this library wraps; null where no MPI is loaded. \p Caller: an address in
  /// what calls it.
  void *real(const void *Caller);
  /// `MPI_Send`
  const char *name() const { return isProfiling() ? Name + 1 : Name; }
  /// The program called PMPI_Name.
  bool isProfiling() const { return Name[0] == 'P'; }

private:
  const char *Name;
  std::atomic<void *> Real = nullptr;
};

/// While it lives, a counted function of MPI runs in this thread. Calls that it makes are not
/// counted.
class Inside {
public:
  /// Nesting in this thread, of counted functions of MPI that call others.
  Inside() { ++Depth; }
  ~Inside() { --Depth; }
  /// Whether another counted function of MPI called this one.
  static bool isInner() { return Depth > 1; }

private:
  static thread_local int Depth;
};

/// MPI is initialized: the process has a rank from now on.
void begin(const void *Caller);
/// Adds a call of \p E, which returns to \p Caller.
void count(const Entry &E, void *Caller, Sent What);
/// Whether calls of it from there are to be counted.
bool isCounted(const Entry &E, void *Caller);

/// Calls \p E by \p Do and, where that succeeds, asks \p After what that has sent: arguments are
/// right then, and asking about them does not end the program. It may also say nothing (void).
template <typename Function, typename Call, typename Traffic>
int intercept(Entry &E, void *Caller, Call Do, Traffic After) {
  void *Real = E.real(Caller);
  if (!Real)
    return MPI_ERR_OTHER;
  Inside Guard;
  const int Result = Do(reinterpret_cast<Function *>(Real));
  if (Result == MPI_SUCCESS && !Inside::isInner() && isCounted(E, Caller)) {
    if constexpr (std::is_void_v<decltype(After())>)
      After();
    else
      count(E, Caller, After());
  }
  return Result;
}

} // namespace ergon::runtime

#define ERGON_LIST(...) __VA_ARGS__

#define ERGON_DEFINE(Symbol, Parameters, Arguments, After)                                         \
  extern "C" int Symbol Parameters {                                                               \
    static constinit ergon::runtime::Entry Counted{#Symbol};                                       \
    void *Caller = __builtin_extract_return_addr(__builtin_return_address(0));                     \
    return ergon::runtime::intercept<decltype(Symbol)>(                                            \
        Counted, Caller, [&](auto *Real) { return Real Arguments; }, [&] { return After; });       \
  }

/// Defines the function \p Name of those \p Parameters by both of its names; it calls the other one
/// with those \p Arguments. \p After says what a call has sent.
#define ERGON_COUNTED(Name, Parameters, Arguments, After)                                          \
  ERGON_DEFINE(MPI_##Name, Parameters, Arguments, After)                                           \
  ERGON_DEFINE(PMPI_##Name, Parameters, Arguments, After)

/// And the form \p RequestName that returns before it is done, which has a request behind its
/// parameters.
#define ERGON_COUNTED_TWICE(Name, RequestName, Parameters, Arguments, After)                       \
  ERGON_COUNTED(Name, Parameters, Arguments, After)                                                \
  ERGON_COUNTED(RequestName, (ERGON_LIST Parameters, MPI_Request * Request),                       \
                (ERGON_LIST Arguments, Request), After)

/// The same for operations in which each process has one count for all others.
#define ERGON_COUNTED_EVENLY(Name, RequestName, After)                                             \
  ERGON_COUNTED_TWICE(Name, RequestName,                                                           \
                      (const void *Data, int Count, MPI_Datatype Type, void *Target,               \
                       int TargetCount, MPI_Datatype TargetType, MPI_Comm Comm),                   \
                      (Data, Count, Type, Target, TargetCount, TargetType, Comm), After)
