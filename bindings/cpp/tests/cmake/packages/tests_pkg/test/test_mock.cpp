#include <gmock/gmock.h>

struct Adder
{
  virtual ~Adder() = default;
  virtual int add(int a, int b) = 0;
};

struct MockAdder : Adder
{
  MOCK_METHOD(int, add, (int, int), (override));
};

TEST(Mock, isCalled)
{
  MockAdder adder;
  EXPECT_CALL(adder, add(1, 2)).WillOnce(testing::Return(3));
  EXPECT_EQ(adder.add(1, 2), 3);
}
