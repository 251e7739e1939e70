// Package soak holds tests that run for minutes or hours, under the build tag
// soak: users come and go at one host, well-behaved and hostile ones, other hosts
// are killed at work, and all that time answers stay right and nothing grows.
//
//	make soak SOAK=30   # minutes
package soak
