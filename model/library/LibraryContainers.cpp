//===- LibraryContainers.cpp - hash tables and lists in interpreted code --===//
//
// What a program's code calls of std::unordered_map and what is like it, and of std::list; the rest
// of them is in its own code, as templates. How many buckets a table has decides the order of its
// elements: libstdc++ of GCC 12, bits/hashtable_policy.h and stl_list.h.
//
//===----------------------------------------------------------------------===//

#include "model/library/LibraryCall.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ergon::code {

/// std::hash of a text: MurmurHash64A (A. Appleby, in the public domain), as _Hash_bytes has it.
static std::uint64_t hashOf(std::string_view Text, std::uint64_t Seed) {
  static constexpr std::uint64_t Factor = 0xc6a4a7935bd1e995;
  auto Mix = [](std::uint64_t Bits) { return Bits ^ Bits >> 47; };
  std::uint64_t Result = Seed ^ Text.size() * Factor;
  for (; !Text.empty(); Text.remove_prefix(std::min<std::size_t>(Text.size(), 8))) {
    std::uint64_t Word = 0;
    for (std::size_t I = 0; I != std::min<std::size_t>(Text.size(), 8); ++I)
      Word |= std::uint64_t(static_cast<unsigned char>(Text[I])) << (8 * I);
    Result = (Result ^ (Text.size() >= 8 ? Mix(Word * Factor) * Factor : Word)) * Factor;
  }
  return Mix(Mix(Result) * Factor);
}

/// Numbers of buckets, as _M_next_bkt returns them; larger tables are not known.
static constexpr std::uint64_t Buckets[] = {
    1,      2,      3,      5,      7,      11,     13,     17,     19,     23,     29,     31,
    37,     41,     43,     47,     53,     59,     61,     67,     71,     73,     79,     83,
    89,     97,     103,    109,    113,    127,    137,    139,    149,    157,    167,    179,
    193,    199,    211,    227,    241,    257,    277,    293,    313,    337,    359,    383,
    409,    439,    467,    503,    541,    577,    619,    661,    709,    761,    823,    887,
    953,    1031,   1109,   1193,   1289,   1381,   1493,   1613,   1741,   1879,   2029,   2179,
    2357,   2549,   2753,   2971,   3209,   3469,   3739,   4027,   4349,   4703,   5087,   5503,
    5953,   6427,   6949,   7517,   8123,   8783,   9497,   10273,  11113,  12011,  12983,  14033,
    15173,  16411,  17749,  19183,  20753,  22447,  24281,  26267,  28411,  30727,  33223,  35933,
    38873,  42043,  45481,  49201,  53201,  57557,  62233,  67307,  72817,  78779,  85229,  92203,
    99733,  107897, 116731, 126271, 136607, 147793, 159871, 172933, 187091, 202409, 218971, 236897,
    256279, 277261, 299951, 324503, 351061, 379787, 410857, 444487, 480881, 520241, 562841, 608903};

namespace {
/// std::__detail::_Prime_rehash_policy: how full a table may be, and how many elements it takes
/// before it needs more buckets.
class RehashPolicy {
public:
  RehashPolicy(const Value &This, Memory &Objects)
      : Objects(Objects), This(This), Load(Objects.load(This, 4, /*IsReal=*/true)),
        Limit(Objects.load(moved(This, LimitAt), 8)) {}

  std::optional<std::uint64_t> bucketsFrom(std::uint64_t Fewest) const;
  std::optional<Value> needsRehash(const Value &Has, const Value &Elements, const Value &New) const;

private:
  static constexpr std::int64_t LimitAt = 8;
  Memory &Objects;
  Value This, Load, Limit;

  void setLimit(std::uint64_t Buckets) const {
    Objects.store(moved(This, LimitAt), 8,
                  Value::integer(std::uint64_t(std::floor(double(Buckets) * Load.number()))));
  }
};
} // namespace

/// At least \p Fewest.
std::optional<std::uint64_t> RehashPolicy::bucketsFrom(std::uint64_t Fewest) const {
  const std::uint64_t *Found = std::ranges::lower_bound(Buckets, Fewest);
  // Among small numbers, 2 stands for 1.
  const std::uint64_t *Result = Fewest == 1 ? Buckets + 1 : Found;
  if (!Load.isReal() || Result == std::end(Buckets))
    return std::nullopt;
  if (Fewest != 0)
    setLimit(*Result);
  return *Result;
}

/// A bool and a number of buckets, as an object.
std::optional<Value> RehashPolicy::needsRehash(const Value &Has, const Value &Elements,
                                               const Value &New) const {
  static constexpr std::uint64_t AtFirst = 11, Growth = 2;
  if (!Load.isReal() || !(Load.number() > 0) || !Limit.isInteger() || !Has.isInteger() ||
      !Elements.isInteger() || !New.isInteger())
    return std::nullopt;
  const std::uint64_t Wanted = Elements.Bits + New.Bits;
  std::uint64_t Result = 0;
  if (Wanted > Limit.Bits) {
    const double Fewest = double(std::max(Wanted, Limit.Bits != 0 ? 0 : AtFirst)) / Load.number();
    if (Fewest >= double(Has.Bits)) {
      const auto Found =
          bucketsFrom(std::max(std::uint64_t(std::floor(Fewest)) + 1, Has.Bits * Growth));
      if (!Found)
        return std::nullopt;
      Result = *Found;
    } else {
      setLimit(Has.Bits);
    }
  }
  const Value Both = Value::pointer(Objects.add(Object()), 0);
  Objects.store(Both, 1, Value::integer(Result != 0));
  Objects.store(moved(Both, 8), 8, Value::integer(Result));
  return Both;
}

static std::optional<Value> callHashTable(const LibraryCall &Call) {
  static constexpr std::string_view Policy = "_ZNKSt8__detail20_Prime_rehash_policy";
  Memory &Objects = Call.Now.Objects;
  const Value Size = Call.argument(1), Seed = Call.argument(2);
  if (Call.Name == "_ZSt11_Hash_bytesPKvmm") {
    const auto Text = Size.isInteger() ? Objects.bytes(Call.argument(0), Size.Bits) : std::nullopt;
    return Text && Seed.isInteger() ? Value::integer(hashOf(*Text, Seed.Bits)) : Value::unknown();
  }
  if (!Call.Name.starts_with(Policy))
    return std::nullopt;
  const std::string_view Member = Call.Name.substr(Policy.size());
  const RehashPolicy Of(Call.argument(0), Objects);
  std::optional<Value> Result;
  if (Member == "14_M_need_rehashEmmm")
    Result = Of.needsRehash(Size, Seed, Call.argument(3));
  else if (Member != "11_M_next_bktEm")
    return std::nullopt;
  else if (const auto Found = Size.isInteger() ? Of.bucketsFrom(Size.Bits) : std::nullopt)
    Result = Value::integer(*Found);
  if (!Result)
    Objects.forget(Call.argument(0));
  return Result.value_or(Value::unknown());
}

/// Nodes of a list: the next and the one before, in a circle.
static std::optional<Value> callList(const LibraryCall &Call) {
  static constexpr std::string_view Scope = "_ZNSt8__detail15_List_node_base";
  static constexpr std::int64_t Before = 8;
  if (!Call.Name.starts_with(Scope))
    return std::nullopt;
  const std::string_view Member = Call.Name.substr(Scope.size());
  Memory &Objects = Call.Now.Objects;
  auto Link = [&](const Value &First, const Value &Second) {
    Objects.store(First, 8, Second);
    Objects.store(moved(Second, Before), 8, First);
  };
  auto Previous = [&](const Value &Node) { return Objects.load(moved(Node, Before), 8); };
  const Value This = Call.argument(0), First = Call.argument(1), Last = Call.argument(2);
  std::vector<std::pair<Value, Value>> Links;
  if (Member == "7_M_hookEPS0_") // in front of the argument
    Links = {{Previous(First), This}, {This, First}};
  else if (Member == "9_M_unhookEv")
    Links = {{Previous(This), Objects.load(This, 8)}};
  else if (Member == "11_M_transferEPS0_S1_" && This.isPointer() && (This == Last || First == Last))
    return Value::unknown();
  else if (Member == "11_M_transferEPS0_S1_") // the nodes from one to another go in front
    Links = {{Previous(This), First}, {Previous(Last), This}, {Previous(First), Last}};
  const bool AreKnown = std::ranges::all_of(Links, [](const auto &Each) {
    return Each.first.isPointer() && Each.first.HasOffset && Each.second.isPointer() &&
           Each.second.HasOffset;
  });
  if (Links.empty() || !AreKnown)
    return std::nullopt;
  for (const auto &[Left, Right] : Links)
    Link(Left, Right);
  return Value::unknown();
}

std::optional<Value> callContainers(const LibraryCall &Call) {
  auto Result = callHashTable(Call);
  return Result ? Result : callList(Call);
}

} // namespace ergon::code
