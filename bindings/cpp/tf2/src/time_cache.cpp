#include <algorithm>

#include "tf2/time_cache.hpp"

namespace tf2
{

namespace
{

void report(std::string * error_str, TF2Error * error_code, TF2Error code, const std::string & text)
{
  if (error_str) {
    *error_str = text;
  }
  if (error_code) {
    *error_code = code;
  }
}

bool is_older(const TransformStorage & storage, TimePoint time) {return storage.stamp_ < time;}

TransformStorage interpolate(const TransformStorage & before, const TransformStorage & after, TimePoint time)
{
  const double span = durationToSec(after.stamp_ - before.stamp_);
  const double ratio = durationToSec(time - before.stamp_) / span;
  return TransformStorage(
    time, before.rotation_.slerp(after.rotation_, ratio), before.translation_.lerp(after.translation_, ratio),
    before.frame_id_, before.child_frame_id_);
}

}  // namespace

TransformStorage::TransformStorage()
: frame_id_(0), child_frame_id_(0)
{
}

TransformStorage::TransformStorage(
  const TimePoint & stamp, const Quaternion & q, const Vector3 & t, CompactFrameID frame_id,
  CompactFrameID child_frame_id)
: rotation_(q), translation_(t), stamp_(stamp), frame_id_(frame_id), child_frame_id_(child_frame_id)
{
}

TimeCacheInterface::~TimeCacheInterface() = default;

TimeCache::TimeCache(tf2::Duration max_storage_time)
: max_storage_time_(max_storage_time)
{
}

TimeCache::~TimeCache() = default;

bool TimeCache::find(
  TimePoint time, Neighbors & neighbors, std::string * error_str, TF2Error * error_code) const
{
  if (storage_.empty()) {
    report(error_str, error_code, TF2Error::TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR, "no transform is known");
    return false;
  }
  const TransformStorage & oldest = storage_.front();
  const TransformStorage & newest = storage_.back();
  if (time == TimePointZero || time == newest.stamp_) {
    neighbors = {&newest, &newest};
    return true;
  }
  const std::string wanted = "the transform at time " + displayTimePoint(time) + " is not known: ";
  if (storage_.size() == 1) {
    report(
      error_str, error_code, TF2Error::TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR,
      wanted + "the only one is of time " + displayTimePoint(newest.stamp_));
    return false;
  }
  if (time > newest.stamp_) {
    report(
      error_str, error_code, TF2Error::TF2_FORWARD_EXTRAPOLATION_ERROR,
      wanted + "it needs extrapolation into the future, the latest one is of time " +
      displayTimePoint(newest.stamp_));
    return false;
  }
  if (time < oldest.stamp_) {
    report(
      error_str, error_code, TF2Error::TF2_BACKWARD_EXTRAPOLATION_ERROR,
      wanted + "it needs extrapolation into the past, the earliest one is of time " +
      displayTimePoint(oldest.stamp_));
    return false;
  }
  const auto after = std::lower_bound(storage_.begin(), storage_.end(), time, is_older);
  neighbors = {after->stamp_ == time ? &*after : &*(after - 1), &*after};
  return true;
}

bool TimeCache::getData(
  TimePoint time, TransformStorage & data_out, std::string * error_str, TF2Error * error_code)
{
  Neighbors neighbors = {};
  if (!find(time, neighbors, error_str, error_code)) {
    return false;
  }
  // Between two parents there is nothing to interpolate.
  const bool is_one = neighbors.before == neighbors.after || neighbors.before->frame_id_ != neighbors.after->frame_id_;
  data_out = is_one ? *neighbors.before : interpolate(*neighbors.before, *neighbors.after, time);
  return true;
}

bool TimeCache::insertData(const TransformStorage & new_data)
{
  if (!storage_.empty() && storage_.back().stamp_ - new_data.stamp_ > max_storage_time_) {
    return false;
  }
  const auto place = std::lower_bound(storage_.begin(), storage_.end(), new_data.stamp_, is_older);
  if (place != storage_.end() && place->stamp_ == new_data.stamp_) {
    *place = new_data;
  } else {
    storage_.insert(place, new_data);
  }
  while (storage_.back().stamp_ - storage_.front().stamp_ > max_storage_time_) {
    storage_.pop_front();
  }
  return true;
}

void TimeCache::clearList() {storage_.clear();}

CompactFrameID TimeCache::getParent(TimePoint time, std::string * error_str, TF2Error * error_code)
{
  Neighbors neighbors = {};
  return find(time, neighbors, error_str, error_code) ? neighbors.before->frame_id_ : 0;
}

P_TimeAndFrameID TimeCache::getLatestTimeAndParent()
{
  return storage_.empty() ? P_TimeAndFrameID(TimePointZero, 0) :
         P_TimeAndFrameID(storage_.back().stamp_, storage_.back().frame_id_);
}

unsigned int TimeCache::getListLength() {return static_cast<unsigned int>(storage_.size());}

TimePoint TimeCache::getLatestTimestamp() {return storage_.empty() ? TimePointZero : storage_.back().stamp_;}

TimePoint TimeCache::getOldestTimestamp() {return storage_.empty() ? TimePointZero : storage_.front().stamp_;}

StaticCache::StaticCache() = default;

StaticCache::~StaticCache() = default;

bool StaticCache::getData(TimePoint time, TransformStorage & data_out, std::string *, TF2Error *)
{
  data_out = storage_;
  data_out.stamp_ = time;
  return true;
}

bool StaticCache::insertData(const TransformStorage & new_data)
{
  storage_ = new_data;
  return true;
}

void StaticCache::clearList() {}

CompactFrameID StaticCache::getParent(TimePoint, std::string *, TF2Error *) {return storage_.frame_id_;}

P_TimeAndFrameID StaticCache::getLatestTimeAndParent()
{
  return P_TimeAndFrameID(TimePointZero, storage_.frame_id_);
}

unsigned int StaticCache::getListLength() {return 1;}

TimePoint StaticCache::getLatestTimestamp() {return TimePointZero;}

TimePoint StaticCache::getOldestTimestamp() {return TimePointZero;}

}  // namespace tf2
