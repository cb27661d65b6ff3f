#define W 96
#define H 64
void load(int w, int h, float image[W][H]) {
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      image[i][j] = (float)((313 * i + 991 * j) % 65536) / 65535.0f;
}
void filter(int w, int h, float image[W][H], float out[W][H], float y1[W][H], float y2[W][H]) {
  const float a = 0.3f, b = 0.2f, c = 0.6f, d = -0.1f;
  float x, ym1, ym2, xp1, xp2, yp1, yp2;
  for (int i = 0; i < w; i++) {
    ym1 = ym2 = x = 0;
    for (int j = 0; j < h; j++) {
      y1[i][j] = a * image[i][j] + b * x + c * ym1 + d * ym2;
      x = image[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int i = 0; i < w; i++) {
    yp1 = yp2 = xp1 = xp2 = 0;
    for (int j = h - 1; j >= 0; j--) {
      y2[i][j] = b * xp1 + a * xp2 + c * yp1 + d * yp2;
      xp2 = xp1;
      xp1 = image[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      out[i][j] = y1[i][j] + y2[i][j];
  for (int j = 0; j < h; j++) {
    x = ym1 = ym2 = 0;
    for (int i = 0; i < w; i++) {
      y1[i][j] = a * out[i][j] + b * x + c * ym1 + d * ym2;
      x = out[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int j = 0; j < h; j++) {
    xp1 = xp2 = yp1 = yp2 = 0;
    for (int i = w - 1; i >= 0; i--) {
      y2[i][j] = b * xp1 + a * xp2 + c * yp1 + d * yp2;
      xp2 = xp1;
      xp1 = out[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      out[i][j] = y1[i][j] + y2[i][j];
}
