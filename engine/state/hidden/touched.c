/* Hidden state that is shared because it does not matter: what a line of PHP touches, and nothing else knows of.
 *
 * For the audit. Each is found by running the line and comparing: there is no struct to recognise, only memory that the line
 * wrote. */
#include "probe.h"

#include <stdint.h>

#include <Zend/zend_vm.h>

/* What opcache's file cache asks for before it writes a script: no line of PHP that works with all settings gets there. */
static void number_a_handler(void) {
  zend_op nothing = {.opcode = ZEND_NOP};
  zend_vm_set_opcode_handler(&nothing);
  zend_serialize_opcode_handler(&nothing);
}

static const struct {
  const char *name, *source, *reason;
  const char *code;   /* NULL: number_a_handler() */
  const char *object; /* whose memory is looked at, the beginning of its file's name; NULL: libphp's */
} touches[] = {
    {"the numbers of opcodes' handlers", "Zend/zend_vm_execute.skl", "made once, then only read: for opcache.file_cache", NULL,
     NULL},
    {"uniqid()'s last time", "ext/standard/uniqid.c", "two realms must not be given the same one", "uniqid();", NULL},
    {"crypt()'s tables", "ext/standard/crypt_freesec.c", "made once, and buffers that one call uses",
     "crypt('howdah', 'ab'); crypt('howdah', '_J9..rasm'); crypt('howdah', '$1$rasmusle$'); crypt('howdah', '$5$saltstring$'); "
     "crypt('howdah', '$6$saltstring$');",
     NULL},
    {"zend_strtod()'s numbers", "Zend/zend_strtod.c", "a free list of malloc'ed numbers; no switch inside",
     "for ($n = 1; $n < 1200; $n += 7) { $f = (float)('0.' . str_repeat('37', $n) . 'e-' . ($n % 300));"
     " $s = sprintf('%.40f', $f) . $f; } $s = number_format(1e300, 3);",
     NULL},
    {"Fiber's page size", "Zend/zend_fibers.c", "the same for all", "$f = new Fiber(fn() => 1); $f->start();", NULL},
    {"ipv6_borked", "main/network.c", "whether the machine has IPv6",
     "@stream_socket_client('tcp://127.0.0.1:1', $number, $text, 0.1);", NULL},
    {"prev_optarg", "main/getopt.c", "used within one call of getopt()", "$GLOBALS['argv'] = ['howdah', '-a']; getopt('a');",
     NULL},
    {"libxml2's random seed", "libxml2, dict.c", "a seed for hash tables, behind a lock",
     "if (function_exists('xml_parser_create')) xml_parser_free(xml_parser_create()); elseif (class_exists('DOMDocument')) "
     "(new DOMDocument())->loadXML('<a/>'); elseif (function_exists('simplexml_load_string')) simplexml_load_string('<a/>');",
     "libxml2."},
    {"libxml2's tables", "libxml2, xpath.c, xmlschemastypes.c, relaxng.c, catalog.c, encoding.c", "made once, then only read",
     "if (class_exists('DOMDocument')) { $d = new DOMDocument(); $d->loadXML('<?xml version=\"1.0\" "
     "encoding=\"ISO-8859-2\"?><a/>');"
     " (new DOMXPath($d))->evaluate('number(1)'); @$d->schemaValidateSource('<s:schema "
     "xmlns:s=\"http://www.w3.org/2001/XMLSchema\">"
     "<s:element name=\"a\"/></s:schema>'); @$d->relaxNGValidateSource('<element name=\"a\" "
     "xmlns=\"http://relaxng.org/ns/structure/1.0\"><empty/></element>'); @$d->loadHTML('<p>a'); $d->saveHTML(); "
     "$d->saveXML(); }",
     "libxml2."},
    {"libxml2's catalogs", "libxml2, catalog.c",
     "the process's, as in a php-fpm child and for threads: read at the first use, behind a lock, then kept",
     "if (class_exists('DOMDocument')) { $f = tmpfile(); if ($f) { fwrite($f, '<catalog "
     "xmlns=\"urn:oasis:names:tc:entity:xmlns:xml:catalog\"/>'); $n = stream_get_meta_data($f)['uri']; "
     "@(new DOMDocument())->loadXML(\"<?oasis-xml-catalog catalog='$n'?><!DOCTYPE a PUBLIC '-//howdah' '/howdah/probe'><a/>\", "
     "LIBXML_DTDLOAD); fclose($f); } }",
     "libxml2."},
    {"libxslt's tables", "libxslt, extensions.c, xsltutils.c",
     "made once, then only read; the plug-ins that were loaded, behind a lock",
     "if (class_exists('XSLTProcessor')) { $d = new DOMDocument(); $d->loadXML('<x:stylesheet version=\"1.0\" "
     "xmlns:x=\"http://www.w3.org/1999/XSL/Transform\" xmlns:h=\"urn:howdah\" extension-element-prefixes=\"h\">"
     "<x:template match=\"/\"><x:value-of select=\"1\"/></x:template>"
     "</x:stylesheet>'); $p = new XSLTProcessor(); $p->setProfiling('/dev/null'); $p->importStylesheet($d); "
     "$p->transformToXml($d); }",
     "libxslt."},
    {"libmagic's tables", "ext/fileinfo/libmagic", "made once, then only read",
     "if (class_exists('finfo')) { (new finfo(FILEINFO_MIME))->buffer('howdah'); }", "fileinfo.so"},
    {"the ancillary registry", "ext/sockets/conversions.c", "made once, then only read",
     "if (function_exists('socket_cmsg_space')) { socket_cmsg_space(SOL_SOCKET, SCM_RIGHTS, 1); }", "sockets.so"},
    {"libmongoc's locks", "pecl/mongodb, libmongoc/mongoc-shared.c", "held within one call, which does not wait",
     "if (class_exists('MongoDB\\Driver\\Manager')) { try { (new MongoDB\\Driver\\Manager("
     "'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=1&connectTimeoutMS=1'))->selectServer("
     "new MongoDB\\Driver\\ReadPreference('primary')); } catch (Throwable) { } }",
     "mongodb.so"},
    {"the counter of object ids", "pecl/mongodb, libbson/bson-context.c", "two realms must not be given the same one",
     "if (class_exists('MongoDB\\BSON\\ObjectId')) { new MongoDB\\BSON\\ObjectId(); }", "mongodb.so"},
};

/* Words as near as this are one range: a table may hold zeros. */
enum { GAP = 64 };

typedef struct {
  howdah_probe *probe;
  size_t which;
  char *start, *end; /* the range that grows */
  bool failed;
} range;

static void end_range(range *grown) {
  if (!grown->start) return;
  howdah_shared item = {.name = touches[grown->which].name,
                        .address = grown->start,
                        .size = (size_t)(grown->end - grown->start),
                        .source = touches[grown->which].source,
                        .reason = touches[grown->which].reason};
  grown->start = NULL;
  if (!howdah_probe_add_shared(grown->probe, item)) grown->failed = true;
}

/* Near enough to be the same thing, with nothing between them that is known to be another? */
static bool continues(const range *grown, const char *place) {
  if (!grown->start || place > grown->end + GAP) return false;
  for (const char *between = grown->end; between < place; between += sizeof(uint64_t))
    if (howdah_probe_is_known(grown->probe, between)) return false;
  return true;
}

static void grow(const howdah_segment *segment, const void *now, const void *before, void *data) {
  range *grown = data;
  char *place = segment->start + ((const char *)now - segment->start); /* now, but writable */
  (void)before;
  if (howdah_probe_is_known(grown->probe, place)) return;
  if (!continues(grown, place)) end_range(grown);
  if (!grown->start) grown->start = place;
  grown->end = place + sizeof(uint64_t);
}

static bool touch(howdah_probe *probe, size_t which, howdah_segments *memory) {
  char error[128];
  range grown = {.probe = probe, .which = which};
  if (howdah_segments_copy(memory, error, sizeof(error)) < 0) return howdah_probe_fail(probe, touches[which].name, "%s", error);
  /* One that is disabled touches nothing. */
  if (touches[which].code)
    howdah_probe_eval(probe, touches[which].code, NULL);
  else
    number_a_handler();
  howdah_segments_compare(memory, grow, &grown);
  end_range(&grown);
  return !grown.failed;
}

bool howdah_find_touched(howdah_probe *probe) {
  for (size_t i = 0; i < sizeof(touches) / sizeof(*touches); i++) {
    char error[128];
    howdah_segments other = {0};
    bool done = !touches[i].object || howdah_segments_add_named(&other, touches[i].object, error, sizeof(error)) == 0;
    done = done && touch(probe, i, touches[i].object ? &other : &probe->library);
    howdah_segments_free(&other);
    if (!done) return howdah_probe_fail(probe, touches[i].name, "out of memory");
  }
  return true;
}
