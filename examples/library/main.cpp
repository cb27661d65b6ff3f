// costs RECORDS MACHINE ENTRY [NAME NUMBER]...: what one run of a function costs (docs/library.md)
#include "predict/answer/Predictor.h"

#include <cstdlib>
#include <iostream>

static int fail(const std::string &Line) {
  std::cerr << "costs: " << Line << '\n';
  return 2;
}

int main(int Count, char **Words) try {
  if (Count < 4 || Count % 2)
    return fail("write costs RECORDS MACHINE ENTRY [NAME NUMBER]...");
  auto Opened = ergon::Predictor::open(
      {.Records = {.Directory = Words[1]}, .Machine = Words[2], .DataFolder = ERGON_DATA});
  auto Entry = Opened.value().entry({.Entry = Words[3]}).value();
  for (int I = 4; I != Count; I += 2) {
    char *End = nullptr;
    Entry.set({Words[I], std::strtoll(Words[I + 1], &End, 10)});
    if (*End)
      return fail(std::string(Words[I + 1]) + " is not a whole number");
  }
  const auto Answer = Entry.predict().value();

  std::cout.precision(17);
  for (const auto &[CostClass, Amount] : Answer.Counts.Values) // flops_f64, bytes_dram, ...
    std::cout << CostClass << ' ' << Amount.get_d() << '\n';
  if (!Answer.OnMachine) // a symbol has no value, or the profile has no price for a class
    return fail(Answer.Counts.Unbound.empty() ? "the profile does not price all of it"
                                              : "no value for " + Answer.Counts.Unbound.front());
  std::cout << "time_s " << Answer.OnMachine->TimeS.Value << '\n'
            << "energy_j " << Answer.OnMachine->EnergyJ.Value << '\n';
} catch (const std::bad_expected_access<ergon::Error> &Bad) {
  return fail(Bad.error().line()); // of value(): what is wrong, where, and how to put it right
}
