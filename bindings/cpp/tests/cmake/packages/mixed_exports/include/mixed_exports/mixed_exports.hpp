#pragma once
#include <shared_lib/shared_lib.hpp>
int first();
int second();
