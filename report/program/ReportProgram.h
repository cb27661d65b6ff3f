//===- ReportProgram.h - answers the questions of a report ------*- C++ -*-===//
//
// A report's records and machines, opened once, and questions about them: JSON in, JSON out.
// docs/report.md lists the questions. The command and the page ask the same program, so that
// there is one copy of each formula.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "predict/answer/EntryPredictor.h"
#include "report/program/LineCosts.h"
#include "report/program/ReportData.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// A question, and the function, values and machine that it is about.
struct ReportRequest {
  std::string What;
  std::optional<std::size_t> Function{};
  std::vector<GivenValue> Values{};
  std::string Machine{}; ///< empty: none
  Setting Clocks{};
  std::string Flops{}; ///< a class, of roofs; empty: the first that has all
  std::optional<std::size_t> From{}, Count{};
};

class ReportProgram {
public:
  /// Error: a record, profile or description that is none, or a function that is not there.
  /// \p Notice is told of records of which one was chosen.
  static std::expected<std::unique_ptr<ReportProgram>, Error> open(ReportData Data,
                                                                   NoticeHandler Notice = {});

  /// The answer to \p Request as JSON; `{"error": …}` where something is wrong with it.
  std::string answer(std::string_view Request);

private:
  /// A function that is shown.
  struct Shown {
    FunctionRef Ref;
    std::size_t Record;
    std::vector<MeasuredRun> Runs{}; ///< at the values of Data.Set, on the first machine
    /// To predict with and without accesses, made when they are needed.
    std::optional<EntryPredictor> WithAccesses{}, Plain{};
    std::unique_ptr<const FunctionLines> Lines{};
  };

  explicit ReportProgram(ReportData Read);
  std::expected<void, Error> openRecords(NoticeHandler Notice);
  void openRuns();

  ReportData Data;
  std::vector<Machine> Machines;
  std::shared_ptr<RecordStore> Store;
  std::shared_ptr<LibraryStore> Libraries;
  std::optional<CountedRecords> Costs, All;
  std::vector<Shown> Functions;
  std::optional<Error> Failure; ///< in the record of something that is called

  std::expected<std::string, Error> answerTo(const ReportRequest &Asked);
  std::expected<Shown *, Error> shown(const ReportRequest &Asked);
  std::expected<const Function *, Error> load(const Shown &S);
  /// The machine that is asked for; null where none is. Error: there is no such machine.
  std::expected<const Machine *, Error> machine(const ReportRequest &Asked) const;
  std::expected<PredictionTarget, Error> target(const ReportRequest &Asked) const;
  /// The measured runs of \p S; none where they had other values or another machine.
  std::vector<MeasuredRun> runsOf(const Shown &S, const ReportRequest &Asked) const;
  /// What predicts \p S with the values that are asked for.
  std::expected<EntryPredictor *, Error> predictor(Shown &S, const ReportRequest &Asked,
                                                   const PredictionTarget &Target);
  /// Symbols without a value are estimated, but in a strict report. \p Target gets the measured
  /// runs of \p S.
  std::expected<PredictionDocument, Error> predictFor(Shown &S, const ReportRequest &Asked,
                                                      PredictionTarget &Target, Spread Wanted);
  /// The page's name of the file of a position in \p S.
  std::string shownPath(const Shown &S, const std::string &Path) const;

  // The answers.
  std::expected<std::string, Error> prediction(const ReportRequest &Asked);
  std::expected<std::string, Error> profile(const ReportRequest &Asked);
  std::expected<nlohmann::ordered_json, Error> program();
  std::expected<nlohmann::ordered_json, Error> functions(const ReportRequest &Asked);
  std::expected<nlohmann::ordered_json, Error> lines(const ReportRequest &Asked);
  std::expected<nlohmann::ordered_json, Error> loops(const ReportRequest &Asked);
  std::expected<nlohmann::ordered_json, Error> roofs(const ReportRequest &Asked) const;
  std::expected<nlohmann::ordered_json, Error> settings(const ReportRequest &Asked);
};

} // namespace ergon
