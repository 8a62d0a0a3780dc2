#include "entries.hpp"

#include <algorithm>
#include <stdexcept>

namespace rcl_yaml_param_parser
{
namespace
{

/// A part of a line that is outside of quotes is looked at letter by letter.
class Letters
{
public:
  explicit Letters(const std::string & text)
  : text_(text) {}

  /// Moves to the next letter outside of quotes. Returns false at the end.
  bool next()
  {
    for (at_ += 1; at_ <= text_.size(); ++at_) {
      const char letter = text_[at_ - 1];
      if (quote_ == 0 && (letter == '\'' || letter == '"')) {
        quote_ = letter;
      } else if (letter == quote_) {
        quote_ = 0;
      } else if (quote_ == 0) {
        return true;
      }
    }
    return false;
  }
  size_t index() const {return at_ - 1;}
  char letter() const {return text_[at_ - 1];}

private:
  const std::string & text_;
  size_t at_ = 0;
  char quote_ = 0;
};

std::string trimmed(const std::string & text)
{
  const size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string without_comment(const std::string & text)
{
  Letters letters(text);
  while (letters.next()) {
    const size_t index = letters.index();
    if (letters.letter() == '#' && (index == 0 || text[index - 1] == ' ' || text[index - 1] == '\t')) {
      return text.substr(0, index);
    }
  }
  return text;
}

std::string unquoted(const std::string & text)
{
  const bool is_quoted = text.size() >= 2 && text.front() == text.back() && (text[0] == '"' || text[0] == '\'');
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// Returns how many brackets are open at the end of a text.
int open_brackets(const std::string & text)
{
  int count = 0;
  Letters letters(text);
  while (letters.next()) {
    count += letters.letter() == '[' ? 1 : letters.letter() == ']' ? -1 : 0;
  }
  return count;
}

/// Returns where the colon after a key is, or npos.
size_t colon_of(const std::string & text)
{
  Letters letters(text);
  while (letters.next()) {
    const size_t index = letters.index();
    if (letters.letter() == ':' && (index + 1 == text.size() || text[index + 1] == ' ')) {
      return index;
    }
  }
  return std::string::npos;
}

/// Reads the lines of a file one after the other.
class EntryReader
{
public:
  EntryReader(std::istream & file, const std::string & name)
  : file_(file), name_(name) {}

  std::vector<FileEntry> read()
  {
    std::string line;
    while (std::getline(file_, line)) {
      number_ += 1;
      const std::string text = trimmed(without_comment(line));
      if (!text.empty() && text != "---") {
        add(text, line.find_first_not_of(' '));
      }
    }
    end_list();
    return std::move(entries_);
  }

private:
  void add(const std::string & text, size_t indent)
  {
    if (text.front() == '-' && (text.size() == 1 || text[1] == ' ')) {
      return add_element(trimmed(text.substr(1)), indent);
    }
    end_list();
    const size_t colon = colon_of(text);
    if (colon == std::string::npos) {
      fail("expected a key and a colon");
    }
    FileEntry entry{number_, indent, unquoted(trimmed(text.substr(0, colon))), trimmed(text.substr(colon + 1))};
    if (!entry.value.empty() && std::string("{|>&*").find(entry.value.front()) != std::string::npos) {
      fail("expected a value or a list, as parameters have");
    }
    complete(entry.value);
    entries_.push_back(std::move(entry));
  }

  /// Adds an element to the list of the last key.
  void add_element(const std::string & text, size_t indent)
  {
    if (entries_.empty() || indent < entries_.back().indent || (!is_in_list_ && !entries_.back().value.empty())) {
      fail("a list needs a key before it");
    }
    std::string & list = entries_.back().value;
    list += (is_in_list_ ? ", " : "[") + text;
    is_in_list_ = true;
  }

  void end_list()
  {
    if (is_in_list_) {
      entries_.back().value += "]";
      is_in_list_ = false;
    }
  }

  /// Adds lines to a list until its bracket is closed.
  void complete(std::string & value)
  {
    std::string line;
    while (open_brackets(value) > 0) {
      if (!std::getline(file_, line)) {
        fail("a list has no end");
      }
      number_ += 1;
      value += " " + trimmed(without_comment(line));
    }
  }

  [[noreturn]] void fail(const std::string & reason) const
  {
    throw std::runtime_error(name_ + ":" + std::to_string(number_) + ": " + reason);
  }

  std::istream & file_;
  const std::string & name_;
  size_t number_ = 0;
  bool is_in_list_ = false;
  std::vector<FileEntry> entries_;
};

}  // namespace

std::vector<FileEntry> read_entries(std::istream & file, const std::string & name)
{
  return EntryReader(file, name).read();
}

}  // namespace rcl_yaml_param_parser
