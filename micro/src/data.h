/* The data of entities: messages, requests and responses. */
#ifndef SALTUS_DATA_H
#define SALTUS_DATA_H

#include "saltus/entities.h"

/* Begins data of `size` bytes for an object of an entity. `kind` is the kind of the object. */
saltus_status_t sal_data_begin(saltus_entity_t *entity, bool reliable, uint8_t kind, uint32_t size, saltus_cdr_t *cdr);

/* Begins the response of `size` bytes to a request. */
saltus_status_t sal_data_begin_response(saltus_service_t *service, const saltus_request_t *request, uint32_t size,
                                        saltus_cdr_t *cdr);

/* Ends the response of `size` bytes to a request. */
saltus_status_t sal_data_end_response(saltus_service_t *service, const saltus_cdr_t *cdr, uint32_t size);

/* Handles data for an entity. Returns false if the data have to wait. */
bool sal_data_handle(saltus_session_t *session, saltus_cdr_t *cdr);

#endif
