//===- TrafficQuery.h - what is asked of traffic ----------------*- C++ -*-===//
#pragma once

#include "formats/json/Error.h"
#include "model/machine/Machine.h"
#include "model/traffic/TrafficReport.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The address and size of a program's object.
struct ObjectAddress {
  std::string Object{};                   ///< its name: a pointer parameter, a global
  std::optional<std::uint64_t> Address{}; ///< in bytes; absent: on pages of its own
  std::optional<std::uint64_t> Bytes{};   ///< where accesses to it go anywhere
  std::string Source{};                   ///< where it was given, for messages
};

/// The caches between code and memory, and the method of traffic prediction.
struct TrafficQuery {
  bool IsWanted = true;
  /// Absent: from footprints and reuse, where the machine's caches are known.
  std::optional<TrafficMethod> Method{};
  std::optional<std::vector<Cache>> Caches{}; ///< in the place of the machine's
  std::vector<ObjectAddress> Addresses{};     ///< of a host's objects
  unsigned Cores = 1; ///< that are at work: each has its part of a cache that they share
  bool Warm = false;  ///< the caches hold what a run that did the same has left in them
};

/// A query with the caches of a machine.
struct TrafficRequest {
  TrafficMethod How = TrafficMethod::Analytic;
  std::vector<Cache> Caches; ///< at least one
  bool Device = false;       ///< they are a GPU's
  bool IsExplicit = false;   ///< it was asked for, so that it is an error if it cannot be
  std::vector<ObjectAddress> Addresses;
  unsigned Cores = 1;
  bool Warm = false;
};
/// \p Query with the caches of \p M where it names none. Nothing where no traffic is predicted.
/// Error: requested caches that are unknown.
std::expected<std::optional<TrafficRequest>, Error> requestTraffic(const TrafficQuery &Query,
                                                                   const Machine *M);

/// Puts the objects of \p Places at their addresses, and makes them as large as they say. Error:
/// no such object.
std::expected<Placement, Error> placeObjects(AccessProgram &Program,
                                             const std::vector<ObjectAddress> &Places);

} // namespace ergon
