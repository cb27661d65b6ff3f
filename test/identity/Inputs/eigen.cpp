// Eigen's matrix product: packing, blocking and a kernel, all from templates.
#include <Eigen/Dense>
Eigen::MatrixXd product(const Eigen::MatrixXd &a, const Eigen::MatrixXd &b) { return a * b; }
