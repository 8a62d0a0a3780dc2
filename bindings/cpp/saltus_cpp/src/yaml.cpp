#include "saltus/yaml.hpp"

#include <iomanip>

namespace saltus::yaml
{

void text(std::ostream & out, const std::string & text)
{
  out << '"';
  for (const char letter : text) {
    if (letter == '\\' || letter == '"') {
      out << '\\' << letter;
    } else {
      out << letter;
    }
  }
  out << '"';
}

void text(std::ostream & out, const std::u16string & text)
{
  out << '"';
  const auto flags = out.flags();
  const char fill = out.fill();
  for (const char16_t letter : text) {
    if (letter < 128) {
      out << static_cast<char>(letter);
    } else {
      out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << static_cast<unsigned>(letter);
    }
  }
  out.flags(flags);
  out.fill(fill);
  out << '"';
}

void number(std::ostream & out, double value)
{
  const auto flags = out.flags();
  out << std::showpoint << value;
  out.flags(flags);
}

}  // namespace saltus::yaml
