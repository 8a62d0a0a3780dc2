/* Prints the sizes of the structures that an application owns, in bytes. */
#include <stdio.h>

#include "saltus/saltus.h"

#define PRINT(type) (void)printf("%-26s %5zu\n", #type, sizeof(type))

int main(void) {
    PRINT(saltus_config_t);
    PRINT(saltus_session_t);
    PRINT(saltus_node_t);
    PRINT(saltus_publisher_t);
    PRINT(saltus_subscription_t);
    PRINT(saltus_service_t);
    PRINT(saltus_client_t);
    PRINT(saltus_timer_t);
    PRINT(saltus_parameter_t);
    PRINT(saltus_parameter_server_t);
    PRINT(saltus_lifecycle_t);
    PRINT(saltus_goal_t);
    PRINT(saltus_action_server_t);
    PRINT(saltus_action_client_t);
    PRINT(saltus_serial_t);
    PRINT(saltus_stream_line_t);
    PRINT(saltus_can_t);
    return 0;
}
