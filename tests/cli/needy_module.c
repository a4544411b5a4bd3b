/* needy_module.c - a module that needs a library which is not there when it is loaded. */
int needed(void);
int needy(void);

int needy(void)
{
    return needed();
}
