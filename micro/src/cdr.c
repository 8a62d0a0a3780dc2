#include "saltus/cdr.h"

#include <string.h>

saltus_cdr_t saltus_cdr_over(uint8_t *bytes, uint32_t size) {
    const saltus_cdr_t cdr = {bytes, size, 0U, SALTUS_OK, NULL, NULL, 0U};
    return cdr;
}

saltus_cdr_t saltus_cdr_counter(void) {
    return saltus_cdr_over(NULL, 0U);
}

void saltus_cdr_fail(saltus_cdr_t *cdr, saltus_status_t status) {
    if (cdr->status == SALTUS_OK) {
        cdr->status = status;
    }
}

/* Returns the usable bytes of the present piece, at most `size`. Takes the next piece if this one is used up. */
static uint32_t usable(saltus_cdr_t *cdr, uint32_t size) {
    if ((cdr->left == 0U) && ((cdr->take_piece == NULL) || !cdr->take_piece(cdr))) {
        saltus_cdr_fail(cdr, SALTUS_TRUNCATED);
        return 0U;
    }
    return (cdr->left < size) ? cdr->left : size;
}

/* Moves a cursor over bytes of the present piece. */
static void advance(saltus_cdr_t *cdr, uint32_t size) {
    cdr->data += size;
    cdr->left -= size;
    cdr->position += size;
}

void saltus_cdr_write_bytes(saltus_cdr_t *cdr, const void *bytes, uint32_t size) {
    const uint8_t *from = bytes;
    uint32_t rest = size;
    if ((cdr->data == NULL) && (cdr->take_piece == NULL)) {
        cdr->position += size;
        return;
    }
    while ((rest > 0U) && (cdr->status == SALTUS_OK)) {
        const uint32_t part = usable(cdr, rest);
        if (part > 0U) {
            (void)memcpy(cdr->data, from, part);
            advance(cdr, part);
            from += part;
            rest -= part;
        }
    }
}

void saltus_cdr_read_bytes(saltus_cdr_t *cdr, void *bytes, uint32_t size) {
    uint8_t *to = bytes;
    uint32_t rest = size;
    while ((rest > 0U) && (cdr->status == SALTUS_OK)) {
        const uint32_t part = usable(cdr, rest);
        if (part > 0U) {
            if (to != NULL) {
                (void)memcpy(to, cdr->data, part);
                to += part;
            }
            advance(cdr, part);
            rest -= part;
        }
    }
}

/* Returns the number of bytes to the next multiple of `size`, which is a power of two. */
static uint32_t padding(const saltus_cdr_t *cdr, uint32_t size) {
    return (size - (cdr->position & (size - 1U))) & (size - 1U);
}

void saltus_cdr_write_padding(saltus_cdr_t *cdr, uint32_t size) {
    static const uint8_t zeros[8] = {0};
    saltus_cdr_write_bytes(cdr, zeros, padding(cdr, size));
}

void saltus_cdr_read_padding(saltus_cdr_t *cdr, uint32_t size) {
    saltus_cdr_read_bytes(cdr, NULL, padding(cdr, size));
}

/* Returns whether the processor stores the low byte of a number first. */
static bool is_little_endian(void) {
    const uint16_t one = 1U;
    uint8_t first;
    (void)memcpy(&first, &one, 1U);
    return first == 1U;
}

/* Copies a number with its bytes in the opposite order. */
static void copy_reversed(uint8_t *to, const uint8_t *from, uint32_t size) {
    for (uint32_t i = 0U; i < size; i++) {
        to[i] = from[size - 1U - i];
    }
}

void saltus_cdr_write_numbers(saltus_cdr_t *cdr, const void *numbers, uint32_t size, uint32_t count) {
    if (count == 0U) {
        return;
    }
    saltus_cdr_write_padding(cdr, size);
    if ((size == 1U) || is_little_endian()) {
        saltus_cdr_write_bytes(cdr, numbers, size * count);
        return;
    }
    const uint8_t *from = numbers;
    for (uint32_t i = 0U; i < count; i++) {
        uint8_t reversed[8];
        copy_reversed(reversed, &from[i * size], size);
        saltus_cdr_write_bytes(cdr, reversed, size);
    }
}

void saltus_cdr_read_numbers(saltus_cdr_t *cdr, void *numbers, uint32_t size, uint32_t count) {
    if (count == 0U) {
        return;
    }
    saltus_cdr_read_padding(cdr, size);
    if (count > (UINT32_MAX / size)) {
        saltus_cdr_fail(cdr, SALTUS_TRUNCATED);
        return;
    }
    if ((numbers == NULL) || (size == 1U) || is_little_endian()) {
        saltus_cdr_read_bytes(cdr, numbers, size * count);
        return;
    }
    uint8_t *to = numbers;
    for (uint32_t i = 0U; i < count; i++) {
        uint8_t reversed[8] = {0};
        saltus_cdr_read_bytes(cdr, reversed, size);
        copy_reversed(&to[i * size], reversed, size);
    }
}

void saltus_cdr_write_bools(saltus_cdr_t *cdr, const bool *bools, uint32_t count) {
    for (uint32_t i = 0U; i < count; i++) {
        saltus_cdr_write_uint8(cdr, bools[i] ? 1U : 0U);
    }
}

void saltus_cdr_read_bools(saltus_cdr_t *cdr, bool *bools, uint32_t count) {
    for (uint32_t i = 0U; i < count; i++) {
        const uint8_t byte = saltus_cdr_read_uint8(cdr);
        if (byte > 1U) {
            saltus_cdr_fail(cdr, SALTUS_INVALID);
        }
        bools[i] = byte == 1U;
    }
}

void saltus_cdr_write_uint32(saltus_cdr_t *cdr, uint32_t value) {
    saltus_cdr_write_numbers(cdr, &value, 4U, 1U);
}

uint32_t saltus_cdr_read_uint32(saltus_cdr_t *cdr) {
    uint32_t value = 0U;
    saltus_cdr_read_numbers(cdr, &value, 4U, 1U);
    return (cdr->status == SALTUS_OK) ? value : 0U;
}

void saltus_cdr_write_uint8(saltus_cdr_t *cdr, uint8_t value) {
    saltus_cdr_write_bytes(cdr, &value, 1U);
}

uint8_t saltus_cdr_read_uint8(saltus_cdr_t *cdr) {
    uint8_t value = 0U;
    saltus_cdr_read_bytes(cdr, &value, 1U);
    return value;
}

void saltus_cdr_write_string(saltus_cdr_t *cdr, const saltus_string_t *text, uint32_t bound) {
    if ((bound > 0U) && (text->size > bound)) {
        saltus_cdr_fail(cdr, SALTUS_INVALID);
        return;
    }
    saltus_cdr_write_uint32(cdr, text->size + 1U);
    saltus_cdr_write_bytes(cdr, text->data, text->size);
    saltus_cdr_write_uint8(cdr, 0U);
}

void saltus_cdr_read_string(saltus_cdr_t *cdr, saltus_string_t *text, uint32_t bound) {
    const uint32_t size = saltus_cdr_read_uint32(cdr);
    text->size = 0U;
    /* Some writers send an empty string without its NUL byte. */
    if (size > text->capacity) {
        saltus_cdr_fail(cdr, SALTUS_CAPACITY);
    } else if ((bound > 0U) && (size > (bound + 1U))) {
        saltus_cdr_fail(cdr, SALTUS_INVALID);
    } else if (size > 0U) {
        saltus_cdr_read_bytes(cdr, text->data, size);
        if (cdr->status == SALTUS_OK) {
            text->size = size - 1U;
        }
        text->data[text->size] = '\0';
    } else if (text->capacity > 0U) {
        text->data[0] = '\0';
    } else {
        /* There is no memory, and none is needed. */
    }
}

void saltus_cdr_write_wstring(saltus_cdr_t *cdr, const saltus_wstring_t *text, uint32_t bound) {
    saltus_cdr_write_count(cdr, text->size, bound);
    for (uint32_t i = 0U; i < text->size; i++) {
        saltus_cdr_write_uint32(cdr, text->data[i]);
    }
}

void saltus_cdr_read_wstring(saltus_cdr_t *cdr, saltus_wstring_t *text, uint32_t bound) {
    text->size = saltus_cdr_read_count(cdr, text->capacity, bound);
    for (uint32_t i = 0U; i < text->size; i++) {
        const uint32_t unit = saltus_cdr_read_uint32(cdr);
        if (unit > UINT16_MAX) {
            saltus_cdr_fail(cdr, SALTUS_INVALID);
        }
        text->data[i] = (uint16_t)unit;
    }
}

void saltus_cdr_write_count(saltus_cdr_t *cdr, uint32_t count, uint32_t bound) {
    if ((bound > 0U) && (count > bound)) {
        saltus_cdr_fail(cdr, SALTUS_INVALID);
    }
    saltus_cdr_write_uint32(cdr, count);
}

uint32_t saltus_cdr_read_count(saltus_cdr_t *cdr, uint32_t capacity, uint32_t bound) {
    const uint32_t count = saltus_cdr_read_uint32(cdr);
    if ((bound > 0U) && (count > bound)) {
        saltus_cdr_fail(cdr, SALTUS_INVALID);
        return 0U;
    }
    if (count > capacity) {
        saltus_cdr_fail(cdr, SALTUS_CAPACITY);
        return 0U;
    }
    return count;
}

saltus_string_t saltus_string_of(const char *text) {
    saltus_string_t string = {NULL, 0U, 0U};
    /* The text is only read: strings without capacity are never read into. */
    (void)memcpy(&string.data, &text, sizeof(string.data));
    string.size = (uint32_t)strlen(text);
    return string;
}

saltus_string_t saltus_string_in(char *memory, uint32_t capacity) {
    const saltus_string_t string = {memory, 0U, capacity};
    return string;
}

uint32_t saltus_message_size(const saltus_message_type_t *type, const void *message) {
    saltus_cdr_t counter = saltus_cdr_counter();
    type->write(&counter, message);
    return (counter.status == SALTUS_OK) ? counter.position : 0U;
}

saltus_status_t saltus_serialize(const saltus_message_type_t *type, const void *message, uint8_t *bytes,
                                 uint32_t capacity, uint32_t *size) {
    saltus_cdr_t cdr = saltus_cdr_over(bytes, capacity);
    type->write(&cdr, message);
    *size = cdr.position;
    return (cdr.status == SALTUS_TRUNCATED) ? SALTUS_TOO_LONG : cdr.status;
}

saltus_status_t saltus_deserialize(const saltus_message_type_t *type, void *message, uint8_t *bytes, uint32_t size) {
    saltus_cdr_t cdr = saltus_cdr_over(bytes, size);
    type->read(&cdr, message);
    return cdr.status;
}
