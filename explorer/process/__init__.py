"""What a process needs around a long run: watching it, ending it, its memory, its exit codes."""
