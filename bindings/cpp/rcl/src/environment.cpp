// What the environment variables of ROS 2 say.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "rcl/discovery_options.h"
#include "rcl/domain_id.h"
#include "rcl/error_handling.h"
#include "rcl/localhost.h"
#include "rcl/node.h"

const char * const RCL_DOMAIN_ID_ENV_VAR = "ROS_DOMAIN_ID";
const char * const RCL_LOCALHOST_ENV_VAR = "ROS_LOCALHOST_ONLY";
const char * const RCL_DISABLE_LOANED_MESSAGES_ENV_VAR = "ROS_DISABLE_LOANED_MESSAGES";

namespace
{

struct Range
{
  const char * value;
  const char * name;
};

// The index is the number of the range.
constexpr Range RANGES[] = {
  {nullptr, "RMW_AUTOMATIC_DISCOVERY_RANGE_NOT_SET"},
  {"OFF", "RMW_AUTOMATIC_DISCOVERY_RANGE_OFF"},
  {"LOCALHOST", "RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST"},
  {"SUBNET", "RMW_AUTOMATIC_DISCOVERY_RANGE_SUBNET"},
  {"SYSTEM_DEFAULT", "RMW_AUTOMATIC_DISCOVERY_RANGE_SYSTEM_DEFAULT"},
};

std::string value_of(const char * variable)
{
  const char * value = std::getenv(variable);
  return value ? value : "";
}

std::vector<std::string> split_peers(const std::string & text)
{
  std::vector<std::string> peers;
  for (size_t begin = 0; begin < text.size(); ) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const std::string peer = text.substr(begin, end - begin);
    if (peer.size() >= RMW_DISCOVERY_OPTIONS_STATIC_PEERS_MAX_LENGTH) {
      RCUTILS_SAFE_FWRITE_TO_STDERR_WITH_FORMAT_STRING("ROS_STATIC_PEERS: '%s' is too long\n", peer.c_str());
    } else if (!peer.empty()) {
      peers.push_back(peer);
    }
    begin = end + 1;
  }
  return peers;
}

}  // namespace

rcl_ret_t rcl_get_default_domain_id(size_t * domain_id)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(domain_id, RCL_RET_INVALID_ARGUMENT);
  const std::string value = value_of(RCL_DOMAIN_ID_ENV_VAR);
  if (value.empty()) {
    return RCL_RET_OK;
  }
  char * end;
  errno = 0;
  const unsigned long long number = std::strtoull(value.c_str(), &end, 0);
  if (*end != '\0' || errno == ERANGE || number >= RCL_DEFAULT_DOMAIN_ID || value.find('-') != std::string::npos) {
    RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("expected ROS_DOMAIN_ID to be a number, found '%s'", value.c_str());
    return RCL_RET_ERROR;
  }
  *domain_id = number;
  return RCL_RET_OK;
}

rcl_ret_t rcl_get_localhost_only(rmw_localhost_only_t * localhost_only)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(localhost_only, RCL_RET_INVALID_ARGUMENT);
  const std::string value = value_of(RCL_LOCALHOST_ENV_VAR);
  *localhost_only = value.empty() ? RMW_LOCALHOST_ONLY_DEFAULT :
    value == "1" ? RMW_LOCALHOST_ONLY_ENABLED : RMW_LOCALHOST_ONLY_DISABLED;
  return RCL_RET_OK;
}

rcl_ret_t rcl_get_automatic_discovery_range(rmw_discovery_options_t * discovery_options)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(discovery_options, RCL_RET_INVALID_ARGUMENT);
  const std::string value = value_of("ROS_AUTOMATIC_DISCOVERY_RANGE");
  discovery_options->automatic_discovery_range =
    value.empty() ? RMW_AUTOMATIC_DISCOVERY_RANGE_SUBNET : RMW_AUTOMATIC_DISCOVERY_RANGE_NOT_SET;
  for (size_t number = 1; number < std::size(RANGES); ++number) {
    if (value == RANGES[number].value) {
      discovery_options->automatic_discovery_range = static_cast<rmw_automatic_discovery_range_t>(number);
    }
  }
  if (discovery_options->automatic_discovery_range == RMW_AUTOMATIC_DISCOVERY_RANGE_NOT_SET) {
    RCUTILS_SAFE_FWRITE_TO_STDERR_WITH_FORMAT_STRING(
      "expected ROS_AUTOMATIC_DISCOVERY_RANGE to be OFF, LOCALHOST, SUBNET or SYSTEM_DEFAULT, found '%s': "
      "LOCALHOST is used\n", value.c_str());
    discovery_options->automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST;
  }
  return RCL_RET_OK;
}

const char * rcl_automatic_discovery_range_to_string(rmw_automatic_discovery_range_t automatic_discovery_range)
{
  const size_t number = static_cast<size_t>(automatic_discovery_range);
  return number < std::size(RANGES) ? RANGES[number].name : nullptr;
}

rcl_ret_t rcl_get_discovery_static_peers(
  rmw_discovery_options_t * discovery_options, rcutils_allocator_t * allocator)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(discovery_options, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(allocator, RCL_RET_INVALID_ARGUMENT);
  const std::vector<std::string> peers = split_peers(value_of("ROS_STATIC_PEERS"));
  if (peers.empty()) {
    return RCL_RET_OK;
  }
  const rmw_ret_t ret = rmw_discovery_options_init(discovery_options, peers.size(), allocator);
  if (ret != RMW_RET_OK) {
    return ret;
  }
  for (size_t index = 0; index < peers.size(); ++index) {
    // The memory is zero, so the text ends with a zero.
    peers[index].copy(discovery_options->static_peers[index].peer_address, peers[index].size());
  }
  return RCL_RET_OK;
}

rcl_ret_t rcl_get_disable_loaned_message(bool * disable_loaned_message)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(disable_loaned_message, RCL_RET_INVALID_ARGUMENT);
  *disable_loaned_message = value_of(RCL_DISABLE_LOANED_MESSAGES_ENV_VAR) == "1";
  return RCL_RET_OK;
}
