/* Sources and sinks: where the arrays of a stream come from and go to.
 *
 * A source yields the elements of a stream, and a sink takes them; both in order. An element of a stream is a tuple of
 * arrays, whose components are called parts. The caller makes sources and sinks here, gives them to a run, which borrows
 * them, and destroys them after the run has ended. A source or sink serves one run at a time.
 */
#ifndef WADI_STREAM_H
#define WADI_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"
#include "wadi/type.h"

WADI_BEGIN_DECLS

enum { WADI_MAX_PARTS = 32 /**< arrays in one element of a stream */ };

/** The type of one part of a stream's element. */
typedef struct wadi_part {
    int rank;                        /**< 0..WADI_MAX_RANK */
    int fields;                      /**< 1 for plain scalars */
    wadi_type type[WADI_MAX_FIELDS]; /**< type of each field */
    bool fixed;                      /**< every element has exactly `shape`: the part is regular */
    int64_t shape[WADI_MAX_RANK];    /**< extents, outermost first; meaningful when fixed */
} wadi_part;

/** A part of plain scalars whose shape differs from element to element. */
wadi_part wadi_part_irregular(wadi_type type, int rank);
/** A part of plain scalars with one shape for the whole stream; `shape` holds `rank` extents. */
wadi_part wadi_part_fixed(wadi_type type, int rank, const int64_t *shape);

typedef struct wadi_source wadi_source;
typedef struct wadi_sink wadi_sink;

/** Destroys a source and closes what it opened. NULL is fine. */
void wadi_source_destroy(wadi_source *source);
/** Destroys a sink and closes what it opened. NULL is fine. */
void wadi_sink_destroy(wadi_sink *sink);

/** Makes sure that a file is on the disk when the run has ended well, so that it survives a power cut. (A file that replaces another
 *  always is.) No effect on sinks that write no file. Call it before the run. NULL is fine. */
void wadi_sink_sync(wadi_sink *sink);

/** How often the elements of a stream come to its sink, in a run that is saved (wadi_run_options.state), if its process may be ended at any moment
 *  and the run is started again. */
typedef enum wadi_guarantee {
    WADI_GUARANTEE_NONE, /**< nothing is promised */
    WADI_GUARANTEE_AT_LEAST_ONCE, /**< none is left out; those since the last saving may come again, with the same numbers */
    WADI_GUARANTEE_EXACTLY_ONCE /**< each once */
} wadi_guarantee;

/* ---- functions of the caller ---- */

/** Where a pull function puts its element. Valid only during the call. */
typedef struct wadi_yield wadi_yield;

/** Adds part `part` of the element, with extents `shape` (which may be NULL for rank 0 and for fixed parts). *out_array
 *  describes the memory to fill; each column holds product(shape) elements. Fill it before the pull function returns or yields
 *  another array. Errors: WADI_SHAPE (another shape for a fixed part), WADI_INVALID (part given twice, or unknown), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_yield_array(wadi_yield *yield, int part, const int64_t *shape,
                                            wadi_array *out_array, wadi_error *err);

/** Ends the chunk after this element. Call it when the next element will take a while, so that this one need not wait. */
void wadi_yield_flush(wadi_yield *yield);

/** Yields element number `index` of the stream by calling wadi_yield_array once per part. A call that yields nothing ends
 *  the stream. Called by one thread at a time; may block. A failure ends the run with that error, after the elements before
 *  it have been delivered. */
typedef wadi_status (*wadi_pull_fn)(void *env, int64_t index, wadi_yield *yield, wadi_error *err);

/** Takes element number `index`: one array per part, borrowed for the call. Called in order by one thread. May block; later elements
 *  are computed meanwhile. */
typedef wadi_status (*wadi_push_fn)(void *env, int64_t index, int parts, const wadi_array *element,
                                    wadi_error *err);

/** Makes a source that calls `pull` for each element. Borrows env; copies `part`. */
WADI_NODISCARD wadi_status wadi_source_callback(int parts, const wadi_part *part, wadi_pull_fn pull,
                                                void *env, wadi_source **out_source,
                                                wadi_error *err);
/** Makes a sink that calls `push` for each element. Borrows env. */
WADI_NODISCARD wadi_status wadi_sink_callback(wadi_push_fn push, void *env, wadi_sink **out_sink,
                                              wadi_error *err);

/** Fills up to k elements at once. Column f of columns[part] has room for all k, one after another. *out_n is the number
 *  filled; 0 ends the stream. Called by one thread at a time; may block. After a failure, the elements filled so far still
 *  count. */
typedef wadi_status (*wadi_fill_fn)(void *env, int64_t k, const wadi_array *columns, int64_t *out_n,
                                    wadi_error *err);
/** Takes elements first .. first + count - 1 at once: one array per part, with one more outermost dimension of extent
 *  `count`, borrowed for the call. */
typedef wadi_status (*wadi_drain_fn)(void *env, int64_t first, int64_t count, int parts,
                                     const wadi_array *columns, wadi_error *err);

/** Makes a source for streams of small elements, which calls `fill` for many at a time. Every part must be fixed. Borrows env;
 *  copies `part`. */
WADI_NODISCARD wadi_status wadi_source_bulk(int parts, const wadi_part *part, wadi_fill_fn fill,
                                            void *env, wadi_source **out_source, wadi_error *err);
/** Makes a sink that calls `drain` for many elements at a time. An element without a fixed shape is an error. Borrows env. */
WADI_NODISCARD wadi_status wadi_sink_bulk(wadi_drain_fn drain, void *env, wadi_sink **out_sink,
                                          wadi_error *err);

/* ---- memory ---- */

/** Makes a source from an array of rank 1 or more: element i is its row i along the outermost dimension. Borrows the columns of
 *  `array` until the source is destroyed; chunks refer to them without copying. */
WADI_NODISCARD wadi_status wadi_source_memory(const wadi_array *array, wadi_source **out_source,
                                              wadi_error *err);

/** Makes a sink that keeps every element in memory. */
WADI_NODISCARD wadi_status wadi_sink_memory(wadi_sink **out_sink, wadi_error *err);
/** Number of elements that a memory sink holds. */
int64_t wadi_sink_memory_count(const wadi_sink *sink);
/** Part `part` of element `index` of a memory sink. The array is borrowed from the sink. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_sink_memory_get(const wadi_sink *sink, int64_t index, int part,
                                                wadi_array *out_array, wadi_error *err);

/* ---- raw files ---- */

/** Makes a source from a file of records of one shape, one after another in the byte order of the machine. `part` must be fixed and
 *  have one field. If the length of the file is not a whole number of records, the error names the position. */
WADI_NODISCARD wadi_status wadi_source_raw(const char *path, const wadi_part *part,
                                           wadi_source **out_source, wadi_error *err);
/** Makes a sink that writes the bytes of all elements (one part of one field, any shape) one after another. The file appears
 *  under `path` only when the stream has ended well; until then it has a temporary name beside it. */
WADI_NODISCARD wadi_status wadi_sink_raw(const char *path, wadi_sink **out_sink, wadi_error *err);

/* ---- lines of text ---- */

/** How a text becomes a stream. All zero: each line is an element; numbers in it stand between blanks. */
typedef struct wadi_lines_options {
    bool words;   /**< source: elements are words, what stands between blanks and ends of lines */
    bool keep_cr; /**< source: a carriage return in front of a newline belongs to the line */
    char
        separator; /**< between the numbers of a line, as ','; 0: any blanks, and a sink writes one */
    int64_t skip; /**< source: so many lines in front are no elements, as headings */
} wadi_lines_options;

/** Makes a source from the lines of a text. An element of one part u8[n] is the bytes of a line without its end, which is a newline or a carriage return and a
 *  newline; the last line needs none. Any other element is made of the numbers of a line, the values of all parts one behind the other (of records, the fields of a value
 *  one behind the other); all parts must be fixed, but the last may be an irregular one of rank 1, which takes the rest of the line. With `words`, elements are
 *  u8[n] or one number. A byte order mark of UTF-8 in front does not count. Copies `part` and `options`, which may be NULL. The source itself tells line and
 *  value of what is no such number. Errors: WADI_INVALID (no such parts or options), WADI_TYPE (complex numbers), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_source_lines(const char *path, int parts, const wadi_part *part,
                                             const wadi_lines_options *options,
                                             wadi_source **out_source, wadi_error *err);
/** Makes a sink that writes each element as a line, in the same form, so that a source of lines reads the same values again: real numbers with as many digits as they
 *  need. Bytes that end in a carriage return are only the same again with `keep_cr`, and a first line that begins with a byte order mark loses it. The file appears under `path` as that of a raw sink does. An element whose bytes contain a newline fails the run (WADI_INVALID); so do complex numbers
 *  (WADI_TYPE). `options` may be NULL. */
WADI_NODISCARD wadi_status wadi_sink_lines(const char *path, const wadi_lines_options *options,
                                           wadi_sink **out_sink, wadi_error *err);

/* ---- messages that a server keeps ---- */

/** Makes a source from the messages of a stream of JetStream, the part of a NATS server that keeps messages. `address` is nats://HOST[:PORT]/STREAM[?NAME=VALUE&..], whose
 *  settings docs/RUNTIME.md lists: which messages are read, whether more are waited for, what a message has (as=element, records or lines), keys and TLS. The stream must exist; the module nats
 *  must be installed. A message of an element is its bytes: the values of all parts one behind the other in the byte order of the machine (of records, the fields of a value one
 *  behind the other). All parts must be fixed, but the last may be an irregular one of rank 1, which takes the rest of the message; not so of as=records, where a message has any number of
 *  elements of one size. With as=lines a message has any number of lines, each an element as of wadi_source_lines. Copies `part`. The position is the number of a message, and that of an
 *  element in it, so a saved run goes on behind the last element that it has read. The source itself tells the number of a message that is no such element, or that the server has discarded before it was
 *  read. Errors: WADI_INVALID (address, parts), WADI_SHAPE (a message would not tell the shapes), WADI_TYPE (complex numbers in lines), WADI_IO (no server, no such stream), WADI_UNSUPPORTED (no
 *  module; a stream that can be read only once), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_source_messages(const char *address, int parts,
                                                const wadi_part *part, wadi_source **out_source,
                                                wadi_error *err);
/** Makes a sink that publishes each element to a subject of such a stream, in the same form, so that a source with the same parts reads the same values again; with as=records or as=lines, up to
 *  `batch` of them in one message, and no more than come in a chunk. Shapes are not written. In a run that is saved each element comes once, whatever is killed. An element larger than a message may be fails the run
 *  (WADI_INVALID). Errors: as for wadi_source_messages. */
WADI_NODISCARD wadi_status wadi_sink_messages(const char *address, wadi_sink **out_sink,
                                              wadi_error *err);

/* ---- recorded sound ---- */

enum {
    WADI_SOUND_WHOLE = -1 /**< for `block`: each file is one element */
};

/** How sound files become a stream. All zero: exact integers in blocks of 4096 frames. */
typedef struct wadi_sound_options {
    wadi_type
        type; /**< of samples: WADI_I32 (or 0), WADI_F32 or WADI_F64. Integers are those of the
                         file, right-aligned; full scale of real numbers is 1 */
    int bits; /**< 8..32: sound that is stored as real numbers or with loss (Vorbis, MP3, ..) is
                         rounded to integers of so many bits; 0: such files are refused */
    int64_t block; /**< frames per element, fewer in the last of a file; 0: 4096 */
    int channels;  /**< the number every file must have; 0: any number */
} wadi_sound_options;

/** Makes a source from the sound of `n` files, one after another, as arrays [frames, channels]. It reads every format that
 *  libsndfile reads; the module sndfile must be installed. "-" is standard input. The first file is opened here, the others when
 *  their turn comes. Copies `paths`; `options` may be NULL. A file that holds fewer frames than its header promises is an error.
 *  Errors: WADI_INVALID, WADI_IO (unreadable, not sound, truncated), WADI_UNSUPPORTED (samples that would be changed; no module),
 *  WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_source_sound(const char *const *paths, int n,
                                             const wadi_sound_options *options,
                                             wadi_source **out_source, wadi_error *err);

/* ---- another process ---- */

enum { WADI_NOTE_BYTES = 4 << 20 /**< greatest size of a note */ };

/** Options of a link to another process. All zero is the default. */
typedef struct wadi_link_options {
    bool bind; /**< this side binds the address; the other connects to it */
    int64_t
        credit_bytes; /**< receiver: limit of bytes in flight to it; 0: 64 MiB. Sender: limit of bytes
                                 that it keeps until they are consumed, whatever credit it has; 0: 256 MiB */
    int64_t credit_chunks; /**< receiver: limit of chunks in flight to it; 0: 4 */
    int64_t lost_after_ms; /**< a link without a peer for this long is an error; 0: 10000. A
                                 receiver that has lost its sender waits only for a stream that
                                 goes on, because nobody else can continue it */
    int64_t
        first_after_ms; /**< the same for the first peer; 0: lost_after_ms; negative: no limit */
    bool
        goes_on; /**< for a run that is saved (wadi_run_options.state). Sender: when it is lost, the receiver waits for it as long as
                       lost_after_ms says; started again, it goes on where the receiver is, and each element comes there once. It waits for a lost
                       receiver in the same way. Receiver: it goes on behind the elements that were saved */
    bool
        shared; /**< several processes share the stream. A sender that binds gives each chunk to one of the receivers that come; what one had that is
                       lost goes to the others. Those receivers connect, and are shared as well: a run that reads such a part must give one
                       element for each, and may send them, by a sink that is shared and connects, to a receiver that is shared and binds. That one puts them into the
                       order of the stream. goes_on is for the sender of the whole and for the one that gathers: those between need not be saved */
    int parts; /**< receiver with goes_on: what elements are, since opening does not wait for them */
    const wadi_part *part;    /**< [parts]; likewise */
    const void *note;         /**< sender: bytes that the receiver gets before the elements, see
                                 wadi_source_note; borrowed for the call; NULL: none */
    int64_t note_bytes;       /**< size of `note` */
    const char *curve_public; /**< own public key (Z85, 40 characters); NULL: no encryption */
    const char *curve_secret; /**< own secret key */
    const char *curve_server; /**< connecting side: public key of the side that binds */
    const char *const *
        curve_clients; /**< binding side: public keys that may connect, ended by NULL. Required with
                                           keys: encryption alone would let anybody in */
    const char *
        token; /**< instead of keys, on ipc:// and loopback: 16 to 1024 bytes that both sides know and
                            other users of the machine do not; borrowed for the call; NULL: none */
} wadi_link_options;

/** Makes a source that receives what a wadi_sink_link sends to `address` (ipc:// or tcp://). Blocks until the sender is there
 *  and has described its elements, at most first_after_ms. Binding an address other than loopback without keys is refused.
 *  Errors: WADI_INVALID (address, options), WADI_IO (no sender), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_source_link(const char *address, const wadi_link_options *options,
                                            wadi_source **out_source, wadi_error *err);
/** Makes a sink that sends a stream to the wadi_source_link at `address`. With a note, blocks until a receiver is there and has been sent
 *  the note, so that it knows what will come before there is an element. Errors: as for wadi_source_link. */
WADI_NODISCARD wadi_status wadi_sink_link(const char *address, const wadi_link_options *options,
                                          wadi_sink **out_sink, wadi_error *err);
/** The note that the sender has put in front of its stream, as it came: only its length and its checksum have been checked. *out is
 *  borrowed until the source is destroyed; NULL: there is none. Errors: WADI_INVALID (the source is no link). */
WADI_NODISCARD wadi_status wadi_source_note(const wadi_source *source, const void **out,
                                            int64_t *out_bytes, wadi_error *err);

WADI_END_DECLS

#endif
