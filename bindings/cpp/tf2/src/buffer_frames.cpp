// The functions of a buffer about its frames.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "buffer_core_impl.hpp"

namespace tf2
{

namespace
{

struct DestroyFrames
{
  void operator()(saltus_tf_frames_t * frames) const {saltus_tf_frames_destroy(frames);}
};

/// Returns a frame and all above it.
std::vector<std::string> withAncestors(const saltus_tf_buffer_t * buffer, std::string frame)
{
  std::vector<std::string> frames{std::move(frame)};
  saltus_text_t * parent = nullptr;
  while (
    frames.size() <= BufferCore::MAX_GRAPH_DEPTH &&
    saltus_tf_buffer_parent(buffer, frames.back().c_str(), &parent) == SALTUS_OK)
  {
    frames.push_back(takeText(parent));
  }
  return frames;
}

/// Returns the frames on the way from a frame to another one: up to the lowest that is above both, and down.
std::vector<std::string> way(const saltus_tf_buffer_t * buffer, const std::string & from, const std::string & to)
{
  auto up = withAncestors(buffer, from);
  auto down = withAncestors(buffer, to);
  while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
    up.pop_back();
    down.pop_back();
  }
  // Both end with the lowest frame above both now, unless one of the frames is above the other one.
  const auto top = std::find_first_of(up.begin(), up.end(), down.begin(), down.end());
  if (top == up.end()) {
    return up;
  }
  down.erase(std::find(down.begin(), down.end(), *top), down.end());
  up.erase(top + 1, up.end());
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

}  // namespace

CompactFrameID FrameNumbers::of(const std::string & name)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, is_new] = numbers_.emplace(name, static_cast<CompactFrameID>(names_.size() + 1));
  if (is_new) {
    names_.push_back(name);
  }
  return found->second;
}

std::string FrameNumbers::name(CompactFrameID number) const
{
  const std::lock_guard<std::mutex> lock(mutex_);
  return number == 0 || number > names_.size() ? std::string() : names_[number - 1];
}

std::vector<std::string> BufferCore::getAllFrameNames() const
{
  std::vector<std::string> names;
  _getFrameStrings(names);
  return names;
}

void BufferCore::_getFrameStrings(std::vector<std::string> & ids) const
{
  saltus_tf_frames_t * listed = nullptr;
  throwUnlessOk(saltus_tf_buffer_frames(impl_->buffer.get(), &listed));
  const std::unique_ptr<saltus_tf_frames_t, DestroyFrames> frames(listed);
  ids.clear();
  for (std::size_t index = 0; index < saltus_tf_frames_count(listed); ++index) {
    saltus_tf_frame_t frame{};
    frame.struct_size = sizeof frame;
    throwUnlessOk(saltus_tf_frames_get(listed, index, &frame));
    ids.emplace_back(frame.name);
  }
}

std::string BufferCore::allFramesAsYAML(TimePoint current_time) const
{
  saltus_text_t * text = nullptr;
  throwUnlessOk(saltus_tf_buffer_yaml(impl_->buffer.get(), toNanoseconds(current_time), &text));
  return takeText(text);
}

std::string BufferCore::allFramesAsYAML() const
{
  return allFramesAsYAML(TimePointZero);
}

std::string BufferCore::allFramesAsString() const
{
  saltus_text_t * text = nullptr;
  throwUnlessOk(saltus_tf_buffer_list(impl_->buffer.get(), &text));
  return takeText(text);
}

std::string BufferCore::_allFramesAsDot(TimePoint current_time) const
{
  saltus_text_t * text = nullptr;
  throwUnlessOk(saltus_tf_buffer_dot(impl_->buffer.get(), toNanoseconds(current_time), &text));
  return takeText(text);
}

std::string BufferCore::_allFramesAsDot() const
{
  return _allFramesAsDot(TimePointZero);
}

bool BufferCore::_frameExists(const std::string & frame_id_str) const
{
  return saltus_tf_buffer_has_frame(impl_->buffer.get(), frame_id_str.c_str());
}

bool BufferCore::_getParent(const std::string & frame_id, TimePoint time, std::string & parent) const
{
  saltus_text_t * text = nullptr;
  if (saltus_tf_buffer_parent(impl_->buffer.get(), frame_id.c_str(), &text) != SALTUS_OK) {
    return false;
  }
  auto found = takeText(text);
  if (!canTransform(found, frame_id, time)) {
    return false;
  }
  parent = std::move(found);
  return true;
}

CompactFrameID BufferCore::_lookupFrameNumber(const std::string & frameid_str) const
{
  return _frameExists(frameid_str) ? impl_->numbers.of(frameid_str) : 0;
}

CompactFrameID BufferCore::_lookupOrInsertFrameNumber(const std::string & frameid_str)
{
  return impl_->numbers.of(frameid_str);
}

TF2Error BufferCore::_getLatestCommonTime(
  CompactFrameID target_frame, CompactFrameID source_frame, TimePoint & time, std::string * error_string) const
{
  std::int64_t found = 0;
  const auto target = impl_->numbers.name(target_frame);
  const auto source = impl_->numbers.name(source_frame);
  if (target.empty() || source.empty()) {
    return TF2Error::TF2_LOOKUP_ERROR;
  }
  const auto status = saltus_tf_buffer_latest_common_time(
    impl_->buffer.get(), target.c_str(), source.c_str(), &found);
  if (status == SALTUS_OK) {
    time = TimePoint(tf2::Duration(found));
  } else if (error_string != nullptr) {
    *error_string = saltus_error_message();
  }
  return toError(status);
}

CompactFrameID BufferCore::_validateFrameId(const char * function_name_arg, const std::string & frame_id) const
{
  const std::string argument = function_name_arg;
  if (frame_id.empty()) {
    throw InvalidArgumentException(
            "Invalid argument \"\" passed to " + argument + " - in tf2 frame_ids cannot be empty");
  }
  if (frame_id.front() == '/') {
    throw InvalidArgumentException(
            "Invalid argument \"" + frame_id + "\" passed to " + argument +
            " - in tf2 frame_ids cannot start with a '/'");
  }
  const auto number = _lookupFrameNumber(frame_id);
  if (number == 0) {
    throw LookupException("\"" + frame_id + "\" passed to " + argument + " does not exist. ");
  }
  return number;
}

void BufferCore::_chainAsVector(
  const std::string & target_frame, TimePoint target_time, const std::string & source_frame, TimePoint source_time,
  const std::string & fixed_frame, std::vector<std::string> & output) const
{
  output.clear();
  lookupTransform(target_frame, target_time, source_frame, source_time, fixed_frame);
  auto frames = way(impl_->buffer.get(), source_frame, fixed_frame);
  const auto rest = way(impl_->buffer.get(), fixed_frame, target_frame);
  // The way back over frames that were passed already is left out.
  for (std::size_t index = 1; index < rest.size(); ++index) {
    if (frames.size() > 1 && frames[frames.size() - 2] == rest[index]) {
      frames.pop_back();
    } else {
      frames.push_back(rest[index]);
    }
  }
  output = std::move(frames);
}

}  // namespace tf2
