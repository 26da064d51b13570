/* published/kip-320 by hand, for 3 replicas, 3 offsets, 3 records and 3 leader epochs: what the generated search is measured against.
 *
 * One thread, exact states, weak and strong ISR evaluated on every state. The set is an open-addressing table of whole states that is as
 * large as it has to be from the start; each state is asked for 16 states ahead, and the states of a level are kept for the next one.
 * Prints: distinct states, generated states, levels, states that violate weak and strong ISR, and the seconds of the search.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

typedef uint64_t u64;
typedef uint32_t u32;
enum { REPLICAS = 3, OFFSETS = 3, RECORDS = 3, EPOCHS = 3, AHEAD = 16, BATCH = 1 << 14, MOST_SUCCESSORS = 64 };

typedef struct { u64 a, b; } State;

/* A replica in 23 bits: log end, record ids (0: none), record epochs (0: none), high watermark, leader, epoch, ISR. */
#define END(r) ((r) & 3)
#define ID(r, k) ((r) >> (2 + 2 * (k)) & 3)
#define RECORD_EPOCH(r, k) ((r) >> (8 + 2 * (k)) & 3)
#define HW(r) ((r) >> 14 & 3)
#define LEADER(r) ((r) >> 16 & 3)
#define EPOCH(r) ((r) >> 18 & 3)
#define ISR(r) ((r) >> 20 & 7)
#define SET(r, shift, mask, value) (((r) & ~((u32)(mask) << (shift))) | (u32)(value) << (shift))
#define WITH_ENTRY(r, k, id, epoch) SET(SET(r, 2 + 2 * (k), 3, id), 8 + 2 * (k), 3, epoch)

typedef struct {
    u32 r[REPLICAS];
    u32 leader, epoch, isr, next_epoch, next_record;
    u32 request; /* five bits for each epoch: leader, then ISR */
} Parts;

#define REQUEST_LEADER(p, e) ((p)->request >> (5 * (e)) & 3)
#define REQUEST_ISR(p, e) ((p)->request >> (5 * (e) + 2) & 7)

static inline void unpack(State s, Parts *p) {
    p->r[0] = s.a & 0x7fffff;
    p->r[1] = s.a >> 23 & 0x7fffff;
    p->r[2] = s.b & 0x7fffff;
    u32 c = s.a >> 46;
    p->leader = c & 3;
    p->epoch = c >> 2 & 3;
    p->isr = c >> 4 & 7;
    p->next_epoch = c >> 7 & 3;
    p->next_record = c >> 9 & 3;
    p->request = s.b >> 23;
}

static inline State pack(const Parts *p) {
    u64 c = p->leader | p->epoch << 2 | p->isr << 4 | p->next_epoch << 7 | p->next_record << 9;
    return (State){(u64)p->r[0] | (u64)p->r[1] << 23 | c << 46, (u64)p->r[2] | (u64)p->request << 23};
}

static inline int same_record(u32 one, u32 other, int k) {
    return ID(one, k) == ID(other, k) && RECORD_EPOCH(one, k) == RECORD_EPOCH(other, k);
}

/* Leaders and epochs are stored plus one, so that 0 is none. */
static inline int follows(const Parts *p, int leader, int follower) {
    return LEADER(p->r[leader]) == (u32)leader + 1 && LEADER(p->r[follower]) == (u32)leader + 1 &&
           EPOCH(p->r[follower]) == EPOCH(p->r[leader]);
}

static inline int true_leader(const Parts *p, int replica) {
    return p->leader == (u32)replica + 1 && LEADER(p->r[replica]) == (u32)replica + 1 && EPOCH(p->r[replica]) == p->epoch;
}

static inline State new_epoch(const Parts *p, u32 leader, u32 isr) {
    Parts q = *p;
    q.leader = leader;
    q.isr = isr;
    q.request |= (leader | isr << 2) << (5 * p->next_epoch);
    q.next_epoch++;
    q.epoch = q.next_epoch;
    return pack(&q);
}

static inline State with_replica(const Parts *p, int replica, u32 r) {
    Parts q = *p;
    q.r[replica] = r;
    return pack(&q);
}

static inline State with_isr(const Parts *p, int leader, u32 isr) {
    Parts q = *p;
    q.isr = isr;
    q.r[leader] = SET(q.r[leader], 20, 7, isr);
    return pack(&q);
}

static inline u32 adopted(const Parts *p, u32 r, int e) {
    return SET(SET(SET(r, 16, 3, REQUEST_LEADER(p, e)), 18, 3, e + 1), 20, 7, REQUEST_ISR(p, e));
}

static inline int reached_epoch(u32 r) {
    u32 hw = HW(r);
    return hw == END(r) || (hw < END(r) && RECORD_EPOCH(r, hw) == EPOCH(r));
}

static int successors(State state, State *out) {
    Parts s, *p = &s;
    unpack(state, p);
    int n = 0;
    for (int me = 0; me < REPLICAS; me++) {
        u32 r = p->r[me], end = END(r), bit = 1u << me;
        if (p->next_epoch < EPOCHS && p->isr & bit) {
            if (p->leader != (u32)me + 1) {
                out[n++] = new_epoch(p, me + 1, p->isr);
                out[n++] = new_epoch(p, p->leader, p->isr & ~bit);
            } else
                out[n++] = new_epoch(p, 0, p->isr == bit ? p->isr : p->isr & ~bit);
        }
        for (int e = EPOCH(r); e < (int)p->next_epoch; e++)
            if (REQUEST_LEADER(p, e) == (u32)me + 1) out[n++] = with_replica(p, me, adopted(p, r, e));
        if (LEADER(r) == (u32)me + 1) {
            if (p->next_record < RECORDS && end < OFFSETS) {
                Parts q = *p;
                q.r[me] = SET(WITH_ENTRY(r, end, p->next_record + 1, EPOCH(r)), 0, 3, end + 1);
                q.next_record++;
                out[n++] = pack(&q);
            }
            u32 hw = HW(r);
            int all = hw < end;
            for (int f = 0; f < REPLICAS && all; f++)
                if (ISR(r) >> f & 1) all = follows(p, me, f) && hw < END(p->r[f]);
            if (all) out[n++] = with_replica(p, me, SET(r, 14, 3, hw + 1));
        }
        for (int f = 0; f < REPLICAS; f++) {
            u32 q = p->r[f];
            int in_epoch = follows(p, me, f);
            if (true_leader(p, me)) {
                if (!(ISR(r) >> f & 1)) {
                    if (in_epoch && HW(r) <= END(q) && reached_epoch(r)) out[n++] = with_isr(p, me, ISR(r) | 1u << f);
                } else if (!in_epoch || END(q) < end)
                    out[n++] = with_isr(p, me, ISR(r) & ~(1u << f));
            }
            if (in_epoch && END(q) < end) {
                u32 k = END(q), hw = HW(r) < k + 1 ? HW(r) : k + 1;
                out[n++] = with_replica(p, f, SET(SET(WITH_ENTRY(q, k, ID(r, k), RECORD_EPOCH(r, k)), 0, 3, k + 1), 14, 3, hw));
            }
            u32 e = EPOCH(r); /* one more than the epoch, 0 for none */
            if (e && REQUEST_LEADER(p, e - 1) == (u32)me + 1 && e > EPOCH(q)) {
                u32 cut = 0, t = q;
                for (u32 k = 0; k < OFFSETS; k++)
                    if (k < end && k < END(q) && same_record(r, q, k)) cut = k + 1;
                for (u32 k = cut; k < OFFSETS; k++) t = WITH_ENTRY(t, k, 0, 0);
                t = SET(SET(t, 0, 3, cut), 14, 3, HW(q) < cut ? HW(q) : cut);
                out[n++] = with_replica(p, f, adopted(p, t, e - 1));
            }
        }
    }
    return n;
}

static inline int holds(const Parts *p, int leader, u32 members) {
    u32 r = p->r[leader];
    for (int m = 0; m < REPLICAS; m++)
        if (members >> m & 1)
            for (u32 k = 0; k < HW(r); k++)
                if (k >= END(r) || k >= END(p->r[m]) || !same_record(r, p->r[m], k)) return 0;
    return 1;
}

static void judge(State state, u64 *weak, u64 *strong) {
    Parts s, *p = &s;
    unpack(state, p);
    int w = 1, t = 1;
    for (int me = 0; me < REPLICAS; me++)
        if (LEADER(p->r[me]) == (u32)me + 1) {
            w &= holds(p, me, ISR(p->r[me]));
            t &= holds(p, me, p->isr);
        }
    *weak += !w;
    *strong += !t;
}

static inline u64 hash(State s) {
    u64 h = (s.a ^ 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
    h ^= h >> 32;
    h = (h ^ s.b) * 0x94D049BB133111EBull;
    return h ^ h >> 29;
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

int main(void) {
    enum { BITS = 23 };
    u64 mask = (1ull << BITS) - 1, distinct = 0, generated = 1, levels = 0, weak = 0, strong = 0;
    State *table = room(sizeof(State) << BITS), *states = room(sizeof(State) * 5000000);
    State *out = malloc(sizeof(State) * (BATCH + MOST_SUCCESSORS));
    u64 ring[AHEAD];
    double started = now();
    Parts start = {.isr = 7};
    /* A table entry has the bit 63 of its second word set, so that no state looks like an empty one. */
    states[0] = pack(&start);
    table[hash(states[0]) & mask] = (State){states[0].a, states[0].b | 1ull << 63};
    distinct = 1;
    for (u64 begin = 0, end = 1; begin < end; begin = end, end = distinct, levels++) {
        for (u64 k = begin; k < end; k++) judge(states[k], &weak, &strong);
        for (u64 k = begin; k < end;) {
            int n = 0;
            while (k < end && n < BATCH) n += successors(states[k++], out + n);
            generated += n;
            for (int i = 0; i < n + AHEAD; i++) {
                if (i >= AHEAD) {
                    State s = out[i - AHEAD], entry = {s.a, s.b | 1ull << 63};
                    u64 at = ring[i & (AHEAD - 1)];
                    while (table[at].b && (table[at].a != entry.a || table[at].b != entry.b)) at = (at + 1) & mask;
                    if (!table[at].b) {
                        table[at] = entry;
                        states[distinct++] = s;
                    }
                }
                if (i < n) {
                    ring[i & (AHEAD - 1)] = hash(out[i]) & mask;
                    __builtin_prefetch(&table[ring[i & (AHEAD - 1)]]);
                }
            }
        }
    }
    printf("%lu %lu %lu %lu %lu %.6f\n", distinct, generated, levels, weak, strong, now() - started);
    return 0;
}
