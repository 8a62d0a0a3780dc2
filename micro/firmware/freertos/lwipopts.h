/* The configuration of lwIP for the firmware: UDP over Ethernet, with sockets. */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS 0
#define LWIP_SOCKET 1
#define LWIP_NETCONN 1
#define LWIP_COMPAT_SOCKETS 0
#define LWIP_SOCKET_SELECT 1
#define LWIP_SOCKET_POLL 1
#define LWIP_POSIX_SOCKETS_IO_NAMES 0
#define LWIP_TCP 0
#define LWIP_UDP 1
#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_ARP 1
#define LWIP_DHCP 0
#define LWIP_DNS 0
#define LWIP_STATS 0
#define LWIP_TIMEVAL_PRIVATE 0
#define SYS_LIGHTWEIGHT_PROT 1
#define MEM_ALIGNMENT 4
#define MEM_SIZE (16U * 1024U)
#define PBUF_POOL_SIZE 24
#define TCPIP_THREAD_STACKSIZE 2048
#define TCPIP_THREAD_PRIO 5
#define TCPIP_MBOX_SIZE 32
#define DEFAULT_UDP_RECVMBOX_SIZE 24
#define DEFAULT_THREAD_STACKSIZE 1024

#endif
