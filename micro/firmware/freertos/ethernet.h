/** The network card of the board: a LAN9118, as an interface of lwIP. */
#ifndef ETHERNET_H
#define ETHERNET_H

#include "lwip/netif.h"

/** Starts the card and the task that receives. It is given to `netif_add`. */
err_t ethernet_init(struct netif *interface);

#endif
