/* A session: it connects, and waits for everything in one wait. */
#include "saltus/session.h"

#include "connection.h"
#include "constants.h"
#include "control.h"
#include "create.h"
#include "incoming.h"
#include "outgoing.h"
#include "receive.h"

#define SMALLEST_MTU 63U
/* The lease makes the message that begins a session longer. It has six digits. */
#define SMALLEST_MTU_WITH_LEASE 90U
#define LARGEST_LEASE_MS 999999U
/* The offset in a message has 16 bits. */
#define LARGEST_MTU 0xFFF0U
#define PINGS 3U
#define FIRST_RETRY (100 * SALTUS_MILLISECOND)
#define LAST_RETRY SALTUS_SECOND
/* The number of messages that are received before timers run again. */
#define BATCH 64U

#define HEARTBEAT_MS 100U
#define PING_MS 1000U

void saltus_config_init(saltus_config_t *config) {
    const saltus_config_t empty = {0};
    *config = empty;
    config->heartbeat_ms = HEARTBEAT_MS;
    config->ping_ms = PING_MS;
}

saltus_status_t saltus_session_init(saltus_session_t *session, const saltus_config_t *config) {
    const saltus_session_t empty = {0};
    if ((config->transport == NULL) || (config->now == NULL) || (config->key == 0U) || (config->receive == NULL) ||
        (config->reliable_out == NULL) || (config->reliable_in == NULL) || (config->history_out == 0U) ||
        (config->history_in == 0U) || (config->mtu < SMALLEST_MTU) || (config->mtu > LARGEST_MTU) ||
        (config->heartbeat_ms == 0U) || (config->ping_ms == 0U) || (config->lease_ms > LARGEST_LEASE_MS) ||
        ((config->lease_ms > 0U) && (config->mtu < SMALLEST_MTU_WITH_LEASE))) {
        return SALTUS_INVALID;
    }
    *session = empty;
    session->config = config;
    session->state = (uint8_t)STATE_CONNECTING;
    session->next_request = REQUEST_FIRST;
    session->next_number = 1U;
    session->heartbeat_at = INT64_MAX;
    session->time_at = INT64_MAX;
    session->asked_time = INT64_MIN;
    sal_incoming_reset(session);
    return SALTUS_OK;
}

void saltus_session_end(saltus_session_t *session) {
    if (session->state == (uint8_t)STATE_CONNECTED) {
        (void)saltus_flush(session);
        sal_control_send_logout(session);
        sal_connection_lose(session);
    }
    session->state = (uint8_t)STATE_ENDED;
    if (session->is_open) {
        sal_outgoing_close(session);
    }
}

bool saltus_is_connected(const saltus_session_t *session) {
    return session->state == (uint8_t)STATE_CONNECTED;
}

bool saltus_is_ready(const saltus_session_t *session) {
    return session->is_ready;
}

bool saltus_is_acknowledged(const saltus_session_t *session) {
    return sal_outgoing_kept(session) == 0U;
}

bool saltus_has_time(const saltus_session_t *session) {
    return session->has_time;
}

int64_t saltus_time(const saltus_session_t *session) {
    return session->config->now() - session->offset;
}

/* Returns a time in milliseconds in nanoseconds. */
static int64_t milliseconds(uint32_t time) {
    return (int64_t)time * SALTUS_MILLISECOND;
}

/* Opens the transport, unless it is open, and returns whether it is. */
static bool open_transport(saltus_session_t *session) {
    saltus_transport_t *transport = session->config->transport;
    if (!session->is_open) {
        session->is_open = transport->open(transport);
    }
    return session->is_open;
}

/* Asks for a session, more and more rarely. */
static void connect(saltus_session_t *session, int64_t now) {
    const int64_t retry = FIRST_RETRY << session->attempts;
    session->connect_at = now + ((retry < LAST_RETRY) ? retry : LAST_RETRY);
    if (session->attempts < 4U) {
        session->attempts++;
    }
    if (open_transport(session)) {
        sal_control_send_login(session);
    }
}

/* Asks a silent agent whether it is there. After some questions the session is over. */
static void ask_silent_agent(saltus_session_t *session, int64_t now) {
    if (session->pings >= PINGS) {
        session->pings = 0U;
        sal_outgoing_close(session);
        sal_connection_lose(session);
    } else {
        session->pings++;
        session->ping_at = now + milliseconds(session->config->heartbeat_ms);
        sal_control_send_ping(session);
    }
}

/* Sends what is due in a session. */
static void update_connected(saltus_session_t *session, int64_t now) {
    const saltus_config_t *config = session->config;
    if (!session->is_open) {
        sal_connection_lose(session);
        return;
    }
    sal_create_entities(session);
    if (now >= session->heartbeat_at) {
        sal_outgoing_start_heartbeat(session);
        sal_control_send_heartbeat(session);
    }
    if (session->in.owes_acknowledgement) {
        sal_control_send_acknowledgement(session);
    }
    if ((config->time_period_ms > 0U) && (now >= session->time_at)) {
        session->time_at = now + milliseconds(config->time_period_ms);
        (void)saltus_ask_time(session);
    }
    if (now >= session->ping_at) {
        ask_silent_agent(session, now);
    }
}

/* Sends what is due in the present state. */
static void update(saltus_session_t *session, int64_t now) {
    if (session->state == (uint8_t)STATE_CONNECTED) {
        update_connected(session, now);
    }
    if ((session->state == (uint8_t)STATE_CONNECTING) && (now >= session->connect_at)) {
        connect(session, now);
    }
}

/* Calls the callbacks of the timers that are due. */
static void run_timers(saltus_session_t *session, int64_t now) {
    saltus_timer_t *timer = session->timers;
    while (timer != NULL) {
        session->next_timer = timer->next;
        if (now >= timer->due) {
            const int64_t missed = (now - timer->due) / timer->period;
            timer->due += (missed + 1) * timer->period;
            timer->callback(timer->context);
        }
        timer = session->next_timer;
    }
    (void)saltus_flush(session);
}

/* Returns the earlier one of two times. */
static int64_t earlier(int64_t a, int64_t b) {
    return (a < b) ? a : b;
}

/* Returns when something is due. */
static int64_t due(const saltus_session_t *session) {
    int64_t at = INT64_MAX;
    if (session->state == (uint8_t)STATE_CONNECTING) {
        at = session->connect_at;
    } else if (session->state == (uint8_t)STATE_CONNECTED) {
        at = earlier(session->ping_at, session->heartbeat_at);
        if (session->config->time_period_ms > 0U) {
            at = earlier(at, session->time_at);
        }
    } else {
        /* Only timers run. */
    }
    for (const saltus_timer_t *timer = session->timers; timer != NULL; timer = timer->next) {
        at = earlier(at, timer->due);
    }
    return at;
}

/* Waits for a message, and handles it and those that follow at once. */
static void receive(saltus_session_t *session, int64_t timeout) {
    saltus_transport_t *transport = session->config->transport;
    const uint16_t mtu = session->config->mtu;
    int64_t wait = timeout;
    for (uint32_t i = 0U; i < BATCH; i++) {
        const size_t size = transport->read(transport, session->config->receive, mtu, wait);
        if (size == 0U) {
            return;
        }
        sal_receive_message(session, session->config->receive, (uint16_t)size);
        (void)saltus_flush(session);
        wait = 0;
        /* The agent may wait for an acknowledgement before it sends more. */
        if (session->in.owes_acknowledgement && ((i % 2U) == 1U)) {
            sal_control_send_acknowledgement(session);
        }
    }
}

saltus_status_t saltus_spin_once(saltus_session_t *session, int64_t timeout) {
    if (session->spins) {
        return SALTUS_INVALID;
    }
    session->spins = true;
    int64_t now = session->config->now();
    run_timers(session, now);
    update(session, now);
    now = session->config->now();
    const int64_t wait = earlier(timeout, due(session) - now);
    receive(session, (wait > 0) ? wait : 0);
    now = session->config->now();
    run_timers(session, now);
    update(session, now);
    session->spins = false;
    return SALTUS_OK;
}

saltus_status_t saltus_spin_for(saltus_session_t *session, int64_t duration) {
    const int64_t end = session->config->now() + duration;
    saltus_status_t status = SALTUS_OK;
    int64_t left = duration;
    while ((left > 0) && (status == SALTUS_OK)) {
        status = saltus_spin_once(session, left);
        left = end - session->config->now();
    }
    return status;
}

/* Spins until a condition is true. */
static saltus_status_t spin_until(saltus_session_t *session, bool (*condition)(const saltus_session_t *session),
                                  int64_t timeout) {
    const int64_t end = session->config->now() + timeout;
    saltus_status_t status = SALTUS_OK;
    while (!condition(session) && (status == SALTUS_OK)) {
        const int64_t left = end - session->config->now();
        status = (left > 0) ? saltus_spin_once(session, left) : SALTUS_TIMEOUT;
    }
    return status;
}

saltus_status_t saltus_wait_ready(saltus_session_t *session, int64_t timeout) {
    return spin_until(session, saltus_is_ready, timeout);
}

saltus_status_t saltus_wait_acknowledged(saltus_session_t *session, int64_t timeout) {
    const uint32_t lost = session->counters.lost_out;
    const saltus_status_t status = spin_until(session, saltus_is_acknowledged, timeout);
    return (session->counters.lost_out == lost) ? status : SALTUS_NOT_CONNECTED;
}

saltus_status_t saltus_timer_init(saltus_timer_t *timer, saltus_session_t *session, int64_t period,
                                  void (*callback)(void *context), void *context) {
    if (period <= 0) {
        return SALTUS_INVALID;
    }
    timer->period = period;
    timer->due = session->config->now() + period;
    timer->callback = callback;
    timer->context = context;
    timer->next = session->timers;
    session->timers = timer;
    return SALTUS_OK;
}

void saltus_timer_cancel(saltus_timer_t *timer, saltus_session_t *session) {
    saltus_timer_t **link = &session->timers;
    while ((*link != NULL) && (*link != timer)) {
        link = &(*link)->next;
    }
    if (*link == timer) {
        *link = timer->next;
    }
    /* A callback may cancel the timer that would run next. */
    if (session->next_timer == timer) {
        session->next_timer = timer->next;
    }
}
