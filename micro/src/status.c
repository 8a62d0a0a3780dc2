#include "saltus/status.h"

const char *saltus_status_text(saltus_status_t status) {
    switch (status) {
    case SALTUS_OK:
        return "success";
    case SALTUS_NOT_CONNECTED:
        return "there is no session with the agent, or the agent does not have the entity yet; spin until it has";
    case SALTUS_FULL:
        return "the stream is full; spin until the agent has acknowledged earlier messages, or give it more history";
    case SALTUS_TOO_LONG:
        return "the message is too long for the stream; give the stream a larger MTU, or more history if it is reliable";
    case SALTUS_TRUNCATED:
        return "the bytes end before the message does";
    case SALTUS_CAPACITY:
        return "a string or sequence is longer than the memory for it; give the message more capacity";
    case SALTUS_INVALID:
        return "a value or an argument is not valid";
    case SALTUS_TRANSPORT:
        return "the transport can't be opened, or does not take a message";
    case SALTUS_REFUSED:
        return "the agent refused the session or an entity; its output says why";
    case SALTUS_TIMEOUT:
        return "the time is over";
    default:
        return "unknown status";
    }
}
