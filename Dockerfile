# The image of pawl: compiled against the same pinned libraries as everywhere, run by a user without rights.
#   docker build -t pawl .
# It needs a database (PAWL_DATABASE_URL) and a secret for each provider in its configuration; compose.yaml shows both.
ARG BASE=debian:trixie-slim

# The libraries, in a layer that is rebuilt only when the set-up changes.
FROM ${BASE} AS deps
WORKDIR /src
COPY setup/deps.sh setup/say.sh setup/apt.sh setup/pins.sh setup/archive.sh setup/libraries.sh setup/packages setup/pins setup/
ENV PAWL_DEPS_DIR=/opt/pawl
RUN PAWL_PINNED_ONLY=1 setup/deps.sh --for build && rm -rf /var/lib/apt/lists/* /opt/pawl/log /opt/pawl/sources

FROM deps AS build
# ON: a compiler warning fails the build, as in CI.
ARG WERROR=OFF
COPY . .
RUN cmake --preset release -DPAWL_WERROR=${WERROR} --log-level=WARNING \
 && cmake --build --preset release --parallel "$(nproc)" --target pawl \
 && strip --strip-unneeded -o /pawl build/release/pawl \
 && setup/runtime-packages.sh /pawl > /runtime-packages

FROM ${BASE}
COPY --from=build /runtime-packages /tmp/
# curl is for the health check.
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(cat /tmp/runtime-packages) ca-certificates curl \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /tmp/runtime-packages \
 && useradd --system --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin pawl
# The migrations are inside the program; the files are for administrators that run them with psql.
COPY migrations/ /usr/share/pawl/migrations/
COPY config/ /etc/pawl/
COPY --from=build /pawl /usr/local/bin/pawl

# The root file system may be read-only; /tmp should then be a tmpfs. The admin listener is reachable only where its port
# is published, and asks for a token.
ENV PAWL_CONFIG=/etc/pawl \
    PAWL_LISTEN=0.0.0.0:8080 \
    PAWL_ADMIN_LISTEN=0.0.0.0:8081 \
    PAWL_DATA_DIR=/tmp/pawl \
    PAWL_LOG_FORMAT=json
WORKDIR /
USER 10001:10001
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["/bin/sh", "-c", "for at in \"$PAWL_ADMIN_LISTEN\" \"$PAWL_LISTEN\"; do curl -fsS -o /dev/null --max-time 1 \"http://127.0.0.1:${at##*:}/healthz\" && exit 0; done; exit 1"]
ENTRYPOINT ["/usr/local/bin/pawl"]
CMD ["serve"]
