/** The functions that the files of the benchmark share. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

/** The options of a run. */
typedef struct options {
    /** The bytes of a message, with its number and its length. */
    uint32_t size;
    uint32_t count;
    uint32_t warmup;
    double seconds;
    /** Messages per second; 0 for as fast as possible. */
    double rate;
    /** The speed of the line to keep to; 0 for as fast as possible. */
    double bits_per_second;
    uint16_t mtu;
    uint8_t history;
    bool reliable;
    bool packs;
    int cpu;
    uint32_t key;
} options_t;

void run_rtt(const char *transport, const char *place, const char *port, const options_t *options);
void run_flood(const char *transport, const char *place, const char *port, const options_t *options);
void run_bus(const char *transport, const char *place, const char *port, const options_t *options);
void run_crowd(const char *transport, const char *place, const char *port, const options_t *options);
void run_latency(const char *transport, const char *place, const char *port, const options_t *options);
void run_ping(const char *transport, const char *place, const char *port, const options_t *options);
void run_pong(const char *transport, const char *place, const char *port, const options_t *options);

#endif
