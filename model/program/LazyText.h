//===- LazyText.h - a text that is read when it is asked for ----*- C++ -*-===//
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace ergon {

/// A text that may be long and that few questions need: whoever has it says how to get it.
class LazyText {
public:
  /// One that is there, or empty.
  LazyText() = default;
  LazyText(std::string Text) : Text(std::move(Text)) {}
  LazyText(const char *Text) : Text(Text) {}
  /// \p Read is called when the text is asked for, once; it yields one that is not empty, and what
  /// it refers to must live as long as this and its copies.
  explicit LazyText(std::function<std::string()> Read) : Read(std::move(Read)) {}

  /// Whether there is none; known without reading it.
  bool empty() const { return Text.empty() && !Read; }
  /// The text, which is read if it was not.
  const std::string &text() const {
    if (Read) {
      Text = Read();
      Read = nullptr;
    }
    return Text;
  }
  operator std::string_view() const { return text(); }

private:
  mutable std::string Text;
  mutable std::function<std::string()> Read;
};

} // namespace ergon
