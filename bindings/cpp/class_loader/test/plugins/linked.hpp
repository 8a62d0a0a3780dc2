// The function for which the test program is linked with the library.
#ifndef LINKED_HPP_
#define LINKED_HPP_

int linked_function();

#endif
