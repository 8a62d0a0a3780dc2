# Packages with modules in Python call find_package(rclpy). It comes with the Python package of Saltus ("import saltus.ros"): there is
# nothing to find.
