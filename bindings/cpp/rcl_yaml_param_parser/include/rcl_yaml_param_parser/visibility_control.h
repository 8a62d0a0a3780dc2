/** Visibility of the functions that read files of parameters. */
#ifndef RCL_YAML_PARAM_PARSER__VISIBILITY_CONTROL_H_
#define RCL_YAML_PARAM_PARSER__VISIBILITY_CONTROL_H_

#define RCL_YAML_PARAM_PARSER_EXPORT __attribute__((visibility("default")))
#define RCL_YAML_PARAM_PARSER_IMPORT
#define RCL_YAML_PARAM_PARSER_PUBLIC RCL_YAML_PARAM_PARSER_EXPORT
#define RCL_YAML_PARAM_PARSER_LOCAL __attribute__((visibility("hidden")))
#define RCL_YAML_PARAM_PARSER_PUBLIC_TYPE

#endif
