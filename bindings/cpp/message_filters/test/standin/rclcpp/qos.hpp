// A stand-in for rclcpp::QoS, for tests without rclcpp.
#ifndef RCLCPP_QOS_HPP_
#define RCLCPP_QOS_HPP_

#include <cstddef>

struct rmw_qos_profile_t
{
  std::size_t depth;
  bool is_best_effort;
};

static const rmw_qos_profile_t rmw_qos_profile_default = {10, false};
static const rmw_qos_profile_t rmw_qos_profile_sensor_data = {5, true};

namespace rclcpp
{

struct QoSInitialization
{
  std::size_t depth;

  static QoSInitialization from_rmw(const rmw_qos_profile_t & profile) {return {profile.depth};}
};

class QoS
{
public:
  QoS(std::size_t depth)  // NOLINT(runtime/explicit)
  : QoS(QoSInitialization{depth}) {}
  explicit QoS(const QoSInitialization & initialization, const rmw_qos_profile_t & profile = rmw_qos_profile_default)
  : profile_(profile)
  {
    profile_.depth = initialization.depth;
  }

  std::size_t depth() const {return profile_.depth;}
  const rmw_qos_profile_t & get_rmw_qos_profile() const {return profile_;}

private:
  rmw_qos_profile_t profile_;
};

class SensorDataQoS : public QoS
{
public:
  SensorDataQoS()
  : QoS(QoSInitialization{5}, rmw_qos_profile_sensor_data) {}
};

}  // namespace rclcpp

#endif
