#include <algorithm>

#include "rmw/error_handling.h"
#include "rmw/message_sequence.h"
#include "rmw/network_flow_endpoint.h"
#include "rmw/network_flow_endpoint_array.h"

namespace
{

template<typename Sequence>
rmw_ret_t init(Sequence * sequence, size_t size, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(sequence, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  void * data = nullptr;
  if (size > 0) {
    data = allocator->zero_allocate(size, sizeof(*sequence->data), allocator->state);
    RMW_CHECK_FOR_NULL_WITH_MSG(data, "no memory for a sequence", return RMW_RET_BAD_ALLOC);
  }
  *sequence = {static_cast<decltype(sequence->data)>(data), 0, size, allocator};
  return RMW_RET_OK;
}

template<typename Sequence>
rmw_ret_t fini(Sequence * sequence)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(sequence, RMW_RET_INVALID_ARGUMENT);
  if (sequence->data) {
    const rcutils_allocator_t * allocator = sequence->allocator;
    RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
    allocator->deallocate(sequence->data, allocator->state);
  }
  *sequence = {nullptr, 0, 0, nullptr};
  return RMW_RET_OK;
}

}  // namespace

rmw_message_sequence_t rmw_get_zero_initialized_message_sequence() {return {nullptr, 0, 0, nullptr};}

rmw_ret_t rmw_message_sequence_init(
  rmw_message_sequence_t * sequence, size_t size, rcutils_allocator_t * allocator)
{
  return init(sequence, size, allocator);
}

rmw_ret_t rmw_message_sequence_fini(rmw_message_sequence_t * sequence) {return fini(sequence);}

rmw_message_info_sequence_t rmw_get_zero_initialized_message_info_sequence() {return {nullptr, 0, 0, nullptr};}

rmw_ret_t rmw_message_info_sequence_init(
  rmw_message_info_sequence_t * sequence, size_t size, rcutils_allocator_t * allocator)
{
  return init(sequence, size, allocator);
}

rmw_ret_t rmw_message_info_sequence_fini(rmw_message_info_sequence_t * sequence) {return fini(sequence);}

rmw_network_flow_endpoint_t rmw_get_zero_initialized_network_flow_endpoint() {return {};}

const char * rmw_network_flow_endpoint_get_transport_protocol_string(
  const rmw_transport_protocol_t transport_protocol)
{
  switch (transport_protocol) {
    case RMW_TRANSPORT_PROTOCOL_UDP: return "UDP";
    case RMW_TRANSPORT_PROTOCOL_TCP: return "TCP";
    default: return "Unknown";
  }
}

const char * rmw_network_flow_endpoint_get_internet_protocol_string(const rmw_internet_protocol_t internet_protocol)
{
  switch (internet_protocol) {
    case RMW_INTERNET_PROTOCOL_IPV4: return "IPv4";
    case RMW_INTERNET_PROTOCOL_IPV6: return "IPv6";
    default: return "Unknown";
  }
}

rmw_ret_t rmw_network_flow_endpoint_set_internet_address(
  rmw_network_flow_endpoint_t * network_flow_endpoint, const char * internet_address, size_t size)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(network_flow_endpoint, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(internet_address, RMW_RET_INVALID_ARGUMENT);
  if (size >= RMW_INET_ADDRSTRLEN) {
    RMW_SET_ERROR_MSG_WITH_FORMAT_STRING(
      "expected an address of less than %d bytes, found %zu", RMW_INET_ADDRSTRLEN, size);
    return RMW_RET_INVALID_ARGUMENT;
  }
  *std::copy_n(internet_address, size, network_flow_endpoint->internet_address) = '\0';
  return RMW_RET_OK;
}

rmw_network_flow_endpoint_array_t rmw_get_zero_initialized_network_flow_endpoint_array()
{
  return {0, nullptr, nullptr};
}

rmw_ret_t rmw_network_flow_endpoint_array_check_zero(
  const rmw_network_flow_endpoint_array_t * network_flow_endpoint_array)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(network_flow_endpoint_array, RMW_RET_INVALID_ARGUMENT);
  const rmw_network_flow_endpoint_array_t & array = *network_flow_endpoint_array;
  if (array.size != 0 || array.network_flow_endpoint || array.allocator) {
    RMW_SET_ERROR_MSG("expected an array of addresses without memory");
    return RMW_RET_ERROR;
  }
  return RMW_RET_OK;
}

rmw_ret_t rmw_network_flow_endpoint_array_init(
  rmw_network_flow_endpoint_array_t * network_flow_endpoint_array, size_t size, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(network_flow_endpoint_array, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  void * addresses = nullptr;
  if (size > 0) {
    addresses = allocator->zero_allocate(size, sizeof(rmw_network_flow_endpoint_t), allocator->state);
    RMW_CHECK_FOR_NULL_WITH_MSG(addresses, "no memory for an array of addresses", return RMW_RET_BAD_ALLOC);
  }
  *network_flow_endpoint_array = {size, static_cast<rmw_network_flow_endpoint_t *>(addresses), allocator};
  return RMW_RET_OK;
}

rmw_ret_t rmw_network_flow_endpoint_array_fini(
  rmw_network_flow_endpoint_array_t * network_flow_endpoint_array)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(network_flow_endpoint_array, RMW_RET_INVALID_ARGUMENT);
  const rcutils_allocator_t * allocator = network_flow_endpoint_array->allocator;
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  allocator->deallocate(network_flow_endpoint_array->network_flow_endpoint, allocator->state);
  *network_flow_endpoint_array = rmw_get_zero_initialized_network_flow_endpoint_array();
  return RMW_RET_OK;
}
