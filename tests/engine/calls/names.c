/* Names and addresses, from /etc/hosts and without a server to ask. */
#include "calls.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <resolv.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_loopback(const struct hostent *host) {
  return host && host->h_addrtype == AF_INET && host->h_length == 4 &&
         *(uint32_t *)host->h_addr_list[0] == htonl(INADDR_LOOPBACK);
}

static const char *addrinfo(void) {
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
  CHECK(getaddrinfo("localhost", "80", &hints, &found) == 0 && found && found->ai_family == AF_INET);
  struct sockaddr_in *address = (struct sockaddr_in *)found->ai_addr;
  CHECK(address->sin_port == htons(80) && address->sin_addr.s_addr == htonl(INADDR_LOOPBACK));
  freeaddrinfo(found);
  CHECK(getaddrinfo("127.0.0.2", NULL, &hints, &found) == 0);
  freeaddrinfo(found);
  CHECK(getaddrinfo("nowhere.invalid", NULL, NULL, &found) != 0);
  CHECK(getaddrinfo("localhost", "no such service", &hints, &found) == EAI_SERVICE);
  hints.ai_family = 12345;
  CHECK(getaddrinfo("localhost", NULL, &hints, &found) == EAI_FAMILY);
  CHECK(getaddrinfo(NULL, NULL, NULL, &found) == EAI_NONAME);
  return NULL;
}

static const char *nameinfo(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  char host[64], service[64], tiny[3];
  CHECK(getnameinfo((struct sockaddr *)&address, sizeof(address), host, sizeof(host), service, sizeof(service), 0) == 0);
  CHECK(strcmp(host, "localhost") == 0 && service[0]);
  CHECK(getnameinfo((struct sockaddr *)&address, sizeof(address), tiny, sizeof(tiny), NULL, 0, 0) == EAI_OVERFLOW);
  CHECK(getnameinfo((struct sockaddr *)&address, 3, host, sizeof(host), NULL, 0, 0) == EAI_FAMILY);
  return NULL;
}

static const char *host_r(void) {
  struct hostent host, *found = NULL;
  char buffer[2048], *odd = buffer + 3;
  int error = 0;
  uint32_t loopback = htonl(INADDR_LOOPBACK);
  CHECK(gethostbyname_r("localhost", &host, odd, sizeof(buffer) - 3, &found, &error) == 0 && found == &host);
  CHECK(is_loopback(found) && strcmp(found->h_name, "localhost") == 0);
  CHECK(found->h_name >= odd && found->h_name < buffer + sizeof(buffer) && !found->h_addr_list[1]);
  CHECK(gethostbyname2_r("localhost", AF_INET, &host, buffer, sizeof(buffer), &found, &error) == 0 && is_loopback(found));
  CHECK(gethostbyaddr_r(&loopback, 4, AF_INET, &host, buffer, sizeof(buffer), &found, &error) == 0 && is_loopback(found));
  CHECK(strcmp(found->h_name, "localhost") == 0);
  CHECK(gethostbyname_r("localhost", &host, buffer, 8, &found, &error) == ERANGE && !found && errno == ERANGE);
  gethostbyname_r("nowhere.invalid", &host, buffer, sizeof(buffer), &found, &error);
  CHECK(!found && (error == HOST_NOT_FOUND || error == TRY_AGAIN));
  return NULL;
}

/* What they return is the caller's until its next call, whatever neighbours ask meanwhile. */
static const char *host_static(void) {
  uint32_t loopback = htonl(INADDR_LOOPBACK);
  struct hostent *host = gethostbyname("localhost");
  CHECK(is_loopback(host) && strcmp(host->h_name, "localhost") == 0);
  host = gethostbyname("127.0.0.9");
  CHECK(host && strcmp(host->h_name, "127.0.0.9") == 0);
  usleep(1000);
  CHECK(strcmp(host->h_name, "127.0.0.9") == 0 && *(uint32_t *)host->h_addr_list[0] == htonl(0x7f000009));
  host = gethostbyaddr(&loopback, 4, AF_INET);
  CHECK(is_loopback(host) && strcmp(host->h_name, "localhost") == 0);
  CHECK(is_loopback(gethostbyname2("localhost", AF_INET)));
  h_errno = 0;
  CHECK(!gethostbyname("nowhere.invalid") && (h_errno == HOST_NOT_FOUND || h_errno == TRY_AGAIN));
  return NULL;
}

/* A server that answers after 50 ms with the number of the name that it was asked for. */
static void *serve(void *data) {
  int fd = *(int *)data;
  unsigned char packet[512];
  struct sockaddr_in from;
  socklen_t from_len = sizeof(from);
  ssize_t len;
  while ((len = recvfrom(fd, packet, sizeof(packet) - 16, 0, (struct sockaddr *)&from, &from_len)) > 12) {
    nap_ms(50);
    bool known = packet[13] == 'k';
    packet[2] |= 0x80;
    packet[3] = known ? 0x80 : 0x83;
    packet[7] = known ? 1 : 0;
    memset(packet + 8, 0, 4);
    size_t end = 12 + strlen((char *)packet + 12) + 5;
    static const unsigned char answer[] = {0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1};
    memcpy(packet + end, answer, known ? sizeof(answer) : 0);
    sendto(fd, packet, end + (known ? sizeof(answer) : 0), 0, (struct sockaddr *)&from, from_len);
  }
  return NULL;
}

static const char *query(void) {
  static int fd = -1;
  static struct sockaddr_in server;
  struct __res_state state;
  unsigned char answer[512];
  pthread_t thread;
  if (fd < 0) {
    socklen_t len = sizeof(server);
    server = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int new = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(new >= 0 && bind(new, (struct sockaddr *)&server, sizeof(server)) == 0);
    CHECK(getsockname(new, (struct sockaddr *)&server, &len) == 0);
    fd = new;
    CHECK(pthread_create(&thread, NULL, serve, &fd) == 0);
  }
  memset(&state, 0, sizeof(state));
  CHECK(res_ninit(&state) == 0);
  state.nscount = 1;
  state.nsaddr_list[0] = server;
  state.options &= ~(unsigned long)(RES_DNSRCH | RES_DEFNAMES);
  int len = res_nquery(&state, "known.example", C_IN, T_A, answer, sizeof(answer));
  CHECK(len > 16 && memcmp(answer + len - 4, "\300\0\2\1", 4) == 0);
  CHECK(res_nsearch(&state, "known.example", C_IN, T_A, answer, 20) == 20); /* cut short */
  h_errno = 0;
  CHECK(res_nsearch(&state, "unknown.example", C_IN, T_A, answer, sizeof(answer)) == -1);
  CHECK(h_errno == HOST_NOT_FOUND && state.res_h_errno == HOST_NOT_FOUND);
  res_nclose(&state);
  return NULL;
}

/* For a request that is ended meanwhile: a server that never answers. Gives up after ten seconds or more. */
static const char *query_silent(void) {
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct __res_state state;
  unsigned char answer[512];
  socklen_t len = sizeof(server);
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&server, len) == 0 && getsockname(fd, (struct sockaddr *)&server, &len) == 0);
  memset(&state, 0, sizeof(state));
  CHECK(res_ninit(&state) == 0);
  state.nscount = 1;
  state.nsaddr_list[0] = server;
  state.retrans = 5;
  state.retry = 2;
  CHECK(res_nquery(&state, "silent.example", C_IN, T_A, answer, sizeof(answer)) == -1 && h_errno == TRY_AGAIN);
  res_nclose(&state);
  close(fd);
  return NULL;
}

const named_call name_calls[] = {
    {"addrinfo", addrinfo}, {"nameinfo", nameinfo},         {"host_r", host_r}, {"host_static", host_static},
    {"query", query},       {"query_silent", query_silent}, {NULL, NULL},
};
