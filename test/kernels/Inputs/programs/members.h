template <int N> class Field {
public:
  void open();
  void close();
  void set(double value);
  void axpy(double a, const Field &x);
  double dot(const Field &with) const;
  void sweep();
private:
  double *data;
  double *buffer;
};
