ament_append_unique_value HOOK_BOTH "$AMENT_CURRENT_PREFIX/share/hooks_pkg"
