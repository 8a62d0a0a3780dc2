/* Nodes, publishers, subscriptions, services and clients. */
#include "saltus/entities.h"

#include "constants.h"
#include "data.h"
#include "entity.h"
#include "events.h"
#include "outgoing.h"

saltus_status_t saltus_node_init(saltus_node_t *node, saltus_session_t *session, const char *name,
                                 const char *name_space, uint16_t domain) {
    if ((name[0] == '\0') || ((name_space[0] != '\0') && (name_space[0] != '/'))) {
        return SALTUS_INVALID;
    }
    node->entity.node = node;
    node->entity.name = name;
    node->entity.suffix = "";
    node->entity.type = NULL;
    node->entity.qos = SALTUS_QOS_DEFAULT;
    /* The root is the same as no namespace. */
    node->name_space = (name_space[0] == '/') && (name_space[1] == '\0') ? &name_space[1] : name_space;
    node->domain = domain;
    sal_entity_add(&node->entity, session, SALTUS_NODE);
    return SALTUS_OK;
}

saltus_status_t saltus_publisher_init(saltus_publisher_t *publisher, saltus_node_t *node,
                                      const saltus_message_type_t *type, const char *topic, saltus_qos_t qos) {
    const saltus_status_t status = sal_entity_init(&publisher->entity, node, SALTUS_PUBLISHER, type, topic, "");
    publisher->entity.qos = qos;
    return status;
}

saltus_status_t saltus_publish_begin(saltus_publisher_t *publisher, uint32_t size, saltus_cdr_t *cdr) {
    return sal_data_begin(&publisher->entity, publisher->entity.qos.reliable, OBJECT_WRITER, size, cdr);
}

saltus_status_t saltus_publish_end(saltus_publisher_t *publisher, const saltus_cdr_t *cdr) {
    if ((cdr->status != SALTUS_OK) || (cdr->left != 0U)) {
        sal_outgoing_undo(publisher->entity.session, publisher->entity.qos.reliable);
        return SALTUS_INVALID;
    }
    return sal_outgoing_end(publisher->entity.session, publisher->entity.qos.reliable);
}

/* Sets `size` to the number of bytes of a message. */
static saltus_status_t measure(const saltus_message_type_t *type, const void *message, uint32_t *size) {
    saltus_cdr_t counter = saltus_cdr_counter();
    type->write(&counter, message);
    *size = counter.position;
    return counter.status;
}

saltus_status_t saltus_publish(saltus_publisher_t *publisher, const void *message) {
    const saltus_message_type_t *type = publisher->entity.type;
    saltus_cdr_t cdr;
    uint32_t size = 0U;
    saltus_status_t status = measure(type, message, &size);
    if (status == SALTUS_OK) {
        status = saltus_publish_begin(publisher, size, &cdr);
    }
    if (status != SALTUS_OK) {
        return status;
    }
    type->write(&cdr, message);
    return saltus_publish_end(publisher, &cdr);
}

saltus_status_t saltus_subscription_init(saltus_subscription_t *subscription, saltus_node_t *node,
                                         const saltus_message_type_t *type, const char *topic, saltus_qos_t qos,
                                         void *message, void (*callback)(void *context, const void *message),
                                         void *context) {
    subscription->message = message;
    subscription->callback = callback;
    subscription->context = context;
    const saltus_status_t status = sal_entity_init(&subscription->entity, node, SALTUS_SUBSCRIPTION, type, topic, "");
    subscription->entity.qos = qos;
    return status;
}

saltus_status_t saltus_respond(saltus_service_t *service, const saltus_request_t *request, const void *response) {
    const saltus_service_type_t *type = service->entity.type;
    saltus_cdr_t cdr;
    uint32_t size = 0U;
    saltus_status_t status = measure(type->response, response, &size);
    if (status == SALTUS_OK) {
        status = sal_data_begin_response(service, request, size, &cdr);
    }
    if (status != SALTUS_OK) {
        return status;
    }
    type->response->write(&cdr, response);
    return sal_data_end_response(service, &cdr, size);
}

/* Reads a request into the application's memory, and calls its callback. */
static void handle_typed(saltus_service_t *service, const saltus_request_t *request, saltus_cdr_t *cdr) {
    saltus_session_t *session = service->entity.session;
    const saltus_service_type_t *type = service->entity.type;
    type->request->read(cdr, service->request);
    if (cdr->status != SALTUS_OK) {
        sal_events_report_unreadable(session, cdr->status);
    } else if (service->callback(service->context, request, service->request, service->response)) {
        if (saltus_respond(service, request, service->response) != SALTUS_OK) {
            session->counters.unsent++;
        }
    } else {
        /* The application answers later. */
    }
}

saltus_status_t saltus_service_init(saltus_service_t *service, saltus_node_t *node, const saltus_service_type_t *type,
                                    const char *name, void *request, void *response,
                                    bool (*callback)(void *context, const saltus_request_t *id, const void *request,
                                                     void *response),
                                    void *context) {
    service->handle = handle_typed;
    service->callback = callback;
    service->context = context;
    service->request = request;
    service->response = response;
    return sal_entity_init(&service->entity, node, SALTUS_SERVICE, type, name, "");
}

saltus_status_t saltus_client_init(saltus_client_t *client, saltus_node_t *node, const saltus_service_type_t *type,
                                   const char *name, void *response,
                                   void (*callback)(void *context, uint16_t request, const void *response),
                                   void *context) {
    client->response = response;
    client->callback = callback;
    client->context = context;
    return sal_entity_init(&client->entity, node, SALTUS_CLIENT, type, name, "");
}

saltus_status_t saltus_call(saltus_client_t *client, const void *request, uint16_t *request_id) {
    const saltus_service_type_t *type = client->entity.type;
    const uint16_t id = client->entity.session->next_request;
    saltus_cdr_t cdr;
    uint32_t size = 0U;
    saltus_status_t status = measure(type->request, request, &size);
    if (status == SALTUS_OK) {
        status = sal_data_begin(&client->entity, true, OBJECT_REQUESTER, size, &cdr);
    }
    if (status != SALTUS_OK) {
        return status;
    }
    type->request->write(&cdr, request);
    if (request_id != NULL) {
        *request_id = id;
    }
    return sal_outgoing_end(client->entity.session, true);
}
