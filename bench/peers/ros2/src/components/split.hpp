/* Names in an argument of a program. */
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace saltus_bench {

/** Splits a text at its commas. */
inline std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
}

} // namespace saltus_bench
