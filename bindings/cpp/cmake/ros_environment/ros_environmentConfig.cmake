# The hook of this package sets ROS_VERSION, ROS_PYTHON_VERSION and ROS_DISTRO. There is nothing to find.
