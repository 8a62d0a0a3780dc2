# Registers the package in the index. Runs in ament_package().
ament_index_register_resource(packages)
ament_index_register_resource(package_run_dependencies CONTENT "${${PROJECT_NAME}_EXEC_DEPENDS}")
ament_core_parent_prefixes(_ament_parent_prefixes)
ament_index_register_resource(parent_prefix_path CONTENT "${_ament_parent_prefixes}")
unset(_ament_parent_prefixes)
