//===- Main.cpp - runs the tests of one program ---------------------------===//

#include <gmock/gmock.h>

int main(int Count, char **Words) {
  testing::InitGoogleMock(&Count, Words);
  return RUN_ALL_TESTS();
}
