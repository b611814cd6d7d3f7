package main

// openFiles is how many files the process may have open; 0 since nothing bounds it.
func openFiles() int { return 0 }
