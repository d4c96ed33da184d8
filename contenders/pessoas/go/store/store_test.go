package store

import "testing"

func TestWildcardsOfATermAreLetters(t *testing.T) {
	if made := pattern(`100%_\C++`); made != `%100\%\_\\C++%` {
		t.Error(made)
	}
}
