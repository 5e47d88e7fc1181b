# syntax=docker/dockerfile:1
# Builds the package, installs it from its tarball and runs it as an unprivileged user.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Without install scripts of packages, here and below: none is needed to build or run the server.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm pack ./dist --pack-destination /

FROM node:24-bookworm-slim AS install
COPY --from=build /daikon-auth-server-*.tgz /
# Without optional dependencies: the bundled PostgreSQL is for development only. Not --global, which installs them
# all the same.
RUN npm install --prefix /opt/daikon --ignore-scripts --omit=optional --no-audit --no-fund /daikon-auth-server-*.tgz

FROM node:24-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --user-group --no-create-home daikon \
 && install -d -o daikon -g daikon /keys
COPY --from=install /opt/daikon /opt/daikon
# Production defaults.
ENV PATH=/opt/daikon/node_modules/.bin:$PATH \
    DEBUG=false \
    DATA_DIR=/tmp/daikon \
    JWT_PRIVATE_KEY_PATH=/keys/private.pem \
    JWT_PUBLIC_KEY_PATH=/keys/public.pem
USER 10001:10001
WORKDIR /tmp
EXPOSE 8000 9004 50051
# The timeouts permit a busy machine.
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HTTP_PORT || 8000}/health`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["daikon", "start"]
