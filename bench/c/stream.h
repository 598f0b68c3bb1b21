/* Draws pieces, and keeps the queues of bags that are asked for ahead of need. */
#include "bags.h"

typedef struct {
  char text[64]; /* "stackcraft-v1:{seed}:" */
  const char *seed; /* within text; empty when the stream was never started */
  int length, seed_length, opened, made, asked, epoch;
  uint32_t hand, bags[RING];
} Stream;

typedef struct {
  Stream *streams[LANES];
  int epochs[LANES], numbers[LANES], count;
} Queue;

static Queue queues[MOST_KEY_WORDS], urgent;

static void start_stream(Stream *stream, const char *seed) {
  stream->seed_length = (int)strlen(seed);
  stream->length = 14 + stream->seed_length + 1;
  memcpy(stream->text, "stackcraft-v1:", 14);
  memcpy(stream->text + 14, seed, (size_t)stream->seed_length);
  stream->text[stream->length - 1] = ':';
  stream->opened = stream->made = stream->asked = 0;
  stream->hand = 0;
  stream->epoch++; /* what was asked for before is no use any more */
}

static int has_seed(const Stream *stream, const char *seed) {
  return stream->length > 0 && strlen(seed) == (size_t)stream->seed_length &&
         memcmp(stream->text + 14, seed, (size_t)stream->seed_length) == 0;
}

static int bag_key_words(const Stream *stream, int number) {
  int length = stream->length + 1;
  for (; number >= 10; number /= 10) length++;
  return key_words(length);
}

static void make_all(Queue *queue, int words) {
  for (int lane = 0; lane < queue->count; lane++) {
    Stream *stream = queue->streams[lane];
    char text[80], digits[12];
    int length = stream->length, count = 0;
    if (stream->epoch != queue->epochs[lane]) continue;
    memcpy(text, stream->text, (size_t)length);
    for (int rest = queue->numbers[lane]; rest > 0 || count == 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
    while (count > 0) text[length++] = digits[--count];
    load_key(lane, text, length);
  }
  if (queue->count <= FEW) seed_lanes(words, FEW);
  else seed_lanes(words, LANES);
  for (int lane = 0; lane < queue->count; lane++) {
    Stream *stream = queue->streams[lane];
    int number = queue->numbers[lane];
    if (stream->epoch != queue->epochs[lane] || stream->made != number || number >= stream->opened + RING) continue;
    stream->bags[number % RING] = lane_bag(lane);
    stream->made++;
  }
  queue->count = 0;
}

static void enqueue(Queue *queue, Stream *stream) {
  queue->streams[queue->count] = stream;
  queue->epochs[queue->count] = stream->epoch;
  queue->numbers[queue->count++] = stream->asked++;
}

static void ask(Stream *stream) {
  int words = bag_key_words(stream, stream->asked);
  enqueue(&queues[words], stream);
  if (queues[words].count == LANES) make_all(&queues[words], words);
}

static void make_now(Stream *stream) {
  int words = bag_key_words(stream, stream->made), queued = 0;
  Queue *queue = &queues[words];
  for (int i = 0; i < queue->count; i++) {
    queued |= queue->streams[i] == stream && queue->numbers[i] == stream->made && queue->epochs[i] == stream->epoch;
  }
  if (!queued) {
    queue = &urgent;
    stream->asked = stream->made;
  }
  while (queue->count < FEW && stream->asked < stream->opened + RING && bag_key_words(stream, stream->asked) == words) {
    enqueue(queue, stream);
  }
  make_all(queue, words);
}

/* The next piece, 1..7. */
static int draw(Stream *stream) {
  if (stream->hand == 0) {
    if (stream->made == stream->opened) make_now(stream);
    stream->hand = stream->bags[stream->opened++ % RING];
  }
  int piece = stream->hand & 7;
  stream->hand >>= 4;
  if (stream->hand < 0x100 && stream->asked <= stream->opened) ask(stream);
  return piece;
}
