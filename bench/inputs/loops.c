/* Sixty loops: streams, reductions, recurrences, rows and columns, small constant loops, indirect accesses, branches. n elements, or m rows of m elements. */
#include "loops.h"
#include <math.h>

/* Streams. */
LOOP(shift_scale) {
  for (long i = 0; i < n; i++)
    a[i] = 0.5 * b[i] + 3.0;
  return 0;
}
RESTRICTED(three_in) {
  for (long i = 0; i < n; i++)
    a[i] = b[i] * c[i] + d[i];
  return 0;
}
RESTRICTED(quotients) {
  for (long i = 0; i < n; i++)
    a[i] = b[i] / (c[i] + 2.0);
  return 0;
}
RESTRICTED(float_triad) {
  for (long i = 0; i < n; i++)
    x[i] = y[i] + 3.0f * z[i];
  return 0;
}
RESTRICTED(clipped) {
  for (long i = 0; i < n; i++)
    a[i] = b[i] < 0.25 ? 0.25 : b[i] > 0.75 ? 0.75 : b[i];
  return 0;
}
RESTRICTED(reversed) {
  for (long i = 0; i < n; i++)
    a[i] = b[n - 1 - i];
  return 0;
}
RESTRICTED(real_parts) {
  for (long i = 0; i < n / 2; i++)
    a[i] = b[2 * i] * b[2 * i] + b[2 * i + 1] * b[2 * i + 1];
  return 0;
}
RESTRICTED(complex_products) {
  for (long i = 0; i < n / 2; i++) {
    a[2 * i] = b[2 * i] * c[2 * i] - b[2 * i + 1] * c[2 * i + 1];
    a[2 * i + 1] = b[2 * i] * c[2 * i + 1] + b[2 * i + 1] * c[2 * i];
  }
  return 0;
}
RESTRICTED(every_fifth) {
  for (long i = 0; i < n / 5; i++)
    a[5 * i] = b[5 * i] + 1.0;
  return 0;
}
RESTRICTED(lengths) {
  for (long i = 0; i < n / 3; i++)
    a[i] = sqrt(b[3 * i] * b[3 * i] + b[3 * i + 1] * b[3 * i + 1] + b[3 * i + 2] * b[3 * i + 2]);
  return 0;
}
RESTRICTED(blend) {
  for (long i = 0; i < n; i++)
    s[i] = (s[i] * 77 + t[i] * 179) >> 8;
  return 0;
}
RESTRICTED(to_double) {
  for (long i = 0; i < n; i++)
    a[i] = p[i];
  return 0;
}
RESTRICTED(to_int) {
  for (long i = 0; i < n; i++)
    p[i] = (int)(x[i] * 100.0f);
  return 0;
}
RESTRICTED(fill) {
  for (long i = 0; i < n; i++)
    a[i] = 1.5;
  return 0;
}
RESTRICTED(hashes) {
  for (long i = 0; i < n; i++)
    q[i] = (p[i] * 0x45d9f3b) ^ (p[i] >> 7);
  return 0;
}
LOOP(split_in_two) {
  for (long i = 0; i < n / 2; i++) {
    a[i] = c[2 * i];
    b[i] = c[2 * i + 1];
  }
  return 0;
}
RESTRICTED(two_of_one) {
  for (long i = 0; i < n; i++) {
    a[i] = c[i] + d[i];
    b[i] = c[i] - d[i];
  }
  return 0;
}
LOOP(chosen_array) {
  for (long i = 0; i < n; i++) {
    const double *from = i < n / 3 ? b : c;
    a[i] = a[i] + 2.0 * from[i];
  }
  return 0;
}

/* Reductions. */
RESTRICTED(sum_floats) {
  float sum = 0;
  for (long i = 0; i < n; i++)
    sum += x[i];
  return sum;
}
RESTRICTED(sum_four) {
  double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  for (long i = 0; i + 3 < n; i += 4) {
    sum0 += a[i];
    sum1 += a[i + 1];
    sum2 += a[i + 2];
    sum3 += a[i + 3];
  }
  return sum0 + sum1 + sum2 + sum3;
}
RESTRICTED(sum_ints) {
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += p[i];
  return sum;
}
RESTRICTED(differences) {
  int sum = 0;
  for (long i = 0; i < n; i++)
    sum += s[i] > t[i] ? s[i] - t[i] : t[i] - s[i];
  return sum;
}
RESTRICTED(largest) {
  double best = a[0];
  for (long i = 1; i < n; i++)
    best = a[i] > best ? a[i] : best;
  return best;
}
RESTRICTED(place_of_largest) {
  int best = p[0];
  long place = 0;
  for (long i = 1; i < n; i++)
    if (p[i] > best) {
      best = p[i];
      place = i;
    }
  return place;
}
RESTRICTED(count_small) {
  long count = 0;
  for (long i = 0; i < n; i++)
    count += a[i] < 0.5;
  return count;
}
RESTRICTED(two_products) {
  double first = 0, second = 0;
  for (long i = 0; i < n; i++) {
    first += a[i] * b[i];
    second += a[i] * c[i];
  }
  return first + second;
}
RESTRICTED(squares_of_differences) {
  double sum = 0;
  for (long i = 0; i < n; i++) {
    double difference = a[i] - b[i];
    sum += difference * difference;
  }
  return sum;
}
RESTRICTED(sum_of_quotients) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum += 1.0 / (a[i] + 1.0);
  return sum;
}
RESTRICTED(bits_set) {
  long count = 0;
  for (long i = 0; i < n; i++)
    count += __builtin_popcount(p[i]);
  return count;
}
RESTRICTED(sum_of_logs) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum += log(a[i] + 1.0);
  return sum;
}

/* Recurrences. */
RESTRICTED(smoothed) {
  double level = a[0];
  for (long i = 0; i < n; i++) {
    level = 0.9 * level + 0.1 * a[i];
    b[i] = level;
  }
  return level;
}
RESTRICTED(prefix_sums) {
  for (long i = 1; i < n; i++)
    a[i] = a[i - 1] + b[i];
  return 0;
}
RESTRICTED(second_order) {
  for (long i = 2; i < n; i++)
    a[i] = b[i] + 0.3 * a[i - 1] - 0.2 * a[i - 2];
  return 0;
}
RESTRICTED(distance_eight) {
  for (long i = 8; i < n; i++)
    a[i] = 0.5 * a[i - 8] + b[i];
  return 0;
}
RESTRICTED(tridiagonal) {
  for (long i = 1; i < n; i++) {
    double factor = b[i] / (c[i - 1] + 3.0);
    c[i] = 0.5 * c[i] - factor;
    d[i] = d[i] - factor * d[i - 1];
  }
  return 0;
}
RESTRICTED(random_numbers) {
  unsigned state = 1;
  for (long i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = state * 2.3283064e-10f;
  }
  return state;
}
RESTRICTED(running_maximum) {
  double best = 0;
  for (long i = 0; i < n; i++) {
    best = b[i] > best ? b[i] : best;
    a[i] = best;
  }
  return best;
}
RESTRICTED(horner) {
  double value = 0;
  for (long i = 0; i < n; i++)
    value = value * 0.99 + a[i];
  return value;
}
RESTRICTED(checksum) {
  unsigned first = 1, second = 0;
  for (long i = 0; i < n; i++) {
    first = (first + s[i]) & 0xffff;
    second = (second + first) & 0xffff;
  }
  return first + second;
}

/* Rows and columns: m rows of m elements. */
RESTRICTED(row_sums) {
  for (long i = 0; i < m; i++) {
    double sum = 0;
    for (long j = 0; j < m; j++)
      sum += a[i * m + j];
    b[i] = sum;
  }
  return 0;
}
RESTRICTED(column_sums) {
  for (long j = 0; j < m; j++)
    b[j] = 0;
  for (long i = 0; i < m; i++)
    for (long j = 0; j < m; j++)
      b[j] += a[i * m + j];
  return 0;
}
RESTRICTED(down_columns) {
  for (long j = 0; j < m; j++) {
    double sum = 0;
    for (long i = 0; i < m; i++)
      sum += a[i * m + j];
    b[j] = sum;
  }
  return 0;
}
RESTRICTED(outer_product) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < m; j++)
      a[i * m + j] += b[i] * c[j];
  return 0;
}
RESTRICTED(weighted_nine) {
  for (long i = 1; i < m - 1; i++)
    for (long j = 1; j < m - 1; j++)
      a[i * m + j] = 0.5 * b[i * m + j] + 0.1 * (b[i * m + j - 1] + b[i * m + j + 1] + b[(i - 1) * m + j] + b[(i + 1) * m + j]) +
                     0.025 * (b[(i - 1) * m + j - 1] + b[(i - 1) * m + j + 1] + b[(i + 1) * m + j - 1] + b[(i + 1) * m + j + 1]);
  return 0;
}
LOOP(in_place_rows) {
  for (long i = 1; i < m; i++)
    for (long j = 0; j < m; j++)
      a[i * m + j] = 0.5 * (a[i * m + j] + a[(i - 1) * m + j]);
  return 0;
}
RESTRICTED(lower_triangle) {
  for (long i = 0; i < m; i++) {
    double sum = b[i];
    for (long j = 0; j < i; j++)
      sum -= a[i * m + j] * c[j];
    d[i] = sum;
  }
  return 0;
}
RESTRICTED(transposed_sum) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < m; j++)
      a[i * m + j] = a[i * m + j] + b[j * m + i];
  return 0;
}
LOOP(upper_update) {
  for (long i = 0; i < m; i++)
    for (long j = i; j < m; j++)
      a[i * m + j] -= b[i] * b[j];
  return 0;
}
RESTRICTED(horizontal_differences) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j + 1 < m; j++)
      x[i * m + j] = y[i * m + j + 1] - y[i * m + j];
  return 0;
}

/* Small constant loops. */
RESTRICTED(taps) {
  for (long i = 0; i + 8 <= n; i++) {
    double sum = 0;
    for (int k = 0; k < 8; k++)
      sum += b[i + k] * c[k];
    a[i] = sum;
  }
  return 0;
}
RESTRICTED(blocks_of_four) {
  for (long i = 0; i + 16 <= n; i += 16)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++) {
        double sum = 0;
        for (int l = 0; l < 4; l++)
          sum += b[i + 4 * j + l] * c[4 * l + k];
        a[i + 4 * j + k] = sum;
      }
  return 0;
}
RESTRICTED(means_of_sixteen) {
  for (long i = 0; i + 16 <= n; i += 16) {
    float sum = 0;
    for (int k = 0; k < 16; k++)
      sum += x[i + k];
    for (int k = 0; k < 16; k++)
      y[i + k] = x[i + k] - sum * 0.0625f;
  }
  return 0;
}
RESTRICTED(polynomials) {
  for (long i = 0; i < n; i++) {
    double value = 0;
    for (int k = 0; k < 12; k++)
      value = value * b[i] + c[k];
    a[i] = value;
  }
  return 0;
}

/* Indirect accesses. */
RESTRICTED(gathered) {
  for (long i = 0; i < n; i++)
    a[i] = b[p[i]];
  return 0;
}
RESTRICTED(scattered) {
  for (long i = 0; i < n; i++)
    a[p[i]] = b[i] + 1.0;
  return 0;
}
RESTRICTED(rows_of_eight) {
  for (long i = 0; i + 8 <= n; i += 8) {
    double sum = 0;
    for (int k = 0; k < 8; k++)
      sum += a[i + k] * b[q[i + k]];
    c[i / 8] = sum;
  }
  return 0;
}
RESTRICTED(counted) {
  for (long i = 0; i < n; i++)
    q[s[i]]++;
  return 0;
}

/* Branches and arithmetic. */
RESTRICTED(quadratic) {
  for (long i = 0; i < n; i++)
    a[i] = sqrt(b[i] * b[i] + 4.0 * c[i]);
  return 0;
}
RESTRICTED(cubic_roots) {
  for (long i = 0; i < n; i++)
    a[i] = cbrt(b[i]);
  return 0;
}
LOOP(shifted) {
  for (long i = 0; i < n - m; i++)
    a[i + m] = 0.5 * a[i] + b[i];
  return 0;
}
