#!/bin/sh
# For docker-compose.replicas.yml: PostgreSQL's image runs it when it creates the data folder.
echo 'host replication daikon all scram-sha-256' >> "$PGDATA/pg_hba.conf"
