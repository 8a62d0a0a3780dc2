#ifndef RCLCPP__DETAIL__STANDARD_HEADERS_HPP_
#define RCLCPP__DETAIL__STANDARD_HEADERS_HPP_

// Programs use these headers without including them, because those of the original rclcpp include them.
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#endif  // RCLCPP__DETAIL__STANDARD_HEADERS_HPP_
