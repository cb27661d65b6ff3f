//===- LibraryCxx.cpp - libstdc++ in interpreted code ---------------------===//
//
// What a program's code calls of std::map, std::set and std::chrono; the rest of them is in its own
// code, as templates. The layout of trees is that of libstdc++'s ABI:
// bits/stl_tree.h of GCC 12.
//
//===----------------------------------------------------------------------===//

#include "model/library/LibraryCall.h"

#include <algorithm>

namespace ergon::code {

//===----------------------------------------------------------------------===//
// Trees: nodes with a colour, a parent, a left and a right node. The node behind the last one is
// red; its parent is the root, its left and right nodes are the first and the last.
//===----------------------------------------------------------------------===//

namespace {
class Tree {
public:
  explicit Tree(Memory &Objects) : Objects(Objects) {}

  /// Balanced as libstdc++ does it: how long the program's loops search depends on it. Nothing
  /// where the tree is not known.
  std::optional<Value> insert(bool IsLeft, const Value &Node, const Value &Parent,
                              const Value &Header);
  std::optional<Value> increment(const Value &Node) { return next(Node, Left, Right); }
  std::optional<Value> decrement(const Value &Node);

private:
  static constexpr std::uint64_t Colour = 0, Up = 8, Left = 16, Right = 24;
  static constexpr std::uint64_t Red = 0, Black = 1;
  static constexpr unsigned MaxNodes = 10'000;

  Memory &Objects;

  Value get(const Value &Node, std::uint64_t Which) const {
    return Objects.load(moved(Node, Which), Which == Colour ? 4 : 8);
  }
  void set(const Value &Node, std::uint64_t Which, const Value &What) {
    Objects.store(moved(Node, Which), Which == Colour ? 4 : 8, What);
  }
  static bool isNull(const Value &Node) { return Node.isInteger() && Node.Bits == 0; }
  std::optional<Value> next(Value Node, std::uint64_t Before, std::uint64_t Behind) const;
  static std::uint64_t otherSide(std::uint64_t Side) { return Left + Right - Side; }
  bool isRed(const Value &Node) const { return get(Node, Colour) == Value::integer(Red); }
  bool rotate(const Value &Node, std::uint64_t To, const Value &Header);
  bool balance(Value Node, const Value &Header);
};
} // namespace

std::optional<Value> Tree::insert(bool IsLeft, const Value &Node, const Value &Parent,
                                  const Value &Header) {
  if (!Node.isPointer() || !Parent.isPointer() || !Header.isPointer())
    return std::nullopt;
  set(Node, Up, Parent);
  set(Node, Left, Value::integer(0));
  set(Node, Right, Value::integer(0));
  set(Node, Colour, Value::integer(Red));
  set(Parent, IsLeft ? Left : Right, Node);
  if (Parent == Header) { // the first node
    set(Header, Up, Node);
    set(Header, Left, Node);
    set(Header, Right, Node);
  } else if (Parent == get(Header, IsLeft ? Left : Right)) {
    set(Header, IsLeft ? Left : Right, Node);
  }
  return balance(Node, Header) ? std::optional(Value::unknown()) : std::nullopt;
}

/// Turns \p Node down to the side \p To: its child of the other side takes its place.
bool Tree::rotate(const Value &Node, std::uint64_t To, const Value &Header) {
  const Value Child = get(Node, otherSide(To)), Parent = get(Node, Up);
  if (!Child.isPointer() || !Parent.isPointer())
    return false;
  const Value Inner = get(Child, To);
  if (!Inner.isKnown())
    return false;
  set(Node, otherSide(To), Inner);
  if (!isNull(Inner))
    set(Inner, Up, Node);
  set(Child, Up, Parent);
  if (get(Header, Up) == Node)
    set(Header, Up, Child);
  else
    set(Parent, get(Parent, Left) == Node ? Left : Right, Child);
  set(Child, To, Node);
  set(Node, Up, Child);
  return true;
}

/// A red node has black children, and all ways to leaves have as many black nodes, also behind the
/// insertion of \p Node, which is red.
bool Tree::balance(Value Node, const Value &Header) {
  while (get(Header, Up) != Node && isRed(get(Node, Up))) {
    const Value Parent = get(Node, Up), Above = get(Parent, Up);
    const std::uint64_t Side = get(Above, Left) == Parent ? Left : Right;
    const Value Uncle = get(Above, otherSide(Side));
    if (!Above.isPointer() || !Uncle.isKnown() ||
        (Uncle.isPointer() && !get(Uncle, Colour).isInteger()))
      return false;
    if (Uncle.isPointer() && isRed(Uncle)) {
      set(Parent, Colour, Value::integer(Black));
      set(Uncle, Colour, Value::integer(Black));
      set(Above, Colour, Value::integer(Red));
      Node = Above;
      continue;
    }
    if (get(Parent, otherSide(Side)) == Node) {
      Node = Parent;
      if (!rotate(Node, Side, Header))
        return false;
    }
    set(get(Node, Up), Colour, Value::integer(Black));
    set(Above, Colour, Value::integer(Red));
    if (!rotate(Above, otherSide(Side), Header))
      return false;
  }
  const Value Root = get(Header, Up), Parent = get(Node, Up);
  set(Root, Colour, Value::integer(Black));
  return Root.isPointer() && (Root == Node || get(Parent, Colour).isInteger());
}

/// The nearest node in the direction \p Behind.
std::optional<Value> Tree::next(Value Node, std::uint64_t Before, std::uint64_t Behind) const {
  unsigned Visited = 0;
  if (Value Child = get(Node, Behind); !isNull(Child)) {
    for (; Child.isPointer() && ++Visited != MaxNodes; Child = get(Node, Before))
      Node = Child;
    return isNull(Child) ? std::optional(Node) : std::nullopt;
  }
  Value Parent = get(Node, Up);
  while (Parent.isPointer() && ++Visited != MaxNodes && get(Parent, Behind) == Node) {
    Node = Parent;
    Parent = get(Parent, Up);
  }
  if (!Parent.isPointer() || Visited == MaxNodes)
    return std::nullopt;
  // From the root, which is last, to the node behind it.
  return get(Node, Behind) == Parent ? Node : Parent;
}

std::optional<Value> Tree::decrement(const Value &Node) {
  const Value Is = get(Node, Colour), Parent = get(Node, Up);
  if (!Is.isInteger() || !Parent.isPointer())
    return std::nullopt;
  if (Is.Bits == Red && get(Parent, Up) == Node)
    return get(Node, Right);
  return next(Node, Right, Left);
}

static std::optional<Value> callTree(const LibraryCall &Call) {
  Tree Nodes(Call.Now.Objects);
  if (Call.Name == "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_") {
    const Value IsLeft = Call.argument(0);
    return IsLeft.isInteger()
               ? Nodes.insert(IsLeft.Bits & 1, Call.argument(1), Call.argument(2), Call.argument(3))
               : std::nullopt;
  }
  auto Is = [&](std::string_view Start) {
    return Call.Name.starts_with(Start) && Call.Name.ends_with("St18_Rb_tree_node_base");
  };
  const bool IsForward = Is("_ZSt18_Rb_tree_increment");
  if (!IsForward && !Is("_ZSt18_Rb_tree_decrement"))
    return std::nullopt;
  const Value Node = Call.argument(0);
  const auto Found = !Node.isPointer() ? std::nullopt
                     : IsForward       ? Nodes.increment(Node)
                                       : Nodes.decrement(Node);
  return Found.value_or(Value::unknown()); // neither writes
}

static std::optional<Value> callClock(const LibraryCall &Call) {
  static constexpr std::string_view Reading[] = {"_ZNSt6chrono3_V212steady_clock3nowEv",
                                                 "_ZNSt6chrono3_V212system_clock3nowEv"};
  return std::ranges::find(Reading, Call.Name) == std::end(Reading)
             ? std::nullopt
             : std::optional(Value::unknown());
}

/// dynamic_cast, from an object, whose table of virtual functions has its type and where it begins,
/// to a type: known for the object's own type, and for types with one base class each.
static std::optional<Value> callCast(const LibraryCall &Call) {
  if (Call.Name != "__dynamic_cast")
    return std::nullopt;
  static constexpr std::int64_t BeginAt = -16, TypeAt = -8, BaseAt = 16;
  static constexpr unsigned MaxBases = 100;
  const Memory &Objects = Call.Now.Objects;
  const Value From = Call.argument(0), Wanted = Call.argument(2), Table = Objects.load(From, 8),
              Begin = Objects.load(moved(Table, BeginAt), 8);
  Value Type = Objects.load(moved(Table, TypeAt), 8);
  for (unsigned Bases = 0; Type.isPointer() && Wanted.isPointer() && Bases != MaxBases; ++Bases) {
    if (Type == Wanted) // bases of which there is one begin where the object does
      return Begin.isInteger() ? moved(From, std::int64_t(Begin.Bits)) : Value::unknown();
    const Value Kind = Objects.load(Type, 8);
    if (Kind.isPointer() && Kind.Object == Call.Library.NoBase)
      return Value::integer(0);
    Type = Kind.isPointer() && Kind.Object == Call.Library.SingleBase
               ? Objects.load(moved(Type, BaseAt), 8)
               : Value::unknown();
  }
  return Value::unknown();
}

std::optional<Value> callCxx(const LibraryCall &Call) {
  if (auto Result = callCast(Call))
    return Result;
  if (!Call.Name.starts_with("_ZN") && !Call.Name.starts_with("_ZSt"))
    return std::nullopt;
  for (auto Try : {callTree, callClock})
    if (auto Result = Try(Call))
      return Result;
  return std::nullopt;
}

} // namespace ergon::code
