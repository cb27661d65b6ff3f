//===- CollinearClasses.cpp - collinear cost classes ----------------------===//

#include "model/fit/CollinearClasses.h"
#include "model/symbolic/Wording.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ergon {

/// The distance of a column from a multiple of another, relative to its length, up to which they
/// count as proportional: about the accuracy of energies.
static constexpr double Limit = 0.03;
/// A column depends on another if that contributes at least this share of its length.
static constexpr double Part = 0.1;

/// Cosines between the columns of counts and, last, of time; each per joule of its row.
static Eigen::MatrixXd cosines(const Samples &S) {
  const auto Rows = Eigen::Index(S.Rows.size()), Columns = Eigen::Index(S.Classes.size());
  Eigen::MatrixXd A(Rows, Columns + 1);
  for (Eigen::Index R = 0; R != Rows; ++R) {
    const Sample &Row = S.Rows[R];
    const double Weight = Row.EnergyJ.value_or(Row.TimeS); // gives rows of any length the same
                                                           // weight
    for (Eigen::Index C = 0; C != Columns; ++C)
      A(R, C) = *Row.Counts[C] / Weight;
    A(R, Columns) = Row.TimeS / Weight;
  }
  A.colwise().normalize();
  return A.transpose() * A;
}

/// Groups of proportional columns, with that of time first; most groups hold one.
static std::vector<std::vector<Eigen::Index>> proportional(const Eigen::MatrixXd &Cosines) {
  std::vector<std::vector<Eigen::Index>> Groups = {{Cosines.cols() - 1}};
  for (Eigen::Index C = 0; C != Cosines.cols() - 1; ++C) {
    auto IsProportional = [&](const std::vector<Eigen::Index> &Group) {
      const double Cosine = Cosines(Group.front(), C);
      return std::sqrt(std::max(0.0, 1 - Cosine * Cosine)) < Limit;
    };
    auto Found = std::ranges::find_if(Groups, IsProportional);
    if (Found == Groups.end())
      Groups.push_back({C});
    else
      Found->push_back(C);
  }
  return Groups;
}

static void warn(SampleReport &Report, std::string Id, std::string Text) {
  Report.Findings.push_back({std::move(Id), Severity::Warning, std::move(Text)});
}

static void addDependent(SampleReport &Report, std::string Class, std::vector<std::string> Others) {
  warn(Report, "dependent-class",
       Class + " follows from " + listed(Others) +
           " in all rows, to 3 %: what it costs cannot be told from theirs");
  Report.Dependent.push_back({std::move(Class), std::move(Others)});
}

void findCollinear(const Samples &S, SampleReport &Report) {
  if (S.Rows.size() <= S.Classes.size())
    return; // everything would be
  const Eigen::MatrixXd Cosines = cosines(S);
  const Eigen::Index Time = Cosines.cols() - 1;
  auto NameOf = [&](Eigen::Index Column) {
    return Column == Time ? "constant" : S.Classes[Column];
  };
  std::vector<Eigen::Index> Left; // one of each group
  for (const std::vector<Eigen::Index> &Group : proportional(Cosines)) {
    Left.push_back(Group.front());
    if (Group.front() == Time) {
      for (std::size_t K = 1; K != Group.size(); ++K)
        addDependent(Report, NameOf(Group[K]), {NameOf(Time)});
    } else if (Group.size() > 1) {
      std::vector<std::string> &Names = Report.Proportional.emplace_back();
      std::ranges::transform(Group, std::back_inserter(Names), NameOf);
      warn(Report, "proportional-classes",
           listed(Names) + " are proportional in all rows, to 3 %: what each of them costs cannot "
                           "be told");
    }
  }
  // The part of column c orthogonal to the others has the squared length 1/(G⁻¹)_cc, and the
  // others' coefficients in it are -(G⁻¹)_cj/(G⁻¹)_cc.
  while (Left.size() > 1) {
    const auto Size = Eigen::Index(Left.size());
    const Eigen::MatrixXd Inverse =
        (Cosines(Left, Left) + 1e-12 * Eigen::MatrixXd::Identity(Size, Size)).inverse();
    Eigen::Index Which = 0; // not time, which is first
    const double Most = Inverse.diagonal().tail(Size - 1).maxCoeff(&Which);
    ++Which;
    if (Most * Limit * Limit < 1)
      return;
    std::vector<std::string> Others;
    for (Eigen::Index K = 0; K != Size; ++K)
      if (K != Which && std::abs(Inverse(Which, K) / Most) > Part)
        Others.push_back(NameOf(Left[K]));
    addDependent(Report, NameOf(Left[Which]), std::move(Others));
    Left.erase(Left.begin() + Which);
  }
}

} // namespace ergon
