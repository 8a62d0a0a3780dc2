// All forms of callbacks, at filters with one output and at synchronizers.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "message_filters/pass_through.hpp"
#include "message_filters/sync_policies/exact_time.hpp"
#include "message_filters/synchronizer.hpp"
#include "message_filters/time_synchronizer.hpp"
#include "messages.hpp"

namespace
{

using message_filters::MessageEvent;
using message_filters::NullType;
using message_filters::PassThrough;
using message_filters::TimeSynchronizer;
using std::placeholders::_1;
using std::placeholders::_2;
using std::placeholders::_3;

int calls = 0;

void byConstPointerReference(const A::ConstSharedPtr & a) {calls += a->number;}
void byConstPointer(A::ConstSharedPtr a) {calls += a->number;}
void byPointerReference(const A::SharedPtr & a) {calls += a->number++;}
void byPointer(A::SharedPtr a) {calls += a->number++;}
void byReference(const A & a) {calls += a.number;}
void byValue(A a) {calls += a.number++;}
void byEventReference(const MessageEvent<A const> & event) {calls += event.getMessage()->number;}
void byEvent(MessageEvent<A const> event) {calls += event.getMessage()->number;}
void byMutableEventReference(const MessageEvent<A> & event) {calls += event.getMessage()->number++;}
void byMutableEvent(MessageEvent<A> event) {calls += event.getMessage()->number++;}
int withResult(const A & a) noexcept {return calls += a.number;}

struct Receiver
{
  void byConstPointerReference(const A::ConstSharedPtr & a) {sum += a->number;}
  void byPointer(A::SharedPtr a) {sum += a->number++;}
  void byReference(const A & a) const {sum += a.number;}
  void byEvent(const MessageEvent<A const> & event) noexcept {sum += event.getMessage()->number;}
  int withResult(A a) {return sum += a.number;}
  void withTag(const A::ConstSharedPtr & a, int tag) {sum += tag * a->number;}
  void withoutParameters() {++sum;}
  void two(const A::ConstSharedPtr & a, const B::ConstSharedPtr & b) {sum += a->number + b->number;}
  void twoMixed(A::SharedPtr a, const B & b) {sum += a->number++ + b.number;}
  void twoConst(const A & a, const MessageEvent<B const> & b) const {sum += a.number + b.getMessage()->number;}
  void twoWithTag(int tag, const A::SharedPtr & a, const B::ConstSharedPtr & b) {sum += tag * (a->number + b->number);}

  mutable int sum = 0;
};

struct DerivedReceiver : Receiver
{
};

/// Calls a callback with the message 1, and returns what it has added to `calls`.
template<class C>
int called(const C & callback)
{
  PassThrough<A> filter;
  filter.registerCallback(callback);
  calls = 0;
  const auto message = at<0>(0, 1);
  filter.add(message);
  EXPECT_EQ(1, message->number) << "callbacks that change the message must get a copy";
  return calls;
}

TEST(CallbackForms, functions)
{
  EXPECT_EQ(1, called(byConstPointerReference));
  EXPECT_EQ(1, called(byConstPointer));
  EXPECT_EQ(1, called(byPointerReference));
  EXPECT_EQ(1, called(byPointer));
  EXPECT_EQ(1, called(byReference));
  EXPECT_EQ(1, called(byValue));
  EXPECT_EQ(1, called(byEventReference));
  EXPECT_EQ(1, called(byEvent));
  EXPECT_EQ(1, called(byMutableEventReference));
  EXPECT_EQ(1, called(byMutableEvent));
  EXPECT_EQ(1, called(withResult));
  EXPECT_EQ(1, called(&byReference));
}

TEST(CallbackForms, lambdas)
{
  EXPECT_EQ(1, called([](const A::ConstSharedPtr & a) {calls += a->number;}));
  EXPECT_EQ(1, called([](A::ConstSharedPtr a) {calls += a->number;}));
  EXPECT_EQ(1, called([](const A::SharedPtr & a) {calls += a->number++;}));
  EXPECT_EQ(1, called([](A::SharedPtr a) {calls += a->number++;}));
  EXPECT_EQ(1, called([](const A & a) {calls += a.number;}));
  EXPECT_EQ(1, called([](A a) {calls += a.number;}));
  EXPECT_EQ(1, called([](const MessageEvent<A const> & event) {calls += event.getMessage()->number;}));
  EXPECT_EQ(1, called([](MessageEvent<A> event) {calls += event.getMessage()->number++;}));
  EXPECT_EQ(1, called([](auto a) {calls += a->number;}));
  EXPECT_EQ(1, called([](const auto & a) {calls += a->number;}));
  EXPECT_EQ(1, called([](auto && ... a) {calls += (a->number + ...);}));
  EXPECT_EQ(1, called([count = 0](const A & a) mutable {calls += a.number + count++;}));
  EXPECT_EQ(1, called([](std::shared_ptr<const void> a) {calls += a != nullptr;}));
}

TEST(CallbackForms, std_functions)
{
  EXPECT_EQ(1, called(std::function<void(const A::ConstSharedPtr &)>(byConstPointerReference)));
  EXPECT_EQ(1, called(std::function<void(A::SharedPtr)>(byPointer)));
  EXPECT_EQ(1, called(std::function<void(const A &)>(byReference)));
  EXPECT_EQ(1, called(std::function<int(const A &)>(withResult)));
  EXPECT_EQ(1, called(std::function<void(const MessageEvent<A const> &)>(byEvent)));
}

TEST(CallbackForms, std_bind)
{
  Receiver receiver;
  called(std::bind(&Receiver::byConstPointerReference, &receiver, _1));
  called(std::bind(&Receiver::byPointer, &receiver, _1));
  called(std::bind(&Receiver::byReference, &receiver, _1));
  called(std::bind(&Receiver::byEvent, &receiver, _1));
  called(std::bind(&Receiver::withTag, &receiver, _1, 10));
  called(std::bind(&Receiver::withoutParameters, &receiver));
  EXPECT_EQ(15, receiver.sum);
  EXPECT_EQ(1, called(std::bind(byValue, _1)));
  EXPECT_EQ(1, called(std::bind(byMutableEvent, _1)));
}

TEST(CallbackForms, members)
{
  DerivedReceiver receiver;
  PassThrough<A> filter;
  filter.registerCallback(&Receiver::byConstPointerReference, static_cast<Receiver *>(&receiver));
  filter.registerCallback(&Receiver::byPointer, &receiver);
  filter.registerCallback(&Receiver::byReference, &receiver);
  filter.registerCallback(&Receiver::byReference, static_cast<const Receiver *>(&receiver));
  filter.registerCallback(&Receiver::byEvent, &receiver);
  filter.registerCallback(&DerivedReceiver::withResult, &receiver);
  filter.add(at<0>(0, 1));
  EXPECT_EQ(6, receiver.sum);
}

TEST(CallbackForms, with_the_parameter_as_template_argument)
{
  Receiver receiver;
  PassThrough<A> filter;
  filter.registerCallback<const A &>(std::bind(&Receiver::byReference, &receiver, _1));
  filter.registerCallback<A::SharedPtr>(std::bind(&Receiver::byPointer, &receiver, _1));
  filter.registerCallback<const MessageEvent<A const> &>(std::bind(&Receiver::byEvent, &receiver, _1));
  filter.registerCallback<std::function<void(const A &)>>([&receiver](const A & a) {receiver.byReference(a);});
  filter.add(at<0>(0, 1));
  EXPECT_EQ(4, receiver.sum);
}

void two(const A::ConstSharedPtr & a, const B::ConstSharedPtr & b) {calls += a->number + b->number;}
void twoMixed(A::SharedPtr a, const B & b) {calls += a->number++ + b.number;}

/// Calls a callback with the messages 1 and 2, and returns what it has added to `calls`.
template<class ... Callback>
int calledWithTwo(Callback ... callback)
{
  TimeSynchronizer<A, B> filter(10);
  filter.registerCallback(callback ...);
  calls = 0;
  const auto message = at<0>(5, 1);
  filter.add<0>(message);
  filter.template add<1>(at<1>(5, 2));
  EXPECT_EQ(1, message->number);
  return calls;
}

TEST(CallbackForms, sets_of_two)
{
  EXPECT_EQ(3, calledWithTwo(two));
  EXPECT_EQ(3, calledWithTwo(twoMixed));
  EXPECT_EQ(3, calledWithTwo([](const A::ConstSharedPtr & a, const B & b) {calls += a->number + b.number;}));
  EXPECT_EQ(3, calledWithTwo([](auto a, auto b) {calls += a->number + b->number;}));
  EXPECT_EQ(3, calledWithTwo([](auto ... all) {calls += (all->number + ...);}));
  EXPECT_EQ(3, calledWithTwo(std::function<void(A::ConstSharedPtr, B::SharedPtr)>(two)));
  Receiver receiver;
  calledWithTwo(&Receiver::two, &receiver);
  calledWithTwo(&Receiver::twoMixed, &receiver);
  calledWithTwo(&Receiver::twoConst, &receiver);
  calledWithTwo(std::bind(&Receiver::two, &receiver, _1, _2));
  calledWithTwo(std::bind(&Receiver::twoMixed, &receiver, _1, _2));
  calledWithTwo(std::bind(&Receiver::twoConst, &receiver, _1, _2));
  calledWithTwo(std::bind(&Receiver::twoWithTag, &receiver, 10, _1, _2));
  EXPECT_EQ(48, receiver.sum);
}

using NullPtr = const std::shared_ptr<NullType const> &;

TEST(CallbackForms, sets_of_two_with_nine_parameters)
{
  const auto nine = [](
    const A::ConstSharedPtr & a, const B::ConstSharedPtr & b, NullPtr c, NullPtr, NullPtr, NullPtr, NullPtr, NullPtr,
    NullPtr) {
      calls += a->number + b->number;
      EXPECT_EQ(nullptr, c);
    };
  EXPECT_EQ(3, calledWithTwo(nine));
  using Nine = std::function<void (
        const A::ConstSharedPtr &, B::SharedPtr, NullPtr, NullPtr, NullPtr, NullPtr, NullPtr, NullPtr, NullPtr)>;
  EXPECT_EQ(3, calledWithTwo(Nine(nine)));
}

template<int I>
using Event = MessageEvent<Stamped<I> const>;

/// Counts how many of nine messages came, each in another form.
struct Nine
{
  void take(
    const A::ConstSharedPtr & m0, B::ConstSharedPtr m1, const C::SharedPtr & m2, Stamped<3>::SharedPtr m3,
    const Stamped<4> & m4, Stamped<5> m5, const Event<6> & m6, const MessageEvent<Stamped<7>> & m7, Event<8> m8)
  {
    sum += m0->number + m1->number + m2->number + m3->number + m4.number + m5.number + m6.getMessage()->number +
      m7.getMessage()->number + m8.getMessage()->number;
  }

  int sum = 0;
};

template<class Filter, std::size_t ... Is>
void addNine(Filter & filter, std::index_sequence<Is...>)
{
  (filter.template add<static_cast<int>(Is)>(at<static_cast<int>(Is)>(5, 1 << Is)), ...);
}

TEST(CallbackForms, sets_of_nine)
{
  TimeSynchronizer<A, B, C, Stamped<3>, Stamped<4>, Stamped<5>, Stamped<6>, Stamped<7>, Stamped<8>> filter(10);
  Nine nine;
  filter.registerCallback(&Nine::take, &nine);
  using namespace std::placeholders;
  filter.registerCallback(std::bind(&Nine::take, &nine, _1, _2, _3, _4, _5, _6, _7, _8, _9));
  filter.registerCallback([&nine](const auto & ... all) {nine.sum += (all->number + ...);});
  addNine(filter, std::make_index_sequence<9>{});
  EXPECT_EQ(3 * 511, nine.sum);
}

TEST(CallbackForms, each_number_of_messages)
{
  int sum = 0;
  const auto count = [&sum](const auto & ... all) {sum += (all->number + ...);};
  TimeSynchronizer<A, B, C> three(10);
  TimeSynchronizer<A, B, C, Stamped<3>> four(10);
  TimeSynchronizer<A, B, C, Stamped<3>, Stamped<4>> five(10);
  TimeSynchronizer<A, B, C, Stamped<3>, Stamped<4>, Stamped<5>, Stamped<6>, Stamped<7>> eight(10);
  three.registerCallback(count);
  four.registerCallback(count);
  five.registerCallback(count);
  eight.registerCallback(count);
  addNine(three, std::make_index_sequence<3>{});
  addNine(four, std::make_index_sequence<4>{});
  addNine(five, std::make_index_sequence<5>{});
  addNine(eight, std::make_index_sequence<8>{});
  EXPECT_EQ(7 + 15 + 31 + 255, sum);
}

TEST(CallbackForms, a_message_that_may_be_changed_is_copied_if_it_is_shared)
{
  const auto message = at<0>(0, 1);
  const auto create = [] {return std::make_shared<A>();};
  const MessageEvent<A const> event(message, rclcpp::Time(0, 0, RCL_ROS_TIME), false, create);
  PassThrough<A> filter;
  const auto change = [](const A::SharedPtr & a) {++a->number;};
  filter.registerCallback(change);
  filter.add(event);
  EXPECT_EQ(2, message->number);
  PassThrough<A> next(filter);
  next.registerCallback(change);
  filter.add(event);
  EXPECT_EQ(2, message->number);
}

}  // namespace
