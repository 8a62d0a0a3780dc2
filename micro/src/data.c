/* The data of entities: messages, requests and responses. */
#include "data.h"

#include "entity.h"
#include "events.h"
#include "outgoing.h"
#include "wire.h"

/* The identity of a request, or of the reply to one. */
#define IDENTITY_SIZE 24U
#define REQUEST_SIZE 4U

saltus_status_t sal_data_begin(saltus_entity_t *entity, bool reliable, uint8_t kind, uint32_t size, saltus_cdr_t *cdr) {
    saltus_session_t *session = entity->session;
    saltus_status_t status = SALTUS_NOT_CONNECTED;
    if (entity->state == (uint8_t)SALTUS_ENTITY_READY) {
        status = sal_outgoing_begin(session, reliable, WRITE_DATA, 0U, REQUEST_SIZE + size, cdr);
    }
    if (status == SALTUS_OK) {
        sal_wire_write_id(cdr, sal_outgoing_next_request(session));
        sal_wire_write_id(cdr, sal_entity_object_id(entity, kind));
        cdr->position = 0U;
    }
    return status;
}

saltus_status_t sal_data_begin_response(saltus_service_t *service, const saltus_request_t *request, uint32_t size,
                                        saltus_cdr_t *cdr) {
    const saltus_status_t status = sal_data_begin(&service->entity, true, OBJECT_REPLIER, IDENTITY_SIZE + size, cdr);
    if (status == SALTUS_OK) {
        saltus_cdr_write_bytes(cdr, request->identity, IDENTITY_SIZE);
        cdr->position = 0U;
    }
    return status;
}

saltus_status_t sal_data_end_response(saltus_service_t *service, const saltus_cdr_t *cdr, uint32_t size) {
    if ((cdr->status != SALTUS_OK) || (cdr->position != size)) {
        sal_outgoing_undo(service->entity.session, true);
        return SALTUS_INVALID;
    }
    return sal_outgoing_end(service->entity.session, true);
}

void saltus_defer(saltus_session_t *session) {
    session->defers = true;
}

/* Passes a message to the callback of a subscription. */
static void handle_message(const saltus_subscription_t *subscription, saltus_cdr_t *cdr) {
    const saltus_message_type_t *type = subscription->entity.type;
    if (subscription->message == NULL) {
        subscription->callback(subscription->context, cdr);
        return;
    }
    type->read(cdr, subscription->message);
    if (cdr->status == SALTUS_OK) {
        subscription->callback(subscription->context, subscription->message);
    } else {
        sal_events_report_unreadable(subscription->entity.session, cdr->status);
    }
}

/* Passes a request to a service. */
static void handle_request(saltus_service_t *service, saltus_cdr_t *cdr) {
    saltus_request_t request;
    saltus_cdr_read_bytes(cdr, request.identity, IDENTITY_SIZE);
    cdr->position = 0U;
    if (cdr->status == SALTUS_OK) {
        service->handle(service, &request, cdr);
    }
}

/* Passes a response to the callback of a client. */
static void handle_response(const saltus_client_t *client, saltus_cdr_t *cdr) {
    const saltus_service_type_t *type = client->entity.type;
    const uint16_t request = sal_wire_read_id(cdr);
    (void)sal_wire_read_id(cdr);
    cdr->position = 0U;
    type->response->read(cdr, client->response);
    if (cdr->status == SALTUS_OK) {
        client->callback(client->context, request, client->response);
    } else {
        sal_events_report_unreadable(client->entity.session, cdr->status);
    }
}

bool sal_data_handle(saltus_session_t *session, saltus_cdr_t *cdr) {
    (void)sal_wire_read_id(cdr);
    saltus_entity_t *entity = sal_entity_find(session, sal_wire_read_id(cdr));
    cdr->position = 0U;
    session->defers = false;
    if ((entity == NULL) || (cdr->status != SALTUS_OK)) {
        /* Data for an entity that was removed. */
    } else if (entity->kind == (uint8_t)SALTUS_SUBSCRIPTION) {
        handle_message((const saltus_subscription_t *)(const void *)entity, cdr);
    } else if (entity->kind == (uint8_t)SALTUS_SERVICE) {
        /* A request waits until there is room for its response. */
        if (!sal_outgoing_has_slot(session)) {
            return false;
        }
        handle_request((saltus_service_t *)(void *)entity, cdr);
    } else if (entity->kind == (uint8_t)SALTUS_CLIENT) {
        handle_response((const saltus_client_t *)(const void *)entity, cdr);
    } else {
        sal_events_report_unreadable(session, SALTUS_INVALID);
    }
    return !session->defers;
}
