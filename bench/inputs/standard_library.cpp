// A large translation unit of the C++ standard library: regular expressions, containers, sorting, futures.

#include <algorithm>
#include <future>
#include <map>
#include <numeric>
#include <random>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

using Value = std::variant<long, double, std::string>;

template <typename Character>
std::vector<std::basic_string<Character>> words(const std::basic_string<Character> &Text,
                                                const std::basic_regex<Character> &Pattern) {
  std::vector<std::basic_string<Character>> Result;
  std::regex_iterator<typename std::basic_string<Character>::const_iterator> At(
      Text.begin(), Text.end(), Pattern),
      End;
  for (; At != End; ++At)
    Result.push_back(At->str(1));
  return Result;
}

std::map<std::string, std::vector<Value>> table(const std::string &Text) {
  static const std::regex Line("(\\w+)\\s*=\\s*([^;]*);"), Whole("[+-]?\\d+"),
      Number("[+-]?\\d*\\.\\d+(e[+-]?\\d+)?", std::regex::icase);
  std::map<std::string, std::vector<Value>> Result;
  for (std::sregex_iterator At(Text.begin(), Text.end(), Line), End; At != End; ++At) {
    std::string Right = (*At)[2];
    if (std::regex_match(Right, Whole))
      Result[(*At)[1]].emplace_back(std::stol(Right));
    else if (std::regex_match(Right, Number))
      Result[(*At)[1]].emplace_back(std::stod(Right));
    else
      Result[(*At)[1]].emplace_back(std::regex_replace(Right, std::regex("\\s+"), " "));
  }
  return Result;
}

std::vector<std::string> narrow(const std::string &Text) { return words(Text, std::regex("(\\S+)")); }
std::vector<std::wstring> wide(const std::wstring &Text) { return words(Text, std::wregex(L"(\\S+)")); }

struct Particle {
  double X, Y, Mass;
  std::string Name;
};

void arrange(std::vector<Particle> &All, unsigned Seed) {
  std::mt19937_64 Random(Seed);
  std::shuffle(All.begin(), All.end(), Random);
  std::stable_sort(All.begin(), All.end(), [](auto &A, auto &B) { return A.Mass < B.Mass; });
  std::partial_sort(All.begin(), All.begin() + long(All.size() / 2), All.end(),
                    [](auto &A, auto &B) { return A.Name < B.Name; });
  std::nth_element(All.begin(), All.begin() + long(All.size() / 3), All.end(),
                   [](auto &A, auto &B) { return A.X * A.X + A.Y * A.Y < B.X * B.X + B.Y * B.Y; });
}

double centre(const std::vector<Particle> &All) {
  auto Part = [&](std::size_t From, std::size_t To) {
    return std::accumulate(All.begin() + long(From), All.begin() + long(To), 0.0,
                           [](double Sum, const Particle &Each) { return Sum + Each.Mass * Each.X; });
  };
  auto Left = std::async(std::launch::async, Part, 0, All.size() / 2);
  return Part(All.size() / 2, All.size()) + Left.get();
}

std::unordered_map<std::string, std::size_t> counted(const std::vector<Particle> &All) {
  std::unordered_map<std::string, std::size_t> Result;
  for (const Particle &Each : All)
    ++Result[Each.Name];
  return Result;
}
