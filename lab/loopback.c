/*
 * Preloaded into a server that listens on every interface and has no setting against it: a bind() to the any-address
 * becomes one to 127.0.0.1. For IPv6 sockets that is ::ffff:127.0.0.1, which reaches them while they also serve IPv4, as Java's do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

typedef int bind_function(int, const struct sockaddr *, socklen_t);

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
    bind_function *next = (bind_function *)dlsym(RTLD_NEXT, "bind");

    if (address && address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        if (in.sin_addr.s_addr == htonl(INADDR_ANY)) {
            in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            return next(fd, (struct sockaddr *)&in, sizeof in);
        }
    }
    if (address && address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
        static const unsigned char mapped[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};
        struct sockaddr_in6 in6;
        memcpy(&in6, address, sizeof in6);
        if (IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr)) {
            memcpy(&in6.sin6_addr, mapped, sizeof mapped);
            return next(fd, (struct sockaddr *)&in6, sizeof in6);
        }
    }
    return next(fd, address, length);
}
