/*
 * Stackcraft's stream: bag b of a seed is shuffled by CPython's random.Random("stackcraft-v1:{seed}:{b}").
 * As in src/games/stackcraft/deal.ts, bags are asked for ahead of need, and LANES of them are seeded together;
 * up to FEW are seeded on their own, side by side.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LANES = 24, FEW = 4, RING = 4, N = 624, M = 397, OUTPUTS = 12, MOST_KEY_WORDS = 44 };

static uint64_t sha_constants[80], sha_initial[8];
static uint32_t mt_initial[N];

/* The first 64 bits of the fraction of a prime's root, by integer search; `power` 2 or 3. */
static uint64_t root_fraction(int prime, int power) {
  unsigned __int128 low = 0, high = (unsigned __int128)1 << 68;
  while (high - low > 1) {
    unsigned __int128 middle = (low + high) / 2;
    /* middle is the root times 2^64; compare its power with the prime in 192 or 256 bits, by long multiplication */
    uint32_t limbs[9] = {1, 0}, product[9];
    for (int factor = 0; factor < power; factor++) {
      memset(product, 0, sizeof product);
      for (int i = 0; i < 9; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 3 && i + j < 9; j++) {
          carry += product[i + j] + (uint64_t)limbs[i] * (uint32_t)(middle >> (32 * j));
          product[i + j] = (uint32_t)carry;
          carry >>= 32;
        }
        if (i + 3 < 9) product[i + 3] += (uint32_t)carry;
      }
      memcpy(limbs, product, sizeof limbs);
    }
    uint32_t top = limbs[2 * power];
    if (top >= (uint32_t)prime) high = middle;
    else low = middle;
  }
  return (uint64_t)low;
}

static void make_seeding_tables(void) {
  int count = 0;
  for (int candidate = 2; count < 80; candidate++) {
    int is_prime = 1;
    for (int d = 2; d * d <= candidate; d++) is_prime &= candidate % d != 0;
    if (!is_prime) continue;
    if (count < 8) sha_initial[count] = root_fraction(candidate, 2);
    sha_constants[count++] = root_fraction(candidate, 3);
  }
  mt_initial[0] = 19650218u;
  for (uint32_t i = 1; i < N; i++) mt_initial[i] = 1812433253u * (mt_initial[i - 1] ^ (mt_initial[i - 1] >> 30)) + i;
}

static uint64_t turn(uint64_t x, int bits) { return x >> bits | x << (64 - bits); }

/* SHA-512 of fewer than 112 bytes, as eight words. */
static void sha512(const uint8_t *text, int length, uint64_t *state) {
  uint8_t block[128] = {0};
  uint64_t w[80];
  memcpy(block, text, (size_t)length);
  block[length] = 0x80;
  block[126] = (uint8_t)(length >> 5);
  block[127] = (uint8_t)(length << 3);
  for (int i = 0; i < 16; i++) {
    memcpy(&w[i], block + 8 * i, 8);
    w[i] = __builtin_bswap64(w[i]);
  }
  for (int i = 16; i < 80; i++) {
    uint64_t s0 = turn(w[i - 15], 1) ^ turn(w[i - 15], 8) ^ w[i - 15] >> 7;
    uint64_t s1 = turn(w[i - 2], 19) ^ turn(w[i - 2], 61) ^ w[i - 2] >> 6;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  uint64_t a = sha_initial[0], b = sha_initial[1], c = sha_initial[2], d = sha_initial[3];
  uint64_t e = sha_initial[4], f = sha_initial[5], g = sha_initial[6], h = sha_initial[7];
  for (int i = 0; i < 80; i++) {
    uint64_t t1 = h + (turn(e, 14) ^ turn(e, 18) ^ turn(e, 41)) + ((e & f) ^ (~e & g)) + sha_constants[i] + w[i];
    uint64_t t2 = (turn(a, 28) ^ turn(a, 34) ^ turn(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  uint64_t sums[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; i++) state[i] = sha_initial[i] + sums[i];
}

static uint32_t keys[MOST_KEY_WORDS][LANES], mt[N][LANES], outputs[OUTPUTS][LANES];

static int key_words(int length) { return (length + 64 + 3) / 4; }

/* The seeding key of a lane: text and digest as one big-endian integer, lowest word first, each with its index added. */
static void load_key(int lane, const char *text, int length) {
  uint8_t bytes[MOST_KEY_WORDS * 4] = {0};
  uint64_t state[8];
  int words = key_words(length);
  uint8_t *end = bytes + words * 4 - 64;
  sha512((const uint8_t *)text, length, state);
  memcpy(end - length, text, (size_t)length);
  for (int i = 0; i < 8; i++) {
    uint64_t swapped = __builtin_bswap64(state[i]);
    memcpy(end + 8 * i, &swapped, 8);
  }
  for (int j = 0; j < words; j++) {
    uint32_t word;
    memcpy(&word, bytes + 4 * (words - 1 - j), 4);
    keys[j][lane] = __builtin_bswap32(word) + (uint32_t)j;
  }
}

/* init_by_array of `count` lanes; the compiler makes one copy for each constant count. */
static inline __attribute__((always_inline)) void seed_lanes(int words, int count) {
  uint32_t last[LANES];
  for (int l = 0; l < count; l++) last[l] = mt_initial[0];
  for (int k = 0, i = 1, j = 0; k < N; k++) {
    const uint32_t *key = keys[j];
    for (int l = 0; l < count; l++) {
      uint32_t old = k < N - 1 ? mt_initial[i] : mt[1][l];
      last[l] = (old ^ (last[l] ^ last[l] >> 30) * 1664525u) + key[l];
      mt[i][l] = last[l];
    }
    if (++i == N) i = 1; /* word 0 takes the last one's value, which `last` has already */
    if (++j == words) j = 0;
  }
  for (uint32_t k = 0, i = 2; k < N - 1; k++) {
    for (int l = 0; l < count; l++) {
      last[l] = (mt[i][l] ^ (last[l] ^ last[l] >> 30) * 1566083941u) - i;
      mt[i][l] = last[l];
    }
    if (++i == N) i = 1;
  }
  for (int l = 0; l < count; l++) mt[0][l] = 0x80000000u;
  for (int i = 0; i < OUTPUTS; i++) {
    for (int l = 0; l < count; l++) {
      uint32_t y = (mt[i][l] & 0x80000000u) | (mt[i + 1][l] & 0x7fffffffu);
      uint32_t value = mt[i + M][l] ^ y >> 1 ^ ((0u - (y & 1)) & 0x9908b0dfu);
      value ^= value >> 11;
      value ^= value << 7 & 0x9d2c5680u;
      value ^= value << 15 & 0xefc60000u;
      outputs[i][l] = value ^ value >> 18;
    }
  }
}

/* The bag of a lane: seven digits of four bits, the first piece lowest. */
static uint32_t lane_bag(int lane) {
  uint32_t bag = 0x7654321;
  for (int p = 6, w = 0; p > 0; p--, w += 2) {
    double fraction = ((outputs[w][lane] >> 5) * 67108864.0 + (outputs[w + 1][lane] >> 6)) / 9007199254740992.0;
    int q = (int)(fraction * (p + 1));
    uint32_t difference = (bag >> 4 * p ^ bag >> 4 * q) & 7;
    bag ^= difference << 4 * p ^ difference << 4 * q;
  }
  return bag;
}
