/* The entities of a session: what nodes, publishers, subscriptions, services and clients have in common. */
#include "entity.h"

#define LARGEST_NUMBER 0x0FFFU

void sal_entity_add(saltus_entity_t *entity, saltus_session_t *session, saltus_entity_kind_t kind) {
    saltus_entity_t **link = &session->entities;
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = entity;
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

saltus_status_t sal_entity_init(saltus_entity_t *entity, const saltus_node_t *node, saltus_entity_kind_t kind,
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
    sal_entity_add(entity, session, kind);
    return SALTUS_OK;
}

void sal_entity_unlink(const saltus_entity_t *entity) {
    saltus_entity_t **link = &entity->session->entities;
    while ((*link != NULL) && (*link != entity)) {
        link = &(*link)->next;
    }
    if (*link == entity) {
        *link = entity->next;
    }
}

uint16_t sal_entity_object_id(const saltus_entity_t *entity, uint8_t kind) {
    return (uint16_t)(((uint32_t)entity->number << 4) | kind);
}

saltus_entity_t *sal_entity_find(const saltus_session_t *session, uint16_t object) {
    saltus_entity_t *entity = session->entities;
    while ((entity != NULL) && (entity->number != (object >> 4))) {
        entity = entity->next;
    }
    return entity;
}
