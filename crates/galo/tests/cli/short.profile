# A turn of a test: short, so that the tests are.
100/s for 500ms
