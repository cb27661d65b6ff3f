//===- Library.h - the MPI that the program has loaded ----------*- C++ -*-===//

#pragma once

#include <mpi.h>

namespace ergon::runtime {

/// The symbol that would be used without this library: the next one in the loader's order or, where
/// MPI came by dlopen and there is none, that of the module that \p Caller is in. Null where no
/// module has it.
void *symbolBehind(const char *Name, const void *Caller);

/// The functions of MPI that counting calls, by the names that no library wraps.
struct Library {
  decltype(&PMPI_Comm_rank) Rank;
  decltype(&PMPI_Comm_size) Size;
  decltype(&PMPI_Comm_remote_size) RemoteSize;
  decltype(&PMPI_Comm_test_inter) IsInter;
  decltype(&PMPI_Type_size_x) TypeSize;
  decltype(&PMPI_Topo_test) Topology;
  decltype(&PMPI_Cartdim_get) Dimensions;
  decltype(&PMPI_Cart_shift) Shift;
  decltype(&PMPI_Graph_neighbors_count) NumNeighbours;
  decltype(&PMPI_Graph_neighbors) Neighbours;
  decltype(&PMPI_Dist_graph_neighbors_count) NumTargets;
  decltype(&PMPI_Dist_graph_neighbors) Targets;
  MPI_Comm World;
  bool IsWhole; ///< all of the above are there: it is Open MPI, of MPI 3 at least

  /// The process's one MPI. \p Caller: an address in what calls it.
  static const Library &of(const void *Caller);
};

} // namespace ergon::runtime
