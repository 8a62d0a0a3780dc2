// Components: nodes that a container creates by name.
#ifndef SALTUS__COMPONENT_HPP_
#define SALTUS__COMPONENT_HPP_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "saltus/context.hpp"

namespace saltus
{

/// The settings that a user has chosen for a component: its name, its namespace, its remappings and its parameters. They are valid
/// while the component is created.
class ComponentOptions
{
public:
  explicit ComponentOptions(const saltus_component_options_t * options)
  : options_(options) {}

  /// Creates the node of the component. It has this name and namespace if the user has chosen no others.
  Result<Node> node(const std::string & name, const std::string & name_space = "") const
  {
    return detail::new_node(
      name, name_space, [&](const saltus_node_options_t & options, saltus_node_t ** place) {
        return saltus_component_node_create(options_, &options, place);
      });
  }

private:
  const saltus_component_options_t * options_;
};

/// Loads and unloads components when other nodes request it: a node with the services of composition_interfaces. Its components
/// are part of the program. It destroys them at its end.
class Container
{
public:
  /// Gives a node the services. Add the node to `executor`. If `own_threads` is 0, it also runs the components; otherwise each
  /// component has an executor of its own, with this number of threads.
  static Result<Container> create(const Node & node, const Executor & executor, size_t own_threads = 0)
  {
    saltus_container_options_t options;
    saltus_container_options_init(&options, sizeof options);
    options.own_threads = own_threads;
    auto handle = detail::created<Handle>(
      [&](saltus_container_t ** place) {
        return saltus_container_create(node.get(), executor.get(), &options, place);
      });
    return handle ? Result<Container>(Container(std::move(*handle))) : Result<Container>(handle.failure());
  }

  /// Adds a class to the components that the container can load. It has the functions
  ///
  ///     static saltus::Result<std::unique_ptr<T>> create(const saltus::ComponentOptions & options);
  ///     const saltus::Node & node() const;
  ///
  /// A callback may still run while an object of the class is destroyed. So what has callbacks (timers, subscriptions, ...) is declared
  /// after what they use: its end waits for them.
  template<typename T>
  Status add(const std::string & package, const std::string & plugin) const
  {
    return Status(
      saltus_container_add(handle_.get(), package.c_str(), plugin.c_str(), &create_component<T>, nullptr, nullptr));
  }

  /// Loads a component without settings of a user, as the service does. Returns its id.
  Result<uint64_t> load(const std::string & package, const std::string & plugin) const
  {
    uint64_t id = 0;
    const Status status(saltus_container_load(handle_.get(), package.c_str(), plugin.c_str(), &id));
    return status ? Result<uint64_t>(id) : Result<uint64_t>(status);
  }
  /// Unloads a component, which is given by its id, and destroys it.
  Status unload(uint64_t id) const {return Status(saltus_container_unload(handle_.get(), id));}
  /// Returns how many components are loaded.
  size_t count() const {return saltus_container_count(handle_.get());}

private:
  using Handle = detail::Handle<saltus_container_t, &saltus_container_destroy>;

  explicit Container(Handle handle)
  : handle_(std::move(handle)) {}

  template<typename T>
  static saltus_status_t create_component(
    void *, const saltus_component_options_t * options, saltus_component_t * component) noexcept
  {
    Result<std::unique_ptr<T>> created = T::create(ComponentOptions(options));
    if (!created) {
      saltus_set_error_message(created.failure().text().c_str());
      return created.failure().code();
    }
    component->node = (*created)->node().get();
    component->object = created->release();
    component->destroy = &detail::drop<T>;
    return SALTUS_OK;
  }

  Handle handle_;
};

/// Runs one component as a program, until Ctrl-C. The arguments of the program apply to its node. Returns what main() returns.
template<typename T>
int run(int argc, const char * const * argv)
{
  using Options = detail::Handle<saltus_component_options_t, &saltus_component_options_destroy>;
  const auto run_all = [&]() -> Status {
      const auto context = Context::create(argc, argv);
      if (!context) {
        return context.failure();
      }
      const auto options = detail::created<Options>(
        [&](saltus_component_options_t ** place) {return saltus_component_options_create(context->get(), place);});
      if (!options) {
        return options.failure();
      }
      const Result<std::unique_ptr<T>> component = T::create(ComponentOptions(options->get()));
      if (!component) {
        return component.failure();
      }
      const auto executor = Executor::create(*context);
      if (!executor) {
        return executor.failure();
      }
      const Status added = executor->add_node((*component)->node());
      return added ? executor->spin() : added;
    };
  const Status status = run_all();
  if (!status) {
    std::fprintf(stderr, "%s\n", status.text().c_str());
  }
  return status ? 0 : 1;
}

}  // namespace saltus

#endif  // SALTUS__COMPONENT_HPP_
