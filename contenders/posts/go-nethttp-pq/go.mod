module galo/posts-go-nethttp-pq

go 1.24.0

require github.com/lib/pq v1.10.9
