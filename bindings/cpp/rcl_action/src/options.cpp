#include "rcl_action/action_client.h"
#include "rcl_action/action_server.h"
#include "rcl_action/default_qos.h"

rcl_action_client_t rcl_action_get_zero_initialized_client() {return {nullptr};}

rcl_action_client_options_t rcl_action_client_get_default_options()
{
  return {
    rmw_qos_profile_services_default, rmw_qos_profile_services_default, rmw_qos_profile_services_default,
    rmw_qos_profile_default, rcl_action_qos_profile_status_default, rcl_get_default_allocator()};
}

rcl_action_server_t rcl_action_get_zero_initialized_server() {return {nullptr};}

rcl_action_server_options_t rcl_action_server_get_default_options()
{
  return {
    rmw_qos_profile_services_default, rmw_qos_profile_services_default, rmw_qos_profile_services_default,
    rmw_qos_profile_default, rcl_action_qos_profile_status_default, rcl_get_default_allocator(),
    {RCL_S_TO_NS(10)}};
}
