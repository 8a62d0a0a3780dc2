// Visibility of the functions of ament_index_cpp.
#ifndef AMENT_INDEX_CPP_VISIBILITY_CONTROL_H_
#define AMENT_INDEX_CPP_VISIBILITY_CONTROL_H_

#define AMENT_INDEX_CPP_EXPORT __attribute__((visibility("default")))
#define AMENT_INDEX_CPP_IMPORT __attribute__((visibility("default")))
#define AMENT_INDEX_CPP_PUBLIC __attribute__((visibility("default")))
#define AMENT_INDEX_CPP_PUBLIC_TYPE __attribute__((visibility("default")))
#define AMENT_INDEX_CPP_LOCAL __attribute__((visibility("hidden")))

#endif
