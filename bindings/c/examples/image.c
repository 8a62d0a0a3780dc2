/*
 * Publishes images that are written in shared memory: no image is copied, neither here nor on the way to a subscription.
 *
 * Usage: image [COUNT] [--ros-args ...]: publishes COUNT images (default: until Ctrl-C) of 640 x 480 gray pixels on /image, 30 per second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saltus/saltus.h"

#define HEIGHT 480u
#define WIDTH 640u
/* The 4 bytes of the encapsulation, the fields before the pixels, and the pixels. */
#define SIZE (4u + 60u + HEIGHT * WIDTH)

/* Where the next field of a message is written. CDR aligns a number to its size, from the first byte after the encapsulation. */
struct writer
{
  uint8_t *body;
  size_t at;
};

static void write_u8(struct writer *writer, uint8_t value)
{
  writer->body[writer->at++] = value;
}

static void write_u32(struct writer *writer, uint32_t value)
{
  writer->at = (writer->at + 3) / 4 * 4;
  for (int byte = 0; byte < 4; ++byte) {
    write_u8(writer, (uint8_t)(value >> (8 * byte)));
  }
}

static void write_text(struct writer *writer, const char *text)
{
  const size_t size = strlen(text) + 1;
  write_u32(writer, (uint32_t)size);
  memcpy(writer->body + writer->at, text, size);
  writer->at += size;
}

/* Writes a sensor_msgs/msg/Image in place. Returns the size of the message. */
static size_t write_image(uint8_t *data, int64_t now, uint32_t number)
{
  static const uint8_t encapsulation[4] = {0, 1, 0, 0};
  struct writer writer = {data + sizeof encapsulation, 0};
  memcpy(data, encapsulation, sizeof encapsulation);
  write_u32(&writer, (uint32_t)(now / 1000000000));
  write_u32(&writer, (uint32_t)(now % 1000000000));
  write_text(&writer, "camera");
  write_u32(&writer, HEIGHT);
  write_u32(&writer, WIDTH);
  write_text(&writer, "mono8");
  write_u8(&writer, 0);
  write_u32(&writer, WIDTH);
  write_u32(&writer, HEIGHT * WIDTH);
  for (uint32_t row = 0; row < HEIGHT; ++row) {
    memset(writer.body + writer.at + row * WIDTH, (int)((row + number) % 256), WIDTH);
  }
  return sizeof encapsulation + writer.at + HEIGHT * WIDTH;
}

static void check(saltus_status_t status)
{
  if (status != SALTUS_OK) {
    fprintf(stderr, "image: %s\n", saltus_error_message());
    exit(1);
  }
}

int main(int argc, char **argv)
{
  const saltus_type_t type = {sizeof type, "sensor_msgs/msg/Image", {0}, NULL};
  saltus_context_options_t context_options;
  saltus_context_t *context;
  saltus_node_options_t node_options;
  saltus_node_t *node;
  saltus_endpoint_options_t options;
  saltus_publisher_t *publisher;
  saltus_clock_t *clock;

  saltus_context_options_init(&context_options, sizeof context_options);
  context_options.argument_count = (size_t)argc;
  context_options.arguments = (const char *const *)argv;
  check(saltus_context_create(&context_options, &context));
  saltus_node_options_init(&node_options, sizeof node_options);
  node_options.name = "camera";
  check(saltus_node_create(context, &node_options, &node));
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = "image";
  options.type = &type;
  check(saltus_publisher_create(node, &options, &publisher));
  check(saltus_node_clock(node, &clock));

  const char *count = saltus_context_argument_count(context) > 1 ? saltus_context_argument(context, 1) : "0";
  const unsigned long last = strtoul(count, NULL, 10);
  for (unsigned long number = 1; last == 0 || number <= last; ++number) {
    saltus_loan_t *loan;
    check(saltus_publisher_loan(publisher, SIZE, &loan));
    check(saltus_loan_publish(loan, write_image(saltus_loan_data(loan), saltus_clock_now(clock), (uint32_t)number)));
    if (!saltus_context_sleep(context, 1000000000 / 30)) {
      break;
    }
  }

  saltus_clock_destroy(clock);
  saltus_publisher_destroy(publisher);
  saltus_node_destroy(node);
  saltus_context_destroy(context);
  return 0;
}
