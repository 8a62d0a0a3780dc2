// The requests for transforms that may come later.
#ifndef TF2_SRC_REQUESTS_HPP_
#define TF2_SRC_REQUESTS_HPP_

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "saltus/saltus.h"
#include "tf2/buffer_core.hpp"

namespace tf2
{

/// The requests of a buffer that are not answered yet.
class Requests : public std::enable_shared_from_this<Requests>
{
public:
  /// A request as its caller gave it.
  struct Question
  {
    BufferCore::TransformableCallback callback;
    std::string target;
    std::string source;
    TimePoint time;
  };

  /// As BufferCore::addTransformableRequest.
  TransformableRequestHandle add(const saltus_tf_buffer_t * buffer, Question question);

  /// Forgets a request.
  void cancel(TransformableRequestHandle handle);

  /// Forgets all requests.
  void clear();

  /// Throws what a callback of this thread has thrown since the last call.
  static void rethrow();

private:
  struct Context;

  struct Destroy
  {
    void operator()(saltus_tf_request_t * request) const {saltus_tf_request_destroy(request);}
  };
  using Handle = std::unique_ptr<saltus_tf_request_t, Destroy>;

  struct Entry
  {
    Question question;
    // Null while the request is being made.
    Handle request;
    // Set if it was answered while it was being made: nobody needs a callback then.
    bool is_answered = false;
    TransformableResult result = TransformAvailable;
  };

  static void onAnswer(void * context, saltus_status_t status);
  static void onDrop(void * context);
  void answer(TransformableRequestHandle handle, TransformableResult result);
  TransformableRequestHandle finish(TransformableRequestHandle handle, Handle request);

  std::mutex mutex_;
  std::unordered_map<TransformableRequestHandle, Entry> entries_;
  TransformableRequestHandle last_handle_ = 0;
};

}  // namespace tf2

#endif
