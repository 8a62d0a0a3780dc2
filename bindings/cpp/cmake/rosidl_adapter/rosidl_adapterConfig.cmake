# Nothing is converted to .idl files: the program saltus reads .msg, .srv and .action files itself.
