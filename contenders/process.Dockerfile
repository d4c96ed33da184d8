# An image of a contender that is built and run in it by the same commands as without containers. The Compose files say the
# arguments; the context is the root of the repository.

ARG BASE=debian:bookworm-slim
# An image, or `base`: what it runs in builds it as well.
ARG BUILDER=base

FROM $BASE AS base
# Packages of Debian that it needs to run, if any. The folder is for the instances' sockets: a fresh volume takes over its owner.
ARG PACKAGES
RUN if [ -n "$PACKAGES" ]; then \
        apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $PACKAGES \
        && rm -rf /var/lib/apt/lists/*; \
    fi \
    && install -d -o 65532 -g 65532 /run/pessoas

FROM $BUILDER AS build
# Those that it needs to be built, if any.
ARG BUILD_PACKAGES
RUN if [ -n "$BUILD_PACKAGES" ]; then \
        apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $BUILD_PACKAGES; \
    fi
WORKDIR /galo
COPY contenders contenders
ARG BUILD=true
# What is kept of the sources and of what is built: paths from the root, separated by spaces.
ARG KEEP
RUN : "${KEEP:?says what the image is to hold, and is missing}" \
    && eval "$BUILD" && mkdir /image && cp -a --parents $KEEP /image

FROM base AS image
COPY --from=build /image /galo
WORKDIR /galo
USER 65532:65532
