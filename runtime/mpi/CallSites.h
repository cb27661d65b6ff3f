//===- CallSites.h - where functions of MPI are called ----------*- C++ -*-===//

#pragma once

#include "runtime/MpiTable.h"

#include <atomic>
#include <string>
#include <utility>

namespace ergon::runtime {

/// An address that a call returns to. Each address has one CallSite as long as the process lives;
/// reading takes no lock.
class CallSite {
public:
  /// The place of a return address: the same one each time it is asked for.
  static CallSite &at(void *Address);

  /// Whether it is in a Fortran binding of MPI, so that the program's call is further out in the
  /// stack.
  bool isBinding() const { return Binding; }
  /// The first place further out that is in none; this one where that cannot be told. Of the calls
  /// that are running in this thread one returns to this place.
  CallSite &outside();
  /// The counts of calls of \p Call that return to it, in \p Mpi.
  ErgonMpiSite &site(const char *Call, ErgonMpi &Mpi);

private:
  /// A site in the list of its place.
  struct Known {
    explicit Known(std::string Position) : Position(std::move(Position)) {}

    std::string Position;
    ErgonMpiSite Site{};
    Known *Next = nullptr;
  };

  explicit CallSite(void *Address);

  void *const Address;
  CallSite *Next = nullptr; ///< of the same bucket
  bool Binding;
  std::atomic<Known *> Sites = nullptr;
};

} // namespace ergon::runtime
