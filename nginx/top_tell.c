/* One request, for `howdah top`, as JSON: what it is, does, and waits for. Also in a signal handler (howdah_op_held()). */
#include "top.h"

enum { FRAMES_MAX = 48 };

static void add_member(howdah_json *to, const char *name, howdah_str text) {
  enum { LONGEST = 1024 };
  howdah_json_add(to, ",\"%s\":", name);
  howdah_json_add_string(to, (const u_char *)text.data, text.len, LONGEST);
}

static void tell_spot(void *data, const howdah_spot *spot) {
  howdah_json *to = data;
  add_member(to, "class", spot->class);
  add_member(to, "function", spot->function);
  add_member(to, "file", spot->file);
  howdah_json_add(to, ",\"line\":%ui", (ngx_uint_t)spot->line);
}

typedef struct {
  howdah_json *out;
  size_t whole; /* its text, up to the last frame that could be read to its end */
} stack;

/* What it reads may not be readable, and then it does not return. */
static void tell_frame(void *data, const howdah_frame *frame) {
  stack *self = data;
  howdah_json *to = self->out;
  howdah_json_put(to, to->text[to->len - 1] == '[' ? "" : ",", to->text[to->len - 1] == '[' ? 0 : 1);
  howdah_json_add(to, "{\"line\":%ui", (ngx_uint_t)frame->line);
  add_member(to, "class", frame->class);
  add_member(to, "function", frame->function);
  add_member(to, "file", frame->file);
  howdah_json_add(to, "}");
  self->whole = to->len;
}

static void tell_stack(howdah_json *to, const howdah_request *request) {
  howdah_json_add(to, ",\"stack\":[");
  stack frames = {to, to->len};
  if (!howdah_request_each_frame(request, FRAMES_MAX, tell_frame, &frames)) to->len = frames.whole;
  howdah_json_add(to, "]");
}

static void tell_place(howdah_json *to, const howdah_request *request) {
  size_t before = to->len;
  if (!howdah_request_place(request, tell_spot, to)) to->len = before;
}

#define NAME(name, kind) [(kind)] = (name),
static const char *const kinds[HOWDAH_WAIT_KINDS] = {HOWDAH_EACH_WAIT(NAME)};

static void tell_holder(howdah_json *to, const howdah_request *request) {
  howdah_lock_holder holder;
  if (!howdah_request_lock_holder(request, &holder)) return;
  howdah_json_add(to, ",\"held_by_process\":%P", holder.process);
  if (holder.realm) howdah_json_add(to, ",\"held_by_realm\":%ui", (ngx_uint_t)holder.realm);
  if (holder.request) howdah_json_add(to, ",\"held_by_request\":%uL", ((const howdah_exchange *)holder.request)->number);
}

static void tell_waited(void *data, const howdah_account *account) {
  howdah_json *to = data;
  howdah_json_add(to, ",\"waited\":[");
  for (unsigned i = 0; i < account->count; i++) {
    const howdah_waited *each = &account->places[i];
    howdah_json_add(to, "%s{\"for\":\"%s\",\"us\":%uL,\"count\":%uL,\"longest_us\":%uL", i ? "," : "", kinds[each->kind],
                    each->us, each->count, each->longest_us);
    add_member(to, "subject", (howdah_str){each->subject, ngx_strlen(each->subject)});
    tell_spot(to, &(howdah_spot){.function = {each->function, ngx_strlen(each->function)},
                                 .file = {each->file, ngx_strlen(each->file)},
                                 .line = each->line});
    howdah_json_add(to, "}");
  }
  howdah_json_add(to, "]");
}

static void tell_doing(howdah_json *to, const howdah_request *request, bool in_c, howdah_top_detail detail) {
  howdah_doing doing;
  if (!howdah_request_look(request, &doing)) {
    howdah_json_add(to, ",\"state\":\"queued\"");
    return;
  }
  howdah_json_add(to, ",\"state\":\"%s\"", in_c ? "holds" : doing.waits ? "waits" : "computes");
  if (doing.waits) {
    howdah_json_add(to, ",\"for\":\"%s\",\"since_us\":%uL", kinds[doing.kind], doing.us);
    add_member(to, "subject", (howdah_str){doing.subject, ngx_strlen(doing.subject)});
    if (detail == HOWDAH_TOP_WHOLE) tell_holder(to, request);
  }
  howdah_json_add(to, ",\"wait_us\":%uL,\"cpu_us\":%uL,\"memory\":%uL", doing.wait_us, doing.cpu_us, doing.memory);
  tell_place(to, request);
  if (detail == HOWDAH_TOP_WHOLE) howdah_request_account(request, tell_waited, to);
  if (detail != HOWDAH_TOP_BRIEF) tell_stack(to, request);
}

void howdah_top_tell(howdah_json *to, const howdah_exchange *exchange, bool in_c, howdah_top_detail detail) {
  const howdah_request *request = &exchange->request;
  const ngx_http_request_t *r = exchange->r;
  howdah_json_add(to, "{\"request\":%uL,\"realm\":%ui,\"mode\":\"%s\"", exchange->number, (ngx_uint_t)request->realm_id,
                  exchange->slot->options.mode == HOWDAH_WORKER ? "worker" : "classic");
  add_member(to, "client", howdah_str_of(&r->connection->addr_text));
  add_member(to, "method", request->method);
  add_member(to, "uri", request->request_uri);
  add_member(to, "pool", howdah_str_of(&exchange->slot->label));
  tell_doing(to, request, in_c, detail);
  /* Last: no wait of it is longer. */
  howdah_json_add(to, ",\"age_us\":%uL}", howdah_loop_now_us() - request->received_us);
}
