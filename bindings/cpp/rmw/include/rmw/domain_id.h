#ifndef RMW_DOMAIN_ID_H_
#define RMW_DOMAIN_ID_H_

#include <stdint.h>

/** Stands for the domain that the middleware chooses. */
#define RMW_DEFAULT_DOMAIN_ID SIZE_MAX

#endif
