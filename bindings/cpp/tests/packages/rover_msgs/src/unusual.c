/* Checks the constants and defaults of an unusual message in C. Returns the line of the first one that is wrong. */
#include <math.h>
#include <string.h>

#include "rover_msgs/action/drive.h"
#include "rover_msgs/msg/nothing.h"
#include "rover_msgs/msg/rover.h"
#include "rover_msgs/msg/unusual.h"
#include "rover_msgs/srv/set_mode.h"

#define CHECK(condition) if (!(condition)) {return __LINE__;}
/* A constant of an enumeration can be the size of an array. */
static const char sized[rover_msgs__msg__Wheel__RIGHT] = {0};
static const char sized_too[rover_msgs__msg__Unusual__SMALL] = {0};

int main(void)
{
  rover_msgs__msg__Unusual unusual;
  rover_msgs__msg__Nothing nothing;
  CHECK(sizeof(sized) == 1 && sizeof(sized_too) == 3);
  CHECK(isinf(rover_msgs__msg__Unusual__ENDLESS) && rover_msgs__msg__Unusual__SMALLEST < 0.0);
  CHECK(isnan(rover_msgs__msg__Unusual__NO_NUMBER) && isinf(rover_msgs__msg__Unusual__LARGE));
  CHECK(rover_msgs__msg__Unusual__LEAST == INT64_MIN && rover_msgs__msg__Unusual__LOW == INT32_MIN);
  CHECK(rover_msgs__msg__Unusual__MOST == UINT64_MAX && rover_msgs__msg__Unusual__HIGH == UINT32_MAX);
  CHECK(rover_msgs__msg__Unusual__NEGATIVE == -5 && rover_msgs__msg__Unusual__YES);
  CHECK(strcmp(rover_msgs__msg__Unusual__QUOTED, "a \"quote\" \\\\ what?\?! \303\251") == 0);
  CHECK(rover_msgs__msg__Unusual__WIDE[5] == 0xe9 && rover_msgs__msg__Unusual__WIDE[6] == 0);
  CHECK(rover_msgs__msg__Unusual__init(&unusual));
  CHECK(!unusual.class_ && unusual.unix_ == INT64_MIN && unusual.operator_.size == 0);
  CHECK(unusual.default_.size == 2 && strcmp(unusual.default_.data[1].data, "bcd") == 0);
  CHECK(unusual.nested[1].side == 1 && strcmp(unusual.nested[1].label.data, "wheel") == 0);
  CHECK(unusual.flags.size == 3 && unusual.flags.data[2] && !unusual.flags.data[1]);
  CHECK(unusual.pair[1] < -1.9 && strcmp(unusual.names[1].data, "right") == 0);
  CHECK(unusual.wide.size == 2 && unusual.wide.data[1] == 0xe9 && unusual.octet == 200 && unusual.letter == 65);
  CHECK(isinf(unusual.far) && rover_msgs__msg__Unusual__many__MAX_SIZE == UINT32_MAX);
  rover_msgs__msg__Unusual__fini(&unusual);
  CHECK(rover_msgs__msg__Nothing__init(&nothing) && nothing.structure_needs_at_least_one_member == 0);
  CHECK(ROSIDL_GET_ACTION_TYPE_SUPPORT(rover_msgs, Drive) && ROSIDL_GET_SRV_TYPE_SUPPORT(rover_msgs, srv, SetMode));
  return 0;
}
