#!/bin/sh
# One scheduler, as there is less than half a core, and none that spins while it waits: that would be paid for as well.
exec elixir --erl '+fnu +S 1:1 +SDio 1 +sbwt none +sbwtdcpu none +sbwtdio none' -pa target/pessoas-elixir \
    --no-halt -e 'Pessoas.start()'
