// Package resilient is an HTTP client that retries correctly.
package resilient
