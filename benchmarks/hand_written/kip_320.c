/* published/kip-320 by hand, for 3 replicas, 3 offsets, 3 records and 3 leader epochs: what the generated search is measured against.
 *
 * One thread, exact states, no symmetry, weak and strong ISR evaluated on every state. A step changes bits of the two words of a state, so
 * no state is packed anew. The set is an open-addressing table of whole states that is as large as it has to be from the start; an entry is
 * asked for when a successor is made, and looked at when a batch of them is complete. The states of a level are kept for the next one.
 * Prints: distinct states, generated states, levels, states that violate weak and strong ISR, and the seconds of the search.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

typedef uint64_t u64;
typedef uint32_t u32;
enum { REPLICAS = 3, OFFSETS = 3, RECORDS = 3, EPOCHS = 3, BATCH = 256, MOST_SUCCESSORS = 64, BITS = 23 };

/* The first word has replicas 0 and 1, each in 23 bits, and the controller: leader, epoch, ISR, next epoch, next record. The second has
 * replica 2, and of each epoch the request in five bits: leader, ISR. Its last bit is set, so that no state looks like an empty entry. */
typedef struct { u64 a, b; } State;

/* A replica: log end, record ids (0: none), record epochs (0: none), high watermark, leader, epoch, ISR. Leaders and epochs are stored
 * plus one, so that 0 is none. */
#define END(r) ((r) & 3)
#define HW(r) ((r) >> 14 & 3)
#define LEADER(r) ((r) >> 16 & 3)
#define EPOCH(r) ((r) >> 18 & 3)
#define ISR(r) ((r) >> 20 & 7)
#define RECORD_EPOCH(r, k) ((r) >> (8 + 2 * (k)) & 3)
/* The bits of the id and the epoch of a record. */
#define RECORD_BITS(k) (3u << (2 + 2 * (k)) | 3u << (8 + 2 * (k)))
#define INLINE static inline __attribute__((always_inline))
enum { CONTROLLER = 46, REQUESTS = 23 };

static State *table, *states, out[BATCH + MOST_SUCCESSORS];
static const u64 mask = (1ull << BITS) - 1;
static u64 distinct, hashes[BATCH + MOST_SUCCESSORS];
static int n;

INLINE u64 hash(State s) {
    u64 h = (s.a ^ 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
    h ^= h >> 32;
    h = (h ^ s.b) * 0x94D049BB133111EBull;
    return h ^ h >> 29;
}

INLINE void emit(u64 a, u64 b) {
    out[n] = (State){a, b};
    u64 h = hash(out[n]);
    hashes[n++] = h;
    __builtin_prefetch(&table[h & mask]);
}

INLINE void emit_replica(State s, int me, u32 change) {
    u64 wide = change;
    if (me == 0) emit(s.a ^ wide, s.b);
    if (me == 1) emit(s.a ^ wide << 23, s.b);
    if (me == 2) emit(s.a, s.b ^ wide);
}

/* Of each offset, as a bit, whether two logs have the same there. */
INLINE u32 alike(u32 one, u32 other) {
    u32 x = one ^ other, d = x >> 2 | x >> 8;
    d |= d >> 1;
    return ~((d & 1) | (d >> 1 & 2) | (d >> 2 & 4)) & 7;
}

INLINE u32 smaller(u32 one, u32 other) { return one < other ? one : other; }

static void expand(State s, u64 *weak, u64 *strong) {
    const u32 r[3] = {s.a & 0x7fffff, s.a >> 23 & 0x7fffff, s.b & 0x7fffff}, c = s.a >> CONTROLLER, requests = s.b >> REQUESTS & 0x7fff;
    const u32 leader = c & 3, epoch = c >> 2 & 3, isr = c >> 4 & 7, next_epoch = c >> 7 & 3, next_record = c >> 9 & 3;
    const u32 same01 = alike(r[0], r[1]), same02 = alike(r[0], r[2]), same12 = alike(r[1], r[2]);
    const u32 same[3][3] = {{7, same01, same02}, {same01, 7, same12}, {same02, same12, 7}};
    const u64 rest = s.a & ((1ull << CONTROLLER) - 1);
    int is_weak = 1, is_strong = 1;
#define NEW_EPOCH(l, i) \
    emit(rest | (u64)((l) | (next_epoch + 1) << 2 | (i) << 4 | (next_epoch + 1) << 7 | next_record << 9) << CONTROLLER, \
         s.b | (u64)((l) | (i) << 2) << (REQUESTS + 5 * next_epoch))
#pragma GCC unroll 3
    for (int me = 0; me < REPLICAS; me++) {
        const u32 x = r[me], end = END(x), bit = 1u << me, hw = HW(x), of = EPOCH(x), members = ISR(x);
        const int leads = LEADER(x) == (u32)me + 1, is_true = leads && leader == (u32)me + 1 && of == epoch;
        if (next_epoch < EPOCHS && isr & bit) {
            if (leader != (u32)me + 1) {
                NEW_EPOCH(me + 1u, isr);
                NEW_EPOCH(leader, isr & ~bit);
            } else
                NEW_EPOCH(0u, isr == bit ? isr : isr & ~bit);
        }
        for (u32 e = of; e < next_epoch; e++) {
            u32 request = requests >> 5 * e & 31;
            if ((request & 3) == (u32)me + 1) emit_replica(s, me, (x & 0x7f0000) ^ (me + 1u) << 16 ^ (e + 1) << 18 ^ (request >> 2) << 20);
        }
        if (leads) {
            if (next_record < RECORDS && end < OFFSETS) {
                u64 change = x ^ ((x + 1) | (next_record + 1) << (2 + 2 * end) | of << (8 + 2 * end));
                u64 a = s.a + (1ull << (CONTROLLER + 9));
                emit(me == 0 ? a ^ change : me == 1 ? a ^ change << 23 : a, me == 2 ? s.b ^ change : s.b);
            }
            /* the lowest log end of the members that follow; 0 if one does not */
            u32 lowest = end, before = (1u << hw) - 1;
#pragma GCC unroll 3
            for (int f = 0; f < REPLICAS; f++) {
                int follows = LEADER(r[f]) == (u32)me + 1 && EPOCH(r[f]) == of;
                u32 agree = (same[me][f] & before) == before && hw <= END(r[f]) && hw <= end;
                if (members >> f & 1) {
                    lowest = follows ? smaller(lowest, END(r[f])) : 0;
                    is_weak &= agree;
                }
                if (isr >> f & 1) is_strong &= agree;
            }
            if (hw < lowest) emit_replica(s, me, (x ^ (x + (1 << 14))) & 0xc000);
        }
        const int reached = hw == end || (hw < end && RECORD_EPOCH(x, hw) == of);
#pragma GCC unroll 3
        for (int f = 0; f < REPLICAS; f++) {
            const u32 y = r[f], k = END(y);
            const int in_epoch = leads && LEADER(y) == (u32)me + 1 && EPOCH(y) == of;
            if (is_true) {
                u32 then = members ^ 1u << f, go = members >> f & 1 ? !in_epoch || k < end : in_epoch && hw <= k && reached;
                if (go) {
                    u64 change = (u64)(members ^ then) << 20, a = s.a ^ (u64)(isr ^ then) << (CONTROLLER + 4);
                    emit(me == 0 ? a ^ change : me == 1 ? a ^ change << 23 : a, me == 2 ? s.b ^ change : s.b);
                }
            }
            if (in_epoch && k < end) {
                u32 with = ((y & ~0xc000u) + 1) | (x & RECORD_BITS(k)) | smaller(hw, k + 1) << 14;
                emit_replica(s, f, y ^ with);
            }
            if (f != me && of > EPOCH(y)) {
                u32 request = requests >> 5 * (of - 1) & 31;
                if ((request & 3) == (u32)me + 1) {
                    u32 shared = same[me][f] & ((1u << smaller(end, k)) - 1);
                    u32 cut = shared & 4 ? 3 : shared & 2 ? 2 : shared & 1;
                    u32 kept = (1u << 2 * cut) - 1;
                    u32 log = (y & (kept << 2 | kept << 8)) | cut | smaller(HW(y), cut) << 14;
                    emit_replica(s, f, y ^ (log | (me + 1u) << 16 | of << 18 | request >> 2 << 20));
                }
            }
        }
    }
    *weak += !is_weak;
    *strong += !is_strong;
}

static void *room(size_t bytes) {
    void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) exit(1);
    madvise(found, bytes, MADV_HUGEPAGE);
    return found;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void insert_all(void) {
    for (int i = 0; i < n; i++) {
        State s = out[i];
        u64 at = hashes[i] & mask;
        while (table[at].b && (table[at].a != s.a || table[at].b != s.b)) at = (at + 1) & mask;
        if (!table[at].b) {
            table[at] = s;
            states[distinct++] = s;
        }
    }
    n = 0;
}

int main(void) {
    u64 generated = 1, levels = 0, weak = 0, strong = 0;
    table = room(sizeof(State) << BITS), states = room(sizeof(State) * 5000000);
    double started = now();
    emit(7ull << (CONTROLLER + 4), 1ull << 63);
    insert_all();
    for (u64 begin = 0, end = 1; begin < end; begin = end, end = distinct, levels++)
        for (u64 k = begin; k < end;) {
            while (k < end && n < BATCH) expand(states[k++], &weak, &strong);
            generated += n;
            insert_all();
        }
    printf("%lu %lu %lu %lu %lu %.6f\n", distinct, generated, levels, weak, strong, now() - started);
    return 0;
}
