// The outcome of a command, and how its words are read.
#ifndef OUTCOME_HPP_
#define OUTCOME_HPP_

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

/// A command that could not be done. The text says why.
class Refused : public std::runtime_error
{
public:
  explicit Refused(const std::string & text)
  : std::runtime_error(text) {}
};

inline std::chrono::nanoseconds seconds(const std::string & text)
{
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(std::stod(text)));
}

inline bool contains(const std::string & text, const std::string & part) {return text.find(part) != std::string::npos;}

#endif  // OUTCOME_HPP_
