//===- Driver.h - a GPU by CUDA's driver ------------------------*- C++ -*-===//
//
// The driver is loaded at run time: nothing of CUDA is linked. Clocks, power limits and the like
// are left as they are; there is no function here that could set one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/machine/Occupancy.h"

#include "model/symbolic/Error.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace ergon::cuda {

template <class T> using Result = std::expected<T, Error>;

struct Properties {
  std::string Name, Uuid; ///< `GPU-…`, as NVML writes it
  int DriverVersion = 0;  ///< of the CUDA that the driver has: 13000 for 13.0
  ComputeCapability Capability;
  unsigned Multiprocessors = 0, ThreadsPerMultiprocessor = 0;
  std::uint64_t L2Bytes = 0, FreeBytes = 0, TotalBytes = 0;
  bool LoadsInL1 = false; ///< of global memory
};

struct DriverFunctions;

/// Memory of the GPU, or of the host that the GPU can read by itself.
class Memory {
public:
  Memory() = default;
  /// Memory has one owner, which frees it.
  Memory(Memory &&M) noexcept;
  Memory &operator=(Memory &&M) noexcept;
  ~Memory();
  /// The address and size in bytes on the GPU; 0 where there is none.
  std::uint64_t address() const { return Address; }
  std::uint64_t bytes() const { return Bytes; }

private:
  friend class Gpu;
  const DriverFunctions *Functions = nullptr;
  std::uint64_t Address = 0, Bytes = 0;
  bool Host = false;
};

struct Kernel;

/// What a launch is given: the parameters that all kernels have.
struct Launch {
  unsigned Blocks = 1, Threads = 1;
  unsigned Iterations = 1, Count = 0;
  std::uint64_t InputAddress = 0, OutputAddress = 0;
};

/// One GPU with the kernels that are loaded into it. Everything that is asked of it goes in one
/// queue and is done in order.
class Gpu {
public:
  /// The device of that number, as CUDA_VISIBLE_DEVICES lets be seen; \p Driver is the library.
  static Result<std::unique_ptr<Gpu>> open(const std::string &Driver, unsigned Number);
  /// Frees what was loaded, and the context.
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  /// What the driver said of the GPU when it was opened.
  const Properties &properties() const { return Described; }
  /// Loads a fat binary. Error: nothing in it is for this GPU.
  Result<void> load(const std::string &Image);
  /// Null where what was loaded has none of that name for this GPU.
  Kernel *find(const std::string &Name);
  /// Blocks of so many threads that a multiprocessor holds at once.
  Result<unsigned> residentBlocks(Kernel *K, unsigned Threads);

  /// Memory of the GPU, or of the host where the GPU can read and write it. Error: there is no room
  /// for \p Bytes.
  Result<Memory> allocate(std::uint64_t Bytes);
  Result<Memory> allocateHost(std::uint64_t Bytes);
  /// Copies \p Bytes from the host again and again, until \p Target is full.
  Result<void> fill(const Memory &Target, const void *From, std::size_t Bytes);
  /// Copies \p Bytes of \p From to the host's memory at \p Target; does not wait for the queue.
  Result<void> read(void *Target, const Memory &From, std::size_t Bytes);

  // In the queue.
  Result<void> launch(Kernel *K, const Launch &L);
  Result<void> copyToDevice(const Memory &Target, const Memory &From, std::uint64_t Bytes);
  Result<void> copyToHost(const Memory &Target, const Memory &From, std::uint64_t Bytes);
  Result<void> copyWithin(const Memory &Target, const Memory &From, std::uint64_t Bytes);
  /// Puts a mark into the queue. There are two, 0 and 1, and secondsBetween() tells the time
  /// between them.
  Result<void> mark(unsigned Which);

  /// Whether the queue has passed that mark.
  Result<bool> passed(unsigned Which);
  /// Waits until the queue is empty.
  Result<void> wait();
  /// Seconds from mark 0 to mark 1, which were passed.
  Result<double> secondsBetween();

private:
  struct State;
  std::unique_ptr<State> Held;
  Properties Described;

  explicit Gpu(std::unique_ptr<State> S);
  const DriverFunctions &driver() const;
  /// What the driver said, as an error.
  Result<void> check(int Status, const char *Doing) const;
  Result<Memory> allocateBy(std::uint64_t Bytes, bool OnHost);
};

} // namespace ergon::cuda
