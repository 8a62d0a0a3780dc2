# The packages that convert between tf2, the messages, and the types of other libraries. They consist of headers, and are installed
# also if the libraries are not there: find_package() of a program then says which one is missing. Their tests need them.

# Adds the test of a package that needs a library, unless the target of the library is missing.
function(saltus_conversion_test name library debian_package)
  if(TARGET ${library})
    saltus_test(${name} LINK ${ARGN})
  elseif(BUILD_TESTING)
    message(STATUS "no test of ${name}: install ${debian_package} for it")
  endif()
endfunction()

if(BUILD_TESTING)
  find_package(Eigen3 QUIET CONFIG)
  find_library(SALTUS_KDL_LIBRARY orocos-kdl)
  if(SALTUS_KDL_LIBRARY AND TARGET Eigen3::Eigen)
    # The exported targets have this name for the library.
    add_library(orocos-kdl INTERFACE IMPORTED)
    set_target_properties(orocos-kdl PROPERTIES INTERFACE_LINK_LIBRARIES "${SALTUS_KDL_LIBRARY};Eigen3::Eigen")
  endif()
  find_package(Bullet QUIET MODULE)
  if(BULLET_FOUND)
    add_library(bullet INTERFACE IMPORTED)
    set_target_properties(bullet PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${BULLET_INCLUDE_DIRS}" INTERFACE_LINK_LIBRARIES "${BULLET_LIBRARIES}")
  endif()
endif()

set(geometry geometry_msgs::geometry_msgs__rosidl_typesupport_cpp std_msgs::std_msgs__rosidl_typesupport_cpp)
saltus_package(tf2_eigen VERSION 0.36.7
  LINK tf2::tf2 tf2_ros::tf2_ros ${geometry} Eigen3::Eigen
  DEPENDENCIES Eigen3 tf2 tf2_ros geometry_msgs std_msgs)
saltus_conversion_test(tf2_eigen Eigen3::Eigen libeigen3-dev)
saltus_package(tf2_kdl VERSION 0.36.7
  LINK tf2::tf2 tf2_ros::tf2_ros ${geometry} orocos-kdl
  DEPENDENCIES orocos_kdl_vendor tf2 tf2_ros geometry_msgs std_msgs)
saltus_conversion_test(tf2_kdl orocos-kdl liborocos-kdl-dev)
saltus_package(tf2_geometry_msgs VERSION 0.36.7
  LINK tf2::tf2 tf2_ros::tf2_ros ${geometry} orocos-kdl
  DEPENDENCIES orocos_kdl_vendor tf2 tf2_ros geometry_msgs std_msgs)
saltus_conversion_test(tf2_geometry_msgs orocos-kdl liborocos-kdl-dev)
saltus_package(tf2_bullet VERSION 0.36.7
  LINK tf2::tf2 tf2_ros::tf2_ros ${geometry}
  DEPENDENCIES Bullet tf2 tf2_ros geometry_msgs
  EXTRAS tf2_bullet/cmake/bullet.cmake)
saltus_conversion_test(tf2_bullet bullet libbullet-dev bullet)
saltus_package(tf2_sensor_msgs VERSION 0.36.7
  LINK tf2::tf2 tf2_ros::tf2_ros sensor_msgs::sensor_msgs__rosidl_typesupport_cpp ${geometry}
  DEPENDENCIES tf2 tf2_ros sensor_msgs geometry_msgs)
saltus_test(tf2_sensor_msgs)
