/** Reads files of parameters, in YAML. */
#ifndef RCL_YAML_PARAM_PARSER__PARSER_H_
#define RCL_YAML_PARAM_PARSER__PARSER_H_

#include <stdbool.h>
#include <stddef.h>

#include "rcl_yaml_param_parser/types.h"
#include "rcl_yaml_param_parser/visibility_control.h"
#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Makes parameters of no node. Returns NULL without memory, with the error of the thread. */
RCL_YAML_PARAM_PARSER_PUBLIC rcl_params_t * rcl_yaml_node_struct_init(const rcutils_allocator_t allocator);

/** As rcl_yaml_node_struct_init(), with memory for `capacity` nodes. */
RCL_YAML_PARAM_PARSER_PUBLIC rcl_params_t * rcl_yaml_node_struct_init_with_capacity(
  size_t capacity, const rcutils_allocator_t allocator);

/** Sets for how many nodes there is memory. There must be no more nodes than that. */
RCL_YAML_PARAM_PARSER_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcl_yaml_node_struct_reallocate(
  rcl_params_t * params_st, size_t new_capacity, const rcutils_allocator_t allocator);

/** Returns a copy, which is independent, or NULL with the error of the thread. */
RCL_YAML_PARAM_PARSER_PUBLIC rcl_params_t * rcl_yaml_node_struct_copy(const rcl_params_t * params_st);

/** Frees parameters. NULL is allowed. */
RCL_YAML_PARAM_PARSER_PUBLIC void rcl_yaml_node_struct_fini(rcl_params_t * params_st);

/**
 * Adds the parameters of a file. A parameter that is there already gets the new value.
 * Returns false if the file can't be read, with the number of the line in the error of the thread; then nothing was added.
 */
RCL_YAML_PARAM_PARSER_PUBLIC bool rcl_parse_yaml_file(const char * file_path, rcl_params_t * params_st);

/** Adds a parameter from the text of its value in YAML. Returns false if it is not one, with the error of the thread. */
RCL_YAML_PARAM_PARSER_PUBLIC bool rcl_parse_yaml_value(
  const char * node_name, const char * param_name, const char * yaml_value, rcl_params_t * params_st);

/** Returns the value of a parameter, and adds it without a value if it is not there. NULL if there is no memory. */
RCL_YAML_PARAM_PARSER_PUBLIC rcl_variant_t * rcl_yaml_node_struct_get(
  const char * node_name, const char * param_name, rcl_params_t * params_st);

/** Prints parameters to the standard output, in YAML. rcl_parse_yaml_file() reads them, but not texts with a line break. */
RCL_YAML_PARAM_PARSER_PUBLIC void rcl_yaml_node_struct_print(const rcl_params_t * const params_st);

#ifdef __cplusplus
}
#endif

#endif
