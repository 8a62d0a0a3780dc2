pluginlib_write_index()
