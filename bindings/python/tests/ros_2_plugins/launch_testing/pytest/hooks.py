"""Stands for the plugin of ROS 2's launch_testing, which must not be used."""

raise AssertionError("the module of Saltus has this name")
