/* Transforms: they are set, looked up, awaited and listed. */
#include <math.h>
#include <string.h>

#include "check.h"

static saltus_tf_transform_t translated(double x, int64_t stamp)
{
  saltus_tf_transform_t transform;
  saltus_tf_transform_init(&transform, sizeof transform);
  transform.stamp = stamp;
  transform.translation[0] = x;
  return transform;
}

static saltus_tf_buffer_t *new_buffer(void)
{
  saltus_tf_buffer_t *buffer;
  OK(saltus_tf_buffer_create(10 * SECOND, &buffer));
  return buffer;
}

static saltus_status_t set(const saltus_tf_buffer_t *buffer, const char *parent, const char *child, double x, int64_t stamp)
{
  saltus_tf_transform_t transform = translated(x, stamp);
  return saltus_tf_buffer_set(buffer, parent, child, &transform, false, "test");
}

static bool has_text(const char *text)
{
  return strstr(saltus_error_message(), text) != NULL;
}

static void a_lookup_interpolates(void)
{
  saltus_tf_buffer_t *buffer = new_buffer();
  saltus_tf_transform_t found = translated(0, 0);
  int64_t latest;
  OK(set(buffer, "map", "base", 1, 1 * SECOND));
  OK(set(buffer, "map", "base", 3, 2 * SECOND));
  OK(set(buffer, "base", "laser", 10, 2 * SECOND));
  OK(saltus_tf_buffer_lookup(buffer, "map", "base", 3 * SECOND / 2, &found));
  CHECK(fabs(found.translation[0] - 2) < 1e-9 && found.stamp == 3 * SECOND / 2);
  OK(saltus_tf_buffer_lookup(buffer, "map", "laser", 0, &found));
  CHECK(fabs(found.translation[0] - 13) < 1e-9 && found.stamp == 2 * SECOND);
  OK(saltus_tf_buffer_lookup_across(buffer, "base", 2 * SECOND, "base", 1 * SECOND, "map", &found));
  CHECK(fabs(found.translation[0] + 2) < 1e-9);
  OK(saltus_tf_buffer_latest_common_time(buffer, "map", "laser", &latest));
  CHECK(latest == 2 * SECOND);
  CHECK(saltus_tf_buffer_cache_time(buffer) == 10 * SECOND);
  saltus_tf_buffer_destroy(buffer);
}

static void an_error_says_what_is_missing(void)
{
  saltus_tf_buffer_t *buffer = new_buffer();
  saltus_tf_transform_t found = translated(0, 0);
  OK(set(buffer, "map", "base", 1, 1 * SECOND));
  CHECK(saltus_tf_buffer_lookup(buffer, "map", "x", 0, &found) == SALTUS_TF_LOOKUP);
  CHECK(has_text("\"x\" passed to lookupTransform argument source_frame does not exist"));
  CHECK(saltus_tf_buffer_lookup(buffer, "/map", "base", 0, &found) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_tf_buffer_lookup(buffer, "map", NULL, 0, &found) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_tf_buffer_lookup(buffer, "map", "base", 5, &found) == SALTUS_TF_NO_DATA);
  OK(set(buffer, "map", "base", 1, 2 * SECOND));
  CHECK(saltus_tf_buffer_lookup(buffer, "map", "base", 5, &found) == SALTUS_TF_BACKWARD_EXTRAPOLATION);
  CHECK(saltus_tf_buffer_can_transform(buffer, "map", "base", 5 * SECOND) == SALTUS_TF_FORWARD_EXTRAPOLATION);
  CHECK(has_text("extrapolation into the future"));
  OK(set(buffer, "island", "hut", 1, 1 * SECOND));
  CHECK(saltus_tf_buffer_lookup(buffer, "map", "hut", 0, &found) == SALTUS_TF_CONNECTIVITY);
  CHECK(saltus_tf_buffer_can_transform_across(buffer, "map", 0, "base", 0, "no") == SALTUS_TF_LOOKUP);
  CHECK(has_text("canTransform argument fixed_frame"));
  OK(saltus_tf_buffer_can_transform_across(buffer, "base", 2 * SECOND, "base", SECOND, "map"));
  saltus_tf_buffer_destroy(buffer);
}

static void a_bad_transform_is_refused(void)
{
  saltus_tf_buffer_t *buffer = new_buffer();
  saltus_tf_transform_t bad = translated(NAN, SECOND);
  CHECK(saltus_tf_buffer_set(buffer, "map", "base", &bad, false, "test") == SALTUS_TF_REFUSED);
  CHECK(has_text("TF_NAN_INPUT"));
  bad = translated(0, SECOND);
  bad.rotation[3] = 0;
  CHECK(saltus_tf_buffer_set(buffer, "map", "base", &bad, false, "test") == SALTUS_TF_REFUSED);
  CHECK(has_text("TF_DENORMALIZED_QUATERNION"));
  CHECK(saltus_tf_buffer_set(buffer, "map", "base", NULL, false, "test") == SALTUS_INVALID_ARGUMENT);
  CHECK(has_text("expected a saltus_tf_transform_t, found NULL"));
  CHECK(set(buffer, "map", "map", 0, SECOND) == SALTUS_TF_REFUSED);
  CHECK(set(buffer, "", "map", 0, SECOND) == SALTUS_TF_REFUSED);
  OK(set(buffer, "map", "base", 0, 100 * SECOND));
  CHECK(set(buffer, "map", "base", 0, 1 * SECOND) == SALTUS_TF_REFUSED);
  CHECK(has_text("TF_OLD_DATA"));
  saltus_tf_buffer_destroy(buffer);
}

struct answer
{
  int calls;
  int drops;
  saltus_status_t status;
  saltus_tf_request_t *own;
};

static void on_answer(void *context, saltus_status_t status)
{
  struct answer *answer = context;
  answer->calls += 1;
  answer->status = status;
  if (answer->own != NULL) {
    saltus_tf_request_destroy(answer->own);
    answer->own = NULL;
  }
}

static void on_drop(void *context)
{
  ((struct answer *)context)->drops += 1;
}

static void a_request_is_answered_once(void)
{
  saltus_tf_buffer_t *buffer = new_buffer();
  struct answer answer = {0, 0, -1, NULL};
  saltus_tf_request_t *request;
  OK(saltus_tf_request_create(buffer, "map", "base", 3 * SECOND / 2, on_answer, &answer, on_drop, &request));
  OK(set(buffer, "map", "base", 1, 1 * SECOND));
  CHECK(answer.calls == 0);
  OK(set(buffer, "map", "base", 1, 2 * SECOND));
  CHECK(answer.calls == 1 && answer.status == SALTUS_OK);
  OK(set(buffer, "map", "base", 1, 3 * SECOND));
  CHECK(answer.calls == 1 && answer.drops == 0);
  saltus_tf_request_destroy(request);
  CHECK(answer.drops == 1);
  /* One that is there already, and one that can never be there. */
  OK(saltus_tf_request_create(buffer, "map", "base", 0, on_answer, &answer, on_drop, &request));
  CHECK(answer.calls == 2 && answer.status == SALTUS_OK);
  saltus_tf_request_destroy(request);
  OK(set(buffer, "map", "base", 1, 30 * SECOND));
  OK(saltus_tf_request_create(buffer, "map", "base", 2 * SECOND, on_answer, &answer, on_drop, &request));
  CHECK(answer.calls == 3 && answer.status == SALTUS_TF_NO_DATA);
  saltus_tf_request_destroy(request);
  saltus_tf_buffer_destroy(buffer);
}

static void a_request_may_destroy_itself_and_outlive_its_buffer(void)
{
  saltus_tf_buffer_t *buffer = new_buffer();
  struct answer own = {0, 0, -1, NULL}, late = {0, 0, -1, NULL};
  saltus_tf_request_t *request;
  OK(saltus_tf_request_create(buffer, "map", "base", 0, on_answer, &own, on_drop, &own.own));
  OK(saltus_tf_request_create(buffer, "map", "moon", 0, on_answer, &late, on_drop, &request));
  OK(set(buffer, "map", "base", 1, 1 * SECOND));
  CHECK(own.calls == 1 && own.drops == 1 && own.own == NULL);
  saltus_tf_buffer_destroy(buffer);
  saltus_tf_request_destroy(request);
  CHECK(late.calls == 0 && late.drops == 1);
}

static void a_wait_ends_at_its_timeout(void)
{
  saltus_tf_buffer_t *buffer = new_buffer();
  saltus_tf_transform_t found = translated(0, 0);
  CHECK(saltus_tf_buffer_wait(buffer, "map", "base", 0, SECOND / 100, &found) == SALTUS_TIMEOUT);
  OK(set(buffer, "map", "base", 4, 1 * SECOND));
  OK(saltus_tf_buffer_wait(buffer, "map", "base", 0, -1, &found));
  CHECK(found.translation[0] == 4);
  OK(saltus_tf_buffer_wait(buffer, "map", "base", 0, 0, NULL));
  saltus_tf_buffer_destroy(buffer);
}

static void check_text(saltus_text_t *text, const char *expected)
{
  if (strcmp(saltus_text_data(text), expected) != 0) {
    fprintf(stderr, "expected:\n%s\nfound:\n%s\n", expected, saltus_text_data(text));
    exit(1);
  }
  saltus_text_destroy(text);
}

static void frames_are_listed(void)
{
  saltus_tf_buffer_t *buffer = new_buffer();
  saltus_tf_transform_t fixed = translated(0, 0);
  saltus_tf_frame_t frame = {.struct_size = sizeof frame};
  saltus_tf_frames_t *frames;
  saltus_text_t *text;
  OK(saltus_tf_buffer_yaml(buffer, 0, &text));
  check_text(text, "[]");
  OK(set(buffer, "map", "base", 1, 1 * SECOND));
  OK(set(buffer, "map", "base", 1, 3 * SECOND));
  OK(saltus_tf_buffer_set(buffer, "base", "laser", &fixed, true, "o'brien"));
  OK(saltus_tf_buffer_frames(buffer, &frames));
  CHECK(saltus_tf_frames_count(frames) == 3);
  OK(saltus_tf_frames_get(frames, 0, &frame));
  CHECK(strcmp(frame.name, "base") == 0 && strcmp(frame.parent, "map") == 0 && strcmp(frame.authority, "test") == 0);
  CHECK(frame.count == 2 && frame.oldest == SECOND && frame.newest == 3 * SECOND && frame.is_static == 0);
  OK(saltus_tf_frames_get(frames, 1, &frame));
  CHECK(strcmp(frame.name, "map") == 0 && frame.parent == NULL);
  OK(saltus_tf_frames_get(frames, 2, &frame));
  CHECK(strcmp(frame.name, "laser") == 0 && frame.is_static == 1);
  CHECK(saltus_tf_frames_get(frames, 3, &frame) == SALTUS_NOTHING);
  saltus_tf_frames_destroy(frames);
  OK(saltus_tf_buffer_list(buffer, &text));
  check_text(text, "Frame base exists with parent map.\nFrame laser exists with parent base.\n");
  OK(saltus_tf_buffer_yaml(buffer, 4 * SECOND, &text));
  check_text(text,
    "base: \n  parent: 'map'\n  broadcaster: 'test'\n  rate: 1.000\n  most_recent_transform: 3.000000\n"
    "  oldest_transform: 1.000000\n  transform_delay: 1.000000\n  buffer_length: 2.000\n"
    "laser: \n  parent: 'base'\n  broadcaster: 'o''brien'\n  rate: 10000.000\n  most_recent_transform: 0.000000\n"
    "  oldest_transform: 0.000000\n  transform_delay: 4.000000\n  buffer_length: 0.000\n");
  OK(saltus_tf_buffer_dot(buffer, 0, &text));
  CHECK(strstr(saltus_text_data(text), "\"map\" -> \"base\"[label=\"Broadcaster: test\\nAverage rate: 1.000 Hz") != NULL);
  saltus_text_destroy(text);
  OK(saltus_tf_buffer_parent(buffer, "laser", &text));
  check_text(text, "base");
  CHECK(saltus_tf_buffer_parent(buffer, "map", &text) == SALTUS_NOTHING);
  CHECK(saltus_tf_buffer_has_frame(buffer, "map") && !saltus_tf_buffer_has_frame(buffer, "moon"));
  OK(saltus_tf_buffer_clear(buffer));
  CHECK(saltus_tf_buffer_has_frame(buffer, "base"));
  CHECK(saltus_tf_buffer_can_transform(buffer, "map", "base", 0) == SALTUS_TF_CONNECTIVITY);
  OK(saltus_tf_buffer_can_transform(buffer, "base", "laser", SECOND));
  saltus_tf_buffer_destroy(buffer);
}

int main(void)
{
  a_lookup_interpolates();
  an_error_says_what_is_missing();
  a_bad_transform_is_refused();
  a_request_is_answered_once();
  a_request_may_destroy_itself_and_outlive_its_buffer();
  a_wait_ends_at_its_timeout();
  frames_are_listed();
  return 0;
}
