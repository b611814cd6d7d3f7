//go:build unix && !linux

package process

import "os"

// thisProgram is the path of the file that this process runs.
func thisProgram() (string, error) { return os.Executable() }

// strays cannot be found here.
func strays(string, []*tree) []*tree { return nil }
