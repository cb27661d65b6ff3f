// Shock on an unstructured mesh of hexahedra, written as LULESH is: a class with members and accessors, regions of
// elements, reductions of a time step, a command line, timers, output.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

using Index = int;
using Real = double;

class Domain {
public:
  Domain(Index edges, Index regions);
  ~Domain() { delete[] regElemSize_; }
  Index numElem() const { return numElem_; }
  Index &numElem() { return numElem_; }
  Index numNode() const { return numNode_; }
  Index numReg() const { return numReg_; }
  Index regElemSize(Index r) const { return regElemSize_[r]; }
  Index *regElemlist(Index r) { return regElemlist_[r].data(); }
  Index *nodelist(Index e) { return &nodelist_[8 * size_t(e)]; }
  Real &x(Index i) { return x_[size_t(i)]; }
  Real &xd(Index i) { return xd_[size_t(i)]; }
  Real &fx(Index i) { return fx_[size_t(i)]; }
  Real &e(Index i) { return e_[size_t(i)]; }
  Real &p(Index i) { return p_[size_t(i)]; }
  Real &q(Index i) { return q_[size_t(i)]; }
  Real &v(Index i) { return v_[size_t(i)]; }
  Real &mass(Index i) { return mass_[size_t(i)]; }
  Real time = 0, dt = 1e-4, dtcourant = 1e20;
  Index cycle = 0;

private:
  void buildMesh(Index edges);
  void buildRegions(Index regions);
  Index numElem_, numNode_, numReg_, *regElemSize_ = nullptr;
  std::vector<Index> nodelist_;
  std::vector<std::vector<Index>> regElemlist_;
  std::vector<Real> x_, xd_, fx_, e_, p_, q_, v_, mass_;
};

Domain::Domain(Index edges, Index regions)
    : numElem_(edges * edges * edges), numNode_((edges + 1) * (edges + 1) * (edges + 1)), numReg_(regions) {
  nodelist_.resize(8 * size_t(numElem_));
  for (auto *field : {&x_, &xd_, &fx_, &mass_})
    field->resize(size_t(numNode_));
  for (auto *field : {&e_, &p_, &q_, &v_})
    field->resize(size_t(numElem_));
  buildMesh(edges);
  buildRegions(regions);
  e_[0] = 3.948746e+7 * edges / 45.0;
}

void Domain::buildMesh(Index edges) {
  Index rows = edges + 1, node = 0, elem = 0;
  const Real step = 1.125 / edges;
  for (Index plane = 0; plane < rows; ++plane)
    for (Index row = 0; row < rows; ++row) {
      Real x = 0;
      for (Index col = 0; col < rows; ++col, x += step)
        x_[size_t(node++)] = x;
    }
  for (Index plane = 0; plane < edges; ++plane)
    for (Index row = 0; row < edges; ++row)
      for (Index col = 0; col < edges; ++col) {
        Index first = (plane * rows + row) * rows + col, *nodes = nodelist(elem);
        for (Index k = 0; k < 8; ++k)
          nodes[k] = first + (k & 1) + rows * ((k >> 1) & 1) + rows * rows * (k >> 2);
        v(elem++) = 1.0;
      }
  for (Index i = 0; i < numElem_; ++i)
    for (Index k = 0; k < 8; ++k)
      mass_[size_t(nodelist(i)[k])] += 0.125;
}

void Domain::buildRegions(Index regions) {
  regElemSize_ = new Index[regions];
  regElemlist_.resize(size_t(regions));
  unsigned seed = 7;
  for (Index i = 0; i < numElem_; ++i) {
    seed = seed * 1664525u + 1013904223u;
    regElemlist_[(seed >> 16) % unsigned(regions)].push_back(i);
  }
  for (Index r = 0; r < regions; ++r)
    regElemSize_[r] = Index(regElemlist_[size_t(r)].size());
}

static Real volumeOf(const Real x[8]) {
  Real sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += x[2 * k + 1] - x[2 * k];
  return 0.25 * sum;
}

static void gatherNodes(Domain &domain, const Index *nodes, Real out[8]) {
  for (int k = 0; k < 8; ++k)
    out[k] = domain.x(nodes[k]);
}

static void calcForce(Domain &domain) {
  for (Index i = 0; i < domain.numNode(); ++i)
    domain.fx(i) = 0;
  for (Index i = 0; i < domain.numElem(); ++i) {
    const Index *nodes = domain.nodelist(i);
    Real stress = -domain.p(i) - domain.q(i);
    for (int k = 0; k < 8; ++k)
      domain.fx(nodes[k]) += (k & 1 ? -0.25 : 0.25) * stress;
  }
}

static void moveNodes(Domain &domain, Real dt) {
  for (Index i = 0; i < domain.numNode(); ++i) {
    Real xd = domain.xd(i) + domain.fx(i) / domain.mass(i) * dt;
    if (std::fabs(xd) < 1e-7)
      xd = 0;
    domain.xd(i) = xd;
    domain.x(i) += xd * dt;
  }
}

static void calcEnergy(Domain &domain, Real *pNew, Real *eNew, const Index *list, Index size) {
  for (Index i = 0; i < size; ++i) {
    eNew[i] = domain.e(list[i]) - 0.5 * domain.q(list[i]);
    if (eNew[i] < -1e15)
      eNew[i] = -1e15;
  }
  for (Index i = 0; i < size; ++i) {
    pNew[i] = 2.0 / 3.0 * eNew[i] / domain.v(list[i]);
    if (std::fabs(pNew[i]) < 1e-7)
      pNew[i] = 0;
    if (pNew[i] < 0)
      pNew[i] = 0;
  }
}

static void evalRegion(Domain &domain, const Index *list, Index size, int rep) {
  std::unique_ptr<Real[]> p(new Real[size_t(size)]), e(new Real[size_t(size)]);
  for (int j = 0; j < rep; ++j)
    calcEnergy(domain, p.get(), e.get(), list, size);
  for (Index i = 0; i < size; ++i) {
    domain.p(list[i]) = 1e-9 * p[size_t(i)];
    domain.e(list[i]) = e[size_t(i)];
  }
}

static void applyMaterial(Domain &domain) {
  for (Index r = 0; r < domain.numReg(); ++r) {
    int rep = r < domain.numReg() / 2 ? 1 : r < domain.numReg() - 1 ? 2 : 10;
    evalRegion(domain, domain.regElemlist(r), domain.regElemSize(r), rep);
  }
}

static void calcKinematics(Domain &domain, Real dt) {
  std::vector<Real> volumes(size_t(domain.numElem()));
  for (Index i = 0; i < domain.numElem(); ++i) {
    Real x[8];
    gatherNodes(domain, domain.nodelist(i), x);
    volumes[size_t(i)] = volumeOf(x);
  }
  for (Index i = 0; i < domain.numElem(); ++i)
    domain.q(i) = dt * std::sqrt(std::fabs(volumes[size_t(i)])) * 1e-3;
}

static void calcTimeConstraint(Domain &domain) {
  domain.dtcourant = 1e20;
  for (Index r = 0; r < domain.numReg(); ++r) {
    Real least = domain.dtcourant;
    const Index *list = domain.regElemlist(r);
    for (Index i = 0; i < domain.regElemSize(r); ++i) {
      Real speed = domain.p(list[i]) / domain.v(list[i]);
      if (speed > 0) {
        Real limit = 1e-3 / std::sqrt(speed + 1);
        if (limit < least)
          least = limit;
      }
    }
    domain.dtcourant = least;
  }
}

static void timeIncrement(Domain &domain, Real stop) {
  if (domain.dtcourant < 1e19) {
    Real ratio = domain.dtcourant / domain.dt;
    if (ratio > 1.2)
      ratio = 1.2;
    domain.dt *= ratio;
  }
  if (domain.dt > stop - domain.time)
    domain.dt = stop - domain.time;
  domain.time += domain.dt;
  ++domain.cycle;
}

static void lagrangeLeapFrog(Domain &domain) {
  calcForce(domain);
  moveNodes(domain, domain.dt);
  calcKinematics(domain, domain.dt);
  applyMaterial(domain);
  calcTimeConstraint(domain);
}

struct Options {
  int edges = 6, regions = 5, its = 10;
  bool quiet = false;
};

static bool parse(int argc, char **argv, Options &opts) {
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "-s") && i + 1 < argc)
      opts.edges = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-r") && i + 1 < argc)
      opts.regions = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-i") && i + 1 < argc)
      opts.its = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-q"))
      opts.quiet = true;
    else {
      std::fprintf(stderr, "%s: unknown option %s\n", argv[0], argv[i]);
      return false;
    }
  }
  return opts.edges > 0 && opts.regions > 0;
}

int main(int argc, char **argv) {
  Options opts;
  if (!parse(argc, argv, opts))
    return 1;
  auto domain = std::make_unique<Domain>(opts.edges, opts.regions);
  auto start = std::chrono::steady_clock::now();
  while (domain->time < 1e-2 && domain->cycle < opts.its) {
    timeIncrement(*domain, 1e-2);
    lagrangeLeapFrog(*domain);
    if (!opts.quiet)
      std::printf("cycle = %d, time = %e, dt=%e\n", domain->cycle, domain->time, domain->dt);
  }
  std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  Real most = 0, sum = 0;
  for (Index i = 0; i < domain->numElem(); ++i) {
    most = std::fmax(most, std::fabs(domain->e(i)));
    sum += domain->e(i);
  }
  std::printf("Final origin energy %12.6e, greatest %g, sum %g, %.3f s\n", domain->e(0), most, sum, spent.count());
  return 0;
}
