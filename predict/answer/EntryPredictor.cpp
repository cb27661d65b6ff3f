//===- EntryPredictor.cpp - repeated predictions of a function ------------===//

#include "predict/answer/EntryPredictor.h"

#include <algorithm>
#include <utility>

namespace ergon {

EntryPredictor::EntryPredictor(std::unique_ptr<CountedEntry> Counted, std::string Name,
                               OtherNames Others, std::shared_ptr<const PredictionTarget> PT)
    : Entry(std::move(Counted)), Name(std::move(Name)), Others(Others), Target(std::move(PT)) {}

void EntryPredictor::set(GivenValue Value) {
  std::erase_if(Values, [&](const GivenValue &GV) { return GV.Name == Value.Name; });
  Values.push_back(std::move(Value));
}

const std::expected<EntryCounts, Error> &EntryPredictor::counts() {
  if (!Last || Last->Values != Values) {
    std::set<std::size_t> Elsewhere;
    Last.emplace(Values,
                 Entry->counts(Values, Others == OtherNames::Ignored ? &Elsewhere : nullptr));
  }
  return Last->Counted;
}

std::expected<PredictionDocument, Error> EntryPredictor::predict(const PredictionTarget &Target) {
  const std::expected<EntryCounts, Error> &Counted = counts();
  if (!Counted)
    return std::unexpected(Counted.error());
  return ergon::predict(*Entry, *Counted, Target, Name);
}

std::expected<PredictionDocument, Error> EntryPredictor::predict() {
  return predict(Target ? *Target : PredictionTarget{});
}

} // namespace ergon
