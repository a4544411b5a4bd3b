/* needed_library.c - the library of needy_module.c. */
int needed(void);

int needed(void)
{
    return 1;
}
