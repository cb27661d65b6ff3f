//===- LikeItems.h - loops of a program that do the same --------*- C++ -*-===//

#pragma once

#include "model/traffic/ProgramForm.h"

#include <map>

namespace ergon {

/// Large programs run the same loops on the same objects again and again: a function that is called
/// often is many loops of the access program. What one of them does is analysed once.
class LikeItems {
public:
  /// Of all loops of \p Program, which must outlive it.
  explicit LikeItems(const ProgramForm &Program);

  /// Items of one loop that have the same number touch the same lines of the same objects in the
  /// same order, in the same iteration of the loops around them.
  unsigned numberOf(const LoopForm::Item &I) const { return Numbers.at(&I); }

private:
  using Key = std::vector<std::int64_t>;
  std::map<const LoopForm::Item *, unsigned> Numbers;
  std::map<Key, unsigned> Known;
  unsigned Next = 0;

  void number(const LoopForm &Form, const ProgramForm &Program);
};

} // namespace ergon
