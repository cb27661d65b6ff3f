// Each step holds the one before twice.
#define STEP a = a / 3 + (a + 1) / 5;
#define FOUR STEP STEP STEP STEP
int trips(int n) {
  int a = n, sum = 0;
  FOUR FOUR FOUR FOUR FOUR FOUR FOUR
  for (int i = 0; i < a; ++i)
    sum += i ^ sum;
  return sum;
}
