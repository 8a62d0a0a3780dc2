/* Lines of bytes. */
#ifndef SALTUS_SRC_LINE_H
#define SALTUS_SRC_LINE_H

#include "saltus/transport.h"

/* Sends what the line has kept of a message. */
static inline bool sal_push(saltus_transport_t *line) {
    return (line->push == NULL) || line->push(line);
}

#endif
