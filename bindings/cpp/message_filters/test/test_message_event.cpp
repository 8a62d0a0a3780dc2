// MessageEvent, message traits and the names of all headers.
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "message_filters/cache.h"
#include "message_filters/chain.h"
#include "message_filters/connection.h"
#include "message_filters/delta_filter.h"
#include "message_filters/input_aligner.h"
#include "message_filters/message_event.h"
#include "message_filters/message_traits.h"
#include "message_filters/null_types.h"
#include "message_filters/parameter_adapter.h"
#include "message_filters/pass_through.h"
#include "message_filters/signal1.h"
#include "message_filters/signal9.h"
#include "message_filters/simple_filter.h"
#include "message_filters/subscriber.h"
#include "message_filters/sync_policies/approximate_epsilon_time.h"
#include "message_filters/sync_policies/approximate_time.h"
#include "message_filters/sync_policies/exact_time.h"
#include "message_filters/sync_policies/latest_time.h"
#include "message_filters/synchronizer.h"
#include "message_filters/time_sequencer.h"
#include "message_filters/time_synchronizer.h"
#include "message_filters/visibility_control.h"
#include "messages.hpp"

namespace
{

using message_filters::MessageEvent;
namespace traits = message_filters::message_traits;

struct WithoutHeader
{
  int data = 0;
};

struct WithOtherHeader
{
  int header = 0;
};

static_assert(traits::HasHeader<A>::value);
static_assert(traits::HasHeader<const A>::value);
static_assert(!traits::HasHeader<WithoutHeader>::value);
static_assert(!traits::HasHeader<WithOtherHeader>::value);
static_assert(std::is_nothrow_move_constructible_v<std::shared_ptr<A>>);

TEST(MessageTraits, stamp_and_frame_come_from_the_header)
{
  A message = *at<0>(1500000000);
  message.header.frame_id = "base";
  EXPECT_EQ(rclcpp::Time(1, 500000000, RCL_ROS_TIME), traits::TimeStamp<A>::value(message));
  EXPECT_EQ("base", traits::FrameId<A>::value(message));
  EXPECT_EQ(&message.header.frame_id, traits::FrameId<A>::pointer(message));
  WithoutHeader without;
  EXPECT_EQ(rclcpp::Time(0, 0, RCL_ROS_TIME), traits::TimeStamp<WithoutHeader>::value(without));
  EXPECT_EQ(nullptr, traits::FrameId<WithoutHeader>::pointer(without));
}

TEST(MessageEvent, it_has_the_message_and_the_time)
{
  const auto message = at<0>(5);
  const MessageEvent<A const> event(message, rclcpp::Time(7, 0, RCL_ROS_TIME));
  EXPECT_EQ(message, event.getMessage());
  EXPECT_EQ(message, event.getConstMessage());
  EXPECT_EQ(rclcpp::Time(7, 0, RCL_ROS_TIME), event.getReceiptTime());
  EXPECT_TRUE(event.nonConstWillCopy());
  EXPECT_FALSE(event.getMessageWillCopy());
  const MessageEvent<A const> now(message);
  EXPECT_LT(rclcpp::Clock().now().seconds() - now.getReceiptTime().seconds(), 10.0);
}

TEST(MessageEvent, one_that_is_not_const_gives_out_a_copy)
{
  const auto message = at<0>(5, 1);
  const MessageEvent<A const> event(message);
  const MessageEvent<A> changeable(event);
  EXPECT_TRUE(changeable.getMessageWillCopy());
  ++changeable.getMessage()->number;
  EXPECT_EQ(1, message->number);
  EXPECT_EQ(2, changeable.getMessage()->number);
  // The changed copy is the message of the next event.
  const MessageEvent<A const> changed(changeable);
  EXPECT_EQ(2, changed.getMessage()->number);
  const MessageEvent<A> shared(event, false);
  EXPECT_EQ(message, shared.getMessage());
}

TEST(MessageEvent, events_without_a_message_and_of_other_clocks_are_compared)
{
  const auto message = at<0>(5);
  MessageEvent<A const> none;
  EXPECT_EQ(nullptr, none.getMessage());
  EXPECT_EQ(nullptr, MessageEvent<A>(none).getMessage());
  const MessageEvent<A const> of_system(message, rclcpp::Time(1, 0, RCL_SYSTEM_TIME));
  const MessageEvent<A const> of_ros(message, rclcpp::Time(2, 0, RCL_ROS_TIME));
  EXPECT_TRUE(none != of_ros);
  EXPECT_TRUE(of_system != of_ros);
  EXPECT_TRUE(of_system < of_ros);
  none = of_ros;
  EXPECT_TRUE(none == of_ros);
}

TEST(MessageEvent, one_without_a_type_gets_its_type_back)
{
  const auto message = at<0>(5, 1);
  const MessageEvent<void const> untyped(
    message, rclcpp::Time(1, 0, RCL_ROS_TIME), true, MessageEvent<void const>::CreateFunction());
  const MessageEvent<A const> typed(untyped, message_filters::DefaultMessageCreator<A>());
  EXPECT_EQ(message, typed.getMessage());
  EXPECT_EQ(1, MessageEvent<A>(typed).getMessage()->number);
}

TEST(ParameterAdapter, a_reference_to_no_message_throws)
{
  const MessageEvent<A const> none;
  EXPECT_EQ(nullptr, message_filters::ParameterAdapter<A::SharedPtr>::getParameter(none));
  EXPECT_THROW(message_filters::ParameterAdapter<const A &>::getParameter(none), std::runtime_error);
  EXPECT_THROW(message_filters::ParameterAdapter<A>::getParameter(none), std::runtime_error);
}

}  // namespace
