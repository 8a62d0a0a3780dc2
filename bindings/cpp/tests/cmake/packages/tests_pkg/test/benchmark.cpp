#include <benchmark/benchmark.h>

static void nothing(benchmark::State & state)
{
  for (auto _ : state) {
    benchmark::DoNotOptimize(_);
  }
}
BENCHMARK(nothing);
