/** SHA-256 (FIPS 180-4). */
#ifndef RCUTILS_SHA256_H_
#define RCUTILS_SHA256_H_

#include <stddef.h>
#include <stdint.h>

#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Size of a hash in bytes. */
#define RCUTILS_SHA256_BLOCK_SIZE 32

/** A hash under construction. */
typedef struct rcutils_sha256_ctx_s
{
  /** Input that does not fill a block yet. */
  uint8_t data[64];
  /** Bytes used in `data`. */
  size_t datalen;
  /** Bits of all blocks so far. */
  uint64_t bitlen;
  uint32_t state[8];
} rcutils_sha256_ctx_t;

/** Starts a hash. */
RCUTILS_PUBLIC void rcutils_sha256_init(rcutils_sha256_ctx_t * ctx);

/** Adds `data_len` bytes. */
RCUTILS_PUBLIC void rcutils_sha256_update(rcutils_sha256_ctx_t * ctx, const uint8_t * data, size_t data_len);

/** Writes the hash. The context must be started again before its next use. */
RCUTILS_PUBLIC
void rcutils_sha256_final(rcutils_sha256_ctx_t * ctx, uint8_t output_hash[RCUTILS_SHA256_BLOCK_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
