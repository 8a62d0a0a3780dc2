/**
 * CDR, the bytes of messages: a cursor that reads or writes them, a primitive at a time.
 *
 * A cursor without memory only counts, so that one function both measures and writes a message. The bytes may be in
 * several pieces, such as the fragments of a message in the slots of a stream. An error stays: after it, the cursor
 * does nothing, so that the caller checks `status` once, at the end.
 *
 * The numbers are little-endian, as ROS 2 has them. Source: OMG DDS-XTypes 1.3, section 7.4 (XCDR version 1).
 */
#ifndef SALTUS_CDR_H
#define SALTUS_CDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "saltus/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A cursor over the bytes of a message. */
typedef struct saltus_cdr saltus_cdr_t;

struct saltus_cdr {
    /** The next byte of the present piece. `NULL` if the cursor only counts. */
    uint8_t *data;
    /** The number of bytes that are left in the piece. */
    uint32_t left;
    /** The number of bytes before the cursor. Alignment is relative to position 0. */
    uint32_t position;
    /** `SALTUS_OK`, or the first error. */
    saltus_status_t status;
    /** Takes the next piece: sets `data` and `left`. Returns false if there is none. May be `NULL`. */
    bool (*take_piece)(saltus_cdr_t *cdr);
    /** For `take_piece`: who has the pieces, and the number of the present one. */
    void *pieces;
    uint16_t piece;
};

/** Text. `size` does not count the NUL byte at the end; `capacity` does. */
typedef struct saltus_string {
    char *data;
    uint32_t size;
    uint32_t capacity;
} saltus_string_t;

/** Text in UTF-16, without a NUL at the end. ROS 2 sends four bytes for each code unit. */
typedef struct saltus_wstring {
    uint16_t *data;
    uint32_t size;
    uint32_t capacity;
} saltus_wstring_t;

/** Returns a cursor over `size` bytes. */
saltus_cdr_t saltus_cdr_over(uint8_t *bytes, uint32_t size);

/** Returns a cursor that only counts. Its `position` is the number of bytes that were written. */
saltus_cdr_t saltus_cdr_counter(void);

/** Records an error, unless there was one before. */
void saltus_cdr_fail(saltus_cdr_t *cdr, saltus_status_t status);

/** Writes zeros up to the next position that is a multiple of `size`: 1, 2, 4 or 8. */
void saltus_cdr_write_padding(saltus_cdr_t *cdr, uint32_t size);
/** Skips bytes up to the next position that is a multiple of `size`: 1, 2, 4 or 8. */
void saltus_cdr_read_padding(saltus_cdr_t *cdr, uint32_t size);

/** Writes bytes as they are. */
void saltus_cdr_write_bytes(saltus_cdr_t *cdr, const void *bytes, uint32_t size);
/** Reads bytes as they are. If `bytes` is `NULL`, they are skipped. */
void saltus_cdr_read_bytes(saltus_cdr_t *cdr, void *bytes, uint32_t size);

/** Writes `count` numbers of `size` bytes each, aligned to their size. */
void saltus_cdr_write_numbers(saltus_cdr_t *cdr, const void *numbers, uint32_t size, uint32_t count);
/** Reads `count` numbers of `size` bytes each, aligned to their size. If `numbers` is `NULL`, they are skipped. */
void saltus_cdr_read_numbers(saltus_cdr_t *cdr, void *numbers, uint32_t size, uint32_t count);

/** Writes `count` bools. */
void saltus_cdr_write_bools(saltus_cdr_t *cdr, const bool *bools, uint32_t count);
/** Reads `count` bools. Fails with `SALTUS_INVALID` if a byte is neither 0 nor 1. */
void saltus_cdr_read_bools(saltus_cdr_t *cdr, bool *bools, uint32_t count);

/** Writes a 32-bit number. */
void saltus_cdr_write_uint32(saltus_cdr_t *cdr, uint32_t value);
/** Reads a 32-bit number. Returns 0 after an error. */
uint32_t saltus_cdr_read_uint32(saltus_cdr_t *cdr);
/** Writes a byte. */
void saltus_cdr_write_uint8(saltus_cdr_t *cdr, uint8_t value);
/** Reads a byte. Returns 0 after an error. */
uint8_t saltus_cdr_read_uint8(saltus_cdr_t *cdr);

/** Writes text. Fails with `SALTUS_INVALID` if it is longer than `bound` bytes; 0 is no bound. */
void saltus_cdr_write_string(saltus_cdr_t *cdr, const saltus_string_t *text, uint32_t bound);
/** Reads text into the memory of `text`. Fails with `SALTUS_CAPACITY` if it does not fit with its NUL byte. */
void saltus_cdr_read_string(saltus_cdr_t *cdr, saltus_string_t *text, uint32_t bound);
/** Writes text in UTF-16. Fails with `SALTUS_INVALID` if it is longer than `bound` units; 0 is no bound. */
void saltus_cdr_write_wstring(saltus_cdr_t *cdr, const saltus_wstring_t *text, uint32_t bound);
/** Reads text in UTF-16 into the memory of `text`. */
void saltus_cdr_read_wstring(saltus_cdr_t *cdr, saltus_wstring_t *text, uint32_t bound);

/** Writes the number of elements of a sequence. Fails with `SALTUS_INVALID` above `bound`; 0 is no bound. */
void saltus_cdr_write_count(saltus_cdr_t *cdr, uint32_t count, uint32_t bound);
/**
 * Reads the number of elements of a sequence, each of at least one byte.
 * Fails with `SALTUS_CAPACITY` above `capacity`, and with `SALTUS_INVALID` above `bound`. Returns 0 after an error.
 */
uint32_t saltus_cdr_read_count(saltus_cdr_t *cdr, uint32_t capacity, uint32_t bound);

/** Returns text in read-only memory as a string that can be written, and not read into. */
saltus_string_t saltus_string_of(const char *text);

/** Returns a string over memory that can be read into. It is empty. */
saltus_string_t saltus_string_in(char *memory, uint32_t capacity);

/** The type of a message. Generated code has one for each message, in flash. */
typedef struct saltus_message_type {
    /** The name on the wire, such as `std_msgs::msg::dds_::String_`. */
    const char *name;
    /** Writes a message. */
    void (*write)(saltus_cdr_t *cdr, const void *message);
    /** Reads a message into the application's memory. */
    void (*read)(saltus_cdr_t *cdr, void *message);
} saltus_message_type_t;

/** The types of the request and the response of a service. */
typedef struct saltus_service_type {
    const saltus_message_type_t *request;
    const saltus_message_type_t *response;
} saltus_service_type_t;

/** The types of the services and the feedback topic of an action. */
typedef struct saltus_action_type {
    const saltus_service_type_t *send_goal;
    const saltus_service_type_t *get_result;
    const saltus_message_type_t *feedback;
} saltus_action_type_t;

/** Returns the number of bytes of a message, or 0 if it can't be written. */
uint32_t saltus_message_size(const saltus_message_type_t *type, const void *message);

/** Writes a message into `bytes`. Sets `size` to the number of bytes that were written. */
saltus_status_t saltus_serialize(const saltus_message_type_t *type, const void *message, uint8_t *bytes,
                                 uint32_t capacity, uint32_t *size);

/** Reads a message from `bytes` into the application's memory. */
saltus_status_t saltus_deserialize(const saltus_message_type_t *type, void *message, uint8_t *bytes, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif
