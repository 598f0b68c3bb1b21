/* Stackcraft in plain C, the algorithm of src/games/stackcraft: see loop.h for how it is run. */
#include "stream.h"

enum { ROWS = 20, COLUMNS = 10, FULL = 1023, SHAPES = 19 };

typedef struct {
  uint8_t cells[200], nibbles[100], tops[COLUMNS + 3];
  uint16_t rows[ROWS + 3];
  int current, next, over, score, lines, pieces, which;
  uint32_t legal[2];
  Stream streams[2]; /* the one in play and the one prepared, by `which` */
} Game;

#define MASK_WORDS 2
#define OBSERVATION_BYTES 108

static const char *const DRAWINGS[7] = {"####", "##/##", ".#./###", ".##/##.", "##./.##", "#../###", "..#/###"};

static int shape_of[8][4], height[SHAPES];
static int cell_row[SHAPES][4], cell_col[SHAPES][4], bottom[SHAPES][4], top[SHAPES][4];
static uint32_t open_mask[8][2];

/* Adds a grid of `h` rows and `w` columns as a shape, unless the piece has it already. */
static int add_shape(char grid[4][4], int h, int w, int first, int count) {
  int rows[4], cols[4], cells = 0;
  for (int r = 0; r < h; r++) {
    for (int c = 0; c < w; c++) {
      if (grid[r][c]) rows[cells] = r, cols[cells++] = c;
    }
  }
  for (int s = first; s < count; s++) {
    if (memcmp(cell_row[s], rows, sizeof rows) == 0 && memcmp(cell_col[s], cols, sizeof cols) == 0) return 0;
  }
  height[count] = h;
  for (int c = 0; c < 4; c++) bottom[count][c] = -128, top[count][c] = 127;
  for (int i = 0; i < 4; i++) {
    int r = rows[i], c = cols[i];
    cell_row[count][i] = r, cell_col[count][i] = c;
    if (r > bottom[count][c]) bottom[count][c] = r;
    if (r < top[count][c]) top[count][c] = r;
  }
  return 1;
}

static void make_tables(void) {
  int count = 0;
  make_seeding_tables();
  for (int piece = 1; piece <= 7; piece++) {
    char grid[4][4] = {{0}};
    int h = 1, w = 0, c = 0, first = count;
    for (const char *mark = DRAWINGS[piece - 1]; *mark; mark++) {
      if (*mark == '/') h++, c = 0;
      else grid[h - 1][c++] = *mark == '#', w = c;
    }
    for (int turns = 0; turns < 4; turns++) {
      if (add_shape(grid, h, w, first, count)) {
        int rotation = count - first;
        shape_of[piece][rotation] = count++;
        for (int x = 0; x + w <= COLUMNS; x++) {
          int action = rotation * COLUMNS + x;
          open_mask[piece][action >> 5] |= 1u << (action & 31);
        }
      }
      char turned[4][4] = {{0}};
      for (int r = 0; r < w; r++) {
        for (int k = 0; k < h; k++) turned[r][k] = grid[h - 1 - k][r];
      }
      memcpy(grid, turned, sizeof grid);
      int width = h;
      h = w, w = width;
    }
  }
}

static int least(int a, int b) { return a < b ? a : b; }

static int is_free(const Game *game, int shape, int x, int y) {
  for (int i = 0; i < 4; i++) {
    if (game->rows[y + cell_row[shape][i]] >> (x + cell_col[shape][i]) & 1) return 0;
  }
  return 1;
}

static int landing_row(const Game *game, int shape, int x) {
  int y = ROWS;
  for (int c = 0; c < 4; c++) y = least(y, game->tops[x + c] - bottom[shape][c] - 1);
  if (y >= 0) return y;
  y = 0;
  while (y + height[shape] < ROWS && is_free(game, shape, x, y + 1)) y++;
  return y;
}

static void fill(Game *game, int shape, int x, int y) {
  for (int i = 0; i < 4; i++) {
    int row = y + cell_row[shape][i], col = x + cell_col[shape][i];
    game->rows[row] |= (uint16_t)(1 << col);
    game->cells[row * COLUMNS + col] = (uint8_t)game->current;
    game->nibbles[row * 5 + (col >> 1)] |= (uint8_t)(game->current << (col & 1) * 4);
  }
  for (int c = 0; c < 4; c++) game->tops[x + c] = (uint8_t)least(game->tops[x + c], y + top[shape][c]);
}

static int clear_rows(Game *game, int y) {
  uint16_t *rows = game->rows;
  int cleared = 0;
  if (rows[y] != FULL && rows[y + 1] != FULL && rows[y + 2] != FULL && rows[y + 3] != FULL) return 0;
  for (int row = y; row < y + 4; row++) {
    if (rows[row] != FULL) continue;
    memmove(rows + 1, rows, (size_t)row * 2);
    memmove(game->cells + COLUMNS, game->cells, (size_t)row * COLUMNS);
    memmove(game->nibbles + 5, game->nibbles, (size_t)row * 5);
    rows[0] = 0;
    memset(game->cells, 0, COLUMNS);
    memset(game->nibbles, 0, 5);
    cleared++;
  }
  memset(game->tops, ROWS, COLUMNS);
  for (int row = 0, seen = 0; row < ROWS && seen != FULL; row++) {
    int fresh = rows[row] & ~seen;
    seen |= fresh;
    for (; fresh != 0; fresh &= fresh - 1) game->tops[__builtin_ctz((unsigned)fresh)] = (uint8_t)row;
  }
  return cleared;
}

static uint64_t blocked_columns(const uint16_t *rows, int shape) {
  int blocked = 0;
  for (int i = 0; i < 4; i++) blocked |= rows[cell_row[shape][i]] >> cell_col[shape][i];
  return (uint64_t)(blocked & FULL);
}

static void find_legal(Game *game) {
  const uint16_t *rows = game->rows;
  uint64_t legal = open_mask[game->current][0] | (uint64_t)open_mask[game->current][1] << 32;
  if (rows[0] | rows[1] | rows[2] | rows[3]) {
    uint64_t blocked = 0;
    for (int r = 0; r < 4; r++) blocked |= blocked_columns(rows, shape_of[game->current][r]) << 10 * r;
    legal &= ~blocked;
    game->over = legal == 0;
  }
  game->legal[0] = (uint32_t)legal;
  game->legal[1] = (uint32_t)(legal >> 32);
}

static void create(Game *game) { memset(game, 0, sizeof *game); }

static void prepare(Game *game, const char *seed) {
  Stream *prepared = &game->streams[!game->which];
  start_stream(prepared, seed);
  ask(prepared);
}

static void reset(Game *game, const char *seed) {
  if (has_seed(&game->streams[!game->which], seed)) game->which = !game->which;
  else start_stream(&game->streams[game->which], seed);
  memset(game->cells, 0, sizeof game->cells);
  memset(game->nibbles, 0, sizeof game->nibbles);
  memset(game->rows, 0, sizeof game->rows);
  memset(game->tops, ROWS, sizeof game->tops);
  game->current = draw(&game->streams[game->which]);
  game->next = draw(&game->streams[game->which]);
  game->over = game->score = game->lines = game->pieces = 0;
  find_legal(game);
}

static int step(Game *game, int action) {
  static const int points[5] = {0, 100, 300, 500, 800};
  int rotation = action / COLUMNS, x = action % COLUMNS, shape = shape_of[game->current][rotation];
  int y = landing_row(game, shape, x);
  fill(game, shape, x, y);
  int cleared = clear_rows(game, y);
  game->score += points[cleared];
  game->lines += cleared;
  game->pieces++;
  game->current = game->next;
  game->next = draw(&game->streams[game->which]);
  find_legal(game);
  return points[cleared];
}

static int is_over(const Game *game) { return game->over; }

static void observe(const Game *game, uint32_t *mask, uint8_t *observation) {
  memcpy(mask, game->legal, 8);
  memcpy(observation, game->nibbles, 100);
  memcpy(observation + 100, &game->current, 4);
  memcpy(observation + 104, &game->next, 4);
}

static int action_of(int bit) { return bit; }

#include "loop.h"
