/*
 * What the C references share: the choice of actions, the loop over rows, its clock and its digest. The same
 * loop, with the same chances, is in bench/engine-loop.ts: both play the same games.
 *
 * A reference is a program that includes this file last and defines, before it:
 *   typedef ... Game;                                a row's state
 *   MASK_WORDS                                       32-bit words of a row's packed mask
 *   OBSERVATION_BYTES                                bytes of a row's packed observation, all arrays
 *   void prepare(Game *, const char *seed)           the row's next reset will have this seed
 *   void reset(Game *, const char *seed)
 *   int step(Game *, int action)                     the reward
 *   int is_over(const Game *)
 *   void observe(const Game *, uint32_t *mask, uint8_t *observation)
 *   int action_of(int bit)                           the action of a bit of the mask
 *
 * Run: PROGRAM check ROWS ROUNDS   prints the digest of all that was seen
 *      PROGRAM bench ROWS SECONDS  prints steps and seconds of processor time
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint32_t noise = 0x2545f491;

/* A legal action: the first at or after a random bit of the mask, from the start again after its end. */
static int choose(const uint32_t *mask) {
  noise = noise * 1664525u + 1013904223u;
  uint32_t word = ((noise >> 16) * MASK_WORDS) >> 16;
  uint32_t bits = mask[word] & (~0u << ((noise >> 8) & 31));
  while (bits == 0) {
    word = word + 1 == MASK_WORDS ? 0 : word + 1;
    bits = mask[word];
  }
  return action_of((int)(word * 32) + __builtin_ctz(bits));
}

/* Processor time. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t digest = 2166136261u;

static void take(uint32_t value) { digest = (digest ^ value) * 16777619u; }

/* Seeds as long as those of later episodes: nineteen digits. */
static char (*seeds)[24];
static long next_seed = 0;

static void new_seed(char *seed) { snprintf(seed, 24, "3%018ld", next_seed++); }

static Game *games;
static uint32_t *masks;
static uint8_t *observations;

static void begin(int row) {
  reset(&games[row], seeds[row]);
  new_seed(seeds[row]);
  prepare(&games[row], seeds[row]);
}

static void play_round(int rows, int checking) {
  for (int row = 0; row < rows; row++) {
    Game *game = &games[row];
    uint32_t *mask = masks + row * MASK_WORDS;
    uint8_t *observation = observations + row * OBSERVATION_BYTES;
    int reward = step(game, choose(mask));
    if (is_over(game)) begin(row);
    observe(game, mask, observation);
    if (!checking) continue;
    take((uint32_t)reward);
    for (int i = 0; i < MASK_WORDS; i++) take(mask[i]);
    for (int i = 0; i < OBSERVATION_BYTES; i++) take(observation[i]);
  }
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int rows = atoi(argv[2]);
  int checking = strcmp(argv[1], "check") == 0;
  games = calloc((size_t)rows, sizeof *games);
  masks = calloc((size_t)rows, MASK_WORDS * 4);
  observations = calloc((size_t)rows, OBSERVATION_BYTES);
  seeds = calloc((size_t)rows, sizeof *seeds);
  make_tables();
  for (int row = 0; row < rows; row++) {
    create(&games[row]);
    new_seed(seeds[row]);
    begin(row);
    observe(&games[row], masks + row * MASK_WORDS, observations + row * OBSERVATION_BYTES);
  }
  if (checking) {
    for (int round = 0; round < atoi(argv[3]); round++) play_round(rows, 1);
    printf("%08x\n", digest);
    return 0;
  }
  for (int round = 0; round < 200; round++) play_round(rows, 0);
  double start = now(), seconds = 0;
  long steps = 0;
  while (seconds < atof(argv[3])) {
    for (int i = 0; i < 1 + 4096 / rows; i++, steps += rows) play_round(rows, 0);
    seconds = now() - start;
  }
  printf("%ld %.9f\n", steps, seconds);
  return 0;
}
