// Runs one kernel of device_kernels.cu, suite_kernels.cu or warp_kernels.cu under the shim and
// prints its counts as JSON; with SHIM_TRACE also what the requests of its warps take.
//
// usage: program KERNEL GRIDXxGRIDYxGRIDZ BLOCKXxBLOCKYxBLOCKZ [INTEGER…]
// The integers are the kernel's integer arguments, in order; a struct's are its own.
#include "device_kernels.cu"
#include "suite_kernels.cu"
#undef INDEX
#include "warp_kernels.cu"

#undef float
#undef double
#undef for
#undef while
using namespace shim;

static std::vector<int> Integers;
static std::size_t NextInteger = 0;

/// An argument: the next integer, a number, or a buffer with numbers in it.
template <class T> T argument() {
  if constexpr (std::is_same_v<T, int>) {
    return Integers.at(NextInteger++);
  } else if constexpr (std::is_pointer_v<T>) {
    using Element = std::remove_const_t<std::remove_pointer_t<T>>;
    constexpr std::size_t Size = 1 << 16;
    auto *Buffer = reinterpret_cast<Element *>(Arena.data() + ArenaUsed);
    ArenaUsed += Size * sizeof(Element);
    if (ArenaUsed > Arena.size())
      std::abort();
    if constexpr (!std::is_same_v<Element, Particle> && !std::is_same_v<Element, float4>)
      for (std::size_t I = 0; I != Size; ++I)
        Buffer[I].raw() =
            std::is_integral_v<decltype(Buffer[I].read())> ? int(I * 7 % 1000) : int(I % 13) + 1;
    return Buffer;
  } else if constexpr (std::is_same_v<T, Scaling>) {
    return Scaling{1.5f, 2.5f, Integers.at(NextInteger++)};
  } else if constexpr (std::is_same_v<T, Box> || std::is_same_v<T, const Box>) {
    NextInteger += 3;
    return Box{Integers.at(NextInteger - 3), Integers[NextInteger - 2], Integers[NextInteger - 1],
               1.5f};
  } else {
    return T(1.5f);
  }
}

template <class... Arguments> void run(void (*Kernel)(Arguments...), Index Blocks, Index Threads) {
  std::tuple<Arguments...> Values{argument<Arguments>()...};
  Counts.clear();
  launch(Blocks, Threads, [&] { std::apply(Kernel, Values); });
}

static Index indexFrom(const char *Text) {
  Index Result;
  std::sscanf(Text, "%ux%ux%u", &Result.x, &Result.y, &Result.z);
  return Result;
}

int main(int Count, char **Words) {
  if (Count < 4)
    return 2;
  std::string Name = Words[1];
  Index Blocks = indexFrom(Words[2]), Threads = indexFrom(Words[3]);
  for (int I = 4; I < Count; ++I)
    Integers.push_back(std::atoi(Words[I]));
  bool Found = false;
#define KERNEL(NAME)                                                                               \
  if (Name == #NAME)                                                                               \
    Found = true, run(NAME, Blocks, Threads);
  KERNEL(saxpy)
  KERNEL(vector_add)
  KERNEL(daxpy)
  KERNEL(haxpy)
  KERNEL(scaled)
  KERNEL(arrays_of_structs) KERNEL(structs_of_arrays) KERNEL(polynomial<7>) KERNEL(outlined)
      KERNEL(black_scholes) KERNEL(stencil_2d) KERNEL(stencil_3d) KERNEL(jacobi_3d)
          KERNEL(transpose) KERNEL(convolution) KERNEL(convolution_rows) KERNEL(matmul)
              KERNEL(matmul_ragged) KERNEL(spmv_ell) KERNEL(n_body) KERNEL(reduce)
                  KERNEL(reduce_fixed<128>) KERNEL(dot) KERNEL(warp_sums) KERNEL(scan_128)
                      KERNEL(scan_tree) KERNEL(histogram) KERNEL(butterfly) KERNEL(bitonic)
                          KERNEL(mandelbrot) KERNEL(scalar_products) KERNEL(wide_step)
                              KERNEL(tiles_of_rows) KERNEL(triangle) KERNEL(eliminate_column)
                                  KERNEL(eliminate_rest) KERNEL(diagonal) KERNEL(wavefront)
                                      KERNEL(pyramid_1d) KERNEL(pyramid_2d) KERNEL(stencil_planes)
                                          KERNEL(nearest) KERNEL(frontier) KERNEL(boxed)
                                              KERNEL(reduce_shuffled<128>)
                                                  KERNEL(reduce_interleaved) KERNEL(pairs)
#define WARP_KERNELS(OF)                                                                           \
  OF(copy_offset)                                                                                  \
  OF(copy_stride)                                                                                  \
  OF(copy_reversed) OF(copy_bytes) OF(copy_shorts) OF(copy_four) OF(scale_four) OF(broadcast)      \
      OF(copy_pieces) OF(copy_plane) OF(gather) OF(transpose_naive) OF(transpose_tiled<32>)        \
          OF(transpose_tiled<33>) OF(transpose_doubles) OF(banks_stride) OF(banks_bytes)           \
              OF(banks_doubles) OF(banks_four) OF(reduce_strided) OF(histogram_own)                \
                  OF(stencil_halo) OF(stencil_plane_halo) OF(lookup) OF(local_rows) OF(lower_rows) \
                      OF(lower_columns) OF(nested) OF(either_way)
                                                      WARP_KERNELS(KERNEL) if (!Found) return 2;
  std::printf("{");
  const char *Between = "";
  for (const auto &[Class, Times] : Counts) {
    std::printf("%s\"%s\": %ld", Between, Class.c_str(), Times);
    Between = ", ";
  }
#ifdef SHIM_TRACE
  std::printf("%s\"warps\": {", Between);
  Between = "";
  for (const auto &[What, Sums] : Requests) {
    std::printf("%s\"%s\": [%ld, %ld, %ld, %ld, %ld, %ld]", Between, What.c_str(), Sums.Requests,
                Sums.Threads, Sums.Sectors, Sums.Lines, Sums.Passes, Sums.Addresses);
    Between = ", ";
  }
  std::printf("}");
#endif
  std::printf("}\n");
}
