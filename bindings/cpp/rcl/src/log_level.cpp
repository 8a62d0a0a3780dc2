#include "rcl/log_level.h"

#include <cstring>

#include "rcl/error_handling.h"
#include "rcutils/strdup.h"

namespace
{

rcl_logger_setting_t * find(rcl_log_levels_t & log_levels, const char * name)
{
  for (size_t index = 0; index < log_levels.num_logger_settings; ++index) {
    if (std::strcmp(log_levels.logger_settings[index].name, name) == 0) {
      return &log_levels.logger_settings[index];
    }
  }
  return nullptr;
}

void free_memory(const rcl_allocator_t & allocator, const void * memory)
{
  allocator.deallocate(const_cast<void *>(memory), allocator.state);
}

}  // namespace

rcl_log_levels_t rcl_get_zero_initialized_log_levels()
{
  return {RCUTILS_LOG_SEVERITY_UNSET, nullptr, 0, 0, rcutils_get_zero_initialized_allocator()};
}

rcl_ret_t rcl_log_levels_init(rcl_log_levels_t * log_levels, const rcl_allocator_t * allocator, size_t logger_count)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(log_levels, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  if (log_levels->logger_settings) {
    RCL_SET_ERROR_MSG("the log levels are initialized already");
    return RCL_RET_INVALID_ARGUMENT;
  }
  void * settings = nullptr;
  if (logger_count > 0) {
    settings = allocator->zero_allocate(logger_count, sizeof(rcl_logger_setting_t), allocator->state);
    RCL_CHECK_FOR_NULL_WITH_MSG(settings, "no memory for the log levels", return RCL_RET_BAD_ALLOC);
  }
  *log_levels = {
    RCUTILS_LOG_SEVERITY_UNSET, static_cast<rcl_logger_setting_t *>(settings), 0, logger_count, *allocator};
  return RCL_RET_OK;
}

rcl_ret_t rcl_log_levels_copy(const rcl_log_levels_t * src, rcl_log_levels_t * dst)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(src, RCL_RET_INVALID_ARGUMENT);
  rcl_ret_t ret = rcl_log_levels_init(dst, &src->allocator, src->num_logger_settings);
  if (ret != RCL_RET_OK) {
    return ret;
  }
  dst->default_logger_level = src->default_logger_level;
  for (size_t index = 0; ret == RCL_RET_OK && index < src->num_logger_settings; ++index) {
    const rcl_logger_setting_t & setting = src->logger_settings[index];
    ret = rcl_log_levels_add_logger_setting(dst, setting.name, setting.level);
  }
  return ret == RCL_RET_OK || rcl_log_levels_fini(dst) == RCL_RET_OK ? ret : RCL_RET_ERROR;
}

rcl_ret_t rcl_log_levels_fini(rcl_log_levels_t * log_levels)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(log_levels, RCL_RET_INVALID_ARGUMENT);
  if (log_levels->logger_settings) {
    const rcl_allocator_t & allocator = log_levels->allocator;
    RCL_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
    for (size_t index = 0; index < log_levels->num_logger_settings; ++index) {
      free_memory(allocator, log_levels->logger_settings[index].name);
    }
    free_memory(allocator, log_levels->logger_settings);
  }
  *log_levels = rcl_get_zero_initialized_log_levels();
  return RCL_RET_OK;
}

rcl_ret_t rcl_log_levels_shrink_to_size(rcl_log_levels_t * log_levels)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(log_levels, RCL_RET_INVALID_ARGUMENT);
  const rcl_allocator_t & allocator = log_levels->allocator;
  RCL_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the log levels are not initialized", return RCL_RET_INVALID_ARGUMENT);
  const size_t count = log_levels->num_logger_settings;
  if (count == 0) {
    free_memory(allocator, log_levels->logger_settings);
    log_levels->logger_settings = nullptr;
  } else if (count < log_levels->capacity_logger_settings) {
    void * settings = allocator.reallocate(
      log_levels->logger_settings, count * sizeof(rcl_logger_setting_t), allocator.state);
    RCL_CHECK_FOR_NULL_WITH_MSG(settings, "no memory for the log levels", return RCL_RET_BAD_ALLOC);
    log_levels->logger_settings = static_cast<rcl_logger_setting_t *>(settings);
  }
  log_levels->capacity_logger_settings = count;
  return RCL_RET_OK;
}

rcl_ret_t rcl_log_levels_add_logger_setting(
  rcl_log_levels_t * log_levels, const char * logger_name, rcl_log_severity_t log_level)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(log_levels, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(logger_name, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ALLOCATOR_WITH_MSG(
    &log_levels->allocator, "the log levels are not initialized", return RCL_RET_INVALID_ARGUMENT);
  if (rcl_logger_setting_t * setting = find(*log_levels, logger_name)) {
    setting->level = log_level;
    return RCL_RET_OK;
  }
  if (log_levels->num_logger_settings >= log_levels->capacity_logger_settings) {
    RCL_SET_ERROR_MSG_WITH_FORMAT_STRING(
      "there are already the levels of %zu loggers", log_levels->num_logger_settings);
    return RCL_RET_ERROR;
  }
  const char * name = rcutils_strdup(logger_name, log_levels->allocator);
  RCL_CHECK_FOR_NULL_WITH_MSG(name, "no memory for the name of a logger", return RCL_RET_BAD_ALLOC);
  log_levels->logger_settings[log_levels->num_logger_settings++] = {name, log_level};
  return RCL_RET_OK;
}
