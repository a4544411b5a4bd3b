/* sanitizer_options.c - what AddressSanitizer is told in every program of a build with sanitizers, unless the program has
 * a function of its own: a check of UndefinedBehaviorSanitizer that fails is an illegal instruction (cmake/Flags.cmake),
 * of which the stack is printed. */
const char *__asan_default_options(void);

__attribute__((weak, visibility("default"))) const char *__asan_default_options(void)
{
    return "handle_sigill=1";
}
