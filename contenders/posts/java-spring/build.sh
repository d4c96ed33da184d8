#!/bin/sh
# Builds target/posts-java-spring/app/posts.jar, with its libraries beside it rather than within: that starts sooner. Run from
# the repository's root.
set -eu
from=contenders/posts/java-spring
to=target/posts-java-spring
if [ -e $to/app/built ] && [ -z "$(find $from/src $from/pom.xml -newer $to/app/built)" ]; then
    exit 0
fi
mvn --quiet --batch-mode --file $from/pom.xml package
rm -rf $to/app
java -Djarmode=tools -jar $to/posts.jar extract --destination $to/app
touch $to/app/built
