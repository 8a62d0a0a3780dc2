// The transforms of one frame over time.
#ifndef TF2_TIME_CACHE_HPP_
#define TF2_TIME_CACHE_HPP_

#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "tf2/exceptions.hpp"
#include "tf2/time.hpp"
#include "tf2/transform_storage.hpp"
#include "tf2/visibility_control.hpp"

namespace tf2
{

typedef std::pair<TimePoint, CompactFrameID> P_TimeAndFrameID;

/// What a cache does. TimePointZero is the latest time.
class TF2_PUBLIC_TYPE TimeCacheInterface
{
public:
  virtual ~TimeCacheInterface();

  /// Gets the transform at a time; returns false, with text and code of the error, if it is not known.
  virtual bool getData(
    TimePoint time, TransformStorage & data_out, std::string * error_str = nullptr,
    TF2Error * error_code = nullptr) = 0;

  /// Adds a transform; returns false if it is too old.
  virtual bool insertData(const TransformStorage & new_data) = 0;

  /// Removes all transforms.
  virtual void clearList() = 0;

  /// Returns the parent at a time, or 0 as getData returns false.
  virtual CompactFrameID getParent(TimePoint time, std::string * error_str, TF2Error * error_code) = 0;

  /// Returns the time and the parent of the latest transform; zeros if there is none.
  virtual P_TimeAndFrameID getLatestTimeAndParent() = 0;

  /// Returns the number of transforms.
  virtual unsigned int getListLength() = 0;

  /// Returns the time of the latest transform, or TimePointZero.
  virtual TimePoint getLatestTimestamp() = 0;

  /// Returns the time of the oldest transform, or TimePointZero.
  virtual TimePoint getOldestTimestamp() = 0;
};

using TimeCacheInterfacePtr = std::shared_ptr<TimeCacheInterface>;

/// How long a cache keeps transforms.
constexpr tf2::Duration TIMECACHE_DEFAULT_MAX_STORAGE_TIME = std::chrono::seconds(10);

/// Keeps the transforms of a time span and interpolates between them.
class TF2_PUBLIC_TYPE TimeCache : public TimeCacheInterface
{
public:
  explicit TimeCache(tf2::Duration max_storage_time = TIMECACHE_DEFAULT_MAX_STORAGE_TIME);
  ~TimeCache() override;

  bool getData(
    TimePoint time, TransformStorage & data_out, std::string * error_str = nullptr,
    TF2Error * error_code = nullptr) override;
  /// A transform of the same time is replaced.
  bool insertData(const TransformStorage & new_data) override;
  void clearList() override;
  CompactFrameID getParent(TimePoint time, std::string * error_str, TF2Error * error_code) override;
  P_TimeAndFrameID getLatestTimeAndParent() override;
  unsigned int getListLength() override;
  TimePoint getLatestTimestamp() override;
  TimePoint getOldestTimestamp() override;

protected:
  /// Returns copies of all transforms, from the newest to the oldest. They are valid until the next call.
  const std::list<TransformStorage> & getAllItems() const
  {
    all_items_.assign(storage_.rbegin(), storage_.rend());
    return all_items_;
  }

private:
  using Storage = std::deque<TransformStorage>;

  /// The transforms around a time; both are the same one if it has that time.
  struct Neighbors
  {
    const TransformStorage * before;
    const TransformStorage * after;
  };

  bool find(TimePoint time, Neighbors & neighbors, std::string * error_str, TF2Error * error_code) const;

  // From the oldest to the newest.
  Storage storage_;
  mutable std::list<TransformStorage> all_items_;
  tf2::Duration max_storage_time_;
};

/// Keeps one transform for all times.
class TF2_PUBLIC_TYPE StaticCache : public TimeCacheInterface
{
public:
  StaticCache();
  ~StaticCache() override;

  bool getData(
    TimePoint time, TransformStorage & data_out, std::string * error_str = nullptr,
    TF2Error * error_code = nullptr) override;
  bool insertData(const TransformStorage & new_data) override;
  void clearList() override;
  CompactFrameID getParent(TimePoint time, std::string * error_str, TF2Error * error_code) override;
  P_TimeAndFrameID getLatestTimeAndParent() override;
  unsigned int getListLength() override;
  TimePoint getLatestTimestamp() override;
  TimePoint getOldestTimestamp() override;

private:
  TransformStorage storage_;
};

}  // namespace tf2

#endif
