// Domains of tests. Processes of other domains do not disturb a test.
#ifndef OWN_DOMAIN_HPP_
#define OWN_DOMAIN_HPP_

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "rclcpp/rclcpp.hpp"

/// Starts rclcpp with a folder of shared memory for one test. Both end with this object.
class OwnDomain
{
public:
  OwnDomain()
  {
    if (mkdtemp(folder_.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "can't create a folder in /dev/shm");
    }
    setenv("SALTUS_SHM_DIR", folder_.c_str(), 1);
    rclcpp::init(0, nullptr);
  }

  ~OwnDomain()
  {
    rclcpp::shutdown();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  OwnDomain(const OwnDomain &) = delete;
  OwnDomain & operator=(const OwnDomain &) = delete;

private:
  std::string folder_ = "/dev/shm/@name@-test-XXXXXX";
};

#endif  // OWN_DOMAIN_HPP_
