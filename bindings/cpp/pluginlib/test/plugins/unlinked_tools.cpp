// A library that can't be loaded, because nobody has the variable.
extern int saltus_variable_that_nobody_has;
int * unlinked_tools() {return &saltus_variable_that_nobody_has;}
