// Registration of classes.
#ifndef CLASS_LOADER_REGISTER_MACRO_HPP_
#define CLASS_LOADER_REGISTER_MACRO_HPP_

#include "class_loader/class_loader_core.hpp"

// The registration passes its own address, which tells the library that it is in.
#define CLASS_LOADER_REGISTER_CLASS_INTERNAL_WITH_MESSAGE(Derived, Base, UniqueID, Message) \
  namespace \
  { \
  struct ClassLoaderRegistration ## UniqueID \
  { \
    ClassLoaderRegistration ## UniqueID() \
    : handle(::class_loader::impl::registerPlugin<Derived, Base>(#Derived, #Base, this, Message)) \
    { \
    } \
    ::class_loader::impl::MetaObjectHandle handle; \
  }; \
  const ClassLoaderRegistration ## UniqueID class_loader_registration_ ## UniqueID; \
  }

#define CLASS_LOADER_REGISTER_CLASS_INTERNAL_HOP1_WITH_MESSAGE(Derived, Base, UniqueID, Message) \
  CLASS_LOADER_REGISTER_CLASS_INTERNAL_WITH_MESSAGE(Derived, Base, UniqueID, Message)

/// Registers a class under its name as written here, and logs the message if it is not "".
#define CLASS_LOADER_REGISTER_CLASS_WITH_MESSAGE(Derived, Base, Message) \
  CLASS_LOADER_REGISTER_CLASS_INTERNAL_HOP1_WITH_MESSAGE(Derived, Base, __COUNTER__, Message)

/// Registers a class, which needs a default constructor, under its name as written here.
///
/// It stands at the scope of a namespace, with or without a semicolon.
#define CLASS_LOADER_REGISTER_CLASS(Derived, Base) \
  CLASS_LOADER_REGISTER_CLASS_WITH_MESSAGE(Derived, Base, "")

#endif
