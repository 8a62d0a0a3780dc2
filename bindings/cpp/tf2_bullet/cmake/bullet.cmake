# Bullet has no targets: find_package(Bullet) sets variables.
set_property(TARGET tf2_bullet::tf2_bullet APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${BULLET_LIBRARIES})
set_property(TARGET tf2_bullet::tf2_bullet APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${BULLET_INCLUDE_DIRS})
