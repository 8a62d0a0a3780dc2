// The words for failures of the C++ API.
#ifndef NATIVE__FAILURE_HPP_
#define NATIVE__FAILURE_HPP_

#include <string>
#include <utility>

#include "../outcome.hpp"
#include "saltus/result.hpp"

inline std::string word(const saltus::Status & failure)
{
  switch (failure.code()) {
    case SALTUS_TIMEOUT: return "timeout";
    case SALTUS_NO_SERVER: return "no_server";
    case SALTUS_SERVER_GONE: return "server_gone";
    case SALTUS_NOT_ANSWERED: return "not_answered";
    case SALTUS_PARAMETER_NOT_DECLARED: return "not_declared";
    case SALTUS_PARAMETER_ALREADY_DECLARED: return "already_declared";
    case SALTUS_PARAMETER_NOT_INITIALIZED: return "not_initialized";
    case SALTUS_PARAMETER_TYPE: return "type";
    case SALTUS_PARAMETER_READ_ONLY: return "read_only";
    case SALTUS_PARAMETER_NAME: return "bad_name";
    case SALTUS_PARAMETER_VALUE: return "range";
    case SALTUS_PARAMETER_REJECTED: return "rejected";
    default: return failure.text();
  }
}

/// Refuses the command if a function has failed.
inline void must(const saltus::Status & status)
{
  if (!status) {
    throw Refused(word(status));
  }
}

/// Returns the value. Refuses the command if there is none.
template<typename T>
T must(saltus::Result<T> result)
{
  must(result.failure());
  return std::move(*result);
}

#endif  // NATIVE__FAILURE_HPP_
