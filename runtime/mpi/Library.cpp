//===- Library.cpp - the MPI that the program has loaded ------------------===//

#include "runtime/mpi/Library.h"

#include <dlfcn.h>

namespace ergon::runtime {

void *symbolBehind(const char *Name, const void *Caller) {
  if (void *Found = dlsym(RTLD_NEXT, Name))
    return Found;
  Dl_info DI;
  if (!dladdr(Caller, &DI) || !DI.dli_fname)
    return nullptr;
  void *Module = dlopen(DI.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!Module)
    return nullptr;
  void *Found = dlsym(Module, Name); // in it, or in what it is linked to
  dlclose(Module);
  return Found;
}

namespace {

Library open(const void *Caller) {
  Library Result{};
  Result.IsWhole = true;
  auto Find = [&]<typename Function>(Function &Target, const char *Name) {
    Target = reinterpret_cast<Function>(symbolBehind(Name, Caller));
    Result.IsWhole &= Target != nullptr;
  };
  Find(Result.Rank, "PMPI_Comm_rank");
  Find(Result.Size, "PMPI_Comm_size");
  Find(Result.RemoteSize, "PMPI_Comm_remote_size");
  Find(Result.IsInter, "PMPI_Comm_test_inter");
  Find(Result.TypeSize, "PMPI_Type_size_x");
  Find(Result.Topology, "PMPI_Topo_test");
  Find(Result.Dimensions, "PMPI_Cartdim_get");
  Find(Result.Shift, "PMPI_Cart_shift");
  Find(Result.NumNeighbours, "PMPI_Graph_neighbors_count");
  Find(Result.Neighbours, "PMPI_Graph_neighbors");
  Find(Result.NumTargets, "PMPI_Dist_graph_neighbors_count");
  Find(Result.Targets, "PMPI_Dist_graph_neighbors");
  Find(Result.World, "ompi_mpi_comm_world"); // MPI_COMM_WORLD, without linking to it
  return Result;
}

} // namespace

const Library &Library::of(const void *Caller) {
  static const Library Only = open(Caller);
  return Only;
}

} // namespace ergon::runtime
