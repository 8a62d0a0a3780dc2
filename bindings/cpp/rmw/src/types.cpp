#include <cstdlib>

#include "rmw/allocators.h"
#include "rmw/convert_rcutils_ret_to_rmw_ret.h"
#include "rmw/event.h"
#include "rmw/features.h"
#include "rmw/init.h"
#include "rmw/types.h"

namespace
{

template<typename T>
T * allocate() {return static_cast<T *>(rmw_allocate(sizeof(T)));}

}  // namespace

rmw_message_info_t rmw_get_zero_initialized_message_info() {return {};}

rmw_event_t rmw_get_zero_initialized_event() {return {nullptr, nullptr, RMW_EVENT_INVALID};}

rmw_context_t rmw_get_zero_initialized_context()
{
  return {0, nullptr, rmw_get_zero_initialized_init_options(), 0, nullptr};
}

bool rmw_feature_supported(rmw_feature_t feature)
{
  return feature == RMW_FEATURE_MESSAGE_INFO_PUBLICATION_SEQUENCE_NUMBER ||
         feature == RMW_FEATURE_MESSAGE_INFO_RECEPTION_SEQUENCE_NUMBER;
}

rmw_ret_t rmw_convert_rcutils_ret_to_rmw_ret(rcutils_ret_t rcutils_ret)
{
  switch (rcutils_ret) {
    case RCUTILS_RET_OK: return RMW_RET_OK;
    case RCUTILS_RET_INVALID_ARGUMENT: return RMW_RET_INVALID_ARGUMENT;
    case RCUTILS_RET_BAD_ALLOC: return RMW_RET_BAD_ALLOC;
    default: return RMW_RET_ERROR;
  }
}

void * rmw_allocate(size_t size) {return std::malloc(size);}
void rmw_free(void * pointer) {std::free(pointer);}

rmw_node_t * rmw_node_allocate() {return allocate<rmw_node_t>();}
void rmw_node_free(rmw_node_t * node) {rmw_free(node);}
rmw_publisher_t * rmw_publisher_allocate() {return allocate<rmw_publisher_t>();}
void rmw_publisher_free(rmw_publisher_t * publisher) {rmw_free(publisher);}
rmw_subscription_t * rmw_subscription_allocate() {return allocate<rmw_subscription_t>();}
void rmw_subscription_free(rmw_subscription_t * subscription) {rmw_free(subscription);}
rmw_guard_condition_t * rmw_guard_condition_allocate() {return allocate<rmw_guard_condition_t>();}
void rmw_guard_condition_free(rmw_guard_condition_t * guard_condition) {rmw_free(guard_condition);}
rmw_client_t * rmw_client_allocate() {return allocate<rmw_client_t>();}
void rmw_client_free(rmw_client_t * client) {rmw_free(client);}
rmw_service_t * rmw_service_allocate() {return allocate<rmw_service_t>();}
void rmw_service_free(rmw_service_t * service) {rmw_free(service);}
rmw_wait_set_t * rmw_wait_set_allocate() {return allocate<rmw_wait_set_t>();}
void rmw_wait_set_free(rmw_wait_set_t * wait_set) {rmw_free(wait_set);}
