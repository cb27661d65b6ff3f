//===- CompactVector.h - a vector of the size of a pointer ------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

namespace ergon {

/// What a program has millions of, most of them empty, as products of atoms are: its size is in
/// front of its elements. Names follow std::vector's.
template <typename T> class CompactVector {
public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  /// Empty, or with copies of the elements; a moved one is empty.
  CompactVector() = default;
  CompactVector(std::initializer_list<T> Elements) { append(Elements.begin(), Elements.end()); }
  CompactVector(const CompactVector &Other) {
    if (Other.Elements)
      append(Other.begin(), Other.end());
  }
  CompactVector(CompactVector &&Other) noexcept
      : Elements(std::exchange(Other.Elements, nullptr)) {}
  CompactVector &operator=(CompactVector Other) noexcept {
    std::swap(Elements, Other.Elements);
    return *this;
  }
  ~CompactVector() {
    if (Elements)
      release();
  }

  /// As of std::vector.
  bool empty() const { return size() == 0; }
  std::size_t size() const { return Elements ? header().Size : 0; }
  T *begin() { return Elements; }
  T *end() { return Elements + size(); }
  const T *begin() const { return Elements; }
  const T *end() const { return Elements + size(); }
  T &operator[](std::size_t Index) { return Elements[Index]; }
  const T &operator[](std::size_t Index) const { return Elements[Index]; }
  T &front() { return *begin(); }
  const T &front() const { return *begin(); }
  T &back() { return *(end() - 1); }
  const T &back() const { return *(end() - 1); }

  /// These move the elements, or those behind what is erased.
  void reserve(std::size_t Capacity) {
    if (Capacity > (Elements ? header().Capacity : 0))
      grow(Capacity);
  }
  void push_back(T Element) {
    if (!Elements || header().Size == header().Capacity)
      grow(std::max<std::size_t>(2 * size(), 1));
    new (end()) T(std::move(Element));
    ++header().Size;
  }
  template <typename... Parts> void emplace_back(Parts &&...Each) {
    push_back(T(std::forward<Parts>(Each)...));
  }
  void erase(T *First, T *Last) {
    T *const NewEnd = std::move(Last, end(), First);
    std::destroy(NewEnd, end());
    if (Elements)
      header().Size = std::uint32_t(NewEnd - begin());
  }
  void erase(T *Position) { erase(Position, Position + 1); }

private:
  struct Header {
    std::uint32_t Size, Capacity;
  };
  static_assert(alignof(T) <= sizeof(Header));
  T *Elements = nullptr; ///< null, or behind a header

  Header &header() const { return reinterpret_cast<Header *>(Elements)[-1]; }
  void append(const T *Begin, const T *End) {
    reserve(std::size_t(End - Begin));
    for (; Begin != End; ++Begin)
      push_back(*Begin);
  }
  void grow(std::size_t Capacity) {
    auto *const New = static_cast<Header *>(::operator new(sizeof(Header) + Capacity * sizeof(T)));
    *New = {std::uint32_t(size()), std::uint32_t(Capacity)};
    T *const To = reinterpret_cast<T *>(New + 1);
    if (Elements) {
      std::uninitialized_move(begin(), end(), To);
      release();
    }
    Elements = To;
  }
  void release() {
    std::destroy(begin(), end());
    ::operator delete(&header());
  }
};

/// Erases the elements for which \p Matches holds.
template <typename T, typename Predicate> void erase_if(CompactVector<T> &From, Predicate Matches) {
  From.erase(std::remove_if(From.begin(), From.end(), Matches), From.end());
}

} // namespace ergon
