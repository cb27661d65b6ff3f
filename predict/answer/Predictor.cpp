//===- Predictor.cpp - what recorded programs cost ------------------------===//
//
// The part that reads files: the rest of this room works without a file system.
//
//===----------------------------------------------------------------------===//

#include "predict/answer/Predictor.h"
#include "predict/store/MachineStore.h"
#include "predict/store/RunStore.h"

namespace ergon {

std::expected<CountedRecords, Error> CountedRecords::open(const RecordSource &From, Detail HowMuch,
                                                          const NoticeHandler &Notice,
                                                          std::vector<Error> *Skipped,
                                                          const std::string &DataFolder) {
  auto Opened = RecordStore::open(From, HowMuch, Notice, Skipped);
  if (!Opened)
    return std::unexpected(Opened.error());
  auto Described = LibraryStore::open(From.Libraries, DataFolder);
  if (!Described)
    return std::unexpected(Described.error());
  return CountedRecords(std::make_shared<RecordStore>(std::move(*Opened)),
                        std::make_shared<LibraryStore>(std::move(*Described)), HowMuch);
}

std::expected<CountedRecords, Error>
CountedRecords::withRuns(const std::vector<std::string> &Paths) const {
  auto Counted = openRuns(Paths);
  if (!Counted)
    return std::unexpected(Counted.error());
  return CountedRecords(std::make_shared<RecordStore>(Store->withRuns(std::move(*Counted))),
                        Libraries, HowMuch);
}

std::expected<Predictor, Error> Predictor::open(const PredictorOptions &Options) {
  auto M = loadNamedMachine(Options.Machine, Options.DataFolder);
  if (!M)
    return std::unexpected(M.error());
  auto Target = targetOf(std::move(*M), Options.Target);
  if (!Target)
    return std::unexpected(Target.error());
  auto Opened = CountedRecords::open(Options.Records, Target->detail(), Options.Notice, nullptr,
                                     Options.DataFolder);
  if (!Opened)
    return std::unexpected(Opened.error());
  return Predictor(std::move(*Target), std::move(*Opened));
}

std::expected<EntryPredictor, Error> Predictor::entry(const FunctionQuery &Wanted) {
  auto Found = Records.find(Wanted);
  if (!Found)
    return std::unexpected(Found.error());
  return EntryPredictor(std::move(*Found), Wanted.Entry, OtherNames::Refused, Target);
}

} // namespace ergon
