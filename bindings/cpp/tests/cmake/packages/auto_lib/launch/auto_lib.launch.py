# A launch file.
