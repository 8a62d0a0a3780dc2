/* The functions of c_user.c. */
#ifndef C_USER_H_
#define C_USER_H_

#ifdef __cplusplus
extern "C" {
#endif

/** Logs with most macros; returns how often the function of the FUNCTION macros ran. */
int c_user_logs(const char * name);

/** Returns 0, or the number of the check that failed. */
int c_user_handles_errors(void);

#ifdef __cplusplus
}
#endif

#endif
