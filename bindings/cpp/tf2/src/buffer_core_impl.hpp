// What a buffer of transforms consists of.
#ifndef TF2_SRC_BUFFER_CORE_IMPL_HPP_
#define TF2_SRC_BUFFER_CORE_IMPL_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "requests.hpp"
#include "saltus/saltus.h"
#include "tf2/buffer_core.hpp"

namespace tf2
{

/// Returns nanoseconds since 1970.
inline std::int64_t toNanoseconds(const TimePoint & time)
{
  return time.time_since_epoch().count();
}

/// Returns the number of tf2 for a status of libsaltus.
TF2Error toError(saltus_status_t status);

/// Throws the exception for a status, with the text of the last error of this thread, unless it is SALTUS_OK.
void throwUnlessOk(saltus_status_t status);

/// Takes a text over and frees it.
std::string takeText(saltus_text_t * text);

/// The numbers of frames, for the functions that have numbers instead of names.
class FrameNumbers
{
public:
  /// Returns the number of a name, which gets one if it has none.
  CompactFrameID of(const std::string & name);
  /// Returns the name of a number, or nothing for 0 and unknown ones.
  std::string name(CompactFrameID number) const;

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, CompactFrameID> numbers_;
  std::vector<std::string> names_;
};

/// Logs why transforms were refused: each kind of reason once per frame, so that a faulty sender can't fill the log.
class RefusalLog
{
public:
  void add(const std::string & frame, const std::string & reason);

private:
  std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> logged_;
};

class BufferCore::Impl
{
public:
  explicit Impl(tf2::Duration kept);

  struct Destroy
  {
    void operator()(saltus_tf_buffer_t * object) const {saltus_tf_buffer_destroy(object);}
  };

  std::unique_ptr<saltus_tf_buffer_t, Destroy> buffer;
  tf2::Duration cache_time;
  std::atomic<bool> using_dedicated_thread{false};
  FrameNumbers numbers;
  RefusalLog refusals;
  std::shared_ptr<Requests> requests = std::make_shared<Requests>();
};

}  // namespace tf2

#endif
