/* Nodes, publishers, subscriptions, services and clients. */
#include "internal.h"

/* The identity of a request, or of the reply to one. */
#define IDENTITY_SIZE 24U
#define REQUEST_SIZE 4U
#define LARGEST_NUMBER 0x0FFFU

void saltus_entity_add(saltus_entity_t *entity, saltus_session_t *session, saltus_entity_kind_t kind) {
    saltus_entity_t **place = &session->entities;
    while (*place != NULL) {
        place = &(*place)->next;
    }
    *place = entity;
    entity->next = NULL;
    entity->session = session;
    entity->kind = (uint8_t)kind;
    entity->state = (uint8_t)SALTUS_ENTITY_NEW;
    entity->asked = 0U;
    entity->awaited = 0U;
    entity->number = session->next_number;
    session->next_number++;
    session->is_ready = false;
}

saltus_status_t saltus_entity_init(saltus_entity_t *entity, const saltus_node_t *node, saltus_entity_kind_t kind,
                                   const void *type, const char *name, const char *suffix) {
    saltus_session_t *session = node->entity.session;
    if ((name[0] == '\0') || (session->next_number > LARGEST_NUMBER)) {
        return SALTUS_INVALID;
    }
    entity->node = node;
    entity->name = name;
    entity->suffix = suffix;
    entity->type = type;
    entity->qos = SALTUS_QOS_DEFAULT;
    saltus_entity_add(entity, session, kind);
    return SALTUS_OK;
}

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
    saltus_entity_add(&node->entity, session, SALTUS_NODE);
    return SALTUS_OK;
}

saltus_status_t saltus_publisher_init(saltus_publisher_t *publisher, saltus_node_t *node,
                                      const saltus_message_type_t *type, const char *topic, saltus_qos_t qos) {
    const saltus_status_t status = saltus_entity_init(&publisher->entity, node, SALTUS_PUBLISHER, type, topic, "");
    publisher->entity.qos = qos;
    return status;
}

/* Begins data for an object of an entity; `size` does not count the request. */
static saltus_status_t begin_data(saltus_entity_t *entity, bool reliable, uint8_t object, uint32_t size,
                                  saltus_cdr_t *cdr) {
    saltus_session_t *session = entity->session;
    saltus_status_t status = SALTUS_NOT_CONNECTED;
    if (entity->state == (uint8_t)SALTUS_ENTITY_READY) {
        status = saltus_begin(session, reliable, WRITE_DATA, 0U, REQUEST_SIZE + size, cdr);
    }
    if (status == SALTUS_OK) {
        saltus_write_id(cdr, session->next_request);
        saltus_write_id(cdr, saltus_object_id(entity, object));
        cdr->position = 0U;
        session->next_request =
            (session->next_request == UINT16_MAX) ? REQUEST_FIRST : (uint16_t)(session->next_request + 1U);
    }
    return status;
}

saltus_status_t saltus_publish_begin(saltus_publisher_t *publisher, uint32_t size, saltus_cdr_t *cdr) {
    return begin_data(&publisher->entity, publisher->entity.qos.reliable, OBJECT_WRITER, size, cdr);
}

saltus_status_t saltus_publish_end(saltus_publisher_t *publisher, const saltus_cdr_t *cdr) {
    if ((cdr->status != SALTUS_OK) || (cdr->left != 0U)) {
        saltus_undo(publisher->entity.session, publisher->entity.qos.reliable);
        return SALTUS_INVALID;
    }
    return saltus_end(publisher->entity.session, publisher->entity.qos.reliable);
}

saltus_status_t saltus_publish(saltus_publisher_t *publisher, const void *message) {
    const saltus_message_type_t *type = publisher->entity.type;
    saltus_cdr_t cdr;
    saltus_cdr_t counter = saltus_cdr_counter();
    type->write(&counter, message);
    if (counter.status != SALTUS_OK) {
        return counter.status;
    }
    const saltus_status_t status = saltus_publish_begin(publisher, counter.position, &cdr);
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
    const saltus_status_t status =
        saltus_entity_init(&subscription->entity, node, SALTUS_SUBSCRIPTION, type, topic, "");
    subscription->entity.qos = qos;
    return status;
}

saltus_status_t saltus_respond_begin(saltus_service_t *service, const saltus_request_t *request, uint32_t size,
                                     saltus_cdr_t *cdr) {
    const saltus_status_t status = begin_data(&service->entity, true, OBJECT_REPLIER, IDENTITY_SIZE + size, cdr);
    if (status == SALTUS_OK) {
        saltus_cdr_write_bytes(cdr, request->identity, IDENTITY_SIZE);
        cdr->position = 0U;
    }
    return status;
}

saltus_status_t saltus_respond_end(saltus_service_t *service, const saltus_cdr_t *cdr, uint32_t size) {
    if ((cdr->status != SALTUS_OK) || (cdr->position != size)) {
        saltus_undo(service->entity.session, true);
        return SALTUS_INVALID;
    }
    return saltus_end(service->entity.session, true);
}

saltus_status_t saltus_respond(saltus_service_t *service, const saltus_request_t *request, const void *response) {
    const saltus_service_type_t *type = service->entity.type;
    saltus_cdr_t cdr;
    saltus_cdr_t counter = saltus_cdr_counter();
    type->response->write(&counter, response);
    if (counter.status != SALTUS_OK) {
        return counter.status;
    }
    const saltus_status_t status = saltus_respond_begin(service, request, counter.position, &cdr);
    if (status != SALTUS_OK) {
        return status;
    }
    type->response->write(&cdr, response);
    return saltus_respond_end(service, &cdr, counter.position);
}

/* Reads a request into the application's memory, and calls its callback. */
static void handle_typed(saltus_service_t *service, const saltus_request_t *request, saltus_cdr_t *cdr) {
    saltus_session_t *session = service->entity.session;
    const saltus_service_type_t *type = service->entity.type;
    type->request->read(cdr, service->request);
    if (cdr->status != SALTUS_OK) {
        saltus_unreadable(session, cdr->status);
    } else if (service->callback(service->context, request, service->request, service->response)) {
        if (saltus_respond(service, request, service->response) != SALTUS_OK) {
            session->counters.unsent++;
        }
    } else {
        /* The application answers later. */
    }
}

saltus_status_t saltus_service_init(saltus_service_t *service, saltus_node_t *node,
                                    const saltus_service_type_t *type, const char *name, void *request, void *response,
                                    bool (*callback)(void *context, const saltus_request_t *id, const void *request,
                                                     void *response),
                                    void *context) {
    service->handle = handle_typed;
    service->callback = callback;
    service->context = context;
    service->request = request;
    service->response = response;
    return saltus_entity_init(&service->entity, node, SALTUS_SERVICE, type, name, "");
}

saltus_status_t saltus_client_init(saltus_client_t *client, saltus_node_t *node, const saltus_service_type_t *type,
                                   const char *name, void *response,
                                   void (*callback)(void *context, uint16_t request, const void *response),
                                   void *context) {
    client->response = response;
    client->callback = callback;
    client->context = context;
    return saltus_entity_init(&client->entity, node, SALTUS_CLIENT, type, name, "");
}

saltus_status_t saltus_call(saltus_client_t *client, const void *request, uint16_t *request_id) {
    const saltus_service_type_t *type = client->entity.type;
    const uint16_t id = client->entity.session->next_request;
    saltus_cdr_t cdr;
    saltus_cdr_t counter = saltus_cdr_counter();
    type->request->write(&counter, request);
    if (counter.status != SALTUS_OK) {
        return counter.status;
    }
    const saltus_status_t status = begin_data(&client->entity, true, OBJECT_REQUESTER, counter.position, &cdr);
    if (status != SALTUS_OK) {
        return status;
    }
    type->request->write(&cdr, request);
    if (request_id != NULL) {
        *request_id = id;
    }
    return saltus_end(client->entity.session, true);
}

void saltus_defer(saltus_session_t *session) {
    session->defers = true;
}

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
        saltus_unreadable(subscription->entity.session, cdr->status);
    }
}

static void handle_request(saltus_service_t *service, saltus_cdr_t *cdr) {
    saltus_request_t request;
    saltus_cdr_read_bytes(cdr, request.identity, IDENTITY_SIZE);
    cdr->position = 0U;
    if (cdr->status == SALTUS_OK) {
        service->handle(service, &request, cdr);
    }
}

static void handle_response(const saltus_client_t *client, saltus_cdr_t *cdr) {
    const saltus_service_type_t *type = client->entity.type;
    const uint16_t request = saltus_read_id(cdr);
    (void)saltus_read_id(cdr);
    cdr->position = 0U;
    type->response->read(cdr, client->response);
    if (cdr->status == SALTUS_OK) {
        client->callback(client->context, request, client->response);
    } else {
        saltus_unreadable(client->entity.session, cdr->status);
    }
}

bool saltus_entity_data(saltus_session_t *session, saltus_cdr_t *cdr) {
    saltus_entity_t *entity = session->entities;
    (void)saltus_read_id(cdr);
    const uint16_t object = saltus_read_id(cdr);
    cdr->position = 0U;
    session->defers = false;
    while ((entity != NULL) && (entity->number != (object >> 4))) {
        entity = entity->next;
    }
    if ((entity == NULL) || (cdr->status != SALTUS_OK)) {
        /* Data for an entity that was removed. */
    } else if (entity->kind == (uint8_t)SALTUS_SUBSCRIPTION) {
        handle_message((const saltus_subscription_t *)(const void *)entity, cdr);
    } else if (entity->kind == (uint8_t)SALTUS_SERVICE) {
        /* A request waits until there is room for its response. */
        if (!saltus_outgoing_has_slot(session)) {
            return false;
        }
        handle_request((saltus_service_t *)(void *)entity, cdr);
    } else if (entity->kind == (uint8_t)SALTUS_CLIENT) {
        handle_response((const saltus_client_t *)(const void *)entity, cdr);
    } else {
        saltus_unreadable(session, SALTUS_INVALID);
    }
    return !session->defers;
}
