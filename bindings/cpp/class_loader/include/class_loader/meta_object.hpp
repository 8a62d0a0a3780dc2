// Factories of registered classes.
#ifndef CLASS_LOADER_META_OBJECT_HPP_
#define CLASS_LOADER_META_OBJECT_HPP_

#include <string>
#include <typeinfo>

#include "class_loader/visibility_control.hpp"

namespace class_loader
{
namespace impl
{

/// What a factory says about its class. It lives in the library that registers the class.
class CLASS_LOADER_PUBLIC_TYPE AbstractMetaObjectBase
{
public:
  AbstractMetaObjectBase(
    const std::string & class_name, const std::string & base_class_name, const std::string & typeid_base_class_name);
  virtual ~AbstractMetaObjectBase();
  AbstractMetaObjectBase(const AbstractMetaObjectBase &) = delete;
  AbstractMetaObjectBase & operator=(const AbstractMetaObjectBase &) = delete;

  /// Returns the name of the class as it is written in the registration.
  const std::string & className() const;

  /// Returns the name of the base as it is written in the registration.
  const std::string & baseClassName() const;

  /// Returns typeid(Base).name(), by which a base is matched.
  const std::string & typeidBaseClassName() const;

  /// Returns the path by which a loader loaded the library, or "" if no loader did.
  std::string getAssociatedLibraryPath() const;

private:
  std::string class_name_;
  std::string base_class_name_;
  std::string typeid_base_class_name_;
};

/// A factory of objects with the base B.
template<class B>
class AbstractMetaObject : public AbstractMetaObjectBase
{
public:
  AbstractMetaObject(const std::string & class_name, const std::string & base_class_name)
  : AbstractMetaObjectBase(class_name, base_class_name, typeid(B).name())
  {
  }

  /// Returns a new object.
  virtual B * create() const = 0;
};

/// A factory of objects of class C with the base B.
template<class C, class B>
class MetaObject : public AbstractMetaObject<B>
{
public:
  using AbstractMetaObject<B>::AbstractMetaObject;

  B * create() const override {return new C();}
};

}  // namespace impl
}  // namespace class_loader

#endif
