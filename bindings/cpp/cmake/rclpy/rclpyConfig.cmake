# Packages of C++ that also have modules in Python find rclpy to say so. It comes with the Python package of Saltus
# ("import saltus.ros"): there is nothing to find.
