/** Tracepoints, which do nothing: Saltus has its own tracing. */
#ifndef TRACETOOLS_TRACETOOLS_H_
#define TRACETOOLS_TRACETOOLS_H_

/** Programs leave out what they compute only for tracepoints. */
#ifndef TRACETOOLS_DISABLED
#define TRACETOOLS_DISABLED
#endif

/** Does nothing; the first argument is the name of the event. */
#define TRACETOOLS_TRACEPOINT(...) ((void)0)

/** False. */
#define TRACETOOLS_TRACEPOINT_ENABLED(event_name) false

/** Does nothing; the first argument is the name of the event. */
#define TRACETOOLS_DO_TRACEPOINT(...) ((void)0)

/* The names before ROS 2 Iron. */
#define TRACEPOINT(...) TRACETOOLS_TRACEPOINT(__VA_ARGS__)
#define TRACEPOINT_ENABLED(event_name) TRACETOOLS_TRACEPOINT_ENABLED(event_name)
#define DO_TRACEPOINT(...) TRACETOOLS_DO_TRACEPOINT(__VA_ARGS__)

#endif
