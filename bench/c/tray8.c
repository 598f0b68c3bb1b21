/* Block Puzzle 8x8 in plain C, the algorithm of src/games/block-puzzle-8 and src/games/tray: see loop.h. */
#include <stdint.h>
#include <string.h>

enum { SHAPES = 37, SCANS = 10, GENERATORS = 5, MOST_REDRAWS = 1000 };

typedef struct {
  uint64_t board, anchors[3];
  int32_t tray[3], sets, score, combo, fits, over, first;
  uint32_t ready[GENERATORS][3]; /* seeded generators of sets first..first+4, in units of 2^-32 */
  char seed[24];
  int seed_length;
  double head; /* the hash after three blanks and "{seed}:" */
} Game;

#define MASK_WORDS 6
#define OBSERVATION_BYTES 38

static const char *const DRAWINGS[SHAPES] = {
    "#", "##", "#/#", "###", "#/#/#", "####", "#/#/#/#", "#####", "#/#/#/#/#", "##/##", "###/###/###",
    "###/###", "##/##/##", "##/#.", "##/.#", "#./##", ".#/##", "###/#../#..", "###/..#/..#", "#../#../###",
    "..#/..#/###", "#./#./##", "###/#..", "##/.#/.#", "..#/###", ".#/.#/##", "#../###", "##/#./#.", "###/..#",
    "###/.#.", ".#/##/.#", ".#./###", "#./##/#.", ".##/##.", "#./##/.#", "##./.##", ".#/##/#."};
static const char *const SCANNED[SCANS] = {"#",   "##",      "###",       "####",       "#####",
                                           "#/#", "#/#/#",   "#/#/#/#",   "#/#/#/#/#",  "###/###"};

typedef struct {
  uint64_t cells; /* at the top left of an 8x8 board */
  int height, width, count;
} Shape;

static Shape shapes[SHAPES];
static int part[SHAPES][2], shift[SHAPES][2];
static uint64_t columns[SHAPES], placed[SHAPES][64];
static uint32_t framed[SHAPES + 1];
static uint8_t by_size[128];
static int by_size_length;

static Shape read_shape(const char *text) {
  Shape shape = {0, 1, 0, 0};
  for (int c = 0; *text; text++) {
    if (*text == '/') shape.height++, c = 0;
    else if (*text == '#') shape.cells |= 1ull << ((shape.height - 1) * 8 + c++), shape.count++;
    else c++;
    if (c > shape.width) shape.width = c;
  }
  return shape;
}

/* Two shifted scan entries whose union is the shape. */
static void find_parts(int s, const uint64_t *runs) {
  for (int a = 0; a < SCANS * 64; a++) {
    for (int b = 0; b < SCANS * 64; b++) {
      uint64_t one = runs[a / 64], other = runs[b / 64];
      if (((one << a % 64) | (other << b % 64)) != shapes[s].cells) continue;
      if ((one << a % 64) >> a % 64 != one || (other << b % 64) >> b % 64 != other) continue;
      part[s][0] = a / 64, shift[s][0] = a % 64, part[s][1] = b / 64, shift[s][1] = b % 64;
      return;
    }
  }
}

static double mash(double hash, int code) {
  double n = hash + code, h = 0.02519603282416938 * n, whole = (double)(int32_t)h;
  h = (h - whole) * whole;
  double rest = (double)(int32_t)h;
  return rest + (h - rest) * 4294967296.0;
}

static double blanks[3];

static void make_tables(void) {
  uint64_t runs[SCANS];
  for (int i = 0; i < SCANS; i++) runs[i] = read_shape(SCANNED[i]).cells;
  for (int s = 0; s < SHAPES; s++) {
    Shape shape = shapes[s] = read_shape(DRAWINGS[s]);
    int weight = shape.count <= 3 ? 4 : shape.count == 4 ? 3 : shape.count <= 6 ? 2 : 1;
    for (int i = 0; i < weight; i++) by_size[by_size_length++] = (uint8_t)s;
    for (int row = 0; row < 8; row++) columns[s] |= (uint64_t)((1 << (9 - shape.width)) - 1) << row * 8;
    for (int row = 0; row < shape.height; row++) framed[s + 1] |= (uint32_t)(shape.cells >> row * 8 & 31) << row * 5;
    for (int position = 0; position < 64; position++) placed[s][position] = shape.cells << position;
    find_parts(s, runs);
  }
  double hash = 4022871197.0;
  for (int i = 0; i < 3; i++) blanks[i] = hash = mash(hash, ' ');
}

static void scan(uint64_t board, uint64_t *out) {
  uint64_t e = ~board, h2 = e & e >> 1, h3 = h2 & e >> 2, v2 = e & e >> 8, v4 = v2 & v2 >> 16;
  out[0] = e, out[1] = h2, out[2] = h3, out[3] = h2 & h2 >> 2, out[4] = h3 & h2 >> 3;
  out[5] = v2, out[6] = v2 & e >> 16, out[7] = v4, out[8] = v4 & e >> 32, out[9] = h3 & h3 >> 8;
}

static uint64_t anchors_of(const uint64_t *runs, int s) {
  return runs[part[s][0]] >> shift[s][0] & runs[part[s][1]] >> shift[s][1] & columns[s];
}

static uint64_t find_anchors(Game *game, const uint64_t *runs) {
  uint64_t any = 0;
  for (int slot = 0; slot < 3; slot++) {
    int piece = game->tray[slot];
    any |= game->anchors[slot] = piece ? anchors_of(runs, piece - 1) : 0;
  }
  return any;
}

/* Seeds the generators of five sets at once; see src/games/tray/set-stream.ts. */
static void seed_block(Game *game, int first) {
  char shared[40];
  double hashes[GENERATORS], head = game->head;
  int length = game->seed_length + 1, divisor = 1;
  memcpy(shared, game->seed, (size_t)game->seed_length);
  shared[length - 1] = ':';
  while (divisor * 10 <= first) divisor *= 10;
  for (; divisor >= 10; divisor /= 10) shared[length++] = (char)('0' + first / divisor % 10);
  for (int i = game->seed_length + 1; i < length; i++) head = mash(head, shared[i]);
  for (int lane = 0; lane < GENERATORS; lane++) hashes[lane] = mash(head, '0' + first % 10 + lane);
  for (int which = 0;; which++) {
    for (int lane = 0; lane < GENERATORS; lane++) {
      game->ready[lane][which] = (uint32_t)(uint64_t)blanks[which] - (uint32_t)(uint64_t)hashes[lane];
    }
    if (which == 2) break;
    for (int i = 0; i < length; i++) {
      for (int lane = 0; lane < GENERATORS; lane++) hashes[lane] = mash(hashes[lane], shared[i]);
    }
    for (int lane = 0; lane < GENERATORS; lane++) hashes[lane] = mash(hashes[lane], '0' + first % 10 + lane);
  }
  game->first = first;
}

static void deal(Game *game, const uint64_t *runs) {
  int set = game->sets++, first = set - set % GENERATORS;
  if (game->first != first) seed_block(game, first);
  const uint32_t *ready = game->ready[set - first];
  double s0 = ready[0] * 0x1p-32, s1 = ready[1] * 0x1p-32, s2 = ready[2] * 0x1p-32, carry = 1;
  game->fits = 1;
  for (int redraws = 0; redraws <= MOST_REDRAWS; redraws++) {
    for (int slot = 0; slot < 3; slot++) {
      double t = 2091639 * s0 + carry * 0x1p-32;
      carry = (double)(int32_t)t;
      s0 = s1, s1 = s2, s2 = t - carry;
      game->tray[slot] = 1 + by_size[(int)(s2 * by_size_length)];
    }
    if (find_anchors(game, runs)) return;
  }
  game->tray[2] = 1;
  game->anchors[2] = anchors_of(runs, 0);
}

static int clear_lines(uint64_t *board) {
  const uint64_t ones = 0x0101010101010101ull;
  uint64_t rows = *board, cols = *board;
  rows &= rows >> 1, rows &= rows >> 2, rows &= rows >> 4, rows &= ones;
  cols &= cols >> 32, cols &= cols >> 16, cols &= cols >> 8, cols &= 255;
  if ((rows | cols) == 0) return 0;
  *board &= ~(rows * 255 | cols * ones);
  return (int)((rows * ones) >> 56) + __builtin_popcountll(cols);
}

static void create(Game *game) { memset(game, 0, sizeof *game); }

static void prepare(Game *game, const char *seed) { (void)game, (void)seed; }

static void reset(Game *game, const char *seed) {
  uint64_t runs[SCANS];
  double head = blanks[2];
  create(game);
  game->seed_length = (int)strlen(seed);
  memcpy(game->seed, seed, (size_t)game->seed_length);
  for (int i = 0; i < game->seed_length; i++) head = mash(head, seed[i]);
  game->head = mash(head, ':');
  game->first = -1;
  scan(0, runs);
  deal(game, runs);
}

static int step(Game *game, int action) {
  uint64_t runs[SCANS];
  int slot = action >> 6, piece = game->tray[slot] - 1;
  game->board |= placed[piece][action & 63];
  game->tray[slot] = 0;
  int lines = clear_lines(&game->board), reward = shapes[piece].count;
  if (lines == 0) game->combo = 0;
  else reward += 5 * lines * (lines + 1) + 20 * game->combo++;
  game->score += reward;
  scan(game->board, runs);
  if ((game->tray[0] | game->tray[1] | game->tray[2]) == 0) deal(game, runs);
  else game->fits = find_anchors(game, runs) != 0;
  game->over = !game->fits;
  return reward;
}

static int is_over(const Game *game) { return game->over; }

static void observe(const Game *game, uint32_t *mask, uint8_t *observation) {
  uint32_t a = framed[game->tray[0]], b = framed[game->tray[1]], c = framed[game->tray[2]];
  uint32_t low = a | b << 25, middle = b >> 7 | c << 18;
  uint16_t high = (uint16_t)(c >> 14);
  memcpy(mask, game->anchors, 24);
  memcpy(observation, &game->board, 8);
  memcpy(observation + 8, &low, 4);
  memcpy(observation + 12, &middle, 4);
  memcpy(observation + 16, &high, 2);
  memcpy(observation + 18, game->tray, 12);
  memcpy(observation + 30, &game->combo, 4);
  memcpy(observation + 34, &game->score, 4);
}

static int action_of(int bit) { return bit; }

#include "loop.h"
