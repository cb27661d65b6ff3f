//===- CollinearClasses.cpp - collinear cost classes ----------------------===//

#include "model/fit/CollinearClasses.h"
#include "model/symbolic/Wording.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ergon {

/// Two columns count as proportional if the sine of the angle between them is below this, and a
/// column as dependent if the sine of its angle to the space of the others is: about the accuracy
/// of energies.
static constexpr double CollinearityTolerance = 0.03;
/// A dependent class lists another class only if that class's coefficient (columns normalised) is
/// above this.
static constexpr double MinShare = 0.1;

/// Cosines between the columns of counts and, last, of time; each per joule of its row.
static Eigen::MatrixXd cosines(const Samples &S) {
  const auto Rows = Eigen::Index(S.Rows.size()), Columns = Eigen::Index(S.Classes.size());
  Eigen::MatrixXd A(Rows, Columns + 1);
  for (Eigen::Index R = 0; R != Rows; ++R) {
    const Sample &Row = S.Rows[R];
    // Normalises each row, so that long and short runs weigh the same.
    const double Weight = Row.EnergyJ.value_or(Row.TimeS);
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
      return std::sqrt(std::max(0.0, 1 - Cosine * Cosine)) < CollinearityTolerance;
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
       Class + " is a linear combination of " + listed(Others) +
           " in all rows, within 3 %: its cost cannot be determined separately");
  Report.Dependent.push_back({std::move(Class), std::move(Others)});
}

void findCollinear(const Samples &S, SampleReport &Report) {
  if (S.Rows.size() <= S.Classes.size())
    return; // underdetermined: all classes would be dependent
  const Eigen::MatrixXd Cosines = cosines(S);
  const Eigen::Index Time = Cosines.cols() - 1;
  auto NameOf = [&](Eigen::Index Column) {
    return Column == Time ? "constant" : S.Classes[Column];
  };
  std::vector<Eigen::Index> Remaining; // one of each group
  for (const std::vector<Eigen::Index> &Group : proportional(Cosines)) {
    Remaining.push_back(Group.front());
    if (Group.front() == Time) {
      for (std::size_t K = 1; K != Group.size(); ++K)
        addDependent(Report, NameOf(Group[K]), {NameOf(Time)});
    } else if (Group.size() > 1) {
      std::vector<std::string> &Names = Report.Proportional.emplace_back();
      std::ranges::transform(Group, std::back_inserter(Names), NameOf);
      warn(Report, "proportional-classes",
           listed(Names) + " are proportional in all rows, within 3 %: their separate costs cannot "
                           "be determined");
    }
  }
  // The part of column c orthogonal to the others has the squared length 1/(G⁻¹)_cc, and the
  // others' coefficients in it are -(G⁻¹)_cj/(G⁻¹)_cc.
  while (Remaining.size() > 1) {
    const auto Size = Eigen::Index(Remaining.size());
    const Eigen::MatrixXd Inverse =
        (Cosines(Remaining, Remaining) + 1e-12 * Eigen::MatrixXd::Identity(Size, Size)).inverse();
    Eigen::Index Dependent = 0; // not time, which is first
    const double MaxInflation = Inverse.diagonal().tail(Size - 1).maxCoeff(&Dependent);
    ++Dependent;
    if (MaxInflation * CollinearityTolerance * CollinearityTolerance < 1)
      return;
    std::vector<std::string> Others;
    for (Eigen::Index K = 0; K != Size; ++K)
      if (K != Dependent && std::abs(Inverse(Dependent, K) / MaxInflation) > MinShare)
        Others.push_back(NameOf(Remaining[K]));
    addDependent(Report, NameOf(Remaining[Dependent]), std::move(Others));
    Remaining.erase(Remaining.begin() + Dependent);
  }
}

} // namespace ergon
