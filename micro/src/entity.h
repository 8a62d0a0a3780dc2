/* The entities of a session: what nodes, publishers, subscriptions, services and clients have in common. */
#ifndef SALTUS_ENTITY_H
#define SALTUS_ENTITY_H

#include "saltus/entities.h"

/* Adds an entity to its session. */
void sal_entity_add(saltus_entity_t *entity, saltus_session_t *session, saltus_entity_kind_t kind);

/* Adds an entity of a node with a name, a suffix and a type. */
saltus_status_t sal_entity_init(saltus_entity_t *entity, const saltus_node_t *node, saltus_entity_kind_t kind,
                                const void *type, const char *name, const char *suffix);

/* Removes an entity from the list of its session. */
void sal_entity_unlink(const saltus_entity_t *entity);

/* Returns the identifier of an object of an entity. `kind` is the kind of the object. */
uint16_t sal_entity_object_id(const saltus_entity_t *entity, uint8_t kind);

/* Returns the entity that an object belongs to, or `NULL`. */
saltus_entity_t *sal_entity_find(const saltus_session_t *session, uint16_t object);

#endif
