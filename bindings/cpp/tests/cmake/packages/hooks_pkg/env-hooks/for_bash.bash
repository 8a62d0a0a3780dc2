export HOOK_BASH=bash
