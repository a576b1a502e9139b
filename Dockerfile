# syntax=docker/dockerfile:1
# Watchpost as an image: docs/install.md#container. test/deploy/container_test.ts holds this file to the code.
ARG DENO_VERSION=2.9.6

FROM denoland/deno:debian-${DENO_VERSION} AS build
ENV DENO_DIR=/build-dir DENO_NO_UPDATE_CHECK=1
WORKDIR /app
# Packages change more rarely than the code does.
COPY deno.json deno.lock ./
COPY lib/fresh ./lib/fresh
RUN deno install --frozen
COPY . .
RUN deno task build
# Only what serves: without bundler, test clients and the packages that they need.
RUN deno run -A deploy/container/serving.ts /deno-dir \
  && rm -rf .cache && chmod -R a+rX /app /deno-dir && mkdir -m 0700 /data

FROM denoland/deno:distroless-${DENO_VERSION}
# The environment of `deno task start`; all else is written to the volume and to /tmp.
ENV DENO_DIR=/deno-dir DENO_NO_UPDATE_CHECK=1 \
    MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072 \
    DENO_V8_FLAGS=--min-semi-space-size=1,--max-semi-space-size=4,--heap-growing-percent=50 \
    SERVICE_DATA_DIR=/data
WORKDIR /app
COPY --from=build /deno-dir /deno-dir
COPY --from=build /app /app
# A new volume takes over whose the folder is.
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=90s --retries=3 \
  CMD ["deno", "run", "--cached-only", "--allow-env", "--allow-net", "--unsafely-ignore-certificate-errors", "deploy/container/health.ts"]
ENTRYPOINT ["deno", "run", "-A", "--cached-only", "start.ts", "--built"]
