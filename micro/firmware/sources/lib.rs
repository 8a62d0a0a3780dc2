//! Empty: only the C files of the dependencies are used.
