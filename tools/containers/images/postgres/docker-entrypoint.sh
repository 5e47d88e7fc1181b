#!/usr/bin/env bash
# Does what the compose files need of the official image's script: creates the data folder with POSTGRES_USER,
# POSTGRES_PASSWORD and POSTGRES_DB, and runs /docker-entrypoint-initdb.d/*.sh.
set -euo pipefail

initialize() {
  mkdir -p "$PGDATA"
  initdb --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") \
    --auth-local=trust --auth-host=scram-sha-256
  echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  # Until everything is ready, only on the socket.
  pg_ctl --wait --options="-c listen_addresses=''" start
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sh; do
    if [ -x "$script" ]; then "$script"; elif [ -e "$script" ]; then . "$script"; fi
  done
  pg_ctl --wait --mode=fast stop
}

if [ "$1" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then initialize; fi
exec "$@"
