/** All of the library. */
#ifndef SALTUS_SALTUS_H
#define SALTUS_SALTUS_H

#include "saltus/action.h"
#include "saltus/cdr.h"
#include "saltus/entities.h"
#include "saltus/framing.h"
#include "saltus/lifecycle.h"
#include "saltus/parameters.h"
#include "saltus/session.h"
#include "saltus/status.h"
#include "saltus/transport.h"

#endif
