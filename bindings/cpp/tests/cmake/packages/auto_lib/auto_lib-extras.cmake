set(auto_lib_EXTRA_RAN TRUE)
