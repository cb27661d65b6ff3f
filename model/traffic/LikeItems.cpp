//===- LikeItems.cpp - loops of a program that do the same ----------------===//

#include "model/traffic/LikeItems.h"

#include <bit>
#include <optional>

namespace ergon {

namespace {
/// All that the analysis reads of an item, as numbers; nothing where a formula is not affine.
class ItemWriter {
public:
  explicit ItemWriter(const ProgramForm &Program) : Program(Program) {}

  std::optional<std::vector<std::int64_t>> write(const LoopForm::Item &I) {
    FirstAccess = I.FirstAccess;
    add(I);
    return IsAffine ? std::optional(std::move(Key)) : std::nullopt;
  }

private:
  const ProgramForm &Program;
  std::vector<std::int64_t> Key;
  unsigned FirstAccess = 0;
  bool IsAffine = true;

  void add(double Number) { Key.push_back(std::bit_cast<std::int64_t>(Number)); }
  void add(const std::optional<IntegerFormula> &Formula) {
    IsAffine &= !Formula || Formula->affine();
    Key.push_back(Formula ? 1 : 0);
    if (!Formula || !IsAffine)
      return;
    Key.push_back(Formula->affine()->Constant);
    Key.push_back(std::int64_t(Formula->affine()->Steps.size()));
    Key.insert(Key.end(), Formula->affine()->Steps.begin(), Formula->affine()->Steps.end());
  }
  void add(const std::vector<Condition> &All) {
    Key.push_back(std::int64_t(All.size()));
    for (const Condition &C : All)
      add(std::optional(C));
  }
  void add(const AccessForm &AF) {
    IsAffine &= !AF.Anywhere && !AF.IsLoose;
    for (std::int64_t Number :
         {std::int64_t(AF.Access->What), std::int64_t(AF.Access->Object),
          std::int64_t(AF.Access->Bytes), std::int64_t(AF.Access->NonTemporal), AF.Base,
          std::int64_t(AF.IsAffine), std::int64_t(AF.Like) - std::int64_t(FirstAccess)})
      Key.push_back(Number);
    add(AF.Share);
    add(AF.Offset);
    add(AF.Conditions);
  }
  void add(const LoopForm::Item &I) {
    Key.push_back(I.Inner ? 1 : 0);
    add(I.Share);
    add(I.Conditions);
    if (I.Inner) {
      const LoopForm &Form = *I.Inner;
      add(Form.Mean);
      add(Form.Last);
      Key.push_back(Form.Highest.value_or(-1));
      add(Form.Bounds);
      Key.push_back(Form.IsAffine);
      Key.push_back(std::int64_t(Form.Items.size()));
      for (const LoopForm::Item &Inner : Form.Items)
        add(Inner);
      return;
    }
    Key.push_back(std::int64_t(I.EndAccess - I.FirstAccess));
    for (unsigned A = I.FirstAccess; A != I.EndAccess; ++A)
      add(Program.accesses()[A]);
  }
};
} // namespace

void LikeItems::number(const LoopForm &Form, const ProgramForm &Program) {
  for (const LoopForm::Item &I : Form.Items) {
    unsigned &Number = Numbers[&I] = Next;
    // One item has no other to be like.
    if (auto Key = Form.Items.size() > 1 ? ItemWriter(Program).write(I) : std::nullopt)
      Number = Known.try_emplace(std::move(*Key), Next).first->second;
    Next += Number == Next;
    if (I.Inner)
      number(*I.Inner, Program);
  }
}

LikeItems::LikeItems(const ProgramForm &Program) { number(Program.body(), Program); }

} // namespace ergon
