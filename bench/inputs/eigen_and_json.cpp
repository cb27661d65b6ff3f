// One large translation unit of code that nobody here wrote: Eigen and nlohmann/json, instantiated
// as a numerical program would. The compile-time benchmark compiles it.
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <nlohmann/json.hpp>
#include <map>
#include <string>
#include <vector>
using Json = nlohmann::json;
using Matrix = Eigen::MatrixXd;
Matrix product(const Matrix &a, const Matrix &b) { return a * b; }
Matrix solve(const Matrix &a, const Matrix &b) { return a.partialPivLu().solve(b); }
Matrix qr(const Matrix &a, const Matrix &b) { return a.colPivHouseholderQr().solve(b); }
Matrix svd(const Matrix &a) { return a.jacobiSvd(Eigen::ComputeThinU | Eigen::ComputeThinV).matrixU(); }
Eigen::VectorXd eigenvalues(const Matrix &a) { return Eigen::SelfAdjointEigenSolver<Matrix>(a).eigenvalues(); }
Matrix fromJson(const Json &j) {
  Matrix m(j.size(), j.at(0).size());
  for (std::size_t r = 0; r < j.size(); ++r)
    for (std::size_t c = 0; c < j[r].size(); ++c) m(r, c) = j[r][c].get<double>();
  return m;
}
Json toJson(const Matrix &m) {
  Json j = Json::array();
  for (int r = 0; r < m.rows(); ++r) { Json row = Json::array(); for (int c = 0; c < m.cols(); ++c) row.push_back(m(r, c)); j.push_back(row); }
  return j;
}
Json merge(const std::string &a, const std::string &b) { Json x = Json::parse(a), y = Json::parse(b); x.merge_patch(y); return Json::parse(x.dump()); }
std::map<std::string, std::vector<double>> table(const Json &j) { return j.get<std::map<std::string, std::vector<double>>>(); }
Eigen::VectorXd cg(const Eigen::SparseMatrix<double> &a, const Eigen::VectorXd &b) { Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> s(a); return s.solve(b); }
