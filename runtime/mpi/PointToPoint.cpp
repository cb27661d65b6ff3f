//===- PointToPoint.cpp - messages between two processes ------------------===//
//
// A message counts where it is sent, when the call that starts it has returned.
//
//===----------------------------------------------------------------------===//

#include "runtime/mpi/Mpi.h"

#include <map>
#include <mutex>

using namespace ergon::runtime;

#define ERGON_SEND(Name, RequestName)                                                              \
  ERGON_COUNTED_TWICE(                                                                             \
      Name, RequestName,                                                                           \
      (const void *Data, int Count, MPI_Datatype Type, int To, int Tag, MPI_Comm Comm),            \
      (Data, Count, Type, To, Tag, Comm), messageTo(To, Count, Type))
ERGON_SEND(Send, Isend)
ERGON_SEND(Ssend, Issend)
ERGON_SEND(Bsend, Ibsend)
ERGON_SEND(Rsend, Irsend)
#undef ERGON_SEND

ERGON_COUNTED(Sendrecv,
              (const void *Data, int Count, MPI_Datatype Type, int To, int SendTag, void *Result,
               int RecvCount, MPI_Datatype RecvType, int From, int RecvTag, MPI_Comm Comm,
               MPI_Status *Status),
              (Data, Count, Type, To, SendTag, Result, RecvCount, RecvType, From, RecvTag, Comm,
               Status),
              messageTo(To, Count, Type))

ERGON_COUNTED(Sendrecv_replace,
              (void *Data, int Count, MPI_Datatype Type, int To, int SendTag, int From, int RecvTag,
               MPI_Comm Comm, MPI_Status *Status),
              (Data, Count, Type, To, SendTag, From, RecvTag, Comm, Status),
              messageTo(To, Count, Type))

//===----------------------------------------------------------------------===//
// Requests that are made once and started often
//===----------------------------------------------------------------------===//

namespace {

/// What starting a request sends. One that is not here sends nothing.
class Prepared {
public:
  void put(MPI_Request Request, Sent What) {
    std::lock_guard Lock(Changing);
    SentByRequest[Request] = What;
  }
  MPI_Request *drop(MPI_Request *Request) {
    std::lock_guard Lock(Changing);
    SentByRequest.erase(*Request);
    return Request;
  }
  Sent of(MPI_Request Request) {
    std::lock_guard Lock(Changing);
    auto Found = SentByRequest.find(Request);
    return Found == SentByRequest.end() ? Sent{} : Found->second;
  }

private:
  std::mutex Changing;
  std::map<MPI_Request, Sent> SentByRequest;
};

Prepared &prepared() {
  static Prepared &Only = *new Prepared; // calls may come while the process ends
  return Only;
}

Sent started(int Count, const MPI_Request *Requests) {
  Sent Result;
  for (int I = 0; I != Count; ++I)
    Result += prepared().of(Requests[I]);
  return Result;
}

} // namespace

#define ERGON_PREPARE(Name)                                                                        \
  ERGON_COUNTED(Name,                                                                              \
                (const void *Data, int Count, MPI_Datatype Type, int To, int Tag, MPI_Comm Comm,   \
                 MPI_Request *Request),                                                            \
                (Data, Count, Type, To, Tag, Comm, Request),                                       \
                prepared().put(*Request, messageTo(To, Count, Type)))
ERGON_PREPARE(Send_init)
ERGON_PREPARE(Ssend_init)
ERGON_PREPARE(Bsend_init)
ERGON_PREPARE(Rsend_init)
#undef ERGON_PREPARE

// Handles come again: another kind of request may have this one's.
ERGON_COUNTED(Request_free, (MPI_Request * Request), (prepared().drop(Request)), void())

ERGON_COUNTED(Start, (MPI_Request * Request), (Request), started(1, Request))
ERGON_COUNTED(Startall, (int Count, MPI_Request *Requests), (Count, Requests),
              started(Count, Requests))
