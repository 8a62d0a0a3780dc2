#include <list>

#include "geometry_msgs/msg/point.hpp"
#include "geometry_msgs/msg/transform.hpp"
#include "geometry_msgs/msg/vector3.hpp"
#include "random_rotations.hpp"
#include "tf2/convert.h"
#include "tf2/utils.h"

// Conversions as packages write them.
namespace mine
{

struct Heading
{
  double angle = 0.0;
};

struct Spot
{
  double x = 0.0;
};

struct Pixel
{
  int column = 0;
};

}  // namespace mine

namespace tf2
{

// Overloads, as tf2_geometry_msgs has them.
inline geometry_msgs::msg::Quaternion toMsg(const tf2::Quaternion & in)
{
  geometry_msgs::msg::Quaternion out;
  out.x = in.x();
  out.y = in.y();
  out.z = in.z();
  out.w = in.w();
  return out;
}

inline void fromMsg(const geometry_msgs::msg::Quaternion & in, tf2::Quaternion & out)
{
  out = tf2::Quaternion(in.x, in.y, in.z, in.w);
}

inline geometry_msgs::msg::Vector3 toMsg(const tf2::Vector3 & in)
{
  geometry_msgs::msg::Vector3 out;
  out.x = in.x();
  out.y = in.y();
  out.z = in.z();
  return out;
}

inline geometry_msgs::msg::Point & toMsg(const tf2::Vector3 & in, geometry_msgs::msg::Point & out)
{
  out.x = in.x();
  out.y = in.y();
  out.z = in.z();
  return out;
}

inline geometry_msgs::msg::Transform toMsg(const tf2::Transform & in)
{
  geometry_msgs::msg::Transform out;
  out.translation = toMsg(in.getOrigin());
  out.rotation = toMsg(in.getRotation());
  return out;
}

// Specializations of the templates.
template<>
inline geometry_msgs::msg::Quaternion toMsg(const mine::Heading & in)
{
  tf2::Quaternion q;
  q.setRPY(0.0, 0.0, in.angle);
  return toMsg(q);
}

template<>
inline void fromMsg(const geometry_msgs::msg::Quaternion & in, mine::Heading & out)
{
  out.angle = getYaw(in);
}

template<>
inline void doTransform(
  const mine::Spot & data_in, mine::Spot & data_out, const geometry_msgs::msg::TransformStamped & transform)
{
  data_out.x = data_in.x + transform.transform.translation.x;
}

template<>
inline tf2::TimePoint getTimestamp(const mine::Spot &) {return tf2::TimePoint(std::chrono::seconds(3));}

template<>
inline std::string getFrameId(const mine::Spot &) {return "spot";}

template<>
inline std::array<std::array<double, 6>, 6> getCovarianceMatrix(const mine::Spot &) {return {};}

}  // namespace tf2

// Functions in the namespace of the type are found too.
namespace mine
{

inline geometry_msgs::msg::Point toMsg(const Spot & in)
{
  geometry_msgs::msg::Point out;
  out.x = in.x;
  return out;
}

inline void fromMsg(const geometry_msgs::msg::Point & in, Pixel & out) {out.column = static_cast<int>(in.x);}

}  // namespace mine

namespace
{

TEST(Convert, overloads_and_specializations)
{
  const tf2::Quaternion q(0.1, 0.2, 0.3, 0.4);
  geometry_msgs::msg::Quaternion message;
  tf2::convert(q, message);
  EXPECT_EQ(0.2, message.y);
  tf2::Quaternion back;
  tf2::convert(message, back);
  EXPECT_EQ(q, back);
  mine::Heading heading;
  heading.angle = 1.25;
  tf2::convert(heading, message);
  mine::Heading heading_back;
  tf2::convert(message, heading_back);
  EXPECT_DOUBLE_EQ(1.25, heading_back.angle);
  EXPECT_EQ(message.z, (tf2::toMsg<mine::Heading, geometry_msgs::msg::Quaternion>(heading).z));
}

TEST(Convert, by_the_result)
{
  geometry_msgs::msg::Point point;
  tf2::convert(tf2::Vector3(1, 2, 3), point);
  EXPECT_EQ(2.0, point.y);
  geometry_msgs::msg::Vector3 vector;
  tf2::convert(tf2::Vector3(1, 2, 3), vector);
  EXPECT_EQ(3.0, vector.z);
}

TEST(Convert, between_data_types)
{
  mine::Spot spot;
  spot.x = 7.0;
  mine::Pixel pixel;
  tf2::convert(spot, pixel);
  EXPECT_EQ(7, pixel.column);
  mine::Pixel copy;
  tf2::convert(pixel, copy);
  EXPECT_EQ(7, copy.column);
}

TEST(Convert, functions_of_data)
{
  mine::Spot in, out;
  in.x = 1.0;
  geometry_msgs::msg::TransformStamped transform;
  transform.transform.translation.x = 2.0;
  tf2::doTransform(in, out, transform);
  EXPECT_EQ(3.0, out.x);
  EXPECT_EQ(3.0, tf2::timeToSec(tf2::getTimestamp(in)));
  EXPECT_EQ("spot", tf2::getFrameId(in));
  EXPECT_EQ(0.0, tf2::getCovarianceMatrix(in)[5][5]);
}

TEST(Convert, stamped)
{
  const tf2::TimePoint time(std::chrono::seconds(5));
  const tf2::Stamped<tf2::Vector3> stamped(tf2::Vector3(1, 2, 3), time, "map");
  EXPECT_EQ(time, tf2::getTimestamp(stamped));
  EXPECT_EQ("map", tf2::getFrameId(stamped));
  tf2::Stamped<tf2::Vector3> other;
  EXPECT_EQ("NO_ID_STAMPED_DEFAULT_CONSTRUCTION", other.frame_id_);
  EXPECT_FALSE(stamped == other);
  other.setData(stamped);
  EXPECT_FALSE(stamped == other);
  other = stamped;
  EXPECT_TRUE(stamped == other);
  std::array<std::array<double, 6>, 6> covariance = {};
  covariance[1][2] = 4.0;
  tf2::WithCovarianceStamped<tf2::Transform> with(tf2::Transform::getIdentity(), time, "map", covariance);
  EXPECT_EQ(4.0, tf2::getCovarianceMatrix(with)[1][2]);
  EXPECT_EQ(time, tf2::getTimestamp(with));
  EXPECT_EQ("map", tf2::getFrameId(with));
  tf2::WithCovarianceStamped<tf2::Transform> copy = with;
  EXPECT_TRUE(copy == with);
  copy.cov_mat_[0][0] = 1.0;
  EXPECT_FALSE(copy == with);
}

TEST(Convert, covariances)
{
  std::array<double, 36> row_major = {};
  for (size_t i = 0; i < 36; ++i) {
    row_major[i] = static_cast<double>(i);
  }
  const auto nested = tf2::covarianceRowMajorToNested(row_major);
  EXPECT_EQ(8.0, nested[1][2]);
  EXPECT_EQ(row_major, tf2::covarianceNestedToRowMajor(nested));
}

TEST(Utils, angles_of_all_quaternions)
{
  tf2::Quaternion q;
  q.setRPY(0.1, 0.2, 0.3);
  const geometry_msgs::msg::Quaternion message = tf2::toMsg(q);
  geometry_msgs::msg::QuaternionStamped stamped_message;
  stamped_message.quaternion = message;
  mine::Heading heading;
  heading.angle = 0.3;
  const tf2::TimePoint time;
  EXPECT_NEAR(0.3, tf2::getYaw(q), 1e-15);
  EXPECT_NEAR(0.3, tf2::getYaw(message), 1e-15);
  EXPECT_NEAR(0.3, tf2::getYaw(stamped_message), 1e-15);
  EXPECT_NEAR(0.3, tf2::getYaw(tf2::Stamped<tf2::Quaternion>(q, time, "")), 1e-15);
  EXPECT_NEAR(0.3, tf2::getYaw(tf2::Stamped<geometry_msgs::msg::Quaternion>(message, time, "")), 1e-15);
  EXPECT_NEAR(0.3, tf2::getYaw(heading), 1e-15);
  EXPECT_NEAR(0.3, tf2::getYaw(q * -7.0), 1e-15);
  double yaw = 0, pitch = 0, roll = 0;
  tf2::getEulerYPR(message, yaw, pitch, roll);
  EXPECT_NEAR(0.3, yaw, 1e-15);
  EXPECT_NEAR(0.2, pitch, 1e-15);
  EXPECT_NEAR(0.1, roll, 1e-15);
}

TEST(Utils, angles_agree_with_the_matrix)
{
  Random random;
  for (int round = 0; round < 500; ++round) {
    const tf2::Quaternion q = random.rotation();
    double y1 = 0, p1 = 0, r1 = 0, y2 = 0, p2 = 0, r2 = 0;
    tf2::getEulerYPR(q, y1, p1, r1);
    tf2::Matrix3x3(q).getEulerYPR(y2, p2, r2);
    EXPECT_NEAR(y2, y1, 1e-11);
    EXPECT_NEAR(p2, p1, 1e-11);
    EXPECT_NEAR(r2, r1, 1e-11);
  }
}

TEST(Utils, gimbal_lock)
{
  for (const double sign : {1.0, -1.0}) {
    for (const double off : {0.0, 1e-9, 1e-7, 1e-4}) {
      for (const double yaw : {-3.0, -1.0, 0.0, 2.0}) {
        tf2::Quaternion q, back;
        q.setRPY(0.7, sign * (pi / 2 - off), yaw);
        double y = 0, p = 0, r = 0;
        tf2::getEulerYPR(q, y, p, r);
        back.setRPY(r, p, y);
        expect_same_rotation(q, back, 1e-6);
        EXPECT_LE(std::fabs(y), pi);
        if (off == 0.0) {
          EXPECT_EQ(0.0, r);
          EXPECT_NEAR(std::remainder(yaw - sign * 0.7, 2 * pi), y, 1e-12);
        }
      }
    }
  }
}

TEST(Utils, identity)
{
  EXPECT_EQ(tf2::Transform::getIdentity(), tf2::getTransformIdentity<tf2::Transform>());
  EXPECT_EQ(1.0, tf2::getTransformIdentity<geometry_msgs::msg::Transform>().rotation.w);
}

}  // namespace
