/**
 * Nodes, publishers, subscriptions, services and clients.
 *
 * The application owns the structures. An entity is added to its session when it is initialized; it must exist until it
 * is removed or the session has ended. Its names and types must exist as long.
 */
#ifndef SALTUS_ENTITIES_H
#define SALTUS_ENTITIES_H

#include "saltus/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Quality of service. */
typedef struct saltus_qos {
    /** Whether lost messages are sent again. */
    bool reliable;
    /** Whether subscriptions that appear later get earlier messages. */
    bool transient_local;
    /** The number of messages that are kept for a subscription; 0 keeps all. */
    uint16_t depth;
} saltus_qos_t;

/** A quality of service: reliable, transient local, depth. */
#ifdef __cplusplus
#define SALTUS_QOS(reliable_, transient_local_, depth_) (saltus_qos_t{(reliable_), (transient_local_), (depth_)})
#else
#define SALTUS_QOS(reliable_, transient_local_, depth_) ((saltus_qos_t){(reliable_), (transient_local_), (depth_)})
#endif

/** Reliable, volatile, the last 10 messages: ROS 2's default. */
#define SALTUS_QOS_DEFAULT SALTUS_QOS(true, false, 10U)
/** Best effort, volatile, the last 5 messages: ROS 2's profile for sensors. */
#define SALTUS_QOS_SENSOR_DATA SALTUS_QOS(false, false, 5U)

/** The kind of an entity. */
typedef enum saltus_entity_kind {
    SALTUS_NODE,
    SALTUS_PUBLISHER,
    SALTUS_SUBSCRIPTION,
    SALTUS_SERVICE,
    SALTUS_CLIENT
} saltus_entity_kind_t;

/** The state of an entity at the agent. */
typedef enum saltus_entity_state {
    /** The agent was not asked for it in this session. */
    SALTUS_ENTITY_NEW,
    /** The agent was asked. */
    SALTUS_ENTITY_ASKED,
    /** The agent has it. */
    SALTUS_ENTITY_READY,
    /** The agent refused it. */
    SALTUS_ENTITY_REFUSED
} saltus_entity_state_t;

typedef struct saltus_node saltus_node_t;

/** The part that all entities have. The fields are private, except that `state` may be read. */
struct saltus_entity {
    saltus_entity_t *next;
    saltus_session_t *session;
    const saltus_node_t *node;
    const char *name;
    /** Follows the name, as in `/_action/send_goal`. */
    const char *suffix;
    /** A message type or a service type. */
    const void *type;
    saltus_qos_t qos;
    uint16_t number;
    uint8_t kind;
    uint8_t state;
    /** The number of answers that are missing. */
    uint8_t awaited;
    /** The number of steps of the creation that were sent. */
    uint8_t asked;
};

/** Removes an entity. The agent gets a message about it if there is a session and the stream has room. */
void saltus_entity_remove(saltus_entity_t *entity);

/** A node. */
struct saltus_node {
    saltus_entity_t entity;
    /** The namespace: empty, or such as `/robot`. */
    const char *name_space;
    uint16_t domain;
};

/** Adds a node. `name_space` is empty or begins with a slash. */
saltus_status_t saltus_node_init(saltus_node_t *node, saltus_session_t *session, const char *name,
                                 const char *name_space, uint16_t domain);

/** A publisher. */
typedef struct saltus_publisher {
    saltus_entity_t entity;
} saltus_publisher_t;

/** Adds a publisher. `topic` may be absolute (`/a`), relative (`a`) or private (`~/a`). */
saltus_status_t saltus_publisher_init(saltus_publisher_t *publisher, saltus_node_t *node,
                                      const saltus_message_type_t *type, const char *topic, saltus_qos_t qos);

/**
 * Publishes a message. It is written directly into the stream's memory.
 *
 * Returns `SALTUS_NOT_CONNECTED`, `SALTUS_FULL` if a reliable stream waits for acknowledgements, `SALTUS_TOO_LONG`,
 * `SALTUS_INVALID` if a field breaks its bound, or `SALTUS_TRANSPORT`.
 */
saltus_status_t saltus_publish(saltus_publisher_t *publisher, const void *message);

/** Begins to publish a message of `size` bytes, which the application writes with the cursor. */
saltus_status_t saltus_publish_begin(saltus_publisher_t *publisher, uint32_t size, saltus_cdr_t *cdr);

/** Ends what `saltus_publish_begin` began. Returns `SALTUS_INVALID` if it does not have the size that was given. */
saltus_status_t saltus_publish_end(saltus_publisher_t *publisher, const saltus_cdr_t *cdr);

/** A subscription. */
typedef struct saltus_subscription {
    saltus_entity_t entity;
    void *message;
    void (*callback)(void *context, const void *message);
    void *context;
} saltus_subscription_t;

/**
 * Adds a subscription. Each message is read into `message`, whose strings and sequences have the application's memory,
 * and given to the callback. A message that does not fit is counted, and reported as `SALTUS_EVENT_UNREADABLE`.
 *
 * If `message` is `NULL`, the callback gets the `saltus_cdr_t` over the received bytes instead.
 */
saltus_status_t saltus_subscription_init(saltus_subscription_t *subscription, saltus_node_t *node,
                                         const saltus_message_type_t *type, const char *topic, saltus_qos_t qos,
                                         void *message, void (*callback)(void *context, const void *message),
                                         void *context);

/** The identity of a request, which a later response needs. */
typedef struct saltus_request {
    uint8_t identity[24];
} saltus_request_t;

typedef struct saltus_service saltus_service_t;

/** A service. */
struct saltus_service {
    saltus_entity_t entity;
    /** Reads a request, and answers it or not. */
    void (*handle)(saltus_service_t *service, const saltus_request_t *request, saltus_cdr_t *cdr);
    /** The application's callback. */
    bool (*callback)(void *context, const saltus_request_t *id, const void *request, void *response);
    void *context;
    void *request;
    void *response;
};

/**
 * Adds a service. Each request is read into `request`. The callback fills `response` and returns true, or keeps the
 * `saltus_request_t`, returns false, and calls `saltus_respond` later.
 *
 * Requests wait while the stream to the agent is full.
 */
saltus_status_t saltus_service_init(saltus_service_t *service, saltus_node_t *node, const saltus_service_type_t *type,
                                    const char *name, void *request, void *response,
                                    bool (*callback)(void *context, const saltus_request_t *id, const void *request,
                                                     void *response),
                                    void *context);

/** Answers a request. */
saltus_status_t saltus_respond(saltus_service_t *service, const saltus_request_t *request, const void *response);

/** A service client. */
typedef struct saltus_client {
    saltus_entity_t entity;
    void *response;
    void (*callback)(void *context, uint16_t request, const void *response);
    void *context;
} saltus_client_t;

/** Adds a service client. Each response is read into `response` and given to the callback. */
saltus_status_t saltus_client_init(saltus_client_t *client, saltus_node_t *node, const saltus_service_type_t *type,
                                   const char *name, void *response,
                                   void (*callback)(void *context, uint16_t request, const void *response),
                                   void *context);

/** Sends a request. `request_id` gets the number that the callback gets with the response. It may be `NULL`. */
saltus_status_t saltus_call(saltus_client_t *client, const void *request, uint16_t *request_id);

#ifdef __cplusplus
}
#endif

#endif
