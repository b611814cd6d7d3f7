// Package deploy checks what is shipped to be run elsewhere: the Kubernetes
// manifests against Kubernetes' own types, the compose file against Compose's own
// loader, and the command lines in both against the command. It is a module of its
// own, so that their modules stay out of ours.
package deploy
