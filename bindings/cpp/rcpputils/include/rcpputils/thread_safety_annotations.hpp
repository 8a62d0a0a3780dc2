// Annotations for clang's thread safety analysis.
//
// They have an effect with clang and libc++ only: the mutexes of libstdc++ are no capabilities, so that each use would
// be a warning. Define RCPPUTILS_TSA_ENABLE to use them with own annotated mutexes and any library.
#ifndef RCPPUTILS_THREAD_SAFETY_ANNOTATIONS_HPP_
#define RCPPUTILS_THREAD_SAFETY_ANNOTATIONS_HPP_

// The version macro of libc++ comes with any of its headers.
#include <cstddef>

#if defined(__clang__) && (defined(_LIBCPP_VERSION) || defined(RCPPUTILS_TSA_ENABLE))
#define RCPPUTILS_TSA_ATTRIBUTE(...) __attribute__((__VA_ARGS__))
#else
#define RCPPUTILS_TSA_ATTRIBUTE(...)
#endif

/// The type is a lock, which `x` names.
#define RCPPUTILS_TSA_CAPABILITY(x) RCPPUTILS_TSA_ATTRIBUTE(capability(x))
/// The type locks in its constructor and unlocks in its destructor.
#define RCPPUTILS_TSA_SCOPED_CAPABILITY RCPPUTILS_TSA_ATTRIBUTE(scoped_lockable)
/// The variable may be used only with this lock.
#define RCPPUTILS_TSA_GUARDED_BY(x) RCPPUTILS_TSA_ATTRIBUTE(guarded_by(x))
/// What the pointer points to may be used only with this lock.
#define RCPPUTILS_TSA_PT_GUARDED_BY(x) RCPPUTILS_TSA_ATTRIBUTE(pt_guarded_by(x))
/// The order of locks.
#define RCPPUTILS_TSA_ACQUIRED_BEFORE(...) RCPPUTILS_TSA_ATTRIBUTE(acquired_before(__VA_ARGS__))
#define RCPPUTILS_TSA_ACQUIRED_AFTER(...) RCPPUTILS_TSA_ATTRIBUTE(acquired_after(__VA_ARGS__))
/// The caller holds the locks.
#define RCPPUTILS_TSA_REQUIRES(...) RCPPUTILS_TSA_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define RCPPUTILS_TSA_REQUIRES_SHARED(...) RCPPUTILS_TSA_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
/// The function takes the locks.
#define RCPPUTILS_TSA_ACQUIRE(...) RCPPUTILS_TSA_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RCPPUTILS_TSA_ACQUIRE_SHARED(...) RCPPUTILS_TSA_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
/// The function releases the locks.
#define RCPPUTILS_TSA_RELEASE(...) RCPPUTILS_TSA_ATTRIBUTE(release_capability(__VA_ARGS__))
#define RCPPUTILS_TSA_RELEASE_SHARED(...) RCPPUTILS_TSA_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
/// The function takes the locks if it returns the first argument.
#define RCPPUTILS_TSA_TRY_ACQUIRE(...) RCPPUTILS_TSA_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define RCPPUTILS_TSA_TRY_ACQUIRE_SHARED(...) RCPPUTILS_TSA_ATTRIBUTE(try_acquire_shared_capability(__VA_ARGS__))
/// The caller does not hold the locks.
#define RCPPUTILS_TSA_EXCLUDES(...) RCPPUTILS_TSA_ATTRIBUTE(locks_excluded(__VA_ARGS__))
/// The function checks at run time that the lock is held.
#define RCPPUTILS_TSA_ASSERT_CAPABILITY(x) RCPPUTILS_TSA_ATTRIBUTE(assert_capability(x))
#define RCPPUTILS_TSA_ASSERT_SHARED_CAPABILITY(x) RCPPUTILS_TSA_ATTRIBUTE(assert_shared_capability(x))
/// The function returns a reference to the lock.
#define RCPPUTILS_TSA_RETURN_CAPABILITY(x) RCPPUTILS_TSA_ATTRIBUTE(lock_returned(x))
/// The function is not analyzed.
#define RCPPUTILS_TSA_NO_THREAD_SAFETY_ANALYSIS RCPPUTILS_TSA_ATTRIBUTE(no_thread_safety_analysis)

#endif
