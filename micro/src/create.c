/* The creation of entities in the agent, in every session again, and their removal. */
#include "create.h"

#include <string.h>

#include "entity.h"
#include "events.h"
#include "outgoing.h"
#include "wire.h"

/* The format of a representation in bytes. */
#define BINARY 3U
/* Stands for READ_DATA in the steps of a creation. */
#define READ 0x0FU
#define STEPS 4U
#define NAME_PARTS 7U

/* The objects of the protocol that an entity consists of, in the order of their creation. */
static const uint8_t steps_of[SALTUS_CLIENT + 1][STEPS] = {
    [SALTUS_NODE] = {OBJECT_PARTICIPANT},
    [SALTUS_PUBLISHER] = {OBJECT_TOPIC, OBJECT_PUBLISHER, OBJECT_WRITER},
    [SALTUS_SUBSCRIPTION] = {OBJECT_TOPIC, OBJECT_SUBSCRIBER, OBJECT_READER, READ},
    [SALTUS_SERVICE] = {OBJECT_REPLIER, READ},
    [SALTUS_CLIENT] = {OBJECT_REQUESTER, READ},
};

/* Writes text that ends with a NUL byte. */
static void write_text(saltus_cdr_t *cdr, const char *text) {
    const saltus_string_t string = saltus_string_of(text);
    saltus_cdr_write_string(cdr, &string, 0U);
}

/* Writes the full name of an entity, with a prefix such as `rt` and a suffix such as `Request`. */
static void write_name(saltus_cdr_t *cdr, const saltus_entity_t *entity, const char *prefix, const char *suffix) {
    const bool is_private = entity->name[0] == '~';
    const bool is_absolute = entity->name[0] == '/';
    const char *const parts[NAME_PARTS] = {
        prefix,
        is_absolute ? "" : entity->node->name_space,
        is_absolute ? "" : "/",
        is_private ? entity->node->entity.name : "",
        is_private ? &entity->name[1] : entity->name,
        entity->suffix,
        suffix,
    };
    uint32_t size = 1U;
    for (uint8_t i = 0U; i < NAME_PARTS; i++) {
        size += (uint32_t)strlen(parts[i]);
    }
    saltus_cdr_write_uint32(cdr, size);
    for (uint8_t i = 0U; i < NAME_PARTS; i++) {
        saltus_cdr_write_bytes(cdr, parts[i], (uint32_t)strlen(parts[i]));
    }
    saltus_cdr_write_uint8(cdr, 0U);
}

/* The name of a node, with its namespace unless that is the root. */
static void write_node_name(saltus_cdr_t *cdr, const saltus_node_t *node) {
    const uint32_t name_space = (uint32_t)strlen(node->name_space);
    const uint32_t name = (uint32_t)strlen(node->entity.name);
    const uint32_t separator = (name_space > 0U) ? 1U : 0U;
    saltus_cdr_write_uint32(cdr, name_space + separator + name + 1U);
    if (name_space > 0U) {
        saltus_cdr_write_bytes(cdr, node->name_space, name_space);
        saltus_cdr_write_uint8(cdr, (uint8_t)'/');
    }
    saltus_cdr_write_bytes(cdr, node->entity.name, name + 1U);
}

/* Writes the topic and the quality of service of an endpoint. */
static void write_qos(saltus_cdr_t *cdr, const saltus_entity_t *entity) {
    const saltus_qos_t qos = entity->qos;
    const uint32_t flags = (qos.reliable ? 1U : 0U) | ((qos.depth > 0U) ? 2U : 0U) | (qos.transient_local ? 8U : 0U);
    sal_wire_write_id(cdr, sal_entity_object_id(entity, OBJECT_TOPIC));
    saltus_cdr_write_uint8(cdr, 1U);
    sal_wire_write_uint16(cdr, (uint16_t)flags);
    saltus_cdr_write_uint8(cdr, (qos.depth > 0U) ? 1U : 0U);
    if (qos.depth > 0U) {
        sal_wire_write_uint16(cdr, qos.depth);
    }
    /* No deadline, no lifespan, no user data. */
    saltus_cdr_write_bytes(cdr, "\0\0\0", 3U);
}

/* Writes the representation of a service. */
static void write_service(saltus_cdr_t *cdr, const saltus_entity_t *entity) {
    const saltus_service_type_t *type = entity->type;
    write_name(cdr, entity, "", "");
    write_text(cdr, type->request->name);
    write_text(cdr, type->response->name);
    saltus_cdr_write_uint8(cdr, 1U);
    write_name(cdr, entity, "rq", "Request");
    saltus_cdr_write_uint8(cdr, 1U);
    write_name(cdr, entity, "rr", "Reply");
}

/* Writes the representation of a topic. */
static void write_topic(saltus_cdr_t *cdr, const saltus_entity_t *entity) {
    const saltus_message_type_t *type = entity->type;
    write_name(cdr, entity, "rt", "");
    saltus_cdr_write_bytes(cdr, "\0\1", 2U);
    write_text(cdr, type->name);
}

/* Writes the representation of an object. */
static void write_representation(saltus_cdr_t *cdr, const saltus_entity_t *entity, uint8_t kind) {
    switch (kind) {
    case OBJECT_PARTICIPANT:
        saltus_cdr_write_bytes(cdr, "\0\1", 2U);
        write_node_name(cdr, (const saltus_node_t *)(const void *)entity);
        break;
    case OBJECT_TOPIC:
        write_topic(cdr, entity);
        break;
    case OBJECT_WRITER:
        write_qos(cdr, entity);
        saltus_cdr_write_uint8(cdr, 0U);
        break;
    case OBJECT_READER:
        write_qos(cdr, entity);
        saltus_cdr_write_bytes(cdr, "\0\0", 2U);
        break;
    case OBJECT_REQUESTER:
    case OBJECT_REPLIER:
        write_service(cdr, entity);
        break;
    default:
        /* Neither partitions nor group data. */
        saltus_cdr_write_bytes(cdr, "\0\0", 2U);
        break;
    }
}

/* Writes what follows a representation: the domain, or the object that this one belongs to. */
static void write_owner(saltus_cdr_t *cdr, const saltus_entity_t *entity, uint8_t kind) {
    if (kind == (uint8_t)OBJECT_PARTICIPANT) {
        sal_wire_write_uint16(cdr, ((const saltus_node_t *)(const void *)entity)->domain);
    } else if (kind == (uint8_t)OBJECT_WRITER) {
        sal_wire_write_id(cdr, sal_entity_object_id(entity, OBJECT_PUBLISHER));
    } else if (kind == (uint8_t)OBJECT_READER) {
        sal_wire_write_id(cdr, sal_entity_object_id(entity, OBJECT_SUBSCRIBER));
    } else {
        sal_wire_write_id(cdr, sal_entity_object_id(&entity->node->entity, OBJECT_PARTICIPANT));
    }
}

/* Writes the payload of CREATE. */
static void write_create(saltus_cdr_t *cdr, const saltus_entity_t *entity, uint8_t kind, uint16_t request) {
    saltus_cdr_t counter = saltus_cdr_counter();
    write_representation(&counter, entity, kind);
    sal_wire_write_id(cdr, request);
    sal_wire_write_id(cdr, sal_entity_object_id(entity, kind));
    saltus_cdr_write_uint8(cdr, kind);
    saltus_cdr_write_uint8(cdr, BINARY);
    saltus_cdr_write_uint32(cdr, counter.position);
    write_representation(cdr, entity, kind);
    write_owner(cdr, entity, kind);
}

/* Returns the kind of the object that gives an entity its data. */
static uint8_t data_object(const saltus_entity_t *entity) {
    uint8_t kind = OBJECT_REQUESTER;
    if (entity->kind == (uint8_t)SALTUS_SUBSCRIPTION) {
        kind = OBJECT_READER;
    } else if (entity->kind == (uint8_t)SALTUS_SERVICE) {
        kind = OBJECT_REPLIER;
    } else {
        /* A client. */
    }
    return kind;
}

/* Writes the payload of READ_DATA: all samples, without a limit. */
static void write_read(saltus_cdr_t *cdr, const saltus_entity_t *entity, uint16_t request) {
    static const uint8_t without_limit[8] = {0xFFU, 0xFFU, 0U, 0U, 0U, 0U, 0U, 0U};
    sal_wire_write_id(cdr, request);
    sal_wire_write_id(cdr, sal_entity_object_id(entity, data_object(entity)));
    saltus_cdr_write_uint8(cdr, entity->qos.reliable ? STREAM_RELIABLE : STREAM_BEST_EFFORT);
    saltus_cdr_write_bytes(cdr, "\0\0\1", 3U);
    saltus_cdr_write_bytes(cdr, without_limit, sizeof(without_limit));
}

/* Writes the payload of a step of the creation of an entity. */
static void write_step(saltus_cdr_t *cdr, const saltus_entity_t *entity, uint8_t kind, uint16_t request) {
    if (kind == READ) {
        write_read(cdr, entity, request);
    } else {
        write_create(cdr, entity, kind, request);
    }
}

/* Sends a step of the creation of an entity. */
static saltus_status_t ask(saltus_session_t *session, const saltus_entity_t *entity, uint8_t kind) {
    const bool is_read = kind == READ;
    saltus_cdr_t cdr = saltus_cdr_counter();
    write_step(&cdr, entity, kind, 0U);
    const saltus_status_t status = sal_outgoing_begin(session, true, is_read ? (uint8_t)READ_DATA : (uint8_t)CREATE,
                                                      is_read ? 0U : FLAG_REUSE_REPLACE, cdr.position, &cdr);
    if (status == SALTUS_OK) {
        write_step(&cdr, entity, kind, sal_outgoing_next_request(session));
    }
    return status;
}

/* Returns whether all steps of the creation of an entity were sent. */
static bool is_asked(const saltus_entity_t *entity) {
    return (entity->asked == STEPS) || (steps_of[entity->kind][entity->asked] == 0U);
}

/* Sends the rest of the creation of an entity. Returns false if the stream has no room for it. */
static bool ask_for_entity(saltus_session_t *session, saltus_entity_t *entity) {
    while (!is_asked(entity) && (entity->state != (uint8_t)SALTUS_ENTITY_REFUSED)) {
        const uint8_t kind = steps_of[entity->kind][entity->asked];
        const saltus_status_t status = ask(session, entity, kind);
        if (status == SALTUS_FULL) {
            return false;
        }
        entity->state = (uint8_t)SALTUS_ENTITY_ASKED;
        if (status != SALTUS_OK) {
            /* Its names are too long for the stream. */
            entity->state = (uint8_t)SALTUS_ENTITY_REFUSED;
            sal_events_report(session, SALTUS_EVENT_REFUSED, 0U);
        } else {
            entity->asked++;
            entity->awaited = (uint8_t)(entity->awaited + ((kind != READ) ? 1U : 0U));
        }
    }
    return true;
}

/* Returns whether the agent has answered for all entities. */
static bool are_all_ready(const saltus_session_t *session) {
    const saltus_entity_t *entity = session->entities;
    while ((entity != NULL) && (entity->state >= (uint8_t)SALTUS_ENTITY_READY)) {
        entity = entity->next;
    }
    return entity == NULL;
}

void sal_create_entities(saltus_session_t *session) {
    saltus_entity_t *entity = session->entities;
    while ((entity != NULL) && ask_for_entity(session, entity)) {
        entity = entity->next;
    }
    (void)saltus_flush(session);
    if (!session->is_ready && are_all_ready(session)) {
        session->is_ready = true;
        sal_events_report(session, SALTUS_EVENT_READY, 0U);
    }
}

void sal_create_reset(saltus_session_t *session) {
    for (saltus_entity_t *entity = session->entities; entity != NULL; entity = entity->next) {
        entity->state = (uint8_t)SALTUS_ENTITY_NEW;
        entity->asked = 0U;
        entity->awaited = 0U;
    }
}

void sal_create_handle_status(saltus_session_t *session, uint16_t object, uint8_t status) {
    saltus_entity_t *entity = sal_entity_find(session, object);
    if (entity == NULL) {
        return;
    }
    if (status > 1U) {
        entity->state = (uint8_t)SALTUS_ENTITY_REFUSED;
        sal_events_report(session, SALTUS_EVENT_REFUSED, status);
    } else if (entity->awaited > 0U) {
        entity->awaited--;
        if ((entity->awaited == 0U) && is_asked(entity) && (entity->state == (uint8_t)SALTUS_ENTITY_ASKED)) {
            entity->state = (uint8_t)SALTUS_ENTITY_READY;
        }
    } else {
        /* The answer to a deletion. */
    }
}

/* Tells the agent to delete an object. */
static void delete_object(saltus_session_t *session, const saltus_entity_t *entity, uint8_t kind) {
    saltus_cdr_t cdr;
    if (sal_outgoing_begin(session, true, DELETE, 0U, 4U, &cdr) == SALTUS_OK) {
        sal_wire_write_id(&cdr, sal_outgoing_next_request(session));
        sal_wire_write_id(&cdr, sal_entity_object_id(entity, kind));
    }
}

void saltus_entity_remove(saltus_entity_t *entity) {
    saltus_session_t *session = entity->session;
    for (uint8_t i = entity->asked; i > 0U; i--) {
        const uint8_t kind = steps_of[entity->kind][i - 1U];
        if (kind != READ) {
            delete_object(session, entity, kind);
        }
    }
    (void)saltus_flush(session);
    sal_entity_unlink(entity);
}
