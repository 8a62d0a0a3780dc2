// The C++ API of Saltus: no exceptions, and messages that are read and written in shared memory.
#ifndef SALTUS__SALTUS_HPP_
#define SALTUS__SALTUS_HPP_

#include "saltus/action.hpp"
#include "saltus/component.hpp"
#include "saltus/context.hpp"
#include "saltus/lifecycle.hpp"
#include "saltus/parameter.hpp"
#include "saltus/result.hpp"
#include "saltus/service.hpp"
#include "saltus/topic.hpp"
#include "saltus/view.hpp"

#endif  // SALTUS__SALTUS_HPP_
