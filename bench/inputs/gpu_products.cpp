// Simulates the caches of a GPU under the kernels of gpu_products.cu, all warps of a launch in order:
//   gpu_products KERNEL N BLOCK_X BLOCK_Y MULTIPROCESSORS BLOCKS_OF_EACH L1_BYTES L2_BYTES
//
// Multiprocessors take blocks in the order of their numbers as they finish others. Resident warps run their iterations
// in turn. Caches have lines of 128 bytes in four sectors of 32, and forget the line that was used least recently; L1
// has loads alone, stores go through it and are kept up in it, L2 writes back what it forgets. Nothing here is Ergon's.
// Prints the sectors that loads ask of L2, and bytes that DRAM reads and writes while the kernel runs.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

static constexpr unsigned SectorBytes = 32, SectorsOfLine = 4;

struct Line {
  std::uint64_t Number;
  unsigned Present = 0, Dirty = 0; // a bit for each sector
};

/// Least recently used first out, any line anywhere.
class Cache {
public:
  explicit Cache(std::uint64_t Bytes) : Lines(Bytes / (SectorBytes * SectorsOfLine)) {}

  /// The line with that number, new if it must be; what is forgotten for it is put into \p Out.
  Line &use(std::uint64_t Number, Line &Out) {
    Out = {};
    if (auto Known = Where.find(Number); Known != Where.end()) {
      Order.splice(Order.begin(), Order, Known->second);
      return *Known->second;
    }
    if (Order.size() == Lines) {
      Out = Order.back();
      Where.erase(Out.Number);
      Order.pop_back();
    }
    Order.push_front({Number});
    Where[Number] = Order.begin();
    return Order.front();
  }
  Line *find(std::uint64_t Number) {
    auto Known = Where.find(Number);
    return Known == Where.end() ? nullptr : &*Known->second;
  }

private:
  std::size_t Lines;
  std::list<Line> Order;
  std::unordered_map<std::uint64_t, std::list<Line>::iterator> Where;
};

static std::uint64_t AskedOfL2, DramReads, DramWrites; // sectors

static void useL2(Cache &L2, std::uint64_t Sector, bool IsWrite, bool IsWhole) {
  Line Out;
  Line &Here = L2.use(Sector / SectorsOfLine, Out);
  DramWrites += unsigned(__builtin_popcount(Out.Dirty));
  const unsigned Bit = 1U << Sector % SectorsOfLine;
  if (!(Here.Present & Bit) && !(IsWrite && IsWhole))
    ++DramReads;
  Here.Present |= Bit;
  if (IsWrite)
    Here.Dirty |= Bit;
}

/// One request of a warp: the sectors of its lanes, each once.
static void access(Cache &L1, Cache &L2, const std::vector<std::uint64_t> &Addresses, bool IsWrite) {
  std::unordered_map<std::uint64_t, unsigned> Sectors; // and their bytes
  std::vector<std::uint64_t> InOrder;
  for (const std::uint64_t Address : Addresses)
    if ((Sectors[Address / SectorBytes] += 4) == 4)
      InOrder.push_back(Address / SectorBytes);
  for (const std::uint64_t Sector : InOrder) {
    if (IsWrite) {
      useL2(L2, Sector, true, Sectors[Sector] >= SectorBytes);
      continue;
    }
    Line Out;
    Line &Here = L1.use(Sector / SectorsOfLine, Out);
    const unsigned Bit = 1U << Sector % SectorsOfLine;
    if (Here.Present & Bit)
      continue;
    Here.Present |= Bit;
    ++AskedOfL2;
    useL2(L2, Sector, false, false);
  }
}

int main(int Count, char **Words) {
  if (Count != 9) {
    std::fprintf(stderr, "usage: gpu_products KERNEL N BLOCK_X BLOCK_Y MULTIPROCESSORS BLOCKS_OF_EACH L1_BYTES L2_BYTES\n");
    return 2;
  }
  const std::string Kernel = Words[1];
  auto number = [&](int K) { return std::strtoull(Words[K], nullptr, 10); };
  const std::uint64_t N = number(2), BlockX = number(3), BlockY = number(4), Processors = number(5), OfEach = number(6);
  const std::uint64_t A = 0, B = 4 * N * N, C = 2 * 4 * N * N;
  Cache L2(number(8));
  std::vector<Cache> L1(Processors, Cache(number(7)));
  const std::uint64_t Columns = N / BlockX, Blocks = Columns * (N / BlockY), Warps = BlockX * BlockY / 32;

  struct Warp {
    std::uint64_t Block, First, Processor; // the first of its threads
  };
  std::vector<std::vector<Warp>> Resident; // by place
  std::vector<std::uint64_t> Done;         // iterations, by place
  std::uint64_t Next = 0;
  auto begin = [&](std::size_t Place) {
    Resident[Place].clear();
    Done[Place] = 0;
    if (Next == Blocks)
      return;
    for (std::uint64_t W = 0; W != Warps; ++W)
      Resident[Place].push_back({Next, 32 * W, Place % Processors});
    ++Next;
  };
  Resident.resize(Processors * OfEach);
  Done.resize(Resident.size());
  for (std::size_t Place = 0; Place != Resident.size(); ++Place)
    begin(Place);
  std::vector<std::uint64_t> OfA(32), OfB(32), OfC(32);
  for (bool IsBusy = true; IsBusy;) {
    IsBusy = false;
    for (std::size_t Place = 0; Place != Resident.size(); ++Place) {
      for (const Warp &W : Resident[Place]) {
        const std::uint64_t K = Done[Place];
        for (unsigned Lane = 0; Lane != 32; ++Lane) {
          const std::uint64_t Thread = W.First + Lane;
          const std::uint64_t Column = W.Block % Columns * BlockX + Thread % BlockX, Row = W.Block / Columns * BlockY + Thread / BlockX;
          OfA[Lane] = A + 4 * (Row * N + K);
          OfB[Lane] = B + 4 * (Kernel == "product_of_rows" ? Column * N + K : K * N + Column);
          OfC[Lane] = C + 4 * (Kernel == "product_in_columns" ? Column * N + Row : Row * N + Column);
        }
        Cache &Near = L1[W.Processor];
        access(Near, L2, OfA, false);
        access(Near, L2, OfB, false);
        access(Near, L2, OfC, false);
        access(Near, L2, OfC, true);
      }
      if (Resident[Place].empty())
        continue;
      IsBusy = true;
      if (++Done[Place] == N)
        begin(Place);
    }
  }
  std::printf("%llu %llu %llu\n", (unsigned long long)(AskedOfL2), (unsigned long long)(DramReads * SectorBytes),
              (unsigned long long)(DramWrites * SectorBytes));
}
