/* An IMU at 100 Hz: messages with the time of the host, best effort. */
#include <math.h>

#include "saltus/saltus.h"
#include "saltus_posix.h"
#include "sensor_msgs/msg/imu.h"

#define MTU 512U
#define HISTORY 4U

static uint8_t receive[MTU];
static uint8_t best_effort[MTU];
static uint8_t out[SALTUS_STREAM_BYTES(MTU, HISTORY)];
static uint8_t in[SALTUS_STREAM_BYTES(MTU, HISTORY)];
static saltus_session_t session;
static saltus_node_t node;
static saltus_publisher_t publisher;
static saltus_timer_t timer;

/* On a device, this reads the sensor. */
static void read_sensor(sensor_msgs__msg__Imu *imu, int64_t time) {
    const double seconds = (double)(time % SALTUS_SECOND) / (double)SALTUS_SECOND;
    imu->angular_velocity.z = sin(6.283 * seconds);
    imu->linear_acceleration.z = 9.81;
    /* The sensor has no orientation. */
    imu->orientation_covariance[0] = -1.0;
}

static void publish(void *context) {
    static sensor_msgs__msg__Imu imu;
    const int64_t time = saltus_time(&session);
    (void)context;
    if (!saltus_has_time(&session)) {
        return;
    }
    imu.header.stamp.sec = (int32_t)(time / SALTUS_SECOND);
    imu.header.stamp.nanosec = (uint32_t)(time % SALTUS_SECOND);
    imu.header.frame_id = saltus_string_of("imu_link");
    read_sensor(&imu, time);
    (void)saltus_publish(&publisher, &imu);
}

/* The argument is the port of the agent; 8888 if there is none. */
int main(int argc, char **argv) {
    static saltus_posix_t udp;
    static saltus_config_t config;
    saltus_posix_udp_init(&udp, "127.0.0.1", (argc > 1) ? argv[1] : "8888");
    saltus_config_init(&config);
    config.transport = &udp.transport;
    config.now = saltus_posix_now;
    config.key = 0x12345678U;
    config.boot = saltus_posix_random();
    config.time_period_ms = 1000U;
    config.mtu = MTU;
    config.history_out = HISTORY;
    config.history_in = HISTORY;
    config.receive = receive;
    config.best_effort = best_effort;
    config.reliable_out = out;
    config.reliable_in = in;
    if (saltus_session_init(&session, &config) != SALTUS_OK ||
        saltus_node_init(&node, &session, "imu", "", 0U) != SALTUS_OK ||
        saltus_publisher_init(&publisher, &node, &sensor_msgs__msg__Imu__type, "imu/data", SALTUS_QOS_SENSOR_DATA) !=
            SALTUS_OK ||
        saltus_timer_init(&timer, &session, 10 * SALTUS_MILLISECOND, publish, NULL) != SALTUS_OK) {
        return 1;
    }
    while (saltus_spin_once(&session, SALTUS_SECOND) == SALTUS_OK) {
    }
    return 0;
}
