#!/bin/sh
# For docker-compose.replicas.yml: PostgreSQL's image runs it when it creates the data folder.
echo 'host replication daikon all scram-sha-256' >> "$PGDATA/pg_hba.conf"
# Without it, a checkpoint removes the WAL that a standby still needs: one that was away for a while, or whose first
# copy of the primary takes longer than that of the other standby.
echo "wal_keep_size = '512MB'" >> "$PGDATA/postgresql.conf"
