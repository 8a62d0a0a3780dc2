#ifndef ROSIDL_TYPESUPPORT_C__IDENTIFIER_H_
#define ROSIDL_TYPESUPPORT_C__IDENTIFIER_H_

/** The kind of the type supports of messages in C. */
static const char * const rosidl_typesupport_c__typesupport_identifier = "rosidl_typesupport_c";

#endif
