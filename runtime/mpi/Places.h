//===- Places.h - where functions of MPI are called -------------*- C++ -*-===//

#ifndef ERGON_RUNTIME_MPI_PLACES_H
#define ERGON_RUNTIME_MPI_PLACES_H

#include "runtime/MpiTable.h"

#include <atomic>
#include <string>
#include <utility>

namespace ergon::runtime {

/// An address that a call returns to. Each address has one Place as long as the process lives;
/// reading takes no lock.
class Place {
public:
  /// The place of a return address: the same one each time it is asked for.
  static Place &at(void *Address);

  /// Whether it is in a Fortran binding of MPI, so that the program's call is further out in the
  /// stack.
  bool isBinding() const { return Binding; }
  /// The first place further out that is in none; this one where that cannot be told. Of the calls
  /// that are running in this thread one returns to this place.
  Place &outside();
  /// The counts of calls of \p Call that return to it, in \p Of.
  ErgonMpiSite &site(const char *Call, ErgonMpi &Of);

private:
  /// A site in the list of its place.
  struct Known {
    explicit Known(std::string At) : At(std::move(At)) {}

    std::string At;
    ErgonMpiSite Site{};
    Known *Next = nullptr;
  };

  explicit Place(void *Address);

  void *const Address;
  Place *Next = nullptr; ///< of the same bucket
  bool Binding;
  std::atomic<Known *> Sites = nullptr;
};

} // namespace ergon::runtime

#endif
