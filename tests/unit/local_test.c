/* Which look-ups files answer (engine/hooks/local.h): a folder in the place of /etc. */
#include "hooks/local.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char etc[4096];

static void write_file(const char *name, const char *text) {
  char path[sizeof(etc) + 32];
  snprintf(path, sizeof(path), "%s/%s", etc, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state) {
  (void)state;
  const char *folder = getenv("TMPDIR");
  snprintf(etc, sizeof(etc), "%s/howdah-etc-XXXXXX", folder ? folder : "/tmp");
  if (!mkdtemp(etc)) return -1;
  write_file("hosts",
             "127.0.0.1\tlocalhost  Here # and a comment\n::1 ip6-localhost\n\nnonsense other\n10.0.0.1 db\n#10.0.0.2 off\n");
  write_file("passwd", "root:x:0:0:root:/root:/bin/sh\nempty::7:7::/:/bin/sh\n+::::::\n");
  write_file("group", "root:x:0:\nstaff:x:50:one,two\n");
  write_file("services", "http 80/tcp www # web\n");
  write_file("protocols", "tcp\t6\tTCP\n");
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  static const char *const files[] = {"hosts", "passwd", "group", "services", "protocols", "nsswitch.conf"};
  char path[sizeof(etc) + 32];
  for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
    snprintf(path, sizeof(path), "%s/%s", etc, files[i]);
    unlink(path);
  }
  return rmdir(etc);
}

static void ask(const char *nsswitch) {
  write_file("nsswitch.conf", nsswitch);
}

static bool has_address(const char *text) {
  struct in_addr address;
  assert_int_equal(inet_pton(AF_INET, text, &address), 1);
  return howdah_local_address(etc, &address, sizeof(address), AF_INET);
}

static void test_names_of_the_file_are_local(void **state) {
  (void)state;
  ask("hosts: files dns\n");
  assert_true(howdah_local_host(etc, "localhost", AF_UNSPEC));
  assert_true(howdah_local_host(etc, "HERE", AF_INET));
  assert_true(howdah_local_host(etc, "ip6-localhost", AF_INET6));
  assert_true(howdah_local_host(etc, "127.1", AF_INET));
  assert_true(has_address("10.0.0.1"));
  /* Servers would be asked. */
  assert_false(howdah_local_host(etc, "localhost", AF_INET6));
  assert_false(howdah_local_host(etc, "example.org", AF_UNSPEC));
  assert_false(howdah_local_host(etc, "local", AF_UNSPEC));
  assert_false(howdah_local_host(etc, "off", AF_UNSPEC));
  assert_false(howdah_local_host(etc, "comment", AF_UNSPEC));
  assert_false(howdah_local_host(etc, "other", AF_UNSPEC));
  assert_false(has_address("10.0.0.2"));
}

static void test_the_order_of_services_decides(void **state) {
  (void)state;
  static const struct {
    const char *nsswitch;
    bool here, elsewhere;
  } cases[] = {
      {"hosts: files dns\n", true, false},
      {"hosts:files dns\n", true, false},
      {"# hosts: dns\n\n \thosts:\tfiles mdns4_minimal [NOTFOUND=return] dns\n", true, false},
      {"hosts: mymachines resolve [!UNAVAIL=return] files myhostname dns\n", true, false},
      {"hosts: files # dns\n", true, true},
      {"hosts: dns files\n", false, false},
      {"hosts: dns [ !UNAVAIL = return ] files\n", false, false},
      {"hosts: files [SUCCESS=merge] dns\n", false, false},
      {"hosts: wins files\n", false, false},
      {"passwd: files\n", false, false},
      {"", false, false},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    ask(cases[i].nsswitch);
    if (howdah_local_host(etc, "db", AF_INET) != cases[i].here ||
        howdah_local_host(etc, "example.org", AF_INET) != cases[i].elsewhere)
      fail_msg("%s", cases[i].nsswitch);
  }
}

static void test_without_settings_users_are_files(void **state) {
  (void)state;
  ask("hosts: files dns\n");
  assert_true(howdah_local_entry(etc, HOWDAH_USERS, "nobody-knows", 0));
  assert_true(howdah_local_entry(etc, HOWDAH_SERVICES, NULL, 1));
}

static void test_users_and_groups_of_the_files_are_local(void **state) {
  (void)state;
  ask("passwd: files ldap\ngroup: compat ldap\n");
  assert_true(howdah_local_entry(etc, HOWDAH_USERS, "root", 0));
  assert_true(howdah_local_entry(etc, HOWDAH_USERS, NULL, 0));
  assert_true(howdah_local_entry(etc, HOWDAH_USERS, NULL, 7));
  assert_true(howdah_local_entry(etc, HOWDAH_GROUPS, "staff", 0));
  assert_true(howdah_local_entry(etc, HOWDAH_GROUPS, NULL, 50));
  assert_false(howdah_local_entry(etc, HOWDAH_USERS, "roo", 0));
  assert_false(howdah_local_entry(etc, HOWDAH_USERS, NULL, 1));
  assert_false(howdah_local_entry(etc, HOWDAH_GROUPS, NULL, 5));
}

static void test_services_and_protocols_of_the_files_are_local(void **state) {
  (void)state;
  ask("services: db files nis\nprotocols: files nis\n");
  assert_true(howdah_local_entry(etc, HOWDAH_SERVICES, "www", 0));
  assert_true(howdah_local_entry(etc, HOWDAH_SERVICES, NULL, htons(80)));
  assert_true(howdah_local_entry(etc, HOWDAH_PROTOCOLS, "TCP", 0));
  assert_true(howdah_local_entry(etc, HOWDAH_PROTOCOLS, NULL, 6));
  assert_false(howdah_local_entry(etc, HOWDAH_SERVICES, "web", 0));
  assert_false(howdah_local_entry(etc, HOWDAH_SERVICES, NULL, htons(81)));
  assert_false(howdah_local_entry(etc, HOWDAH_PROTOCOLS, NULL, 17));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_of_the_file_are_local),
      cmocka_unit_test(test_the_order_of_services_decides),
      cmocka_unit_test(test_without_settings_users_are_files),
      cmocka_unit_test(test_users_and_groups_of_the_files_are_local),
      cmocka_unit_test(test_services_and_protocols_of_the_files_are_local),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
