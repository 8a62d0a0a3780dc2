#include "rcutils/sha256.h"

#include <cstring>

namespace
{

constexpr size_t block_size = 64;
constexpr size_t length_size = 8;

// The first 32 bits of the fractions of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr uint32_t round_constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t rotate_right(uint32_t value, unsigned int bits)
{
  return (value >> bits) | (value << (32 - bits));
}

uint32_t read_big_endian(const uint8_t * bytes)
{
  return static_cast<uint32_t>(bytes[0]) << 24 | static_cast<uint32_t>(bytes[1]) << 16 |
         static_cast<uint32_t>(bytes[2]) << 8 | static_cast<uint32_t>(bytes[3]);
}

void write_big_endian(uint8_t * bytes, size_t size, uint64_t value)
{
  for (size_t index = size; index > 0; --index) {
    bytes[index - 1] = static_cast<uint8_t>(value & 0xff);
    value >>= 8;
  }
}

// FIPS 180-4, 6.2.2, step 1.
void make_schedule(const uint8_t * block, uint32_t (& schedule)[64])
{
  for (size_t t = 0; t < 16; ++t) {
    schedule[t] = read_big_endian(block + 4 * t);
  }
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t w2 = schedule[t - 2];
    const uint32_t w15 = schedule[t - 15];
    const uint32_t sigma1 = rotate_right(w2, 17) ^ rotate_right(w2, 19) ^ (w2 >> 10);
    const uint32_t sigma0 = rotate_right(w15, 7) ^ rotate_right(w15, 18) ^ (w15 >> 3);
    schedule[t] = sigma1 + schedule[t - 7] + sigma0 + schedule[t - 16];
  }
}

// FIPS 180-4, 6.2.2, steps 2 to 4.
void hash_block(uint32_t (& state)[8], const uint8_t * block)
{
  uint32_t schedule[64];
  make_schedule(block, schedule);
  uint32_t v[8];
  std::memcpy(v, state, sizeof(v));
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t sum1 = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
    const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const uint32_t t1 = v[7] + sum1 + choice + round_constants[t] + schedule[t];
    const uint32_t sum0 = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
    const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    std::memmove(v + 1, v, 7 * sizeof(v[0]));
    v[4] += t1;
    v[0] = t1 + sum0 + majority;
  }
  for (size_t index = 0; index < 8; ++index) {
    state[index] += v[index];
  }
}

void hash_buffered(rcutils_sha256_ctx_t * ctx)
{
  hash_block(ctx->state, ctx->data);
  ctx->bitlen += block_size * 8;
  ctx->datalen = 0;
}

}  // namespace

void rcutils_sha256_init(rcutils_sha256_ctx_t * ctx)
{
  if (ctx) {
    *ctx = {
      {}, 0, 0,
      {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
  }
}

void rcutils_sha256_update(rcutils_sha256_ctx_t * ctx, const uint8_t * data, size_t data_len)
{
  if (!ctx || !data) {
    return;
  }
  while (data_len > 0) {
    const size_t space = block_size - ctx->datalen;
    const size_t taken = data_len < space ? data_len : space;
    std::memcpy(ctx->data + ctx->datalen, data, taken);
    ctx->datalen += taken;
    data += taken;
    data_len -= taken;
    if (ctx->datalen == block_size) {
      hash_buffered(ctx);
    }
  }
}

void rcutils_sha256_final(rcutils_sha256_ctx_t * ctx, uint8_t output_hash[RCUTILS_SHA256_BLOCK_SIZE])
{
  if (!ctx || !output_hash) {
    return;
  }
  const uint64_t bits = ctx->bitlen + ctx->datalen * 8;
  const uint8_t one_bit = 0x80;
  const uint8_t zero = 0;
  rcutils_sha256_update(ctx, &one_bit, 1);
  while (ctx->datalen != block_size - length_size) {
    rcutils_sha256_update(ctx, &zero, 1);
  }
  uint8_t length[length_size];
  write_big_endian(length, sizeof(length), bits);
  rcutils_sha256_update(ctx, length, sizeof(length));
  for (size_t index = 0; index < 8; ++index) {
    write_big_endian(output_hash + 4 * index, 4, ctx->state[index]);
  }
}
